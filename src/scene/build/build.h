// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "base/core/array.h"
#include "base/values/name_table.h"
#include "isobar/learned.h"
#include "isobar/scene.h"
#include "math/limits.h"

/// What the readers of all formats share while they fill one model: errors and warnings with
/// file:line, strings that live as long as the load, URIs, frames, initial poses, materials and
/// collision filters.

#define ISO_SCENE_MAX_BYTES ((size_t)64 << 20) ///< of one file
#define ISO_SCENE_MAX_DEPTH 64                 ///< of nested elements, includes, models
#define ISO_SCENE_MAX_NESTING 240              ///< of XML elements, whose readers call themselves
#define ISO_SCENE_MAX_FILES 10000              ///< read in one load, each time counted
#define ISO_SCENE_MAX_TOTAL ((size_t)1 << 30)  ///< bytes of them all
#define ISO_SCENE_MAX_ELEMENTS 1000000         ///< XML nodes of one file
#define ISO_SCENE_MAX_NODES 1000000            ///< YAML nodes of one file
#define ISO_SCENE_MAX_ALL_ELEMENTS 4000000     ///< XML or YAML nodes of all files of one load
#define ISO_SCENE_MAX_NAMES 10000              ///< names in one scope
#define ISO_SCENE_WARNINGS 512                 ///< remembered, so as not to repeat them
#define ISO_SCENE_MAX_PAIRS 4000000            ///< of geometries with a rule of their own
#define ISO_SCENE_MAX_LENGTH ISO_FILE_FARTHEST ///< of any size or coordinate [m]
#define ISO_SCENE_MAX_PRESSURE 1e15            ///< of moduli and adhesion [Pa]
#define ISO_SCENE_MAX_FRICTION 1e6             ///< coefficients of friction
#define ISO_SCENE_MAX_DISSIPATION 1e6          ///< [s/m], and of expansion rates [1/s]
#define ISO_SCENE_MAX_TIME 1e6                 ///< of relaxation [s]
#define ISO_SCENE_MAX_SPEED 1e6                ///< of restitution [m/s]
#define ISO_SCENE_MAX_DENSITY 1e6              ///< [kg/m^3]
#define ISO_SCENE_MAX_MASS 1e12                ///< of a body [kg]
#define ISO_SCENE_MAX_GRAVITY 1e4              ///< [m/s^2]
#define ISO_SCENE_MAX_TETS 600000              ///< that a shape is divided into
#define ISO_SCENE_MANY_TETS 60000              ///< more are a warning

/// Behind a name that was taken: numbers below `next` are taken, too.
typedef struct iso_scene_suffix {
    const iso_name_index* index; ///< of the names that have them
    const char* stem;
    int next;
} iso_scene_suffix;

/// A place in a file. line 0: the file itself (or a --set argument).
typedef struct iso_source {
    const char* file;
    int line;
} iso_source;

/// Which fields of an iso_contact_material a file stated.
typedef enum iso_material_bit {
    ISO_MATERIAL_COMPLIANCE = 1 << 0,
    ISO_MATERIAL_MODULUS = 1 << 1,
    ISO_MATERIAL_RESOLUTION_HINT = 1 << 2,
    ISO_MATERIAL_MARGIN = 1 << 3,
    ISO_MATERIAL_SLAB_THICKNESS = 1 << 4,
    ISO_MATERIAL_DISSIPATION = 1 << 5,
    ISO_MATERIAL_RELAXATION_TIME = 1 << 6,
    ISO_MATERIAL_FRICTION_STATIC = 1 << 7,
    ISO_MATERIAL_FRICTION_DYNAMIC = 1 << 8,
    ISO_MATERIAL_EXTENT = 1 << 9,
    ISO_MATERIAL_STIFFENING = 1 << 10,
    ISO_MATERIAL_MODULUS_TABLE = 1 << 11,
    ISO_MATERIAL_LAYERS = 1 << 12,
    ISO_MATERIAL_EXPANSION_RATE = 1 << 13,
    ISO_MATERIAL_RESTITUTION = 1 << 14,
    ISO_MATERIAL_RESTITUTION_SPEED = 1 << 15,
    ISO_MATERIAL_ADHESION = 1 << 16,
    ISO_MATERIAL_KEEP_MESH = 1 << 17,
    ISO_MATERIAL_BONDED_SKIN = 1 << 18,
    ISO_MATERIAL_FRICTION_OVERRIDDEN = 1 << 19, ///< an override states friction
    ISO_MATERIAL_MODEL = 1 << 20,
    ISO_MATERIAL_YOUNG_MODULUS = 1 << 21,
    ISO_MATERIAL_POISSON_RATIO = 1 << 22,
    ISO_MATERIAL_RESTITUTION_SLOPE = 1 << 25,
    ISO_MATERIAL_BRISTLES = 1 << 24, ///< all numbers of bristles together
} iso_material_bit;

