// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "base/core/array.h"
#include "base/values/name_table.h"
#include "isobar/state.h"
#include "isobar/world.h"
#include "stepper/stages/stepper.h"
#include "world/model/model.h"
#include "world/state/contact_warnings.h"
#include "world/state/tunnelling.h"

#include <stdatomic.h>

/// A joint of one degree of freedom as the public API numbers it.
typedef struct iso_world_joint {
    char* name;
    int body;              ///< its inboard joint
    double velocity_limit; ///< INFINITY: none
} iso_world_joint;

/// An actuator as the public API numbers it.
typedef struct iso_world_actuator {
    char* name;
    int joint; ///< index of the world's joints; -1: its drive names a fixed tendon
} iso_world_actuator;

/// A surface to draw, with the mesh it owns (NULL: that of the contact shape).
typedef struct iso_world_surface {
    int body;
    char* name;
    bool is_collision;
    iso_pose x_bg;
    float rgba[4];
    iso_tri_mesh own_mesh;
    const iso_contact_shape* shape;
    const iso_shape_desc* source; ///< of a visual, while others are read; NULL after that
} iso_world_surface;

/// What a constraint is at present: whether it acts, and where Q is in B, or how long it is.
typedef struct iso_constraint_switch {
    bool is_on;
    double length;
    iso_pose x_bq;
} iso_constraint_switch;

/// Numbers that others keep with the state.
#define ISO_ATTACHMENT_NAME_SIZE 16
typedef struct iso_attachment {
    char name[ISO_ATTACHMENT_NAME_SIZE];
    int count;
    double* values; ///< owned
} iso_attachment;
typedef ISO_ARRAY(iso_attachment) iso_attachment_array;

/// Motion that a caller prescribes to a fixed body. Doubles only, as saved.
typedef struct iso_body_motion {
    double is_set;    ///< 1 or 0
    iso_pose x_wb;    ///< at the present time
    iso_spatial v_wb; ///< (angular; of the body origin)
} iso_body_motion;

/// What moved bodies in the last step, or moves them in the state of
/// iso_world_update_contacts().
typedef struct iso_world_record {
    bool is_known;
    double *q, *v, *vdot;     ///< [q_count], [v_count], [v_count]
    iso_spatial* f_b_w;       ///< [body_count] as iso_step_loads
    iso_body_motion* motions; ///< [body_count]
} iso_world_record;

typedef struct iso_watch iso_watch; // events/watch.h

/// What of a world is found by name.
typedef enum iso_world_part {
    ISO_WORLD_PART_BODY,
    ISO_WORLD_PART_INBOARD_JOINT, ///< as the bodies
    ISO_WORLD_PART_JOINT,
    ISO_WORLD_PART_ACTUATOR,
    ISO_WORLD_PART_CONSTRAINT,
    ISO_WORLD_PART_COUPLER,
    ISO_WORLD_PART_COUNT
} iso_world_part;

struct iso_world {
    iso_context* ctx;
    iso_world_desc desc;

    // constant after creation, shared with clones
    atomic_int* owners; ///< worlds that share it
    iso_stepper_told* told;
    uint64_t model_hash; ///<
    iso_multibody multibody;
    char** body_names; ///< [name_count] scoped, owned; one per body
    int name_count;
    int joint_count;
    iso_world_joint* joints;
    int actuator_count;
    iso_world_actuator* actuators;
    iso_actuator* drives; ///< [actuator_count] what the stepper sees
    iso_name_index names[ISO_WORLD_PART_COUNT];
    char** joint_names; ///< [body_count] of inboard joints, owned; NULL: none
    int constraint_count, coupler_count;
    char **constraint_names, **coupler_names; ///< sorted, owned
    iso_constraint* constraints;              ///< [constraint_count] as the model has them
    bool* starts_off;                         ///< [constraint_count]
    iso_coupler* couplers;                    ///< [coupler_count]
    int* coupler_joints;                      ///< [2 * coupler_count] A and B of each
    int tendon_count;
    iso_fixed_tendon* tendons; ///< [tendon_count] sorted by name; their arrays are owned
    char** tendon_names;       ///< [tendon_count] owned
    iso_mb_rotor* rotors;      ///< [multibody.rotor_count] owned
    int shape_count;
    iso_contact_shape** shapes; ///< distinct shapes, shared by geometries
    int geometry_count;
    iso_contact_geometry* geometries; ///< sorted by (body name, geometry name); names owned
    iso_contact_rule* rules;          ///< what their rules point to
    int surface_count;
    iso_world_surface* surfaces; ///< sorted by body
    int* surface_index;          ///< [body_count + 1] first surface of each body
    iso_safe_travels travels;
    iso_contact_system* contacts; ///<
    bool is_varied;               ///< see iso_world_vary()
    iso_multibody own_multibody; ///< that of the model, while a mass is varied; else without bodies
    iso_stepper* stepper;

    // state
    double time;
    int64_t step_count;
    double time_origin;           ///< time = time_origin + (step_count - step_origin) * time step
    int64_t step_origin;          ///< 0 unless a state of another time step was taken over
    double *q, *v;                ///<
    double *next_q, *next_v;      ///< written by a step, swapped in by commit
    iso_pair_memory_array memory; ///< of pairs that touched in the last step, ordered
    double booked_stretch;        ///< as iso_energy's
    bool is_compared;             ///< iso_world_solve_closely(): who sets positions moves nothing
    double* moved;                ///< [body_count] 1: put where it is since the last step; else 0
    iso_body_motion* motions;     ///< [body_count] of fixed bodies
    bool has_motion;              ///< any of them is set
    iso_actuation* actuations;
    iso_actuation *lead_starts, *lead_ends; ///< [actuator_count] within the next step, when it has
    bool has_leads;                         ///< any, and they are followed
    iso_spatial* f_b_w;                     ///< [body_count] applied wrenches for the next step
    double* efforts;                        ///< [actuator_count] of the last step
    double* next_efforts;
    iso_spatial *constraint_forces, *next_constraint_forces; ///< [constraint_count]
    double *tie_efforts, *next_tie_efforts;                  ///< of couplers, of limits of tendons
    iso_constraint_switch* switches;                         ///< [constraint_count]
    iso_works works;                                         ///< since creation
    iso_attachment_array attachments;
    int lock_count;      ///< > 0: the state must not change now
    const char* offence; ///< what somebody tried to do while it was held; NULL: nothing

