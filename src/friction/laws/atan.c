// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/laws/laws.h"
#include "isobar/math.h"

static double ratio(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    double s = x > ISO_SMALL_ARGUMENT ? atan(x) / x : 1.0 - x * x / 3.0;
    return params->friction_dynamic * (2.0 / ISO_PI) * s;
}

static double slope(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    double slope = x * (0.8 * x * x - 2.0 / 3.0);
    if (x > ISO_SMALL_SLOPE_ARGUMENT) {
        slope = (1.0 / (1.0 + x * x) - atan(x) / x) / x;
    }
    return params->friction_dynamic * (2.0 / ISO_PI) * slope;
}

const iso_friction_row iso_friction_atan = {"atan", ratio, slope};
