// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/sensor.h"
#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a scenario does to a world: signals that drive actuators and push bodies, programs of
// motions and waits, and controllers of one's own. Theory: docs/theory/task.md; scene files:
// docs/scene_format.md.

/// A scalar signal of time.
typedef enum iso_signal_kind {
    ISO_SIGNAL_CONSTANT,    ///< offset
    ISO_SIGNAL_SQUARE_WAVE, ///< offset + amplitude during the first `duty` of each period
    ISO_SIGNAL_TABLE,       ///< piecewise linear through (times, values), constant outside
    ISO_SIGNAL_CUBIC,       ///< as a table, with a continuous rate: cubic between the points, at
                            ///< rest at both ends, never beyond the points it lies between
} iso_signal_kind;

/// Start from iso_signal_desc_default().
typedef struct iso_signal_desc {
    iso_signal_kind kind;
    double offset;
    double amplitude;
    double period; ///< [s], > 0
    double duty;   ///< in [0, 1]
    double phase;  ///< time added before the wave is read [s]
    int table_count;
    const double* table_times; ///< [table_count] strictly increasing [s]; copied
    const double* table_values;
} iso_signal_desc;
/// A constant 0.
ISO_API iso_signal_desc iso_signal_desc_default(void);

/// Check the parameters of a signal.
/// @return ISO_ERR_RANGE (message names parameter, value and range), ISO_ERR_ARGUMENT (table
/// missing)
ISO_NODISCARD ISO_API iso_status iso_signal_check(iso_context* ctx, const iso_signal_desc* signal);

/// Value of a signal at a time.
ISO_API double iso_signal_eval(const iso_signal_desc* signal, double time);
/// Rate of a signal at a time [1/s]: that after the time where it jumps, 0 for steps of a wave.
ISO_API double iso_signal_rate(const iso_signal_desc* signal, double time);

/// What a signal drives.
typedef enum iso_command_kind {
    ISO_COMMAND_EFFORT,   ///< feed forward [N m] or [N]
    ISO_COMMAND_POSITION, ///< q* of the actuator's PD law
    ISO_COMMAND_VELOCITY, ///< v* of the actuator's PD law
} iso_command_kind;

/// A signal that drives an actuator.
typedef struct iso_command_desc {
    const char* actuator; ///< name; copied
    iso_command_kind kind;
    iso_signal_desc signal;
} iso_command_desc;

/// A force and a torque on a body, as signals of time. Start from iso_force_desc_default().
typedef struct iso_force_desc {
    const char* body; ///< scoped name, or bare when only one matches; copied
    iso_pose x_bf;    ///< frame F in the body: the force acts at its origin
    bool is_in_body;  ///< along the axes of F, which turn with the body; false: along those of W
    iso_signal_desc force[3];  ///< x, y, z [N]
    iso_signal_desc torque[3]; ///< x, y, z [N m]
    const char* source;        ///< "file:line" for messages; may be NULL
} iso_force_desc;
/// No body, F the body's frame, axes of W, signals that are 0.
ISO_API iso_force_desc iso_force_desc_default(void);

// --- programs ------------------------------------------------------------------------------------
//
// A program drives a group of actuators through a list of steps: each moves, or holds, and ends
// after a time or when conditions hold; then comes the next. Programs of different groups run side
// by side. A program keeps a reference position and velocity of each joint; motions move the
// reference, and the actuators' PD laws, implicit in the step, follow it. What programs remember
// travels with the state of the world (iso_world_attach(), "task"), so that a saved world goes on
// in the same step.
//
// Joints that couplers tie to those of a program follow them without being named: in the kinematics
// of moved frames, in what feed forward carries, and with their limits.

/// What a step does with the joints of its group.
typedef enum iso_motion_kind {
    ISO_MOTION_HOLD,   ///< keep references and efforts as the step before left them
    ISO_MOTION_JOINTS, ///< move joints through keyframes
    ISO_MOTION_FRAME,  ///< move a frame T through keyframes, by differential inverse kinematics
    ISO_MOTION_EFFORT, ///< press: constant efforts, damped by kd (and kp times the time step)
} iso_motion_kind;

