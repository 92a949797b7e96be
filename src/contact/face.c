// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/face.h"

#include "contact/material.h"

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

// Append a vertex of the pressed polygon; one more than there is room for is dropped, which no
// convex polygon of a patch reaches.
static void put_pressed(iso_pressed_face* out, iso_vec3 p, double pressure) {
    if (out->count < ISO_PRESSED_VERTICES) {
        out->vertices[out->count] = p;
        out->pressures[out->count++] = pressure;
    }
}

// Area, centroid and pressure there of the pressed polygon, as a fan about its first vertex.
static void measure_pressed(iso_vec3 normal, iso_pressed_face* out) {
    iso_vec3 origin = out->count > 0 ? out->vertices[0] : iso_vec3_zero();
    iso_vec3 moment = iso_vec3_zero();
    double twice_area = 0.0, load = 0.0;
    for (int i = 2; i < out->count; ++i) {
        iso_vec3 a = iso_vec3_sub(out->vertices[i - 1], origin);
        iso_vec3 b = iso_vec3_sub(out->vertices[i], origin);
        double weight = iso_vec3_dot(normal, iso_vec3_cross(a, b));
        twice_area += weight;
        moment = iso_vec3_add_scaled(moment, iso_vec3_add(a, b), weight);
        load += weight * (out->pressures[0] + out->pressures[i - 1] + out->pressures[i]);
    }
    if (twice_area > 0.0) {
        out->area = 0.5 * twice_area;
        out->centroid = iso_vec3_add_scaled(origin, moment, 1.0 / (3.0 * twice_area));
        out->pressure = load / (3.0 * twice_area);
    }
}

void iso_patch_press_face(const iso_patch* patch, int face, iso_pressed_face* out) {
    int first = patch->face_offsets[face], count = patch->face_offsets[face + 1] - first;
    const iso_vec3* vertices = patch->vertices + first;
    const double* p = patch->vertex_pressures + first;
    double least = p[0], most = p[0];
    for (int i = 1; i < count; ++i) {
        least = p[i] < least ? p[i] : least;
        most = p[i] > most ? p[i] : most;
    }
    out->count = 0;
    out->is_cut = false;
    if (least >= -ISO_PRESSED_ROUNDING * most) {
        out->area = patch->areas[face];
        out->centroid = patch->centroids[face];
        out->pressure = patch->pressures[face];
        return;
    }
    out->area = out->pressure = 0.0;
    out->centroid = patch->centroids[face];
    out->is_cut = true;
    for (int i = 0; i < count && most > 0.0; ++i) {
        int next = i + 1 < count ? i + 1 : 0;
        if (p[i] >= 0.0) {
            put_pressed(out, vertices[i], p[i]);
        }
        if ((p[i] < 0.0 && p[next] > 0.0) || (p[i] > 0.0 && p[next] < 0.0)) {
            double share = p[i] / (p[i] - p[next]);
            put_pressed(out, iso_vec3_lerp(vertices[i], vertices[next], share), 0.0);
        }
    }
    measure_pressed(patch->normals[face], out);
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
