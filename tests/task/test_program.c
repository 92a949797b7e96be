// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Programs drive arms: tools follow analytic paths, limits hold, steps end when they should, saved
// worlds go on with the same bits.

#include "arm.h"

#include <stdlib.h>
#include <string.h>

// --- motions -------------------------------------------------------------------------------------

// Angles of two links with the tip at (x, y), elbow to the left of the line to the tip.
static void two_link_angles(const arm_desc* desc, double x, double y, double out[2]) {
    double a = desc->lengths[0], b = desc->lengths[1];
    double c = (x * x + y * y - a * a - b * b) / (2.0 * a * b);
    out[1] = acos(c);
    out[0] = atan2(y, x) - atan2(b * sin(out[1]), a + b * c);
}

static void a_tip_follows_a_line_as_closed_form_kinematics_say(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_pose start = tip_pose(world, &desc);
    iso_keyframe target = {.time = 1.0, .x_rt = iso_pose_from_position(start.p)};
    target.x_rt.p.x -= 0.3;
    target.x_rt.p.y += 0.1;
    iso_program_step step = move_tip(&desc, &target, 1);
    step.orientation_weight = 0.0;
    iso_program_desc program = arm_program(2, &step, 1);
    program.feed_forward = ISO_FEED_FORWARD_DYNAMICS;
    iso_task* task = task_of(ctx, world, &program);
    double worst_reference = 0.0, worst_tip = 0.0;
    for (int i = 1; i <= 1000; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
        double s = 1e-3 * i, share = s * s * (3.0 - 2.0 * s), expected[2];
        iso_vec3 p = iso_vec3_lerp(start.p, target.x_rt.p, share);
        two_link_angles(&desc, p.x, p.y, expected);
        for (int k = 0; k < 2; ++k) {
            double q = iso_world_actuation(world, k).position;
            worst_reference = fmax(worst_reference, fabs(q - expected[k]));
        }
        worst_tip = fmax(worst_tip, iso_vec3_distance(tip_pose(world, &desc).p, p));
    }
    CHECK_AT_MOST(worst_reference, 5e-11); // rad; measured 5.1e-12
    // The tip itself: the reference's acceleration is fed forward, the implicit PD law does the
    // rest.
    CHECK_AT_MOST(worst_tip, 1e-6); // m; measured 1.0e-7
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static arm_desc six_joint_arm(void) {
    static const iso_vec3 axes[] = {{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {0.0, 1.0, 0.0},
                                    {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}};
    static const double start[] = {0.1, -0.6, 1.2, 0.1, 0.5, 0.1};
    static const double lengths[] = {0.0, 0.4, 0.35, 0.0, 0.0, 0.1};
    arm_desc desc = {.count = 6,
                     .lower = -2.8,
                     .upper = 2.8,
                     .velocity_limit = 3.0,
                     .kp = 5000.0,
                     .kd = 100.0,
                     .gravity = {0.0, 0.0, -9.81},
                     .time_step = 1e-3};
    memcpy(desc.axes, axes, sizeof axes);
    memcpy(desc.start, start, sizeof start);
    memcpy(desc.lengths, lengths, sizeof lengths);
    return desc;
}

// Largest distances of the real tip from its path over a motion of 1 s.
static void track(iso_context* ctx, iso_feed_forward feed_forward, double* out_move,
                  double* out_turn) {
    arm_desc desc = six_joint_arm();
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_pose start = tip_pose(world, &desc);
    iso_keyframe target = {
        .time = 1.0,
        .x_rt = iso_pose_make(iso_mat3_from_rpy(0.0, 0.3, 0.2), iso_vec3_make(-0.05, 0.1, 0.05))};
    iso_program_step step = move_tip(&desc, &target, 1);
    step.is_relative = true;
    iso_program_desc program = arm_program(6, &step, 1);
    program.feed_forward = feed_forward;
    iso_task* task = task_of(ctx, world, &program);
    iso_vec3 turn =
        iso_quat_to_rotation_vector(iso_quat_from_mat3(&target.x_rt.r)); // one turn, in T
    *out_move = *out_turn = 0.0;
    for (int i = 1; i <= 1000; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
        double s = 1e-3 * i, share = s * s * (3.0 - 2.0 * s);
        iso_pose x = iso_pose_from_quat(iso_quat_from_rotation_vector(iso_vec3_scale(turn, share)),
                                        iso_vec3_scale(target.x_rt.p, share));
        iso_pose wanted = iso_pose_mul(&start, &x), tip = tip_pose(world, &desc);
        iso_mat3 r = iso_mat3_mul(iso_mat3_transpose(wanted.r), tip.r);
        iso_vec3 off = iso_quat_to_rotation_vector(iso_quat_from_mat3(&r));
        *out_move = fmax(*out_move, iso_vec3_distance(tip.p, wanted.p));
        *out_turn = fmax(*out_turn, iso_vec3_norm(off));
    }
    iso_task_destroy(task);
    iso_world_destroy(world);
}

static void feed_forward_brings_the_tool_onto_its_path(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    double none, none_turn, gravity, gravity_turn, dynamics, dynamics_turn;
    track(ctx, ISO_FEED_FORWARD_NONE, &none, &none_turn);
    track(ctx, ISO_FEED_FORWARD_GRAVITY, &gravity, &gravity_turn);
    track(ctx, ISO_FEED_FORWARD_DYNAMICS, &dynamics, &dynamics_turn);
    CHECK_AT_MOST(none, 1e-2);          // m; measured 4.8e-3
    CHECK_AT_MOST(gravity, 1e-3);       // m; measured 2.4e-4
    CHECK_AT_MOST(dynamics, 5e-6);      // m; measured 6.4e-7
    CHECK_AT_MOST(dynamics_turn, 1e-5); // rad; measured 1.1e-6
    assert_true(gravity < 0.5 * none && dynamics < 0.1 * gravity);
    test_context_destroy(ctx);
}

static void joints_move_through_keyframes_and_stay_where_they_are_kept(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(3);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    const double first[] = {0.8, 9.0, 0.5}, second[] = {0.2, NAN, 0.6};
    const bool is_kept[] = {false, true, false};
    iso_keyframe keyframes[] = {{.time = 0.5, .positions = first},
                                {.time = 1.25, .positions = second}};
    iso_program_step steps[2] = {iso_program_step_default(), iso_program_step_default()};
    steps[0].motion = ISO_MOTION_JOINTS;
    steps[0].keyframes = keyframes;
    steps[0].keyframe_count = 2;
    steps[0].is_kept = is_kept;
    steps[1] = steps[0];
    steps[1].is_relative = true;
    steps[1].profile = ISO_PROFILE_LINEAR;
    iso_program_desc program = arm_program(3, steps, 2);
    iso_task* task = task_of(ctx, world, &program);
    for (int i = 0; i < 500; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    CHECK_NEAR(iso_world_actuation(world, 0).position, 0.8, 1e-15); // measured 0
    CHECK_NEAR(iso_world_actuation(world, 1).position, 0.9, 1e-15); // measured 0
    for (int i = 0; i < 750; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    CHECK_NEAR(iso_world_actuation(world, 0).position, 0.2, 1e-15); // measured 0
    CHECK_NEAR(iso_world_actuation(world, 2).position, 0.6, 1e-15); // measured 0
    for (int i = 0; i < 250; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    CHECK_NEAR(iso_world_actuation(world, 0).position, 0.2 + 0.4, 1e-15); // measured 0
    CHECK_NEAR(iso_world_actuation(world, 0).velocity, 1.6, 1e-15);       // measured 0
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_frame_follows_a_body_that_moves(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    desc.has_block = true;
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    int block = iso_world_find_body(world, "zblock");
    iso_pose x_wb = iso_pose_identity();
    iso_spatial v_wb =
        iso_spatial_make(iso_vec3_make(0.0, 0.0, 0.3), iso_vec3_make(-0.1, 0.05, 0.0));
    CHECK_OK(ctx, iso_world_set_prescribed(world, block, &x_wb, v_wb));
    iso_pose offset = iso_pose_from_position(tip_pose(world, &desc).p);
    iso_keyframe stay = {.time = 1.0, .x_rt = offset};
    iso_program_step step = move_tip(&desc, &stay, 1);
    step.orientation_weight = 0.0;
    step.base = "zblock";
    step.is_following = true;
    iso_program_desc program = arm_program(2, &step, 1);
    program.feed_forward = ISO_FEED_FORWARD_DYNAMICS;
    iso_task* task = task_of(ctx, world, &program);
    double worst = 0.0;
    for (int i = 0; i < 1000; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
        iso_pose x = iso_world_body_pose(world, block);
        iso_vec3 goal = iso_pose_point(&x, offset.p);
        worst = i < 100 ? 0.0 : fmax(worst, iso_vec3_distance(tip_pose(world, &desc).p, goal));
    }
    // m, once the jump of the velocity at the start has died away; measured 7.0e-9.
    CHECK_AT_MOST(worst, 1e-7);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// --- limits --------------------------------------------------------------------------------------

static void a_redundant_arm_keeps_its_limits(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(4);
    desc.velocity_limit = 1.2;
    desc.upper = 0.93;
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_pose start = tip_pose(world, &desc);
    iso_keyframe target = {.time = 1.0, .x_rt = iso_pose_from_position(start.p)};
    target.x_rt.p.x -= 0.015;
    target.x_rt.p.y -= 0.04;
    iso_program_step step = move_tip(&desc, &target, 1);
    step.orientation_weight = 0.0;
    iso_program_desc program = arm_program(4, &step, 1);
    iso_task* task = task_of(ctx, world, &program);
    double worst = 0.0, before[4];
    memcpy(before, desc.start, sizeof before);
    bool has_stopped = false;
    for (int i = 0; i < 1000; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
        for (int k = 0; k < 4; ++k) {
            double q = iso_world_actuation(world, k).position;
            assert_true(q >= -3.0 && q <= 0.93);
            assert_true(fabs(q - before[k]) <= 1.2e-3 * (1.0 + 1e-9));
            has_stopped = has_stopped || q == 0.93 || fabs(q - before[k]) >= 1.2e-3 * (1.0 - 1e-9);
            before[k] = q;
        }
        worst = fmax(worst, iso_task_program(task, world, 0).position_error);
    }
    CHECK_AT_MOST(worst, 1e-12); // m; measured 5.1e-14, although joints stand at limits on the way
    assert_true(has_stopped);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// Part of a move of the joints of a planar arm that leaves its tip where it is: what is left when
// the parts along the two rows of the Jacobian are taken away.
static double free_part(const arm_desc* desc, const double* q, const double* move) {
    double rows[2][8] = {{0.0}}, rest[8], size = 0.0;
    int n = desc->count;
    for (int i = 0; i < n; ++i) {
        double angle = 0.0;
        for (int k = 0; k <= i; ++k) {
            angle += q[k];
        }
        for (int k = 0; k <= i; ++k) { // link i turns with joints 0 to i
            rows[0][k] -= desc->lengths[i] * sin(angle);
            rows[1][k] += desc->lengths[i] * cos(angle);
        }
        rest[i] = move[i];
    }
    for (int pass = 0; pass < 200; ++pass) { // alternating projections converge on the null space
        for (int r = 0; r < 2; ++r) {
            double along = 0.0, square = 0.0;
            for (int k = 0; k < n; ++k) {
                along += rows[r][k] * rest[k];
                square += rows[r][k] * rows[r][k];
            }
            for (int k = 0; k < n; ++k) {
                rest[k] -= along / square * rows[r][k];
            }
        }
    }
    for (int k = 0; k < n; ++k) {
        size += rest[k] * rest[k];
    }
    return sqrt(size);
}

static void joints_lean_to_their_posture_where_the_frame_lets_them(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(4);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_keyframe stay = {.time = 8.0, .x_rt = iso_pose_identity()};
    iso_program_step step = move_tip(&desc, &stay, 1);
    step.is_relative = true;
    step.orientation_weight = 0.0;
    iso_program_desc program = arm_program(4, &step, 1);
    const double posture[] = {1.0, 0.2, 1.2, 0.3};
    program.posture = posture;
    program.posture_rate = 2.0;
    iso_task* task = task_of(ctx, world, &program);
    double move[4], q[4];
    for (int k = 0; k < 4; ++k) {
        move[k] = posture[k] - desc.start[k];
    }
    double before = free_part(&desc, desc.start, move), worst = 0.0;
    for (int i = 0; i < 8000; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
        worst = fmax(worst, iso_task_program(task, world, 0).position_error);
    }
    for (int k = 0; k < 4; ++k) {
        q[k] = iso_world_actuation(world, k).position;
        move[k] = posture[k] - q[k];
    }
    assert_true(before > 0.1);
    // What is left of the wish to move is along the frame's own directions.
    CHECK_AT_MOST(free_part(&desc, q, move), 1e-5 * before); // measured 2.8e-7 of 0.99
    CHECK_AT_MOST(worst, 1e-11);                             // m; measured 1.0e-12
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_frame_that_cannot_follow_is_an_error_that_says_why(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_keyframe far = {.time = 2.0, .x_rt = iso_pose_from_position(iso_vec3_make(0.0, 1.2, 0.0))};
    iso_program_step step = move_tip(&desc, &far, 1);
    step.orientation_weight = 0.0;
    step.name = "too far";
    iso_program_desc program = arm_program(2, &step, 1);
    iso_task* task = task_of(ctx, world, &program);
    assert_int_equal(run_to_failure(task, world, 3000), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx,
                "program 'arm', step 'too far': the frame on body 'l2' cannot follow its path");
    CHECK_ERROR(ctx, "expected at most 0.01 m");
    CHECK_ERROR(ctx, "joints at their limits: none; at their velocity limits: none");
    // The arm was stretched when it gave up: the reference is where it can be.
    double q = iso_world_actuation(world, 1).position;
    CHECK_AT_MOST(fabs(q), 0.35); // rad; measured 0.18
    iso_task_destroy(task);
    iso_world_destroy(world);

    desc.velocity_limit = 0.05;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_keyframe near = {.time = 0.5, .x_rt = iso_pose_from_position(iso_vec3_make(0.2, 0.6, 0.0))};
    step.keyframes = &near;
    task = task_of(ctx, world, &program);
    assert_int_equal(run_to_failure(task, world, 3000), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "at their velocity limits: 'j1', 'j2'");
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// --- waits ---------------------------------------------------------------------------------------

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
    steps[0].motion = ISO_MOTION_JOINTS;
    steps[0].keyframes = &down;
    steps[0].keyframe_count = 1;
    steps[0].conditions = &condition;
    steps[0].condition_count = 1;
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

static void a_wait_that_takes_too_long_fails_or_goes_on(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    CHECK_OK(ctx, make_ram(ctx, 1e4, 100.0, &world));
    iso_condition condition = touch(5.0);
    iso_program_step step = iso_program_step_default();
    step.name = "feel";
    step.conditions = &condition;
    step.condition_count = 1;
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
    step.motion = ISO_MOTION_JOINTS;
    step.keyframes = &keyframe;
    step.keyframe_count = 1;
    step.conditions = &condition;
    step.condition_count = 1;
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
    one[0].motion = ISO_MOTION_JOINTS;
    one[0].keyframes = &keyframe;
    one[0].keyframe_count = 1;
    one[1].name = "rest";
    one[1].duration = 0.2;
    iso_program_step two[2] = {iso_program_step_default(), one[0]};
    two[0].conditions = &done;
    two[0].condition_count = 1;
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
        "bad.yaml:7: program 'arm', step 'wait', condition 1: program 'arm' has no step named 'x'",
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
        steps[1].conditions = &condition;
        steps[1].condition_count = 1;
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
    steps[0].motion = ISO_MOTION_JOINTS;
    steps[0].keyframes = &down;
    steps[0].keyframe_count = 1;
    steps[0].conditions = &conditions[0];
    steps[0].condition_count = 1;
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

static void a_steady_step_of_a_program_allocates_nothing(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = six_joint_arm();
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_keyframe target = {.time = 0.4,
                           .x_rt = iso_pose_from_position(iso_vec3_make(-0.05, 0.1, 0.0))};
    iso_program_step step = move_tip(&desc, &target, 1);
    step.is_relative = true;
    iso_program_desc program = arm_program(6, &step, 1);
    program.feed_forward = ISO_FEED_FORWARD_DYNAMICS;
    iso_task* task = task_of(ctx, world, &program);
    for (int i = 0; i < 10; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    long calls = test_heap_of(ctx)->call_count;
    for (int i = 0; i < 100; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    assert_int_equal(test_heap_of(ctx)->call_count - calls, 0);
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tip_follows_a_line_as_closed_form_kinematics_say),
        cmocka_unit_test(feed_forward_brings_the_tool_onto_its_path),
        cmocka_unit_test(joints_move_through_keyframes_and_stay_where_they_are_kept),
        cmocka_unit_test(a_frame_follows_a_body_that_moves),
        cmocka_unit_test(a_redundant_arm_keeps_its_limits),
        cmocka_unit_test(joints_lean_to_their_posture_where_the_frame_lets_them),
        cmocka_unit_test(a_frame_that_cannot_follow_is_an_error_that_says_why),
        cmocka_unit_test(a_guarded_motion_stops_at_its_force),
        cmocka_unit_test(an_effort_presses_with_itself),
        cmocka_unit_test(a_wait_that_takes_too_long_fails_or_goes_on),
        cmocka_unit_test(a_wait_looks_at_a_sensor),
        cmocka_unit_test(programs_wait_for_each_other),
        cmocka_unit_test(names_of_later_steps_are_looked_up_at_the_start),
        cmocka_unit_test(a_saved_world_goes_on_in_the_middle_of_a_program),
        cmocka_unit_test(one_task_serves_a_world_and_its_clone),
        cmocka_unit_test(a_steady_step_of_a_program_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
