// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/dynamics.h"
#include "isobar/mover.h"
#include "isobar/state.h"
#include "isobar/task.h"
#include "task/paths/signal.h"
#include "task/programs/box_qp.h"

/// A condition with its names resolved where that can be done early.
typedef struct iso_program_condition {
    iso_condition desc; ///< names owned
    int index, other;   ///< bodies, joint or constraint in the world; -1: none
} iso_program_condition;

/// A switch of a constraint or coupler with its name resolved.
typedef struct iso_program_toggle {
    int constraint; ///< in the world; -1: none
    int coupler;    ///< in the world; -1: none
    int tendon;     ///< fixed tendon of the world; -1: none
    bool is_on, keeps_offset;
} iso_program_toggle;

/// A step as the program keeps it; all pointers owned.
typedef struct iso_program_stage {
    iso_program_step desc; ///< its pointers are NULL but for name
    char* name;
    double* times;     ///< [keyframe_count]
    double* positions; ///< [keyframe_count * actuator_count] joints
    double* begin;     ///< [actuator_count] where joints are to be at time 0; NULL: not said
    iso_pose* poses;   ///< [keyframe_count] frame
    bool* is_kept;     ///< [actuator_count]
    double* efforts;   ///< [actuator_count]
    int body, base;
    iso_program_condition* conditions; ///< [desc.condition_count]
    iso_program_toggle* toggles;       ///< [desc.switch_count]
} iso_program_stage;

/// One driven joint of a program.
typedef struct iso_program_joint {
    int actuator, joint; ///< in the world
    int q_index, v_index;
    double lower, upper, velocity_limit; ///< those of its followers count, too
    int lower_owner, upper_owner;        ///< the joints in the world that have these limits
    double posture;
    bool has_gains;
    bool is_tied; ///< it is a follower of a joint that the program names before it
} iso_program_joint;

/// A joint that couplers without a curve tie to one of a program: q = ratio q_leader + offset.
typedef struct iso_program_follower {
    int leader; ///< among the joints of the program
    int own;    ///< itself among them; -1: the program does not name it
    int joint;  ///< in the world
    int q_index, v_index;
    double ratio, offset;
} iso_program_follower;

typedef struct iso_program {
    iso_program_desc desc; ///< its pointers are NULL
    char* name;
    char* source; ///< may be NULL
    bool has_posture;
    int joint_count;
    iso_program_joint* joints;
    int follower_count;
    iso_program_follower* followers;
    int stage_count;
    iso_program_stage* stages;
    int condition_max; ///< most conditions of a stage
    int state_index;   ///< of its numbers in the task's attachment
} iso_program;

/// Numbers of a program in the state: these, then per joint the references q and v, q at the start
/// of the step, effort (of a joint that follows its reference: the acceleration of that), whether
/// it presses with its effort; then three poses; then what the conditions measured.
enum {
    ISO_PROGRAM_STEP,     ///< index of the step
    ISO_PROGRAM_START,    ///< time when it began
    ISO_PROGRAM_SINCE,    ///< time since which its conditions hold; -1: they do not
    ISO_PROGRAM_FINISHED, ///< steps finished
    ISO_PROGRAM_POSITION_ERROR,
    ISO_PROGRAM_ORIENTATION_ERROR,
    ISO_PROGRAM_HEAD
};
typedef struct iso_program_numbers {
    double* head;
    double *q, *v, *q_start, *effort, *is_effort; ///< [joint_count]
    double *x_rt, *x_br, *x_wb; ///< poses at the start of the step: T in R, R in its
                                ///< body B, B in the world
    double* measured;           ///< [condition_max]
} iso_program_numbers;

/// Numbers of the task itself in front of those of its programs.
enum {
    ISO_TASK_IDENTITY, ///< of the programs' layout
    ISO_TASK_MEASURED, ///< step count of the world when the conditions were measured
    ISO_TASK_APPLIED,  ///< step count of the world when references were last moved
    ISO_TASK_HEAD
};

typedef struct iso_task_command {
    int actuator; ///< index in the world
    iso_command_kind kind;
    iso_signal_desc signal; ///< its table is owned
} iso_task_command;

/// Wrenches on a body.
typedef struct iso_task_force {
    int body; ///< index in the world
    iso_pose x_bf;
    bool is_in_body;
    iso_signal_desc components[6]; ///< torque, force; their tables are owned
} iso_task_force;

/// What programs compute with: a clone of the world that takes the reference positions.
typedef struct iso_task_scratch {
    iso_world* ghost;             ///< NULL: no program needs one
    double *q, *v;                ///< [q_count], [v_count]
    double* jacobian;             ///< [6 * v_count]
    double *vdot, *tau, *passive; ///< [v_count]
    iso_box_qp* qp;
    iso_actuation* actuations; ///< [actuator_count] for the controller
    bool is_controlling;       ///< the controller is at work
    const char* offence;       ///< what it tried to do to its own task meanwhile; NULL: nothing
} iso_task_scratch;

