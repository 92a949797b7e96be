// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/friction.h"
#include "isobar/math.h"

#define ISO_FRICTION_LAW_COUNT (ISO_FRICTION_BRUSH + 1)

/// A law and what it is told. The tangential traction is a continuous function of the slip
/// velocity, t = -p ratio(|v|) v, so that ratio has the unit s/m. docs/theory/friction_laws.md.
typedef struct iso_friction {
    iso_friction_law law;
    const iso_own_friction* own; ///< of ISO_FRICTION_OWN
    iso_friction_params params;
} iso_friction;

/// Lower-case name ("viscous"), static storage.
const char* iso_friction_law_name(iso_friction_law law);

/// Friction traction per pressure and slip speed [s/m], finite at zero speed; >= 0 but for laws of
/// the caller's own that are not.
/// @param speed  |v| of the tangential velocity [m/s], >= 0
double iso_friction_law_ratio(const iso_friction* friction, double speed);

/// Derivative of that ratio with respect to the speed [s^2/m^2]; where the law has a corner
/// (viscous at v_c) that from below.
double iso_friction_law_ratio_slope(const iso_friction* friction, double speed);

/// Friction traction per pressure on the body that moves with v relative to the other.
/// @param v  tangential velocity [m/s]
static inline iso_vec3 iso_friction_law_traction(const iso_friction* friction, iso_vec3 v) {
    return iso_vec3_scale(v, -iso_friction_law_ratio(friction, iso_vec3_norm(v)));
}
