// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Time of the compliant-point kernels in nanoseconds per point: one JSON line per law and size.
// Usage: bench_points

#include "contact/discrete/compliant_points.h"
#include "contact/pressure_field/point_fill.h"
#include "support/meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 15
#define POINT_VISITS 400000

typedef struct bench {
    iso_context* ctx;
    iso_arena arena;
    iso_contact_system* system;
    iso_contact_pair pair;
    double delassus[36];
    volatile double sink;
} bench;

// A bowl of count faces of 1 mm^2 whose pressure falls towards the rim.
static bool make_patch(bench* b, int count) {
    iso_patch* p = &b->pair.patch;
    iso_vec3* vectors = iso_arena_push_array(&b->arena, 7 * count, sizeof *vectors);
    double* numbers = iso_arena_push_array(&b->arena, 5 * count, sizeof *numbers);
    int* offsets = iso_arena_push_array(&b->arena, count + 1, sizeof *offsets);
    if (!vectors || !numbers || !offsets) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        double radius = 0.03 * sqrt((double)i / count), angle = 2.399963 * i;
        iso_vec3 r = iso_vec3_make(radius * cos(angle), radius * sin(angle), 0.0);
        iso_vec3 n = iso_vec3_normalized(iso_vec3_make(-3.0 * r.x, -3.0 * r.y, 1.0));
        vectors[i] = r;
        vectors[count + i] = n;
        vectors[2 * count + i] = iso_vec3_scale(n, -1e8);
        vectors[3 * count + i] = iso_vec3_scale(n, 1e8);
        numbers[i] = 1e-6;
        numbers[count + i] = 1e4 * (1.0 - radius / 0.03);
        for (int k = 0; k < 3; ++k) { // a small triangle of one pressure, which nothing cuts
            double turn = angle + 2.0 * ISO_PI / 3.0 * k;
            iso_vec3 side = iso_vec3_make(8.8e-4 * cos(turn), 8.8e-4 * sin(turn), 0.0);
            vectors[4 * count + 3 * i + k] = iso_vec3_add(r, side);
            numbers[2 * count + 3 * i + k] = numbers[count + i];
        }
        offsets[i] = 3 * i;
    }
    offsets[count] = 3 * count;
    *p = (iso_patch){.face_count = count,
                     .centroids = vectors,
                     .normals = vectors + count,
                     .gradients_a = vectors + 2 * (size_t)count,
                     .gradients_b = vectors + 3 * (size_t)count,
                     .vertex_count = 3 * count,
                     .face_offsets = offsets,
                     .vertices = vectors + 4 * (size_t)count,
                     .vertex_pressures = numbers + 2 * (size_t)count,
                     .areas = numbers,
                     .pressures = numbers + count};
    return true;
}

static double time_kernel(bench* b, const iso_compliant_points* points, int kind) {
    const double v[6] = {0.1, -0.2, 0.3, 0.01, -0.02, -0.001};
    const double dv[6] = {-0.2, 0.1, 0.4, 0.02, 0.03, 0.002};
    double gradient[6], hessian[36], value, slope, curvature;
    int rounds = POINT_VISITS / points->count;
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        double start = 1e3 * bench_now_us();
        for (int i = 0; i < rounds; ++i) {
            if (kind == 0) {
                b->sink = iso_compliant_points_eval(points, v, gradient, hessian);
            } else if (kind == 1) {
                b->sink = iso_compliant_points_eval(points, v, gradient, NULL);
            } else {
                iso_compliant_points_line(points, v, dv, 0.5, &value, &slope, &curvature);
                b->sink = value;
            }
        }
        best = fmin(best, (1e3 * bench_now_us() - start) / ((double)rounds * points->count));
    }
    return best;
}

static double time_build(bench* b, iso_point_law law, int count, iso_compliant_points* points) {
    int rounds = POINT_VISITS / count;
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        double start = 1e3 * bench_now_us();
        for (int i = 0; i < rounds; ++i) {
            iso_arena_mark mark = iso_arena_get_mark(&b->arena);
            if (iso_compliant_points_build(b->system, &b->pair, law, 1e-3, iso_spatial_zero(), NULL,
                                           b->delassus, &b->arena, points) != ISO_OK) {
                return NAN;
            }
            if (repeat + 1 < REPEATS || i + 1 < rounds) {
                iso_arena_release(&b->arena, mark);
            }
        }
        best = fmin(best, (1e3 * bench_now_us() - start) / ((double)rounds * count));
    }
    return best;
}

static iso_status run(bench* b) {
    static const char* const k_names[] = {"lagged", "sap"};
    static const int k_counts[] = {16, 256, 4096};
    for (int i = 0; i < 6; ++i) {
        b->delassus[7 * i] = i < 3 ? 1e3 : 2.0;
    }
    b->pair = (iso_contact_pair){.dissipation = 10.0,
                                 .relaxation_time = 0.01,
                                 .friction_static = 0.5,
                                 .friction_dynamic = 0.5};
    for (int law = 0; law < 2; ++law) {
        for (int i = 0; i < 3; ++i) {
            int count = k_counts[i];
            iso_compliant_points points;
            iso_status status = iso_arena_reset(&b->arena);
            if (status != ISO_OK || !make_patch(b, count)) {
                return ISO_ERR_MEMORY;
            }
            double build = time_build(b, (iso_point_law)law, count, &points);
            printf("{\"bench\":\"points\",\"simd\":\"%s\",\"law\":\"%s\",\"points\":%d,"
                   "\"build_ns\":%.2f,\"hessian_ns\":%.2f,\"gradient_ns\":%.2f,"
                   "\"line_ns\":%.2f}\n",
                   iso_simd_backend(), k_names[law], count, build, time_kernel(b, &points, 0),
                   time_kernel(b, &points, 1), time_kernel(b, &points, 2));
        }
    }
    return ISO_OK;
}

int main(void) {
    static bench b;
    iso_contact_options options = iso_contact_options_default();
    iso_status status = iso_context_create(NULL, &b.ctx);
    if (status == ISO_OK) {
        status = iso_arena_init(&b.arena, b.ctx, 1 << 22);
    }
    if (status == ISO_OK) {
        status = iso_contact_system_create(b.ctx, NULL, 0, NULL, &options, &b.system);
    }
    if (status == ISO_OK) {
        status = run(&b);
    }
    if (status != ISO_OK) {
        fprintf(stderr, "bench_points: %s: %s\n", iso_status_text(status),
                b.ctx ? iso_context_error(b.ctx) : "");
    }
    iso_contact_system_destroy(b.ctx, b.system);
    if (b.arena.ctx) {
        iso_arena_destroy(&b.arena);
    }
    iso_context_destroy(b.ctx);
    return status == ISO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
