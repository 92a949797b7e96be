// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The stages of a step (docs/pipeline.md) and what they hand on. Each reads what the stages before
// it wrote, and writes its own part.

#include "contact/pairs/contact_system.h"
#include "contact/pairs/memory.h"
#include "integrator/explicit_rk.h"
#include "solver/convex.h"
#include "solver/root.h"
#include "stepper/constraints/constraint.h"
#include "stepper/constraints/joint_potential.h"
#include "stepper/stages/method.h"
#include "stepper/stages/stepper.h"

#include <string.h>

/// A state at rest that an error-controlled step found (src/stepper/adaptive/rest.c); arrays lie in
/// the arena, which is not reset while it lasts.
typedef struct iso_rest {
    bool is_found;
    double end; ///< time up to which it may last [s]
    double *q, *v;
    iso_actuation* actuations;
    iso_spatial* f_b_w;
    iso_step_output output; ///< that of the step which found it
} iso_rest;

/// Islands that repeat the last step.
typedef struct iso_repeat iso_repeat;

struct iso_stepper {
    iso_context* ctx;
    iso_dynamics dynamics;        ///< its actuators are a copy
    iso_world_desc settings;      ///<
    const iso_method_row* method; ///< of the settings
    iso_actuator* actuators;      ///< [actuator_count] owned
    int* limited;                 ///< [limited_count] bodies whose inboard joint has a limit
    int limited_count;            ///<
    int* friction_dofs;           ///< [friction_count] degrees of freedom with dry friction
    int friction_count;           ///<
    int adhesion_count;           ///< actuators that pull at what a body touches
    int tendon_law_count;         ///< fixed tendons with limits, on or off, or dry friction
    iso_closure closure;          ///< owned copies
    bool has_springs;             ///< in joints
    iso_stepper_told own_told;    ///< where dynamics.told is NULL
    int friction_looks;           ///< steps with contacts so far, of fixed steps
    int coupled_steps;            ///< and contacts in them whose slip changed their normal force
    double root_work;             ///< multiplications of eliminations in a step of TAMSI so far
    iso_task_pool* pool;          ///< NULL for one thread
    iso_convex_options convex;
    iso_pair_memory_array kept; ///< error control: memories of the last substep
    iso_arena patches[2];       ///< those at the start of a substep, and at its end
    iso_rest rest;              ///<
    iso_repeat* repeat;         ///< owned; NULL: nothing does

    // scratch
    iso_arena arena; ///< everything of one call, results included
    iso_convex_solver solver;
};

/// Couplers, then fixed tendons: what has one effort of its own that no actuator gives it.
static inline int iso_stepper_tie_count(const iso_stepper* stepper) {
    return stepper->closure.coupler_count + stepper->dynamics.tendon_count;
}

/// Jacobians of V_B - V_A about a point, 6 rows: one block when both bodies hang on one tree or one
/// of them is fixed (tree_b is then -1). One of the bodies must move.
typedef struct iso_pair_jacobians {
    int tree_a, tree_b;
    double *jacobian_a, *jacobian_b;
} iso_pair_jacobians;

/// A limit of a fixed tendon.
typedef struct iso_tendon_limit {
    int tendon;
    iso_joint_limit law;
} iso_tendon_limit;

/// How a body that spins freely goes on: its angular momentum about the centre of mass, in the axes
/// of its joint, is that of the velocity by which it turns and `lead`, and lasts to the end of the
/// step.
typedef struct iso_free_spin {
    bool is_carried; ///< false: nothing turns it
    iso_vec3 lead;   ///< [N m s]
    iso_vec3 turn;   ///< of the whole step: rotation vector
    iso_vec3 end;    ///< velocity after that turn [rad/s]
    iso_vec3 start;  ///< midpoint: the momentum at the start [N m s]
} iso_free_spin;

/// How the midpoint method steps a tree.
typedef struct iso_tree_share {
    bool is_middle;   ///< forces are taken within the step, kinematics are half a step ahead
    double stiffness; ///< of leaders: of their islands, in what a step resolves
    double part; ///< of the step, after which forces are taken; of all trees of an island alike
} iso_tree_share;

