// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Capsules, cylinders and ellipsoids cut by half spaces and balls: against closed forms where two
// are the same solid, octrees, prisms of many sides, and their own derivatives; poses are drawn.

#include "volume/octree.h"
#include "volume/round/round.h"
#include "volume/solids.h"

typedef struct draw_pair {
    iso_volume_body *a, *b;
    iso_pose x_wa, x_wb;
    double size;
} draw_pair;

static iso_shape_desc draw_round(test_random* random, iso_shape_kind kind) {
    iso_shape_desc shape = iso_shape_desc_default(kind);
    shape.radius = test_random_uniform(random, 0.1, 0.4);
    shape.length = test_random_uniform(random, 0.0, 1.0) + 0.02;
    shape.size = test_random_vec3(random, 0.1, 0.5);
    return shape;
}

// A half space or a ball, and a round solid that it meets; depths of a tenth of the size or less.
static draw_pair draw(iso_context* ctx, test_random* random, iso_shape_kind kind, bool is_ball) {
    iso_shape_desc first =
        iso_shape_desc_default(is_ball ? ISO_SHAPE_SPHERE : ISO_SHAPE_HALF_SPACE);
    iso_shape_desc second = draw_round(random, kind);
    first.radius = test_random_uniform(random, 0.05, 0.8);
    draw_pair p = {.a = body_of_shape(ctx, &first), .b = body_of_shape(ctx, &second)};
    p.size = second.radius;
    p.x_wa = test_random_pose(random, 1.0);
    p.x_wb = test_random_pose(random, 1.0);
    // Drawn points of both surfaces come together, then a depth more.
    iso_vec3 n = is_ball ? test_random_unit_vec3(random) : iso_mat3_column(&p.x_wa.r, 2);
    double low = -10.0, high = 10.0; // along n, where the second begins to touch the first
    p.x_wb.p = iso_vec3_add(p.x_wa.p, iso_vec3_scale(test_random_unit_vec3(random), 0.05));
    iso_vec3 start = p.x_wb.p;
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high);
        p.x_wb.p = iso_vec3_add_scaled(start, n, middle);
        iso_volume_metrics m = meet(ctx, p.a, &p.x_wa, p.b, &p.x_wb);
        low = m.volume > 0.0 ? middle : low;
        high = m.volume > 0.0 ? high : middle;
    }
    double depth = 0.2 * pow(10.0, test_random_uniform(random, -3.0, 0.7));
    p.x_wb.p = iso_vec3_add_scaled(start, n, low - depth * p.size);
    return p;
}

static void drop(iso_context* ctx, draw_pair* p) {
    iso_volume_body_destroy(ctx, p->a);
    iso_volume_body_destroy(ctx, p->b);
}

static void check_alike(const iso_volume_metrics* x, const iso_volume_metrics* y, double allowed) {
    double length = cbrt(y->volume), square = length * length;
    CHECK_REL(x->volume, y->volume, allowed);
    CHECK_VEC3_NEAR(x->centroid, y->centroid, allowed * length);
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(x->inertia.m[i / 3][i % 3], y->inertia.m[i / 3][i % 3],
                   allowed * y->volume * (square + 1e-3));
    }
    CHECK_VEC3_NEAR(x->area, y->area, allowed * (square + 1e-2));
    CHECK_VEC3_NEAR(x->turn, y->turn, allowed * (square + 1e-2));
}

static const iso_shape_kind k_kinds[] = {ISO_SHAPE_CAPSULE, ISO_SHAPE_CYLINDER,
                                         ISO_SHAPE_ELLIPSOID};

// Ellipsoids and balls are an octree.
static bool is_closed_form(iso_shape_kind kind, bool is_ball) {
    return !(is_ball && kind == ISO_SHAPE_ELLIPSOID);
}

static void octrees_find_the_same(void** state) {
    iso_context* ctx = *state;
    const iso_volume_settings settings = {.digits = 2.0, .max_depth = 6};
    int count = 0;
    for (int seed = 0; seed < 60; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        iso_shape_kind kind = k_kinds[seed % 3];
        bool is_ball = seed / 3 % 2 == 1;
        if (!is_closed_form(kind, is_ball)) {
            continue;
        }
        draw_pair p = draw(ctx, &random, kind, is_ball);
        iso_volume_metrics m = meet(ctx, p.a, &p.x_wa, p.b, &p.x_wb), octree;
        assert_int_equal(m.method, ISO_VOLUME_ANALYTIC);
        iso_pose x_ab = iso_pose_inverse_mul(&p.x_wa, &p.x_wb);
        iso_pose identity = iso_pose_identity();
        bool is_done = iso_volume_octree(p.a, p.b, &x_ab, &settings, &octree);
        iso_volume_metrics in_a = meet(ctx, p.a, &identity, p.b, &x_ab);
        if (!is_done) { // a thin volume
            drop(ctx, &p);
            continue;
        }
        ++count;
        double allowed = 0.02; // measured 3e-3
        CHECK_REL(octree.volume, in_a.volume, allowed);
        CHECK_VEC3_NEAR(octree.centroid, in_a.centroid, allowed * p.size);
        for (int i = 0; i < 9; ++i) {
            CHECK_NEAR(octree.inertia.m[i / 3][i % 3], in_a.inertia.m[i / 3][i % 3],
                       2.0 * allowed * (in_a.inertia.m[2][2] + in_a.inertia.m[0][0]));
        }
        drop(ctx, &p);
    }
    CHECK(count >= 8, "%d", count);
}

