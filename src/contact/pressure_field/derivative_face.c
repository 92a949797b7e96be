// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pressure_field/derivative_face.h"

#include "contact/pressure_field/face.h"
#include "surface/shapes/contact_shape_data.h"

static iso_vec3 unit(int axis) {
    return iso_vec3_make(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
}

// A value of one side and its rate.
typedef struct rated {
    double value;
    iso_rate1 rate;
} rated;

// Slope of a field along the normal: sign * gradient . n; the gradient of B turns with it.
static rated rate_slope(iso_vec3 gradient, bool is_of_b, iso_vec3 n, const iso_mat3* normal_rate) {
    double sign = is_of_b ? 1.0 : -1.0;
    rated r = {.value = sign * iso_vec3_dot(gradient, n)};
    for (int j = 0; j < 3; ++j) {
        iso_vec3 turned = is_of_b ? iso_vec3_cross(unit(j), gradient) : iso_vec3_zero();
        r.rate.d[j] = sign * (iso_vec3_dot(gradient, iso_mat3_column(normal_rate, j)) +
                              iso_vec3_dot(turned, n));
    }
    return r;
}

// Rise of the extent at a point of a face, and its gradient (row i: of component i), in W.
typedef struct extent_rise {
    iso_vec3 rise;
    iso_mat3 gradient;
} extent_rise;

static extent_rise find_rise(const iso_contact_system* system, int geometry, const iso_pose* x_wg,
                             int element, iso_vec3 pressure_gradient, iso_vec3 p_wq) {
    const iso_contact_part* part = &system->parts[geometry];
    extent_rise r = {.rise = iso_vec3_scale(pressure_gradient, 1.0 / part->modulus)};
    r.gradient = iso_mat3_zero();
    if (!part->extent_gradients || element < 0) {
        return r;
    }
    const iso_tet_mesh* mesh = &system->geometries[geometry].shape->field->mesh;
    const int* tet = mesh->tets[element];
    iso_vec3 o = mesh->vertices[tet[0]], e[3], p = iso_pose_inverse_point(x_wg, p_wq);
    for (int k = 0; k < 3; ++k) {
        e[k] = iso_vec3_sub(mesh->vertices[tet[k + 1]], o);
    }
    // Gradients of the barycentric coordinates 1, 2, 3.
    double six_volume = iso_vec3_dot(e[0], iso_vec3_cross(e[1], e[2]));
    iso_vec3 sum = part->extent_gradients[tet[0]];
    iso_mat3 gradient = iso_mat3_zero();
    for (int k = 0; k < 3; ++k) {
        iso_vec3 weight =
            iso_vec3_scale(iso_vec3_cross(e[(k + 1) % 3], e[(k + 2) % 3]), 1.0 / six_volume);
        iso_vec3 change =
            iso_vec3_sub(part->extent_gradients[tet[k + 1]], part->extent_gradients[tet[0]]);
        sum = iso_vec3_add_scaled(sum, change, iso_vec3_dot(weight, iso_vec3_sub(p, o)));
        gradient = iso_mat3_add(gradient, iso_mat3_outer(change, weight));
    }
    r.rise = iso_mat3_mul_vec3(&x_wg->r, sum);
    r.gradient = iso_mat3_mul(iso_mat3_mul(x_wg->r, gradient), iso_mat3_transpose(x_wg->r));
    return r;
}

// chi of one side (contact/pressure_field/extent_rate.c): how fast the extent rises into the body.
static rated rate_chi(const iso_contact_system* system, int geometry, const extent_rise* rise,
                      bool is_of_b, iso_vec3 n, iso_vec3 arm, const iso_mat3* normal_rate,
                      const iso_rate3* centroid_rate) {
    const iso_contact_part* part = &system->parts[geometry];
    double factor = part->dissipation * part->thickness * (is_of_b ? 1.0 : -1.0);
    rated r = {.value = factor * iso_vec3_dot(rise->rise, n)};
    if (!(r.value > 0.0)) {
        return (rated){.value = 0.0};
    }
    for (int j = 0; j < 6; ++j) {
        // Seen from the body the point moves with its own velocity less that of the body.
        iso_vec3 motion = centroid_rate->d[j], change = iso_vec3_zero();
        if (is_of_b) {
            iso_vec3 body = j < 3 ? iso_vec3_cross(unit(j), arm) : unit(j - 3);
            motion = iso_vec3_sub(motion, body);
            change = j < 3 ? iso_vec3_cross(unit(j), rise->rise) : change;
        }
        change = iso_vec3_add(change, iso_mat3_mul_vec3(&rise->gradient, motion));
        r.rate.d[j] = factor * iso_vec3_dot(change, n);
        if (j < 3) {
            r.rate.d[j] += factor * iso_vec3_dot(rise->rise, iso_mat3_column(normal_rate, j));
        }
    }
    return r;
}

// iso_dissipation_combine_face() of values that change.
static void rate_combination(const iso_contact_pair* pair, const rated* slope_a, const rated* chi_a,
                             const rated* slope_b, const rated* chi_b, iso_rate1* out) {
    if (pair->patch.is_rigid_a || pair->patch.is_rigid_b) {
        *out = pair->patch.is_rigid_a ? chi_b->rate : chi_a->rate;
        return;
    }
    double a = slope_a->value, b = slope_b->value, sum = a + b;
    double share_a = b / sum, share_b = a / sum;
    // Both shares change by the same amount, in opposite directions.
    double by_share = 2.0 * (chi_a->value * share_a - chi_b->value * share_b);
    for (int j = 0; j < 6; ++j) {
        double share_rate = (share_b * slope_b->rate.d[j] - share_a * slope_a->rate.d[j]) / sum;
        out->d[j] = by_share * share_rate + share_a * share_a * chi_a->rate.d[j] +
                    share_b * share_b * chi_b->rate.d[j];
    }
}

void iso_contact_face_dissipation_rate(const iso_contact_system* system,
                                       const iso_contact_pair* pair, int face, const iso_pose* x_wa,
                                       const iso_pose* x_wb, const iso_mat3* normal_rate,
                                       const iso_rate3* centroid_rate, iso_rate1* out_rate) {
    *out_rate = (iso_rate1){{0.0}};
    const iso_patch* patch = &pair->patch;
    bool is_extent_rate = pair->face_dissipations != NULL;
    if (!is_extent_rate && system->options.combine != ISO_COMBINE_ELANDT) {
        return;
    }
    iso_vec3 n = patch->normals[face], p_wq = patch->centroids[face];
    iso_vec3 g_a = patch->gradients_a[face], g_b = patch->gradients_b[face];
    rated slope_a = rate_slope(g_a, false, n, normal_rate);
    rated slope_b = rate_slope(g_b, true, n, normal_rate);
    rated chi_a = {.value = pair->dissipation_a}, chi_b = {.value = pair->dissipation_b};
    if (is_extent_rate) {
        iso_vec3 arm = iso_vec3_sub(p_wq, pair->p_wc);
        const iso_face_elements* elements = &patch->elements[face];
        if (!patch->is_rigid_a) {
            extent_rise rise = find_rise(system, pair->geometry_a, x_wa, elements->a, g_a, p_wq);
            chi_a = rate_chi(system, pair->geometry_a, &rise, false, n, arm, normal_rate,
                             centroid_rate);
        }
        if (!patch->is_rigid_b) {
            extent_rise rise = find_rise(system, pair->geometry_b, x_wb, elements->b, g_b, p_wq);
            chi_b =
                rate_chi(system, pair->geometry_b, &rise, true, n, arm, normal_rate, centroid_rate);
        }
    }
    rate_combination(pair, &slope_a, &chi_a, &slope_b, &chi_b, out_rate);
}
