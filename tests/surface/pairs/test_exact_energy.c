// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The energy as a flux through the patch against the integral over the overlap, and when it says
// that it is not exact.

#include "surface/moments/exact_energy.h"
#include "surface/pair_fixture.h"

#include "field/flux/flux.h"
#include "support/random.h"
#include "validate/programs/overlap.h"
// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

typedef struct found_energy {
    double energy;
    bool is_exact;
} found_energy;

static found_energy find_energy(iso_contact_shape* a, iso_pose x_wa, iso_contact_shape* b,
                                iso_pose x_wb, iso_cull cull) {
    iso_patch patch;
    found_energy found;
    iso_contact_options options = fixture_options();
    options.cull = cull;
    CHECK_OK(ctx, iso_arena_reset(&arena));
    CHECK_OK(ctx, iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &patch));
    CHECK_OK(ctx,
             iso_patch_exact_energy(a, &x_wa, b, &x_wb, &patch, &found.energy, &found.is_exact));
    return found;
}

static iso_contact_material with_margin(iso_contact_material m, double margin) {
    m.margin = margin;
    return m;
}

// A pose of B deep in A's reach.
static iso_pose random_pose(uint64_t seed, double distance) {
    test_random random = test_random_make(seed);
    iso_vec3 axis = test_random_unit_vec3(&random);
    iso_vec3 way = test_random_unit_vec3(&random);
    double angle = test_random_uniform(&random, 0.0, 3.0);
    return iso_pose_make(iso_mat3_from_axis_angle(axis, angle), iso_vec3_scale(way, distance));
}

// With a margin the energy is that of the nominal bodies.
static void energy_is_the_integral_over_the_overlap(void** state) {
    (void)state;
    const double margins[] = {0.0, 0.003};
    iso_contact_shape *ball[2], *box[2];
    for (int i = 0; i < 2; ++i) {
        ball[i] = fixture_shape(ctx, fixture_sphere(0.05),
                                with_margin(fixture_compliant(1e5, 0.025), margins[i]));
        box[i] = fixture_shape(ctx, fixture_box(0.1, 0.12, 0.08),
                               with_margin(fixture_compliant(3e5, 0.0), margins[i]));
    }
    for (int n = 0; n < 12; ++n) {
        iso_pose x_wa = random_pose((uint64_t)(100 + n), 0.01);
        iso_pose x_wb = random_pose((uint64_t)n, 0.08);
        overlap_sums exact = overlap_measure(ball[0]->field, &x_wa, box[0]->field, &x_wb, false);
        for (int i = 0; i < 2; ++i) {
            found_energy e = find_energy(ball[i], x_wa, box[i], x_wb, ISO_CULL_NONE);
            CHECK(e.is_exact, "pose %d, margin %g", n, margins[i]);
            CHECK_REL(e.energy, exact.u_a + exact.u_b, 1e-12); // measured 4.8e-15
        }
    }
    for (int i = 0; i < 2; ++i) {
        iso_contact_shape_destroy(ctx, ball[i]);
        iso_contact_shape_destroy(ctx, box[i]);
    }
}

// A margin bevels the edges of a cylinder: cells as narrow as the margin, beside wide ones. The
// flux of half a body through one of them would be lost in rounding.
static void slivers_of_thin_margins_cost_nothing(void** state) {
    (void)state;
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.04), fixture_compliant(3e4, 0.02));
    iso_contact_material layered = fixture_compliant(1e4, 0.1);
    layered.layer_count = 1;
    iso_contact_shape* can[2] = {
        fixture_shape(ctx, fixture_cylinder(0.08, 0.14), layered),
        fixture_shape(ctx, fixture_cylinder(0.08, 0.14), with_margin(layered, 1e-7))};
    for (int n = 0; n < 30; ++n) {
        iso_pose x_wa = random_pose((uint64_t)(200 + n), 0.0);
        iso_pose x_wb = random_pose((uint64_t)n, 0.06);
        overlap_sums exact = overlap_measure(can[0]->field, &x_wa, ball->field, &x_wb, false);
        found_energy e = find_energy(can[1], x_wa, ball, x_wb, ISO_CULL_NONE);
        CHECK(e.is_exact, "pose %d", n);
        CHECK_REL(e.energy, exact.u_a + exact.u_b, 1e-12); // measured 3.5e-15
    }
    iso_contact_shape_destroy(ctx, ball);
    iso_contact_shape_destroy(ctx, can[0]);
    iso_contact_shape_destroy(ctx, can[1]);
}

