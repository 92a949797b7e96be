// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Processor time of one contact-patch query in microseconds (median and smallest of several
// batches), faces and area: one JSON line per pair and pose. Usage: bench_patch [ASSETS_DIR
// [FILTER]]   (default: environment ISOBAR_ASSETS; without assets the pairs of real meshes are left
// out; FILTER: only cases whose name contains it)

#include "base/fail.h"
#include "base/task_pool.h"
#include "support/patch_bench.h"
#include "surface/contact_shape_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 25
#define SHARED_QUERIES 200

// What a kernel needs of a tetrahedron: corners with pressures, gradient, planes of the faces.
#define TET_BYTES (36 * sizeof(double))

// Elements of one body that carry faces, each counted once.
static int distinct(const iso_face_elements* elements, int face_count, bool is_b, char* seen,
                    int element_count) {
    int count = 0;
    memset(seen, 0, (size_t)element_count);
    for (int f = 0; f < face_count; ++f) {
        int e = is_b ? elements[f].b : elements[f].a;
        if (e >= 0 && e < element_count && !seen[e]) {
            seen[e] = 1;
            ++count;
        }
    }
    return count;
}

// Bytes that any method must move for a patch: the patch itself, and once the data of every element
// that carries a face.
static double least_bytes(const iso_patch* patch, const iso_contact_shape* const shapes[2]) {
    double face = sizeof(int) + 2 * sizeof(double) + 4 * sizeof(iso_vec3) + sizeof *patch->elements;
    double vertex = sizeof(iso_vec3) + sizeof(double);
    double bytes = face * patch->face_count + vertex * patch->vertex_count;
    for (int i = 0; i < 2; ++i) {
        const iso_contact_shape* shape = shapes[i];
        int count = shape->field           ? shape->field->mesh.tet_count
                    : shape->is_half_space ? 0
                                           : shape->surface.triangle_count;
        char* seen = count > 0 ? malloc((size_t)count) : NULL;
        if (seen) {
            double each = shape->field ? TET_BYTES : sizeof(iso_tri_packet) / ISO_WIDE_LANES;
            bytes += each * distinct(patch->elements, patch->face_count, i == 1, seen, count);
        }
        free(seen);
    }
    return bytes;
}

// Floating-point operations that any method must do for a patch. A vertex: 14 to find it on an edge
// with its pressure, 18 to move it into W. A triangle of the fan that measures a face: 32. A face:
// 45 to turn a normal and two gradients, 37 for its centroid and pressure.
static double least_flops(const iso_patch* patch) {
    return 32.0 * patch->vertex_count + 32.0 * (patch->vertex_count - 2 * patch->face_count) +
           82.0 * patch->face_count;
}

static bool run_case(bench* b, const char* name, part part_a, part part_b, iso_pose x_ab,
                     iso_representation representation) {
    if ((b->filter && !strstr(name, b->filter)) || ((part_a.file || part_b.file) && !b->assets)) {
        return true;
    }
    iso_contact_options options = bench_options(representation);
    iso_contact_shape *shape_a = NULL, *shape_b = NULL;
    iso_patch patch = {0};
    iso_status status = bench_create_shape(b, &part_a, &shape_a);
    if (status == ISO_OK) {
        status = bench_create_shape(b, &part_b, &shape_b);
    }
    for (int i = 0; i < 3 && status == ISO_OK; ++i) {
        status = bench_query(b, shape_a, shape_b, &x_ab, &options, &patch); // the arena settles
    }
    if (status == ISO_OK) {
        int faces = patch.face_count;
        double area = patch.area;
        long before = b->allocation_count;
        const iso_contact_shape* shapes[2] = {shape_a, shape_b};
        double bytes = least_bytes(&patch, shapes), flops = least_flops(&patch);
        bench_time us = bench_measure(b, shape_a, shape_b, &x_ab, &options, BATCHES);
        printf("{\"case\": \"%s\", \"engine\": \"isobar\", \"us\": %.3f, \"us_best\": %.3f, "
               "\"faces\": %d, \"us_per_face\": %.4f, \"area\": %.12g, \"allocations\": %ld, "
               "\"least_bytes\": %.0f, \"least_flops\": %.0f}\n",
               name, us.median, us.best, faces, faces > 0 ? us.median / faces : 0.0, area,
               b->allocation_count - before, bytes, flops);
        fflush(stdout);
    } else {
        fprintf(stderr, "%s: %s\n", name, iso_context_error(b->ctx));
    }
    iso_contact_shape_destroy(b->ctx, shape_a);
    iso_contact_shape_destroy(b->ctx, shape_b);
    return status == ISO_OK;
}

