// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "world/scenes.h"

#include <stdio.h>

// Scenes for what keeps, copies and shares states: contact with memory, a driven joint.

/// Tilted cubes that fall on each other, and an arm with an actuator that pushes them.
static inline iso_model* make_pile_model(iso_context* ctx, int cube_count, double friction) {
    iso_model* model = make_model(ctx);
    iso_mat3 level = iso_mat3_identity();
    add_ground(ctx, model, friction, &level);
    for (int i = 0; i < cube_count; ++i) {
        char name[16];
        snprintf(name, sizeof name, "cube%d", i);
        iso_pose x_wb =
            iso_pose_make(iso_mat3_from_rpy(0.2 * i, 0.1 * i, 0.3),
                          iso_vec3_make(0.02 * (i % 2), 0.01 * (i % 3), 0.06 + 0.105 * i));
        add_cube(ctx, model, name, friction, &x_wb);
    }
    int arm = add_body(ctx, model, "arm", 0.5, iso_vec3_make(0.01, 0.01, 0.01));
    iso_pose hinge = iso_pose_from_position(iso_vec3_make(1.0, 0.0, 1.5));
    add_hinge(ctx, model, "hinge", 0, arm, &hinge, 0.4);
    iso_actuator_desc motor = iso_actuator_desc_default();
    motor.name = "motor";
    motor.joint = 0;
    motor.effort_limit = 20.0;
    motor.kp = 50.0;
    motor.kd = 2.0;
    CHECK_OK(ctx, iso_model_add_actuator(model, &motor, NULL));
    return model;
}

static inline iso_world* make_pile_world(iso_context* ctx, iso_method method,
                                         iso_friction_model friction) {
    iso_model* model = make_pile_model(ctx, 3, 0.6);
    iso_world_desc desc = iso_world_desc_default();
    desc.time_step = method >= ISO_METHOD_RK4 ? 1e-3 : 2e-3;
    desc.method = method;
    desc.contact.friction = friction;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    iso_actuation command = {.position = -0.3};
    CHECK_OK(ctx, iso_world_set_actuation(world, 0, &command));
    return world;
}
