// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Forces and torques on bodies, as signals of time.

#include "task/programs/program.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "task/paths/lookup.h"

iso_force_desc iso_force_desc_default(void) {
    iso_force_desc desc = {.x_bf = iso_pose_identity()};
    for (int i = 0; i < 3; ++i) {
        desc.force[i] = desc.torque[i] = iso_signal_desc_default();
    }
    return desc;
}

static void free_force(iso_context* ctx, iso_task_force* force) {
    for (int i = 0; i < 6; ++i) {
        iso_signal_free(ctx, &force->components[i]);
    }
}

void iso_task_free_forces(iso_task* task) {
    for (int i = 0; i < task->force_count; ++i) {
        free_force(task->ctx, &task->forces[i]);
    }
    iso_free(task->ctx, task->forces);
}

// A body that hangs on no joint that moves stays whatever pushes it.
static bool can_move(const iso_world* world, int body) {
    bool has_joint = false;
    for (; body > 0 && !has_joint; body = iso_world_coordinates(world, body).parent) {
        has_joint = iso_world_coordinates(world, body).v_count > 0;
    }
    return has_joint;
}

static iso_status fill_force(iso_context* ctx, const iso_world* world, const iso_force_desc* desc,
                             iso_task_force* force) {
    iso_status status = iso_look_up_body(ctx, world, desc->body, &force->body);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, can_move(world, force->body), ISO_ERR_ARGUMENT,
                "nothing can move body '%s', expected one that floats or hangs on a joint",
                desc->body);
    ISO_REQUIRE(ctx, iso_pose_is_rigid(&desc->x_bf), ISO_ERR_RANGE,
                "the rotation of x_bf is %g off one, expected below 1e-6, and a finite place",
                iso_pose_gap(&desc->x_bf));
    for (int i = 0; i < 6; ++i) {
        const iso_signal_desc* signal = i < 3 ? &desc->torque[i] : &desc->force[i - 3];
        status = iso_signal_check(ctx, signal);
        status = status == ISO_OK ? iso_signal_copy(ctx, signal, &force->components[i]) : status;
        if (status != ISO_OK) {
            return iso_fail_prefix(ctx, status, "%s %c", i < 3 ? "torque" : "force", "xyz"[i % 3]);
        }
    }
    force->x_bf = desc->x_bf;
    force->is_in_body = desc->is_in_body;
    return ISO_OK;
}

iso_status iso_task_add_force(iso_task* task, const iso_world* world, const iso_force_desc* desc) {
    iso_context* ctx = world ? iso_world_context(world) : NULL;
    ISO_REQUIRE(ctx, task && world && desc && desc->body, ISO_ERR_ARGUMENT,
                "task, world and a name of the body are required");
    iso_task_force force = {0};
    iso_status status = ISO_OK;
    ISO_TRY(fill_force(ctx, world, desc, &force));
    iso_task_force* forces =
        iso_realloc(ctx, task->forces, (size_t)(task->force_count + 1) * sizeof *forces);
    ISO_CHECK(ctx, forces, ISO_ERR_MEMORY, "force");
    task->forces = forces;
    if (task->force_count == 0) {
        task->force_index = task->number_count++;
    }
    forces[task->force_count++] = force;
    return ISO_OK;

done:
    free_force(ctx, &force);
    return iso_fail_prefix(ctx, status, "%s%sforce on '%s'", desc->source ? desc->source : "",
                           desc->source ? ": " : "", desc->body);
}

// Tables lead from one step to the next; a square wave jumps at the start of a step.
static double over_step(const iso_signal_desc* signal, double start, double end) {
    double value = iso_signal_eval(signal, start);
    return iso_signal_is_table(signal) ? 0.5 * (value + iso_signal_eval(signal, end)) : value;
}

// (moment about the body's origin; force) in W.
static iso_spatial wrench_of(const iso_task_force* force, const iso_world* world) {
    double start = iso_world_time(world), end = start + iso_world_settings(world)->time_step;
    double values[6];
    for (int i = 0; i < 6; ++i) {
        values[i] = over_step(&force->components[i], start, end);
    }
    iso_vec3 torque = {values[0], values[1], values[2]}, f = {values[3], values[4], values[5]};
    iso_pose x_wb = iso_world_body_pose(world, force->body);
    iso_pose x_wf = iso_pose_mul(&x_wb, &force->x_bf);
    if (force->is_in_body) {
        torque = iso_mat3_mul_vec3(&x_wf.r, torque);
        f = iso_mat3_mul_vec3(&x_wf.r, f);
    }
    iso_vec3 arm = iso_vec3_sub(x_wf.p, x_wb.p);
    return (iso_spatial){iso_vec3_add(torque, iso_vec3_cross(arm, f)), f};
}

iso_status iso_task_apply_forces(const iso_task* task, iso_world* world) {
    double step = (double)iso_world_step_count(world);
    double* numbers = NULL;
    iso_status status = iso_task_find_numbers(task, world, &numbers);
    if (status != ISO_OK || numbers[task->force_index] == step) {
        return status;
    }
    numbers[task->force_index] = step;
    for (int i = 0; i < task->force_count && status == ISO_OK; ++i) {
        status =
            iso_world_apply_wrench(world, task->forces[i].body, wrench_of(&task->forces[i], world));
    }
    return status;
}