/// Three ways to say how much a contact dissipates.
#define ISO_MATERIAL_DAMPING_BITS \
    (unsigned)(ISO_MATERIAL_DISSIPATION | ISO_MATERIAL_EXPANSION_RATE | ISO_MATERIAL_RESTITUTION)

/// Friction of a material that a learned model knows; lives in the arena of the load.
typedef struct iso_scene_learned {
    const iso_learned* model; ///< of iso_scene_build
    iso_learned_material material;
    iso_source source;
} iso_scene_learned;

typedef enum iso_point_law_kind {
    ISO_POINT_LAW_NONE,
    ISO_POINT_LAW_MUJOCO, ///< accelerations by solref and solimp
    ISO_POINT_LAW_DRAKE,  ///< stiffness; the dissipation is the material's
    ISO_POINT_LAW_ODE,    ///< stiffness and damping
} iso_point_law_kind;

/// MuJoCo's default of solref.
#define ISO_POINT_LAW_SOLREF \
    { 0.02, 1.0 }

/// Contact in a point as a model file states it: what simulation.point_parameters maps to Hertz.
typedef struct iso_point_law {
    iso_point_law_kind kind;
    bool is_stated;             ///< by the element itself, not by defaults of its format
    iso_source source;          ///< of the element
    double stiffness, damping;  ///< [N/m], infinite: not stated; [N s/m]
    double solref[2];           ///< time constant [s], damping ratio; < 0: stiffness, damping
    double solimp[5];           ///< least, largest, width [m], midpoint, power
    double solmix, friction;    ///< as MuJoCo combines those of two geoms
    int priority, dimension;    ///< of friction: condim
    bool is_pyramid;            ///< the cone of friction
    double impratio, safe_time; ///< least time constant [s]; 0: any
} iso_point_law;

/// Contact properties of which only some were stated (iso_material_bit).
typedef struct iso_material_spec {
    iso_contact_material value; ///< a table of moduli lives in the arena of the load
    unsigned stated;
    const iso_scene_learned* learned; ///< where the stated friction comes from; NULL: numbers
    iso_point_law point;              ///< of a model file
} iso_material_spec;

/// Where a body is at the start if no joint says so: its pose relative to another body.
typedef struct iso_scene_start {
    iso_source source;
    int base;         ///< body index
    iso_pose x_b;     ///< pose in the base body
    iso_spatial v_wb; ///< (angular; linear of the origin), world
    int parent_joint; ///< the joint of which this body is the child, or -1
    bool is_turned;   ///< the file has it the other way about: iso_scene_join_trees()
    bool may_stand;   ///< without mass it is welded where it starts
    bool takes_mass;  ///< without mass it gets that of its shapes where it moves
} iso_scene_start;

/// Bodies that make no contact with the members of the ignored groups.
typedef struct iso_filter_group {
    const char* name; ///< scoped
    iso_source source;
    ISO_ARRAY(int) members;         ///< body indices
    ISO_ARRAY(const char*) groups;  ///< scoped names of groups that are part of this one
    ISO_ARRAY(const char*) ignored; ///< scoped names of groups
} iso_filter_group;

/// Two geometries with a rule of their own.
typedef struct iso_scene_pair {
    iso_source source;
    iso_geometry_pair_desc desc;
    bool is_derived; ///< from properties of both: gives way to pairs and to overrides of friction
    bool is_learned; ///< derived after overrides: gives way to pairs alone
    bool is_model;   ///< names a contact model alone, which goes into the rule of the pair
    int order;       ///< in which they were read
} iso_scene_pair;

/// A change of the contact properties of all geometries whose scoped name matches a pattern.
typedef struct iso_material_override {
    const char* pattern; ///< with * and ?
    iso_source source;
    iso_material_spec material;
} iso_material_override;

