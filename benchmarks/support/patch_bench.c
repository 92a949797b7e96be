// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/patch_bench.h"

#include <stdio.h>
#include <stdlib.h>

#define BATCH_MICROSECONDS 5e3
#define MOST_BATCHES 128

bool bench_begin(bench* b, int argc, char** argv) {
    *b = (bench){0};
    b->assets = argc > 1 ? argv[1] : getenv("ISOBAR_ASSETS");
    b->filter = argc > 2 ? argv[2] : NULL;
    iso_context_desc desc = iso_context_desc_default();
    desc.realloc_fn = bench_count_realloc;
    desc.realloc_user = &b->allocation_count;
    return iso_context_create(&desc, &b->ctx) == ISO_OK &&
           iso_arena_init(&b->arena, b->ctx, 0) == ISO_OK;
}

void bench_end(bench* b) {
    iso_arena_destroy(&b->arena);
    iso_context_destroy(b->ctx);
}

part bench_part(iso_shape_desc shape, const char* file, bool is_rigid, double modulus,
                double hint) {
    iso_contact_material m = {.compliance =
                                  is_rigid ? ISO_COMPLIANCE_RIGID : ISO_COMPLIANCE_COMPLIANT,
                              .modulus = modulus,
                              .resolution_hint = hint};
    return (part){shape, file, m};
}

iso_shape_desc bench_sphere(double radius) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    s.radius = radius;
    return s;
}

iso_shape_desc bench_box(double x, double y, double z) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_BOX);
    s.size = iso_vec3_make(x, y, z);
    return s;
}

iso_shape_desc bench_ellipsoid(double x, double y, double z) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    s.size = iso_vec3_make(x, y, z);
    return s;
}

iso_shape_desc bench_cylinder(double radius, double length) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    s.radius = radius;
    s.length = length;
    return s;
}

iso_pose bench_shifted(double x, double y, double z) {
    return iso_pose_from_position(iso_vec3_make(x, y, z));
}

iso_status bench_create_shape(bench* b, const part* p, iso_contact_shape** out_shape) {
    iso_shape_desc shape = p->shape;
    char path[1024];
    if (p->file) {
        snprintf(path, sizeof path, "%s/%s", b->assets, p->file);
        shape.path = path;
    }
    return iso_contact_shape_create(b->ctx, &shape, &p->material, out_shape);
}

iso_status bench_query(bench* b, const iso_contact_shape* shape_a, const iso_contact_shape* shape_b,
                       const iso_pose* x_ab, const iso_contact_options* options,
                       iso_patch* out_patch) {
    iso_pose identity = iso_pose_identity();
    iso_status status = iso_arena_reset(&b->arena);
    return status != ISO_OK
               ? status
               : iso_pair_query(&b->arena, shape_a, &identity, shape_b, x_ab, options, out_patch);
}

iso_contact_options bench_options(iso_representation representation) {
    return (iso_contact_options){.representation = representation,
                                 .cull = ISO_CULL_DRAKE,
                                 .rigid_layer_thickness = 1e-3,
                                 .rigid_layer_modulus = 1e7};
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

bench_time bench_measure(bench* b, const iso_contact_shape* shape_a,
                         const iso_contact_shape* shape_b, const iso_pose* x_ab,
                         const iso_contact_options* options, int batch_count) {
    iso_patch patch;
    double means[MOST_BATCHES];
    int batches = batch_count < MOST_BATCHES ? batch_count : MOST_BATCHES;
    int count = 1;
    for (int batch = 0; batch < batches; ++batch) {
        double begin = bench_cpu_us();
        for (int i = 0; i < count; ++i) {
            if (bench_query(b, shape_a, shape_b, x_ab, options, &patch) != ISO_OK) {
                return (bench_time){NAN, NAN};
            }
        }
        means[batch] = (bench_cpu_us() - begin) / count;
        count = (int)fmax(1.0, fmin(1e5, BATCH_MICROSECONDS / means[batch]));
    }
    qsort(means, (size_t)batches, sizeof *means, compare_doubles);
    return (bench_time){means[batches / 2], means[0]};
}