/// What a pair starts a step with, besides its patch and what it remembers: as in
/// iso_contact_step_input.
typedef struct iso_pair_start {
    iso_spatial u_c0, v_c0, moved;
    iso_pair_poses poses;
} iso_pair_start;

/// What a pair does over a step.
typedef struct iso_pair_work {
    double power;              ///< of its wrench on what moves freely [W]
    iso_contact_losses losses; ///< [J]
} iso_pair_work;

/// The potential of a pair that repeats the last step.
#define ISO_PAIR_REPEATED (-2)

/// One step at the velocity level.
typedef struct iso_stages {
    iso_stepper* stepper;
    const iso_step_input* input;
    iso_step_report report;
    double span;                     ///< the step [s]
    iso_tree_share* shares;          ///< [tree_count]; NULL: all trees take forces at its end
    int* leaders;                    ///< then: [tree_count] iso_island_leader()
    iso_kinematics start_kinematics; ///< then: those of its start
    bool is_within; ///< a continuous method's own state, between the step's start and its end
    double lap;     ///< when the present stage began [s], see iso_stages_lap()

    iso_kinematics kinematics; ///< 1
    iso_contact_set set;       ///< 2, 3

    // 4
    iso_contact_step* steps;   ///< [pair_count]
    bool may_repeat;           ///< islands may be as in the last step
    bool* is_repeated;         ///< [tree_count] and are; NULL: none is
    int* pair_potential;       ///< [pair_count] index of its potential; -1: both bodies fixed
    iso_potential* potentials; ///< contacts, then limits, then drives
    int potential_count;       ///<
    iso_inner* inners;         ///< as potentials: what contacts have unknowns of their own for
    bool has_followed;         ///< friction of a contact followed the impulses of the step
    bool remembers_places;     ///< a contact hands on a memory of where bodies end
    int memories_passed;       ///< of the input, by the pairs so far
    iso_root_limit* limits_of; ///< as potentials: limits on Newton steps; NULL: not TAMSI

    // 5
    double* a;               ///< M + dt (D + implicit gains), dense blocks as the mass matrix
    double* a_factor;        ///< their Cholesky factors
    double* m_factor;        ///< with error control those of M alone, which no step length enters
    double* v_star;          ///< free motion
    double* boost;           ///< what v* has beyond the bias of the start
    iso_free_spin* spins;    ///< [tree_count]
    double* applied;         ///< generalised force of applied wrenches
    iso_spatial* pulls;      ///< [pair_count] adhesion, about p_wc on B; NULL: there is none
    double* pulled;          ///< generalised force of those; used where they are there
    double** tendon_rows;    ///< [tendon_count] dl/dq over their trees
    double* tendon_lengths;  ///< [tendon_count]
    iso_drive* drives;       ///< of actuators, then springs of fixed tendons
    iso_drive_sum* sums;     ///< of actuators that are bounded together and not in A
    int sum_count;           ///<
    iso_joint_limit* limits; ///< those that may act in this step
    int limit_count;
    iso_tendon_limit* tendon_limits;      ///< of fixed tendons
    int tendon_limit_count;               ///<
    iso_joint_friction* tendon_frictions; ///< [tendon_count]
    iso_tie* ties;                        ///< of constraints, then couplers
    iso_gap* gaps;                        ///< [constraint_count]
    int* tie_potential;                   ///< index of the potential of each tie
    iso_joint_friction* frictions;        ///< [friction_count]

    // 6
    double *q, *v;                 ///< new state; velocities in the positions of the start
    double* end_v;                 ///< in the new positions, with the momenta of v
    bool* is_kept;                 ///< [tree_count] q is that of the start; NULL: of none
    iso_pair_work* pair_works;     ///< [pair_count]
    iso_kinematics end_kinematics; ///< there; only where contacts remember
} iso_stages;

