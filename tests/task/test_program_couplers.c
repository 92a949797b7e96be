// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Programs move joints to which couplers tie others: frames go where they should, the leaders carry
// what follows them, and its limits hold.

#include "arm.h"

// Four links of which the last two follow the first: q3 = -0.7 q1 + 0.2, and q3 = -0.5 q4 + 0.1.
static arm_desc four_links(void) {
    arm_desc desc = planar_arm(4);
    desc.start[2] = -0.7 * desc.start[0] + 0.2;
    desc.start[3] = -2.0 * desc.start[2] + 0.2;
    return desc;
}

static iso_coupler_desc tie_joints(const char* name, int a, int b, double ratio, double offset) {
    iso_coupler_desc coupler = iso_coupler_desc_default();
    coupler.name = name;
    coupler.joint_a = a;
    coupler.joint_b = b;
    coupler.ratio = ratio;
    coupler.offset = offset;
    return coupler;
}

// The links' model with its couplers; joint 3, which follows, may go to limit and is as fast as it
// says.
typedef struct coupled_arm {
    arm_desc arm;
    iso_method method;
    bool is_driven; ///< the last two joints have gains, too
    double upper, velocity_limit;
    const iso_coupler_desc* couplers; ///< NULL: those of four_links()
    int coupler_count;
} coupled_arm;

static coupled_arm coupled_arm_default(void) {
    return (coupled_arm){.arm = four_links(),
                         .method = iso_world_desc_default().method,
                         .upper = 3.0,
                         .velocity_limit = INFINITY};
}

static iso_world* make_coupled(iso_context* ctx, const coupled_arm* desc) {
    const iso_coupler_desc gears[] = {tie_joints("gear", 0, 2, -0.7, 0.2),
                                      tie_joints("wrist", 3, 2, -0.5, 0.1)};
    const iso_coupler_desc* couplers = desc->couplers != NULL ? desc->couplers : gears;
    int coupler_count = desc->couplers != NULL ? desc->coupler_count : 2;
    iso_world_desc settings = iso_world_desc_default();
    settings.gravity = desc->arm.gravity;
    settings.time_step = desc->arm.time_step;
    settings.method = desc->method;
    iso_model* model = NULL;
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    for (int i = 0; i < desc->arm.count; ++i) {
        CHECK_OK(ctx, add_link(model, &desc->arm, i));
    }
    for (int i = 2; i < desc->arm.count && !desc->is_driven; ++i) {
        iso_model_actuator(model, i)->kp = iso_model_actuator(model, i)->kd = 0.0;
    }
    iso_model_joint(model, 2)->upper = desc->upper;
    iso_model_joint(model, 2)->velocity_limit = desc->velocity_limit;
    for (int i = 0; i < coupler_count; ++i) {
        CHECK_OK(ctx, iso_model_add_coupler(model, &couplers[i], NULL));
    }
    CHECK_OK(ctx, iso_world_create(ctx, model, &settings, &world));
    iso_model_destroy(model);
    return world;
}

// Tip of the four links in a plane with the first two joints at q.
static iso_vec3 tip_at(const arm_desc* desc, const double q[2]) {
    double third = -0.7 * q[0] + 0.2;
    double all[] = {q[0], q[1], third, -2.0 * third + 0.2}, angle = 0.0;
    iso_vec3 p = iso_vec3_zero();
    for (int i = 0; i < 4; ++i) {
        angle += all[i];
        p = iso_vec3_add_scaled(p, iso_vec3_make(cos(angle), sin(angle), 0.0), desc->lengths[i]);
    }
    return p;
}

typedef struct line_errors {
    double reference; ///< of the tip at the references against the line, at worst [m]
    double tip;       ///< of the real tip, at worst [m]
    double end;       ///< of the real tip after it has stood for 2 s [m]
} line_errors;

