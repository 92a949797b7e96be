// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/laws/laws.h"

static double ratio(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    double drop = params->friction_static - params->friction_dynamic;
    double fallen = x <= 2.0 ? 0.0 : x < 3.0 ? x - 2.0 : 1.0;
    return (params->friction_static - drop * fallen) / (x > 1.0 ? x : 1.0);
}

static double slope(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    if (x <= 1.0) {
        return 0.0;
    }
    double drop = params->friction_static - params->friction_dynamic;
    double fall = x > 2.0 && x <= 3.0 ? drop : 0.0;
    return (-fall - ratio(params, own, x)) / x;
}

const iso_friction_row iso_friction_three_piece = {"three_piece", ratio, slope};
