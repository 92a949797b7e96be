// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What bounds contact patches: how time grows with the number of polygons of the same scene, how
// long a large body takes to load, how much memory a tetrahedron takes, and what this machine could
// do at best. One JSON line per result. Usage: bench_limits [ASSETS_DIR [FILTER]]

#include "support/patch_bench.h"
#include "surface/shapes/contact_shape_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Sizes of a series, and turns of each. The finest spheres and ellipsoids that tessellation makes
// have 524,288 tetrahedra.
#define SIZES 6
#define ROUNDS 9
// Arrays of the bandwidth loop: one that fits the second-level cache, one beyond all caches.
#define NEAR_BYTES ((size_t)512 << 10)
#define FAR_BYTES ((size_t)256 << 20)
#define FLOP_ROUNDS 4000000L

static bool is_wanted(const bench* b, const char* name) {
    return !b->filter || strstr(name, b->filter);
}

// A scene and its resolution hint, which is halved from size to size.
typedef struct series {
    const char* name;
    part a, b;
    iso_pose x_ab;
    double hint; // of the first
} series;

// The scene at one resolution.
typedef struct size {
    bench_pair pair;
    double hint;
    int tet_count, face_count;
    double us[ROUNDS];
} size;

static iso_status create_size(bench* b, const series* s, double hint, size* out) {
    part part_a = s->a, part_b = s->b;
    part_a.material.resolution_hint = part_b.material.resolution_hint = hint;
    bench_pair* pair = &out->pair;
    iso_patch patch = {0};
    *out = (size){.hint = hint};
    *pair = (bench_pair){.x_ab = s->x_ab, .options = bench_options(ISO_REPRESENTATION_POLYGON)};
    iso_status status = bench_create_shape(b, &part_a, &pair->a);
    if (status == ISO_OK) {
        status = bench_create_shape(b, &part_b, &pair->b);
    }
    for (int i = 0; i < 2 && status == ISO_OK; ++i) { // the arena settles
        status = bench_query(b, pair->a, pair->b, &pair->x_ab, &pair->options, &patch);
    }
    if (status == ISO_OK) {
        out->face_count = patch.face_count;
        out->tet_count =
            iso_contact_shape_tet_count(pair->a) + iso_contact_shape_tet_count(pair->b);
    }
    return status;
}

static void print_size(const char* name, const size* s) {
    printf("{\"kind\": \"scaling\", \"case\": \"%s\", \"hint\": %g, \"tets\": %d, "
           "\"faces\": %d, \"us_turns\": [",
           name, s->hint, s->tet_count, s->face_count);
    for (int i = 0; i < ROUNDS; ++i) {
        printf("%s%.3f", i > 0 ? ", " : "", s->us[i]);
    }
    printf("]}\n");
    fflush(stdout);
}

// All sizes take turns: each round gives an exponent of its own.
static void run_series(bench* b, const series* s) {
    size sizes[SIZES];
    int count = 0;
    iso_status status = ISO_OK;
    for (double hint = s->hint; status == ISO_OK && count < SIZES; hint *= 0.5) {
        status = create_size(b, s, hint, &sizes[count++]);
    }
    for (int round = 0; round < ROUNDS && status == ISO_OK; ++round) {
        for (int i = 0; i < count; ++i) {
            sizes[i].us[round] = bench_turn(b, &sizes[i].pair);
        }
    }
    if (status != ISO_OK) {
        fprintf(stderr, "%s: %s\n", s->name, iso_context_error(b->ctx));
    }
    for (int i = 0; i < count; ++i) {
        if (status == ISO_OK) {
            print_size(s->name, &sizes[i]);
        }
        iso_contact_shape_destroy(b->ctx, sizes[i].pair.a);
        iso_contact_shape_destroy(b->ctx, sizes[i].pair.b);
    }
}

