// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/patch_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_MICROSECONDS 5e3
#define MOST_TURNS 128

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

bool bench_is_wanted(const bench* b, const char* name) {
    return !b->filter ||
           (b->takes_turns ? strcmp(name, b->filter) == 0 : strstr(name, b->filter) != NULL);
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

static double mean_of_queries(bench* b, const bench_pair* pair, int count) {
    iso_patch patch;
    double begin = bench_cpu_us();
    for (int i = 0; i < count; ++i) {
        if (bench_query(b, pair->a, pair->b, &pair->x_ab, &pair->options, &patch) != ISO_OK) {
            return NAN;
        }
    }
    return (bench_cpu_us() - begin) / count;
}

double bench_turn(bench* b, const bench_pair* pair) {
    double first = mean_of_queries(b, pair, 1);
    return first < TURN_MICROSECONDS
               ? mean_of_queries(b, pair, (int)ceil(TURN_MICROSECONDS / first))
               : first;
}

static int compare_doubles(const void* left, const void* right) {
    double a = *(const double*)left, b = *(const double*)right;
    return (a > b) - (a < b);
}

double bench_median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

bench_time bench_measure(bench* b, const bench_pair* pair, int turn_count) {
    double means[MOST_TURNS];
    int turns = turn_count < MOST_TURNS ? turn_count : MOST_TURNS;
    for (int i = 0; i < turns; ++i) {
        means[i] = bench_turn(b, pair);
    }
    double median = bench_median(means, turns);
    return (bench_time){median, means[0]};
}