// Least times of queries by a crew of two threads [us].
typedef struct shared_times {
    double wall, most, median; // median of the most that one thread needs
    long allocations;          // after the first quarter of the queries
} shared_times;

static int compare_times(const void* left, const void* right) {
    double a = *(const double*)left, b = *(const double*)right;
    return (a > b) - (a < b);
}

static iso_status measure_shared(bench* b, const iso_contact_shape* const shapes[2],
                                 const iso_pose* x_ab, const iso_contact_options* options,
                                 iso_crew* crew, iso_patch* patch, shared_times* out) {
    double most[SHARED_QUERIES];
    iso_pose identity = iso_pose_identity();
    iso_status status = ISO_OK;
    *out = (shared_times){.wall = INFINITY};
    long before = 0;
    for (int i = 0; i < SHARED_QUERIES && status == ISO_OK; ++i) {
        before = i == SHARED_QUERIES / 4 ? b->allocation_count : before;
        double wall = bench_clock_us(CLOCK_MONOTONIC),
               own = bench_clock_us(CLOCK_THREAD_CPUTIME_ID);
        double all = bench_clock_us(CLOCK_PROCESS_CPUTIME_ID);
        status = iso_arena_reset(&b->arena);
        if (status == ISO_OK) {
            status = iso_pair_query_with(crew, &b->arena, shapes[0], &identity, shapes[1], x_ab,
                                         options, patch);
        }
        own = bench_clock_us(CLOCK_THREAD_CPUTIME_ID) - own;
        all = bench_clock_us(CLOCK_PROCESS_CPUTIME_ID) - all;
        out->wall = fmin(out->wall, bench_clock_us(CLOCK_MONOTONIC) - wall);
        most[i] = fmax(own, all - own);
    }
    out->allocations = b->allocation_count - before;
    if (status != ISO_OK) {
        return status;
    }
    qsort(most, SHARED_QUERIES, sizeof *most, compare_times);
    out->most = most[0];
    out->median = most[SHARED_QUERIES / 2];
    return ISO_OK;
}

// One large pair by two threads beside the same by one.
static bool run_shared(bench* b, const char* name, part part_a, part part_b, iso_pose x_ab) {
    if ((b->filter && !strstr(name, b->filter)) || ((part_a.file || part_b.file) && !b->assets)) {
        return true;
    }
    iso_contact_options options = bench_options(ISO_REPRESENTATION_POLYGON);
    iso_contact_shape* shapes[2] = {NULL, NULL};
    iso_task_pool* pool = NULL;
    iso_crew crew = {0};
    iso_patch patch = {0};
    shared_times t;
    bench_time one = {0};
    iso_status status = ISO_OK;
    ISO_TRY(bench_create_shape(b, &part_a, &shapes[0]));
    ISO_TRY(bench_create_shape(b, &part_b, &shapes[1]));
    ISO_TRY(iso_task_pool_create(b->ctx, 2, &pool));
    ISO_TRY(iso_crew_join(&crew, b->ctx, pool));
    one = bench_measure(b, shapes[0], shapes[1], &x_ab, &options, BATCHES);
    ISO_TRY(measure_shared(b, (const iso_contact_shape* const*)shapes, &x_ab, &options, &crew,
                           &patch, &t));
    const iso_contact_shape* const found[2] = {shapes[0], shapes[1]};
    printf("{\"case\": \"%s\", \"engine\": \"isobar\", \"threads\": 2, \"us\": %.3f, "
           "\"us_best\": %.3f, \"faces\": %d, \"area\": %.12g, \"allocations\": %ld, "
           "\"cpu_ratio\": %.3f, \"wall_ratio\": %.3f, \"least_bytes\": %.0f, "
           "\"least_flops\": %.0f}\n",
           name, t.median, t.most, patch.face_count, patch.area, t.allocations, one.best / t.most,
           one.best / t.wall, least_bytes(&patch, found), least_flops(&patch));
    fflush(stdout);

done:
    if (status != ISO_OK) {
        fprintf(stderr, "%s: %s\n", name, iso_context_error(b->ctx));
    }
    iso_crew_destroy(&crew);
    iso_task_pool_destroy(pool);
    iso_contact_shape_destroy(b->ctx, shapes[0]);
    iso_contact_shape_destroy(b->ctx, shapes[1]);
    return status == ISO_OK;
}

