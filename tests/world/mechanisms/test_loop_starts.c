// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Loops that begin open, contradict each other or cannot close; what is refused, and failures.

#include "world/mechanisms/loops.h"

#include "base/core/fail.h"

#include <stdio.h>
#include <string.h>

static void open_loops_are_closed_at_the_start(void** state) {
    (void)state;
    const four_bar f = {1.0, 0.3, 0.9, 0.7};
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_world* world = make_four_bar(ctx, model, &f, 1.2, 0.2, ISO_METHOD_LAGGED, 1e-3);
    CHECK_AT_MOST(iso_world_constraint(world, 0).position_error, 1e-11); // measured 2e-16
    double crank = joint_angle(world, "crank");
    CHECK_NEAR(sin(joint_angle(world, "rocker") - rocker_angle(&f, crank)), 0.0, 1e-11);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void keep_opening(void* user, iso_log_level level, const char* message) {
    if (level == ISO_LOG_INFO && strstr(message, "were open by")) {
        (void)snprintf(user, 256, "%s", message);
    }
}

// Asked for q_b = q_a + 0.5 where q_b = q_a - 0.1. The masses let the crank, which carries the
// other bar, go a quarter of the way: (2/3 + c/2) / (8/3 + 2 c), whatever the cosine c between the
// bars.
static void joints_that_were_moved_to_close_a_coupler_are_told_how_far(void** state) {
    (void)state;
    char said[256] = "";
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = keep_opening;
    desc.log_user = said;
    desc.log_level = ISO_LOG_INFO;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_OK);
    iso_model* model = make_model(ctx);
    int crank = add_bar(ctx, model, "crank", 0, iso_vec3_zero(), 1.0, 0.3);
    add_bar(ctx, model, "rocker", crank, iso_vec3_make(1.0, 0.0, 0.0), 1.0, 0.2);
    iso_coupler_desc gear = iso_coupler_desc_default();
    gear.name = "gear";
    gear.joint_a = 0;
    gear.joint_b = 1;
    gear.offset = 0.5;
    CHECK_OK(ctx, iso_model_add_coupler(model, &gear, NULL));
    iso_world* world = make_world(ctx, model, NULL);
    CHECK_TEXT(said, "open by up to 0.6 (rad or m): initial positions were moved by up to 0.45 ");
    CHECK_NEAR(iso_world_joint_position(world, 0), 0.15, 1e-12); // measured 2.8e-17
    CHECK_NEAR(iso_world_joint_position(world, 1), 0.65, 1e-12); // measured 0
    iso_world_destroy(world);
    said[0] = '\0';
    iso_model_joint(model, 0)->position = 0.15;
    iso_model_joint(model, 1)->position = 0.65;
    world = make_world(ctx, model, NULL);
    assert_string_equal(said, "");
    iso_world_destroy(world);
    iso_model_destroy(model);
    iso_context_destroy(ctx);
}

