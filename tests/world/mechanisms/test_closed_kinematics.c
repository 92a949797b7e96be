// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Inverse kinematics of mechanisms with couplers and loops.

#include "support/failing_context.h"
#include "world/scenes.h"

#include <math.h>

// Links of 1 m in the x-z plane: hinges about y one after the other, each child 1 m below its
// hinge. A coupler makes the second follow the first at a ratio.
static iso_model* make_chain(iso_context* ctx, int count, double ratio) {
    iso_model* model = make_model(ctx);
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 3.0));
    const char* const names[] = {"a", "b", "c"};
    const char* const joints[] = {"ja", "jb", "jc"};
    for (int i = 0; i < count; ++i) {
        int body = add_body(ctx, model, names[i], 1.0, iso_vec3_make(0.1, 0.1, 0.1));
        add_hinge(ctx, model, joints[i], i == 0 ? ISO_WORLD_BODY : body - 1, body, &at, 0.2);
        at = iso_pose_identity();
    }
    if (ratio != 0.0) {
        iso_coupler_desc coupler = iso_coupler_desc_default();
        coupler.name = "belt";
        coupler.joint_a = 0;
        coupler.joint_b = 1;
        coupler.ratio = ratio;
        CHECK_OK(ctx, iso_model_add_coupler(model, &coupler, NULL));
    }
    return model;
}

static void coupled_joints_stay_coupled(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_chain(ctx, 2, 2.0);
    iso_world* world = make_world(ctx, model, NULL);
    double wanted[2] = {0.6, 1.2}, q[2] = {0.1, 0.5};
    CHECK_OK(ctx, iso_world_set_state(world, wanted, NULL));
    iso_ik_target target = iso_ik_target_default();
    target.body = iso_world_find_body(world, "b");
    target.x_wt = iso_world_body_pose(world, target.body);
    target.orientation_weight = 0.0;
    iso_ik_report report;
    CHECK_OK(ctx, iso_world_inverse_kinematics(world, &target, 1, NULL, q, &report));
    CHECK_ARRAY_NEAR(q, wanted, 2, 1e-9);      // measured 4.6e-11
    CHECK_AT_MOST(report.closure_error, 1e-9); // measured 6.7e-11
    // Reached by the two joints alone, but not by the coupled ones: named.
    target.x_wt.p.x += 0.3;
    target.x_wt.p.z += 0.1;
    CHECK_STATUS(ctx, iso_world_inverse_kinematics(world, &target, 1, NULL, q, &report),
                 ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "couplers and constraints are open by");
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

// NULL for the options means the default ones; a tolerance that is never met takes all iterations.
static void options_are_those_of_their_documentation(void** state) {
    (void)state;
    iso_ik_options options = iso_ik_options_default();
    CHECK_BITS(options.position_tolerance, 1e-9);
    CHECK_BITS(options.orientation_tolerance, 1e-9);
    assert_int_equal(options.max_iterations, 200);
    assert_null(options.is_fixed);
    iso_context* ctx = test_context();
    iso_model* model = make_chain(ctx, 2, 0.0);
    iso_world* world = make_world(ctx, model, NULL);
    iso_ik_target target = iso_ik_target_default();
    target.body = iso_world_find_body(world, "b");
    target.orientation_weight = 0.0;
    target.x_wt = iso_pose_from_position(iso_vec3_make(-1.2, 0.0, 2.0));
    double q[2] = {0.4, 0.7}, same[2] = {0.4, 0.7}, held[2] = {0.4, 0.7};
    iso_ik_report report;
    CHECK_OK(ctx, iso_world_inverse_kinematics(world, &target, 1, NULL, q, &report));
    CHECK_OK(ctx, iso_world_inverse_kinematics(world, &target, 1, &options, same, &report));
    CHECK_ARRAY_BITS(q, same, 2);
    CHECK_AT_MOST(report.position_error, 1e-9);
    const bool is_fixed[] = {true, false}; // the second link alone does not reach it
    options.is_fixed = is_fixed;
    options.max_iterations = 7;
    CHECK_STATUS(ctx, iso_world_inverse_kinematics(world, &target, 1, &options, held, &report),
                 ISO_ERR_NO_CONVERGENCE);
    CHECK_BITS(held[0], 0.4);
    assert_true(report.iterations <= 7);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void loops_stay_closed(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_chain(ctx, 3, 0.0);
    // Four bars: the end of c is held by the world at (1, 0, 3).
    iso_constraint_desc pin = iso_constraint_desc_default();
    pin.name = "pin";
    pin.body_b = 3;
    pin.x_ap = iso_pose_from_position(iso_vec3_make(1.0, 0.0, 3.0));
    CHECK_OK(ctx, iso_model_add_constraint(model, &pin, NULL));
    iso_world* world = make_world(ctx, model, NULL);
    double q[3], closed[3];
    CHECK_OK(ctx, iso_world_get_state(world, closed, NULL));
    iso_ik_target target = iso_ik_target_default();
    target.body = iso_world_find_body(world, "a");
    target.position_weight = 0.0;
    target.x_wt.r = iso_mat3_from_axis_angle(iso_vec3_make(0.0, 1.0, 0.0), closed[0] + 0.3);
    for (int i = 0; i < 3; ++i) {
        q[i] = closed[i];
    }
    iso_ik_report report;
    CHECK_OK(ctx, iso_world_inverse_kinematics(world, &target, 1, NULL, q, &report));
    CHECK_NEAR(q[0], closed[0] + 0.3, 1e-9); // measured 1.1e-14
    CHECK_OK(ctx, iso_world_set_state(world, q, NULL));
    CHECK_AT_MOST(iso_world_constraint(world, 0).position_error, 1.5e-9); // measured 6e-12
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupled_joints_stay_coupled),
        cmocka_unit_test(loops_stay_closed),
        cmocka_unit_test(options_are_those_of_their_documentation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
