// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What regularised friction costs error-controlled methods: docs/theory/step.md.

#include "support/failing_context.h"
#include "world/scenes.h"

#define MASS 0.5
#define RADIUS 0.05
#define STEP 1e-3
#define STABILITY 2.51 // rk23: |1 - z + z^2 / 2 - z^3 / 6| <= 1 up to there

// A ball at rest on a floor, which it touches with friction mu.
static iso_world* make_ball(iso_context* ctx, double mu, double stiction_velocity) {
    iso_model* model = make_model(ctx);
    iso_mat3 flat = iso_mat3_identity();
    double moment = 0.4 * MASS * RADIUS * RADIUS;
    int ball = add_body(ctx, model, "ball", MASS, iso_vec3_make(moment, moment, moment));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "ball";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    desc.shape.radius = RADIUS;
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = 1e7;
    desc.material.dissipation = 50.0;
    desc.material.resolution_hint = 0.02;
    desc.material.friction_static = desc.material.friction_dynamic = mu;
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.0485));
    add_ground(ctx, model, mu, &flat);
    CHECK_OK(ctx, iso_model_add_geometry(model, ball, &desc, NULL));
    CHECK_OK(ctx, iso_model_set_free_pose(model, ball, &at));
    iso_world_desc settings = iso_world_desc_default();
    settings.method = ISO_METHOD_RK23;
    settings.time_step = STEP;
    settings.contact.stiction_velocity = stiction_velocity;
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    return world;
}

// Friction brakes the point of contact at the rate (1 + m r^2 / I) mu g / v_s: 3.5 mu g / v_s. An
// explicit method is stable in steps of STABILITY over that, and takes none much smaller.
static void check_pace(double mu, double stiction_velocity, double most) {
    iso_context* ctx = test_context();
    iso_world* world = make_ball(ctx, mu, stiction_velocity);
    step_many(ctx, world, 200);
    double evaluations = 0.0;
    for (int i = 0; i < 100; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        evaluations += iso_world_step_report(world).iterations / 100.0;
    }
    double expected = 3.5 * mu * 9.81 / stiction_velocity * STEP / STABILITY;
    double share = evaluations / 3.0 / expected;
    CHECK_AT_MOST(share, most);
    CHECK(share > 0.8, "%g times the stable pace", share);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void substeps_of_what_rests_follow_the_stiffness_of_friction(void** state) {
    (void)state;
    check_pace(0.5, 1e-4, 1.4);  // measured 0.99
    check_pace(0.25, 1e-4, 1.6); // measured 0.94
    check_pace(0.5, 1e-3, 1.6);  // measured 1.17
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substeps_of_what_rests_follow_the_stiffness_of_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