/// How a motion passes between keyframes.
typedef enum iso_profile {
    ISO_PROFILE_CUBIC,  ///< velocities are continuous, at rest at both ends
    ISO_PROFILE_LINEAR, ///< constant velocity from keyframe to keyframe
} iso_profile;

/// Where a motion is at a time.
typedef struct iso_keyframe {
    double time; ///< since the step began [s], > 0, rising. Joints: the first of several
                 ///< may be 0; it then says where they are, within 0.01 [rad] or [m]
    const double* positions; ///< joints: [actuator_count] [rad] or [m]
    iso_pose x_rt;           ///< frame: T in R
} iso_keyframe;

/// What a condition looks at, after every step. Forces are those of the last step.
typedef enum iso_condition_kind {
    ISO_CONDITION_TIME,             ///< simulated time [s]
    ISO_CONDITION_CONTACT_FORCE,    ///< size of the sum of the contact forces between bodies A
                                    ///< (`name`) and B (`other`; NULL: anything) [N]
    ISO_CONDITION_JOINT_POSITION,   ///< of a joint with one degree of freedom [rad] or [m]
    ISO_CONDITION_JOINT_SPEED,      ///< |velocity| of a joint; NULL: the fastest of the group
    ISO_CONDITION_JOINT_EFFORT,     ///< of its actuators [N m] or [N], with sign
    ISO_CONDITION_CONSTRAINT_FORCE, ///< size of the force of a loop constraint [N]
    ISO_CONDITION_PROGRAM,    ///< steps that program `name` has finished; `other` NULL: compared
                              ///< with `value`; a step of it: true when that one is finished
    ISO_CONDITION_SENSOR,     ///< value `component` of sensor `name`: iso_task_set_sensors()
    ISO_CONDITION_BODY_X,     ///< of the origin of body `name`, in W [m]
    ISO_CONDITION_BODY_Y,     ///<
    ISO_CONDITION_BODY_Z,     ///<
    ISO_CONDITION_BODY_SPEED, ///< of that origin, a size [m/s]
} iso_condition_kind;

/// The key of a scenario that makes such a condition, static: "contact"; "" for kinds that are
/// none.
ISO_API const char* iso_condition_key(iso_condition_kind kind);
/// Unit of what it looks at, static: "N", "rad or m"; "" for plain numbers and kinds that are none.
ISO_API const char* iso_condition_unit(iso_condition_kind kind);

/// A comparison. Start from iso_condition_default(). Names are copied.
typedef struct iso_condition {
    iso_condition_kind kind;
    const char* name;
    const char* other;
    int component; ///< of a sensor; 0
    bool is_below; ///< true when the value is < `value`; otherwise when it is >= `value`
    double value;  ///< of sizes (contact, constraint, speeds): above 0 means > 0; not < 0, below
                   ///< not 0
} iso_condition;
/// Time >= 0: always true.
ISO_API iso_condition iso_condition_default(void);

/// A constraint, coupler or fixed tendon with limits that a step attaches or detaches when it
/// begins: iso_world_switch_constraint(), iso_world_switch_coupler(),
/// iso_world_switch_fixed_tendon().
typedef struct iso_program_switch {
    const char* constraint; ///< name of a constraint; else of a coupler; else of a fixed tendon
    bool is_on;
    bool keeps_offset; ///< as the bodies are then; false: as the model has it
} iso_program_switch;

