// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A Jaco arm takes a bell pepper with a gripper of two soft bubbles, as scenes/jaco_grasp.yaml
// says; where does the hand hold it? Needs the package drake_models (ISOBAR_ASSETS).

#include "isobar/isobar.h"
#include <stdio.h>

int main(int argc, char** argv) {
    const char* path = argc > 1 ? argv[1] : "scenes/jaco_grasp.yaml";
    iso_context* ctx = NULL;
    iso_scene scene = {0};
    iso_world* world = NULL;
    iso_task* task = NULL;
    bool is_ready = !iso_context_create(NULL, &ctx) && !iso_scene_load(ctx, path, NULL, &scene) &&
                    !iso_world_create(ctx, scene.model, &scene.world, &world) &&
                    !iso_scene_create_task(&scene, world, &task);
    bool is_well = is_ready;
    for (int step = -1; is_well && iso_world_time(world) < scene.until;) {
        is_well = !iso_task_step(task, world);
        iso_program_state arm = iso_task_program(task, world, 0);
        if (arm.step != step) { // the program has gone on
            step = arm.step;
            int hand = iso_world_find_body(world, "gripper::gripper");
            int pepper = iso_world_find_body(world, "yellow_bell_pepper_no_stem");
            iso_pose x_wh = iso_world_body_pose(world, hand),
                     x_wp = iso_world_body_pose(world, pepper);
            iso_vec3 p = iso_pose_inverse_mul(&x_wh, &x_wp).p;
            printf("t = %.3f s  %-8s pepper at height %.4f m, in the hand %.3f %.3f %.3f mm\n",
                   iso_world_time(world), arm.is_done ? "done" : arm.step_name, x_wp.p.z, 1e3 * p.x,
                   1e3 * p.y, 1e3 * p.z);
        }
    }
    if (!is_well) {
        fprintf(stderr, "jaco_grasp: %s\n", iso_context_error(ctx));
    }
    iso_task_destroy(task), iso_world_destroy(world);
    iso_scene_destroy(ctx, &scene), iso_context_destroy(ctx);
    return is_well ? 0 : is_ready ? 1 : 77; // 77: no models
}
