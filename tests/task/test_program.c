// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Programs move arms: tools follow analytic paths, limits hold, steady steps allocate nothing.

#include "arm.h"

#include <stdlib.h>
#include <string.h>

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
    move_joints(&steps[0], keyframes, 2);
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

// A keyframe at time 0 says where the joints are, and is checked when the step begins.
static void a_motion_begins_where_it_says(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    const double first[] = {desc.start[0] + 0.009, desc.start[1]}, second[] = {0.2, 0.6};
    const double off[] = {desc.start[0], desc.start[1] - 0.011}, none[] = {0.0, -0.005};
    iso_keyframe keyframes[] = {{.time = 0.0, .positions = first},
                                {.time = 0.5, .positions = second}};
    iso_program_step step = iso_program_step_default();
    for (int is_off = 0; is_off < 2; ++is_off) {
        for (int is_relative = 0; is_relative < 2; ++is_relative) {
            iso_world* world = NULL;
            CHECK_OK(ctx, make_arm(ctx, &desc, &world));
            keyframes[0].positions = is_relative && !is_off ? none : is_off ? off : first;
            move_joints(&step, keyframes, 2);
            step.is_relative = is_relative != 0;
            iso_program_desc program = arm_program(2, &step, 1);
            iso_task* task = task_of(ctx, world, &program);
            if (is_off) {
                assert_int_equal(iso_task_step(task, world), ISO_ERR_RANGE);
                CHECK_ERROR(ctx, is_relative ? "is at 0 when the motion begins, which is to be at"
                                             : "joint 'j2' is at 0.9 when the motion begins, which "
                                               "is to be at 0.889, expected within 0.01");
            }
            for (int i = 0; i < 500 && !is_off; ++i) {
                CHECK_OK(ctx, iso_task_step(task, world));
            }
            if (!is_off && !is_relative) {
                CHECK_NEAR(iso_world_actuation(world, 1).position, 0.6, 1e-15);
            }
            iso_task_destroy(task);
            iso_world_destroy(world);
        }
    }
    // Alone it is no motion.
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    move_joints(&step, keyframes, 1);
    iso_program_desc program = arm_program(2, &step, 1);
    iso_task* task = NULL;
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    assert_int_equal(iso_task_add_program(task, world, &program), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "keyframe 1 is at 0 s, expected later than 0 s");
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// Only INFINITY is no limit. What does not move needs none.
static void a_velocity_limit_of_0_lets_nothing_move(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    arm_desc desc = planar_arm(2);
    desc.velocity_limit = 0.0;
    const double to[] = {0.2, 0.6};
    iso_keyframe keyframe = {.time = 0.5, .positions = to};
    iso_program_step steps[2] = {iso_program_step_default(), iso_program_step_default()};
    steps[0].duration = 2e-3;
    move_joints(&steps[1], &keyframe, 1);
    iso_world* world = NULL;
    CHECK_OK(ctx, make_arm(ctx, &desc, &world));
    iso_program_desc program = arm_program(2, steps, 2);
    iso_task* task = task_of(ctx, world, &program);
    iso_status status = ISO_OK;
    for (int i = 0; i < 4 && status == ISO_OK; ++i) {
        status = iso_task_step(task, world);
        CHECK(status == ISO_OK || i >= 1, "step %d", i);
    }
    assert_int_equal(status, ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j1' would move with");
    CHECK_ERROR(ctx, "but its velocity limit is 0: give the program one");
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
        cmocka_unit_test(a_motion_begins_where_it_says),
        cmocka_unit_test(a_velocity_limit_of_0_lets_nothing_move),
        cmocka_unit_test(joints_move_through_keyframes_and_stay_where_they_are_kept),
        cmocka_unit_test(a_frame_follows_a_body_that_moves),
        cmocka_unit_test(a_redundant_arm_keeps_its_limits),
        cmocka_unit_test(joints_lean_to_their_posture_where_the_frame_lets_them),
        cmocka_unit_test(a_frame_that_cannot_follow_is_an_error_that_says_why),
        cmocka_unit_test(a_steady_step_of_a_program_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