/// Stage 1: poses, twists, joint axes. Rejects a state that is not finite.
iso_status iso_stage_kinematics(iso_stages* stages);
/// Midpoint method: kinematics and contacts where the start's velocity leads in half a step. An
/// island with what acts at once, turns too far or is struck stiffly stays at the start, and takes
/// a step of lagged.
iso_status iso_midpoint_contacts(iso_stages* stages);
/// The part of the step of each island after which forces are taken, 1/2 to 1. Needs M in `a`.
void iso_midpoint_choose(iso_stages* stages);
/// Whether two stretches of memory have the same bits.
static inline bool iso_bits_are_same(const void* a, const void* b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}
/// Whether the forces on a tree are taken within the step.
static inline bool iso_stages_is_middle(const iso_stages* stages, int tree) {
    return stages->shares && tree >= 0 && stages->shares[tree].is_middle;
}
/// The time that impulses on a tree are over [s]: the step, or its part up to where forces are.
static inline double iso_stages_dt(const iso_stages* stages, int tree) {
    return stages->shares && tree >= 0 ? stages->span * stages->shares[tree].part : stages->span;
}
/// What works of impulses over that time are multiplied with.
static inline double iso_stages_whole(const iso_stages* stages, int tree) {
    return stages->span / iso_stages_dt(stages, tree);
}
/// The tree of a degree of freedom; of a pair of bodies that are one island, -1 when both are
/// fixed.
static inline int iso_stages_dof_tree(const iso_stages* stages, int dof) {
    const iso_multibody* multibody = stages->stepper->dynamics.multibody;
    return multibody->bodies[multibody->dof_body[dof]].tree;
}
static inline int iso_stages_pair_tree(const iso_stages* stages, int body_a, int body_b) {
    const iso_mb_body* bodies = stages->stepper->dynamics.multibody->bodies;
    return bodies[body_a].tree >= 0 ? bodies[body_a].tree : bodies[body_b].tree;
}
/// Kinematics of both bodies of a pair: fixed bodies are where the trees are that touch them.
static inline const iso_kinematics* iso_stages_pair_kinematics(const iso_stages* stages, int body_a,
                                                               int body_b) {
    int tree = iso_stages_pair_tree(stages, body_a, body_b);
    return !stages->shares || iso_stages_is_middle(stages, tree) ? &stages->kinematics
                                                                 : &stages->start_kinematics;
}
/// By how much more than from its common point a pair is away from B, and less from A, [m]: so that
/// free bodies keep their angular momentum together (docs/theory/step.md). After the choice; 0 with
/// any other method.
iso_vec3 iso_midpoint_arm(const iso_stages* stages, int body_a, int body_b);
/// Poses of the bodies of a pair at the start of the step, for what it remembers. A pair that was
/// found half a step ahead lies there: both bodies go with it, by the mean way of their points at
/// its common point, so that a speed that all bodies share changes nothing. With any method.
iso_pair_poses iso_midpoint_start(const iso_stages* stages, const iso_contact_pair* pair);
/// Its part of stage 6: end_v, without that of bodies that spin.
void iso_midpoint_finish(iso_stages* stages);
/// Poses of bodies at the start of the step.
static inline const iso_pose* iso_stages_start_poses(const iso_stages* stages) {
    return stages->shares ? stages->start_kinematics.x_wb : stages->kinematics.x_wb;
}
/// Stages 2 and 3: which pairs touch, and their patches. Of some: iso_contact_system_update_some().
iso_status iso_stage_contacts(iso_stages* stages);
iso_status iso_stages_contacts_of(iso_stages* stages, const iso_kinematics* kinematics,
                                  const bool* marks, bool has_mark);
/// Stage 4: potentials of contacts, limits and drives. Needs stage 5: the effective masses.
iso_status iso_stage_potentials(iso_stages* stages);
/// Its part for constraints, couplers and dry friction in joints; how many they may be.
iso_status iso_stage_constraints(iso_stages* stages);
int iso_stages_constraint_capacity(const iso_stepper* stepper);
/// A potential of one degree of freedom.
void iso_stages_add_joint_potential(iso_stages* stages, const iso_potential_ops* ops,
                                    const void* user, int dof);
/// A row of zeros for the degrees of freedom of a tree; NULL when out of memory.
double* iso_stages_push_row(const iso_stages* stages, int tree);

