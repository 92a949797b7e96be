// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/laws/laws.h"

// Of springs that are not stretched: their dampers up to Coulomb's bound. With stretch:
// friction/shell/.

static double ratio(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    double damped = params->damping * params->velocity, mu = params->friction_dynamic;
    return damped * x > mu ? mu / x : mu > 0.0 ? damped : 0.0;
}

static double slope(const iso_friction_params* params, const iso_own_friction* own, double x) {
    (void)own;
    bool is_bound = params->damping * params->velocity * x > params->friction_dynamic;
    return is_bound ? -params->friction_dynamic / (x * x) : 0.0;
}

const iso_friction_row iso_friction_compliant = {"compliant", ratio, slope};
const iso_friction_row iso_friction_brush = {"brush", ratio, slope};
