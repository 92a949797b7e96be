// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Surfaces that move on their bodies, and which geometries may touch.

#include "support/failing_context.h"
#include "world/scenes.h"

static iso_model* make_belt(iso_context* ctx, iso_vec3 velocity) {
    iso_model* model = make_model(ctx);
    iso_mat3 level = iso_mat3_identity();
    add_ground(ctx, model, 0.5, &level);
    iso_model_geometry(model, 0, NULL)->surface_velocity = velocity;
    iso_pose above = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.0499));
    add_cube(ctx, model, "box", 0.5, &above);
    return model;
}

/// A box on a belt of 0.5 m/s slides until it moves with the belt, and stays with it; what the
/// velocity has along the normal pushes nothing.
static void a_box_moves_with_its_belt(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_SIMILAR,
                                         ISO_METHOD_TAMSI, ISO_METHOD_RK4};
    iso_context* ctx = test_context();
    for (int i = 0; i < 5; ++i) {
        iso_model* model = make_belt(ctx, iso_vec3_make(0.5, 0.0, 3.0));
        iso_world_desc desc = iso_world_desc_default();
        desc.method = methods[i];
        iso_world* world = make_world(ctx, model, &desc);
        step_many(ctx, world, 50);
        double early = iso_world_body_twist(world, 1).translational.x;
        CHECK_REL(early, 0.5 * 9.81 * 0.05, 0.1); // measured 0.05: mu g t while it slides
        step_many(ctx, world, 450);
        iso_spatial v = iso_world_body_twist(world, 1);
        CHECK_NEAR(v.translational.x, 0.5, 2e-3); // measured 7e-5
        CHECK_NEAR(v.translational.z, 0.0, 1e-3); // measured 4e-5
        // Friction near rest is too stiff for the step of rk4, which trembles.
        CHECK_NEAR(v.translational.y, 0.0,
                   methods[i] == ISO_METHOD_RK4 ? 1e-2 : 1e-6); // 2e-3, 1e-17
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static int contacts_with_bits(iso_context* ctx, uint32_t group, uint32_t mask, uint32_t body_mask) {
    iso_model* model = make_belt(ctx, iso_vec3_zero());
    iso_geometry_desc* box = iso_model_geometry(model, 1, NULL);
    box->collision_group = group;
    box->collision_mask = mask;
    iso_model_body(model, 1)->collision_group = body_mask;
    iso_model_body(model, 1)->collision_mask = body_mask;
    iso_world* world = make_world(ctx, model, NULL);
    CHECK_OK(ctx, iso_world_update_contacts(world));
    int count = iso_world_contact_count(world);
    iso_world_destroy(world);
    iso_model_destroy(model);
    return count;
}

static void bits_say_what_may_touch(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    const uint32_t all = UINT32_MAX;
    assert_int_equal(contacts_with_bits(ctx, 1, 1, all), 1);
    assert_int_equal(contacts_with_bits(ctx, 2, 2, all), 0); // the ground is in 1 and touches 1
    assert_int_equal(contacts_with_bits(ctx, 2, 1, all), 1); // one of both is enough
    assert_int_equal(contacts_with_bits(ctx, 1, 2, all), 1);
    assert_int_equal(contacts_with_bits(ctx, 0, 0, all), 0);
    assert_int_equal(contacts_with_bits(ctx, 1, 1, 2), 0); // its body keeps other bits only
    assert_int_equal(contacts_with_bits(ctx, 3, 3, 1), 1);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_moves_with_its_belt),
        cmocka_unit_test(bits_say_what_may_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
