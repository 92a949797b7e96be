// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Controllers of one's own, and bad input: every mistake is an error that names it; no state ever
// holds a number that is not finite.

#include "arm.h"

#include <string.h>

// --- controllers ---------------------------------------------------------------------------------

typedef struct behaviour {
    int calls;
    const char* deed;
    double value;
    iso_task* task; // its own
} behaviour;

static iso_status control(void* user, iso_world* world, double time, iso_actuation* actuations) {
    behaviour* b = user;
    char bytes[8192];
    size_t size = 0;
    iso_pose x = iso_pose_identity();
    ++b->calls;
    if (strcmp(b->deed, "press") == 0) {
        actuations[0] = (iso_actuation){b->value, 0.0, 0.0};
        actuations[1].feed_forward = 2.0 * time;
        return ISO_OK;
    }
    if (strcmp(b->deed, "destroy") == 0) {
        iso_world_destroy(world);
    } else if (strcmp(b->deed, "step") == 0) {
        (void)!iso_world_step(world);
    } else if (strcmp(b->deed, "task") == 0) {
        (void)!iso_task_step(b->task, world);
    } else if (strcmp(b->deed, "destroy task") == 0) {
        iso_task_destroy(b->task);
    } else if (strcmp(b->deed, "set") == 0) {
        (void)!iso_world_set_joint(world, 0, 1.0, 0.0);
    } else if (strcmp(b->deed, "state") == 0) {
        return iso_world_set_state(world, NULL, NULL);
    } else if (strcmp(b->deed, "contacts") == 0) {
        return iso_world_update_contacts(world);
    } else if (strcmp(b->deed, "prescribe") == 0) {
        (void)!iso_world_set_prescribed(world, 1, &x, iso_spatial_zero());
    } else if (strcmp(b->deed, "restore") == 0) {
        iso_status status = iso_world_save(world, bytes, sizeof bytes, &size);
        status = status ? status : iso_world_restore(world, bytes, size);
    }
    return strcmp(b->deed, "fail") == 0 ? ISO_ERR_UNSUPPORTED : ISO_OK;
}

