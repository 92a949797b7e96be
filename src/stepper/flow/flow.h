// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the continuous methods keep during a step. The state is (q, v, memory of contacts, works,
// impulses of constraints and couplers).

#include "integrator/ode.h"
#include "stepper/stages/stages.h"

// Frequency of a joint limit's spring times the time step. docs/theory/step.md.
#define LIMIT_FREQUENCY 0.5

/// Limits and dry friction of a fixed tendon.
typedef struct iso_flow_limit {
    double stiffness, damping; ///< of a limit's spring
    double friction_speed;     ///< within which friction is smooth
} iso_flow_limit;

/// Contacts by their derivatives, see flow_jacobian.h.
typedef struct iso_flow_lines iso_flow_lines;

/// What pairs remember, see flow_memory.h.
typedef struct iso_flow_memory iso_flow_memory;

typedef struct iso_flow {
    iso_stages* stages;
    const iso_flow_lines* lines; // while a Jacobian is made: wrenches of contacts come from it
    iso_flow_memory* memory;     // NULL: pairs remember nothing
    iso_step_input input;        // of the present evaluation
    iso_step_loads loads;        // of the step, until its first evaluation has filled them
    double now_time;             // of that evaluation
    const iso_contact_geometry *bad_a, *bad_b; // where a law of the caller's was no coefficient of
    double bad_speed;                          // friction, and about at which slip; or NULL
    double told_step;     // states that are told of are no further apart [s], where more are known
    double accepted_time; // end of the last part of the step that was accepted
    bool is_odd;          // an evaluation since then found a contact that may be worth a warning
    bool is_controlled;   // a state that is not finite rejects the step instead of failing
    double* limit_stiffness;     // [limited_count] spring of a joint limit
    double* limit_damping;       // [limited_count]
    double* spring;              // [constraint_count] stiffness of a rigid tendon, else 0
    double* spring_damping;      // [constraint_count]
    double* friction_speed;      // [friction_count]
    iso_flow_limit* tendon_laws; // [tendon_count]
    double* tau;                 // [v_count]
    // [v_count] what limits, and what ropes that are springs do, when a method without error
    // control integrates it on its own; else NULL: their powers are
    double *limit_tau, *rope_tau;
    double* efforts;                // [actuator_count]
    iso_spatial* constraint_forces; // [constraint_count] of the last evaluation
    double* tie_efforts;            // of couplers, of limits of fixed tendons
    iso_spatial* f_b_w;             // [body_count]
} iso_flow;

/// Pairs that remember at the start of a step: all that last, all that touch and all of the input
/// that have numbers. Memory stays NULL where no pair ever remembers.
/// @return ISO_ERR_MEMORY
iso_status iso_flow_begin_memory(iso_flow* f);
/// Numbers of pairs in the state, between v and the works.
int iso_flow_memory_count(const iso_flow* f);
/// Whether the Jacobian of implicit methods knows all pairs.
bool iso_flow_memory_has_lines(const iso_flow* f);
/// One unit of error of each number. @param unknown  where there is none
void iso_flow_memory_scales(const iso_flow* f, double unknown, double* out_scales);
/// A part of the step begins at this state; and a state was accepted.
/// @return ISO_ERR_MEMORY
iso_status iso_flow_accept_from(iso_flow* f, double t, const double* y, int dimension);
void iso_flow_accept(iso_flow* f, double t, const double* y, int dimension);
/// Whether a pair was seen that has no numbers, or a field was pressed where it has no springs:
/// iso_flow_add_memory() gives them some.
bool iso_flow_is_memory_short(const iso_flow* f);
/// The last accepted state, with room for what was seen.
/// @param dimension  of that state, afterwards longer by what iso_flow_memory_count() has grown
/// @param[out] out_t, out_y  from where to go on; in the arena
/// @return ISO_ERR_MEMORY, ISO_ERR_RANGE (a field needs too many corners)
iso_status iso_flow_add_memory(iso_flow* f, int dimension, double* out_t, double** out_y);
/// Before the wrenches of an evaluation: what does not touch relaxes.
void iso_flow_relax(iso_flow* f);
/// Wrench of a pair of the stages; the rates of what it remembers are noted.
/// @param v_c  twist of the surfaces
/// @param out_faces  NULL: not asked for
iso_status iso_flow_contact_wrench(iso_flow* f, const iso_stages* now, int index, iso_spatial v_c,
                                   iso_contact_losses* out_losses, const iso_face_values* out_faces,
                                   iso_spatial* out_wrench);
/// The pair of which a Jacobian takes derivatives: without friction that has a memory.
iso_status iso_flow_line_pair(const iso_flow* f, const iso_contact_pair* touching, iso_spatial v_c,
                              const iso_contact_pair** out_pair);
