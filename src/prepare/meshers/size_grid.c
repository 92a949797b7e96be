// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/search/distance.h"
#include "prepare/meshers/mesher.h"

#include <math.h>

#define MOST_POINTS 28 // along an axis

static double mean_edge(const iso_tri_mesh* mesh, int triangle) {
    const int* t = mesh->triangles[triangle];
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += iso_vec3_distance(mesh->vertices[t[k]], mesh->vertices[t[(k + 1) % 3]]);
    }
    return sum / 3.0;
}

// Points with about equal steps along the axes, the longest with MOST_POINTS.
static void choose_counts(iso_vec3 size, int out_counts[3]) {
    double longest = fmax(size.x, fmax(size.y, size.z));
    for (int k = 0; k < 3; ++k) {
        double share = longest > 0.0 ? iso_vec3_get(size, k) / longest : 0.0;
        int count = (int)ceil(share * (MOST_POINTS - 1)) + 1;
        out_counts[k] = count < 3 ? 3 : count;
    }
}

static iso_status append_header(iso_context* ctx, iso_text* text, iso_vec3 lower, iso_vec3 step,
                                const int counts[3]) {
    return iso_text_printf(ctx, text, "%.17g %.17g %.17g\n%.17g %.17g %.17g\n%d %d %d\n", lower.x,
                           lower.y, lower.z, step.x, step.y, step.z, counts[0], counts[1],
                           counts[2]);
}

iso_status iso_size_grid_write(iso_prepare_job* job) {
    const iso_tri_mesh* mesh = &job->joined;
    iso_distance_tree* tree = NULL;
    iso_text text = {0};
    iso_vec3 lower, upper;
    int counts[3];
    iso_status status = ISO_OK;
    ISO_TRY(iso_distance_tree_create(job->ctx, mesh, &tree));
    iso_points_bounds(mesh->vertices, mesh->vertex_count, &lower, &upper);
    iso_vec3 size = iso_vec3_sub(upper, lower);
    choose_counts(size, counts);
    iso_vec3 step =
        iso_vec3_make(size.x / (counts[0] - 1), size.y / (counts[1] - 1), size.z / (counts[2] - 1));
    // A body is about as deep as a ball of its volume and area.
    double depth = 3.0 * fabs(iso_tri_mesh_volume(mesh)) / iso_tri_mesh_area(mesh);
    ISO_TRY(append_header(job->ctx, &text, lower, step, counts));
    for (int i = 0; i < counts[0] * counts[1] * counts[2]; ++i) {
        int x = i / (counts[1] * counts[2]), y = i / counts[2] % counts[1], z = i % counts[2];
        iso_vec3 p = iso_vec3_add(lower, iso_vec3_mul(step, iso_vec3_make(x, y, z)));
        int triangle;
        double distance = iso_distance_to_surface(tree, p, NULL, &triangle);
        double near = job->desc->size > 0.0 ? job->desc->size : mean_edge(mesh, triangle);
        double share = depth > 0.0 ? fmin(1.0, distance / depth) : 0.0;
        ISO_TRY(iso_text_printf(job->ctx, &text, "%.9g\n",
                                near * (1.0 + (job->desc->grading - 1.0) * share)));
    }
    status = iso_prepare_write(job, "size.txt", text.data, text.length);

done:
    iso_distance_tree_destroy(job->ctx, tree);
    iso_text_free(job->ctx, &text);
    return status;
}