// Sphere and ellipsoid of [Drake]'s mesh-intersection benchmarks, single interior vertex.
static bool run_ellipsoids(bench* b) {
    const double hints[] = {4.0, 2.0, 1.0, 0.5}, shifts[] = {3.5, 1.2, 0.0};
    bool ok = true;
    for (int res = 0; res < 4; ++res) {
        for (int ov = 0; ov < 3; ++ov) {
            double h = hints[res], s = shifts[ov];
            part soft = bench_part(bench_ellipsoid(3.01, 3.5, 4.0), NULL, false, 1e5, h);
            part rigid = bench_part(bench_sphere(3.0), NULL, true, 1e5, h);
            part ball = bench_part(bench_sphere(3.0), NULL, false, 1e5, h);
            char name[128];
            for (int i = 0; i < 2; ++i) {
                snprintf(name, sizeof name, "rigid_sphere-compliant_ellipsoid/%s/res%d/ov%d",
                         i ? "tri" : "poly", res, ov);
                ok &= run_case(b, name, soft, rigid, bench_shifted(s, s, s),
                               i ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON);
            }
            if (ov < 2) {
                snprintf(name, sizeof name, "compliant-compliant/poly/res%d/ov%d", res, ov);
                ok &= run_case(b, name, soft, ball, bench_shifted(s, s, s),
                               ISO_REPRESENTATION_POLYGON);
            }
        }
    }
    for (int i = 0; i < 2; ++i) {
        double h = i ? 0.2 : 0.5;
        part soft = bench_part(bench_ellipsoid(3.01, 3.5, 4.0), NULL, false, 1e5, h);
        part ball = bench_part(bench_sphere(3.0), NULL, false, 1e5, h);
        char name[128];
        snprintf(name, sizeof name, "compliant-compliant/h%g/threads2", h);
        ok &= run_shared(b, name, soft, ball, bench_shifted(1.2, 1.2, 1.2));
    }
    return ok;
}

