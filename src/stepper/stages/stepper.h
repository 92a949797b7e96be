// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/contact_system.h"
#include "contact/pairs/memory.h"
#include "isobar/world.h"
#include "multibody/multibody.h"
#include "stepper/constraints/constraint.h"
#include "stepper/constraints/fixed_tendon.h"

#include <stdatomic.h>

/// Constant description of what moves: multibody, contact, actuators. Borrowed pointers.
typedef struct iso_actuator {
    int body;          ///< its inboard joint is driven; -1: a fixed tendon is
    int tendon;        ///< used when body is -1; -1: it pulls at what a body touches
    int adhesion_body; ///< that body, used when both are -1
    double effort_lower, effort_upper, kp, kd;
    double sum_lower, sum_upper; ///< of what all actuators of the joint do together; used when
    bool is_summed;              ///< it is bounded: there are several, and a limit
    int next;                    ///< the next actuator of that joint, of higher index; -1: none
    bool is_next;                ///< another one leads to it
} iso_actuator;

/// What a stepper has said already; clones of a world say it together once.
typedef struct iso_stepper_told {
    atomic_bool is_fallback; ///< that a part of a step of TAMSI was taken by another method
    atomic_bool is_friction; ///< that friction is too stiff for fixed steps
    atomic_bool is_gaining;  ///< that fixed steps give energy to what touches
    atomic_bool is_soft;     ///< that a press bears less than its bodies would
    atomic_bool is_coupled;  ///< that normal force comes of slip
    atomic_bool is_far;      ///< that a body has left the scene
} iso_stepper_told;
/// Nothing was told so far.
void iso_stepper_told_init(iso_stepper_told* told);

typedef struct iso_dynamics {
    const iso_multibody* multibody;
    iso_contact_system* contact;
    const iso_actuator* actuators;
    int actuator_count;
    const iso_fixed_tendon* tendons; ///< fixed tendons, each over one tree
    int tendon_count;
    const char* const* body_names; ///< for messages
    iso_closure closure;           ///< loops and couplers; copied
    iso_stepper_told* told;        ///< NULL: the stepper's own
} iso_dynamics;

/// Advances a state by one time step with the method of the settings.
typedef struct iso_stepper iso_stepper;
iso_status iso_stepper_create(iso_context* ctx, const iso_dynamics* dynamics,
                              const iso_world_desc* settings, iso_stepper** out_stepper);
/// Other constraints and couplers from the next step on; copied.
/// @return ISO_ERR_MEMORY; then they are as before
iso_status iso_stepper_set_closure(iso_stepper* stepper, const iso_closure* closure);
void iso_stepper_destroy(iso_context* ctx, iso_stepper* stepper);
/// Convex steps are solved to rounding from the next one on, so that differences of them are those
/// of solutions.
void iso_stepper_solve_closely(iso_stepper* stepper);

/// What error control hands from step to step. Doubles only, as saved.
typedef struct iso_substep_state {
    double next;      ///< substep to try [s]; 0: none yet
    double error;     ///< of the last one, in units of the accuracy
    double pace;      ///< longest one in which nothing goes past anything, as found last [s]
    double pace_left; ///< substeps for which that holds
} iso_substep_state;

/// A part of a step that was accepted.
typedef struct iso_step_part {
    double time, duration;            ///< at its end
    const double *q, *v;              ///< [q_count], [v_count] at its end
    const iso_kinematics* kinematics; ///< at its end
    const iso_contact_set* touching;  ///< before its end
    const iso_contact_set* seen;      ///< worth a warning; NULL: nothing new is
    double seen_time;                 ///< of those
} iso_step_part;

/// Inputs of a step besides the state.
typedef struct iso_step_input {
    double time;
    const double* q;
    const double* v;
    const iso_actuation* actuations; ///< [actuator_count]
    /// [actuator_count] where they lead to in the time step, linearly; NULL: they are held. With
    /// error control and `midpoint`.
    const iso_actuation* actuation_ends;
    double lead_time;                ///< when that step began
    const iso_spatial* f_b_w;        ///< [body_count] applied wrenches (about body origin)
    const iso_pair_memory* memories; ///< [memory_count] of the last step, ordered
    int memory_count;
    const iso_kinematics* kinematics; ///< those at q and v, when known; else NULL
    /// Puts fixed bodies that a caller moves where they are `elapsed` seconds after the start of
    /// the step; NULL: there are none. The kinematics above have them already.
    void (*place_moved)(const void* user, double elapsed, iso_kinematics* kinematics);
    const void* place_user;
    /// Told of every part of the step that an error-controlled method accepts, the step itself not
    /// being sure yet; NULL: nobody asks.
    void (*part_accepted)(void* user, const iso_step_part* part);
    void* part_user;
    bool is_watched; ///< events are looked for in parts: those of long flights are told of, too
    const iso_contact_set* contacts; ///< patches at q, when known; NULL. Not with `midpoint`
    const struct iso_stages* like; ///< of the same motion, with these contacts; NULL: they are made
    const bool* unlike;  ///< then: [tree_count] trees whose contacts are made all the same; or NULL
    const double* guess; ///< [v_count] near the velocity of the end; NULL: v
    double
        recovery;  ///< time in which ties close their errors, at least [s]; less than a step: in it
    bool is_start; ///< the state was given, not made by a step
    const double* moved;        ///< [body_count] not 0: that of this body was; NULL: of none
    iso_substep_state substeps; ///< with error control; zeros at first
} iso_step_input;

