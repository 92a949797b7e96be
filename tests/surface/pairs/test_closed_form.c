// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Forces against closed forms of the pressure fields, derived in docs/theory/contact_surface.md.

#include "surface/pair_fixture.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

static iso_patch query(const iso_contact_shape* a, iso_pose x_wa, const iso_contact_shape* b,
                       iso_pose x_wb) {
    iso_contact_options options = fixture_options();
    iso_patch patch;
    CHECK_OK(ctx, iso_arena_reset(&arena));
    CHECK_OK(ctx, iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &patch));
    return patch;
}

static iso_pose at_height(double z) {
    return iso_pose_from_position(iso_vec3_make(0.0, 0.0, z));
}

// Vertical force on B, which sits at height z on A at the origin.
static double lift(const iso_contact_shape* a, const iso_contact_shape* b, double z) {
    iso_patch patch = query(a, iso_pose_identity(), b, at_height(z));
    fixture_check_patch(&patch, 0.2);
    return fixture_wrench(&patch).translational.z;
}

// Relative errors of a force over refinements by two; the last order of convergence is second.
static void check_second_order(const double* forces, int count, double exact, double last_error) {
    double order = 0.0;
    for (int i = 0; i + 1 < count; ++i) {
        order = log2((forces[i] / exact - 1.0) / (forces[i + 1] / exact - 1.0));
    }
    CHECK_NEAR(order, 2.0, 0.05);
    CHECK_NEAR(forces[count - 1] / exact, 1.0, last_error);
}

// p = E (1 - r/R), cut at depth x: F = pi E x^2 (1 - 2 x / (3 R)).
static void sphere_on_half_space_converges_at_second_order(void** state) {
    (void)state;
    const double r = 0.05, e = 1e5, x = 0.01;
    double forces[5];
    iso_contact_shape* floor = fixture_half_space(ctx, fixture_rigid(0.0));
    for (int i = 0; i < 5; ++i) {
        iso_contact_shape* ball =
            fixture_shape(ctx, fixture_sphere(r), fixture_compliant(e, r / (double)(1 << i)));
        forces[i] = lift(floor, ball, r - x);
        iso_contact_shape_destroy(ctx, ball);
    }
    // Measured: errors 0.71, 0.23, 0.061, 0.016, 0.0039; last order 1.98.
    check_second_order(forces, 5, ISO_PI * e * x * x * (1.0 - 2.0 * x / (3.0 * r)), 0.005);
    iso_contact_shape_destroy(ctx, floor);
}

// The documented promise about a sphere at rest under its weight on a rigid box.
static void resting_sphere_is_as_accurate_as_its_resolution_promises(void** state) {
    (void)state;
    const double r = 0.05, e = 1e5;
    const double bounds[4] = {0.21, 0.06, 0.015, 0.004}; // measured 0.197, 0.053, 0.014, 0.0035
    double x = 0.0118;                                   // where F is 1.2 g
    double exact = ISO_PI * e * x * x * (1.0 - 2.0 * x / (3.0 * r));
    iso_contact_shape* block =
        fixture_shape(ctx, fixture_box(10.0, 10.0, 10.0), fixture_rigid(0.0));
    for (int i = 0; i < 4; ++i) {
        iso_contact_shape* ball =
            fixture_shape(ctx, fixture_sphere(r), fixture_compliant(e, r / (double)(2 << i)));
        CHECK_REL(lift(block, ball, 5.0 + r - x), exact, bounds[i]);
        iso_contact_shape_destroy(ctx, ball);
    }
    iso_contact_shape_destroy(ctx, block);
}

// Flat on the cap of a cylinder p = E min(depth, R - rho) / R, depth x:
// F = pi E R x (1 - x/R + x^2 / (3 R^2)), times L/2 < R in place of one R for short cylinders.
static void flat_cylinder_converges_at_second_order(void** state) {
    (void)state;
    const double r = 0.05, e = 1e5, x = 0.01;
    const double lengths[2] = {0.2, 0.06};
    iso_contact_shape* floor = fixture_half_space(ctx, fixture_rigid(0.0));
    for (int k = 0; k < 2; ++k) {
        double forces[4], length = lengths[k];
        for (int i = 0; i < 4; ++i) {
            iso_contact_shape* b = fixture_shape(ctx, fixture_cylinder(r, length),
                                                 fixture_compliant(e, 0.4 * r / (double)(1 << i)));
            forces[i] = lift(floor, b, 0.5 * length - x);
            iso_contact_shape_destroy(ctx, b);
        }
        double depth = fmin(r, 0.5 * length), u = x / r;
        double exact = e / depth * ISO_PI * r * r * x * (1.0 - u + u * u / 3.0);
        check_second_order(forces, 4, exact, 0.001); // measured 4.1e-4
    }
    iso_contact_shape_destroy(ctx, floor);
}

// Volume under min(depth, distance to the sides) over a rectangle of half sizes a, b.
static double frustum(double a, double b, double x) {
    return 4.0 * (a * b * x - (a + b) * x * x / 2.0 + x * x * x / 3.0);
}

