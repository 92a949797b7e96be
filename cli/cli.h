// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/isobar.h"
#include "lab_slide.h"

#include <jansson.h>
#include <stdio.h>

/// Exit codes of the command (docs/errors.md).
typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_USAGE = 2,
    CLI_BAD_INPUT = 3,
    CLI_NUMERICAL = 4,
} cli_exit;

enum { k_cli_list_size = 64 };

/// What the experiments of `lab` take.
typedef struct cli_lab_options {
    iso_lab_surface_desc surface;
    bool is_profile;         ///< --profile
    bool is_free;            ///< --free
    const char* from;        ///< --from: a measured surface; NULL: the one that surface says
    const char* making;      ///< an option that says how to make a surface; NULL: none is given
    double height_unit;      ///< --height-unit [m]
    double pitch;            ///< --pitch; 0: not given [m]
    double modulus;          ///< --contact-modulus [Pa]
    double load_low;         ///< --load [Pa]
    double load_high;        ///< --load [Pa]
    int load_count;          ///< --load; 0: not given
    double tolerance;        ///< --tolerance
    const char* page;        ///< --page
    const char* table;       ///< --table
    cli_slide_options slide; ///< what only `lab slide` takes
    iso_learned_kind model;  ///< --model of `lab learn`
    iso_learned_features features; ///< --features
    const char* pair;              ///< --pair: two names of materials between them a comma
    bool is_one_way;               ///< --one-way
    const char* scene;             ///< --scene of `lab rigid`; NULL: all
    iso_trib_binomial shear;       ///< --shear
    bool has_shear;                ///< --shear is given
} cli_lab_options;

/// What only `live` takes.
typedef struct cli_live_options {
    const char* host;  ///< --host; NULL: this machine only
    const char* token; ///< --token; NULL: made at random
    int port;          ///< --port; 0: a free one
} cli_live_options;

/// What only `render` takes.
typedef struct cli_render_options {
    bool is_meant;     ///< the command is `render`
    int width, height; ///< --size [pixels]; 0: the default
    bool has_time, has_camera;
    double time;      ///< --at [s]
    double speed;     ///< --speed; 0: the default
    double camera[6]; ///< --camera: from, at [m]
} cli_render_options;

/// What `sweep` takes.
typedef struct cli_sweep_options {
    const char* axes[ISO_SWEEP_MOST_AXES]; ///< --over
    int axis_count;
    const char* measures[ISO_SWEEP_MOST_MEASURES]; ///< --measure
    int measure_count;
    int worker_count; ///< --workers; 0: one per processor
} cli_sweep_options;

/// What the command line says. Strings are those of argv.
typedef struct cli_options {
    const char* input;
    const char* second;       ///< another input, of commands that take --pose
    iso_pose pose;            ///< --pose; the identity without
    const char* output;       ///< -o
    const char* record_path;  ///< --record
    const char* vtk_dir;      ///< --vtk
    const char* csv_dir;      ///< --csv
    const char* deformed_dir; ///< --deformed
    const char* save_path;    ///< --save
    const char* restore_path; ///< --restore
    double until;             ///< --until; 0: what the scene says
    bool is_json, is_quiet, is_verbose, is_help, is_hash;
    const char* settings[k_cli_list_size]; ///< --set and what --dt, --threads stand for
    int setting_count;
    iso_package packages[k_cli_list_size];
    int package_count;
    const char* from;          ///< --data
    double exponent;           ///< --exponent; 0: fitted
    double load;               ///< --load-per-mass; 0: the default
    iso_prepare_desc prepare;  ///< what only `prepare` takes
    cli_lab_options lab;       ///< what only `lab` takes
    cli_live_options live;     ///< what only `live` takes
    double frame_rate;         ///< --frame-rate [Hz]; 0: the default
    double size_limit;         ///< --size-limit [bytes]; 0: none
    bool is_without_faces;     ///< --no-faces
    bool is_json_contacts;     ///< --json-contacts
    bool is_energy_exact;      ///< --exact-energy
    const char* models;        ///< --models; NULL: the default
    cli_sweep_options sweep;   ///< what only `sweep` takes
    cli_render_options render; ///< what only `render` takes
    char text[4096];           ///< storage of derived strings
    size_t text_used;
} cli_options;

/// One command: which options it takes is data, so help and parser agree.
typedef struct cli_command {
    const char* name;
    const char* usage;
    const char* summary;
    const char* options; ///< space-separated names it accepts, each with surrounding spaces
    cli_exit (*run)(const cli_options* options);
} cli_command;

