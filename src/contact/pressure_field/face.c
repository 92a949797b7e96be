// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pressure_field/face.h"

#include "contact/pairs/material.h"
#include "contact/pressure_field/pressure_field.h"
#include "surface/moments/exact_energy.h"

// A field that is flat, or falls where it should rise, pushes nothing apart [Pa/m].
#define SMALLEST_SLOPE 1e-14

// Smallest slope along the normal that the energy takes, as a share of the gradient: 60 degrees.
#define SMALLEST_COLUMN_SHARE 0.5

iso_face_slopes iso_patch_face_slopes(const iso_patch* patch, int face) {
    iso_vec3 n = patch->normals[face];
    iso_face_slopes s = {
        .a = patch->is_rigid_a ? INFINITY : -iso_vec3_dot(patch->gradients_a[face], n),
        .b = patch->is_rigid_b ? INFINITY : iso_vec3_dot(patch->gradients_b[face], n),
        .series = 0.0,
        .face = face,
    };
    if (s.a >= SMALLEST_SLOPE && s.b >= SMALLEST_SLOPE && !(isinf(s.a) && isinf(s.b))) {
        s.series = 1.0 / (1.0 / s.a + 1.0 / s.b);
    }
    return s;
}

/// max(g, |grad p| - g+): the slope itself up to 60 degrees from the normal, the whole gradient
/// where the field is tangential, no jump between.
static double release_slope(double slope, iso_vec3 gradient) {
    return fmax(slope, iso_vec3_norm(gradient) - fmax(slope, 0.0));
}

/// Whether a field is within 60 degrees of the normal, where its slope is that of release: seen
/// without a root.
static bool is_steep(double slope, iso_vec3 gradient) {
    return slope > SMALLEST_SLOPE && 4.0 * slope * slope >= iso_vec3_norm_squared(gradient);
}

double iso_patch_release_slope(const iso_patch* patch, const iso_face_slopes* slopes) {
    int f = slopes->face;
    if ((patch->is_rigid_a || is_steep(slopes->a, patch->gradients_a[f])) &&
        (patch->is_rigid_b || is_steep(slopes->b, patch->gradients_b[f]))) {
        return slopes->series;
    }
    double a = patch->is_rigid_a ? INFINITY : release_slope(slopes->a, patch->gradients_a[f]);
    double b = patch->is_rigid_b ? INFINITY : release_slope(slopes->b, patch->gradients_b[f]);
    bool is_flat = !(a > SMALLEST_SLOPE && b > SMALLEST_SLOPE) || (isinf(a) && isinf(b));
    return is_flat ? 0.0 : 1.0 / (1.0 / a + 1.0 / b);
}

double iso_contact_face_dissipation(const iso_contact_options* options,
                                    const iso_contact_pair* pair, const iso_face_slopes* slopes) {
    if (pair->face_dissipations) {
        return pair->face_dissipations[slopes->face];
    }
    if (options->combine != ISO_COMBINE_ELANDT) {
        return pair->dissipation;
    }
    return iso_dissipation_combine_face(slopes->a, pair->dissipation_a, slopes->b,
                                        pair->dissipation_b);
}

/// Integral of p^2 over where it is positive: a fan of triangles about the centroid [Pa^2 m^2].
static double pressure_squared_integral(const iso_patch* patch, int face) {
    iso_pressed_face pressed;
    iso_patch_press_face(patch, face, &pressed);
    int first = patch->face_offsets[face];
    int count = pressed.is_cut ? pressed.count : patch->face_offsets[face + 1] - first;
    const iso_vec3* vertices = pressed.is_cut ? pressed.vertices : patch->vertices + first;
    const double* pressures = pressed.is_cut ? pressed.pressures : patch->vertex_pressures + first;
    double p0 = pressed.pressure;
    double sum = 0.0;
    for (int i = 0; i < count && pressed.area > 0.0; ++i) {
        int next = i + 1 < count ? i + 1 : 0;
        iso_vec3 e1 = iso_vec3_sub(vertices[i], pressed.centroid);
        iso_vec3 e2 = iso_vec3_sub(vertices[next], pressed.centroid);
        double area = 0.5 * iso_vec3_norm(iso_vec3_cross(e1, e2));
        double p1 = pressures[i], p2 = pressures[next];
        sum += area / 6.0 * (p0 * (p0 + p1 + p2) + p1 * (p1 + p2) + p2 * p2);
    }
    return sum;
}

/// Slope of one field for its column of energy: a field that is nearly tangential (below the side
/// of a box) ends where its neighbours end it, not at p / slope, which has no bound.
static double column_slope(double slope, iso_vec3 gradient) {
    return fmax(slope, SMALLEST_COLUMN_SHARE * iso_vec3_norm(gradient));
}

double iso_contact_elastic_energy(const iso_contact_pair* pair) {
    const iso_patch* patch = &pair->patch;
    double energy = 0.0;
    for (int f = 0; f < patch->face_count; ++f) {
        iso_face_slopes slopes = iso_patch_face_slopes(patch, f);
        if (slopes.series > 0.0) {
            double a = column_slope(slopes.a, patch->gradients_a[f]);
            double b = column_slope(slopes.b, patch->gradients_b[f]);
            energy += 0.5 * pressure_squared_integral(patch, f) * (1.0 / a + 1.0 / b);
        }
    }
    return energy;
}

iso_status iso_contact_exact_energy(const iso_contact_pair* pair, iso_contact_shape* a,
                                    const iso_pose* x_wa, iso_contact_shape* b,
                                    const iso_pose* x_wb, iso_elastic_energy* out_energy) {
    iso_status status = iso_patch_exact_energy(a, x_wa, b, x_wb, &pair->patch, &out_energy->energy,
                                               &out_energy->is_exact);
    if (status == ISO_OK && !out_energy->is_exact) {
        out_energy->energy = iso_contact_elastic_energy(pair);
    }
    return status;
}
