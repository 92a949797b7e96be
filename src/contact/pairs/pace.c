// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How fast geometries move by their own sides.

#include "contact/pairs/contact_system_state.h"

#include <math.h>

// Sides that are shorter stand for points and sheets, which have none.
#define LEAST_SIDE 1e-5 // [m]

static double rate_of(const iso_contact_part* part, const iso_pose* x_wg, iso_spatial v_at_origin) {
    iso_vec3 half = iso_vec3_scale(iso_vec3_sub(part->upper, part->lower), 0.5);
    iso_vec3 center = iso_pose_point(x_wg, iso_vec3_lerp(part->lower, part->upper, 0.5));
    iso_mat3 to_g = iso_mat3_transpose(x_wg->r);
    iso_spatial v_c = iso_spatial_shift_twist(v_at_origin, iso_vec3_sub(center, x_wg->p));
    iso_vec3 v = iso_mat3_mul_vec3(&to_g, v_c.translational);
    iso_vec3 w = iso_mat3_mul_vec3(&to_g, v_c.rotational);
    const double speeds[3] = {fabs(v.x) + fabs(w.y) * half.z + fabs(w.z) * half.y,
                              fabs(v.y) + fabs(w.z) * half.x + fabs(w.x) * half.z,
                              fabs(v.z) + fabs(w.x) * half.y + fabs(w.y) * half.x};
    const double sides[3] = {2.0 * half.x, 2.0 * half.y, 2.0 * half.z};
    double rate = 0.0;
    for (int i = 0; i < 3; ++i) {
        rate = sides[i] > LEAST_SIDE ? fmax(rate, speeds[i] / sides[i]) : rate;
    }
    return rate;
}

double iso_contact_system_pace(const iso_contact_system* system, const iso_pose* x_wb,
                               const iso_spatial* v_wb) {
    double largest = 0.0;
    for (int i = 0; i < system->geometry_count; ++i) {
        const iso_contact_geometry* g = &system->geometries[i];
        if (!system->parts[i].is_half_space) {
            iso_pose x_wg = iso_pose_mul(&x_wb[g->body], &g->x_bg);
            iso_vec3 arm = iso_vec3_sub(x_wg.p, x_wb[g->body].p);
            iso_spatial v = iso_spatial_shift_twist(v_wb[g->body], arm);
            largest = fmax(largest, rate_of(&system->parts[i], &x_wg, v));
        }
    }
    return largest;
}