extern const cli_command k_cli_commands[];
extern const int k_cli_command_count;

/// Parse argv[2..]; on error prints one line to stderr and returns CLI_USAGE.
cli_exit cli_parse(const cli_command* command, int argc, char** argv, cli_options* out_options);
void cli_print_help(FILE* file);
/// Whether `isobar lab` has an experiment of this name; reports it where not.
bool cli_require_experiment(const char* name);
/// @param experiment  of `lab`; NULL or unknown: none
void cli_print_command_help(FILE* file, const cli_command* command, const char* experiment);

/// An option with its line of help, whether a value follows and what it is expected to be.
typedef struct cli_option {
    const char *name, *value, *text, *expected;
    const char* of; ///< commands and experiments it has this meaning for, with spaces; NULL: others
} cli_option;

/// NULL: the command, or the experiment of `lab`, does not take it. Without an experiment `lab`
/// takes those of all.
const cli_option* cli_find_option(const cli_command* command, const char* experiment,
                                  const char* name);
/// Names of all a command takes; some stand there more than once.
enum { CLI_MOST_OPTIONS = 160 };
int cli_option_names(const cli_command* command, const char* names[CLI_MOST_OPTIONS]);

cli_exit cli_run(const cli_options* options);
cli_exit cli_sweep(const cli_options* options);
cli_exit cli_compare(const cli_options* options);
cli_exit cli_patch(const cli_options* options);
cli_exit cli_view(const cli_options* options);
cli_exit cli_export(const cli_options* options);
cli_exit cli_render_command(const cli_options* options);
cli_exit cli_live(const cli_options* options);
cli_exit cli_replay(const cli_options* options);
cli_exit cli_prepare(const cli_options* options);
cli_exit cli_lab(const cli_options* options);
cli_exit cli_inspect(const cli_options* options);
cli_exit cli_volume(const cli_options* options);
cli_exit cli_identify(const cli_options* options);
cli_exit cli_version(const cli_options* options);

/// How a noun ends of which there are so many.
static inline const char* cli_plural(int count) {
    return count == 1 ? "" : "s";
}

/// Kind of a name; ISO_IDENTIFY_AUTO for another one.
iso_identify_kind cli_identify_kind(const char* name);

/// Which frames are kept, and how, says nothing where none are written.
/// @param path         of what holds the frames; NULL: not asked for
/// @param path_option  its option
cli_exit cli_check_frames(const cli_options* options, const char* path, const char* path_option);

/// A finite number above zero.
bool cli_parse_positive(const char* text, double* out_value);
/// A finite number, zero or above.
bool cli_parse_not_negative(const char* text, double* out_value);

/// Three numbers x,y,z or six x,y,z,roll,pitch,yaw, each finite [m], [rad].
bool cli_parse_pose(const char* text, iso_pose* out_pose);

/// Options of `prepare`, and taking one of them: false when the value is unusable.
#define CLI_PREPARE_OPTIONS                                                                   \
    " -o --units --scale --weld --size --solid --grading --layers --mesher --gmsh --python "  \
    "--time-limit --memory-limit --field --core --backing --density --modulus --dissipation " \
    "--friction "                                                                             \
    "--name --sdf --urdf --report --log --json --quiet "
bool cli_prepare_take(cli_options* options, const char* name, const char* value);

/// Taking an option of `lab`: false when the value is unusable.
#define CLI_CONTACT_MODULUS 1e9 ///< of `lab contact` [Pa], where none is given
bool cli_lab_take(cli_options* options, const char* name, const char* value);

/// Taking an option of `live`: false when the value is unusable.
bool cli_live_take(cli_options* options, const char* name, const char* value);
/// Taking an option of `render`: false when the value is unusable.
bool cli_render_take(cli_options* options, const char* name, const char* value);
/// Taking an option of `sweep`: false when the value is unusable.
bool cli_sweep_take(cli_options* options, const char* name, const char* value);

/// Messages of one kind in a row, of which the first was printed.
typedef struct cli_fold {
    bool is_on;
    int count;       ///< that were held back
    char kind[512];  ///< the first message without names, paths and numbers
    char last[2304]; ///< more than a message has (docs/errors.md)
} cli_fold;

/// Context of the command: messages to stderr ("isobar: warning: ..."), allocations counted.
typedef struct cli_session {
    iso_context* ctx;
    bool is_quiet;
    bool hides_info;          ///< the library's own lines below warnings
    int64_t allocation_count; ///< calls that allocated or resized
    bool is_verbose;          ///< every message is printed
    cli_fold fold;
} cli_session;
/// Whether this build can make pages. Says so on stderr where it cannot.
bool cli_has_viewer(void);

