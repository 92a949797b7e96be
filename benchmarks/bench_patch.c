// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Time of one contact-patch query in microseconds (smallest of several batches), faces and area:
// one JSON line per pair and pose.
// Usage: bench_patch [ASSETS_DIR [FILTER]]   (default: environment ISOBAR_ASSETS; without assets
// the pairs of real meshes are left out; FILTER: only cases whose name contains it)

#include "surface/pair_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 60
#define BATCH_MICROSECONDS 2e3

typedef struct bench {
    iso_context* ctx;
    iso_arena arena;
    long allocation_count;
    const char* assets; // NULL: none
    const char* filter; // NULL: all
} bench;

// One body of a pair: a primitive, or a mesh of the assets.
typedef struct part {
    iso_shape_desc shape;
    const char* file; // below the assets, NULL for primitives
    iso_contact_material material;
} part;

static void* count_realloc(void* user, void* old_ptr, size_t old_size, size_t new_size) {
    (void)old_size;
    ((bench*)user)->allocation_count++;
    if (new_size == 0) {
        free(old_ptr);
        return NULL;
    }
    return realloc(old_ptr, new_size);
}

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static part make_part(iso_shape_desc shape, const char* file, bool is_rigid, double modulus,
                      double hint) {
    iso_contact_material m = {.compliance =
                                  is_rigid ? ISO_COMPLIANCE_RIGID : ISO_COMPLIANCE_COMPLIANT,
                              .modulus = modulus,
                              .resolution_hint = hint};
    return (part){shape, file, m};
}

static iso_shape_desc sphere(double radius) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    s.radius = radius;
    return s;
}

static iso_shape_desc box(double x, double y, double z) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_BOX);
    s.size = iso_vec3_make(x, y, z);
    return s;
}

static iso_shape_desc ellipsoid(double x, double y, double z) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    s.size = iso_vec3_make(x, y, z);
    return s;
}

static iso_shape_desc cylinder(double radius, double length) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    s.radius = radius;
    s.length = length;
    return s;
}

static iso_status create_shape(bench* b, const part* p, iso_contact_shape** out_shape) {
    iso_shape_desc shape = p->shape;
    char path[1024];
    if (p->file) {
        snprintf(path, sizeof path, "%s/%s", b->assets, p->file);
        shape.path = path;
    }
    return iso_contact_shape_create(b->ctx, &shape, &p->material, out_shape);
}

static iso_status query(bench* b, const iso_contact_shape* shape_a,
                        const iso_contact_shape* shape_b, const iso_pose* x_ab,
                        const iso_contact_options* options, iso_patch* out_patch) {
    iso_pose identity = iso_pose_identity();
    iso_status status = iso_arena_reset(&b->arena);
    return status != ISO_OK
               ? status
               : iso_pair_query(&b->arena, shape_a, &identity, shape_b, x_ab, options, out_patch);
}

// Smallest mean over batches of queries.
static double measure(bench* b, const iso_contact_shape* shape_a, const iso_contact_shape* shape_b,
                      const iso_pose* x_ab, const iso_contact_options* options) {
    iso_patch patch;
    int count = 1;
    double best = INFINITY;
    for (int batch = 0; batch < BATCHES; ++batch) {
        double begin = now_us();
        for (int i = 0; i < count; ++i) {
            if (query(b, shape_a, shape_b, x_ab, options, &patch) != ISO_OK) {
                return NAN;
            }
        }
        double elapsed = now_us() - begin;
        best = fmin(best, elapsed / count);
        count = (int)fmax(1.0, fmin(1e5, BATCH_MICROSECONDS / (elapsed / count)));
    }
    return best;
}

