// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Points of round shapes: random shapes, sizes and poses against the energy they store, and
// against each other swapped.

#include "contact/point/round_pair.h"
#include "support/check.h"
#include "support/random.h"

#define CASES 400

static const iso_shape_kind k_kinds[] = {ISO_SHAPE_SPHERE, ISO_SHAPE_CAPSULE, ISO_SHAPE_HALF_SPACE,
                                         ISO_SHAPE_BOX, ISO_SHAPE_CYLINDER};

static iso_shape_desc random_shape(test_random* random, bool is_round) {
    iso_shape_desc shape =
        iso_shape_desc_default(k_kinds[test_random_int(random, 0, is_round ? 1 : 4)]);
    double size = pow(10.0, test_random_uniform(random, -2.5, 0.0));
    shape.radius = size * test_random_uniform(random, 0.3, 1.0);
    shape.length = size * test_random_uniform(random, 0.3, 3.0);
    shape.size = iso_vec3_scale(test_random_vec3(random, 0.5, 2.0), size);
    return shape;
}

// Two shapes at random turns that overlap by a share of the smaller radius; false: they do not.
static bool bring_together(test_random* random, const iso_shape_desc* a, const iso_shape_desc* b,
                           iso_pose* x_wa, iso_pose* x_wb) {
    iso_round_point points[ISO_ROUND_MOST_POINTS];
    *x_wa = test_random_pose(random, 1.0);
    *x_wb = test_random_pose(random, 1.0);
    iso_vec3 way = test_random_unit_vec3(random);
    double far = 10.0 + a->length + b->length, near = 0.0;
    double radius = 1.0;
    radius =
        a->kind <= ISO_SHAPE_CAPSULE && a->kind != ISO_SHAPE_BOX ? fmin(radius, a->radius) : radius;
    radius =
        b->kind <= ISO_SHAPE_CAPSULE && b->kind != ISO_SHAPE_BOX ? fmin(radius, b->radius) : radius;
    if (a->kind == ISO_SHAPE_HALF_SPACE || b->kind == ISO_SHAPE_HALF_SPACE) {
        bool is_a = a->kind == ISO_SHAPE_HALF_SPACE;
        way = iso_mat3_column(is_a ? &x_wa->r : &x_wb->r, 2);
        way = is_a ? way : iso_vec3_scale(way, -1.0);
    }
    for (int i = 0; i < 200; ++i) { // from apart to where they touch
        double middle = 0.5 * (near + far);
        x_wb->p = iso_vec3_add_scaled(x_wa->p, way, middle);
        bool touches = iso_round_pair_find(a, x_wa, b, x_wb, points) > 0;
        near = touches ? middle : near;
        far = touches ? far : middle;
    }
    double depth = radius * test_random_uniform(random, 1e-4, 0.05);
    x_wb->p = iso_vec3_add_scaled(x_wa->p, way, near - depth);
    return near > depth && iso_round_pair_find(a, x_wa, b, x_wb, points) > 0;
}

static double energy_of(const iso_shape_desc* a, const iso_pose* x_wa, const iso_shape_desc* b,
                        const iso_pose* x_wb) {
    iso_round_point points[ISO_ROUND_MOST_POINTS];
    int count = iso_round_pair_find(a, x_wa, b, x_wb, points);
    double sum = 0.0;
    for (int i = 0; i < count; ++i) { // stiffness 1 N/m^(3/2)
        sum += 0.4 * pow(points[i].depth, 2.5);
    }
    return sum;
}

// Force and moment about the origin of the world, on B.
static iso_spatial push_of(const iso_shape_desc* a, const iso_pose* x_wa, const iso_shape_desc* b,
                           const iso_pose* x_wb) {
    iso_round_point points[ISO_ROUND_MOST_POINTS];
    int count = iso_round_pair_find(a, x_wa, b, x_wb, points);
    iso_spatial sum = iso_spatial_zero();
    for (int i = 0; i < count; ++i) {
        iso_vec3 force = iso_vec3_scale(points[i].normal, pow(points[i].depth, 1.5));
        sum.translational = iso_vec3_add(sum.translational, force);
        sum.rotational = iso_vec3_add(sum.rotational, iso_vec3_cross(points[i].point, force));
    }
    return sum;
}

static iso_pose moved(const iso_pose* x, int column, double step) {
    double t[6] = {0.0};
    t[column] = step;
    iso_vec3 w = iso_vec3_make(t[0], t[1], t[2]);
    iso_mat3 turn = iso_mat3_from_quat(iso_quat_from_rotation_vector(w));
    return (iso_pose){iso_mat3_mul(turn, x->r), iso_vec3_add(iso_mat3_mul_vec3(&turn, x->p),
                                                             iso_vec3_make(t[3], t[4], t[5]))};
}

static void forces_are_the_slope_of_the_energy(void** state) {
    (void)state;
    double worst = 0.0;
    int counts[5][5] = {{0}};
    for (int seed = 0; seed < CASES; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        iso_shape_desc a = random_shape(&random, false), b = random_shape(&random, true);
        iso_pose x_wa, x_wb;
        if (!bring_together(&random, &a, &b, &x_wa, &x_wb)) {
            continue;
        }
        iso_spatial f = push_of(&a, &x_wa, &b, &x_wb);
        double size = iso_vec3_norm(f.translational);
        const double want[6] = {f.rotational.x,    f.rotational.y,    f.rotational.z,
                                f.translational.x, f.translational.y, f.translational.z};
        double depth = pow(size, 2.0 / 3.0);
        for (int i = 0; i < 6; ++i) {
            double step = 1e-3 * depth;
            iso_pose plus = moved(&x_wb, i, step), minus = moved(&x_wb, i, -step);
            double slope =
                (energy_of(&a, &x_wa, &b, &minus) - energy_of(&a, &x_wa, &b, &plus)) / (2.0 * step);
            double arm = i < 3 ? fmax(iso_vec3_norm(x_wb.p), 1.0) : 1.0;
            worst = fmax(worst, fabs(slope - want[i]) / (size * arm));
            CHECK(fabs(slope - want[i]) <= 1e-4 * size * arm,
                  "seed %d, component %d: %g for %g of %g", seed, i, slope, want[i], size);
        }
        ++counts[a.kind == ISO_SHAPE_SPHERE    ? 0
                 : a.kind == ISO_SHAPE_CAPSULE ? 1
                                               : 2][b.kind == ISO_SHAPE_SPHERE ? 0 : 1];
    }
    CHECK(counts[0][0] > 10 && counts[1][1] > 10 && counts[2][1] > 50, "%d %d %d", counts[0][0],
          counts[1][1], counts[2][1]);
    CHECK_NEAR(worst, 0.0, 1e-4); // measured: see above
}

static void swapped_pairs_push_alike(void** state) {
    (void)state;
    for (int seed = 0; seed < CASES; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 1000);
        iso_shape_desc a = random_shape(&random, false), b = random_shape(&random, true);
        iso_pose x_wa, x_wb;
        if (!bring_together(&random, &a, &b, &x_wa, &x_wb)) {
            continue;
        }
        iso_spatial f = push_of(&a, &x_wa, &b, &x_wb), g = push_of(&b, &x_wb, &a, &x_wa);
        double size = iso_vec3_norm(f.translational);
        iso_spatial sum = iso_spatial_add(f, g);
        CHECK(iso_vec3_norm(sum.translational) <= 1e-6 * size, "seed %d: %g of %g", seed,
              iso_vec3_norm(sum.translational), size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_slope_of_the_energy),
        cmocka_unit_test(swapped_pairs_push_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