cli_exit cli_session_open(cli_session* session, const cli_options* options);
void cli_session_close(cli_session* session);

/// The experiments.
cli_exit cli_lab_surface(cli_session* session, const cli_options* options,
                         const iso_lab_surface* surface);
cli_exit cli_lab_contact(cli_session* session, const cli_options* options,
                         const iso_lab_surface* surface);
cli_exit cli_lab_slide(cli_session* session, const cli_options* options,
                       const iso_lab_surface* lower);
/// One slide, of which nothing is written.
iso_status cli_slide_run_one(cli_session* session, const cli_options* options,
                             const iso_lab_surface* lower, uint64_t seed, slide_summary* out,
                             int* out_steps);
/// All numbers of a slide that change what comes out, as a text.
void cli_slide_describe(const cli_options* options, char* text, size_t size);
/// Numbers of the thesis' experiments E2 and E3, where none are given; those names, and e4, become
/// that of the experiment behind them.
void cli_lab_preset(cli_options* options);
/// `lab slide --surfaces N`: the same slide of N pairs of surfaces; mean and spread.
cli_exit cli_lab_slide_surfaces(cli_session* session, const cli_options* options);
/// Those without a surface: a learned coefficient, rigid formulations.
cli_exit cli_lab_learn(cli_session* session, const cli_options* options);
cli_exit cli_lab_rigid(cli_session* session, const cli_options* options);
/// The thesis' table 4.1: sets of parameters times surfaces, by many processes.
cli_exit cli_lab_e1(cli_session* session, const cli_options* options);

/// Print "isobar: error: <last error>" and return the exit code of a status.
cli_exit cli_report(const cli_session* session, iso_status status);
/// The same with words before and after the last error.
cli_exit cli_report_about(const cli_session* session, iso_status status, const char* before,
                          const char* after);

/// `inspect` of a surface and of a volume file.
cli_exit cli_inspect_surface(cli_session* session, const cli_options* options);
cli_exit cli_inspect_volume(cli_session* session, const cli_options* options);
/// `inspect` of a scene or model.
cli_exit cli_inspect_scene(cli_session* session, const cli_options* options);
/// Frames, commands, programs and motions of a scene.
void cli_print_task(const iso_scene* scene, const iso_world* world);

/// True for files of tetrahedra, by their extension.
bool cli_is_volume_file(const char* path);

/// The contact properties of a geometry with the compliance that the world gives it where none is
/// stated: a surface mesh and a half space without slab become rigid.
iso_contact_material cli_effective_material(const iso_geometry_desc* geometry);
/// The contact properties of a geometry, as given: members of a JSON object, and the rest of a
/// line. What it has not (modulus beside a table, dissipation beside
/// a restitution, all of a rigid body's field) is null, or left out.
void cli_json_add_material(json_t* geometry, const iso_contact_material* material);
void cli_print_material(const iso_contact_material* material, const char* shape);

/// What the command line changes in a scene; borrows from the options.
iso_scene_options cli_scene_options(const cli_options* options);

/// Load the scene named on the command line and make its world.
iso_status cli_load(cli_session* session, const cli_options* options, bool load_visuals,
                    iso_scene* out_scene, iso_world** out_world);

/// Pieces of the JSON output; the caller owns the reference.
json_t* cli_json_vec3(iso_vec3 v);
/// A file's name; where it is not UTF-8, which JSON must be, its other bytes are question marks.
json_t* cli_json_path(const char* path);
json_t* cli_json_frames(const iso_scene* scene, const iso_world* world);
json_t* cli_json_commands(const iso_scene* scene);
json_t* cli_json_programs(const iso_scene* scene);
json_t* cli_json_motions(const iso_scene* scene);
json_t* cli_json_bodies(const iso_world* world);
json_t* cli_json_joints(const iso_world* world);
json_t* cli_json_fixed_tendons(const iso_world* world);
json_t* cli_json_contacts(const iso_world* world);
json_t* cli_json_energy(const iso_world* world);
/// Of all contacts, as recordings have it [J]; NAN without memory.
double cli_elastic_energy(const iso_world* world);
json_t* cli_json_peak(const iso_world* world);
json_t* cli_json_passage(const iso_world* world);
json_t* cli_json_sensors(const iso_sensors* sensors);
/// Print one object and a newline to stdout, release it; CLI_BAD_INPUT when stdout fails.
cli_exit cli_json_print(json_t* object);

/// Tables for people.
void cli_print_contacts(const iso_world* world);
void cli_print_bodies(const iso_world* world);
