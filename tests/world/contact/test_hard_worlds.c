// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Worlds whose steps once found no minimum, or stopped short of it.

#include "support/check.h"
#include "support/failing_context.h"
#include "support/hard_world.h"

#include <string.h>

// Longer is no answer.
#define MOST_SECONDS 20.0

static hard_outcome run_seed(iso_context* ctx, uint64_t seed) {
    hard_world w = {.ctx = ctx};
    hard_world_build(&w, seed);
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_world_create(ctx, w.model, &w.desc, &world));
    hard_outcome o = hard_world_run(&w, world, MOST_SECONDS);
    // What spins too fast for its step is no fault of the solver, and is told the step to take.
    bool is_told = strstr(iso_context_error(ctx), "would do") != NULL;
    CHECK((o.status == ISO_OK && o.steps == w.steps) || is_told, "seed %d: %d of %d steps: %s",
          (int)seed, o.steps, w.steps, iso_context_error(ctx));
    iso_world_destroy(world);
    iso_model_destroy(w.model);
    return o;
}

// Forces that cancel, within patches of bodies in one place or between stiff neighbours, leave
// rounding alone as residual. Without knowing its size Newton's method went on for ever.
static void residuals_of_rounding_are_seen_as_such(void** state) {
    static const int seeds[] = {346, 586, 1404, 707, 877, 1082, 10181, 796};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; ++i) {
        run_seed(*state, (uint64_t)seeds[i]);
    }
}

// A cost of large parts does not show what is left; steps ended with forces wrong by up to 7 %.
static void steps_go_on_where_the_cost_no_longer_shows_a_change(void** state) {
    static const int seeds[] = {549, 10512, 1396, 201, 10501};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; ++i) {
        hard_outcome o = run_seed(*state, (uint64_t)seeds[i]);
        CHECK(o.residual <= 1e-7, "seed %d: residual %g", seeds[i], o.residual);
    }
}

// Of patches that stick between bodies out of all proportion, eliminating the slip leaves a Hessian
// that is indefinite by 1e-4 of itself.
static void hessians_that_rounding_made_indefinite_are_damped(void** state) {
    run_seed(*state, 20490);
    run_seed(*state, 20744);
}

// Two hundred bodies of stiff, sliding points: a line is cut short at every kink.
static void many_kinks_take_many_steps_but_end(void** state) {
    TEST_SKIP_IF_WATCHED();
    hard_outcome o = run_seed(*state, 10090);
    CHECK(o.residual <= 1e-6, "residual %g", o.residual); // measured 3.7e-7
}

// Friction cones of small, stiff bodies: Newton's method goes to and fro across a valley.
static void friction_that_leads_to_and_fro_is_made_smoother_first(void** state) {
    run_seed(*state, 50038);
    run_seed(*state, 974); // similar
}

// Two balls on hinges that overlap, without gravity: all force goes through the pivots, so that
// impulses, velocities and the residual are 0 but for rounding.
static void forces_through_pivots_leave_a_world_at_rest(void** state) {
    iso_context* ctx = *state;
    iso_model* model = NULL;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    for (int i = 0; i < 2; ++i) {
        iso_body_desc body = iso_body_desc_default();
        body.name = i ? "second" : "first";
        body.mass = 4.2;
        body.inertia = iso_mat3_diagonal(0.0168, 0.0168, 0.0168);
        int made = -1;
        CHECK_OK(ctx, iso_model_add_body(model, &body, &made));
        iso_geometry_desc ball = iso_geometry_desc_default();
        ball.name = "ball";
        ball.shape.radius = 0.1;
        CHECK_OK(ctx, iso_model_add_geometry(model, made, &ball, NULL));
        iso_joint_desc hinge = iso_joint_desc_default();
        hinge.name = i ? "hinge_2" : "hinge_1";
        hinge.kind = ISO_JOINT_REVOLUTE;
        hinge.parent = ISO_WORLD_BODY;
        hinge.child = made;
        hinge.axis = i ? iso_vec3_make(0.0, 1.0, 0.0) : iso_vec3_make(1.0, 0.0, 0.0);
        hinge.x_pf = iso_pose_from_position(iso_vec3_make(0.05 * i, 0.0, 0.0));
        CHECK_OK(ctx, iso_model_add_joint(model, &hinge, NULL));
    }
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SIMILAR, ISO_METHOD_SAP,
                                         ISO_METHOD_TAMSI};
    for (int i = 0; i < 4; ++i) {
        iso_world_desc desc = iso_world_desc_default();
        desc.gravity = iso_vec3_zero();
        desc.method = methods[i];
        iso_world* world = NULL;
        CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
        for (int step = 0; step < 100; ++step) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        CHECK_NEAR(iso_world_joint_velocity(world, 0), 0.0, 1e-9);
        iso_world_destroy(world);
    }
    iso_model_destroy(model);
}

// What no step could follow says which step would do.
static void spins_beyond_the_step_name_the_step_to_take(void** state) {
    iso_context* ctx = *state;
    iso_model* model = NULL;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    iso_body_desc body = iso_body_desc_default();
    body.name = "top";
    body.mass = 1.0;
    body.inertia = iso_mat3_diagonal(0.01, 0.02, 0.03);
    int top = -1;
    CHECK_OK(ctx, iso_model_add_body(model, &body, &top));
    iso_world_desc desc = iso_world_desc_default();
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_pose x = iso_pose_from_position(iso_vec3_zero());
    double speed = 65.0 / desc.time_step;
    iso_spatial twist = iso_spatial_make(iso_vec3_make(speed, 0.0, 0.0), iso_vec3_zero());
    CHECK_OK(ctx, iso_world_set_free_body(world, top, &x, twist));
    CHECK_STATUS(ctx, iso_world_step(world), ISO_ERR_NUMERIC);
    CHECK_TEXT(iso_context_error(ctx), "expected at most");
    CHECK_TEXT(iso_context_error(ctx), " s would do");
    iso_world_destroy(world);
    iso_model_destroy(model);
}

static int make_context(void** state) {
    *state = test_context();
    return 0;
}

static int destroy_context(void** state) {
    test_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_of_rounding_are_seen_as_such),
        cmocka_unit_test(steps_go_on_where_the_cost_no_longer_shows_a_change),
        cmocka_unit_test(hessians_that_rounding_made_indefinite_are_damped),
        cmocka_unit_test(many_kinks_take_many_steps_but_end),
        cmocka_unit_test(friction_that_leads_to_and_fro_is_made_smoother_first),
        cmocka_unit_test(forces_through_pivots_leave_a_world_at_rest),
        cmocka_unit_test(spins_beyond_the_step_name_the_step_to_take),
    };
    return cmocka_run_group_tests(tests, make_context, destroy_context);
}
