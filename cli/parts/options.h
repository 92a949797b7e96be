// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/text.h"
#include "isobar/isobar.h"

#include <stdio.h>

/// Exit codes of the command (docs/errors.md).
typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_USAGE = 2,
    CLI_BAD_INPUT = 3,
    CLI_NUMERICAL = 4,
} cli_exit;

enum { k_cli_list_size = 64 };
enum { CLI_MOST_OPTIONS = 160 }; ///< rows of the table of options, at most

/// What only `lab slide` takes. Zero: not given; beta before presets: negative.
typedef struct cli_slide_options {
    double young, upper_young, poisson, density, alpha, beta;
    double height, gravity, speed, travel, force_rate, step, friction, tow, upper_points;
    double settle, surfaces, dimension, across, reach, stiffness, press, sample, hold, threads;
    bool is_printed;    ///< --printed
    bool is_damped;     ///< --damp-highest
    const char* film;   ///< --film
    const char* series; ///< --series of e1
    double most_time;   ///< that a force grows [s]; 0: until it is four times the normal force
    const char* state;  ///< --state: kept and gone on from
    const char* method; ///< --method: implicit or explicit
} cli_slide_options;

/// What the experiments of `lab` take.
typedef struct cli_lab_options {
    iso_lab_surface_desc surface;
    bool is_profile;           ///< --profile
    bool has_kind, has_points; ///< --kind, --points are given; of rms, shortest, longest: above 0
    bool is_free;              ///< --free
    const char* from;          ///< --from: a measured surface; NULL: the one that surface says
    const char* making;        ///< an option that says how to make a surface; NULL: none is given
    double height_unit;        ///< --height-unit [m]
    double pitch;              ///< --pitch; 0: not given [m]
    double modulus;            ///< --contact-modulus [Pa]
    double load_low;           ///< --load [Pa]
    double load_high;          ///< --load [Pa]
    int load_count;            ///< --load; 0: not given
    double tolerance;          ///< --tolerance
    const char* table;         ///< --table
    cli_slide_options slide;   ///< what only `lab slide` takes
    iso_learned_kind model;    ///< --model of `lab learn`
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
} cli_sweep_options;

/// What the command line says. Strings are those of argv.
typedef struct cli_options {
    const char* input;
    const char* second;       ///< another input, of commands that take --pose
    iso_pose pose;            ///< --pose; the identity without
    const char* output;       ///< -o
    const char* page;         ///< --page of `lab` and `sweep`
    int worker_count;         ///< --workers of those; 0: one per processor
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
    /// The last value of each row of k_cli_options that was given, "" for one that takes none.
    const char* given[CLI_MOST_OPTIONS];
    const char* repeated; ///< an option that was given more than once, otherwise; NULL: none was
} cli_options;

/// What a command's arguments without a dash are.
typedef enum cli_inputs {
    CLI_ONE_INPUT,
    CLI_TWO_INPUTS,
    CLI_NO_INPUT,
    CLI_WORD_INPUT, ///< a word, no file
    CLI_EXPERIMENT, ///< one of `lab`
} cli_inputs;

/// One command: which options it takes is data, so help and parser agree.
typedef struct cli_command {
    const char* name;
    const char* usage;
    const char* summary;
    const char* options; ///< space-separated names it accepts, each with surrounding spaces
    cli_exit (*run)(const cli_options* options);
    /// Take an option that only it has: false when the value is unusable. NULL: there is none.
    bool (*take)(cli_options* options, const char* name, const char* value);
    cli_inputs inputs;
    bool checks_files; ///< looks itself whether files that it writes would replace others
} cli_command;

/// Parse argv[2..]; on error prints one line to stderr and returns CLI_USAGE.
cli_exit cli_parse(const cli_command* command, int argc, char** argv, cli_options* out_options);

/// An experiment of `lab`.
typedef struct cli_experiment {
    const char *name, *summary;
    const char* options; ///< as those of a command
} cli_experiment;

extern const cli_experiment k_cli_experiments[];
extern const int k_cli_experiment_count;
/// The experiment of that name, which belongs to the command; -1: none.
int cli_find_experiment(const cli_command* command, const char* name);
/// Whether there is an experiment of this name; reports it where not.
bool cli_require_experiment(const char* name);
enum { CLI_MOST_EXPERIMENTS = 16 };

/// An option with its line of help, whether a value follows and what it is expected to be.
typedef struct cli_option {
    const char *name, *value, *text, *expected;
    const char* of; ///< commands and experiments it has this meaning for, with spaces; NULL: others
} cli_option;

extern const cli_option k_cli_options[];
extern const int k_cli_option_count;

/// NULL: the command, or the experiment of `lab`, does not take it. Without an experiment `lab`
/// takes those of all.
const cli_option* cli_find_option(const cli_command* command, const char* experiment,
                                  const char* name);
/// Names of all that a command takes (of `lab` an experiment; NULL: all of them); some stand there
/// more than once.
int cli_option_names(const cli_command* command, const char* experiment,
                     const char* names[CLI_MOST_OPTIONS]);

/// The value an option was given, the last one of several; "" for one that takes none; NULL: it
/// was not given.
const char* cli_given(const cli_options* options, const char* name);

/// What may be said of an unknown option or command: the one that other tools call so, else the
/// nearest in letters, as "; expected '--until'". "": nothing.
/// @param names  what the command takes, or all commands
void cli_foreign_hint(const char* name, const char* const* names, int count, char out_hint[160]);

/// Does a list of words with spaces around each have the word?
bool cli_has_word(const char* words, const char* word);

/// A finite number above zero.
bool cli_parse_positive(const char* text, double* out_value);
/// A finite number, zero or above.
bool cli_parse_not_negative(const char* text, double* out_value);
/// A whole number, low to high, which is zero or above.
bool cli_parse_whole(const char* text, double low, double high, double* out_value);
/// The place of a word in a list; -1: it is not there.
int cli_find_word(const char* const* words, int count, const char* word);

/// Three numbers x,y,z or six x,y,z,roll,pitch,yaw, each finite [m], [rad].
bool cli_parse_pose(const char* text, iso_pose* out_pose);
