// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Arms for the tests of programs. Every call must succeed.

#include "isobar/dynamics.h"
#include "isobar/state.h"
#include "isobar/task.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// A chain of revolute joints "j1", "j2", ... with actuators of the same names.
typedef struct arm_desc {
    int count;
    iso_vec3 axes[8];
    double lengths[8]; ///< of the links, along x
    double start[8];
    double lower, upper, velocity_limit;
    double kp, kd;
    iso_vec3 gravity;
    double time_step;
    bool has_block; ///< a body "zblock", welded to the world
} arm_desc;

/// Two links in the x-y plane, 0.5 m and 0.4 m long.
static inline arm_desc planar_arm(int count) {
    arm_desc desc = {.count = count,
                     .lower = -3.0,
                     .upper = 3.0,
                     .velocity_limit = INFINITY,
                     .kp = 4000.0,
                     .kd = 80.0,
                     .time_step = 1e-3};
    for (int i = 0; i < count; ++i) {
        desc.axes[i] = iso_vec3_make(0.0, 0.0, 1.0);
        desc.lengths[i] = i == 0 ? 0.5 : 0.4;
        desc.start[i] = i == 0 ? 0.3 : 0.9;
    }
    return desc;
}

static inline arm_desc six_joint_arm(void) {
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

static inline iso_status add_link(iso_model* model, const arm_desc* desc, int i) {
    static const char* const links[] = {"l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8"};
    static const char* const joints[] = {"j1", "j2", "j3", "j4", "j5", "j6", "j7", "j8"};
    iso_body_desc body = iso_body_desc_default();
    iso_joint_desc joint = iso_joint_desc_default();
    iso_actuator_desc actuator = iso_actuator_desc_default();
    body.name = links[i];
    body.mass = 1.0;
    body.center_of_mass = iso_vec3_make(0.5 * desc->lengths[i], 0.0, 0.0);
    body.inertia = iso_mat3_diagonal(0.01, 0.01, 0.01);
    joint.name = joints[i];
    joint.kind = ISO_JOINT_REVOLUTE;
    joint.parent = i; // body 0 is the world
    joint.child = i + 1;
    joint.axis = desc->axes[i];
    joint.x_pf.p.x = i > 0 ? desc->lengths[i - 1] : 0.0;
    joint.lower = desc->lower;
    joint.upper = desc->upper;
    joint.velocity_limit = desc->velocity_limit;
    joint.position = desc->start[i];
    actuator.name = joints[i];
    actuator.joint = i;
    actuator.kp = desc->kp;
    actuator.kd = desc->kd;
    iso_status status = iso_model_add_body(model, &body, NULL);
    status = status ? status : iso_model_add_joint(model, &joint, NULL);
    return status ? status : iso_model_add_actuator(model, &actuator, NULL);
}

static inline iso_status add_block(iso_model* model) {
    iso_body_desc body = iso_body_desc_default();
    iso_joint_desc weld = iso_joint_desc_default();
    body.name = weld.name = "zblock";
    iso_status status = iso_model_add_body(model, &body, &weld.child);
    return status ? status : iso_model_add_joint(model, &weld, NULL);
}

static inline iso_status make_arm(iso_context* ctx, const arm_desc* desc, iso_world** out_world) {
    iso_model* model = NULL;
    iso_world_desc settings = iso_world_desc_default();
    settings.gravity = desc->gravity;
    settings.time_step = desc->time_step;
    *out_world = NULL;
    iso_status status = iso_model_create(ctx, &model);
    for (int i = 0; i < desc->count; ++i) {
        status = status ? status : add_link(model, desc, i);
    }
    if (status == ISO_OK && desc->has_block) {
        status = add_block(model);
    }
    status = status ? status : iso_world_create(ctx, model, &settings, out_world);
    iso_model_destroy(model);
    return status;
}

static const char* const k_arm_names[] = {"j1", "j2", "j3", "j4", "j5", "j6", "j7", "j8"};

static inline iso_program_desc arm_program(int count, const iso_program_step* steps,
                                           int step_count) {
    iso_program_desc program = iso_program_desc_default();
    program.name = "arm";
    program.actuator_count = count;
    program.actuators = k_arm_names;
    program.steps = steps;
    program.step_count = step_count;
    return program;
}

/// A task with one program.
static inline iso_task* task_of(iso_context* ctx, const iso_world* world,
                                const iso_program_desc* program) {
    iso_task* task = NULL;
    CHECK_OK(ctx, iso_task_create(world, NULL, 0, &task));
    CHECK_OK(ctx, iso_task_add_program(task, world, program));
    return task;
}

/// Step until the program is done, or fail.
static inline void run_to_end(iso_context* ctx, const iso_task* task, iso_world* world,
                              int most_steps) {
    for (int i = 0; i < most_steps && !iso_task_program(task, world, 0).is_done; ++i) {
        CHECK_OK(ctx, iso_task_step(task, world));
    }
    CHECK(iso_task_program(task, world, 0).is_done, "not done after %d steps", most_steps);
}

/// Steps until one fails; its status.
static inline iso_status run_to_failure(const iso_task* task, iso_world* world, int most_steps) {
    iso_status status = ISO_OK;
    for (int i = 0; i < most_steps && status == ISO_OK; ++i) {
        status = iso_task_step(task, world);
    }
    return status;
}

/// Tip of the last link in the world.
static inline iso_pose tip_pose(const iso_world* world, const arm_desc* desc) {
    iso_pose x_wb = iso_world_body_pose(world, desc->count);
    iso_pose x_bt = iso_pose_from_position(iso_vec3_make(desc->lengths[desc->count - 1], 0.0, 0.0));
    return iso_pose_mul(&x_wb, &x_bt);
}

/// Move the tip of an arm.
static inline iso_program_step move_tip(const arm_desc* desc, const iso_keyframe* keyframes,
                                        int count) {
    static const char* const links[] = {"l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8"};
    iso_program_step step = iso_program_step_default();
    step.motion = ISO_MOTION_FRAME;
    step.body = links[desc->count - 1];
    step.x_bt.p.x = desc->lengths[desc->count - 1];
    step.keyframes = keyframes;
    step.keyframe_count = count;
    return step;
}

static inline void move_joints(iso_program_step* step, const iso_keyframe* keyframes, int count) {
    step->motion = ISO_MOTION_JOINTS;
    step->keyframes = keyframes;
    step->keyframe_count = count;
}

static inline void wait_for(iso_program_step* step, const iso_condition* conditions, int count) {
    step->conditions = conditions;
    step->condition_count = count;
}