// Flat on a face of a box, whose pieces are exact: F = E/h V; for a cube 4 E h x (1 - x/h + x^2/(3
// h^2)).
static void flat_box_is_exact(void** state) {
    (void)state;
    const double e = 1e5;
    iso_contact_shape* floor = fixture_half_space(ctx, fixture_rigid(0.0));
    iso_contact_shape* cube =
        fixture_shape(ctx, fixture_box(0.1, 0.1, 0.1), fixture_compliant(e, 0.0));
    double h = 0.05, x = 0.02, u = x / h;
    CHECK_REL(lift(floor, cube, h - x), 4.0 * e * h * x * (1.0 - u + u * u / 3.0),
              1e-13); // measured 2.2e-16
    iso_contact_shape* slab =
        fixture_shape(ctx, fixture_box(0.3, 0.2, 0.1), fixture_compliant(e, 0.0));
    CHECK_REL(lift(floor, slab, h - x), e / h * frustum(0.15, 0.1, x), 1e-13); // measured 2.3e-16
    iso_contact_shape_destroy(ctx, floor);
    iso_contact_shape_destroy(ctx, cube);
    iso_contact_shape_destroy(ctx, slab);
}

// What rounding does to a triangle that the boundary cuts must not look like a margin.
static void cut_triangles_end_at_the_pressure_of_the_boundary(void** state) {
    (void)state;
    iso_contact_material material = fixture_compliant(1e6, 0.0);
    material.slab_thickness = 0.05;
    iso_contact_shape* floor = fixture_half_space(ctx, material);
    iso_contact_shape* ball = fixture_shape(ctx, fixture_sphere(0.05), fixture_rigid(0.005));
    iso_pose x_wa = iso_pose_make(iso_mat3_from_rpy(0.4, 0.7, -0.3), iso_vec3_make(0.3, -0.2, 0.1));
    iso_pose x_ab = at_height(0.02);
    iso_patch patch = query(floor, x_wa, ball, iso_pose_mul(&x_wa, &x_ab));
    int boundary_count = 0;
    for (int i = 0; i < patch.vertex_count; ++i) {
        assert_true(patch.vertex_pressures[i] >= 0.0); // where interpolated: -4e-12
        boundary_count += patch.vertex_pressures[i] == 0.0;
    }
    assert_true(boundary_count > 100);
    iso_contact_shape_destroy(ctx, floor);
    iso_contact_shape_destroy(ctx, ball);
}

// Two equal spheres press as each would on a rigid plane halfway.
static void two_equal_spheres_meet_in_the_plane_between_them(void** state) {
    (void)state;
    const double r = 0.05, x = 0.004;
    iso_contact_shape* floor = fixture_half_space(ctx, fixture_rigid(0.0));
    iso_contact_shape* ball = fixture_shape(ctx, fixture_sphere(r), fixture_compliant(1e5, 0.0125));
    double on_plane = lift(floor, ball, r - x);
    CHECK(on_plane > 1.0, "force %g N", on_plane);
    CHECK_REL(lift(ball, ball, 2.0 * (r - x)), on_plane, 1e-12); // measured 4.4e-16
    iso_contact_shape_destroy(ctx, floor);
    iso_contact_shape_destroy(ctx, ball);
}

static void coarse_spheres_of_two_sizes_meet_in_four_faces(void** state) {
    (void)state;
    iso_contact_shape* a = fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e7, 0.2));
    iso_contact_shape* b = fixture_shape(ctx, fixture_sphere(0.2), fixture_compliant(1e7, 0.4));
    iso_patch patch = query(a, iso_pose_identity(), b, at_height(0.298));
    CHECK(patch.face_count == 4, "%d faces", patch.face_count);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

// A small box on a large one: foundations k = E/h in series, the small box takes the share
// x k_b / (k_a + k_b) of the depth, and its side faces the rest: F = k_a V(share).
static void unequal_boxes_act_in_series(void** state) {
    (void)state;
    const double e_a = 1e5, e_b = 3e5, x = 0.01;
    iso_contact_shape* small =
        fixture_shape(ctx, fixture_box(0.1, 0.08, 0.1), fixture_compliant(e_a, 0.0));
    iso_contact_shape* large =
        fixture_shape(ctx, fixture_box(0.4, 0.4, 0.3), fixture_compliant(e_b, 0.0));
    double k_a = e_a / 0.04, k_b = e_b / 0.15;
    double share = x * k_b / (k_a + k_b);
    CHECK_REL(lift(large, small, 0.2 - x), k_a * frustum(0.05, 0.04, share),
              1e-13); // measured 2e-15
    // The same against a half space of that foundation.
    iso_contact_material slab = fixture_compliant(e_b, 0.0);
    slab.slab_thickness = 0.15;
    iso_contact_shape* ground = fixture_half_space(ctx, slab);
    CHECK_REL(lift(ground, small, 0.05 - x), k_a * frustum(0.05, 0.04, share),
              1e-13); // measured 1.8e-16
    // A nearly rigid box does as a rigid one does.
    iso_contact_shape* hard =
        fixture_shape(ctx, fixture_box(0.4, 0.4, 0.3), fixture_compliant(1e14, 0.0));
    CHECK_REL(lift(hard, small, 0.2 - x), k_a * frustum(0.05, 0.04, x),
              1e-7); // measured 2.8e-9: the ratio of the stiffnesses
    iso_contact_shape_destroy(ctx, small);
    iso_contact_shape_destroy(ctx, large);
    iso_contact_shape_destroy(ctx, ground);
    iso_contact_shape_destroy(ctx, hard);
}

