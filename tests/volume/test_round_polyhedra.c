// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Cylinders and ellipsoids in polyhedra: against prisms of many sides, half spaces in closed form,
// sums over cells and their own derivatives; solids, sizes and poses are drawn.

#include "volume/solids.h"

static const iso_pose* origin(void) {
    static const iso_pose identity = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
    return &identity;
}

static iso_volume_body* draw_round(iso_context* ctx, test_random* random, int seed) {
    iso_shape_desc shape =
        iso_shape_desc_default(seed % 2 ? ISO_SHAPE_CYLINDER : ISO_SHAPE_ELLIPSOID);
    shape.radius = test_random_uniform(random, 0.05, 0.6);
    shape.length = test_random_uniform(random, 0.05, 1.2);
    shape.size = test_random_vec3(random, 0.1, 0.7);
    return body_of_shape(ctx, &shape);
}

// Every fourth pose has axes in the directions of the other's.
static iso_pose draw_pose(test_random* random, int seed, double reach) {
    iso_pose x = test_random_pose(random, reach);
    if (seed % 4 == 3) {
        x.r = iso_mat3_from_rpy(seed % 8 == 3 ? 0.0 : 0.5 * ISO_PI, 0.0, 0.0);
    }
    return x;
}

static void cells_of_a_body_make_the_whole(void** state) {
    iso_context* ctx = *state;
    int count = 0;
    for (int seed = 0; seed < TEST_ROUNDS(300, 60); ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        star_prism star = draw_star(&random, false);
        iso_tri_mesh mesh = star_mesh(ctx, &star);
        iso_volume_body *whole = body_of_mesh(ctx, &mesh), *round = draw_round(ctx, &random, seed);
        iso_pose x_wa = iso_pose_identity(), x_wb = draw_pose(&random, seed, 0.6);
        iso_volume_metrics m = meet(ctx, whole, &x_wa, round, &x_wb), joined = {0};
        for (int k = 0; k < star.corners; ++k) {
            iso_tri_mesh part = star_cell(ctx, &star, k);
            iso_volume_body* cell = body_of_mesh(ctx, &part);
            iso_volume_metrics c = meet(ctx, cell, &x_wa, round, &x_wb);
            iso_volume_join(&joined, &c);
            iso_volume_body_destroy(ctx, cell);
            iso_tri_mesh_destroy(ctx, &part);
        }
        check_same(joined, m, 1e-13);
        CHECK_VEC3_NEAR(joined.area, m.area, 1e-13);
        CHECK_VEC3_NEAR(joined.turn, m.turn, 1e-13);
        count += m.volume > 0.0;
        iso_volume_body_destroy(ctx, whole);
        iso_volume_body_destroy(ctx, round);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
    CHECK(count > 40, "%d", count);
}

// A box whose other faces are far is a half space, whatever the depth.
static void big_boxes_are_half_spaces(void** state) {
    iso_context* ctx = *state;
    iso_shape_desc plane = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_volume_body* half_space = body_of_shape(ctx, &plane);
    iso_volume_body* box = box_body(ctx, 6.0, 6.0, 6.0);
    for (int seed = 0; seed < 400; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 1000);
        iso_volume_body* round = draw_round(ctx, &random, seed);
        iso_pose x_wb = draw_pose(&random, seed, 0.2);
        iso_pose x_wc = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -3.0));
        x_wc.r = iso_mat3_from_rpy(0.0, 0.0, test_random_uniform(&random, -ISO_PI, ISO_PI));
        double low = 0.0, high = 3.0; // first touch
        for (int i = 0; i < 60; ++i) {
            x_wb.p.z = 0.5 * (low + high);
            bool meets = meet(ctx, half_space, origin(), round, &x_wb).volume > 0.0;
            low = meets ? x_wb.p.z : low;
            high = meets ? high : x_wb.p.z;
        }
        double depth = 0.3 * pow(10.0, test_random_uniform(&random, -4.0, 0.0));
        x_wb.p.z = low - depth;
        iso_volume_metrics a = meet(ctx, half_space, origin(), round, &x_wb);
        iso_volume_metrics b = meet(ctx, box, &x_wc, round, &x_wb);
        double size = cbrt(a.volume), area = size * size;
        CHECK(fabs(b.volume - a.volume) < 1e-9 * a.volume + 1e-15,
              "seed %d, depth %g: %.14g, %.14g", seed, depth, b.volume, a.volume);
        CHECK_VEC3_NEAR(b.centroid, a.centroid, 1e-8);
        CHECK_MAT3_NEAR(b.inertia, a.inertia, 1e-13);
        CHECK_VEC3_NEAR(b.area, a.area, 1e-8 * area + 1e-12);
        CHECK_VEC3_NEAR(b.turn, a.turn, 1e-8 * area + 1e-12);
        iso_volume_body_destroy(ctx, round);
    }
    iso_volume_body_destroy(ctx, half_space);
    iso_volume_body_destroy(ctx, box);
}

// A prism whose base has the area of the disc.
static iso_volume_body* many_sided(iso_context* ctx, double r, double length, int n) {
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 2 * n + 2, 4 * n, &mesh));
    mesh.vertices[2 * n] = iso_vec3_make(0.0, 0.0, -0.5 * length);
    mesh.vertices[2 * n + 1] = iso_vec3_make(0.0, 0.0, 0.5 * length);
    double equal_area = r * sqrt(2.0 * ISO_PI / n / sin(2.0 * ISO_PI / n));
    for (int i = 0; i < n; ++i) {
        double angle = 2.0 * ISO_PI * i / n, x = equal_area * cos(angle),
               y = equal_area * sin(angle);
        int next = (i + 1) % n;
        mesh.vertices[i] = iso_vec3_make(x, y, -0.5 * length);
        mesh.vertices[n + i] = iso_vec3_make(x, y, 0.5 * length);
        set_face(&mesh, 4 * i, i, next, n + next);
        set_face(&mesh, 4 * i + 1, i, n + next, n + i);
        set_face(&mesh, 4 * i + 2, next, i, 2 * n);
        set_face(&mesh, 4 * i + 3, n + i, n + next, 2 * n + 1);
    }
    iso_volume_body* body = body_of_mesh(ctx, &mesh);
    iso_tri_mesh_destroy(ctx, &mesh);
    return body;
}