// Move the tip along a line in 1 s, then hold it.
static line_errors follow_line(iso_context* ctx, const coupled_arm* desc, int named,
                               iso_feed_forward feed_forward) {
    iso_world* world = make_coupled(ctx, desc);
    iso_pose start = tip_pose(world, &desc->arm);
    iso_keyframe target = {.time = 1.0, .x_rt = iso_pose_from_position(start.p)};
    target.x_rt.p.x -= 0.2;
    target.x_rt.p.y += 0.1;
    iso_program_step step = move_tip(&desc->arm, &target, 1);
    step.orientation_weight = 0.0;
    iso_program_desc program = arm_program(named, &step, 1);
    program.feed_forward = feed_forward;
    iso_task* task = task_of(ctx, world, &program);
    line_errors worst = {0.0, 0.0, 0.0};
    for (int i = 1; i <= 3000; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
        double s = fmin(1e-3 * i, 1.0), share = s * s * (3.0 - 2.0 * s);
        iso_vec3 p = iso_vec3_lerp(start.p, target.x_rt.p, share);
        double q[] = {iso_world_actuation(world, 0).position,
                      iso_world_actuation(world, 1).position};
        worst.reference = fmax(worst.reference, iso_vec3_distance(tip_at(&desc->arm, q), p));
        worst.end = iso_vec3_distance(tip_pose(world, &desc->arm).p, p);
        worst.tip = fmax(worst.tip, worst.end);
    }
    for (int i = 2; i < named; ++i) {
        double third = -0.7 * iso_world_actuation(world, 0).position + 0.2;
        CHECK_NEAR(iso_world_actuation(world, i).position, i == 2 ? third : -2.0 * third + 0.2,
                   1e-14); // measured 0
    }
    iso_task_destroy(task);
    iso_world_destroy(world);
    return worst;
}

static void a_frame_that_hangs_on_followers_reaches_its_target(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    coupled_arm desc = coupled_arm_default();
    line_errors worst = follow_line(ctx, &desc, 2, ISO_FEED_FORWARD_DYNAMICS);
    CHECK_AT_MOST(worst.reference, 1e-11); // m; measured 9.9e-13
    CHECK_AT_MOST(worst.tip, 1e-6);        // measured 1.4e-7
    CHECK_AT_MOST(worst.end, 1e-12);       // measured 1.6e-15
    desc.arm.gravity.y = -9.81;
    worst = follow_line(ctx, &desc, 2, ISO_FEED_FORWARD_DYNAMICS);
    CHECK_AT_MOST(worst.reference, 1e-11); // measured 9.9e-13
    CHECK_AT_MOST(worst.tip, 1e-5);        // measured 1.3e-6
    CHECK_AT_MOST(worst.end, 5e-7);        // measured 7.4e-8: as it sags below
    test_context_destroy(ctx);
}

static void followers_that_a_program_names_go_with_their_leaders(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    coupled_arm desc = coupled_arm_default();
    desc.arm.gravity.y = -9.81;
    for (int i = 0; i < 2; ++i) {
        desc.is_driven = i == 1; // it matters not who of them has gains
        line_errors worst = follow_line(ctx, &desc, 4, ISO_FEED_FORWARD_DYNAMICS);
        CHECK_AT_MOST(worst.reference, 1e-11); // m; measured 9.9e-13
        CHECK_AT_MOST(worst.tip, 2e-5);        // measured 2.8e-6
        CHECK_AT_MOST(worst.end, 1e-12);       // measured 1.0e-15
    }
    test_context_destroy(ctx);
}

