// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/friction_law.h"

// Below this argument f(x) / x is replaced by its first terms, which are exact to rounding there.
#define SMALL_ARGUMENT 1e-5

// The same for its derivative.
#define SMALL_SLOPE_ARGUMENT 1e-3

// Every law gives mu(x) / x, where x = speed / v_c and mu(x) is the friction coefficient in effect,
// and the derivative of that.
typedef double (*scaled_ratio_fn)(const iso_friction_params* params, double x);

static double viscous_ratio(const iso_friction_params* params, double x) {
    return params->friction_dynamic / (x > 1.0 ? x : 1.0);
}

static double tanh_ratio(const iso_friction_params* params, double x) {
    double s = x > SMALL_ARGUMENT ? tanh(x) / x : 1.0 - x * x / 3.0;
    return params->friction_dynamic * s;
}

static double atan_ratio(const iso_friction_params* params, double x) {
    double s = x > SMALL_ARGUMENT ? atan(x) / x : 1.0 - x * x / 3.0;
    return params->friction_dynamic * (2.0 / ISO_PI) * s;
}

// 6 x^5 - 15 x^4 + 10 x^3, divided by x: from 0 to 1 with two continuous derivatives.
static double smooth_step_ratio(double x) {
    return x * x * (10.0 + x * (6.0 * x - 15.0));
}

static double stribeck_ratio(const iso_friction_params* params, double x) {
    if (x < 1.0) {
        return params->friction_static * smooth_step_ratio(x);
    }
    double u = x < 3.0 ? 0.5 * (x - 1.0) : 1.0;
    double fall = u * smooth_step_ratio(u);
    double mu =
        params->friction_static - (params->friction_static - params->friction_dynamic) * fall;
    return mu / x;
}

static double viscous_slope(const iso_friction_params* params, double x) {
    return x > 1.0 ? -params->friction_dynamic / (x * x) : 0.0;
}

static double tanh_slope(const iso_friction_params* params, double x) {
    double slope = x * (8.0 / 15.0 * x * x - 2.0 / 3.0);
    if (x > SMALL_SLOPE_ARGUMENT) {
        double t = tanh(x);
        slope = (1.0 - t * t - t / x) / x;
    }
    return params->friction_dynamic * slope;
}

static double atan_slope(const iso_friction_params* params, double x) {
    double slope = x * (0.8 * x * x - 2.0 / 3.0);
    if (x > SMALL_SLOPE_ARGUMENT) {
        slope = (1.0 / (1.0 + x * x) - atan(x) / x) / x;
    }
    return params->friction_dynamic * (2.0 / ISO_PI) * slope;
}

static double stribeck_slope(const iso_friction_params* params, double x) {
    if (x < 1.0) {
        return params->friction_static * x * (20.0 + x * (24.0 * x - 45.0));
    }
    double u = x < 3.0 ? 0.5 * (x - 1.0) : 1.0;
    double drop = params->friction_static - params->friction_dynamic;
    double fall = 0.5 * drop * 30.0 * u * u * (u - 1.0) * (u - 1.0);
    return (-fall - stribeck_ratio(params, x)) / x;
}

static const struct {
    const char* name;
    scaled_ratio_fn ratio, slope;
} k_laws[ISO_FRICTION_LAW_COUNT] = {
    [ISO_FRICTION_VISCOUS] = {"viscous", viscous_ratio, viscous_slope},
    [ISO_FRICTION_TANH] = {"tanh", tanh_ratio, tanh_slope},
    [ISO_FRICTION_ATAN] = {"atan", atan_ratio, atan_slope},
    [ISO_FRICTION_STRIBECK] = {"stribeck", stribeck_ratio, stribeck_slope},
};

const char* iso_friction_law_name(iso_friction_law law) {
    return k_laws[law].name;
}

double iso_friction_law_ratio(iso_friction_law law, const iso_friction_params* params,
                              double speed) {
    return k_laws[law].ratio(params, speed / params->velocity) / params->velocity;
}

double iso_friction_law_ratio_slope(iso_friction_law law, const iso_friction_params* params,
                                    double speed) {
    double slope = k_laws[law].slope(params, speed / params->velocity);
    return slope / (params->velocity * params->velocity);
}
