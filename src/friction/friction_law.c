// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/friction_law.h"

#include "friction/laws/laws.h"

static const iso_friction_row* const k_laws[ISO_FRICTION_LAW_COUNT] = {
    [ISO_FRICTION_VISCOUS] = &iso_friction_viscous,
    [ISO_FRICTION_TANH] = &iso_friction_tanh,
    [ISO_FRICTION_ATAN] = &iso_friction_atan,
    [ISO_FRICTION_STRIBECK] = &iso_friction_stribeck,
    [ISO_FRICTION_THREE_PIECE] = &iso_friction_three_piece,
    [ISO_FRICTION_OWN] = &iso_friction_own,
    [ISO_FRICTION_COMPLIANT] = &iso_friction_compliant,
    [ISO_FRICTION_BRUSH] = &iso_friction_brush,
};

const char* iso_friction_law_name(iso_friction_law law) {
    return k_laws[law]->name;
}

double iso_friction_law_ratio(const iso_friction* friction, double speed) {
    const iso_friction_params* params = &friction->params;
    double x = speed / params->velocity;
    return k_laws[friction->law]->ratio(params, friction->own, x) / params->velocity;
}

double iso_friction_law_ratio_slope(const iso_friction* friction, double speed) {
    const iso_friction_params* params = &friction->params;
    double slope = k_laws[friction->law]->slope(params, friction->own, speed / params->velocity);
    return slope / (params->velocity * params->velocity);
}

double iso_friction_coefficient(iso_friction_law law, const iso_own_friction* own,
                                const iso_friction_params* params, double speed) {
    iso_friction friction = {.law = law, .own = own, .params = *params};
    return iso_friction_law_ratio(&friction, speed) * speed;
}