static void couplers_that_contradict_each_other_are_named(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int crank = add_bar(ctx, model, "crank", 0, iso_vec3_zero(), 1.0, 0.3);
    add_bar(ctx, model, "rocker", crank, iso_vec3_make(1.0, 0.0, 0.0), 1.0, 0.2);
    iso_coupler_desc gear = iso_coupler_desc_default();
    gear.joint_a = 0;
    gear.joint_b = 1;
    for (int i = 0; i < 2; ++i) { // q_b = q_a + 0 and q_b = q_a + 1
        gear.name = i == 0 ? "first" : "second";
        gear.source = i == 0 ? "robot.xml:3" : "robot.xml:4";
        gear.offset = i;
        CHECK_OK(ctx, iso_model_add_coupler(model, &gear, NULL));
    }
    iso_world* world = NULL;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_NO_CONVERGENCE);
    // Half the offset is left at each; which is the larger is a matter of rounding.
    CHECK_ERROR(ctx, "robot.xml:");
    CHECK_ERROR(ctx, "cannot be closed from the initial positions: an error of 0.5");
    CHECK_ERROR(ctx, "constraints or couplers may contradict each other");
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void loops_that_cannot_close_are_named(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int bar = add_bar(ctx, model, "bar", 0, iso_vec3_zero(), 1.0, 0.3);
    iso_constraint_desc far =
        constraint_between("far", ISO_CONSTRAINT_BALL, 0, iso_vec3_make(5.0, 0.0, 0.0), bar,
                           iso_vec3_make(1.0, 0.0, 0.0));
    far.source = "robot.xml:7";
    CHECK_OK(ctx, iso_model_add_constraint(model, &far, NULL));
    iso_world* world = NULL;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx,
                "robot.xml:7: constraint 'far' cannot be closed from the initial positions: an "
                "error of 4");
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void bad_closures_are_refused_by_name(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int a = add_bar(ctx, model, "a", 0, iso_vec3_zero(), 1.0, 0.0);
    add_bar(ctx, model, "b", a, iso_vec3_make(1.0, 0.0, 0.0), 1.0, 0.0);
    iso_joint_desc* joints[2] = {iso_model_joint(model, 0), iso_model_joint(model, 1)};
    joints[0]->lower = 0.0;
    joints[0]->upper = 1.0;
    joints[1]->lower = -0.5;
    joints[1]->upper = 0.5;
    iso_coupler_desc gear = iso_coupler_desc_default();
    gear.name = "gear";
    gear.joint_a = 0;
    gear.joint_b = 1;
    gear.offset = 2.0;
    CHECK_STATUS(ctx, iso_model_add_coupler(model, &gear, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "coupler 'gear': the limits [0, 1] of joint 'a' bring joint 'b' to [2, 3], "
                     "outside its limits [-0.5, 0.5]");
    gear.ratio = -1.0; // the upper limit leads to the lower end
    CHECK_STATUS(ctx, iso_model_add_coupler(model, &gear, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "bring joint 'b' to [1, 2], outside its limits [-0.5, 0.5]");
    gear.ratio = 1.0;
    gear.offset = 0.0;
    gear.ratio = NAN;
    CHECK_STATUS(ctx, iso_model_add_coupler(model, &gear, NULL), ISO_ERR_RANGE);
    gear.ratio = 1.0;
    gear.joint_b = 0;
    CHECK_STATUS(ctx, iso_model_add_coupler(model, &gear, NULL), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "joint 'a' is coupled to itself");
    gear.joint_b = 7;
    CHECK_STATUS(ctx, iso_model_add_coupler(model, &gear, NULL), ISO_ERR_RANGE);
    iso_constraint_desc c =
        constraint_between("c", ISO_CONSTRAINT_DISTANCE, 0, iso_vec3_zero(), 1, iso_vec3_zero());
    c.length = -1.0;
    CHECK_STATUS(ctx, iso_model_add_constraint(model, &c, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "constraint 'c': length is -1 m");
    c.length = 1.0;
    c.body_b = 0;
    CHECK_STATUS(ctx, iso_model_add_constraint(model, &c, NULL), ISO_ERR_RANGE);
    c.body_b = 1;
    c.x_ap.p.x = NAN;
    CHECK_STATUS(ctx, iso_model_add_constraint(model, &c, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "constraint 'c': pose x_ap is at (nan, 0, 0) m");
    c.x_ap.p.x = 0.0;
    CHECK_OK(ctx, iso_model_add_constraint(model, &c, NULL));
    CHECK_STATUS(ctx, iso_model_add_constraint(model, &c, NULL), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "constraint name 'c' is used twice");
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// A loop with springs, friction, gears and a rope steps without allocating.
static void a_steady_step_with_loops_allocates_nothing(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    const four_bar f = {1.0, 0.3, 0.9, 0.7};
    iso_world* world = make_four_bar(ctx, model, &f, 1.2, 0.0, ISO_METHOD_LAGGED, 1e-3);
    step_many(ctx, world, 10);
    long before = test_heap_of(ctx)->call_count;
    step_many(ctx, world, 100);
    CHECK(test_heap_of(ctx)->call_count == before, "%ld allocations",
          test_heap_of(ctx)->call_count - before);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// A body put 5 m from where its weld wants it comes back at 1 m/s; a loop that a limit contradicts
/// settles between both.
static void contradictions_are_settled(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int body = add_body(ctx, model, "body", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    iso_constraint_desc weld =
        constraint_between("weld", ISO_CONSTRAINT_WELD, 0, iso_vec3_zero(), body, iso_vec3_zero());
    CHECK_OK(ctx, iso_model_add_constraint(model, &weld, NULL));
    iso_world* world = make_world(ctx, model, NULL);
    iso_pose far = iso_pose_make(iso_mat3_from_rpy(0.0, 0.0, 3.0), iso_vec3_make(5.0, 0.0, 0.0));
    CHECK_OK(ctx, iso_world_set_free_body(world, 1, &far, iso_spatial_zero()));
    step_many(ctx, world, 1000);
    CHECK_NEAR(iso_world_body_pose(world, 1).p.x, 4.0, 1e-5); // measured 1e-8
    CHECK_NEAR(iso_world_constraint(world, 0).orientation_error, 2.0, 1e-5);
    step_many(ctx, world, 4500);
    CHECK_AT_MOST(iso_world_constraint(world, 0).position_error, 1e-9); // measured 1e-11
    iso_world_destroy(world);
    iso_model_destroy(model);

    model = make_model(ctx);
    int bar = add_bar(ctx, model, "bar", 0, iso_vec3_zero(), 1.0, 0.5);
    iso_model_joint(model, 0)->lower = 0.4;
    iso_model_joint(model, 0)->upper = 0.6;
    weld = constraint_between("pin", ISO_CONSTRAINT_BALL, 0, iso_vec3_make(1.0, 0.0, 0.0), bar,
                              iso_vec3_make(1.0, 0.0, 0.0));
    CHECK_OK(ctx, iso_model_add_constraint(model, &weld, NULL));
    world = make_world(ctx, model, NULL);
    step_many(ctx, world, 2000);
    double angle = joint_angle(world, "bar");
    CHECK(angle > -0.1 && angle < 0.6 && fabs(iso_world_joint_velocity(world, 0)) < 1e-6,
          "the bar is at %g", angle);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static iso_status try_steps(iso_world* world) {
    iso_status status = ISO_OK;
    for (int i = 0; i < 3 && status == ISO_OK; ++i) {
        status = iso_world_step(world);
    }
    return status;
}

/// A bar with a rope, a weld and a gear: made, stepped, destroyed.
static iso_status attempt_loop(iso_context* ctx, void* user) {
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_world_desc settings = iso_world_desc_default();
    settings.method = *(const iso_method*)user;
    iso_body_desc body = iso_body_desc_default();
    iso_joint_desc joints[2] = {joint_between("a", ISO_JOINT_REVOLUTE, 0, 1),
                                joint_between("b", ISO_JOINT_SCREW, 1, 2)};
    joints[1].pitch = 0.1;
    joints[1].friction = 0.1;
    joints[1].stiffness = 2.0;
    iso_coupler_desc gear = iso_coupler_desc_default();
    gear.name = "gear";
    gear.joint_a = 0;
    gear.joint_b = 1;
    gear.source = "file:1";
    iso_constraint_desc rope = constraint_between("rope", ISO_CONSTRAINT_TENDON, 0,
                                                  iso_vec3_make(0.0, 0.0, 0.5), 3, iso_vec3_zero());
    iso_constraint_desc weld = constraint_between("weld", ISO_CONSTRAINT_WELD, 2,
                                                  iso_vec3_make(0.1, 0.0, 0.0), 3, iso_vec3_zero());
    static const char* const names[3] = {"one", "two", "three"};
    double m[64];
    iso_status status = ISO_OK;
    ISO_TRY(iso_model_create(ctx, &model));
    for (int i = 0; i < 3; ++i) {
        body.name = names[i];
        ISO_TRY(iso_model_add_body(model, &body, NULL));
    }
    ISO_TRY(iso_model_add_joint(model, &joints[0], NULL));
    ISO_TRY(iso_model_add_joint(model, &joints[1], NULL));
    ISO_TRY(iso_model_add_coupler(model, &gear, NULL));
    ISO_TRY(iso_model_add_constraint(model, &rope, NULL));
    ISO_TRY(iso_model_add_constraint(model, &weld, NULL));
    ISO_TRY(iso_world_create(ctx, model, &settings, &world));
    ISO_TRY(try_steps(world));
    ISO_TRY(iso_world_mass_matrix(world, m));
done:
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

static void loops_survive_every_allocation_failure(void** state) {
    (void)state;
    iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4};
    for (int i = 0; i < 2; ++i) {
        assert_true(check_every_allocation_failure(attempt_loop, &methods[i]) > 40);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_loops_are_closed_at_the_start),
        cmocka_unit_test(loops_that_cannot_close_are_named),
        cmocka_unit_test(joints_that_were_moved_to_close_a_coupler_are_told_how_far),
        cmocka_unit_test(couplers_that_contradict_each_other_are_named),
        cmocka_unit_test(contradictions_are_settled),
        cmocka_unit_test(bad_closures_are_refused_by_name),
        cmocka_unit_test(a_steady_step_with_loops_allocates_nothing),
        cmocka_unit_test(loops_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