// A surface through the middle of a body, where its pressure is largest and its flux would end in a
// vertex: poses that users choose.
static void surfaces_through_the_middle_of_a_body_cost_nothing(void** state) {
    (void)state;
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(1e5, 0.025));
    iso_shape_desc box = fixture_box(0.2, 0.2, 0.2);
    iso_contact_shape* soft = fixture_shape(ctx, box, fixture_compliant(4e5, 0.0));
    iso_contact_shape* rigid = fixture_shape(ctx, box, fixture_rigid(0.0));
    iso_contact_shape* plane = fixture_half_space(ctx, fixture_rigid(0.0));
    for (int n = 0; n < 8; ++n) {
        // Aligned, turned; exactly there and nearly so.
        iso_pose x_w = random_pose((uint64_t)n, 0.0), x_wb = x_w, x_wp = x_w;
        iso_pose x_wa = n % 2 ? x_w : iso_pose_identity();
        iso_vec3 down = iso_vec3_neg(iso_mat3_column(&x_w.r, 2));
        double off = n < 4 ? 0.0 : 1e-17 * pow(100.0, n);
        x_wp.p = iso_vec3_scale(down, off);
        x_wb.p = iso_vec3_scale(down, 0.1 + off);
        overlap_sums exact = overlap_measure(ball->field, &x_wa, soft->field, &x_wb, true);
        found_energy e = find_energy(ball, x_wa, rigid, x_wb, ISO_CULL_NONE);
        CHECK(e.is_exact, "pose %d, rigid box", n);
        CHECK_REL(e.energy, exact.u_a, 1e-12); // measured 2.5e-14
        e = find_energy(ball, x_wa, plane, x_wp, ISO_CULL_NONE);
        CHECK(e.is_exact, "pose %d, plane", n);
        CHECK_REL(e.energy, exact.u_a, 1e-12);      // measured 2.1e-14
        x_wb.p = iso_vec3_scale(down, 0.075 + off); // 1e5 Pa at the middle
        exact = overlap_measure(ball->field, &x_wa, soft->field, &x_wb, false);
        e = find_energy(ball, x_wa, soft, x_wb, ISO_CULL_NONE);
        CHECK(e.is_exact, "pose %d, soft box", n);
        CHECK_REL(e.energy, exact.u_a + exact.u_b, 1e-12); // measured 2.1e-15
    }
    iso_contact_shape_destroy(ctx, ball);
    iso_contact_shape_destroy(ctx, soft);
    iso_contact_shape_destroy(ctx, rigid);
    iso_contact_shape_destroy(ctx, plane);
}

static void swallowed_poles_count(void** state) {
    (void)state;
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.03), fixture_compliant(1e5, 0.015));
    iso_contact_shape* rigid = fixture_shape(ctx, fixture_box(0.1, 0.12, 0.08), fixture_rigid(0.0));
    iso_contact_shape* box =
        fixture_shape(ctx, fixture_box(0.1, 0.12, 0.08), fixture_compliant(1e7, 0.0));
    for (int n = 0; n < 4; ++n) {
        iso_pose x_wa = random_pose((uint64_t)n, 0.03), x_wb = iso_pose_identity();
        x_wa.p = iso_vec3_make(0.005 * n, 0.01, 0.035);
        overlap_sums exact = overlap_measure(ball->field, &x_wa, box->field, &x_wb, true);
        found_energy e = find_energy(ball, x_wa, rigid, x_wb, ISO_CULL_NONE);
        CHECK(e.is_exact, "pose %d, rigid", n);
        CHECK_REL(e.energy, exact.u_a, 1e-12); // measured 7.0e-15
        exact = overlap_measure(ball->field, &x_wa, box->field, &x_wb, false);
        e = find_energy(ball, x_wa, box, x_wb, ISO_CULL_NONE);
        CHECK(e.is_exact, "pose %d, compliant", n);
        CHECK_REL(e.energy, exact.u_a + exact.u_b, 1e-12); // measured 6.6e-15
    }
    iso_contact_shape_destroy(ctx, ball);
    iso_contact_shape_destroy(ctx, rigid);
    iso_contact_shape_destroy(ctx, box);
}

