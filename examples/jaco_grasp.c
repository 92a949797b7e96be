// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A Jaco arm takes a bell pepper with a gripper of two soft bubbles, as scenes/jaco_grasp.yaml
// says; how far does the pepper move in the hand? Needs the package drake_models (ISOBAR_ASSETS).

#include "isobar/isobar.h"

#include <stdio.h>

static iso_pose pepper_in_hand(const iso_world* world) {
    int hand = iso_world_find_body(world, "gripper::gripper");
    int pepper = iso_world_find_body(world, "yellow_bell_pepper_no_stem");
    iso_pose x_wh = iso_world_body_pose(world, hand), x_wp = iso_world_body_pose(world, pepper);
    return iso_pose_inverse_mul(&x_wh, &x_wp);
}

static iso_status grasp(const iso_scene* scene, iso_world* world, const iso_task* task) {
    iso_pose held = iso_pose_identity(); // when the arm begins to lift
    int step = -1, pepper = iso_world_find_body(world, "yellow_bell_pepper_no_stem");
    iso_status status = ISO_OK;
    while (status == ISO_OK && iso_world_time(world) < scene->until) {
        status = iso_task_step(task, world);
        iso_program_state arm = iso_task_program(task, world, 0);
        if (arm.step != step) {
            step = arm.step;
            held = step <= 2 ? pepper_in_hand(world) : held;
            iso_pose now = pepper_in_hand(world), moved = iso_pose_inverse_mul(&held, &now);
            double angle = iso_vec3_norm(iso_quat_to_rotation_vector(iso_quat_from_mat3(&moved.r)));
            printf(
                "t = %.3f s  %-8s pepper at height %.4f m, moved in the hand %.3f mm, %.3f deg\n",
                iso_world_time(world), arm.is_done ? "done" : arm.step_name,
                iso_world_body_pose(world, pepper).p.z, 1e3 * iso_vec3_norm(moved.p),
                angle * 180.0 / ISO_PI);
        }
    }
    return status;
}

int main(int argc, char** argv) {
    iso_context* ctx = NULL;
    iso_scene scene = {0};
    iso_world* world = NULL;
    iso_task* task = NULL;
    iso_status status = iso_context_create(NULL, &ctx);
    if (status == ISO_OK) {
        status = iso_scene_load(ctx, argc > 1 ? argv[1] : "scenes/jaco_grasp.yaml", NULL, &scene);
    }
    if (status == ISO_OK) {
        status = iso_world_create(ctx, scene.model, &scene.world, &world);
    }
    if (status == ISO_OK) {
        status = iso_scene_create_task(&scene, world, &task);
    }
    if (status == ISO_OK) {
        status = grasp(&scene, world, task);
    }
    if (status != ISO_OK) {
        fprintf(stderr, "jaco_grasp: %s\n", iso_context_error(ctx));
    }
    bool has_no_models = status == ISO_ERR_NOT_FOUND && world == NULL;
    iso_task_destroy(task);
    iso_world_destroy(world);
    iso_scene_destroy(ctx, &scene);
    iso_context_destroy(ctx);
    return status == ISO_OK ? 0 : has_no_models ? 77 : 1; // 77: skipped
}
