// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Commands drive a world: a mass on a rail without gravity answers as Newton says.

#include "isobar/state.h"
#include "isobar/task.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <math.h>

// A cart of 2 kg on a rail along x with an actuator "motor".
static iso_status make_cart_by(iso_context* ctx, double kp, double kd, const iso_world_desc* desc,
                               iso_world** out_world) {
    iso_model* model = NULL;
    iso_body_desc body = iso_body_desc_default();
    iso_joint_desc joint = iso_joint_desc_default();
    iso_actuator_desc motor = iso_actuator_desc_default();
    body.name = "cart";
    body.mass = 2.0;
    joint.name = "rail";
    joint.kind = ISO_JOINT_PRISMATIC;
    joint.child = 1;
    joint.axis = iso_vec3_make(1.0, 0.0, 0.0);
    motor.name = "motor";
    motor.kp = kp;
    motor.kd = kd;
    *out_world = NULL;
    iso_status status = iso_model_create(ctx, &model);
    status = status ? status : iso_model_add_body(model, &body, NULL);
    status = status ? status : iso_model_add_joint(model, &joint, NULL);
    status = status ? status : iso_model_add_actuator(model, &motor, NULL);
    status = status ? status : iso_world_create(ctx, model, desc, out_world);
    iso_model_destroy(model);
    return status;
}

static iso_status make_cart(iso_context* ctx, double kp, double kd, iso_world** out_world) {
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    return make_cart_by(ctx, kp, kd, &desc, out_world);
}

static void run(iso_context* ctx, const iso_task* task, iso_world* world, int step_count) {
    for (int i = 0; i < step_count; ++i) {
        CHECK_OK(ctx, iso_task_apply(task, world));
        CHECK_OK(ctx, iso_world_step(world));
    }
}

