// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Bristle friction with dwell time, of a point (translation) and of a flat patch (translation and
// spin about its normal, coupled): one law. Everything is per normal force: a model multiplies by
// its f_n. Nothing allocates. docs/theory/bristle.md; [Gonthier2007] sections 3.2.2 and 4.4.

#include "isobar/bristle.h"
#include "isobar/math.h"

/// Memory of one contact. At touch: zero deflections, dwell 0 (or 1: it has been at rest for long).
typedef struct iso_bristle_state {
    iso_vec3 deflection; ///< z, of the bristles, in the tangent plane [m]
    double turn;         ///< theta_n, of the bristles about the normal [rad]; a point has 0
    double dwell;        ///< s_dw, how far breakaway has risen, 0 to 1
} iso_bristle_state;

/// Numbers of a memory as an integrator sees it: deflection, turn, dwell.
#define ISO_BRISTLE_STATE_COUNT 5

/// How the second body moves on the first one.
typedef struct iso_bristle_slip {
    iso_vec3 normal;   ///< unit, from A into B
    iso_vec3 velocity; ///< of B relative to A; its part along the normal is left out [m/s]
    double spin;       ///< n . (omega_B - omega_A) [rad/s]; of no effect on a point
    double radius;     ///< r_gyr of the patch's pressure about the normal [m]; 0: a point
} iso_bristle_slip;

/// Friction per normal force, and how the memory moves.
typedef struct iso_bristle_result {
    iso_vec3 traction;      ///< force on B over f_n
    double moment;          ///< about the normal, on B, over f_n [m]
    iso_bristle_state rate; ///< time derivative of the memory
    double stick;           ///< s, 1 at rest, 0 in fast slip
    double bound;           ///< mu_max in effect
    bool is_saturated;      ///< the bristles of translation are at their bound
} iso_bristle_result;

/// The continuous law: friction now, and rates for an ODE integrator. The normal component of the
/// deflection is left out: as the normal turns, the memory turns with it.
void iso_bristle_eval(const iso_bristle_params* params, const iso_bristle_state* state,
                      const iso_bristle_slip* slip, iso_bristle_result* out_result);

/// The implicit form: the memory after dt of constant slip by backward Euler in the deflections, in
/// closed form, and exactly in the dwell. Stable for any dt > 0. The friction is that at the end of
/// the step; rate is the change over dt.
/// @param[in,out] state  may not be part of out_result
void iso_bristle_step(const iso_bristle_params* params, iso_bristle_state* state,
                      const iso_bristle_slip* slip, double dt, iso_bristle_result* out_result);

/// Energy in the bent bristles over f_n [m]: sigma_0 (|z|^2 + r^2 theta^2) / 2.
double iso_bristle_energy(const iso_bristle_params* params, const iso_bristle_state* state,
                          double radius);

/// Friction over normal force of a lasting slide at constant speed, breakaway in equilibrium.
double iso_bristle_steady(const iso_bristle_params* params, double speed);
