// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// The equations of motion of a world at its present state, as controllers and estimators want them:
//     M(q) dv/dt + bias(q, v) = tau,    dq/dt = N(q) v
// where tau is the sum of all generalised forces besides gravity: actuators, passive forces of
// joints, contacts, constraints. Matrices are dense and row major. Calls use the world's scratch
// memory: not two at once on one world. Nothing here changes what iso_world_step() does, but for
// iso_world_set_state(). Theory: docs/theory/multibody.md.
//
// Every body but the world has one inboard joint: that of the model whose child it is, or a free
// joint to the world. Its coordinates, within q and v of the whole world:
//     weld                         none
//     revolute, prismatic, screw   position; velocity
//     universal                    2 angles; their rates
//     planar                       x, y, angle; their rates
//     ball                         quaternion w x y z of M in F; angular velocity of M in F, in F
//     free                         quaternion w x y z, position of M in F; angular velocity,
//                                  velocity of M's origin in F, in F

/// Number of positions q.
ISO_API int iso_world_q_count(const iso_world* world);
/// Number of velocities v (degrees of freedom).
ISO_API int iso_world_v_count(const iso_world* world);

/// The coordinates of the inboard joint of a body.
typedef struct iso_coordinates {
    const char* joint_name; ///< scoped; "" for a body that floats without a joint, and the world
    iso_joint_kind kind;    ///<
    int parent;             ///< body; -1 for the world
    int q_index, q_count;   ///< in q
    int v_index, v_count;   ///< in v
} iso_coordinates;
/// Where the coordinates of a body's inboard joint are.
ISO_API iso_coordinates iso_world_coordinates(const iso_world* world, int body);
/// Body whose inboard joint, of any kind, has this name, or is the only one whose scoped name ends
/// in "::name"; -1: none.
ISO_API int iso_world_find_inboard_joint(const iso_world* world, const char* name);
/// Body whose inboard joint a joint of one degree of freedom is (iso_world_joint_name()); -1 for
/// an index out of range.
ISO_API int iso_world_joint_body(const iso_world* world, int joint);

/// Pose in a body of frame M of its inboard joint; the identity for the world and indices out of
/// range.
ISO_API iso_pose iso_world_joint_frame(const iso_world* world, int body);

/// Copy the present state.
/// @param[out] out_q  [q_count]; may be NULL
/// @param[out] out_v  [v_count]; may be NULL
/// @return ISO_ERR_ARGUMENT
ISO_NODISCARD ISO_API iso_status iso_world_get_state(const iso_world* world, double* out_q,
                                                     double* out_v);
/// Replace the present state; quaternions are normalised. Time, contacts' memory and the energy
/// ledger stay.
/// @param q  [q_count]; NULL: keep
/// @param v  [v_count]; NULL: keep
/// @return ISO_ERR_RANGE (a number is not finite, a quaternion is zero); the state is then as
/// before
ISO_NODISCARD ISO_API iso_status iso_world_set_state(iso_world* world, const double* q,
                                                     const double* v);

/// Mass matrix, reflected rotor inertias included [kg, kg m, kg m^2].
/// @param[out] out_m  [v_count * v_count] symmetric; zero between trees
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_mass_matrix(iso_world* world, double* out_m);
/// Centrifugal, gyroscopic and gravity forces: M dv/dt + bias = tau.
/// @param[out] out_bias  [v_count]
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_bias(iso_world* world, double* out_bias);
/// Generalised force of gravity: the part of -bias that is left at v = 0.
/// @param[out] out_tau  [v_count]
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_gravity_forces(iso_world* world, double* out_tau);
/// Generalised force of the joints' dampers and springs. Dry friction, limits, couplers and
/// constraints are not in it.
/// @param[out] out_tau  [v_count]
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_passive_forces(iso_world* world, double* out_tau);

/// Inverse dynamics: tau = M vdot + bias, by recursive Newton-Euler, O(body_count). What actuators
/// must give is that minus passive, contact and constraint forces.
/// @param vdot          [v_count] wanted acceleration; NULL: zeros
/// @param[out] out_tau  [v_count]
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (vdot not finite), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_inverse_dynamics(iso_world* world, const double* vdot,
                                                            double* out_tau);
/// Forward dynamics: vdot = M^-1 (tau - bias), the inverse of iso_world_inverse_dynamics().
/// @param tau            [v_count] all generalised forces besides gravity; NULL: zeros
/// @param[out] out_vdot  [v_count]
/// @return ISO_ERR_NUMERIC (the mass matrix is not positive definite in this state)
ISO_NODISCARD ISO_API iso_status iso_world_forward_dynamics(iso_world* world, const double* tau,
                                                            double* out_vdot);

