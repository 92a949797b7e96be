// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Poses and twists of bodies and the ledger of energies along a run of a scene, one JSON line every
// so many steps: {"t": s, "bodies": {name: [x y z, rotation row by row, w, v]}, "joints": {name:
// [position, velocity]}, "energy": {...}}. Usage: trace SCENE UNTIL EVERY ASSETS [path=value]...
// A step that fails ends the run: {"t": s, "error": message}.

#include "isobar/isobar.h"

#include <stdio.h>
#include <stdlib.h>

static void print_bodies(const iso_world* world) {
    const char* comma = "";
    for (int b = 1; b < iso_world_body_count(world); ++b) {
        if (iso_world_body_is_fixed(world, b)) {
            continue;
        }
        iso_pose x = iso_world_body_pose(world, b);
        iso_spatial v = iso_world_body_twist(world, b);
        printf("%s\"%s\": [%.17g, %.17g, %.17g", comma, iso_world_body_name(world, b), x.p.x, x.p.y,
               x.p.z);
        for (int i = 0; i < 9; ++i) {
            printf(", %.17g", x.r.m[i / 3][i % 3]);
        }
        printf(", %.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", v.rotational.x, v.rotational.y,
               v.rotational.z, v.translational.x, v.translational.y, v.translational.z);
        comma = ", ";
    }
}

static void print_line(const iso_world* world) {
    iso_energy e = iso_world_energy(world);
    printf("{\"t\": %.17g, \"bodies\": {", iso_world_time(world));
    print_bodies(world);
    printf("}, \"joints\": {");
    for (int j = 0; j < iso_world_joint_count(world); ++j) {
        printf("%s\"%s\": [%.17g, %.17g]", j > 0 ? ", " : "", iso_world_joint_name(world, j),
               iso_world_joint_position(world, j), iso_world_joint_velocity(world, j));
    }
    printf("}, \"energy\": {\"kinetic\": %.17g, \"potential\": %.17g, \"actuation\": %.17g, "
           "\"contact\": %.17g, \"damping\": %.17g, \"constraint\": %.17g, \"limit\": %.17g, "
           "\"friction\": %.17g}, \"faces\": %d}\n",
           e.kinetic, e.potential, e.actuation, e.contact, e.damping, e.constraint, e.limit,
           e.friction, iso_world_step_report(world).face_count);
}

static int fail(const iso_context* ctx) {
    fprintf(stderr, "%s\n", iso_context_error(ctx));
    return 1;
}

int main(int argc, char** argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: trace SCENE UNTIL EVERY ASSETS [path=value]...\n");
        return 2;
    }
    iso_context* ctx = NULL;
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    if (iso_context_create(&desc, &ctx) != ISO_OK) {
        return 1;
    }
    double until = atof(argv[2]);
    int every = atoi(argv[3]);
    const iso_package package = {"drake_models", argv[4]};
    const iso_scene_options options = {&package, 1, (const char* const*)(argv + 5), argc - 5};
    iso_scene scene;
    iso_world* world = NULL;
    iso_task* task = NULL;
    if (iso_scene_load(ctx, argv[1], &options, &scene) != ISO_OK ||
        iso_world_create(ctx, scene.model, &scene.world, &world) != ISO_OK ||
        iso_scene_create_task(&scene, world, &task) != ISO_OK) {
        return fail(ctx);
    }
    long steps = (long)(until / scene.world.time_step + 0.5);
    print_line(world);
    for (long i = 1; i <= steps; ++i) {
        if (iso_task_step(task, world) != ISO_OK) {
            printf("{\"t\": %.17g, \"error\": \"%s\"}\n", iso_world_time(world),
                   iso_context_error(ctx));
            break;
        }
        if (i % every == 0 || i == steps) {
            print_line(world);
        }
    }
    iso_task_destroy(task);
    iso_world_destroy(world);
    iso_scene_destroy(ctx, &scene);
    iso_context_destroy(ctx);
    return 0;
}
