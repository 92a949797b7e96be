// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Hysteretic damping: f = k depth^p (1 + A w), w = approach speed over that at impact. The factor
// A = d / e alone decides how fast an impact ends. docs/theory/point_contact.md;
// [Gonthier2007] section 3.2.1.

#include "isobar/base.h"
#include "isobar/math.h"

/// Which damping belongs to a restitution.
typedef enum iso_damping_model {
    ISO_DAMPING_EXACT,               ///< of the closed loop: gives what was asked for
    ISO_DAMPING_HUNT_CROSSLEY,       ///< A = 3/2 (1 - e), for e near 1
    ISO_DAMPING_LANKARANI_NIKRAVESH, ///< A = 3/4 (1 - e^2), for e near 1
    ISO_DAMPING_MODEL_COUNT
} iso_damping_model;

/// Least restitution: 0 would need an infinite damping.
#define ISO_LEAST_RESTITUTION 0.01

/// How the restitution depends on the speed of impact v: e = base - slope v, at least
/// ISO_LEAST_RESTITUTION.
typedef struct iso_restitution {
    double base;  ///< at v = 0, ISO_LEAST_RESTITUTION to 1
    double slope; ///< alpha [s/m], >= 0; 0: constant
} iso_restitution;

/// Lower-case name ("hunt_crossley"), static storage.
const char* iso_damping_model_name(iso_damping_model model);

/// Restitution at a speed of impact [m/s], >= 0.
double iso_restitution_at(const iso_restitution* restitution, double speed);

/// d of (1 + d/e) / (1 - d) = exp(d (1 + e) / e), to rounding.
/// @param e  ISO_LEAST_RESTITUTION <= e <= 1 (smaller ones give 1 to rounding)
/// @param[out] out_log_rest  -ln(1 - d), which 1 - d loses for small e; may be NULL
double iso_damping_factor(double e, double* out_log_rest);

/// A = d / e, the share of damping at the moment of impact. A >= 0.
double iso_damping_share(iso_damping_model model, double e);

/// Restitution that comes of a share: the root of the closed loop. 1 for A = 0.
double iso_damping_restitution(double share);

/// Greatest depth of an impact with speed v of a reduced mass m:
/// k depth^(p+1) / (p+1) = m v^2 (A - ln(1 + A)) / A^2.
double iso_impact_depth(double stiffness, double exponent, double mass, double speed, double share);
