// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Forces and areas against closed forms of the pressure fields (docs/theory/contact_surface.md).

#include "surface/pair_fixture.h"

#include <stdio.h>

static iso_context* ctx;
static iso_arena arena;
static iso_contact_options options;

static int set_up(void** state) {
    (void)state;
    ctx = test_context();
    options = fixture_options();
    return iso_arena_init(&arena, ctx, 0) == ISO_OK ? 0 : 1;
}

static int tear_down(void** state) {
    (void)state;
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
    return 0;
}

static iso_patch query(const iso_contact_shape* a, iso_pose x_wa, const iso_contact_shape* b,
                       iso_pose x_wb) {
    iso_patch patch;
    CHECK_OK(ctx, iso_arena_reset(&arena));
    CHECK_OK(ctx, iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &patch));
    return patch;
}

static iso_pose at_height(double z) {
    return iso_pose_from_position(iso_vec3_make(0.0, 0.0, z));
}

// Compliant sphere on a rigid half space: F = pi E x^2 (1 - 2 x / (3 R)), x the penetration.
static void sphere_on_half_space_converges_at_second_order(void** state) {
    (void)state;
    const double radius = 0.05, modulus = 1e5, depth = 0.01;
    double exact = ISO_PI * modulus * depth * depth * (1.0 - 2.0 * depth / (3.0 * radius));
    double errors[5];
    iso_contact_shape* floor = fixture_half_space(ctx, fixture_rigid(0.0));
    for (int i = 0; i < 5; ++i) {
        iso_contact_shape* sphere = fixture_shape(
            ctx, fixture_sphere(radius), fixture_compliant(modulus, radius / (double)(1 << i)));
        iso_patch patch = query(floor, at_height(0.0), sphere, at_height(radius - depth));
        fixture_check_patch(&patch, radius);
        iso_vec3 force = fixture_wrench(&patch).translational;
        printf("F %g exact %g\n", force.z, exact);
        errors[i] = fabs(force.z / exact - 1.0);
        iso_contact_shape_destroy(ctx, sphere);
    }
    for (int i = 1; i < 5; ++i) {
        printf("order %g err %g\n", log2(errors[i - 1] / errors[i]), errors[i]);
    }
    iso_contact_shape_destroy(ctx, floor);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sphere_on_half_space_converges_at_second_order, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
