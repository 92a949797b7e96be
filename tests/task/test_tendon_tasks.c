// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What tasks do with actuators of fixed tendons.

#include "isobar/task.h"
#include "world/sliders.h"

/// Three sliders, the actuator "pull" along their sum and "own" on the first joint.
static iso_world* make_driven(iso_context* ctx) {
    int joints[SLIDERS];
    iso_model* model = make_model(ctx);
    add_sliders(ctx, model, false, joints);
    add_actuator(ctx, model, add_tendon(ctx, model, joints, SLIDERS, 0.0, 0.0), 100.0, 10.0, 50.0);
    iso_actuator_desc own = iso_actuator_desc_default();
    own.name = "own";
    own.joint = joints[0];
    own.kp = 100.0;
    own.kd = 20.0;
    CHECK_OK(ctx, iso_model_add_actuator(model, &own, NULL));
    iso_world* world = make_still(ctx, model, ISO_METHOD_LAGGED, 1e-3);
    iso_model_destroy(model);
    return world;
}

static void commands_pull_sums_where_they_shall_be(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_driven(ctx);
    iso_task* task = NULL;
    iso_command_desc commands[] = {{"pull", ISO_COMMAND_POSITION, iso_signal_desc_default()},
                                   {"own", ISO_COMMAND_POSITION, iso_signal_desc_default()}};
    commands[0].signal.offset = 0.4;
    commands[1].signal.offset = -0.2;
    CHECK_OK(ctx, iso_task_create(world, commands, 2, &task));
    for (int i = 0; i < 5000; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    CHECK_NEAR(iso_world_fixed_tendon(world, 0).length, 0.4, 1e-6);
    CHECK_NEAR(iso_world_joint_position(world, 0), -0.2, 1e-6);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void programs_of_joints_refuse_them(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_driven(ctx);
    iso_task* task = NULL;
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    static const char* const names[] = {"own", "pull"};
    iso_program_step step = iso_program_step_default();
    step.name = "wait";
    iso_program_desc program = iso_program_desc_default();
    program.name = "arm";
    program.actuator_count = 2;
    program.actuators = names;
    program.steps = &step;
    program.step_count = 1;
    CHECK_STATUS(ctx, iso_task_add_program(task, world, &program), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "actuator 'pull' acts on a fixed tendon or contacts, expected one on a joint");
    program.actuator_count = 1;
    CHECK_OK(ctx, iso_task_add_program(task, world, &program));
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_pull_sums_where_they_shall_be),
        cmocka_unit_test(programs_of_joints_refuse_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
