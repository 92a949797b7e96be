// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What loop constraints and couplers ask of positions and velocities. docs/theory/multibody.md.

#include "isobar/model.h"
#include "multibody/multibody.h"

/// A constraint between frame P of body A and frame Q of body B.
typedef struct iso_constraint {
    iso_constraint_kind kind;
    int body_a, body_b;
    iso_pose x_ap, x_bq;
    double length;
    double stiffness, damping; ///< distance, tendon; INFINITY: rigid
} iso_constraint;

/// q_b = offset + ratio q_a + curve_0 q_a^2 + curve_1 q_a^3 + curve_2 q_a^4 between the inboard
/// joints of two bodies.
typedef struct iso_coupler {
    int body_a, body_b;
    double ratio, offset;
    double curve[ISO_COUPLER_CURVE];
    bool is_off; ///< it does nothing
} iso_coupler;

/// How far a constraint is from being met in one state, and the point and direction it acts along.
/// Twists and wrenches are (angular; linear) about p_w, the origin of Q.
typedef struct iso_gap {
    iso_constraint_kind kind;
    int rows;           ///< weld 6 (angular; linear), ball 3 (linear), distance and tendon 1
    double size[6];     ///< to be zero [rad], [m]; tendon: negative while slack
    double span;        ///< distance of the origins of P and Q [m]
    iso_vec3 p_w;       ///<
    iso_vec3 direction; ///< unit, from P to Q
} iso_gap;

/// True when it is to be met exactly, false for springs.
bool iso_constraint_is_rigid(const iso_constraint* constraint);
/// @param x_wb  [body_count]
iso_gap iso_constraint_gap(const iso_constraint* constraint, const iso_pose* x_wb);
/// Largest error of angles [rad] and of positions [m]; a slack tendon has none.
void iso_gap_errors(const iso_gap* gap, double* out_angle, double* out_position);
/// d size/dt [rows] for the twist of B relative to A about p_w.
void iso_gap_rates(const iso_gap* gap, iso_spatial v_ab, double* out_rates);
/// The same for columns: turns a 6 x dofs Jacobian of twists in place into one of rows.
/// @return its first row, within the argument
const double* iso_gap_jacobian(const iso_gap* gap, double* jacobian, int dofs);
/// Wrench on B of forces [rows] along the rows.
iso_spatial iso_gap_wrench(const iso_gap* gap, const double* forces);

/// What the joints can do about a constraint, by their geometry alone: combinations of its rows,
/// each of which some joint changes. Directions that no joint moves are left out: their forces do
/// nothing and their gaps cannot be closed. Rotations count by the arm of the mechanism about the
/// point.
typedef struct iso_gap_reach {
    int count;       ///< combinations
    bool is_whole;   ///< joints move all rows: the combinations are the rows themselves
    double rows[36]; ///< [count * gap.rows]
} iso_gap_reach;

iso_gap_reach iso_gap_find_reach(const iso_gap* gap, const iso_constraint* constraint,
                                 const iso_multibody* multibody, const iso_kinematics* kinematics);
/// The combinations of what belongs to rows, x [gap rows * n] or [gap rows], into out [count * n].
void iso_gap_reach_apply(const iso_gap_reach* reach, int gap_rows, const double* x, int n,
                         double* out);
/// Forces along rows from those along combinations. @param out  [gap rows]
void iso_gap_reach_spread(const iso_gap_reach* reach, int gap_rows, const double* forces,
                          double* out);

double iso_coupler_gap(const iso_coupler* coupler, const iso_multibody* multibody, const double* q);
/// dq_b/dq_a at q
double iso_coupler_slope(const iso_coupler* coupler, const iso_multibody* multibody,
                         const double* q);
/// d^2 q_b/dq_a^2 at q
double iso_coupler_bend(const iso_coupler* coupler, const iso_multibody* multibody,
                        const double* q);

/// All constraints and couplers of a mechanism; borrowed arrays.
typedef struct iso_closure {
    const iso_constraint* constraints;
    int constraint_count;
    const iso_coupler* couplers;
    int coupler_count;
} iso_closure;

/// The rows of one constraint or coupler.
typedef struct iso_closure_block {
    int owner; ///< constraint, or constraint_count + coupler
    int first, count;
    int gap_rows;        ///< of the constraint; 1: a coupler
    iso_gap_reach reach; ///< how the rows are made of those of the gap
} iso_closure_block;

/// The rows that must hold exactly in one state: what joints can move of rigid constraints (tendons
/// when taut, if asked for), then couplers.
typedef struct iso_closure_rows {
    int count;
    double* sizes;    ///< [count]
    double* jacobian; ///< [count * v_count]
    int block_count;
    iso_closure_block* blocks; ///< [block_count]
    double error; ///< largest size of all rows, those that no joint moves too [rad] or [m]
    int worst;    ///< its owner; -1 without rows
} iso_closure_rows;

/// @param has_tendons  rows of rigid tendons that are longer than they may be
iso_status iso_closure_rows_push(const iso_closure* closure, const iso_multibody* multibody,
                                 const iso_kinematics* kinematics, const double* q,
                                 bool has_tendons, iso_arena* arena, iso_closure_rows* out_rows);

/// Most rows there can be.
int iso_closure_max_rows(const iso_closure* closure);

/// The largest gap of which no joint can close the rest that a loop may start with [rad] or [m].
#define ISO_CLOSURE_TOLERATED 1e-4

typedef struct iso_closure_report {
    double first_error; ///< largest |size| before [rad] or [m]
    double last_error;  ///< after
    int worst;          ///< owner of the largest error after; -1 without rows
    double moved;       ///< largest change of a coordinate
} iso_closure_report;

/// Move q, as little as the masses like, until all that joints can close is closed: Gauss-Newton
/// steps with the mass matrix as metric. Redundant rows are allowed.
/// @param work  scratch, released before returning
/// @return ISO_ERR_NO_CONVERGENCE (more than ISO_CLOSURE_TOLERATED is left; q is then the last
///         iterate), ISO_ERR_MEMORY, ISO_ERR_NUMERIC
iso_status iso_closure_project(const iso_closure* closure, const iso_multibody* multibody,
                               iso_arena* work, double* q, iso_closure_report* out_report);

/// The forces that give the rows' accelerations -rhs: J M^-1 J^T lambda = -rhs; then x += M^-1 J^T
/// lambda. Rows that repeat each other share their force, those that contradict each other get what
/// is nearest: of all lambda that come nearest the one with the least sum over blocks of
/// lambda^T W lambda, W = J M^-1 J^T of a block.
/// @param factor   Cholesky factors of the mass matrix, blocks per tree
/// @param rhs      [rows->count] replaced by lambda
/// @param[in,out] x [v_count]
/// @param[out] out_block  the first with a row or a factor that is not finite; else -1
/// @return ISO_ERR_NUMERIC (there is such a block), ISO_ERR_MEMORY
iso_status iso_closure_solve(const iso_closure_rows* rows, const iso_multibody* multibody,
                             const double* factor, iso_arena* work, double* rhs, double* x,
                             int* out_block);
