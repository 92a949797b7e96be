// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Tendons: weighted sums of the positions of joints, or the lengths of routes through space, which
// springs, dampers and actuators may act along. docs/theory/multibody.md.

#include "multibody/route.h"

/// l = sum of w_i q_i over joints of one degree of freedom and of one tree (iso_mb_body.joined),
/// with a spring, a damper, dry friction and limits along l. Or l of a route over one such tree.
typedef struct iso_fixed_tendon {
    int count;
    const int* bodies;     ///< [count] each once; their inboard joints
    const double* weights; ///< [count]
    double stiffness, damping;
    double reference;            ///< length at which the spring is at rest
    double friction;             ///< effort below which it holds
    double lower, upper;         ///< infinite: none
    bool is_off;                 ///< these do not hold
    int part_count;              ///< of its route; 0: none
    const iso_route_part* parts; ///< [part_count] bodies of the multibody
} iso_fixed_tendon;

/// The tree it moves in; -1: nothing of it moves.
int iso_fixed_tendon_tree(const iso_fixed_tendon* tendon, const iso_multibody* multibody);

/// The kinematics are those of q; only a route needs them.
double iso_fixed_tendon_length(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                               const iso_kinematics* kinematics, const double* q);
/// dl/dt
double iso_fixed_tendon_rate(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                             const iso_kinematics* kinematics, const double* v);
/// tau += w effort
void iso_fixed_tendon_add_effort(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                                 const iso_kinematics* kinematics, double effort, double* tau);
/// Effort of spring and damper along l.
double iso_fixed_tendon_passive_effort(const iso_fixed_tendon* tendon,
                                       const iso_multibody* multibody,
                                       const iso_kinematics* kinematics, const double* q,
                                       const double* v);
/// Whether it has a limit that holds.
bool iso_fixed_tendon_is_limited(const iso_fixed_tendon* tendon);
/// Whether it has a limit that holds, or dry friction.
bool iso_fixed_tendon_has_laws(const iso_fixed_tendon* tendon);
/// w of a degree of freedom; 0: it is not there.
double iso_fixed_tendon_weight(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                               const iso_kinematics* kinematics, int dof);
/// Energy of the spring [J].
double iso_fixed_tendon_energy(const iso_fixed_tendon* tendon, const iso_multibody* multibody,
                               const iso_kinematics* kinematics, const double* q);
