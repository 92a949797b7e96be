// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/laws/laws.h"

// 6 x^5 - 15 x^4 + 10 x^3, divided by x: from 0 to 1 with two continuous derivatives.
static double smooth_step_ratio(double x) {
    return x * x * (10.0 + x * (6.0 * x - 15.0));
}

static double ratio(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    if (x < 1.0) {
        return params->friction_static * smooth_step_ratio(x);
    }
    double u = x < 3.0 ? 0.5 * (x - 1.0) : 1.0;
    double fall = u * smooth_step_ratio(u);
    double mu =
        params->friction_static - (params->friction_static - params->friction_dynamic) * fall;
    return mu / x;
}

static double slope(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    if (x < 1.0) {
        return params->friction_static * x * (20.0 + x * (24.0 * x - 45.0));
    }
    double u = x < 3.0 ? 0.5 * (x - 1.0) : 1.0;
    double drop = params->friction_static - params->friction_dynamic;
    double fall = 0.5 * drop * 30.0 * u * u * (u - 1.0) * (u - 1.0);
    return (-fall - ratio(params, own, x)) / x;
}

const iso_friction_row iso_friction_stribeck = {"stribeck", ratio, slope};