/// What geometries whose scoped names match one pattern do with those that match the other.
typedef struct iso_pattern_pair {
    const char* patterns[2]; ///< with * and ?
    iso_source source;
    iso_contact_model_kind model; ///< of these pairs; DEFAULT: they never touch
} iso_pattern_pair;

typedef struct iso_scene_package {
    const char* name;
    const char* directory;
} iso_scene_package;

/// A learned model of friction and where it is.
typedef struct iso_scene_model_file {
    const char* path;
    iso_learned* model;
} iso_scene_model_file;

/// A name of a part within its body, or the beginning of some.
typedef struct iso_part_name {
    int body;
    bool is_visual;
    const char* name;
    int part; ///< geometry or visual that has it; -1: none
    int next; ///< every smaller number behind it is taken
} iso_part_name;

/// One load in progress.
typedef struct iso_scene_build {
    iso_context* ctx;
    iso_arena arena; ///< strings and trees of this load
    iso_model* model;
    iso_world_desc world;
    double until;
    const char* name;
    const char* root_path; ///< of the file that was asked for; --set arguments are relative to it
    const char* keyframe;  ///< of the MJCF file that is read next, a name or an index; NULL: none
    bool may_be_empty;     ///< the file is of a format whose files need no bodies
    bool is_memory_only;   ///< no other file may be opened (fuzzing)
    bool gives_masses;     ///< to links that move and have none: simulation.massless
    bool maps_points;      ///< laws of points to Hertz: simulation.point_parameters
    iso_source points_at;  ///< where that is asked for
    iso_material_spec default_material;
    iso_source default_material_at; ///< where it was stated
    ISO_ARRAY(iso_scene_package) packages;
    ISO_ARRAY(iso_scene_frame) frames;
    ISO_ARRAY(iso_scene_start) starts;               ///< [body]
    ISO_ARRAY(unsigned) stated_materials;            ///< [geometry] iso_material_bit
    ISO_ARRAY(const iso_scene_learned*) learned;     ///< [geometry] NULL: friction is a number
    ISO_ARRAY(iso_point_law) point_laws;             ///< [geometry]
    ISO_ARRAY(iso_scene_model_file) friction_models; ///< those read, each once
    ISO_ARRAY(bool) named_by_file;                   ///< [geometry] others have a name made up
    ISO_ARRAY(iso_part_name) part_names;             ///< of geometries and visuals
    iso_name_table part_table;                       ///< of these
    iso_name_index frame_index, actuator_index, sensor_index; ///< of their names
    iso_name_index body_index, joint_index, tendon_index;     ///<
    ISO_ARRAY(iso_scene_suffix) suffixes;                     ///< of names that were taken
    iso_name_table suffix_table;                              ///< of their stems
    ISO_ARRAY(iso_filter_group) groups;
    int exclusion_count; ///< numbers of iso_body_desc.exclusion in use
    ISO_ARRAY(iso_material_override) overrides;
    ISO_ARRAY(iso_pattern_pair) pattern_pairs;
    ISO_ARRAY(iso_scene_pair) pairs;
    uint64_t warned[ISO_SCENE_WARNINGS]; ///< hashes of messages that were given, a ring
    int warned_count;
    ISO_ARRAY(const char*) open_files; ///< chain of files being read, outermost first
    int files_read;                    ///< those read again counted again
    size_t bytes_read;                 ///< of them all
    int elements_read;                 ///< XML nodes of them all
    int nodes_read;                    ///< YAML nodes of them all
    ISO_ARRAY(iso_command_desc) commands;
    ISO_ARRAY(iso_program_desc) programs; ///< what they point to is in program_memory
    iso_arena* program_memory;            ///< moves into the scene; NULL: no programs
    iso_mover_desc* movers;               ///< [mover_count] in program_memory
    int mover_count;
    iso_force_desc* forces; ///< [force_count] in program_memory
    int force_count;
    ISO_ARRAY(iso_sensor_desc) sensors; ///< strings live as long as the load
    bool has_events;                    ///<
    iso_watch_desc events;              ///<
} iso_scene_build;

iso_status iso_scene_build_init(iso_scene_build* build, iso_context* ctx,
                                const iso_scene_options* options);
/// Release what programs point to. NULL is allowed.
void iso_scene_free_programs(iso_context* ctx, iso_arena* memory);
/// Release everything but what was moved out (model, commands, programs).
void iso_scene_build_reset(iso_scene_build* build);