// A body inside another one has no patch with it, but all of its energy, or none when apart.
static void a_swallowed_body_gives_all_of_its_energy(void** state) {
    (void)state;
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.03), fixture_compliant(1e5, 0.015));
    iso_contact_shape* others[] = {
        fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_compliant(1e7, 0.0)),
        fixture_shape(ctx, fixture_box(0.2, 0.2, 0.2), fixture_rigid(0.0))};
    iso_pose inside = iso_pose_from_position(iso_vec3_make(0.02, -0.01, 0.03));
    iso_pose apart = iso_pose_from_position(iso_vec3_make(0.02, -0.01, 0.3));
    iso_pose x_wb = iso_pose_identity();
    overlap_sums whole = overlap_measure(ball->field, &inside, others[0]->field, &x_wb, true);
    for (int i = 0; i < 2; ++i) {
        found_energy e = find_energy(ball, inside, others[i], x_wb, ISO_CULL_NONE);
        CHECK(e.is_exact, "inside body %d", i);
        CHECK_REL(e.energy, whole.u_a, 1e-12); // measured 1.2e-15
        e = find_energy(ball, apart, others[i], x_wb, ISO_CULL_NONE);
        CHECK(e.is_exact && e.energy == 0.0, "apart from body %d: %g J", i, e.energy);
    }
    // The same body twice in one place: neither pressure is the smaller one.
    assert_true(!find_energy(ball, inside, ball, inside, ISO_CULL_NONE).is_exact);
    iso_contact_shape_destroy(ctx, ball);
    iso_contact_shape_destroy(ctx, others[0]);
    iso_contact_shape_destroy(ctx, others[1]);
}

static iso_contact_shape* half_space(double modulus, double slab) {
    iso_contact_material m = modulus > 0.0 ? fixture_compliant(modulus, 0.0) : fixture_rigid(0.0);
    m.slab_thickness = slab;
    return fixture_shape(ctx, iso_shape_desc_default(ISO_SHAPE_HALF_SPACE), m);
}

// Near the middle of a face of a wide box its pressure is that of a half space: they displace the
// same of a ball, all of it or all but its middle.
static void half_spaces_displace_what_wide_boxes_do(void** state) {
    (void)state;
    const double moduli[] = {1e6, 1e8}, depths[] = {0.01, 0.04};
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.03), fixture_compliant(1e5, 0.015));
    iso_pose x_wbox = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -1.0));
    for (int n = 0; n < 4; ++n) {
        double modulus = moduli[n / 2];
        iso_contact_shape* plane = half_space(modulus, 1.0);
        iso_contact_shape* box =
            fixture_shape(ctx, fixture_box(2.0, 2.0, 2.0), fixture_compliant(modulus, 0.0));
        iso_pose x_wa = random_pose((uint64_t)n, 0.0);
        x_wa.p = iso_vec3_make(0.01, 0.02, -depths[n % 2]);
        overlap_sums exact = overlap_measure(ball->field, &x_wa, box->field, &x_wbox, false);
        found_energy e = find_energy(ball, x_wa, plane, iso_pose_identity(), ISO_CULL_NONE);
        CHECK(e.is_exact, "case %d", n);
        CHECK_REL(e.energy, exact.u_a + exact.u_b, 1e-12); // measured 6.9e-16
        iso_contact_shape_destroy(ctx, plane);
        iso_contact_shape_destroy(ctx, box);
    }
    iso_contact_shape_destroy(ctx, ball);
}

// Against closed forms: a cube face to face with half spaces, and layers of rigid bodies.
static void half_spaces_and_layers_have_closed_forms(void** state) {
    (void)state;
    double h = 0.05, d = 0.01, side = 2.0 * h;
    iso_contact_shape* cube = fixture_shape(ctx, fixture_box(side, side, side), fixture_rigid(0.0));
    iso_contact_shape* soft = half_space(1e5, 0.1);
    iso_contact_shape* hard = half_space(0.0, 0.0);
    iso_contact_options options = fixture_options();
    CHECK_OK(ctx, iso_contact_shape_prepare_layer(ctx, hard, &options));
    iso_pose x_wc = iso_pose_from_position(iso_vec3_make(0.3, 0.2, h - d));
    // 1/2 slope d^2 per area.
    found_energy e = find_energy(soft, iso_pose_identity(), cube, x_wc, ISO_CULL_NONE);
    assert_true(e.is_exact);
    CHECK_REL(e.energy, 0.5 * 1e6 * d * d * side * side, 1e-13); // measured 1.1e-16
    e = find_energy(hard, iso_pose_identity(), cube, x_wc, ISO_CULL_NONE);
    assert_true(e.is_exact);
    double slope = options.rigid_layer_modulus / options.rigid_layer_thickness;
    CHECK_REL(e.energy, 0.5 * slope * d * d * side * side, 1e-13); // measured 0
    iso_contact_shape_destroy(ctx, cube);
    iso_contact_shape_destroy(ctx, soft);
    iso_contact_shape_destroy(ctx, hard);
}

