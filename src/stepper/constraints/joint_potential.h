// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Potentials of joint velocities: limits, drives, dry friction; and those of constraints and
// couplers. docs/theory/step.md, docs/theory/multibody.md.

#include "isobar/world.h"
#include "solver/convex.h"
#include "stepper/constraints/constraint.h"
#include "stepper/constraints/fixed_tendon.h"

/// A limit: 1/2 R gamma^2 with gamma = ((v^ - s v) / R)+, the impulse that keeps the joint on its
/// side.
typedef struct iso_joint_limit {
    int dof;
    double sign;           ///< s: +1 at the lower limit, -1 at the upper one
    double target;         ///< v^: velocity away from the limit from which it is silent
    double regularization; ///< R
} iso_joint_limit;

/// @param distance  to the limit, negative beyond it [rad] or [m]
/// @param mobility  (A^-1)_ii of the joint
iso_joint_limit iso_joint_limit_make(int dof, double sign, double distance, double mobility,
                                     double dt);
/// Impulse on the joint.
double iso_joint_limit_impulse(const iso_joint_limit* limit, double v);
extern const iso_potential_ops iso_joint_limit_ops;

/// An actuator over a step: effort(v) = clamp(start - gain v) [N m] or [N], where v is the velocity
/// at the end of the step.
typedef struct iso_drive {
    int dof;                        ///< along which it acts
    const iso_fixed_tendon* tendon; ///< along which it acts instead; NULL: none
    const double* row;              ///< of its rate over the velocities of its tree
    int first_dof;                  ///< of that tree
    int dof_count;                  ///<
    bool is_in_a;                   ///< linear in v: part of the matrix of free motion
    double start;                   ///< effort at v = 0
    double gain;                    ///< kp dt + kd
    double share;        ///< of the gain that was asked for, less than 1 where that was too stiff
    double lower, upper; ///< of the effort; infinite: none
    double dt;
    bool is_summed;               ///< one of a sum
    const struct iso_drive* next; ///< of that sum; NULL: none
} iso_drive;

iso_drive iso_drive_make(int dof, double kp, double kd, double lower, double upper,
                         const iso_actuation* actuation, double q, double dt);
/// True when the effort is affine in v.
bool iso_drive_is_linear(const iso_drive* drive);
double iso_drive_effort(const iso_drive* drive, double v);
/// Make a drive with an effort limit no stiffer than the step can resolve.
void iso_drive_soften(iso_drive* drive, double mobility);
/// Make a drive along several joints no stiffer than their matrix can bear.
void iso_drive_keep_regular(iso_drive* drive, double mobility);
/// Value of the potential relative to v = 0, and its second derivative.
double iso_drive_value(const iso_drive* drive, double v);
double iso_drive_curvature(const iso_drive* drive, double v);
extern const iso_potential_ops iso_drive_ops;

/// Drives of one joint that are bounded together: effort(v) = clamp(sum of their efforts). Each of
/// them falls with v, so what they do together does, and has a convex potential.
typedef struct iso_drive_sum {
    int dof;
    const iso_drive* first; ///< leads to the others
    double lower, upper;    ///< of the sum
    double v_upper;         ///< below this velocity the sum would be above `upper`
    double v_lower;         ///< above this one below `lower`
} iso_drive_sum;

iso_drive_sum iso_drive_sum_make(const iso_drive* first, double lower, double upper);
double iso_drive_sum_effort(const iso_drive_sum* sum, double v);
extern const iso_potential_ops iso_drive_sum_ops;

/// Dry friction over a step: 1/2 v^2 / R up to the impulse `limit`, from there on linear.
typedef struct iso_joint_friction {
    int dof;
    double limit;          ///< largest impulse [N m s] or [N s]
    double regularization; ///< R
} iso_joint_friction;

/// @param mobility  of the joint, about (A^-1)_ii
iso_joint_friction iso_joint_friction_make(int dof, double friction, double mobility, double dt);
/// Impulse on the joint.
double iso_joint_friction_impulse(const iso_joint_friction* friction, double v);
extern const iso_potential_ops iso_joint_friction_ops;
/// Share of a Newton step: one that changes the direction of sliding ends at rest.
double iso_joint_friction_share(const void* user, const double* u, const double* du);

/// Rows that shall move at a target velocity: 1/2 (u - u^) . K (u - u^); or one row that shall move
/// at most so fast.
typedef struct iso_tie {
    int rows;
    bool is_one_sided;
    double target[ISO_POTENTIAL_MAX_ROWS];
    double stiffness[ISO_POTENTIAL_MAX_ROWS * ISO_POTENTIAL_MAX_ROWS]; ///< K [rows * rows]
} iso_tie;

/// Near-rigid: closes the errors `sizes` in one step, but not sooner than in the time `recovery`
/// [s] and no faster than 1 m/s or 1 rad/s; what is slack may get as far as its length in dt. K is
/// 1e6 times the inverse of W = J A^-1 J^T where joints reach, else 0: whatever the axes and units,
/// the rows give way by 1e-6 of what their impulse alone would give them.
/// @param delassus  [rows * rows] W
iso_tie iso_tie_make(int rows, const double* sizes, bool is_one_sided, const double* delassus,
                     const iso_gap_reach* reach, double dt, double recovery);
/// A spring and damper, implicit over the step; never stiffer than the near-rigid one.
iso_tie iso_tie_make_spring(double size, double stiffness, double damping, bool is_one_sided,
                            double delassus, double dt);
/// Impulses [rows] along the rows.
void iso_tie_impulses(const iso_tie* tie, const double* u, double* out_impulses);
extern const iso_potential_ops iso_tie_ops;