// --- messages ------------------------------------------------------------------------------------

/// Fail with "file:line: message".
iso_status iso_scene_fail(const iso_scene_build* build, iso_source at, iso_status status,
                          const char* format, ...) ISO_PRINTF(4, 5);
/// Put "file:line" before the last error, unless it is there already. Returns status.
iso_status iso_scene_fail_at(const iso_scene_build* build, iso_source at, iso_status status);
/// Fail because nothing has this name, with the nearest or the first names there are.
iso_status iso_scene_fail_missing(const iso_scene_build* build, iso_source at,
                                  const iso_name_list* list, const char* noun, const char* name);
/// Log "file:line: message", once for each (file, key).
void iso_scene_log_once(iso_scene_build* build, iso_log_level level, iso_source at, const char* key,
                        const char* format, ...) ISO_PRINTF(5, 6);
#define iso_scene_warn_once(build, ...) iso_scene_log_once(build, ISO_LOG_WARNING, __VA_ARGS__)

#define ISO_SCENE_REQUIRE(build, at, condition, status, ...)       \
    do {                                                           \
        if (!(condition)) {                                        \
            return iso_scene_fail(build, at, status, __VA_ARGS__); \
        }                                                          \
    } while (0)

/// Run a step, return its failure.
#define ISO_SCENE_TRY(call)             \
    do {                                \
        iso_status try_status = (call); \
        if (try_status != ISO_OK) {     \
            return try_status;          \
        }                               \
    } while (0)

// --- strings of the load -------------------------------------------------------------------------

iso_status iso_scene_format(iso_scene_build* build, const char** out_text, const char* format, ...)
    ISO_PRINTF(3, 4);
iso_status iso_scene_copy_text(iso_scene_build* build, const char* text, size_t length,
                               const char** out_text);
/// scope + "::" + name; scope may be "".
iso_status iso_scene_scoped(iso_scene_build* build, const char* scope, const char* name,
                            const char** out_text);

// --- files ---------------------------------------------------------------------------------------

/// One more folder of a package, behind those that are known.
iso_status iso_scene_add_package(iso_scene_build* build, const char* name, const char* directory);
/// The built-in fallback for the package of robot and object models.
iso_status iso_scene_add_fallback_package(iso_scene_build* build, const char* name);
/// Turn a URI (package://NAME/..., model://NAME/..., file://..., or a path relative to the file
/// that mentions it) into a path.
iso_status iso_scene_resolve_uri(iso_scene_build* build, iso_source at, const char* uri,
                                 const char** out_path);
/// The same for a mesh. A visual whose URI leads nowhere is not an error: warns, gives NULL.
iso_status iso_scene_resolve_mesh(iso_scene_build* build, iso_source at, const char* uri,
                                  bool is_visual, const char** out_path);
/// The file of a model's folder: what its model.config names, or its model.sdf; NULL when there is
/// neither.
iso_status iso_scene_model_in_folder(iso_scene_build* build, iso_source at, const char* folder,
                                     const char** out_path);
/// True if path can be opened and is not empty.
bool iso_scene_file_exists(const iso_scene_build* build, const char* path);
/// Note that a file is being read: fails with the whole chain when it is already open.
/// Every successful enter needs a leave.
iso_status iso_scene_enter_file(iso_scene_build* build, iso_source at, const char* path);
void iso_scene_leave_file(iso_scene_build* build);
/// Read a whole file; release with iso_free(). Bounds how many and how much one load reads.
iso_status iso_scene_read_file(iso_scene_build* build, iso_source at, const char* path,
                               char** out_bytes, size_t* out_size);
/// Read a model file (.sdf, .world, .urdf) into the model, all names inside `scope`. The keyframe
/// of the build is used up.
/// @param rename  name of the model, NULL: that in the file
iso_status iso_scene_read_model(iso_scene_build* build, iso_source at, const char* path,
                                const char* scope, const char* rename);

// --- parts of the model --------------------------------------------------------------------------

/// "file:line" for the descriptors.
iso_status iso_scene_source_text(iso_scene_build* build, iso_source at, const char** out_text);

/// Add a body and a frame of its name; it starts at x_wb unless a joint or iso_scene_set_start()
/// says otherwise.
iso_status iso_scene_add_body(iso_scene_build* build, iso_source at, const iso_body_desc* desc,
                              const iso_pose* x_wb, int* out_body);