struct iso_task {
    iso_context* ctx;
    int command_count;
    iso_task_command* commands; ///< sorted by actuator, so that each actuator is set once
    int program_count;
    iso_program* programs;
    int force_count;
    iso_task_force* forces;
    int force_index;  ///< in the attachment: step count of the world when forces were last applied
    int number_count; ///< of the attachment
    iso_task_scratch* scratch;
    iso_sensors* sensors;
    iso_movers* movers; ///< owned; NULL: none
    iso_controller_fn controller;
    void* controller_user;
};

/// One program in one world at its present time.
typedef struct iso_program_run {
    const iso_task* task;
    const iso_program* program;
    iso_world* world;
    iso_program_numbers n;
    double time, time_step;
} iso_program_run;

/// The task's numbers in a state; in one that does not know them all programs begin now.
iso_status iso_task_find_numbers(const iso_task* task, iso_world* world, double** out_numbers);
/// Add the forces to the wrenches of the coming step, unless they are there already.
iso_status iso_task_apply_forces(const iso_task* task, iso_world* world);
void iso_task_free_forces(iso_task* task);

iso_program_numbers iso_program_locate(const iso_program* program, double* numbers);
int iso_program_number_count(const iso_program* program);
void iso_program_free(iso_context* ctx, iso_program* program);
/// Name of a stage for messages; "" past the end.
const char* iso_program_stage_name(const iso_program* program, int stage);

/// The joints of a program, and what couplers tie to them. @param program  joints is allocated
iso_status iso_program_fill_joints(iso_context* ctx, const iso_world* world,
                                   const iso_program_desc* desc, iso_program* program);
/// Find the joints that couplers tie to those of a program, and bound these by the limits of those.
/// @param has_velocity_limits  the program has its own: those of joints it does not name are no
///                             matter
iso_status iso_program_couple(iso_context* ctx, const iso_world* world, bool has_velocity_limits,
                              iso_program* program);
/// Positions of a joint motion go together where joints are coupled; what is off by rounding is put
/// right.
iso_status iso_program_couple_positions(iso_context* ctx, const iso_world* world,
                                        const iso_program* program, iso_program_stage* stage);
/// Of which other joint the limit is that q is beyond, for messages: "" or words with its name.
const char* iso_program_limit_owner(const iso_world* world, const iso_program_joint* joint,
                                    double q, char* text, size_t size);
/// Rates of the program's joints [joint_count], and of what follows them, into dofs [v_count].
void iso_program_spread(const iso_program* program, const double* rates, double* dofs);
/// What of generalised forces, or of a row of a Jacobian, [v_count] reaches a joint: its own and
/// that of its followers. @param has_named  also of followers that the program names
double iso_program_gather(const iso_program* program, int joint, const double* dofs,
                          bool has_named);
/// Bring positions [joint_count] of joints that are tied to others to where those bring them.
void iso_program_lead(const iso_program* program, double* q);

/// Programs, steps and sensors that conditions name are there.
iso_status iso_program_check_conditions(const iso_task* task, const iso_program* program);
/// Read what the conditions of the present stage look at.
iso_status iso_program_measure(const iso_program_run* run);
/// What messages call a program with so many actuators: "criterion" without.
const char* iso_program_word(int actuator_count);
/// Does a condition of this kind look at a size, a number >= 0?
bool iso_program_is_size(iso_condition_kind kind);
/// A condition of a stage, or all of them, hold with what was measured.
bool iso_program_condition_holds(const iso_program_run* run, const iso_program_stage* stage,
                                 int index);
bool iso_program_conditions_hold(const iso_program_run* run, const iso_program_stage* stage);

/// Begin with the first stage.
iso_status iso_program_begin(const iso_program_run* run);
/// Go on to the stage that is due, move the references to the end of the coming time step.
iso_status iso_program_advance(const iso_program_run* run);
/// Tell the actuators.
iso_status iso_program_output(const iso_program_run* run);

/// Begin to move a frame: note where it is.
iso_status iso_program_begin_frame(const iso_program_run* run, const iso_program_stage* stage);
/// Move the references of all joints so that the frame comes as close as can be to where it should
/// be at the end of the coming time step.
iso_status iso_program_track(const iso_program_run* run, const iso_program_stage* stage);
/// Put the reference positions of a program, and what follows them, into the ghost, all else as in
/// the world.
/// @param has_velocity  also the reference velocities; otherwise zeros
iso_status iso_program_place_ghost(const iso_program_run* run, const double* q, bool has_velocity);
