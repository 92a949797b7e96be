// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/laws/laws.h"

#include <float.h>
#include <math.h>

// Below this x the law is taken as a straight line through zero.
#define STRAIGHT 1e-6

static double coefficient(const iso_friction_params* params, const iso_own_friction* own,
                          double x) {
    double mu = own->coefficient(own->user, params, x * params->velocity);
    return mu >= 0.0 && isfinite(mu) ? mu : NAN; // one that drives is none
}

static double ratio(const iso_friction_params* params, const iso_own_friction* own, double x) {
    double place = fmax(x, STRAIGHT);
    return coefficient(params, own, place) / place;
}

static double slope(const iso_friction_params* params, const iso_own_friction* own, double x) {
    if (x <= STRAIGHT) {
        return 0.0;
    }
    double mu = coefficient(params, own, x), slope;
    if (own->slope) {
        slope = own->slope(own->user, params, x * params->velocity) * params->velocity;
    } else {
        double h = cbrt(DBL_EPSILON) * x;
        slope = (coefficient(params, own, x + h) - coefficient(params, own, x - h)) / (2.0 * h);
    }
    return (slope - mu / x) / x;
}

const iso_friction_row iso_friction_own = {"own", ratio, slope};