// Sphere E (1 - r/R) on a half space of pressure k depth: for each distance rho from the axis the
// depth where they agree, and F = integral of p over the projected area.
static double sphere_slab_force(double r, double e, double k, double center) {
    const int steps = 20000;
    double rim = sqrt(r * r - center * center), sum = 0.0;
    for (int i = 0; i < steps; ++i) {
        double rho = rim * (i + 0.5) / steps;
        // Solve E (1 - sqrt(rho^2 + (z + c)^2) / R) = k z for z > 0 by bisection.
        double low = 0.0, high = r;
        for (int j = 0; j < 60; ++j) {
            double z = 0.5 * (low + high);
            double p = e * (1.0 - sqrt(rho * rho + (z + center) * (z + center)) / r);
            *(p > k * z ? &low : &high) = z;
        }
        sum += k * low * 2.0 * ISO_PI * rho * rim / steps;
    }
    return sum;
}

static void sphere_on_compliant_half_space_converges_at_second_order(void** state) {
    (void)state;
    const double r = 0.05, e = 1e5, slope = 2e5 / 0.05, x = 0.02;
    double forces[4];
    iso_contact_material slab = fixture_compliant(2e5, 0.0);
    slab.slab_thickness = 0.05;
    iso_contact_shape* ground = fixture_half_space(ctx, slab);
    double exact = sphere_slab_force(r, e, slope, r - x);
    for (int i = 0; i < 4; ++i) {
        iso_contact_shape* ball =
            fixture_shape(ctx, fixture_sphere(r), fixture_compliant(e, 0.5 * r / (double)(1 << i)));
        forces[i] = lift(ground, ball, r - x);
        iso_contact_shape_destroy(ctx, ball);
    }
    check_second_order(forces, 4, exact, 0.005); // measured 2.6e-3
    iso_contact_shape_destroy(ctx, ground);
}

// Rigid cube on a compliant half space: F = k depth area; with mu the moment vanishes.
static void rigid_cube_in_compliant_half_space_is_exact(void** state) {
    (void)state;
    iso_contact_material slab = fixture_compliant(1.0, 0.0);
    slab.slab_thickness = 1.0;
    iso_contact_shape* ground = fixture_half_space(ctx, slab);
    iso_contact_shape* cube = fixture_shape(ctx, fixture_box(1.0, 1.0, 1.0), fixture_rigid(0.0));
    iso_patch patch = query(ground, iso_pose_identity(), cube, iso_pose_identity());
    iso_spatial f = fixture_wrench(&patch);
    CHECK_VEC3_NEAR(f.translational, iso_vec3_make(0.0, 0.0, 0.5), 1e-15); // measured 1.6e-17
    CHECK_VEC3_NEAR(f.rotational, iso_vec3_zero(), 1e-15);                 // measured 2e-17
    iso_contact_shape_destroy(ctx, ground);
    iso_contact_shape_destroy(ctx, cube);
}

// The plane of a rigid half space cuts a sphere the same at equal distances from its centre, culled
// or not, below and above.
static void plane_of_a_rigid_half_space_is_never_culled(void** state) {
    (void)state;
    iso_contact_shape* floor = fixture_half_space(ctx, fixture_rigid(0.0));
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(1e5, 0.0125));
    iso_contact_options options = fixture_options();
    options.cull = ISO_CULL_DRAKE;
    double areas[2];
    for (int i = 0; i < 2; ++i) {
        iso_pose x_wa = iso_pose_identity(), x_wb = at_height(i ? 0.04 : -0.04);
        iso_patch patch;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        CHECK_OK(ctx, iso_pair_query(&arena, floor, &x_wa, ball, &x_wb, &options, &patch));
        CHECK(patch.face_count == 76, "%d faces", patch.face_count);
        areas[i] = patch.area;
    }
    CHECK_REL(areas[0], areas[1], 1e-14); // measured 0
    iso_contact_shape_destroy(ctx, floor);
    iso_contact_shape_destroy(ctx, ball);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(sphere_on_half_space_converges_at_second_order),
        TEST(resting_sphere_is_as_accurate_as_its_resolution_promises),
        TEST(flat_cylinder_converges_at_second_order),
        TEST(flat_box_is_exact),
        TEST(cut_triangles_end_at_the_pressure_of_the_boundary),
        TEST(two_equal_spheres_meet_in_the_plane_between_them),
        TEST(coarse_spheres_of_two_sizes_meet_in_four_faces),
        TEST(unequal_boxes_act_in_series),
        TEST(sphere_on_compliant_half_space_converges_at_second_order),
        TEST(rigid_cube_in_compliant_half_space_is_exact),
        TEST(plane_of_a_rigid_half_space_is_never_culled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
