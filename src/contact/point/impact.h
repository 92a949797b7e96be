// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What an impact of a pair gives back. docs/theory/point_contact.md; [Gonthier2007] section 3.2.1.

#include "isobar/point.h"

/// Least restitution: 0 would need an infinite damping.
#define ISO_LEAST_RESTITUTION 0.01

/// How the restitution depends on the speed of impact v: e = base - slope v, at least
/// ISO_LEAST_RESTITUTION.
typedef struct iso_restitution {
    double base;  ///< at v = 0, ISO_LEAST_RESTITUTION to 1
    double slope; ///< alpha [s/m], >= 0; 0: constant
} iso_restitution;

/// Restitution at a speed of impact [m/s], >= 0.
double iso_restitution_at(const iso_restitution* restitution, double speed);