// Equal boxes, one on the other: their fields are equal in wedges along the sides. The energy is
// the limit of that of shifted boxes, which differs by the slope of the energy times the shift.
static void bodies_with_equal_fields_have_the_energy_of_their_limit(void** state) {
    (void)state;
    iso_contact_shape* box =
        fixture_shape(ctx, fixture_box(0.1, 0.1, 0.1), fixture_compliant(3e5, 0.0));
    iso_pose x_wa = iso_pose_identity();
    iso_pose above = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.09));
    iso_pose beside = iso_pose_from_position(iso_vec3_make(1e-9, 7e-10, 0.09));
    overlap_sums limit = overlap_measure(box->field, &x_wa, box->field, &beside, false);
    found_energy e = find_energy(box, x_wa, box, above, ISO_CULL_NONE);
    assert_true(e.is_exact);
    CHECK_REL(e.energy, limit.u_a + limit.u_b, 1e-7); // measured 1.8e-8
    iso_contact_shape_destroy(ctx, box);
}

static void incomplete_patches_are_not_called_exact(void** state) {
    (void)state;
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(1e5, 0.025));
    iso_contact_shape* box =
        fixture_shape(ctx, fixture_box(0.1, 0.1, 0.1), fixture_compliant(3e5, 0.0));
    iso_pose x_wb = random_pose(3, 0.07);
    // Culled faces.
    int culled = 0;
    for (int n = 0; n < 20; ++n) {
        x_wb = random_pose((uint64_t)n, 0.06);
        found_energy all = find_energy(ball, iso_pose_identity(), box, x_wb, ISO_CULL_NONE);
        found_energy some = find_energy(ball, iso_pose_identity(), box, x_wb, ISO_CULL_DRAKE);
        assert_true(all.is_exact);
        culled += !some.is_exact;
        if (some.is_exact) {
            CHECK_REL(some.energy, all.energy, 1e-12); // measured 0
        }
    }
    CHECK(culled > 0, "no pose culls a face under pressure");
    // A sheet has no inside, whether it ends in the ball or beyond.
    iso_vec3 corners[3] = {{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {0.0, 0.0001, 0.0}};
    int triangle[1][3] = {{0, 1, 2}};
    iso_tri_mesh sheet = {3, 1, corners, triangle};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &sheet;
    iso_contact_shape* open = fixture_shape(ctx, desc, fixture_rigid(0.0));
    assert_true(
        !find_energy(ball, iso_pose_identity(), open, iso_pose_identity(), ISO_CULL_NONE).is_exact);
    corners[2].y = 1.0;
    iso_contact_shape* wide = fixture_shape(ctx, desc, fixture_rigid(0.0));
    assert_true(
        !find_energy(ball, iso_pose_identity(), wide, iso_pose_identity(), ISO_CULL_NONE).is_exact);
    iso_contact_shape_destroy(ctx, ball);
    iso_contact_shape_destroy(ctx, box);
    iso_contact_shape_destroy(ctx, wide);
    iso_contact_shape_destroy(ctx, open);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(energy_is_the_integral_over_the_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slivers_of_thin_margins_cost_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(surfaces_through_the_middle_of_a_body_cost_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(swallowed_poles_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_swallowed_body_gives_all_of_its_energy, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(half_spaces_displace_what_wide_boxes_do, set_up, tear_down),
        cmocka_unit_test_setup_teardown(half_spaces_and_layers_have_closed_forms, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(bodies_with_equal_fields_have_the_energy_of_their_limit,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(incomplete_patches_are_not_called_exact, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