static bool run_case(bench* b, const char* name, part part_a, part part_b, iso_pose x_ab,
                     iso_representation representation) {
    if ((b->filter && !strstr(name, b->filter)) || ((part_a.file || part_b.file) && !b->assets)) {
        return true;
    }
    iso_contact_options options = {.representation = representation,
                                   .cull = ISO_CULL_DRAKE,
                                   .rigid_layer_thickness = 1e-3,
                                   .rigid_layer_modulus = 1e7};
    iso_contact_shape *shape_a = NULL, *shape_b = NULL;
    iso_patch patch = {0};
    iso_status status = create_shape(b, &part_a, &shape_a);
    if (status == ISO_OK) {
        status = create_shape(b, &part_b, &shape_b);
    }
    for (int i = 0; i < 3 && status == ISO_OK; ++i) {
        status = query(b, shape_a, shape_b, &x_ab, &options, &patch); // the arena settles
    }
    if (status == ISO_OK) {
        int faces = patch.face_count;
        double area = patch.area;
        long before = b->allocation_count;
        double us = measure(b, shape_a, shape_b, &x_ab, &options);
        printf("{\"case\": \"%s\", \"engine\": \"isobar\", \"us\": %.3f, \"faces\": %d, "
               "\"us_per_face\": %.4f, \"area\": %.12g, \"allocations\": %ld}\n",
               name, us, faces, faces > 0 ? us / faces : 0.0, area, b->allocation_count - before);
        fflush(stdout);
    } else {
        fprintf(stderr, "%s: %s\n", name, iso_context_error(b->ctx));
    }
    iso_contact_shape_destroy(b->ctx, shape_a);
    iso_contact_shape_destroy(b->ctx, shape_b);
    return status == ISO_OK;
}

static iso_pose shifted(double x, double y, double z) {
    return iso_pose_from_position(iso_vec3_make(x, y, z));
}

// Sphere and ellipsoid of [Drake]'s mesh-intersection benchmarks, single interior vertex.
static bool run_ellipsoids(bench* b) {
    const double hints[] = {4.0, 2.0, 1.0, 0.5}, shifts[] = {3.5, 1.2, 0.0};
    bool ok = true;
    for (int res = 0; res < 4; ++res) {
        for (int ov = 0; ov < 3; ++ov) {
            double h = hints[res], s = shifts[ov];
            part soft = make_part(ellipsoid(3.01, 3.5, 4.0), NULL, false, 1e5, h);
            part rigid = make_part(sphere(3.0), NULL, true, 1e5, h);
            part ball = make_part(sphere(3.0), NULL, false, 1e5, h);
            char name[128];
            for (int i = 0; i < 2; ++i) {
                snprintf(name, sizeof name, "rigid_sphere-compliant_ellipsoid/%s/res%d/ov%d",
                         i ? "tri" : "poly", res, ov);
                ok &= run_case(b, name, soft, rigid, shifted(s, s, s),
                               i ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON);
            }
            if (ov < 2) {
                snprintf(name, sizeof name, "compliant-compliant/poly/res%d/ov%d", res, ov);
                ok &= run_case(b, name, soft, ball, shifted(s, s, s), ISO_REPRESENTATION_POLYGON);
            }
        }
    }
    return ok;
}