/// The rows of the rates of tendons over their trees, and their lengths: made once a stage 5; the
/// mobility of one, from the factors of stage 5; and a potential of its rate.
iso_status iso_stages_make_tendon_rows(iso_stages* stages);
iso_status iso_stages_tendon_mobility(const iso_stages* stages, int tendon, double* out_mobility);
void iso_stages_add_tendon_potential(iso_stages* stages, const iso_potential_ops* ops,
                                     const void* user, int tendon);
/// Effort with which limits and dry friction of fixed tendons may pull at a degree of freedom.
double iso_stages_tendon_reach(const iso_stages* stages, int dof);
/// dl/dt of one, for velocities in the positions of the start.
double iso_stages_tendon_rate(const iso_stages* stages, int tendon, const double* v);
/// Limits and dry friction of fixed tendons: how many they may be, their part of stage 4, and what
/// they and dampers take (added).
int iso_stages_tendon_capacity(const iso_stepper* stepper);
iso_status iso_stages_tendon_potentials(iso_stages* stages);
void iso_stages_book_tendons(const iso_stages* stages, iso_step_output* output);

/// Drives: of actuators, and of springs and dampers of fixed tendons. How many they are.
int iso_stages_drive_count(const iso_stepper* stepper);
/// Their part of stage 5: those that are linear into A and rhs, the others made ready for stage 4.
iso_status iso_stages_add_drives(iso_stages* stages, double* rhs);
/// Their part of stage 4.
iso_status iso_stages_drive_potentials(iso_stages* stages);
/// Whether a drive that is not in A, or a tendon with limits or dry friction, pulls at a degree of
/// freedom; and the efforts of all such.
bool iso_stages_is_driven(const iso_stages* stages, int dof);
double iso_stages_driven_effort(const iso_stages* stages, int dof);
/// How stiffly a drive holds its joint or tendon in its place [N/m] or [N m/rad]; one at its limit,
/// or that of its sum, does not.
double iso_stages_drive_stiffness(const iso_stages* stages, int drive);
/// Efforts, the work of actuators and the loss in dampers of tendons (added) into the output.
void iso_stages_book_drives(const iso_stages* stages, iso_step_output* output);
/// An array for the wrenches of adhesion at the stages' contacts; NULL when nothing pulls there.
iso_status iso_stages_push_pulls(const iso_stages* stages, iso_spatial** out_f_bc_w);
/// Those wrenches: on B, about the common points of pairs.
/// @param efforts          [actuator_count]
/// @param[out] out_f_bc_w  [pair_count]
void iso_stages_find_pulls(const iso_stages* stages, const double* efforts,
                           iso_spatial* out_f_bc_w);
/// What an actuator is told at a time of the step [s], and what it does then in one position.
iso_actuation iso_input_actuation(const iso_step_input* input, int index, double time,
                                  double time_step);
iso_drive iso_actuator_drive(const iso_dynamics* dynamics, int index,
                             const iso_actuation* actuation, const iso_kinematics* kinematics,
                             const double* q, double dt);
/// Bound the efforts of actuators that act on one joint by what the joint takes of them together:
/// all are scaled alike.
void iso_bound_efforts(const iso_dynamics* dynamics, double* efforts);
/// Velocity along which a drive of a step acts.
double iso_drive_velocity(const iso_drive* drive, const double* v);

/// Stage 5: A, its factors and the velocity of free motion.
iso_status iso_stage_dynamics(iso_stages* stages);
/// Its part for free bodies, with all the rest in v_star: the velocity by which they turn.
iso_status iso_stages_correct_spins(iso_stages* stages);
/// The same for other trees: their bias, which is that of the start in v_star, at the mean velocity
/// of the step. @param start_bias  [v_count] without compensation of weights
iso_status iso_stages_correct_swings(iso_stages* stages, const iso_mb_cluster* links,
                                     const double* start_bias);
/// v* of a tree that floats into that in which its centre of mass is moved by forces alone.
/// @param start_bias  as above
/// @param explicit_v  v* with that bias
void iso_stages_free_center(iso_stages* stages, int tree, const double* start_bias,
                            const double* explicit_v);