/// Jacobian of the twist (angular velocity; velocity of P) in W of a point P fixed to a body.
/// @param p_bp               position of P in the body [m]
/// @param[out] out_jacobian  [6 * v_count]
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (body, p_bp not finite), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_jacobian(iso_world* world, int body, iso_vec3 p_bp,
                                                    double* out_jacobian);
/// Centre of mass of all bodies that can move, or of one body with everything it carries.
/// @param body               a body; 0 ("world"): all that can move
/// @param[out] out_p_wc      position [m]
/// @param[out] out_jacobian  [3 * v_count] of its velocity in W; may be NULL
/// @return ISO_ERR_RANGE (index; the mass is zero)
ISO_NODISCARD ISO_API iso_status iso_world_center_of_mass(iso_world* world, int body,
                                                          iso_vec3* out_p_wc, double* out_jacobian);
/// (angular momentum about the world origin [N m s]; linear momentum [N s]) of all bodies that can
/// move, in W. Rotors' own momentum is not in it.
ISO_API iso_spatial iso_world_momentum(const iso_world* world);

/// How a body moves together with everything it carries; in W.
typedef struct iso_subtree_motion {
    double mass;    ///< [kg]
    iso_vec3 p_wc;  ///< centre of mass C; the body's origin where the mass is 0 [m]
    iso_vec3 v_wc;  ///< velocity of C; 0 where the mass is 0 [m/s]
    iso_vec3 h_c_w; ///< angular momentum about C, without rotors' own [N m s]
} iso_subtree_motion;
/// The same of a body, 0 ("world"): of all bodies, those that cannot move too. O(bodies it
/// carries). Zeroed for indices out of range.
ISO_API iso_subtree_motion iso_world_subtree_motion(const iso_world* world, int body);

/// How a body moved and what its inboard joint carried; all in W. After iso_world_step() of a
/// velocity-level method: in the state at the start of that step, accelerations and forces being
/// means over the step, for which the equations of motion hold there as they stand. After a step of
/// a continuous method: at its start. After iso_world_update_contacts(): in that state, by the
/// continuous law.
typedef struct iso_body_load {
    iso_pose x_wb;    ///< where the body was then
    iso_spatial v_wb; ///< (angular velocity; velocity of the origin)
    iso_spatial a_wb; ///< (angular acceleration; acceleration of the origin), gravity not taken off
    iso_pose x_wm;    ///< frame M of the inboard joint
    iso_spatial f_bm_w; ///< (moment about M's origin; force) of the inboard joint on the body, its
                        ///< parent feels the opposite: all that passes through the joint, its own
                        ///< actuator, spring, damper, friction, limit and gear included. Free
                        ///< joints: what rounding and the solver's tolerance leave
} iso_body_load;
/// Loads of all bodies, by recursive Newton-Euler; O(body_count). Without a step or contacts since
/// the world was made, cloned or restored: calls iso_world_update_contacts(). Bodies whose motion
/// is prescribed keep their twist during a step.
/// @param[out] out_loads  [body_count]; that of the world is zero
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY and the errors of iso_world_update_contacts()
ISO_NODISCARD ISO_API iso_status iso_world_body_loads(iso_world* world, iso_body_load* out_loads);

/// Where a frame T fixed to a body should go.
typedef struct iso_ik_target {
    int body;
    iso_pose x_bt;             ///< T in the body
    iso_pose x_wt;             ///< where T should be in W
    double position_weight;    ///< 0: the position is free; 1
    double orientation_weight; ///< 0: the orientation is free; 1 [m/rad]
} iso_ik_target;
/// T at the origin of the body "world", to be at the world's origin; both weights 1.
ISO_API iso_ik_target iso_ik_target_default(void);

/// Start from iso_ik_options_default().
typedef struct iso_ik_options {
    double position_tolerance;    ///< largest error of a position [m]; 1e-9
    double orientation_tolerance; ///< largest error of an orientation [rad]; 1e-9
    int max_iterations;           ///< 200
    const bool* is_fixed;         ///< [v_count] degrees of freedom that must not move; NULL: none
} iso_ik_options;
/// The values named beside the members.
ISO_API iso_ik_options iso_ik_options_default(void);

/// How inverse kinematics ended.
typedef struct iso_ik_report {
    int iterations;           ///<
    double position_error;    ///< largest over the targets [m]
    double orientation_error; ///< largest over the targets [rad]
    double closure_error;     ///< largest gap of couplers and rigid constraints [m] or [rad]
    int worst_target;         ///< index of the target with the largest weighted error
    int active_limit_count;   ///< joints that stand at one of their limits
} iso_ik_report;