/// Contacts with their solved tractions; arrays live in the stepper's arena until its next call.
typedef struct iso_contact_result {
    iso_contact_set set;
    iso_spatial* f_b_w;        ///< [pair_count] (moment about p_wc; force) on B
    iso_vec3** tractions;      ///< [pair_count][face_count]
    iso_vec3** slips;          ///< [pair_count][face_count]
    iso_vec3** stretches;      ///< the same of friction with springs; NULL: it has none
    double** sliding;          ///< the same
    iso_pair_memory* memories; ///< [memory_count] for the next step
    int memory_count;          ///< of pairs that remember
} iso_contact_result;

/// What moves bodies in the state at the start of a step; arrays may be NULL. Velocity-level
/// methods: means over the step. Continuous methods: at its start.
typedef struct iso_step_loads {
    double* vdot;       ///< [v_count] dv/dt
    iso_spatial* f_b_w; ///< [body_count] (moment about body origin; force) of all that acts besides
                        ///< gravity and inboard joints: applied wrenches, contacts, constraints
} iso_step_loads;

/// What the ledger of energies books in a step; doubles only [J].
typedef struct iso_works {
    double actuation;       ///< work of actuators and applied wrenches
    double applied;         ///< of applied wrenches alone
    double contact;         ///< work of contact on the bodies
    double friction;        ///< what slip in contacts took, heat and stretch
    double contact_damping; ///< lost to normal damping in contacts
    double damping;         ///< lost in dampers and dry friction in joints
    double constraint;      ///< work of constraints and couplers on the bodies
    double limit;           ///< work of joint limits on the bodies
} iso_works;
#define ISO_WORK_COUNT ((int)(sizeof(iso_works) / sizeof(double)))

static inline void iso_works_add(iso_works* sum, const iso_works* works) {
    sum->actuation += works->actuation;
    sum->applied += works->applied;
    sum->contact += works->contact;
    sum->friction += works->friction;
    sum->contact_damping += works->contact_damping;
    sum->damping += works->damping;
    sum->constraint += works->constraint;
    sum->limit += works->limit;
}

static inline void iso_works_scale(iso_works* works, double factor) {
    works->actuation *= factor;
    works->applied *= factor;
    works->contact *= factor;
    works->friction *= factor;
    works->contact_damping *= factor;
    works->damping *= factor;
    works->constraint *= factor;
    works->limit *= factor;
}

typedef struct iso_step_output {
    double* q;                      ///< [q_count] written only on success
    double* v;                      ///< [v_count]
    double* efforts;                ///< [actuator_count] applied in the step
    iso_works works;                ///<
    double booked_stretch;          ///< energy that stretches gained without motion [J]
    iso_spatial* constraint_forces; ///< [constraint_count] (moment about Q; force) on B
    double* tie_efforts;         ///< of each coupler on joint B, of limits along each fixed tendon
    iso_contact_result contacts; ///< at the start of the step
    iso_step_report report;
    iso_step_loads loads;                ///<
    const struct iso_tree_share* shares; ///< [tree_count] of `midpoint`, in the stepper's arena;
                                         ///< NULL: forces are those of the end
    iso_substep_state substeps;          ///< as the input's, for the next step
} iso_step_output;

/// Stages 1 to 6. Pure in (input); on failure output->q and v are untouched.
iso_status iso_stepper_step(iso_stepper* stepper, const iso_step_input* input,
                            iso_step_output* output);

/// Whether a method solves for velocities.
bool iso_stepper_is_velocity_level(iso_method method);

/// Whether an actuator pulls at what a body touches.
static inline bool iso_actuator_is_adhesion(const iso_actuator* actuator) {
    return actuator->body < 0 && actuator->tendon < 0;
}

/// Whether the library that a method needs was there.
bool iso_stepper_has_method(iso_method method);
/// Whether it controls its error, so that a time step is what it shows, not what it takes; takes
/// forces within the step; lets friction stick with what it remembers; has adhesion.
bool iso_method_is_adaptive(iso_method method);
bool iso_method_takes_the_middle(iso_method method);
bool iso_method_may_stick(iso_method method);
bool iso_method_has_adhesion(iso_method method);

/// Stages 1 to 4 with the continuous law: contacts at rest in the given state.
/// @param loads  arrays to fill with the accelerations and forces of the same law; NULL: not asked
iso_status iso_stepper_contacts(iso_stepper* stepper, const iso_step_input* input,
                                iso_contact_result* out_result, iso_step_report* out_report,
                                const iso_step_loads* loads);