static void run_scaling(bench* b) {
    iso_shape_desc half_space = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    part ellipsoid = bench_part(bench_ellipsoid(3.01, 3.5, 4.0), NULL, false, 1e5, 0.0);
    part ball = bench_part(bench_sphere(3.0), NULL, false, 1e5, 0.0);
    const series all[] = {
        {"half_space-sphere", bench_part(half_space, NULL, true, 1e7, 0.0),
         bench_part(bench_sphere(0.05), NULL, false, 1e5, 0.0), bench_shifted(0.0, 0.0, 0.03),
         0.0125},
        {"rigid_sphere-compliant_ellipsoid", ellipsoid,
         bench_part(bench_sphere(3.0), NULL, true, 1e5, 0.0), bench_shifted(3.3, 3.3, 3.3), 1.0},
        {"compliant-compliant/shallow", ellipsoid, ball, bench_shifted(3.3, 3.3, 3.3), 1.0},
        {"compliant-compliant/deep", ellipsoid, ball, bench_shifted(1.2, 1.2, 1.2), 2.0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (is_wanted(b, "scaling") || is_wanted(b, all[i].name)) {
            run_series(b, &all[i]);
        }
    }
}

static size_t tree_bytes(const iso_bvh* tree) {
    return (size_t)tree->node_count * sizeof *tree->nodes +
           (size_t)tree->leaf_count *
               (sizeof *tree->lanes + (tree->turns ? sizeof *tree->turns : 0) +
                ISO_BVH_LEAF_SIZE * sizeof *tree->elements);
}

// Everything that is kept for a field beyond its mesh.
static size_t derived_bytes(const iso_field* field) {
    const iso_field_marks* marks = &field->marks;
    const iso_bvh* trees[] = {&field->tree, &marks->level, &marks->loose, &marks->shell,
                              &marks->kinks};
    size_t bytes = (size_t)field->mesh.tet_count * sizeof *field->cells +
                   (size_t)field->mesh.vertex_count * sizeof *field->points +
                   (size_t)field->tree.node_count *
                       (sizeof *field->slopes + (field->slabs ? sizeof *field->slabs : 0)) +
                   (size_t)marks->hollow_count * sizeof *marks->hollows;
    bytes += marks->planes ? (size_t)marks->level.node_count * sizeof *marks->planes : 0;
    bytes += (size_t)marks->kinks.node_count * sizeof *marks->kink_turns;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; ++i) {
        bytes += tree_bytes(trees[i]);
    }
    return bytes;
}

static void print_memory(const char* name, const iso_field* field) {
    double tets = field->mesh.tet_count, derived = (double)derived_bytes(field);
    double mesh = (double)((size_t)field->mesh.tet_count * sizeof *field->mesh.tets +
                           (size_t)field->mesh.vertex_count *
                               (sizeof *field->mesh.vertices + sizeof *field->pressures));
    printf("{\"kind\": \"memory\", \"case\": \"%s\", \"tets\": %.0f, "
           "\"derived_bytes_per_tet\": %.1f, \"mesh_bytes_per_tet\": %.1f}\n",
           name, tets, derived / tets, mesh / tets);
}

// Processor time to read a volume mesh and make it ready for contact.
static void run_load(bench* b, const char* file) {
    part bowl = bench_part(iso_shape_desc_default(ISO_SHAPE_MESH), file, false, 1e7, 0.0);
    double best = INFINITY;
    int tets = 0;
    for (int i = 0; i < 3; ++i) {
        iso_contact_shape* shape = NULL;
        double begin = bench_cpu_us();
        if (bench_create_shape(b, &bowl, &shape) != ISO_OK) {
            fprintf(stderr, "%s: %s\n", file, iso_context_error(b->ctx));
            return;
        }
        best = fmin(best, 1e-6 * (bench_cpu_us() - begin));
        tets = iso_contact_shape_tet_count(shape);
        if (i == 0) {
            print_memory(file, shape->field);
        }
        iso_contact_shape_destroy(b->ctx, shape);
    }
    printf("{\"kind\": \"load\", \"case\": \"%s\", \"tets\": %d, \"seconds\": %.4f}\n", file, tets,
           best);
}