static double volume_at(iso_context* ctx, const draw_pair* p, iso_vec3 shift, iso_vec3 turn,
                        iso_vec3 about) {
    iso_mat3 r = iso_mat3_from_quat(iso_quat_from_rotation_vector(turn));
    iso_vec3 arm = iso_mat3_mul_vec3(&r, iso_vec3_sub(p->x_wb.p, about));
    iso_pose moved = {iso_mat3_mul(r, p->x_wb.r), iso_vec3_add(iso_vec3_add(about, arm), shift)};
    return meet(ctx, p->a, &p->x_wa, p->b, &moved).volume;
}

static void area_and_turn_are_the_derivatives(void** state) {
    iso_context* ctx = *state;
    for (int seed = 0; seed < 300; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 100);
        iso_shape_kind kind = k_kinds[seed % 3];
        bool is_ball = seed / 3 % 2 == 1;
        if (!is_closed_form(kind, is_ball)) {
            continue;
        }
        draw_pair p = draw(ctx, &random, kind, is_ball);
        iso_volume_metrics m = meet(ctx, p.a, &p.x_wa, p.b, &p.x_wb);
        iso_vec3 d = test_random_unit_vec3(&random);
        double step = 1e-6 * p.size, area = iso_vec3_norm(m.area);
        double shifted =
            (volume_at(ctx, &p, iso_vec3_scale(d, step), iso_vec3_zero(), m.centroid) -
             volume_at(ctx, &p, iso_vec3_scale(d, -step), iso_vec3_zero(), m.centroid)) /
            (2.0 * step);
        double turned =
            (volume_at(ctx, &p, iso_vec3_zero(), iso_vec3_scale(d, step), m.centroid) -
             volume_at(ctx, &p, iso_vec3_zero(), iso_vec3_scale(d, -step), m.centroid)) /
            (2.0 * step);
        CHECK(fabs(iso_vec3_dot(m.area, d) - shifted) < 1e-4 * area, "seed %d: %g, %g of %g", seed,
              iso_vec3_dot(m.area, d), shifted, area);
        CHECK(fabs(iso_vec3_dot(m.turn, d) - turned) < 1e-4 * area, "seed %d: %g, %g of %g", seed,
              iso_vec3_dot(m.turn, d), turned, area);
        drop(ctx, &p);
    }
}

static void a_capsule_without_length_is_a_ball(void** state) {
    (void)state;
    for (int seed = 0; seed < 200; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 500);
        iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_CAPSULE);
        shape.radius = test_random_uniform(&random, 0.1, 0.4);
        shape.length = 1e-13;
        double ball = test_random_uniform(&random, 0.05, 0.8);
        double reach = fabs(shape.radius - ball) +
                       2.0 * fmin(shape.radius, ball) * test_random_uniform(&random, 0.02, 0.98);
        iso_pose x_ab = test_random_pose(&random, 1.0);
        x_ab.p = iso_vec3_scale(test_random_unit_vec3(&random), reach);
        iso_volume_metrics m, exact;
        iso_volume_ball_section(ball, &shape, &x_ab, &m);
        iso_volume_ball_ball(ball, shape.radius, x_ab.p, &exact);
        check_alike(&m, &exact, 3e-5); // measured 1e-5 of the area, 1e-7 of the rest
        x_ab.p.z = shape.radius * test_random_uniform(&random, -0.98, 0.98);
        iso_volume_plane_section(&shape, &x_ab, &m);
        iso_volume_plane_ball(shape.radius, x_ab.p, &exact);
        check_alike(&m, &exact, 1e-5);
    }
}

static void cylinders_by_sections_are_those_by_chords(void** state) {
    (void)state;
    for (int seed = 0; seed < 300; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 800);
        iso_shape_desc shape = draw_round(&random, ISO_SHAPE_CYLINDER);
        iso_pose x_ab = test_random_pose(&random, 0.0);
        iso_vec3 axis = iso_mat3_column(&x_ab.r, 2);
        double reach =
            shape.radius * sqrt(1.0 - axis.z * axis.z) + 0.5 * shape.length * fabs(axis.z);
        x_ab.p.z = reach * test_random_uniform(&random, -0.9, 0.99);
        iso_volume_metrics m, exact;
        iso_volume_plane_section(&shape, &x_ab, &m);
        iso_volume_plane_cylinder(shape.radius, shape.length, &x_ab, &exact);
        check_alike(&m, &exact, 1e-7);
    }
}

static void an_even_ellipsoid_is_a_ball(void** state) {
    (void)state;
    for (int seed = 0; seed < 100; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 1200);
        double r = test_random_uniform(&random, 0.1, 1.0);
        iso_pose x_ab = test_random_pose(&random, 1.0);
        x_ab.p.z = r * test_random_uniform(&random, -1.2, 0.999);
        iso_volume_metrics m, exact;
        iso_volume_plane_ellipsoid(iso_vec3_make(r, r, r), &x_ab, &m);
        iso_volume_plane_ball(r, x_ab.p, &exact);
        check_alike(&m, &exact, 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(octrees_find_the_same),
        cmocka_unit_test(area_and_turn_are_the_derivatives),
        cmocka_unit_test(a_capsule_without_length_is_a_ball),
        cmocka_unit_test(cylinders_by_sections_are_those_by_chords),
        cmocka_unit_test(an_even_ellipsoid_is_a_ball),
    };
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