/// Add a joint. One whose child has a parent already joins two trees, iso_scene_join_trees(), or
/// closes a loop, iso_scene_close_loop().
/// @param[out] out_joint  may be NULL; -1: it became a constraint or a coupler
iso_status iso_scene_add_joint(iso_scene_build* build, iso_source at, const iso_joint_desc* desc,
                               int* out_joint);
iso_status iso_scene_add_actuator(iso_scene_build* build, iso_source at,
                                  const iso_actuator_desc* desc, int* out_actuator);
/// Fix a body at a pose in another one; names the joint "a_welds_to_b".
iso_status iso_scene_add_weld(iso_scene_build* build, iso_source at, int parent, int child,
                              const iso_pose* x_parent_joint, const iso_pose* x_child_joint);
/// Add contact geometry; of the spec it takes what was stated and the law of points. The name is
/// made unique in its body; the shape is checked.
/// A sphere of radius 0 makes no contact and is skipped with a warning.
iso_status iso_scene_add_geometry(iso_scene_build* build, iso_source at, int body,
                                  const iso_geometry_desc* desc, const iso_material_spec* spec);
/// Add a visual; a mesh file that is missing or of an unknown kind is skipped with a warning.
iso_status iso_scene_add_visual(iso_scene_build* build, iso_source at, int body,
                                const iso_visual_desc* desc);

iso_status iso_scene_add_frame(iso_scene_build* build, iso_source at, const char* name, int body,
                               const iso_pose* x_bf);
/// Frame by its scoped name, or by the end of it ("link" for "model::link") when only one matches.
iso_status iso_scene_require_frame(iso_scene_build* build, iso_source at, const char* name,
                                   iso_scene_frame* out_frame);
/// Whether a body or frame has this scoped name.
iso_status iso_scene_is_frame(iso_scene_build* build, const char* name, bool* out_is);
/// Copy the frames that are no bodies, strings included, for iso_scene_free_frames().
iso_status iso_scene_copy_frames(const iso_scene_build* build, iso_scene* out_scene);
void iso_scene_free_frames(iso_context* ctx, iso_scene_frame* frames, int count);
/// Scoped names of all bodies and joints so far.
iso_name_list iso_scene_body_names(const iso_scene_build* build);
iso_name_list iso_scene_joint_names(const iso_scene_build* build);
/// Those of joints that are not fixed.
iso_name_list iso_scene_moving_joint_names(const iso_scene_build* build);
/// As iso_scene_require_frame(), for bodies, joints, actuators and fixed tendons.
iso_status iso_scene_find_body(iso_scene_build* build, iso_source at, const char* name,
                               int* out_body);
iso_status iso_scene_find_joint(iso_scene_build* build, iso_source at, const char* name,
                                int* out_joint);
iso_status iso_scene_find_actuator(iso_scene_build* build, iso_source at, const char* name,
                                   int* out_actuator);
iso_status iso_scene_find_fixed_tendon(iso_scene_build* build, iso_source at, const char* name,
                                       int* out_tendon);
/// A name that no actuator has: the wanted one, else with _1, _2, ... behind it.
iso_status iso_scene_unique_actuator_name(iso_scene_build* build, const char* wanted,
                                          const char** out_name);
/// The wanted name, else with _1, _2, ... behind it, so that the list has it not.
iso_status iso_scene_unique_name(iso_scene_build* build, iso_name_index* index,
                                 const iso_name_list* taken, const char* wanted,
                                 const char** out_name);
/// iso_actuator_desc_check() that says where.
iso_status iso_scene_check_actuator(iso_scene_build* build, iso_source at,
                                    const iso_actuator_desc* actuator);
/// Start body at a pose relative to a frame.
void iso_scene_set_start(iso_scene_build* build, iso_source at, int body,
                         const iso_scene_frame* base, const iso_pose* x_fb);

// --- joints
// ---------------------------------------------------------------------------------------

