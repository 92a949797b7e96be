// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/constraints/adhesion.h"

static bool is_of(const iso_contact_pair* pair, int body) {
    return pair->body_a == body || pair->body_b == body;
}

void iso_adhesion_share(const iso_contact_set* set, int body, double force, iso_spatial* f_bc_w) {
    double area = 0.0;
    for (int i = 0; i < set->pair_count; ++i) {
        area += is_of(&set->pairs[i], body) ? set->pairs[i].patch.area : 0.0;
    }
    for (int i = 0; area > 0.0 && i < set->pair_count; ++i) {
        const iso_contact_pair* pair = &set->pairs[i];
        if (!is_of(pair, body) || !(pair->patch.area > 0.0)) {
            continue;
        }
        iso_vec3 pull =
            iso_vec3_scale(pair->model->normal(pair), -force * (pair->patch.area / area));
        iso_vec3 arm = iso_vec3_sub(pair->patch.centroid, pair->p_wc);
        f_bc_w[i] = iso_spatial_add(f_bc_w[i], iso_spatial_make(iso_vec3_cross(arm, pull), pull));
    }
}
