// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Patches made by hand: the tests of the contact laws need no geometry.

#include "contact/pairs/contact_system.h"

#include <stdlib.h>
#include <string.h>

#define HAND_VERTICES_PER_FACE 4

/// A patch with its own memory, faces of three or four vertices.
typedef struct hand_patch {
    iso_contact_pair pair;
    int capacity;
    int* offsets;
    iso_vec3 *vertices, *centroids, *normals, *gradients_a, *gradients_b;
    double *vertex_pressures, *areas, *pressures;
} hand_patch;

static inline hand_patch hand_patch_make(int capacity) {
    size_t n = (size_t)capacity;
    hand_patch h = {.capacity = capacity};
    h.offsets = calloc(n + 1, sizeof *h.offsets);
    h.vertices = calloc(n * HAND_VERTICES_PER_FACE, sizeof *h.vertices);
    h.vertex_pressures = calloc(n * HAND_VERTICES_PER_FACE, sizeof *h.vertex_pressures);
    h.centroids = calloc(n, sizeof *h.centroids);
    h.normals = calloc(n, sizeof *h.normals);
    h.gradients_a = calloc(n, sizeof *h.gradients_a);
    h.gradients_b = calloc(n, sizeof *h.gradients_b);
    h.areas = calloc(n, sizeof *h.areas);
    h.pressures = calloc(n, sizeof *h.pressures);
    h.pair.patch = (iso_patch){.face_offsets = h.offsets,
                               .vertices = h.vertices,
                               .vertex_pressures = h.vertex_pressures,
                               .areas = h.areas,
                               .centroids = h.centroids,
                               .normals = h.normals,
                               .pressures = h.pressures,
                               .gradients_a = h.gradients_a,
                               .gradients_b = h.gradients_b};
    h.pair.modulus_a = h.pair.modulus_b = 1e6;
    return h;
}

static inline void hand_patch_free(hand_patch* h) {
    free(h->offsets);
    free(h->vertices);
    free(h->vertex_pressures);
    free(h->centroids);
    free(h->normals);
    free(h->gradients_a);
    free(h->gradients_b);
    free(h->areas);
    free(h->pressures);
}

/// Add a flat face, counter-clockwise about its normal, with the pressure p0 + g . x.
static inline void hand_patch_add(hand_patch* h, const iso_vec3* vertices, int count, double p0,
                                  iso_vec3 g, iso_vec3 gradient_a, iso_vec3 gradient_b) {
    iso_patch* p = &h->pair.patch;
    int f = p->face_count;
    int first = h->offsets[f];
    iso_vec3 sum = iso_vec3_zero(), area_vector = iso_vec3_zero(), moment = iso_vec3_zero();
    for (int i = 0; i < count; ++i) {
        h->vertices[first + i] = vertices[i];
        h->vertex_pressures[first + i] = p0 + iso_vec3_dot(g, vertices[i]);
        sum = iso_vec3_add_scaled(sum, vertices[i], 1.0 / count);
    }
    for (int i = 0; i < count; ++i) {
        iso_vec3 a = vertices[i], b = vertices[(i + 1) % count];
        iso_vec3 cross = iso_vec3_cross(iso_vec3_sub(a, sum), iso_vec3_sub(b, sum));
        iso_vec3 third = iso_vec3_scale(iso_vec3_add(sum, iso_vec3_add(a, b)), 1.0 / 3.0);
        area_vector = iso_vec3_add_scaled(area_vector, cross, 0.5);
        moment = iso_vec3_add_scaled(moment, third, 0.5 * iso_vec3_norm(cross));
    }
    double area = iso_vec3_norm(area_vector);
    h->offsets[f + 1] = first + count;
    h->areas[f] = area;
    h->centroids[f] = iso_vec3_scale(moment, 1.0 / area);
    h->normals[f] = iso_vec3_scale(area_vector, 1.0 / area);
    h->pressures[f] = p0 + iso_vec3_dot(g, h->centroids[f]);
    h->gradients_a[f] = gradient_a;
    h->gradients_b[f] = gradient_b;
    p->face_count = f + 1;
    p->vertex_count = first + count;
    p->area += area;
    p->centroid = iso_vec3_add_scaled(p->centroid, h->centroids[f], area);
}

/// Call once all faces are there: centroid, and p_wc at the centroid.
static inline void hand_patch_finish(hand_patch* h) {
    iso_patch* p = &h->pair.patch;
    p->centroid = iso_vec3_scale(p->centroid, 1.0 / p->area);
    p->center_of_pressure = p->centroid;
    h->pair.p_wc = p->centroid;
}

/// A square of half width `half` in the plane z = 0 cut into n x n squares (or twice as many
/// triangles), normal +z, pressure p0 + g . x, both fields with the slope `slope` along z.
static inline hand_patch hand_patch_square(double half, int n, bool is_triangles, double p0,
                                           iso_vec3 g, double slope) {
    hand_patch h = hand_patch_make(n * n * (is_triangles ? 2 : 1));
    iso_vec3 ga = iso_vec3_make(g.x, g.y, -slope), gb = iso_vec3_make(g.x, g.y, slope);
    double step = 2.0 * half / n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double x = -half + i * step, y = -half + j * step;
            iso_vec3 v[4] = {iso_vec3_make(x, y, 0.0), iso_vec3_make(x + step, y, 0.0),
                             iso_vec3_make(x + step, y + step, 0.0),
                             iso_vec3_make(x, y + step, 0.0)};
            if (is_triangles) {
                iso_vec3 other[3] = {v[0], v[2], v[3]};
                hand_patch_add(&h, v, 3, p0, g, ga, gb);
                hand_patch_add(&h, other, 3, p0, g, ga, gb);
            } else {
                hand_patch_add(&h, v, 4, p0, g, ga, gb);
            }
        }
    }
    hand_patch_finish(&h);
    return h;
}