/// What joints are called in messages and scenarios, in the order of iso_joint_kind.
extern const char* const iso_scene_joint_types[];
#define ISO_SCENE_JOINT_TYPE_COUNT 8
/// Revolute, prismatic, screw.
bool iso_scene_has_one_dof(iso_joint_kind kind);
int iso_scene_position_count(iso_joint_kind kind);
int iso_scene_velocity_count(iso_joint_kind kind);
/// Pose of M in F at the initial position.
iso_pose iso_scene_joint_displacement(const iso_joint_desc* joint);
/// Shortest rotation that brings z to a direction (not zero).
iso_mat3 iso_scene_turn_z_to(iso_vec3 direction);
/// Give a joint its position at the start.
/// @param is_strict  outside of its limits: an error, otherwise the world warns
iso_status iso_scene_set_position(iso_scene_build* build, iso_source at, int joint,
                                  const double* positions, int count, bool is_strict);
/// Give a joint its velocity at the start.
iso_status iso_scene_set_velocity(iso_scene_build* build, iso_source at, int joint,
                                  const double* velocities, int count);
/// Damping, friction, stiffness and rotor inertia are finite and >= 0.
iso_status iso_scene_check_efforts(const iso_scene_build* build, iso_source at,
                                   const iso_joint_desc* desc);
iso_status iso_scene_add_coupler(iso_scene_build* build, iso_source at,
                                 const iso_coupler_desc* desc);
/// Free joint B of limits that joint A, within its own, never brings it to; a warning. Of lines
/// that act from the start only.
void iso_scene_free_follower(iso_scene_build* build, iso_source at,
                             const iso_coupler_desc* coupler);
/// Couple two joints as <mimic> says; the coupler is called "FOLLOWER_mimics".
iso_status iso_scene_add_mimic(iso_scene_build* build, iso_source at, int leader, int follower,
                               double multiplier, double offset);
/// @param out_index  may be NULL
iso_status iso_scene_add_fixed_tendon(iso_scene_build* build, iso_source at,
                                      const iso_fixed_tendon_desc* desc, int* out_index);
iso_status iso_scene_add_constraint(iso_scene_build* build, iso_source at,
                                    const iso_constraint_desc* desc);
/// The root of the tree that a body is part of, and the body's rotation in it when all joints are
/// at 0.
int iso_scene_root_of(const iso_scene_build* build, int body, iso_mat3* out_rotation);
/// Axis of a joint in the root of its tree when all joints are at 0.
iso_vec3 iso_scene_axis_in_root(const iso_scene_build* build, const iso_joint_desc* joint);
/// 1 or -1 of two unit vectors along one line, 0 of others.
double iso_scene_sense(iso_vec3 a, iso_vec3 b);
/// Where a joint whose child has a parent already ties two trees of which one floats, turn the
/// joints from its end up to that tree's root round: parent and child, the frames on them and the
/// axis change sides, and coordinates mean what they did. The joint itself may be turned, too.
/// Fixed joints, hinges, slides and screws can be. False, with nothing changed, where it cannot.
bool iso_scene_join_trees(iso_scene_build* build, iso_joint_desc* joint);
/// A joint whose child has a parent in one tree with it, as a constraint: fixed, revolute (two
/// points of its axis, "NAME_1" and "NAME_2") or ball; a screw as a coupler of the hinge and the
/// slide that move its ends; others move half of the child's mass, "NAME_end", welded to the child.
/// @param[out] out_joint  of the last kind; may be NULL
iso_status iso_scene_close_loop(iso_scene_build* build, iso_source at, const iso_joint_desc* joint,
                                int* out_joint);

// --- files in files ------------------------------------------------------------------------------

/// How many parts of each kind there are.
typedef struct iso_scene_mark {
    int bodies, joints, geometries, visuals, fixed_tendons, constraints, frames, sensors;
} iso_scene_mark;
iso_scene_mark iso_scene_mark_parts(const iso_scene_build* build);
/// Put what was read between two marks, as if its world were the world, where it is: all that it
/// fixed to the world, or starts there.
/// @param x_wm  pose of the world of the file in the world
void iso_scene_place_parts(iso_scene_build* build, const iso_scene_mark* from,
                           const iso_scene_mark* to, const iso_pose* x_wm);

// --- sensors -------------------------------------------------------------------------------------

/// Add a sensor; its strings are borrowed from the load or the model. Whether bodies and joints are
/// there is asked when sensors are made.
/// @param is_strict  a name that is taken: an error, otherwise it gets a suffix _1, _2, ...
iso_status iso_scene_add_sensor(iso_scene_build* build, iso_source at, const iso_sensor_desc* desc,
                                bool is_strict);
