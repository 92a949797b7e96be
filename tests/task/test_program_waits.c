// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Steps of programs end when they should, and saved worlds go on with the same bits.

#include "arm.h"

#include <stdlib.h>
#include <string.h>

// A ram of 1 kg on a vertical rail above a floor: "rail" with actuator "rail".
static iso_status make_ram(iso_context* ctx, double kp, double kd, iso_world** out_world) {
    iso_model* model = NULL;
    iso_body_desc body = iso_body_desc_default();
    iso_joint_desc joint = iso_joint_desc_default();
    iso_actuator_desc actuator = iso_actuator_desc_default();
    iso_geometry_desc floor = iso_geometry_desc_default(), head = iso_geometry_desc_default();
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    body.name = "ram";
    joint.name = actuator.name = "rail";
    joint.kind = ISO_JOINT_PRISMATIC;
    joint.child = 1;
    joint.axis = iso_vec3_make(0.0, 0.0, 1.0);
    joint.position = 0.1;
    actuator.kp = kp;
    actuator.kd = kd;
    floor.name = "floor";
    floor.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    floor.material.compliance = ISO_COMPLIANCE_RIGID;
    head.name = "head";
    head.shape.radius = 0.05;
    head.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    head.material.modulus = 1e5;
    *out_world = NULL;
    iso_status status = iso_model_create(ctx, &model);
    status = status ? status : iso_model_add_body(model, &body, NULL);
    status = status ? status : iso_model_add_joint(model, &joint, NULL);
    status = status ? status : iso_model_add_actuator(model, &actuator, NULL);
    status = status ? status : iso_model_add_geometry(model, 0, &floor, NULL);
    status = status ? status : iso_model_add_geometry(model, 1, &head, NULL);
    status = status ? status : iso_world_create(ctx, model, &desc, out_world);
    iso_model_destroy(model);
    return status;
}

static const char* const k_rail[] = {"rail"};

static iso_program_desc ram_program(const iso_program_step* steps, int step_count) {
    iso_program_desc program = arm_program(1, steps, step_count);
    program.name = "ram";
    program.actuators = k_rail;
    return program;
}

static iso_condition touch(double force) {
    iso_condition condition = iso_condition_default();
    condition.kind = ISO_CONDITION_CONTACT_FORCE;
    condition.name = "ram";
    condition.other = "world";
    condition.value = force;
    return condition;
}

static double floor_force(const iso_world* world) {
    return iso_world_contact_count(world) > 0
               ? fabs(iso_world_contact(world, 0).f_b_w.translational.z)
               : 0.0;
}