// a = b + s c over arrays of `bytes` together: 24 bytes an element, as the STREAM benchmark counts.
static double bandwidth(size_t bytes) {
    int count = (int)(bytes / (3 * sizeof(double))) & ~3;
    double* a = malloc(3 * sizeof(double) * (size_t)count);
    if (!a) {
        return NAN;
    }
    double *b = a + count, *c = b + count, best = 0.0;
    for (int i = 0; i < 3 * count; ++i) {
        a[i] = i % 7;
    }
    int rounds = (int)(((size_t)256 << 20) / bytes) + 1;
    for (int trial = 0; trial < 8; ++trial) {
        double begin = bench_now_us();
        for (int round = 0; round < rounds; ++round) {
            iso_double4 s = iso_double4_set(1.0 + 1e-9 * round);
            for (int i = 0; i < count; i += ISO_DOUBLE4_LANES) {
                iso_double4_store(a + i, iso_double4_mul_add(s, iso_double4_load(c + i),
                                                             iso_double4_load(b + i)));
            }
        }
        double seconds = 1e-6 * (bench_now_us() - begin);
        best = fmax(best, 3.0 * sizeof(double) * count * (double)rounds / seconds);
    }
    double check = a[count / 2];
    free(a);
    return check > -1.0 ? best : NAN;
}

// Twelve independent chains of multiply and add, which keep the units busy.
static double wide_flops(void) {
    iso_double4 x[12], f = iso_double4_set(0.999999), g = iso_double4_set(1e-6);
    double best = 0.0, sum = 0.0;
    for (int trial = 0; trial < 8; ++trial) {
        for (int i = 0; i < 12; ++i) {
            x[i] = iso_double4_set(1.0 + i);
        }
        double begin = bench_now_us();
        for (long round = 0; round < FLOP_ROUNDS; ++round) {
            for (int i = 0; i < 12; ++i) {
                x[i] = iso_double4_mul_add(x[i], f, g);
            }
        }
        double seconds = 1e-6 * (bench_now_us() - begin);
        best = fmax(best, 12.0 * 2.0 * ISO_DOUBLE4_LANES * (double)FLOP_ROUNDS / seconds);
        for (int i = 0; i < 12; ++i) {
            sum += iso_double4_sum(x[i]);
        }
    }
    return sum > 0.0 ? best : NAN;
}

static double scalar_flops(void) {
    double best = 0.0, sum = 0.0;
    for (int trial = 0; trial < 8; ++trial) {
        double a = 1.0, b = 2.0, c = 3.0, d = 4.0, e = 5.0, f = 6.0, g = 7.0, h = 8.0;
        double begin = bench_now_us();
        for (long round = 0; round < FLOP_ROUNDS; ++round) {
            // Eight chains of different shape, which no compiler packs into lanes.
            a = a * 0.999999 + 1e-6;
            b = 1e-6 - b * 0.999998;
            c = c * 0.999997 - 1e-6;
            d = 2e-6 + d * 0.999996;
            e = 3e-6 - e * 0.999995;
            f = f * 0.999994 + 3e-6;
            g = g * 0.999993 - 2e-6;
            h = 4e-6 - h * 0.999992;
        }
        double seconds = 1e-6 * (bench_now_us() - begin);
        best = fmax(best, 8.0 * 2.0 * (double)FLOP_ROUNDS / seconds);
        sum += fabs(a + b + c + d + e + f + g + h);
    }
    return sum >= 0.0 ? best : NAN;
}

static void run_machine(void) {
    printf("{\"kind\": \"machine\", \"near_bytes_per_s\": %.4g, \"far_bytes_per_s\": %.4g, "
           "\"wide_flops_per_s\": %.4g, \"scalar_flops_per_s\": %.4g}\n",
           bandwidth(NEAR_BYTES), bandwidth(FAR_BYTES), wide_flops(), scalar_flops());
}

int main(int argc, char** argv) {
    bench b;
    if (!bench_begin(&b, argc, argv)) {
        fprintf(stderr, "bench_limits: out of memory\n");
        return 1;
    }
    if (is_wanted(&b, "machine")) {
        run_machine();
    }
    if (b.assets && is_wanted(&b, "load")) {
        run_load(&b, "dishes/assets/evo_bowl_fine44k.vtk");
    }
    run_scaling(&b);
    bench_end(&b);
    return 0;
}
