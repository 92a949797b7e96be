// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Potentials of one joint velocity: limits and drives. docs/theory/step.md.

#include "isobar/world.h"
#include "solver/convex.h"

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
extern const iso_potential_ops iso_joint_limit_ops;

/// An actuator over a step: effort(v) = clamp(start - gain v) [N m] or [N], where v is the velocity
/// at the end of the step.
typedef struct iso_drive {
    int dof;
    double start; ///< effort at v = 0
    double gain;  ///< kp dt + kd
    double limit; ///< of the effort; INFINITY: none
    double dt;
} iso_drive;

iso_drive iso_drive_make(int dof, double kp, double kd, double limit,
                         const iso_actuation* actuation, double q, double dt);
/// True when the effort is affine in v, so that no potential is needed.
bool iso_drive_is_linear(const iso_drive* drive);
double iso_drive_effort(const iso_drive* drive, double v);
/// Make a drive with an effort limit no stiffer than the step can resolve.
void iso_drive_soften(iso_drive* drive, double mobility);
extern const iso_potential_ops iso_drive_ops;