static void a_guarded_motion_stops_at_its_force(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    CHECK_OK(ctx, make_ram(ctx, 2e4, 400.0, &world));
    const double low = -0.05;
    iso_keyframe down = {.time = 2.0, .positions = &low};
    iso_condition condition = touch(20.0);
    iso_program_step steps[2] = {iso_program_step_default(), iso_program_step_default()};
    move_joints(&steps[0], &down, 1);
    wait_for(&steps[0], &condition, 1);
    steps[1].duration = 0.5;
    iso_program_desc program = ram_program(steps, 2);
    iso_task* task = task_of(ctx, world, &program);
    double forces[3] = {0.0, 0.0, 0.0}; // after the last steps
    while (iso_task_program(task, world, 0).step == 0) {
        CHECK_OK(ctx, iso_task_step(task, world));
        forces[0] = forces[1];
        forces[1] = forces[2];
        forces[2] = floor_force(world);
    }
    // The step after the one that felt it ends the motion.
    assert_true(forces[0] < 20.0 && forces[1] >= 20.0 && forces[1] < 20.5);
    run_to_end(ctx, task, world, 1000);
    // Then the reference stands; at rest the PD law's spring and the floor are in balance. Most of
    // the 20 N was damping.
    double stretch = iso_world_joint_position(world, 0) - iso_world_actuation(world, 0).position;
    CHECK_NEAR(floor_force(world), 2e4 * stretch, 1e-3);
    assert_true(floor_force(world) > 1.0 && floor_force(world) < 20.0);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void an_effort_presses_with_itself(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int has_gains = 0; has_gains < 2; ++has_gains) {
        iso_world* world = NULL;
        CHECK_OK(ctx, make_ram(ctx, has_gains ? 1e4 : 0.0, 100.0, &world));
        const double effort = -15.0;
        iso_program_step step = iso_program_step_default();
        step.motion = ISO_MOTION_EFFORT;
        step.efforts = &effort;
        step.duration = 3.0;
        iso_program_desc program = ram_program(&step, 1);
        iso_task* task = task_of(ctx, world, &program);
        run_to_end(ctx, task, world, 4000);
        CHECK_NEAR(floor_force(world), 15.0, 1e-4); // measured 7.7e-6, dying away
        iso_task_destroy(task);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

static void a_joint_that_an_effort_step_keeps_goes_on_as_it_did(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    const double first[] = {2.0, NAN}, second[] = {NAN, -1.5};
    const bool keeps_second[] = {false, true}, keeps_first[] = {true, false};
    iso_program_step steps[2] = {iso_program_step_default(), iso_program_step_default()};
    steps[0].motion = steps[1].motion = ISO_MOTION_EFFORT;
    steps[0].duration = steps[1].duration = 0.05;
    steps[0].efforts = first;
    steps[0].is_kept = keeps_second;
    steps[1].efforts = second;
    steps[1].is_kept = keeps_first;
    iso_program_desc program = arm_program(2, steps, 2);
    iso_task* task = task_of(ctx, world, &program);
    for (int i = 0; i < 40; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    CHECK_NEAR(iso_world_actuation(world, 0).feed_forward, 2.0, 0.0);
    CHECK_NEAR(iso_world_actuation(world, 1).feed_forward, 0.0, 0.0);
    CHECK_NEAR(iso_world_actuation(world, 1).position, desc.start[1], 0.0);
    run_to_end(ctx, task, world, 80);
    CHECK_NEAR(iso_world_actuation(world, 0).feed_forward, 2.0, 0.0); // it presses on
    CHECK_NEAR(iso_world_actuation(world, 1).feed_forward, -1.5, 0.0);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_wait_that_takes_too_long_fails_or_goes_on(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    CHECK_OK(ctx, make_ram(ctx, 1e4, 100.0, &world));
    iso_condition condition = touch(5.0);
    iso_program_step step = iso_program_step_default();
    step.name = "feel";
    wait_for(&step, &condition, 1);
    step.timeout = 0.1;
    iso_program_desc program = ram_program(&step, 1);
    iso_task* task = task_of(ctx, world, &program);
    assert_int_equal(run_to_failure(task, world, 1000), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(
        ctx, "program 'ram', step 'feel': after 0.1 s condition 1 ('ram', 'world') does not hold: "
             "the value is 0, expected at least 5");
    assert_int_equal(iso_world_step_count(world), 100);
    iso_task_destroy(task);
    iso_world_destroy(world);

    iso_condition always = iso_condition_default();
    CHECK_OK(ctx, make_ram(ctx, 1e4, 100.0, &world));
    step.conditions = &always;
    step.hold_time = 0.5;
    task = task_of(ctx, world, &program);
    assert_int_equal(run_to_failure(task, world, 1000), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx,
                "step 'feel': after 0.1 s the conditions hold, since t = 0 s, but are to hold for "
                "0.5 s in a step of at least 0 s");
    iso_task_destroy(task);
    iso_world_destroy(world);
    step.conditions = &condition;
    step.hold_time = 0.0;

    CHECK_OK(ctx, make_ram(ctx, 1e4, 100.0, &world));
    step.is_patient = true;
    task = task_of(ctx, world, &program);
    run_to_end(ctx, task, world, 1000);
    assert_int_equal(iso_world_step_count(world), 101);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_wait_looks_at_a_sensor(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    iso_sensors* sensors = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_sensor_desc sensor = iso_sensor_desc_default();
    sensor.name = "encoder";
    sensor.kind = ISO_SENSOR_JOINT;
    sensor.joint = "j2";
    CHECK_OK(ctx, iso_sensors_create(world, &sensor, 1, &sensors));
    const double positions[] = {0.3, 1.9};
    iso_keyframe keyframe = {.time = 1.0, .positions = positions};
    iso_condition condition = iso_condition_default();
    condition.kind = ISO_CONDITION_SENSOR;
    condition.name = "encoder";
    condition.value = 1.4;
    iso_program_step step = iso_program_step_default();
    move_joints(&step, &keyframe, 1);
    wait_for(&step, &condition, 1);
    iso_program_desc program = arm_program(2, &step, 1);
    iso_task* task = task_of(ctx, world, &program);
    CHECK_STATUS(ctx, iso_task_step(task, world), ISO_ERR_NOT_FOUND);
    CHECK_ERROR(ctx, "program 'arm', step '1', condition 1: there is no sensor named 'encoder'");
    iso_task_set_sensors(task, sensors);
    double before = 0.0;
    while (!iso_task_program(task, world, 0).is_done) {
        before = iso_world_joint_position(world, 1);
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    // The step before last brought it there, up to a time step too far, 1.6e-3 rad;
    // measured 1.5e-3.
    CHECK_NEAR(before, 1.4, 1.6e-3);
    assert_true(before >= 1.4);
    iso_task_destroy(task);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void programs_wait_for_each_other(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    const double there = 0.5;
    iso_keyframe keyframe = {.time = 0.3, .positions = &there};
    iso_condition done = iso_condition_default();
    done.kind = ISO_CONDITION_PROGRAM;
    done.name = "one";
    done.other = "rest";
    iso_program_step one[2] = {iso_program_step_default(), iso_program_step_default()};
    move_joints(&one[0], &keyframe, 1);
    one[1].name = "rest";
    one[1].duration = 0.2;
    iso_program_step two[2] = {iso_program_step_default(), one[0]};
    wait_for(&two[0], &done, 1);
    iso_program_desc first = arm_program(1, one, 2), second = arm_program(1, two, 2);
    first.name = "one";
    second.name = "two";
    second.actuators = &k_arm_names[1];
    iso_task* task = task_of(ctx, world, &second); // in any order
    CHECK_OK(ctx, iso_task_add_program(task, world, &first));
    run_to_end(ctx, task, world, 1000);
    // 0.3 s and 0.2 s, one step until it is seen, 0.3 s.
    CHECK_NEAR(iso_world_time(world), 0.8, 0.0025);                 // measured 0.002
    CHECK_NEAR(iso_world_actuation(world, 1).position, 0.5, 1e-15); // measured 0
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void names_of_later_steps_are_looked_up_at_the_start(void** state) {
    (void)state;
    static const char* const names[] = {"nobody", "arm", "s"};
    static const char* const texts[] = {
        "bad.yaml:7: program 'arm', step 'wait', condition 1: there is no program named 'nobody'",
        ("bad.yaml:7: program 'arm', step 'wait', condition 1: program 'arm': there is no step "
         "named 'x', expected '1' or 'wait'"),
        "bad.yaml:7: program 'arm', step 'wait', condition 1: there is no sensor named 's'"};
    iso_context* ctx = test_context();
    for (int i = 0; i < 3; ++i) {
        arm_desc desc = planar_arm(2);
        iso_world* world = NULL;
        CHECK_OK(ctx, make_arm(ctx, &desc, &world));
        iso_condition condition = iso_condition_default();
        condition.kind = i < 2 ? ISO_CONDITION_PROGRAM : ISO_CONDITION_SENSOR;
        condition.name = names[i];
        condition.other = i < 2 ? "x" : NULL;
        iso_program_step steps[2] = {iso_program_step_default(), iso_program_step_default()};
        steps[0].duration = 10.0; // long before the second one begins
        steps[1].name = "wait";
        wait_for(&steps[1], &condition, 1);
        iso_program_desc program = arm_program(2, steps, 2);
        program.source = "bad.yaml:7";
        iso_task* task = task_of(ctx, world, &program);
        CHECK_STATUS(ctx, iso_task_step(task, world), ISO_ERR_NOT_FOUND);
        CHECK_ERROR(ctx, texts[i]);
        assert_int_equal(iso_world_step_count(world), 0);
        iso_task_destroy(task);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

// --- states --------------------------------------------------------------------------------------

static void a_saved_world_goes_on_in_the_middle_of_a_program(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    CHECK_OK(ctx, make_ram(ctx, 2e4, 400.0, &world));
    const double low = -0.05, up = 0.1;
    iso_keyframe down = {.time = 0.5, .positions = &low}, back = {.time = 0.1, .positions = &up};
    iso_condition conditions[2] = {touch(20.0), touch(1.0)};
    conditions[1].is_below = true;
    iso_program_step steps[3] = {iso_program_step_default(), iso_program_step_default(),
                                 iso_program_step_default()};
    move_joints(&steps[0], &down, 1);
    wait_for(&steps[0], &conditions[0], 1);
    steps[1] = steps[0];
    steps[1].keyframes = &back;
    steps[1].conditions = &conditions[1];
    steps[2].duration = 0.01;
    iso_program_desc program = ram_program(steps, 3);
    program.is_repeated = true;
    program.feed_forward = ISO_FEED_FORWARD_DYNAMICS;
    iso_task* task = task_of(ctx, world, &program);
    // At every step of two rounds: save, and compare three steps on with a world that was restored.
    int compared = 0, passed = 0;
    uint64_t hashes[800];
    char* saved[800];
    size_t sizes[800];
    for (int i = 0; i < 800; ++i) {
        sizes[i] = iso_world_state_size(world);
        saved[i] = malloc(sizes[i]);
        CHECK_OK(ctx, iso_world_save(world, saved[i], sizes[i], &sizes[i]));
        hashes[i] = iso_world_state_hash(world);
        int step = iso_task_program(task, world, 0).step;
        CHECK_OK(ctx, iso_task_step(task, world));
        passed += iso_task_program(task, world, 0).step != step;
    }
    assert_true(passed >= 4);
    for (int i = 0; i + 3 < 800; ++i) {
        CHECK_OK(ctx, iso_world_restore(world, saved[i], sizes[i]));
        for (int k = 0; k < 3; ++k) {
            CHECK_OK(ctx, iso_task_step(task, world));
        }
        assert_true(iso_world_state_hash(world) == hashes[i + 3]);
        ++compared;
    }
    assert_int_equal(compared, 797);
    for (int i = 0; i < 800; ++i) {
        free(saved[i]);
    }
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// The parts of a step do what the step does, and a state that is saved after each of them all goes
// on with the same bits: before, at and after the touch that ends the first motion.
static void a_step_in_its_parts_goes_on_from_any_saved_state(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    CHECK_OK(ctx, make_ram(ctx, 2e4, 400.0, &world));
    const double low = -0.05;
    iso_keyframe down = {.time = 0.5, .positions = &low};
    iso_condition condition = touch(20.0);
    iso_program_step steps[2] = {iso_program_step_default(), iso_program_step_default()};
    move_joints(&steps[0], &down, 1);
    wait_for(&steps[0], &condition, 1);
    steps[1].duration = 0.01;
    iso_program_desc program = ram_program(steps, 2);
    iso_task* task = task_of(ctx, world, &program);
    int count = 0;
    for (bool is_done = false; !is_done && count < 1000; ++count) {
        char saved[4096];
        size_t size = 0;
        CHECK_OK(ctx, iso_world_save(world, saved, sizeof saved, &size));
        CHECK_OK(ctx, iso_task_apply(task, world));
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_OK(ctx, iso_task_observe(task, world));
        uint64_t hash = iso_world_state_hash(world);
        is_done = iso_task_program(task, world, 0).is_done;
        CHECK_OK(ctx, iso_world_restore(world, saved, size));
        CHECK_OK(ctx, iso_task_step(task, world));
        assert_true(iso_world_state_hash(world) == hash);
        assert_int_equal(iso_task_program(task, world, 0).is_done, is_done);
    }
    CHECK(count > 100 && count < 1000, "%d steps", count);
    CHECK_STATUS(ctx, iso_task_observe(NULL, world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "task and world are required");
    assert_int_equal(iso_task_observe(task, NULL), ISO_ERR_ARGUMENT);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void one_task_serves_a_world_and_its_clone(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = six_joint_arm();
    iso_world *world = NULL, *clone = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_keyframe target = {.time = 0.4,
                           .x_rt = iso_pose_from_position(iso_vec3_make(-0.05, 0.1, 0.0))};
    iso_program_step step = move_tip(&desc, &target, 1);
    step.is_relative = true;
    iso_program_desc program = arm_program(6, &step, 1);
    iso_task* task = task_of(ctx, world, &program);
    for (int i = 0; i < 150; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    CHECK_OK(ctx, iso_world_clone(world, &clone));
    for (int i = 0; i < 300; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
        CHECK_OK(ctx, iso_task_step(task, clone));
        CHECK_OK(ctx, iso_task_apply(task, clone)); // twice does no harm
    }
    assert_true(iso_world_state_hash(world) == iso_world_state_hash(clone));
    assert_true(iso_task_program(task, clone, 0).is_done);
    iso_world_destroy(clone);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guarded_motion_stops_at_its_force),
        cmocka_unit_test(an_effort_presses_with_itself),
        cmocka_unit_test(a_joint_that_an_effort_step_keeps_goes_on_as_it_did),
        cmocka_unit_test(a_wait_that_takes_too_long_fails_or_goes_on),
        cmocka_unit_test(a_wait_looks_at_a_sensor),
        cmocka_unit_test(programs_wait_for_each_other),
        cmocka_unit_test(names_of_later_steps_are_looked_up_at_the_start),
        cmocka_unit_test(a_saved_world_goes_on_in_the_middle_of_a_program),
        cmocka_unit_test(one_task_serves_a_world_and_its_clone),
        cmocka_unit_test(a_step_in_its_parts_goes_on_from_any_saved_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
