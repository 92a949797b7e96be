// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Parameters of bristle friction. Theory: docs/theory/bristle.md.

#include "isobar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Friction with a memory: bristles that bend by some length before they slide, a coefficient that
/// falls with the slip speed, and a breakaway that grows with the time at rest. Stiffness and
/// dampings are per normal force, as the true area of contact is proportional to it.
/// [Gonthier2007], table 3.1.
typedef struct iso_bristle_params {
    double friction_static;  ///< mu_S, after a long rest, >= friction_dynamic
    double friction_dynamic; ///< mu_C, while sliding, >= 0
    double stiffness;        ///< sigma_0, of the bristles [1/m], > 0
    double damping;          ///< sigma_1, of the bristles [s/m], > 0
    double viscous;          ///< sigma_2, of what lies between [s/m], >= 0
    double stribeck_speed;   ///< v_s, at which sticking has fallen to 1/e [m/s], > 0
    double dwell_time;       ///< tau_dw, of the rise of breakaway [s], >= 0; 0: none, it is
                             ///< instantly that of the speed
    double smoothing_speed;  ///< v_eps, below which the direction of slip is smoothed [m/s],
                             ///< > 0, at most stribeck_speed / 10
} iso_bristle_params;

/// What a user knows of two surfaces when nothing was measured but the coefficients.
/// [Gonthier2007], section 3.3.2.
typedef struct iso_bristle_guess {
    double friction_dynamic;  ///< cannot be guessed, >= 0
    double friction_static;   ///< >= friction_dynamic; 0: the same
    double presliding;        ///< length at breakaway [m], small beside the body; 0: 0.1 mm
    double sliding_speed;     ///< expected [m/s]; 0: 0.1 m/s. The Stribeck speed is a hundredth
    double load_acceleration; ///< normal force over the mass that slides [m/s^2]; 0: 9.81
} iso_bristle_guess;

/// Parameters by rules of thumb: stiffness mu_S / presliding, damping 2 sqrt(sigma_0 / g)
/// (critical), no viscous part, dwell time 10 sigma_1 / sigma_0, smoothing speed v_s / 100.
/// With friction_dynamic 0 the stiffness is 1 / presliding.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE
ISO_NODISCARD ISO_API iso_status iso_bristle_from_guess(iso_context* ctx,
                                                        const iso_bristle_guess* guess,
                                                        iso_bristle_params* out_params);

/// Whether parameters can be used.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (the message names parameter, value and range)
ISO_NODISCARD ISO_API iso_status iso_bristle_check(iso_context* ctx,
                                                   const iso_bristle_params* params);

#ifdef __cplusplus
}
#endif