/// A step of a program. Start from iso_program_step_default(). Everything is copied.
///
/// Without conditions a step ends with its last keyframe (hold, effort: after `duration`). With
/// conditions it ends when all of them hold, wherever the motion is then; a motion that arrives
/// earlier waits there.
typedef struct iso_program_step {
    const char* name; ///< for messages and conditions; NULL: its number, counted from 1
    iso_motion_kind motion;
    iso_profile profile;
    int keyframe_count; ///< joints, frame: at least 1
    const iso_keyframe* keyframes;
    const bool* is_kept;   ///< joints, effort: [actuator_count] these stay where they are, or press
                           ///< on as they do; NULL: none
    const double* efforts; ///< effort: [actuator_count] [N m] or [N]
    const char* body;      ///< frame: the body that carries T
    iso_pose x_bt;         ///< frame: T in that body
    const char* base;      ///< frame: the body that carries R; NULL: the world
    iso_pose x_br;         ///< frame: R in that body
    bool is_following; ///< frame: R moves on with its body; otherwise it stays where it is when the
                       ///< step begins
    bool is_relative; ///< joints: positions count from those at the step's beginning; frame: R is T
                      ///< at the step's beginning, `base` only says with what it moves on
    double position_weight;    ///< frame: 0: the position is free; 1
    double orientation_weight; ///< frame: 0: the orientation is free; 1 [m/rad]
    double duration;           ///< hold, effort: least time [s], >= 0
    int condition_count;
    const iso_condition* conditions;
    double hold_time; ///< the conditions must hold so long without a break [s], >= 0
    double timeout;   ///< with conditions: how long they may take [s], > 0; 60
    bool is_patient;  ///< after the timeout the next step begins; otherwise it is an error
    int switch_count;
    const iso_program_switch* switches; ///< in this order
} iso_program_step;
/// A cubic hold of 0 s, poses the identity, weights 1.
ISO_API iso_program_step iso_program_step_default(void);

/// What is added to the PD laws of joints that follow a reference.
typedef enum iso_feed_forward {
    ISO_FEED_FORWARD_NONE,     ///< nothing: the arm sags by its weight over kp
    ISO_FEED_FORWARD_GRAVITY,  ///< what holds the arm's own weight at the reference
    ISO_FEED_FORWARD_DYNAMICS, ///< inverse dynamics of the reference motion, passive forces
                               ///< included
} iso_feed_forward;

/// A program. Start from iso_program_desc_default(). Everything is copied. One without actuators is
/// a criterion: its steps only wait, and it goes on when a step is observed, not before the next.
typedef struct iso_program_desc {
    const char* name;
    int actuator_count;            ///< 0 to 64
    const char* const* actuators;  ///< names, each once; no other program or command drives them
    const double* velocity_limits; ///< [actuator_count] > 0; NULL: those of the joints
    const double* posture; ///< [actuator_count] positions to which a moved frame lets the joints
                           ///< lean; NULL: those at the beginning of the step
    double posture_rate;   ///< how fast [1/s], >= 0; 1
    iso_feed_forward feed_forward; ///< none
    double position_tolerance;     ///< how far a frame may stay behind its path [m], > 0; 0.01
    double orientation_tolerance;  ///< [rad], > 0; 0.05
    bool is_repeated;              ///< begin again after the last step
    bool ends_run;                 ///< when it is done so is the run: iso_task_is_over()
    int step_count;
    const iso_program_step* steps;
    const char* source; ///< "file:line" for messages; may be NULL
} iso_program_desc;
/// The values named beside the members, no names, no steps.
ISO_API iso_program_desc iso_program_desc_default(void);

/// How far a program has come in a world.
typedef struct iso_program_state {
    const char* name;         ///< owned by the task
    int step;                 ///< index of the step it is in; the number of steps when it is done
    const char* step_name;    ///< "" when it is done; owned by the task
    double step_time;         ///< when that began [s]
    bool is_done;             ///<
    bool is_criterion;        ///< it has no actuators
    double position_error;    ///< of the moved frame's reference behind its path [m]
    double orientation_error; ///< [rad]
} iso_program_state;

// --- tasks ---------------------------------------------------------------------------------------

/// Commands, programs and a controller that act on a world before every step. It holds no state of
/// its own but scratch: one task serves a world and its clones, one after the other.
typedef struct iso_task iso_task;