/// The zone of a contact sensor: a sphere, capsule, cylinder, ellipsoid or box.
iso_status iso_scene_set_zone(const iso_scene_build* build, iso_source at,
                              const iso_shape_desc* shape, iso_sensor_desc* desc);
/// Copy the sensors, strings included, for iso_scene_free_sensors().
iso_status iso_scene_copy_sensors(const iso_scene_build* build, iso_sensor_desc** out_sensors);
void iso_scene_free_sensors(iso_context* ctx, iso_sensor_desc* sensors, int count);

// --- checks --------------------------------------------------------------------------------------

/// Principal moments of an inertia are >= 0 and obey the triangle inequality; not all are 0.
bool iso_scene_is_of_solid(const iso_mat3* inertia);
/// Mass finite and > 0 (>= 0 with is_massless_allowed) and inertia that some solid can have.
iso_status iso_scene_check_inertia(const iso_scene_build* build, iso_source at, const char* name,
                                   const iso_body_desc* desc, bool is_massless_allowed);
/// Take the nearest inertia that some solid can have (by its second moments), and 0 of a body
/// without mass, with a warning that says so: robots of many years have such links. Does nothing
/// for what iso_scene_check_inertia() is to refuse: a negative mass or sum of moments.
void iso_scene_mend_inertia(iso_scene_build* build, iso_source at, iso_body_desc* body);
/// Sizes finite, > 0 and at most ISO_SCENE_MAX_LENGTH.
iso_status iso_scene_check_shape(const iso_scene_build* build, iso_source at,
                                 const iso_shape_desc* shape);
/// Does what is stated of a contact suit the size of its shape? A margin wider than the shape and
/// a resolution hint that makes more than ISO_SCENE_MAX_TETS tetrahedra are errors.
iso_status iso_scene_check_fit(iso_scene_build* build, iso_source at, const iso_shape_desc* shape,
                               const iso_contact_material* material);
/// Ranges of contact properties.
iso_status iso_scene_check_material(const iso_scene_build* build, iso_source at,
                                    const iso_contact_material* material);

// --- materials and filters -----------------------------------------------------------------------

iso_material_spec iso_material_spec_default(void);
/// Copy the stated fields of `from` over those of `to`. A stated way to say dissipation takes the
/// place of the others, a table of moduli that of modulus and stiffening and the reverse.
void iso_material_spec_apply(iso_material_spec* to, const iso_material_spec* from);
/// One friction coefficient stated: it sets both. Dynamic above static is an error.
iso_status iso_material_spec_finish(const iso_scene_build* build, iso_source at,
                                    iso_material_spec* spec);

/// New empty group; NULL when out of memory. Valid until the next one is added.
iso_filter_group* iso_scene_add_group(iso_scene_build* build, iso_source at, const char* name);

/// Weld the roots that may stand and have no mass, and give what moves without one the mass of its
/// shapes, with warnings.
iso_status iso_scene_finish_massless(iso_scene_build* build);
/// Use a learned model for a material's friction: its coefficients become those of two of the
/// material, until iso_scene_finish() gives each pair of such materials its own.
/// @param uri   of the model, relative to the file that mentions it
/// @param name  of a material of the model's rows; NULL: as `own` says
iso_status iso_scene_learn(iso_scene_build* build, iso_source at, const char* uri, const char* name,
                           const iso_learned_material* own, iso_material_spec* spec);
/// Friction of a material at a pressure, from a table with columns mean_pressure [Pa], rising, and
/// friction (`isobar lab contact --shear`): straight between rows in the logarithm of pressure;
/// beyond them the nearest row, with a warning.
iso_status iso_scene_friction_of_table(iso_scene_build* build, iso_source at, const char* uri,
                                       double pressure, iso_material_spec* spec);
/// Rules of the pairs of geometries whose materials have one learned model and differ; warns of
/// what lies outside its rows. When the materials are finished.
iso_status iso_scene_pair_learned(iso_scene_build* build);

/// Say which contact properties no geometry that states them has a use for. When materials and
/// pairs are finished.
void iso_scene_tell_idle_keys(iso_scene_build* build);
/// The last step: fill unstated contact properties, apply overrides and collision filters, compute
/// the start of free bodies.
iso_status iso_scene_finish(iso_scene_build* build);
/// Where all bodies start, x_wb.
/// @param[out] out_poses  [body]
iso_status iso_scene_find_poses(iso_scene_build* build, iso_pose* out_poses);
