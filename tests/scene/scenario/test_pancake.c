// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The robot of scenes/pancake.yaml turns its pancake over. Coarse grids, as finer ones take longer;
// tests/validate/studies/pancake.py runs those. Beside tolerances stand the residuals measured, of
// all runs.

#include "isobar/scene.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <math.h>
#include <string.h>

// Size of the force between two bodies [N].
static double force_between(const iso_world* world, const char* a, const char* b) {
    int body_a = iso_world_find_body(world, a), body_b = iso_world_find_body(world, b);
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < iso_world_contact_count(world); ++i) {
        iso_contact contact = iso_world_contact(world, i);
        if ((contact.body_a == body_a && contact.body_b == body_b) ||
            (contact.body_a == body_b && contact.body_b == body_a)) {
            sum = iso_vec3_add(sum, contact.f_b_w.translational);
        }
    }
    return iso_vec3_norm(sum);
}

// Step until the program "arm" has come to a step.
static void run_to_step(iso_context* ctx, const iso_task* task, iso_world* world,
                        const char* step) {
    while (strcmp(iso_task_program(task, world, 0).step_name, step) != 0) {
        CHECK_AT_MOST(iso_world_time(world), 10.0);
        CHECK_OK(ctx, iso_task_step(task, world));
    }
}

// @param method, representation  settings of the scenario
static void turn_the_pancake(const char* method, const char* representation) {
    char path[TEST_PATH_SIZE];
    iso_context* ctx = test_context();
    iso_scene scene;
    iso_world* world = NULL;
    iso_task* task = NULL;
    const char* const coarse[] = {
        "contact_overrides.0.resolution_hint=0.022", "contact_overrides.1.resolution_hint=0.027",
        "contact_overrides.2.resolution_hint=0.0135", method, representation};
    const iso_scene_options options = {.settings = coarse, .setting_count = 5};
    CHECK_OK(ctx, iso_scene_load(ctx, source_path(path, "scenes/pancake.yaml"), &options, &scene));
    CHECK_OK(ctx, iso_world_create(ctx, scene.model, &scene.world, &world));
    CHECK_OK(ctx, iso_scene_create_task(&scene, world, &task));
    int pancake = iso_world_find_body(world, "pancake");
    int spatula = iso_world_find_body(world, "spatula::spatula");

    // It lifts the spatula only when it is held, with 25 N.
    run_to_step(ctx, task, world, "lift");
    CHECK_NEAR(force_between(world, "gripper::left_finger", "spatula::spatula"), 25.0, 3.0); // 0.27
    // It scoops when the tip of the blade stands on the stove.
    run_to_step(ctx, task, world, "scoop");
    iso_pose blade = iso_world_body_pose(world, spatula);
    CHECK_NEAR(iso_pose_point(&blade, iso_vec3_make(0.0, 0.06, -0.001)).z, 0.08, 3e-4); // 6.7e-5
    // Before the flip the pancake lies on the blade as it lay on the stove.
    run_to_step(ctx, task, world, "flip");
    CHECK_NEAR(force_between(world, "pancake", "spatula::spatula"), 0.06 * 9.81, 0.02); // 1.3e-3
    CHECK_NEAR(iso_world_body_pose(world, pancake).r.m[2][2], 1.0, 1e-3);               // 1.1e-4
    CHECK_NEAR(iso_world_body_pose(world, pancake).p.z - iso_world_body_pose(world, spatula).p.z,
               0.008, 1e-3); // 3.3e-5
    // Then it lies upside down on the stove, and the robot still has the spatula.
    while (iso_world_time(world) < scene.until - 1e-9) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    iso_pose x = iso_world_body_pose(world, pancake);
    CHECK_NEAR(x.r.m[2][2], -1.0, 1e-4);                                     // 4.9e-8
    CHECK_NEAR(x.p.z, 0.088, 2e-3);                                          // 8.6e-4: it sinks in
    CHECK_AT_MOST(hypot(x.p.x - 0.48, x.p.y - 0.25), 0.075);                 // 0.047
    CHECK_NEAR(force_between(world, "pancake", "stove"), 0.06 * 9.81, 3e-6); // 5.3e-14, sap 1.4e-6
    CHECK_NEAR(force_between(world, "gripper::left_finger", "spatula::spatula"), 25.0,
               1.0); // 0.025
    iso_task_destroy(task);
    iso_world_destroy(world);
    iso_scene_destroy(ctx, &scene);
    test_context_destroy(ctx);
}

static void the_robot_grasps_scoops_and_turns_the_pancake_over(void** state) {
    (void)state;
    turn_the_pancake("simulation.method=lagged", "simulation.representation=polygon");
}

// The same bodies move alike with another solver and other faces.
static void it_does_so_with_sap_too(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED();
    turn_the_pancake("simulation.method=sap", "simulation.representation=polygon");
    turn_the_pancake("simulation.method=sap", "simulation.representation=triangle");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_robot_grasps_scoops_and_turns_the_pancake_over),
        cmocka_unit_test(it_does_so_with_sap_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