// How far the first two joints end from their references under gravity.
static double sag(iso_context* ctx, const coupled_arm* desc, int named,
                  iso_feed_forward feed_forward) {
    iso_world* world = make_coupled(ctx, desc);
    iso_program_step step = iso_program_step_default();
    step.duration = 1000.0;
    iso_program_desc program = arm_program(named, &step, 1);
    program.feed_forward = feed_forward;
    iso_task* task = task_of(ctx, world, &program);
    for (int i = 0; i < 4000; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    double worst = 0.0;
    for (int i = 0; i < 2; ++i) {
        worst = fmax(worst, fabs(iso_world_joint_position(world, i) - desc->arm.start[i]));
    }
    iso_task_destroy(task);
    iso_world_destroy(world);
    return worst;
}

static void leaders_carry_what_follows_them_without_a_sag(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    coupled_arm desc = coupled_arm_default();
    desc.arm.gravity.y = -9.81;
    assert_true(sag(ctx, &desc, 2, ISO_FEED_FORWARD_NONE) > 1e-3); // rad; measured 5.3e-3
    // rad; what the solver of a step leaves, as the exact forces of rk4 say
    CHECK_AT_MOST(sag(ctx, &desc, 2, ISO_FEED_FORWARD_GRAVITY), 5e-7);  // measured 8.2e-8
    CHECK_AT_MOST(sag(ctx, &desc, 2, ISO_FEED_FORWARD_DYNAMICS), 5e-7); // measured 8.2e-8
    CHECK_AT_MOST(sag(ctx, &desc, 4, ISO_FEED_FORWARD_GRAVITY), 1e-12); // measured 0
    desc.method = ISO_METHOD_RK4;
    CHECK_AT_MOST(sag(ctx, &desc, 2, ISO_FEED_FORWARD_GRAVITY), 1e-12); // measured 0
    test_context_destroy(ctx);
}

static iso_status add(iso_task* task, const iso_world* world, const iso_program_step* step,
                      int named) {
    iso_program_desc program = arm_program(named, step, 1);
    return iso_task_add_program(task, world, &program);
}

// Joint 3 may go to 0.34, joint 1 so down to -0.2.
static void a_leader_keeps_the_limits_of_its_followers(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    coupled_arm desc = coupled_arm_default();
    desc.upper = 0.34;
    iso_world* world = make_coupled(ctx, &desc);
    iso_task* task = NULL;
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    const double beyond[] = {-0.21, 0.9}, at[] = {-0.2, 0.9}, move[] = {-0.51, 0.0};
    iso_keyframe keyframe = {.time = 1.0, .positions = beyond};
    iso_program_step step = iso_program_step_default();
    move_joints(&step, &keyframe, 1);
    CHECK_STATUS(ctx, add(task, world, &step, 2), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "keyframe 1 moves joint 'j1' to -0.21, expected in [-0.2, ");
    CHECK_ERROR(ctx, "by the limits of joint 'j3', which is coupled to it");
    const double posture[] = {-0.3, 0.0};
    iso_program_desc program = arm_program(2, NULL, 0);
    program.posture = posture;
    CHECK_STATUS(ctx, iso_task_add_program(task, world, &program), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the posture of joint 'j1' is -0.3");
    keyframe.positions = at;
    CHECK_OK(ctx, add(task, world, &step, 2));
    iso_task_destroy(task);
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    keyframe.positions = move;
    step.is_relative = true;
    CHECK_OK(ctx, add(task, world, &step, 2));
    CHECK_STATUS(ctx, iso_task_step(task, world), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "by the limits of joint 'j3', which is coupled to it");
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// A frame that would need more of joint 3 than it may.
static void a_moved_frame_keeps_the_limits_of_followers(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    coupled_arm desc = coupled_arm_default();
    desc.upper = 0.34;
    iso_world* world = make_coupled(ctx, &desc);
    iso_keyframe target = {.time = 1.0,
                           .x_rt = iso_pose_from_position(
                               tip_at(&desc.arm, (const double[]){-0.4, desc.arm.start[1]}))};
    iso_program_step step = move_tip(&desc.arm, &target, 1);
    step.orientation_weight = 0.0;
    iso_program_desc program = arm_program(2, &step, 1);
    iso_task* task = task_of(ctx, world, &program);
    iso_status status = ISO_OK;
    double most = -INFINITY;
    for (int i = 0; i < 1000 && status == ISO_OK; ++i) {
        status = iso_task_step(task, world);
        most = fmax(most, -0.7 * iso_world_actuation(world, 0).position + 0.2);
    }
    CHECK(status == ISO_ERR_NO_CONVERGENCE, "status %d", (int)status);
    CHECK_ERROR(ctx, "joints at their limits: 'j1'");
    CHECK_NEAR(most, 0.34, 1e-12); // measured 0
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_leader_is_as_slow_as_its_followers(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    coupled_arm desc = coupled_arm_default();
    desc.velocity_limit = 0.7;
    iso_world* world = make_coupled(ctx, &desc);
    const double move[] = {1.0, 0.0};
    iso_keyframe keyframe = {.time = 0.9, .positions = move};
    iso_program_step step = iso_program_step_default();
    move_joints(&step, &keyframe, 1);
    step.is_relative = true;
    step.profile = ISO_PROFILE_LINEAR;
    iso_program_desc program = arm_program(2, &step, 1);
    iso_task* task = task_of(ctx, world, &program);
    CHECK_STATUS(ctx, iso_task_step(task, world), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j1' would move with 1.11111 /s, expected at most 1;");
    iso_task_destroy(task);
    program.velocity_limits = (const double[]){2.0, 2.0}; // those of the program come first
    task = task_of(ctx, world, &program);
    CHECK_OK(ctx, iso_task_step(task, world));
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void positions_of_coupled_joints_go_together(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    coupled_arm desc = coupled_arm_default();
    desc.is_driven = true;
    iso_world* world = make_coupled(ctx, &desc);
    iso_task* task = NULL;
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    double q[] = {0.1, 0.5, 0.2, 0.0};
    const bool is_kept[] = {false, false, true, true};
    iso_keyframe keyframe = {.time = 0.5, .positions = q};
    iso_program_step step = iso_program_step_default();
    move_joints(&step, &keyframe, 1);
    CHECK_STATUS(ctx, add(task, world, &step, 4), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "keyframe 1 moves joint 'j3' to 0.2, expected 0.13, to where joint 'j1'");
    q[2] = 0.1305; // few digits are put right
    q[3] = -0.06;
    step.is_kept = is_kept;
    CHECK_STATUS(ctx, add(task, world, &step, 4), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "joint 'j1' is to move and joint 'j3', coupled to it, to stay");
    step.is_kept = NULL;
    CHECK_OK(ctx, add(task, world, &step, 4));
    run_to_end(ctx, task, world, 501);
    CHECK_NEAR(iso_world_actuation(world, 2).position, -0.7 * 0.1 + 0.2, 1e-15); // measured 0
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void two_programs_do_not_drive_joints_that_are_coupled(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    coupled_arm desc = coupled_arm_default();
    iso_world* world = make_coupled(ctx, &desc);
    iso_program_desc program = arm_program(2, NULL, 0);
    iso_task* task = task_of(ctx, world, &program);
    program.name = "wrist";
    program.actuator_count = 1;
    program.actuators = k_arm_names + 3;
    CHECK_STATUS(ctx, iso_task_add_program(task, world, &program), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "actuator 'j4' drives a joint that is coupled to one of program 'arm'");
    iso_task_destroy(task);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// q2 = q1 and q3 = q2 say q3 = q1: a third coupler may say so too, or else nothing can move.
static void couplers_that_contradict_each_other_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < 2; ++i) {
        const iso_coupler_desc couplers[] = {tie_joints("a", 0, 1, 1.0, 0.0),
                                             tie_joints("b", 1, 2, 1.0, 0.0),
                                             tie_joints("c", 0, 2, i == 0 ? 1.0 : 2.0, 0.0)};
        coupled_arm desc = coupled_arm_default();
        memset(desc.arm.start, 0, sizeof desc.arm.start);
        desc.couplers = couplers;
        desc.coupler_count = 3;
        iso_world* world = make_coupled(ctx, &desc);
        iso_task* task = NULL;
        CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
        iso_program_desc program = arm_program(1, NULL, 0);
        iso_status status = iso_task_add_program(task, world, &program);
        CHECK(status == (i == 0 ? ISO_OK : ISO_ERR_ARGUMENT), "status %d", (int)status);
        if (i == 1) {
            CHECK_ERROR(ctx, "joint 'j1' cannot move: coupler '");
        }
        iso_task_destroy(task);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_that_hangs_on_followers_reaches_its_target),
        cmocka_unit_test(followers_that_a_program_names_go_with_their_leaders),
        cmocka_unit_test(leaders_carry_what_follows_them_without_a_sag),
        cmocka_unit_test(a_leader_keeps_the_limits_of_its_followers),
        cmocka_unit_test(a_moved_frame_keeps_the_limits_of_followers),
        cmocka_unit_test(a_leader_is_as_slow_as_its_followers),
        cmocka_unit_test(positions_of_coupled_joints_go_together),
        cmocka_unit_test(two_programs_do_not_drive_joints_that_are_coupled),
        cmocka_unit_test(couplers_that_contradict_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
