// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A Jaco arm takes a bell pepper with a gripper of two soft bubbles, as scenes/jaco_grasp.yaml
// says; where does the hand hold it? Needs the package drake_models (ISOBAR_ASSETS).

#include "isobar/isobar.h"

#include <stdio.h>

int main(int argc, char** argv) {
    iso_context* ctx = NULL;
    iso_scene scene = {0};
    iso_world* world = NULL;
    iso_task* task = NULL;
    bool is_ready = iso_context_create(NULL, &ctx) == ISO_OK &&
                    iso_scene_load(ctx, argc > 1 ? argv[1] : "scenes/jaco_grasp.yaml", NULL,
                                   &scene) == ISO_OK &&
                    iso_world_create(ctx, scene.model, &scene.world, &world) == ISO_OK &&
                    iso_scene_create_task(&scene, world, &task) == ISO_OK;
    bool is_well = is_ready;
    for (int step = -1; is_well && iso_world_time(world) < scene.until;) {
        is_well = iso_task_step(task, world) == ISO_OK;
        iso_program_state arm = iso_task_program(task, world, 0);
        if (arm.step != step) { // the program has gone on
            step = arm.step;
            iso_pose hand =
                iso_world_body_pose(world, iso_world_find_body(world, "gripper::gripper"));
            iso_pose pepper = iso_world_body_pose(
                world, iso_world_find_body(world, "yellow_bell_pepper_no_stem"));
            iso_vec3 held = iso_pose_inverse_mul(&hand, &pepper).p;
            printf("t = %.3f s  %-8s pepper at height %.4f m, in the hand %.3f %.3f %.3f mm\n",
                   iso_world_time(world), arm.is_done ? "done" : arm.step_name, pepper.p.z,
                   1e3 * held.x, 1e3 * held.y, 1e3 * held.z);
        }
    }
    if (!is_well) {
        fprintf(stderr, "jaco_grasp: %s\n", iso_context_error(ctx));
    }
    iso_task_destroy(task);
    iso_world_destroy(world);
    iso_scene_destroy(ctx, &scene);
    iso_context_destroy(ctx);
    return is_well ? 0 : is_ready ? 1 : 77; // 77: no models
}