static void a_controller_presses_and_sees_the_time(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    desc.kp = desc.kd = 0.0;
    iso_world* world = NULL;
    iso_task* task = NULL;
    behaviour b = {.deed = "press", .value = 0.7};
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    iso_task_set_controller(task, control, &b);
    for (int i = 0; i < 100; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    assert_int_equal(b.calls, 100);
    CHECK_BITS(iso_world_joint_effort(world, 0), 0.7);
    CHECK_NEAR(iso_world_joint_effort(world, 1), 2.0 * 0.099, 1e-15); // measured 0
    iso_task_set_controller(task, NULL, NULL);
    CHECK_OK(ctx, iso_task_step(task, world));
    assert_int_equal(b.calls, 100);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_controller_that_throws_the_state_away_is_an_error(void** state) {
    (void)state;
    static const char* const deeds[] = {"destroy", "step", "set", "restore", "state", "contacts"};
    static const char* const texts[] = {"the world was to be destroyed",
                                        "the world was to be stepped",
                                        "the world was to be set to another",
                                        "the world was to be restored",
                                        "the world was to be set to another state",
                                        "the world was to be given new contacts"};
    iso_context* ctx = test_context();
    for (int i = 0; i < 6; ++i) {
        arm_desc desc = planar_arm(2);
        iso_world* world = NULL;
        iso_task* task = NULL;
        behaviour b = {.deed = deeds[i]};
        CHECK_OK(ctx, make_arm(ctx, &desc, &world));
        CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
        iso_task_set_controller(task, control, &b);
        uint64_t hash = iso_world_state_hash(world);
        CHECK_STATUS(ctx, iso_task_apply(task, world), ISO_ERR_ARGUMENT);
        CHECK_ERROR(ctx, "step 1: the controller went too far");
        CHECK_ERROR(ctx, texts[i]);
        assert_true(iso_world_state_hash(world) == hash);
        iso_task_set_controller(task, NULL, NULL);
        CHECK_OK(ctx, iso_task_step(task, world)); // the world is alive and free
        iso_task_destroy(task);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

static void a_controller_that_steps_or_destroys_its_own_task_is_an_error(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    iso_task* task = NULL;
    behaviour b = {.deed = "task"};
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    b.task = task;
    iso_task_set_controller(task, control, &b);
    CHECK_STATUS(ctx, iso_task_step(task, world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "step 1: the controller went too far: it stepped its own task");
    assert_int_equal(b.calls, 1);
    assert_int_equal(iso_world_step_count(world), 0);
    b.deed = "destroy task";
    CHECK_STATUS(ctx, iso_task_step(task, world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "step 1: the controller went too far: it destroyed its own task");
    assert_int_equal(iso_world_step_count(world), 0);
    b.deed = "press";
    CHECK_OK(ctx, iso_task_step(task, world)); // both are alive and free
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// Reads what hangs on the forces of the present state, which nobody has computed before step 1.
static iso_status read_load(void* user, iso_world* world, double time, iso_actuation* actuations) {
    iso_sensors* sensors = user;
    iso_status status = iso_sensors_update(sensors, world);
    (void)time;
    actuations[0].feed_forward = 0.0;
    return status;
}

static void a_controller_reads_sensors_from_the_first_step_on(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world *world = NULL, *twin = NULL;
    iso_task* task = NULL;
    iso_sensors* sensors = NULL;
    iso_sensor_desc wrist = iso_sensor_desc_default();
    wrist.name = "wrist";
    wrist.kind = ISO_SENSOR_FORCE_TORQUE;
    wrist.joint = "j2";
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    CHECK_OK(ctx, iso_world_clone(world, &twin));
    CHECK_OK(ctx, iso_sensors_create(world, &wrist, 1, &sensors));
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    iso_task_set_controller(task, read_load, sensors);
    CHECK_OK(ctx, iso_task_apply(task, world));
    const double* values = iso_sensors_values(sensors, 0);
    double size = fabs(values[0]) + fabs(values[1]) + fabs(values[2]);
    CHECK(size > 0.1 && isfinite(size), "force (%g, %g, %g) N", values[0], values[1], values[2]);
    for (int i = 0; i < 20; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
        CHECK_OK(ctx, iso_world_step(twin));
    }
    assert_true(iso_world_state_hash(world) ==
                iso_world_state_hash(twin)); // looking changes nothing
    iso_sensors_destroy(sensors);
    iso_task_destroy(task);
    iso_world_destroy(twin);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void an_offence_is_told_to_the_one_who_releases_next(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_world_hold(world);
    iso_world_destroy(world);
    iso_world_hold(world); // does not forget it
    CHECK_STATUS(ctx, iso_world_release(world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "the world was to be destroyed while it was held");
    CHECK_OK(ctx, iso_world_release(world));
    CHECK_OK(ctx, iso_world_step(world));
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void commands_that_are_not_finite_name_actuator_and_step(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    iso_task* task = NULL;
    behaviour b = {.deed = "press", .value = 0.0};
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    iso_task_set_controller(task, control, &b);
    CHECK_OK(ctx, iso_task_step(task, world));
    CHECK_OK(ctx, iso_task_step(task, world));
    b.value = NAN;
    CHECK_STATUS(ctx, iso_task_step(task, world), ISO_ERR_RANGE);
    CHECK_ERROR(ctx,
                "step 3 at t = 0.002 s: the controller tells actuator 'j1' (nan, 0, 0), expected "
                "finite numbers");
    assert_int_equal(iso_world_step_count(world), 2);
    b.deed = "fail";
    CHECK_STATUS(ctx, iso_task_step(task, world), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(ctx, "step 3 at t = 0.002 s: the controller failed: not supported");
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void holds_add_up_and_end(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_world_hold(world);
    iso_world_hold(world);
    CHECK_OK(ctx, iso_world_release(world));
    CHECK_STATUS(ctx, iso_world_step(world), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_world_release(world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "the world was to be stepped while it was held");
    CHECK_OK(ctx, iso_world_step(world));
    CHECK_STATUS(ctx, iso_world_release(world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "the world is not held");
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// --- bad input -----------------------------------------------------------------------------------

static void refuse(iso_context* ctx, const iso_world* world, const iso_program_desc* program,
                   iso_status expected, const char* text) {
    iso_task* task = NULL;
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    CHECK_STATUS(ctx, iso_task_add_program(task, world, program), expected);
    CHECK_ERROR(ctx, text);
    assert_int_equal(iso_task_program_count(task), 0);
    iso_task_destroy(task);
}

static void programs_that_cannot_run_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    double positions[] = {0.5, 9.0};
    iso_keyframe keyframes[2] = {{.time = 1.0, .positions = positions, .x_rt = iso_pose_identity()},
                                 {.time = 0.5, .positions = positions}};
    iso_program_step step = iso_program_step_default();
    step.name = "go";
    move_joints(&step, keyframes, 1);
    iso_program_desc program = arm_program(2, &step, 1);
    program.source = "cook.yaml:7";
    refuse(ctx, world, &program, ISO_ERR_RANGE,
           "cook.yaml:7: program 'arm': step 'go': keyframe 1 moves joint 'j2' to 9, expected in "
           "[-3, 3]");
    positions[1] = NAN;
    refuse(ctx, world, &program, ISO_ERR_RANGE, "moves joint 'j2' to nan");
    positions[1] = 0.1;
    step.keyframe_count = 2;
    refuse(ctx, world, &program, ISO_ERR_RANGE, "keyframe 2 is at 0.5 s, expected later than 1 s");
    step.keyframe_count = 0;
    refuse(ctx, world, &program, ISO_ERR_ARGUMENT, "0 keyframes, expected 1 to 1000000");
    step.keyframe_count = 1;
    step.timeout = -1.0;
    refuse(ctx, world, &program, ISO_ERR_RANGE, "timeout is -1 s");
    step.timeout = 60.0;
    const char* const twice[] = {"j1", "j1"};
    program.actuators = twice;
    refuse(ctx, world, &program, ISO_ERR_ARGUMENT, "actuator 'j1' is there twice");
    const char* const unknown[] = {"j1", "elbow"};
    program.actuators = unknown;
    refuse(ctx, world, &program, ISO_ERR_NOT_FOUND, "there is no actuator named 'elbow'");
    program.actuators = k_arm_names;
    const double limits[] = {1.0, -1.0};
    program.velocity_limits = limits;
    refuse(ctx, world, &program, ISO_ERR_RANGE, "the velocity limit of joint 'j2' is -1");
    program.velocity_limits = NULL;
    const double posture[] = {0.0, 4.0};
    program.posture = posture;
    refuse(ctx, world, &program, ISO_ERR_RANGE,
           "the posture of joint 'j2' is 4, expected in [-3, 3]");
    program.posture = NULL;
    step.motion = ISO_MOTION_FRAME;
    step.body = "hand";
    refuse(ctx, world, &program, ISO_ERR_NOT_FOUND, "there is no body named 'hand'");
    step.body = "world";
    refuse(ctx, world, &program, ISO_ERR_ARGUMENT, "no joint of the program moves body 'world'");
    step.body = "l2";
    keyframes[0].x_rt.r.m[0][0] = 2.0;
    refuse(ctx, world, &program, ISO_ERR_RANGE, "the rotation of keyframe 1 is");
    keyframes[0].x_rt = iso_pose_identity();
    step.position_weight = -1.0;
    refuse(ctx, world, &program, ISO_ERR_RANGE, "weights are -1 and 1");
    step.position_weight = 1.0;
    step.motion = ISO_MOTION_EFFORT;
    const double efforts[] = {0.0, INFINITY};
    step.efforts = efforts;
    refuse(ctx, world, &program, ISO_ERR_RANGE, "the effort of actuator 'j2' is inf");
    step.motion = ISO_MOTION_HOLD;
    iso_condition condition = iso_condition_default();
    wait_for(&step, &condition, 1);
    condition.value = NAN;
    refuse(ctx, world, &program, ISO_ERR_RANGE, "condition 1: above is nan s, expected finite");
    condition.value = 0.0;
    condition.kind = ISO_CONDITION_JOINT_POSITION;
    condition.name = "knee";
    refuse(ctx, world, &program, ISO_ERR_NOT_FOUND,
           "condition 1: there is no joint of one degree of freedom named 'knee'");
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void actuators_are_driven_once_and_need_gains_to_move(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    iso_task* task = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_program_desc program = arm_program(2, NULL, 0), other = program;
    iso_command_desc command = {.actuator = "j2", .signal = iso_signal_desc_default()};
    CHECK_OK(ctx, iso_task_create(world, &command, 1, &task));
    CHECK_STATUS(ctx, iso_task_add_program(task, world, &program), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "actuator 'j2' is also driven by a command");
    iso_task_destroy(task);
    task = task_of(ctx, world, &program);
    CHECK_STATUS(ctx, iso_task_add_program(task, world, &other), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "there is already a program or criterion named 'arm'");
    other.name = "other";
    CHECK_STATUS(ctx, iso_task_add_program(task, world, &other), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "actuator 'j1' is also driven by program 'arm'");
    iso_task_destroy(task);
    iso_world_destroy(world);

    desc.kp = 0.0;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    const double positions[] = {0.5, 0.5};
    iso_keyframe keyframe = {.time = 1.0, .positions = positions};
    iso_program_step step = iso_program_step_default();
    move_joints(&step, &keyframe, 1);
    program = arm_program(2, &step, 1);
    refuse(ctx, world, &program, ISO_ERR_ARGUMENT,
           "actuator 'j1' cannot move its joint: it has kp 0");
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void motions_faster_than_a_joint_are_an_error_when_they_begin(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    desc.velocity_limit = 1.0;
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    const double positions[] = {0.3, 1.9};
    iso_keyframe keyframe = {.time = 0.75, .positions = positions};
    iso_program_step step = iso_program_step_default();
    step.name = "dash";
    move_joints(&step, &keyframe, 1);
    iso_program_desc program = arm_program(2, &step, 1);
    iso_task* task = task_of(ctx, world, &program);
    CHECK_STATUS(ctx, iso_task_step(task, world), ISO_ERR_RANGE);
    CHECK_ERROR(ctx,
                "program 'arm', step 'dash': joint 'j2' would move with 2 /s, expected at most 1; "
                "the step needs 2 times as long");
    iso_task_destroy(task);
    keyframe.time = 1.5;
    task = task_of(ctx, world, &program);
    CHECK_OK(ctx, iso_task_step(task, world));
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void absurd_gains_and_efforts_leave_a_finite_state(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    const double gains[] = {1e-9, 1.0, 1e6, 1e12};
    for (int g = 0; g < 4; ++g) {
        arm_desc desc = planar_arm(3);
        desc.kp = gains[g];
        desc.kd = gains[3 - g];
        desc.time_step = 0.01;
        iso_world* world = NULL;
        CHECK_OK(ctx, make_arm(ctx, &desc, &world));
        const double positions[] = {0.5, -2.9, 2.9}, efforts[] = {1e9, -1e9, 1e9};
        iso_keyframe keyframe = {.time = 0.02, .positions = positions};
        iso_program_step steps[2] = {iso_program_step_default(), iso_program_step_default()};
        move_joints(&steps[0], &keyframe, 1);
        steps[1].motion = ISO_MOTION_EFFORT;
        steps[1].efforts = efforts;
        steps[1].duration = 0.1;
        iso_program_desc program = arm_program(3, steps, 2);
        program.feed_forward = ISO_FEED_FORWARD_DYNAMICS;
        iso_task* task = task_of(ctx, world, &program);
        iso_status status = run_to_failure(task, world, 50);
        assert_true(status == ISO_OK || status == ISO_ERR_NO_CONVERGENCE ||
                    status == ISO_ERR_NUMERIC);
        for (int i = 0; i < 3; ++i) {
            assert_true(isfinite(iso_world_joint_position(world, i)));
            assert_true(isfinite(iso_world_joint_velocity(world, i)));
            assert_true(isfinite(iso_world_actuation(world, i).position));
        }
        iso_task_destroy(task);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

static iso_status attempt_program(iso_context* ctx, void* user) {
    (void)user;
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    iso_task* task = NULL;
    iso_keyframe keyframe = {.time = 1.0, .x_rt = iso_pose_identity()};
    iso_condition condition = iso_condition_default();
    condition.kind = ISO_CONDITION_CONTACT_FORCE;
    condition.name = "l1";
    condition.other = "world";
    condition.value = 1.0;
    iso_program_step step = move_tip(&desc, &keyframe, 1);
    step.is_relative = true;
    wait_for(&step, &condition, 1);
    iso_program_desc program = arm_program(2, &step, 1);
    iso_status status = make_arm(ctx, &desc, &world);
    status = status ? status : iso_task_create(world, NULL, 0, &task);
    status = status ? status : iso_task_add_program(task, world, &program);
    status = status ? status : iso_task_apply(task, world);
    iso_task_destroy(task);
    iso_world_destroy(world);
    return status;
}

static void every_allocation_failure_is_reported_and_leaks_nothing(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt_program, NULL) > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_controller_presses_and_sees_the_time),
        cmocka_unit_test(a_controller_that_throws_the_state_away_is_an_error),
        cmocka_unit_test(a_controller_that_steps_or_destroys_its_own_task_is_an_error),
        cmocka_unit_test(a_controller_reads_sensors_from_the_first_step_on),
        cmocka_unit_test(an_offence_is_told_to_the_one_who_releases_next),
        cmocka_unit_test(commands_that_are_not_finite_name_actuator_and_step),
        cmocka_unit_test(holds_add_up_and_end),
        cmocka_unit_test(programs_that_cannot_run_are_refused),
        cmocka_unit_test(actuators_are_driven_once_and_need_gains_to_move),
        cmocka_unit_test(motions_faster_than_a_joint_are_an_error_when_they_begin),
        cmocka_unit_test(absurd_gains_and_efforts_leave_a_finite_state),
        cmocka_unit_test(every_allocation_failure_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
