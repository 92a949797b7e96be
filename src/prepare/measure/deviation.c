// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/measure/deviation.h"

#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/search/distance.h"
#include "math/limits.h"

#include <math.h>

#define SAMPLE_COUNT 20000.0 // spread over the whole surface, beside one for each small triangle
#define MOST_CUTS 64         // of a triangle's side

static double look(const iso_distance_tree* tree, iso_vec3 p, iso_prepare_deviation* out) {
    double distance = iso_distance_to_surface(tree, p, NULL, NULL);
    if (distance > out->max) {
        out->max = distance;
        out->where = p;
    }
    return distance;
}

// A triangle cut into cuts^2 equal ones: the mean squared distance of their middles.
static double look_inside(const iso_distance_tree* tree, const iso_vec3 p[3], int cuts,
                          iso_prepare_deviation* out) {
    iso_vec3 u = iso_vec3_sub(p[1], p[0]), v = iso_vec3_sub(p[2], p[0]);
    double sum = 0.0;
    for (int i = 0; i < cuts; ++i) {
        for (int k = 0; k < 2 * (cuts - i) - 1; ++k) {
            double third = k % 2 == 0 ? 1.0 / 3.0 : 2.0 / 3.0; // upright, upside down
            double s = (i + third) / cuts, r = (k / 2 + third) / cuts;
            iso_vec3 q = iso_vec3_add(iso_vec3_scale(u, s), iso_vec3_scale(v, r));
            double distance = look(tree, iso_vec3_add(p[0], q), out);
            sum += distance * distance;
        }
    }
    return sum / ((double)cuts * cuts);
}

static void look_over(const iso_distance_tree* tree, const iso_tri_mesh* from,
                      iso_prepare_deviation* out) {
    double cell = iso_tri_mesh_area(from) / SAMPLE_COUNT, area_sum = 0.0, sum = 0.0;
    for (int i = 0; i < from->triangle_count; ++i) {
        const int* t = from->triangles[i];
        iso_vec3 p[3] = {from->vertices[t[0]], from->vertices[t[1]], from->vertices[t[2]]};
        double area = iso_vec3_norm(iso_triangle_area_vector(p[0], p[1], p[2]));
        double cuts = cell > 0.0 ? ceil(sqrt(area / cell)) : 1.0;
        cuts = iso_clamp(cuts, 1.0, MOST_CUTS);
        sum += area * look_inside(tree, p, (int)cuts, out);
        area_sum += area;
        for (int k = 0; k < 3; ++k) {
            if (t[k] < t[(k + 1) % 3]) { // of a closed surface the other triangle has it turned
                (void)look(tree, iso_vec3_lerp(p[k], p[(k + 1) % 3], 0.5), out);
            }
        }
    }
    for (int i = 0; i < from->vertex_count; ++i) {
        (void)look(tree, from->vertices[i], out);
    }
    out->rms = area_sum > 0.0 ? sqrt(sum / area_sum) : 0.0;
}

iso_status iso_surface_measure_deviation(iso_context* ctx, const iso_tri_mesh* from,
                                         const iso_tri_mesh* to, iso_prepare_deviation* out) {
    iso_distance_tree* tree = NULL;
    *out = (iso_prepare_deviation){0};
    iso_status status = iso_distance_tree_create(ctx, to, &tree);
    if (status == ISO_OK) {
        look_over(tree, from, out);
    }
    iso_distance_tree_destroy(ctx, tree);
    return status;
}