    // derived from the state
    int active_count;                  ///< constraints that are on
    iso_constraint* active;            ///< [active_count] as they are now
    int* active_index;                 ///< [active_count] of each in constraints
    iso_coupler* present_couplers;     ///< [coupler_count] on or off as they are now
    iso_fixed_tendon* present_tendons; ///< [tendon_count] with limits on or off as they are now
    iso_arena arena;                   ///< holds kinematics
    iso_arena scratch;                 ///< of one query (dynamics.h)
    iso_kinematics kinematics;
    iso_contact_result contact_result;
    iso_contact_warnings warnings;
    iso_step_report report;
    iso_world_record record;
    iso_watch* watch; ///< NULL: not watched
};

/// Turn a model into the constant part of a world (order of bodies, multibody, geometries, filters,
/// actuators) and its initial state. The world is zeroed but for ctx and desc; on failure
/// iso_world_destroy() releases what was built.
iso_status iso_world_compile(iso_world* world, const iso_model* model);

/// The visuals, when asked for, as the first surfaces; needs names of bodies. Comes before large
/// shapes are built: a process that reads a file begins as a copy of this one.
/// @param world_body  world index of each model body
iso_status iso_world_read_visuals(iso_world* world, const iso_model* model, const int* world_body);

/// The surfaces of iso_world_body_surface(): contact shapes, and the visuals that were read.
iso_status iso_world_collect_surfaces(iso_world* world);

/// Couplers and constraints, names included; needs joints. What is built is freed with the world.
iso_status iso_world_compile_closure(iso_world* world, const iso_model* model,
                                     const int* world_body);
void iso_world_free_closure(iso_world* world);
/// What is switched on, as it is now.
iso_closure iso_world_closure(const iso_world* world);
/// Fixed tendons; those that were compiled are released with the world.
void iso_world_free_tendons(iso_world* world);
/// Move the initial positions so that loops and couplers close; says so in the log.
/// @return ISO_ERR_NO_CONVERGENCE, naming the worst
iso_status iso_world_close_loops(iso_world* world, const iso_model* model);
/// The joint of one degree of freedom whose child a body is, -1: none.
int iso_world_joint_of(const iso_world* world, int body);

/// Positions given by a caller: finite, quaternions not zero.
iso_status iso_world_check_q(const iso_world* world, const double* q);
/// The result of a step is within what a state may be, and finite.
/// @return ISO_ERR_NUMERIC, naming body, joint or part and the value
iso_status iso_world_check_output(const iso_world* world, const iso_step_output* output);
/// Jacobian (6 x v_count) of a body at a point of W; needs the world's scratch.
iso_status iso_world_full_jacobian(iso_world* world, const iso_kinematics* kinematics, int body,
                                   iso_vec3 p_w, double* out_jacobian);

/// The kind of joint that a mobility is.
iso_joint_kind iso_joint_kind_of(iso_mobility mobility);

/// Forget what pairs with a body of the same tree remember: the caller moved it.
void iso_world_forget_tree(iso_world* world, int body);
/// A body was put where it is, with all that it carries.
void iso_world_mark_moved(iso_world* world, int body);

/// FNV-1a of the constant part.
uint64_t iso_world_hash_model(const iso_world* world);

/// One piece of the state that consists of doubles.
typedef struct iso_state_block {
    double* data;
    int count;
} iso_state_block;
#define ISO_STATE_BLOCKS 10
/// All of them but the contacts' memory and the scalars; constant order. The motions of bodies come
/// last.
void iso_world_state_blocks(const iso_world* world, iso_state_block blocks[ISO_STATE_BLOCKS]);

/// Poses and twists of bodies that a caller moves, and of what is welded to them, into the
/// kinematics; and their poses one time step later.
/// @param elapsed  how long the motions have gone on [s]
void iso_motions_place(const iso_multibody* multibody, const iso_body_motion* motions,
                       double elapsed, iso_kinematics* kinematics);
/// What the stepper is given of a world.
iso_step_input iso_world_step_input(const iso_world* world);
/// The same for iso_step_input; user: an iso_world.
void iso_world_place_moved(const void* user, double elapsed, iso_kinematics* kinematics);
void iso_world_place_motions(iso_world* world);
void iso_world_advance_motions(iso_world* world);
/// Look whether any is set.
void iso_world_find_motions(iso_world* world);

/// Fail, and remember it for iso_world_release(), when the world is held.
/// @param offence  what was tried: "stepped"
iso_status iso_world_check_free(iso_world* world, const char* offence);

/// Memory of the record; where a step writes its loads; remember the state they belong to.
iso_status iso_world_record_create(iso_world* world);
void iso_world_record_free(iso_world* world);
iso_step_loads iso_world_record_target(iso_world* world);
void iso_world_record_state(iso_world* world, const double* q, const double* v);

/// iso_world_update_contacts(), also of a world that is held: nobody looks at contacts where there
/// are none yet.
iso_status iso_world_find_contacts(iso_world* world);

/// Recompute what is derived from q and v.
void iso_world_refresh(iso_world* world);
/// Every parameter is that of the model again.
void iso_world_unvary(iso_world* world);
