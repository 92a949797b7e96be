// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The friction laws: one constant row each, in a file of its own. docs/extending.md.

#include "isobar/friction.h"

/// A law by x = speed / v_c >= 0. Laws that are the caller's own are told of it by `own`.
typedef struct iso_friction_row {
    const char* name;
    /// Friction coefficient over x, finite at 0.
    double (*ratio)(const iso_friction_params* params, const iso_own_friction* own, double x);
    /// Derivative of that by x; at a corner that from below.
    double (*slope)(const iso_friction_params* params, const iso_own_friction* own, double x);
} iso_friction_row;

extern const iso_friction_row iso_friction_viscous, iso_friction_tanh, iso_friction_atan,
    iso_friction_stribeck, iso_friction_three_piece, iso_friction_own, iso_friction_compliant,
    iso_friction_brush;

// Below this argument f(x) / x is replaced by its first terms, which are exact to rounding there.
#define ISO_SMALL_ARGUMENT 1e-5

// The same for its derivative.
#define ISO_SMALL_SLOPE_ARGUMENT 1e-3