/// Stage 6: solve for the new velocity, integrate positions.
iso_status iso_stage_advance(iso_stages* stages);
/// Its arrays; and what follows the solution: q and end_v from v.
iso_status iso_stage_push_state(iso_stages* stages);
iso_status iso_stage_move(iso_stages* stages);
/// Whether a tree is a free body alone, with what is welded to it.
bool iso_stages_is_free_body(const iso_multibody* multibody, int tree);
/// The turns of bodies that spin freely and their velocities afterwards, by the angular momentum
/// that v gives; and the velocities by which those turn that turn far, into a copy of v.
void iso_stages_turn(iso_stages* stages, double* v);
/// Its part for free bodies, after that: end_v, and of the midpoint method q of their points.
void iso_stages_carry_spins(iso_stages* stages);
/// Its part for centres of mass of trees that float: positions and end_v.
iso_status iso_stages_carry_centers(iso_stages* stages);
/// Tractions, wrenches, efforts and works of what was solved, into the output.
iso_status iso_stage_results(iso_stages* stages, iso_step_output* output);

/// Entry of A; both degrees of freedom belong to one tree.
double* iso_stages_entry(const iso_stages* stages, int row, int column);

/// The convex problem of a step whose potentials are made.
iso_convex_problem iso_stages_problem(const iso_stages* stages);

/// Forces of constraints and couplers; their work and that of limits, and the loss in dry friction,
/// are added.
void iso_stage_constraint_results(const iso_stages* stages, const iso_convex_problem* problem,
                                  iso_step_output* output);

/// See iso_pair_jacobians.
iso_status iso_stages_pair_jacobians(const iso_stages* stages, int body_a, int body_b,
                                     iso_vec3 p_wc, iso_pair_jacobians* out_pair);
/// W += J M^-1 J^T with error control, else as iso_stages_add_delassus(): mobilities that laws of
/// contact are made from, which two lengths of one step must agree on.
iso_status iso_stages_add_contact_delassus(const iso_stages* stages, int tree,
                                           const double* jacobian, double* delassus);
/// W += J A^-1 J^T, from the factors of stage 5.
/// @param jacobian  rows x dofs of the tree
iso_status iso_stages_add_delassus(const iso_stages* stages, int tree, const double* jacobian,
                                   int rows, double* delassus);

/// (A^-1)_ii of a degree of freedom, from the factors of stage 5.
iso_status iso_stages_mobility(const iso_stages* stages, int dof, double* out_mobility);

/// One step at the velocity level of so much time [s], which may be a part of the time step.
iso_status iso_stepper_step_velocities(iso_stepper* stepper, const iso_step_input* input, double dt,
                                       iso_step_output* output);
/// Methods that minimise: such a step of the time step.
iso_status iso_stepper_step_convex(iso_stepper* stepper, const iso_step_input* input,
                                   iso_step_output* output);
/// The same with TAMSI, in parts where it does not converge.
iso_status iso_stepper_step_tamsi(iso_stepper* stepper, const iso_step_input* input,
                                  iso_step_output* output);

/// A time step of a velocity-level method in substeps whose errors are controlled.
iso_status iso_stepper_step_adaptive(iso_stepper* stepper, const iso_step_input* input,
                                     iso_step_output* output);

/// A step of the continuous methods.
iso_status iso_stepper_integrate(iso_stepper* stepper, const iso_step_input* input,
                                 iso_step_output* output);

/// Loads of a velocity-level step, when the output asks for them.
void iso_stages_note_loads(const iso_stages* stages, iso_step_output* output);
/// Add a wrench (moment about p_w; force) on B, and its opposite on A, to wrenches about the
/// origins of bodies.
void iso_stages_add_pair_wrench(const iso_kinematics* kinematics, int body_a, int body_b,
                                iso_vec3 p_w, iso_spatial f_b_w, iso_spatial* wrenches);
/// Accelerations and forces of the continuous law at the state of the stages.
iso_status iso_continuous_loads(iso_stages* stages, const iso_step_loads* loads);