static bool run_meshes(bench* b) {
    const iso_shape_desc mesh = iso_shape_desc_default(ISO_SHAPE_MESH);
    const double hints[] = {0.01, 0.005, 0.0025}, heights[] = {0.0, 0.02};
    part bubble = bench_part(mesh, "wsg_50_description/meshes/bubble.vtk", false, 1e4, 0.0);
    bool ok = true;
    for (int i = 0; i < 6; ++i) {
        double h = hints[i / 2], z = heights[i % 2];
        char name[128];
        snprintf(name, sizeof name, "bubble-cylinder/h%g/z%g", h, z);
        part handle = bench_part(bench_cylinder(0.015, 0.11), NULL, false, 1e8, h);
        ok &= run_case(b, name, bubble, handle, bench_shifted(0.0, 0.0, z),
                       ISO_REPRESENTATION_POLYGON);
    }
    part pepper =
        bench_part(mesh, "veggies/assets/yellow_bell_pepper_no_stem_low.vtk", false, 1e6, 0.0);
    part bowl3k = bench_part(mesh, "dishes/assets/evo_bowl_coarse3k.vtk", false, 1e7, 0.0);
    part bowl44k = bench_part(mesh, "dishes/assets/evo_bowl_fine44k.vtk", false, 1e7, 0.0);
    part bowl_obj = bench_part(mesh, "dishes/assets/evo_bowl_col.obj", true, 1e7, 0.0);
    iso_pose x = bench_shifted(0.005, 0.0, 0.03);
    ok &= run_case(b, "pepper-bowl_coarse3k", pepper, bowl3k, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "pepper-bowl_fine44k", pepper, bowl44k, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_shared(b, "pepper-bowl_fine44k/threads2", pepper, bowl44k, x);
    ok &= run_case(b, "pepper-bowl_obj", pepper, bowl_obj, x, ISO_REPRESENTATION_POLYGON);
    x.r = iso_mat3_from_rpy(0.3, 0.2, 0.4);
    ok &= run_case(b, "pepper-bowl_coarse3k/turned", pepper, bowl3k, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "pepper-bowl_obj/turned", pepper, bowl_obj, x, ISO_REPRESENTATION_POLYGON);
    part handle = bench_part(bench_cylinder(0.015, 0.11), NULL, false, 1e8, 0.0025);
    ok &= run_case(b, "bubble-cylinder/h0.0025/turned", bubble, handle,
                   iso_pose_make(x.r, iso_vec3_make(0.0, 0.0, 0.02)), ISO_REPRESENTATION_POLYGON);
    part floor = bench_part(bench_box(0.3, 0.3, 0.05), NULL, false, 3e4, 1.0);
    part plate = bench_part(mesh, "dishes/assets/plate_8in_col.obj", true, 1e7, 0.0);
    ok &= run_case(b, "floor-plate", floor, plate, bench_shifted(0.0, 0.0, 0.02),
                   ISO_REPRESENTATION_POLYGON);
    return ok;
}

// A rigid sphere and a compliant half space, a slab of 0.05 m.
static bool run_slabs(bench* b) {
    part slab = bench_part(iso_shape_desc_default(ISO_SHAPE_HALF_SPACE), NULL, false, 1e6, 0.0);
    slab.material.slab_thickness = 0.05;
    bool ok = true;
    for (int i = 0; i < 2; ++i) {
        double hint = i ? 0.003125 : 0.00625;
        char name[64];
        snprintf(name, sizeof name, "slab-rigid_sphere/h%g", hint);
        part ball = bench_part(bench_sphere(0.05), NULL, true, 1e5, hint);
        ok &= run_case(b, name, slab, ball, bench_shifted(0.0, 0.0, 0.02),
                       ISO_REPRESENTATION_POLYGON);
    }
    return ok;
}

static bool run_primitives(bench* b) {
    part cube = bench_part(bench_box(0.1, 0.1, 0.1), NULL, false, 1e6, 0.0);
    iso_pose tilted = iso_pose_make(iso_mat3_from_rpy(0.1, 0.2, 0.3), iso_vec3_make(0, 0, 0.1));
    bool ok = run_case(b, "box-box/tilted", cube, cube, tilted, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "box-box/aligned", cube, cube, bench_shifted(0.01, 0.02, 0.099),
                   ISO_REPRESENTATION_POLYGON);
    part ground = bench_part(iso_shape_desc_default(ISO_SHAPE_HALF_SPACE), NULL, true, 1e7, 0.0);
    for (int i = 0; i < 5; ++i) {
        double hint = 0.05 / (double)(1 << i);
        part ball = bench_part(bench_sphere(0.05), NULL, false, 1e5, hint);
        char name[64];
        snprintf(name, sizeof name, "half_space-sphere/h%g", hint);
        ok &= run_case(b, name, ground, ball, bench_shifted(0.0, 0.0, 0.04),
                       ISO_REPRESENTATION_POLYGON);
    }
    return ok;
}

int main(int argc, char** argv) {
    bench b;
    if (!bench_begin(&b, argc, argv)) {
        fprintf(stderr, "bench_patch: out of memory\n");
        return 1;
    }
    bool ok = run_primitives(&b);
    ok &= run_slabs(&b);
    ok &= run_ellipsoids(&b);
    ok &= run_meshes(&b);
    bench_end(&b);
    return ok ? 0 : 1;
}