static bool run_meshes(bench* b) {
    const iso_shape_desc mesh = iso_shape_desc_default(ISO_SHAPE_MESH);
    const double hints[] = {0.01, 0.005, 0.0025}, heights[] = {0.0, 0.02};
    part bubble = make_part(mesh, "wsg_50_description/meshes/bubble.vtk", false, 1e4, 0.0);
    bool ok = true;
    for (int i = 0; i < 6; ++i) {
        double h = hints[i / 2], z = heights[i % 2];
        char name[128];
        snprintf(name, sizeof name, "bubble-cylinder/h%g/z%g", h, z);
        part handle = make_part(cylinder(0.015, 0.11), NULL, false, 1e8, h);
        ok &= run_case(b, name, bubble, handle, shifted(0.0, 0.0, z), ISO_REPRESENTATION_POLYGON);
    }
    part pepper =
        make_part(mesh, "veggies/assets/yellow_bell_pepper_no_stem_low.vtk", false, 1e6, 0.0);
    part bowl3k = make_part(mesh, "dishes/assets/evo_bowl_coarse3k.vtk", false, 1e7, 0.0);
    part bowl44k = make_part(mesh, "dishes/assets/evo_bowl_fine44k.vtk", false, 1e7, 0.0);
    part bowl_obj = make_part(mesh, "dishes/assets/evo_bowl_col.obj", true, 1e7, 0.0);
    iso_pose x = shifted(0.005, 0.0, 0.03);
    ok &= run_case(b, "pepper-bowl_coarse3k", pepper, bowl3k, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "pepper-bowl_fine44k", pepper, bowl44k, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "pepper-bowl_obj", pepper, bowl_obj, x, ISO_REPRESENTATION_POLYGON);
    x.r = iso_mat3_from_rpy(0.3, 0.2, 0.4);
    ok &= run_case(b, "pepper-bowl_coarse3k/turned", pepper, bowl3k, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "pepper-bowl_obj/turned", pepper, bowl_obj, x, ISO_REPRESENTATION_POLYGON);
    part handle = make_part(cylinder(0.015, 0.11), NULL, false, 1e8, 0.0025);
    ok &= run_case(b, "bubble-cylinder/h0.0025/turned", bubble, handle,
                   iso_pose_make(x.r, iso_vec3_make(0.0, 0.0, 0.02)), ISO_REPRESENTATION_POLYGON);
    part floor = make_part(box(0.3, 0.3, 0.05), NULL, false, 3e4, 1.0);
    part plate = make_part(mesh, "dishes/assets/plate_8in_col.obj", true, 1e7, 0.0);
    ok &= run_case(b, "floor-plate", floor, plate, shifted(0.0, 0.0, 0.02),
                   ISO_REPRESENTATION_POLYGON);
    return ok;
}

static bool run_primitives(bench* b) {
    part cube = make_part(box(0.1, 0.1, 0.1), NULL, false, 1e6, 0.0);
    iso_pose tilted = iso_pose_make(iso_mat3_from_rpy(0.1, 0.2, 0.3), iso_vec3_make(0, 0, 0.1));
    bool ok = run_case(b, "box-box/tilted", cube, cube, tilted, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "box-box/aligned", cube, cube, shifted(0.01, 0.02, 0.099),
                   ISO_REPRESENTATION_POLYGON);
    part ground = make_part(iso_shape_desc_default(ISO_SHAPE_HALF_SPACE), NULL, true, 1e7, 0.0);
    for (int i = 0; i < 4; ++i) {
        double hint = 0.05 / (double)(1 << i);
        part ball = make_part(sphere(0.05), NULL, false, 1e5, hint);
        char name[64];
        snprintf(name, sizeof name, "half_space-sphere/h%g", hint);
        ok &= run_case(b, name, ground, ball, shifted(0.0, 0.0, 0.04), ISO_REPRESENTATION_POLYGON);
    }
    return ok;
}

int main(int argc, char** argv) {
    bench b = {0};
    b.assets = argc > 1 ? argv[1] : getenv("ISOBAR_ASSETS");
    b.filter = argc > 2 ? argv[2] : NULL;
    iso_context_desc desc = iso_context_desc_default();
    desc.realloc_fn = count_realloc;
    desc.realloc_user = &b;
    if (iso_context_create(&desc, &b.ctx) != ISO_OK ||
        iso_arena_init(&b.arena, b.ctx, 0) != ISO_OK) {
        fprintf(stderr, "bench_patch: out of memory\n");
        return 1;
    }
    bool ok = run_primitives(&b);
    ok &= run_ellipsoids(&b);
    ok &= run_meshes(&b);
    iso_arena_destroy(&b.arena);
    iso_context_destroy(b.ctx);
    return ok ? 0 : 1;
}
