// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/math.h"

/// Regularised Coulomb friction: the tangential traction is a continuous function of the slip
/// velocity, t = -p ratio(|v|) v, so that ratio has the unit s/m. All laws reach the same Coulomb
/// bound when the regularisation velocity goes to zero. docs/theory/contact.md.
typedef enum iso_friction_law {
    ISO_FRICTION_VISCOUS,  ///< linear up to the cut-off velocity, constant above; [Elandt2022] 5.16
    ISO_FRICTION_TANH,     ///< mu tanh(|v| / v_c); [Elandt2022] section 5.2.3
    ISO_FRICTION_ATAN,     ///< mu (2 / pi) atan(|v| / v_c)
    ISO_FRICTION_STRIBECK, ///< smooth: static coefficient at v_c, dynamic from 3 v_c on
    ISO_FRICTION_LAW_COUNT
} iso_friction_law;

/// Coefficients of one pair.
typedef struct iso_friction_params {
    double friction_static;  ///< >= friction_dynamic; used by ISO_FRICTION_STRIBECK only
    double friction_dynamic; ///< >= 0
    double velocity;         ///< v_c, regularisation [m/s], > 0
} iso_friction_params;

/// Lower-case name ("viscous"), static storage.
const char* iso_friction_law_name(iso_friction_law law);

/// Friction traction per pressure and slip speed [s/m], >= 0 and finite at zero speed.
/// @param speed  |v| of the tangential velocity [m/s], >= 0
double iso_friction_law_ratio(iso_friction_law law, const iso_friction_params* params,
                              double speed);

/// Derivative of that ratio with respect to the speed [s^2/m^2]; where the law has a corner
/// (viscous at v_c) that from below.
double iso_friction_law_ratio_slope(iso_friction_law law, const iso_friction_params* params,
                                    double speed);

/// Friction traction per pressure on the body that moves with v relative to the other.
/// @param v  tangential velocity [m/s]
static inline iso_vec3 iso_friction_law_traction(iso_friction_law law,
                                                 const iso_friction_params* params, iso_vec3 v) {
    return iso_vec3_scale(v, -iso_friction_law_ratio(law, params, iso_vec3_norm(v)));
}