/// Positions that bring frames to their targets, from a guess, by damped Gauss-Newton steps within
/// the joints' limits. It finds the solution near the guess, if any: another guess may find another
/// one, or one where none was found. Couplers and rigid loop constraints of the model hold in it,
/// to the tolerance of positions (gaps in m or rad); springs are not looked at. The world's state
/// is not changed: see iso_world_set_state().
/// @param[in,out] q       [q_count] guess; the best positions found, also on failure
/// @param         options  NULL: the default
/// @param[out]    out_report  may be NULL
/// @return ISO_ERR_NO_CONVERGENCE (no solution near the guess: names the worst target and its
///         errors), ISO_ERR_ARGUMENT, ISO_ERR_RANGE
ISO_NODISCARD ISO_API iso_status iso_world_inverse_kinematics(iso_world* world,
                                                              const iso_ik_target* targets,
                                                              int target_count,
                                                              const iso_ik_options* options,
                                                              double* q, iso_ik_report* out_report);

/// A coupler as the last step left it.
typedef struct iso_coupler_state {
    const char* name;
    int joint_a, joint_b; ///< of the world's joints
    double residual;      ///< q_b less what the coupler asks of it, now [rad] or [m]
    double effort;        ///< on joint B in the last step [N m] or [N]; A feels -slope of it
    double ratio, offset; ///< those of the model
    double curve[3];      ///< that of the model
    double slope;         ///< dq_b/dq_a where q_a is now; the ratio without a curve
    bool is_on;           ///< false: it does nothing, and its residual is what it would have
} iso_coupler_state;
/// Number of couplers; sorted by name.
ISO_API int iso_world_coupler_count(const iso_world* world);
/// Coupler by index in [0, count).
ISO_API iso_coupler_state iso_world_coupler(const iso_world* world, int index);
/// Index by name, or -1.
ISO_API int iso_world_find_coupler(const iso_world* world, const char* name);
/// Let a coupler act from the next step on, or no more. A state carries it. What is open is closed
/// within that step at the velocity level: it may be 0.02 m or 0.1 rad.
/// @return ISO_ERR_RANGE (index, gap), ISO_ERR_ARGUMENT (the state must not change now),
///         ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_switch_coupler(iso_world* world, int coupler,
                                                          bool is_on);

/// A fixed tendon in the present state. Its units are those of weight times joint position, and of
/// joint effort over weight.
typedef struct iso_fixed_tendon_state {
    const char* name;
    double length;          ///< sum of w_i q_i
    double velocity;        ///< its rate
    double passive_effort;  ///< of spring and damper along it, in this state
    double actuator_effort; ///< of its actuators in the last step
    bool is_on;             ///< false: its limits do not hold
    double limit_effort;    ///< of its limits in the last step: > 0 at the lower, < 0 at the upper
} iso_fixed_tendon_state;
/// Let the limits of a fixed tendon hold from the next step on, or no more; its spring, damper,
/// friction and actuators stay. A state carries it. Its length may lie beyond them by 0.02 m (a
/// route), or 0.1 times its largest weight.
/// @return ISO_ERR_RANGE (index, gap), ISO_ERR_ARGUMENT (the state must not change now),
///         ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_switch_fixed_tendon(iso_world* world, int tendon,
                                                               bool is_on);
/// Number of fixed tendons; sorted by name.
ISO_API int iso_world_fixed_tendon_count(const iso_world* world);
/// Index by name, or -1.
ISO_API int iso_world_find_fixed_tendon(const iso_world* world, const char* name);
/// Fixed tendon by index in [0, count).
ISO_API iso_fixed_tendon_state iso_world_fixed_tendon(const iso_world* world, int index);

/// A constraint as the last step left it.
typedef struct iso_constraint_state {
    const char* name;
    iso_constraint_kind kind;
    int body_a, body_b;
    double position_error;    ///< |p_pq|, or distance minus length (tendon: 0 when slack), now [m]
    double orientation_error; ///< angle between P and Q (weld), now [rad]
    iso_spatial f_b_w; ///< mean (moment about Q's origin; force) on B in the last step, in W; A
                       ///< gets its opposite at the same point
    bool is_on;        ///< false: it does nothing, and its errors are those that it would have
} iso_constraint_state;
/// Number of constraints; sorted by name.
ISO_API int iso_world_constraint_count(const iso_world* world);
/// Constraint by index in [0, count).
ISO_API iso_constraint_state iso_world_constraint(const iso_world* world, int index);
/// Index by name, or -1.
ISO_API int iso_world_find_constraint(const iso_world* world, const char* name);
/// Attach or detach: a constraint acts from the next step on, or no more. A state carries it. A gap
/// of what is rigid is closed within that step at the velocity level: it may be 0.02 m and 0.1 rad.
/// @param keeps_offset  frame Q (ball: its origin; distance, tendon: the length) is put so that the
///                      constraint is met as the bodies are now; false: as the model has it
/// @return ISO_ERR_RANGE (index, gap), ISO_ERR_ARGUMENT (the state must not change now),
///         ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_switch_constraint(iso_world* world, int constraint,
                                                             bool is_on, bool keeps_offset);

#ifdef __cplusplus
}
#endif