static void a_force_moves_a_mass_while_it_lasts(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    iso_task* task = NULL;
    iso_command_desc push = {.actuator = "motor", .kind = ISO_COMMAND_EFFORT};
    push.signal = iso_signal_desc_default();
    push.signal.kind = ISO_SIGNAL_SQUARE_WAVE;
    push.signal.amplitude = 6.0;
    push.signal.period = 1.0;
    push.signal.duty = 0.25;
    CHECK_OK(ctx, make_cart(ctx, 0.0, 0.0, &world));
    CHECK_OK(ctx, iso_task_create(world, &push, 1, &task));
    run(ctx, task, world, 500);
    // 6 N for 0.25 s on 2 kg: 250 or 251 steps of 3e-3 m/s, as the last one starts at 0.25 s in
    // rounded arithmetic. Measured 1.2e-14.
    CHECK_NEAR(iso_world_joint_velocity(world, 0), 0.75, 0.003 + 1e-12);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void position_and_velocity_commands_reach_the_pd_law(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    iso_task* task = NULL;
    iso_command_desc commands[2] = {
        {.actuator = "motor", .kind = ISO_COMMAND_POSITION, .signal = iso_signal_desc_default()},
        {.actuator = "motor", .kind = ISO_COMMAND_EFFORT, .signal = iso_signal_desc_default()},
    };
    commands[0].signal.offset = 0.5;
    commands[1].signal.offset = 20.0;
    CHECK_OK(ctx, make_cart(ctx, 200.0, 40.0, &world)); // critically damped
    CHECK_OK(ctx, iso_task_create(world, commands, 2, &task));
    run(ctx, task, world, 3000);
    // At rest kp (q* - q) + 20 = 0. Measured 6e-13 after 3 s of a time constant of 0.1 s.
    CHECK_NEAR(iso_world_joint_position(world, 0), 0.6, 1e-10);
    iso_task_destroy(task);

    commands[0].kind = ISO_COMMAND_VELOCITY;
    CHECK_OK(ctx, iso_task_create(world, commands, 1, &task));
    CHECK_OK(ctx, iso_world_set_joint(world, 0, 0.0, 0.5));
    run(ctx, task, world, 1);
    // q* is 0 now and v* is met: only the stiffness acts, over a step of 1e-3 s. Measured 5e-5.
    CHECK_NEAR(iso_world_joint_velocity(world, 0), 0.5, 1e-4);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// Efforts in each step of 1 ms are 8 N times its start: 4e-3 m/s times the sum of the starts.
static void a_task_keeps_its_own_copy_of_a_table(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    iso_task* task = NULL;
    double times[] = {0.0, 1.0}, values[] = {0.0, 8.0};
    iso_command_desc push = {.actuator = "motor", .kind = ISO_COMMAND_EFFORT};
    push.signal = iso_signal_desc_default();
    push.signal.kind = ISO_SIGNAL_TABLE;
    push.signal.table_count = 2;
    push.signal.table_times = times;
    push.signal.table_values = values;
    CHECK_OK(ctx, make_cart(ctx, 0.0, 0.0, &world));
    CHECK_OK(ctx, iso_task_create(world, &push, 1, &task));
    times[1] = values[1] = -3.0; // the caller's arrays are free to change
    run(ctx, task, world, 500);
    double sum = 1e-3 * 499.0 * 500.0 / 2.0;
    CHECK_REL(iso_world_joint_velocity(world, 0), 8.0 / 2.0 * 1e-3 * sum,
              1e-12); // measured 2.3e-16
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// A target that moves at 0.3 m/s, critically damped with 10/s: x = a t - 2 a / w + e^(-w t) (2 a /
// w
// + a t). Held over samples of 50 ms it would be 6 mm behind.
static double follower(double t) {
    const double a = 0.3, w = 10.0;
    return a * t - 2.0 * a / w + exp(-w * t) * (2.0 * a / w + a * t);
}

static void make_follower(iso_context* ctx, iso_method method, double accuracy, double time_step,
                          iso_world** out_world, iso_task** out_task) {
    const double times[] = {0.0, 1.0}, values[] = {0.0, 0.3};
    iso_command_desc go = {.actuator = "motor", .kind = ISO_COMMAND_POSITION};
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    desc.method = method;
    desc.accuracy = accuracy > 0.0 ? accuracy : desc.accuracy;
    desc.error_control = accuracy > 0.0 && iso_method_is_velocity_level(method);
    desc.time_step = time_step;
    go.signal = iso_signal_desc_default();
    go.signal.kind = ISO_SIGNAL_TABLE;
    go.signal.table_count = 2;
    go.signal.table_times = times;
    go.signal.table_values = values;
    CHECK_OK(ctx, make_cart_by(ctx, 200.0, 40.0, &desc, out_world));
    CHECK_OK(ctx, iso_task_create(*out_world, &go, 1, out_task));
}

static void error_control_follows_tables_within_steps(void** state) {
    (void)state;
    const struct {
        iso_method method;
        double accuracy, bound;
    } cases[] = {
        {ISO_METHOD_LAGGED, 1e-3, 3e-4},   // measured 1.5e-4
        {ISO_METHOD_MIDPOINT, 1e-3, 1e-5}, // measured 2.7e-6
        {ISO_METHOD_RK23, 1e-8, 1e-8},     // measured 2.3e-9
        {ISO_METHOD_RK45, 1e-9, 1e-10},    // measured 1.9e-11
        {ISO_METHOD_RADAU, 1e-9, 1e-9},    // measured 9.9e-11
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
        iso_context* ctx = test_context();
        iso_world* world = NULL;
        iso_task* task = NULL;
        make_follower(ctx, cases[i].method, cases[i].accuracy, 0.05, &world, &task);
        for (int k = 1; k <= 10; ++k) {
            run(ctx, task, world, 1);
            CHECK_NEAR(iso_world_joint_position(world, 0), follower(0.05 * k), cases[i].bound);
            // The target is now where it leads to, and the effort that of the target.
            iso_actuation told = iso_world_actuation(world, 0);
            CHECK_NEAR(told.position, 0.3 * 0.05 * k, 1e-15);
        }
        // Nobody tells it more: the target rests.
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_NEAR(iso_world_actuation(world, 0).position, 0.15, 1e-15);
        iso_task_destroy(task);
        iso_world_destroy(world);
        test_context_destroy(ctx);
    }
}

static void fixed_steps_hold_what_they_are_told(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4};
    for (int m = 0; m < 2; ++m) {
        iso_context* ctx = test_context();
        iso_world *world = NULL, *other = NULL;
        iso_task* task = NULL;
        make_follower(ctx, methods[m], 0.0, 0.01, &world, &task);
        CHECK_OK(ctx, iso_world_clone(world, &other));
        for (int k = 0; k < 20; ++k) {
            iso_actuation held = {.position = 0.3 * iso_world_time(other)};
            CHECK_OK(ctx, iso_world_set_actuation(other, 0, &held));
            CHECK_OK(ctx, iso_world_step(other));
            run(ctx, task, world, 1);
            CHECK_NEAR(iso_world_joint_position(world, 0), iso_world_joint_position(other, 0),
                       1e-15);
        }
        iso_world_destroy(other);
        iso_task_destroy(task);
        iso_world_destroy(world);
        test_context_destroy(ctx);
    }
}

// Targets within the step, where positions are compared with them.
static void midpoint_follows_tables_within_steps(void** state) {
    (void)state;
    double errors[2];
    for (int i = 0; i < 2; ++i) {
        iso_context* ctx = test_context();
        iso_world* world = NULL;
        iso_task* task = NULL;
        double step = i == 0 ? 0.01 : 0.005;
        make_follower(ctx, ISO_METHOD_MIDPOINT, 0.0, step, &world, &task);
        run(ctx, task, world, (int)lround(0.3 / step));
        errors[i] = fabs(iso_world_joint_position(world, 0) - follower(0.3));
        iso_task_destroy(task);
        iso_world_destroy(world);
        test_context_destroy(ctx);
    }
    CHECK(errors[0] < 2e-5 && errors[1] < 0.3 * errors[0], "%g m, then %g m", errors[0], errors[1]);
}

static void leads_are_checked_and_taken_back(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world *world = NULL, *other = NULL;
    iso_task* task = NULL;
    make_follower(ctx, ISO_METHOD_RK45, 1e-9, 0.05, &world, &task);
    const iso_actuation zero = {0}, far = {.position = 1.0}, bad = {.velocity = NAN};
    CHECK_STATUS(ctx, iso_world_lead_actuation(world, 1, &zero, &far), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_world_lead_actuation(world, 0, &zero, &bad), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "command of actuator 'motor' is feed_forward 0, position 0, velocity nan");
    CHECK_STATUS(ctx, iso_world_lead_actuation(world, 0, NULL, &far), ISO_ERR_RANGE);
    CHECK_OK(ctx, iso_world_lead_actuation(world, 0, &zero, &far));
    CHECK_OK(ctx, iso_world_clone(world, &other)); // has the state alone
    CHECK_OK(ctx, iso_world_set_actuation(world, 0, &zero));
    CHECK_OK(ctx, iso_world_step(world));
    CHECK_OK(ctx, iso_world_step(other));
    CHECK_BITS(iso_world_joint_position(world, 0), 0.0);
    CHECK_BITS(iso_world_joint_position(other, 0), 0.0);
    CHECK_OK(ctx, iso_world_lead_actuation(world, 0, &zero, &far));
    CHECK_OK(ctx, iso_world_step(world));
    CHECK(iso_world_joint_position(world, 0) > 1e-4, "at %g", iso_world_joint_position(world, 0));
    iso_world_destroy(other);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void wrong_commands_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    iso_task* task = NULL;
    iso_command_desc command = {.actuator = "engine", .signal = iso_signal_desc_default()};
    CHECK_OK(ctx, make_cart(ctx, 0.0, 0.0, &world));
    CHECK_STATUS(ctx, iso_task_create(world, &command, 1, &task), ISO_ERR_NOT_FOUND);
    CHECK_ERROR(ctx, "there is no actuator named 'engine'");
    assert_null(task);
    command.actuator = "motor";
    command.signal.offset = NAN;
    CHECK_STATUS(ctx, iso_task_create(world, &command, 1, &task), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "command of actuator 'motor': signal is nan, expected finite");
    command.signal.offset = 0.0;
    command.kind = (iso_command_kind)9;
    CHECK_STATUS(ctx, iso_task_create(world, &command, 1, &task), ISO_ERR_ARGUMENT);
    command.actuator = NULL;
    CHECK_STATUS(ctx, iso_task_create(world, &command, 1, &task), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_task_create(NULL, &command, 1, &task), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_task_create(world, NULL, 1, &task), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_task_apply(NULL, world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "task and world are required");
    iso_task_destroy(NULL);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static iso_status attempt_task(iso_context* ctx, void* user) {
    (void)user;
    const double times[] = {0.0, 1.0};
    iso_world* world = NULL;
    iso_task* task = NULL;
    iso_command_desc command = {.actuator = "motor", .signal = iso_signal_desc_default()};
    command.signal.kind = ISO_SIGNAL_TABLE;
    command.signal.table_count = 2;
    command.signal.table_times = times;
    command.signal.table_values = times;
    iso_status status = make_cart(ctx, 0.0, 0.0, &world);
    status = status ? status : iso_task_create(world, &command, 1, &task);
    iso_task_destroy(task);
    iso_world_destroy(world);
    return status;
}

static void every_allocation_failure_is_reported_and_leaks_nothing(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt_task, NULL) > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_moves_a_mass_while_it_lasts),
        cmocka_unit_test(position_and_velocity_commands_reach_the_pd_law),
        cmocka_unit_test(a_task_keeps_its_own_copy_of_a_table),
        cmocka_unit_test(error_control_follows_tables_within_steps),
        cmocka_unit_test(fixed_steps_hold_what_they_are_told),
        cmocka_unit_test(midpoint_follows_tables_within_steps),
        cmocka_unit_test(leads_are_checked_and_taken_back),
        cmocka_unit_test(wrong_commands_are_refused),
        cmocka_unit_test(every_allocation_failure_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