/// Rates of the present evaluation, out of it.
void iso_flow_copy_rates(const iso_flow* f, double* out_rates);
/// What pairs remember at the end, into the result of the step.
/// @return ISO_ERR_MEMORY
iso_status iso_flow_keep_memory(const iso_flow* f, const double* x, iso_contact_result* result);
/// Name the pair that a number belongs to in the message of a failed integration.
iso_status iso_flow_blame_memory(const iso_flow* f, iso_status status, int number);

/// Stages of one evaluation within the step; what they took [s] goes to the step's report at its
/// end, also after a failure.
iso_stages iso_flow_begin(const iso_flow* f);
void iso_flow_end(const iso_flow* f, const iso_stages* now);
/// Bodies at (t, y); those that a caller moves, too.
iso_status iso_flow_place(iso_flow* f, iso_stages* now, double t, const double* y);
/// Longest step from a state with these rates [s]: in a longer one a geometry could pass another
/// between two stages. 0 where nothing is known.
double iso_flow_longest_step(iso_flow* f, double t, const double* y, const double* rates);
/// What asks for the accepted parts of a step is told of one that ends here, with contacts that it
/// may warn of; without memory it is not.
/// @param is_end  false: the method goes on to a later state
void iso_flow_tell(iso_flow* f, double t, const double* y, bool is_end);
/// The same of states within a step that is about to be accepted.
/// @return ISO_ERR_MEMORY
iso_status iso_flow_tell_between(iso_flow* f, const iso_ode_curve* curve);
/// Whether stiffness, of friction or anything else, is what makes the substeps of an explicit
/// method short; said once, with what it is.
/// @param t, y     an accepted state
/// @param substep  the next one would have this length [s]
bool iso_flow_is_stiff(iso_flow* f, const iso_rk_problem* problem, double t, const double* y,
                       double substep);
/// Warn once where friction is too stiff for the fixed steps of a method. Looks now and then.
/// @param contacts  of the stages, which stand at the start of the step
/// @return ISO_ERR_MEMORY, ISO_ERR_NUMERIC (a singular mass matrix)
iso_status iso_flow_watch_friction(const iso_flow* f, const iso_contact_result* contacts);
/// Warn once where a fixed step gave bodies more energy than contacts had stored.
/// @param stages  of the start of the step
/// @param q, v    coordinates and velocities after it
/// @param works   of the step
void iso_flow_watch_gain(const iso_stages* stages, const double* q, const double* v,
                         const iso_works* works);
/// After a failure: say that a friction law of the caller's is what made it, if one is.
/// @return status, or ISO_OK where it was none
iso_status iso_flow_blame_law(const iso_flow* f, iso_status status);
/// Room for what is kept, and the springs of the step from its start (the stages' kinematics).
iso_status iso_flow_prepare(iso_flow* f);
/// Accelerations of one state from its kinematics and contacts.
/// @param[out] out_vdot    [v_count]
/// @param[out] out_powers  [ISO_WORK_COUNT] rates of the works
/// @return ISO_ERR_NUMERIC (numbers overflow, naming the fastest body), ISO_ERR_MEMORY
iso_status iso_flow_accelerate(iso_flow* f, iso_stages* now, double* out_vdot, double* out_powers);
/// What the first evaluation of a step found, when `loads` asks for it; then it asks no more.
void iso_flow_note_loads(iso_flow* f, const iso_kinematics* kinematics, const double* vdot);
/// The mass matrix and its Cholesky factors at the stages' kinematics, where iso_stages_mobility()
/// looks for them.
iso_status iso_flow_factor_mass(iso_stages* stages);
/// Rigid tendons become critically damped springs, from the effective mass along them.
iso_status iso_flow_make_tendons(iso_flow* f);
/// What fixed tendons need of the start of a step, and of the factors there.
iso_status iso_flow_make_fixed_tendons(iso_flow* f);
/// Efforts of actuators (kept in `efforts`) and of fixed tendons onto tau, and their powers.
void iso_flow_add_drives(iso_flow* f, const iso_kinematics* kinematics, const double* q,
                         const double* v, iso_works* powers);
/// Efforts of actuators in one state.
void iso_flow_find_efforts(const iso_flow* f, const iso_kinematics* kinematics, const double* q,
                           const double* v, double* out_efforts);
/// Critically damped spring of a limit, which only pushes back. @param below, above  how far
/// outside
double iso_flow_limit_effort(double stiffness, double damping, double below, double above,
                             double rate);
/// Dry friction, smooth within a speed s > 0: -f v / sqrt(v^2 + s^2).
double iso_flow_friction_effort(double friction, double speed, double rate);
/// Forces of springs and tendons between bodies onto f_b_w; returns their power on what moves
/// freely.
double iso_flow_add_stretch(iso_flow* f, const iso_stages* now);
/// dv/dt of free motion into that which keeps loops closed: Lagrange multipliers.
/// @param[in,out] out_power  the power of the multipliers is added
iso_status iso_flow_constrain(iso_flow* f, const iso_kinematics* kinematics, const double* q,
                              const double* v, double* vdot, double* out_power);