/// Stage 4 of the continuous methods, once: tractions and wrenches of the stages' contacts in their
/// present state.
iso_status iso_continuous_contacts(iso_stages* stages, iso_contact_result* out_result);

/// Twist of the surface of B relative to that of A at the common point of a pair, when the bodies
/// stand still: conveyor belts, without the part along the mean normal of the patch.
iso_spatial iso_surface_twist(const iso_contact_system* system, const iso_kinematics* kinematics,
                              const iso_contact_pair* pair);

/// A twist of body B relative to body A at a point, and what fixed bodies that a caller moves add
/// to it.
iso_spatial iso_stages_add_fixed_twist(const iso_stages* stages, int body_a, int body_b,
                                       iso_vec3 p_wc, iso_spatial twist);

/// Whether the state of a pair was given, not made by a step.
bool iso_stages_is_given(const iso_stages* stages, const iso_contact_pair* pair);
/// What a pair starts the step with.
iso_pair_start iso_stages_pair_start(const iso_stages* stages, const iso_contact_pair* pair);

/// Relative twist of B in A at the common point of a pair.
iso_spatial iso_pair_twist(const iso_kinematics* kinematics, const iso_contact_pair* pair);

/// Why the solver was slow, into the report.
void iso_stages_find_reason(iso_stages* stages, const iso_convex_report* convex);
/// Warn, once, of a body between others that do not give way, where its contacts are softened for
/// the sake of the step: there depth is given, and softer bodies press less. After the results.
iso_status iso_stages_tell_soft_press(const iso_stages* stages, const iso_contact_result* result);

/// Warn, once, of a contact whose slip changes its normal force by more than its law can bear.
/// After the results.
void iso_stages_tell_coupling(iso_stages* stages);

/// Arrays for the results of a set of contacts. The elastic energies are filled in.
iso_status iso_contact_result_push(iso_arena* arena, const iso_contact_set* set,
                                   iso_contact_result* out_result);
/// And for springs of friction, zeros.
iso_status iso_contact_result_push_springs(iso_arena* arena, iso_contact_result* result);
/// Those of a pair.
iso_face_values iso_contact_result_faces(const iso_contact_result* result, int pair);

/// Index of the first body with a number in q or v that is not finite; -1: none.
int iso_find_non_finite(const iso_multibody* multibody, const double* q, const double* v);

/// Name of a body for messages.
const char* iso_stepper_body_name(const iso_stepper* stepper, int body);

/// Book the time since the last lap to a stage (1 to 8): the clock is read once between stages, as
/// reading it takes a hundredth of a small step.
void iso_stages_lap(iso_stages* stages, int stage);

// What rests on others and has ended a step as it began it, bit by bit, ends the next one so, too,
// as long as all that acts on it stays the same, bit by bit: its island is not solved again. The
// results are those of solving it, to the bit (stepper/repeat/). Convex steps of the whole time
// step.

/// For steps of one stepper; to be destroyed also where that fails.
iso_status iso_repeat_create(iso_context* ctx, const iso_dynamics* dynamics,
                             iso_repeat** out_repeat);
void iso_repeat_destroy(iso_context* ctx, iso_repeat* repeat);

/// How its islands were solved, [tree_count].
iso_island_note* iso_repeat_notes(iso_repeat* repeat);

/// Trees that joints, drives, tendons or constraints may have potentials on are never repeated:
/// after constraints or couplers have changed.
void iso_repeat_mark_joints(iso_stepper* stepper);

/// Before stage 4: which trees of a step repeat the last one, into s->is_repeated.
iso_status iso_repeat_find(iso_stages* s);

/// Whether a pair of the step repeats the last one.
bool iso_repeat_has_pair(const iso_stages* s, int pair);
/// Its step, without what only a solver asks for.
void iso_repeat_take_step(iso_stages* s, int pair);
/// Its results: wrench, faces and memory into the result, and its work.
void iso_repeat_take_result(const iso_stages* s, int pair, iso_contact_result* result,
                            iso_pair_work* out_work);

/// After the results: what may be repeated in the next step. Wrenches, faces and memories are those
/// of the output.
iso_status iso_repeat_note(iso_stages* s, const iso_contact_result* result);