static void cylinders_are_prisms_of_many_sides(void** state) {
    iso_context* ctx = *state;
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    shape.radius = 0.4;
    shape.length = 0.9;
    iso_volume_body *cylinder = body_of_shape(ctx, &shape),
                    *prism = many_sided(ctx, shape.radius, shape.length, 2000);
    for (int seed = 0; seed < TEST_ROUNDS(100, 10); ++seed) {
        test_random random = test_random_make((uint64_t)seed + 2000);
        iso_volume_body* solid = draw_body(ctx, &random);
        iso_pose x_wa = draw_pose(&random, seed, 0.5), x_wb = iso_pose_identity();
        iso_volume_metrics a = meet(ctx, solid, &x_wa, cylinder, &x_wb);
        iso_volume_metrics b = meet(ctx, solid, &x_wa, prism, &x_wb);
        check_same(a, b, 1e-9);
        CHECK_VEC3_NEAR(a.area, b.area, 3e-6);
        CHECK_VEC3_NEAR(a.turn, b.turn, 3e-7);
        iso_volume_body_destroy(ctx, solid);
    }
    iso_volume_body_destroy(ctx, cylinder);
    iso_volume_body_destroy(ctx, prism);
}

static double volume_near(iso_context* ctx, const iso_volume_body* a, const iso_volume_body* b,
                          const iso_pose* x_wb, iso_vec3 shift, iso_vec3 turn, iso_vec3 about) {
    iso_mat3 r = iso_mat3_from_quat(iso_quat_from_rotation_vector(turn));
    iso_vec3 arm = iso_mat3_mul_vec3(&r, iso_vec3_sub(x_wb->p, about));
    iso_pose moved = {iso_mat3_mul(r, x_wb->r), iso_vec3_add(iso_vec3_add(about, arm), shift)};
    return meet(ctx, a, origin(), b, &moved).volume;
}

static void area_and_turn_are_the_derivatives(void** state) {
    iso_context* ctx = *state;
    for (int seed = 0; seed < TEST_ROUNDS(300, 60); ++seed) {
        test_random random = test_random_make((uint64_t)seed + 3000);
        iso_volume_body *a = draw_body(ctx, &random), *b = draw_round(ctx, &random, seed);
        iso_pose x_wb = test_random_pose(&random, 0.5);
        iso_volume_metrics m = meet(ctx, a, origin(), b, &x_wb);
        iso_vec3 d = test_random_unit_vec3(&random), none = iso_vec3_zero();
        double h = 1e-5, change[2][2];
        for (int side = 0; side < 2; ++side) {
            iso_vec3 way = iso_vec3_scale(d, side ? h : -h);
            change[0][side] = volume_near(ctx, a, b, &x_wb, way, none, m.centroid);
            change[1][side] = volume_near(ctx, a, b, &x_wb, none, way, m.centroid);
        }
        CHECK_NEAR(iso_vec3_dot(m.area, d), (change[0][1] - change[0][0]) / (2.0 * h), 1e-8);
        CHECK_NEAR(iso_vec3_dot(m.turn, d), (change[1][1] - change[1][0]) / (2.0 * h), 1e-8);
        iso_volume_body_destroy(ctx, a);
        iso_volume_body_destroy(ctx, b);
    }
}

// Beside, below and above, and corners in corners: nothing, or the whole of the smaller one.
static void apart_is_nothing_and_inside_is_the_whole(void** state) {
    iso_context* ctx = *state;
    for (int seed = 0; seed < 300; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 4000);
        iso_volume_body* round = draw_round(ctx, &random, seed);
        iso_volume_body* box = box_body(ctx, 3.0, 3.0, 3.0);
        iso_pose x_wb = draw_pose(&random, seed, 0.3);
        iso_volume_metrics m = meet(ctx, box, origin(), round, &x_wb);
        CHECK_REL(m.volume, iso_volume_body_volume(round), 1e-12);
        CHECK_VEC3_NEAR(m.centroid, x_wb.p, 1e-12);
        CHECK_VEC3_NEAR(m.area, iso_vec3_zero(), 1e-12);
        CHECK_VEC3_NEAR(m.turn, iso_vec3_zero(), 1e-12);
        // Both have spheres about them that do not meet.
        x_wb.p =
            iso_vec3_scale(test_random_unit_vec3(&random), test_random_uniform(&random, 3.6, 4.0));
        m = meet(ctx, box, origin(), round, &x_wb);
        CHECK(m.volume == 0.0, "seed %d: %g", seed, m.volume);
        iso_volume_body_destroy(ctx, round);
        iso_volume_body_destroy(ctx, box);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_of_a_body_make_the_whole),
        cmocka_unit_test(big_boxes_are_half_spaces),
        cmocka_unit_test(cylinders_are_prisms_of_many_sides),
        cmocka_unit_test(area_and_turn_are_the_derivatives),
        cmocka_unit_test(apart_is_nothing_and_inside_is_the_whole),
    };
    return cmocka_run_group_tests(tests, test_set_up, test_tear_down);
}
