// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Processor time of one query of an interference volume in microseconds (smallest of several
// turns), pieces of clipped faces and allocations: one JSON line per pair and size.

#include "isobar/volume.h"
#include "support/meter.h"

#include <stdio.h>
#include <stdlib.h>

enum { k_turns = 15, k_poses = 16 };

typedef struct pair {
    const char* name;
    iso_shape_kind kind_a, kind_b;
    double depth; // of the overlap over the radius
} pair;

static const pair k_pairs[] = {
    {"ball-ball/shallow", ISO_SHAPE_SPHERE, ISO_SHAPE_SPHERE, 0.05},
    {"ball-ball/deep", ISO_SHAPE_SPHERE, ISO_SHAPE_SPHERE, 0.8},
    {"ball-plane", ISO_SHAPE_HALF_SPACE, ISO_SHAPE_SPHERE, 0.1},
};

// A polyhedron of a shape; half spaces stay.
static iso_status make_body(iso_context* ctx, iso_shape_kind kind, double hint, int* out_triangles,
                            iso_volume_body** out_body) {
    iso_shape_desc shape = iso_shape_desc_default(kind);
    if (kind == ISO_SHAPE_HALF_SPACE) {
        return iso_volume_body_create(ctx, &shape, out_body);
    }
    shape.radius = 1.0;
    iso_tri_mesh mesh;
    iso_status status = iso_shape_surface(ctx, &shape, hint, &mesh);
    if (status == ISO_OK) {
        iso_shape_desc polyhedron = iso_shape_desc_default(ISO_SHAPE_MESH);
        polyhedron.surface = &mesh;
        *out_triangles += mesh.triangle_count;
        status = iso_volume_body_create(ctx, &polyhedron, out_body);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
    return status;
}

// Bodies that overlap by the depth, turned and moved a little from pose to pose.
static iso_pose pose_of(const pair* p, int i) {
    double height = p->kind_a == ISO_SHAPE_HALF_SPACE ? 1.0 : 2.0;
    iso_mat3 r = iso_mat3_from_rpy(0.3 + 0.01 * i, 0.2, 0.1 * i);
    return iso_pose_make(r, iso_vec3_make(0.01 * i, 0.02, height - p->depth));
}

static iso_status time_pair(iso_context* ctx, const pair* p, double hint, long* allocations) {
    iso_volume_body *a = NULL, *b = NULL;
    iso_volume_metrics m = {0};
    iso_pose x_wa = iso_pose_identity();
    double best = 1e300;
    long faces = 0, before = 0;
    int triangles = 0;
    iso_status status = make_body(ctx, p->kind_a, hint, &triangles, &a);
    if (status == ISO_OK) {
        status = make_body(ctx, p->kind_b, hint, &triangles, &b);
    }
    before = *allocations;
    for (int turn = 0; status == ISO_OK && turn < k_turns; ++turn) {
        double start = bench_cpu_us();
        faces = 0;
        for (int i = 0; status == ISO_OK && i < k_poses; ++i) {
            iso_pose x_wb = pose_of(p, i);
            status = iso_volume_intersect(ctx, a, &x_wa, b, &x_wb, NULL, &m);
            faces += m.face_count;
        }
        double time = (bench_cpu_us() - start) / k_poses;
        best = time < best ? time : best;
    }
    if (status == ISO_OK) {
        double per_query = (double)faces / k_poses;
        printf("{\"bench\":\"volume\",\"simd\":\"%s\",\"case\":\"%s\",\"triangles\":%d,"
               "\"faces\":%.1f,\"us\":%.3f,\"us_per_face\":%.4f,\"volume\":%.6g,"
               "\"allocations\":%ld}\n",
               iso_simd_backend(), p->name, triangles, per_query, best, best / per_query, m.volume,
               *allocations - before);
    }
    iso_volume_body_destroy(ctx, a);
    iso_volume_body_destroy(ctx, b);
    return status;
}

int main(void) {
    static const double k_hints[] = {0.3, 0.15, 0.08, 0.04, 0.02};
    long allocations = 0;
    iso_context* ctx = NULL;
    iso_context_desc desc = iso_context_desc_default();
    desc.realloc_fn = bench_count_realloc;
    desc.realloc_user = &allocations;
    iso_status status = iso_context_create(&desc, &ctx);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; status == ISO_OK && i < 5; ++i) {
            status = time_pair(ctx, &k_pairs[k], k_hints[i], &allocations);
        }
    }
    if (status != ISO_OK) {
        fprintf(stderr, "bench_volume: %s: %s\n", iso_status_text(status),
                ctx ? iso_context_error(ctx) : "");
    }
    iso_context_destroy(ctx);
    return status == ISO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
