// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How one body of a scene slides and spins: a JSON line for every STRIDE steps, with time [s],
// place x, y [m], horizontal speed [m/s] and spin about the vertical [rad/s], until SECONDS or
// until the speed falls below SPEED.
//     coin SCENE BODY STRIDE SECONDS SPEED [PATH=VALUE ...]

#include "isobar/isobar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(iso_context* ctx, iso_status status) {
    if (status != ISO_OK) {
        fprintf(stderr, "%s\n", iso_context_error(ctx));
        exit(1);
    }
}

static double print_sample(const iso_world* world, int body) {
    iso_vec3 p = iso_world_body_pose(world, body).p;
    iso_spatial v = iso_world_body_twist(world, body);
    double speed = hypot(v.translational.x, v.translational.y);
    printf("{\"t\": %.17g, \"x\": %.17g, \"y\": %.17g, \"v\": %.17g, \"w\": %.17g}\n",
           iso_world_time(world), p.x, p.y, speed, v.rotational.z);
    return speed;
}

int main(int argc, char** argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: coin SCENE BODY STRIDE SECONDS SPEED [PATH=VALUE ...]\n");
        return 2;
    }
    iso_context* ctx = NULL;
    if (iso_context_create(NULL, &ctx) != ISO_OK) {
        fprintf(stderr, "no context\n");
        return 1;
    }
    iso_scene_options options = {0};
    options.settings = (const char* const*)(argv + 6);
    options.setting_count = argc - 6;
    iso_scene scene;
    check(ctx, iso_scene_load(ctx, argv[1], &options, &scene));
    iso_world* world = NULL;
    check(ctx, iso_world_create(ctx, scene.model, &scene.world, &world));
    int body = iso_world_find_body(world, argv[2]);
    long stride = strtol(argv[3], NULL, 10);
    double end = strtod(argv[4], NULL), slowest = strtod(argv[5], NULL);
    if (body < 0 || stride < 1) {
        fprintf(stderr, "no body '%s', or stride %ld is not positive\n", argv[2], stride);
        return 2;
    }
    double speed = print_sample(world, body);
    while (speed > slowest && iso_world_time(world) < end - 0.5 * scene.world.time_step) {
        for (long i = 0; i < stride; ++i) {
            check(ctx, iso_world_step(world));
        }
        speed = print_sample(world, body);
    }
    iso_world_destroy(world);
    iso_scene_destroy(ctx, &scene);
    iso_context_destroy(ctx);
    return 0;
}
