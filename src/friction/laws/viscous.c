// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/laws/laws.h"

static double ratio(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    return params->friction_dynamic / (x > 1.0 ? x : 1.0);
}

static double slope(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    return x > 1.0 ? -params->friction_dynamic / (x * x) : 0.0;
}

const iso_friction_row iso_friction_viscous = {"viscous", ratio, slope};