/// @return ISO_ERR_NOT_FOUND (actuator), ISO_ERR_RANGE (signal parameters)
ISO_NODISCARD ISO_API iso_status iso_task_create(const iso_world* world,
                                                 const iso_command_desc* commands,
                                                 int command_count, iso_task** out_task);
/// Release a task. NULL is allowed. A task whose controller is at work is not released.
ISO_API void iso_task_destroy(iso_task* task);

/// Add a program. It begins with the first iso_task_apply() in a state that does not know it.
/// @param world  that of iso_task_create(), or a clone of it
/// @return ISO_ERR_NOT_FOUND (names), ISO_ERR_RANGE (positions beyond the limits of joints, times
///         that do not rise, ...), ISO_ERR_ARGUMENT (an actuator without gains is to move, or is
///         driven twice), ISO_ERR_MEMORY; the message names program, step and joint
ISO_NODISCARD ISO_API iso_status iso_task_add_program(iso_task* task, const iso_world* world,
                                                      const iso_program_desc* desc);
/// Push a body from now on: each iso_task_apply() adds to what iso_world_apply_wrench() was told
/// for the coming step, once a step. Within a step it is constant: of tables the mean of both ends.
/// @param world  that of iso_task_create(), or a clone of it
/// @return ISO_ERR_NOT_FOUND (body), ISO_ERR_RANGE (signals, x_bf), ISO_ERR_ARGUMENT (a body that
///         nothing can move), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_task_add_force(iso_task* task, const iso_world* world,
                                                    const iso_force_desc* desc);
/// Whether a program that ends the run is done in a world. It is for whoever steps to stop then.
ISO_API bool iso_task_is_over(const iso_task* task, const iso_world* world);
/// Number of programs.
ISO_API int iso_task_program_count(const iso_task* task);
/// How far a program has come in a world; zeroed for an index out of range.
ISO_API iso_program_state iso_task_program(const iso_task* task, const iso_world* world,
                                           int program);

/// A controller of one's own. Called before every step, after commands and programs.
///
/// The world is held meanwhile (iso_world_hold()): it may be asked anything, its state may not be
/// changed. A controller that steps, restores, sets or destroys it, or steps or destroys its own
/// task, makes iso_task_apply() fail; both stay with their owner.
/// @param         time        of the world [s]
/// @param[in,out] actuations  [actuator_count] what commands and programs ask for, or was held;
///                            what is written is applied
/// @return anything but ISO_OK ends iso_task_apply() with it
typedef iso_status (*iso_controller_fn)(void* user, iso_world* world, double time,
                                        iso_actuation* actuations);
/// Set the controller; NULL: none.
ISO_API void iso_task_set_controller(iso_task* task, iso_controller_fn controller, void* user);

/// Set the sensors that conditions look at; borrowed, must outlive the task. NULL: none. Those that
/// remember (iso_sensors_have_memory()) are read in every step.
ISO_API void iso_task_set_sensors(iso_task* task, iso_sensors* sensors);

/// Set the actuation of the world, and the wrenches on its bodies, for its present time. Twice at
/// the same step does no harm.
/// @return ISO_ERR_NO_CONVERGENCE (a moved frame stays behind its path, a step timed out),
///         ISO_ERR_RANGE (a motion faster than a joint's velocity limit; a controller's command is
///         not finite), ISO_ERR_ARGUMENT (a controller changed the world), what a controller
///         returned; the message names program and step, or actuator and step
ISO_NODISCARD ISO_API iso_status iso_task_apply(const iso_task* task, iso_world* world);
/// Read what conditions look at, after a step, and keep it with the state: a state that is saved
/// now goes on with the same bits. Without it a restored world sees no contact until its next step.
/// Twice after the same step does no harm.
/// @return as iso_task_apply() of what a program cannot find in the world; ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_task_observe(const iso_task* task, iso_world* world);
/// iso_task_apply(), iso_world_step(), iso_task_observe().
/// @return what these return
ISO_NODISCARD ISO_API iso_status iso_task_step(const iso_task* task, iso_world* world);

#ifdef __cplusplus
}
#endif
