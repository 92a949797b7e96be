// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/laws/laws.h"

#include <math.h>

static double ratio(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    double s = x > ISO_SMALL_ARGUMENT ? tanh(x) / x : 1.0 - x * x / 3.0;
    return params->friction_dynamic * s;
}

static double slope(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    double slope = x * (8.0 / 15.0 * x * x - 2.0 / 3.0);
    if (x > ISO_SMALL_SLOPE_ARGUMENT) {
        double t = tanh(x);
        slope = (1.0 - t * t - t / x) / x;
    }
    return params->friction_dynamic * slope;
}

const iso_friction_row iso_friction_tanh = {"tanh", ratio, slope};
