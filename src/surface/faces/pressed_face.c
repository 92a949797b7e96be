// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/faces/pressed_face.h"

#include <math.h>

// Append a vertex of the pressed polygon; one more than there is room for is dropped, which no
// convex polygon of a patch reaches.
static void put_pressed(iso_pressed_face* out, iso_vec3 p, double pressure) {
    if (out->count < ISO_PRESSED_VERTICES) {
        out->vertices[out->count] = p;
        out->pressures[out->count++] = pressure;
    }
}

// Sign of the first component that is not zero: turns with the normal.
static bool points_down(iso_vec3 n) {
    return n.x != 0.0 ? n.x < 0.0 : n.y != 0.0 ? n.y < 0.0 : n.z < 0.0;
}

static bool is_before(iso_vec3 a, iso_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

iso_face_order iso_face_order_find(const iso_vec3* vertices, int count, iso_vec3 normal) {
    iso_face_order order = {.first = 0, .count = count, .is_turned = points_down(normal)};
    for (int i = 1; i < count; ++i) {
        order.first = is_before(vertices[i], vertices[order.first]) ? i : order.first;
    }
    return order;
}

iso_vec3 iso_face_order_up(iso_vec3 normal) {
    return points_down(normal) ? iso_vec3_neg(normal) : normal;
}

// Area, centroid and pressure there of the pressed polygon, as a fan about a vertex. Of a sliver
// the triangles are rounding: those that seem to be turned over count nothing, or what is left
// would have its centroid anywhere.
static void measure_pressed(iso_vec3 normal, iso_pressed_face* out) {
    iso_face_order order = iso_face_order_find(out->vertices, out->count, normal);
    int first = order.first;
    iso_vec3 origin = out->vertices[first], moment = iso_vec3_zero();
    iso_vec3 up = iso_face_order_up(normal);
    double twice_area = 0.0, load = 0.0;
    for (int k = 1; k + 1 < out->count; ++k) {
        int i = iso_face_order_at(&order, k), next = iso_face_order_at(&order, k + 1);
        iso_vec3 a = iso_vec3_sub(out->vertices[i], origin);
        iso_vec3 b = iso_vec3_sub(out->vertices[next], origin);
        double weight = fmax(iso_vec3_dot(up, iso_vec3_cross(a, b)), 0.0);
        twice_area += weight;
        moment = iso_vec3_add_scaled(moment, iso_vec3_add(a, b), weight);
        load += weight * (out->pressures[first] + out->pressures[i] + out->pressures[next]);
    }
    if (twice_area > 0.0) {
        out->area = 0.5 * twice_area;
        out->centroid = iso_vec3_add_scaled(origin, moment, 1.0 / (3.0 * twice_area));
        out->pressure = load / (3.0 * twice_area);
    }
}

// Where the pressure is zero between two corners, seen from the pressed one.
static iso_vec3 zero_between(iso_vec3 a, double p, iso_vec3 b, double q) {
    return p > 0.0 ? iso_vec3_lerp(a, b, p / (p - q)) : iso_vec3_lerp(b, a, q / (q - p));
}

// The least and the largest pressure of the vertices of a face.
static void find_range(const iso_patch* patch, int face, double* out_least, double* out_most) {
    int first = patch->face_offsets[face], end = patch->face_offsets[face + 1];
    const double* p = patch->vertex_pressures;
    *out_least = *out_most = p[first];
    for (int i = first + 1; i < end; ++i) {
        *out_least = p[i] < *out_least ? p[i] : *out_least;
        *out_most = p[i] > *out_most ? p[i] : *out_most;
    }
}

bool iso_patch_is_face_cut(const iso_patch* patch, int face) {
    double least, most;
    find_range(patch, face, &least, &most);
    return iso_pressed_is_cut(least, most);
}

void iso_patch_press_face(const iso_patch* patch, int face, iso_pressed_face* out) {
    int first = patch->face_offsets[face], count = patch->face_offsets[face + 1] - first;
    const iso_vec3* vertices = patch->vertices + first;
    const double* p = patch->vertex_pressures + first;
    double least, most;
    find_range(patch, face, &least, &most);
    out->count = 0;
    out->is_cut = iso_pressed_is_cut(least, most);
    out->area = out->is_cut ? 0.0 : patch->areas[face];
    out->centroid = patch->centroids[face];
    out->pressure = out->is_cut ? 0.0 : patch->pressures[face];
    for (int i = 0; out->is_cut && most > 0.0 && i < count; ++i) {
        int next = i + 1 < count ? i + 1 : 0;
        if (p[i] >= 0.0) {
            put_pressed(out, vertices[i], p[i]);
        }
        if ((p[i] < 0.0 && p[next] > 0.0) || (p[i] > 0.0 && p[next] < 0.0)) {
            put_pressed(out, zero_between(vertices[i], p[i], vertices[next], p[next]), 0.0);
        }
    }
    if (out->count > 2) {
        measure_pressed(patch->normals[face], out);
    }
}
