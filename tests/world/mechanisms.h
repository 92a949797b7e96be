// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/failing_context.h"
#include "world/scenes.h"

// Mechanisms for the tests of joints, loops and dynamics. Every call must succeed.

enum { MAX_Q = 64 };

/// Of the velocity level all, and both that control their error.
#define METHODS_OF_EVERY_KIND                                                                     \
    ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_SIMILAR, ISO_METHOD_TAMSI, ISO_METHOD_MIDPOINT, \
        ISO_METHOD_RK23, ISO_METHOD_RK45

static inline iso_joint_desc joint_between(const char* name, iso_joint_kind kind, int parent,
                                           int child) {
    iso_joint_desc desc = iso_joint_desc_default();
    desc.name = name;
    desc.kind = kind;
    desc.parent = parent;
    desc.child = child;
    return desc;
}

/// A lopsided body of 2 kg whose centre of mass is off its origin, and not all of whose weight it
/// has to carry.
static inline int add_light(iso_context* ctx, iso_model* model, const char* name,
                            double gravity_compensation) {
    iso_body_desc desc = iso_body_desc_default();
    desc.name = name;
    desc.mass = 2.0;
    desc.center_of_mass = iso_vec3_make(0.2, -0.1, 0.3);
    desc.inertia = iso_mat3_diagonal(0.05, 0.07, 0.04);
    desc.inertia.m[0][1] = desc.inertia.m[1][0] = 0.01;
    desc.gravity_compensation = gravity_compensation;
    int body = -1;
    CHECK_OK(ctx, iso_model_add_body(model, &desc, &body));
    return body;
}

static inline int add_lopsided(iso_context* ctx, iso_model* model, const char* name) {
    return add_light(ctx, model, name, 0.0);
}

/// A joint of a kind with tilted frames and axes, moving at the start.
static inline void add_moving_joint(iso_context* ctx, iso_model* model, const char* name,
                                    iso_joint_kind kind, int parent, int child) {
    iso_joint_desc desc = joint_between(name, kind, parent, child);
    desc.x_pf = iso_pose_make(iso_mat3_from_rpy(0.3, -0.2, 0.5), iso_vec3_make(0.1, 0.2, -0.3));
    desc.x_cm = iso_pose_make(iso_mat3_from_rpy(-0.1, 0.4, 0.2), iso_vec3_make(0.05, 0.0, 0.1));
    desc.axis = iso_vec3_normalized(iso_vec3_make(0.2, 1.0, 0.3));
    desc.axis_2 = iso_vec3_normalized(iso_vec3_make(1.0, 0.1, -0.2));
    desc.pitch = 0.15;
    desc.position = 0.4;
    desc.velocity = -0.7;
    bool is_ball = kind == ISO_JOINT_BALL;
    desc.positions[0] = is_ball ? 0.8 : 0.3;
    desc.positions[1] = is_ball ? 0.36 : -0.5;
    desc.positions[2] = is_ball ? -0.48 : 0.6;
    desc.velocities[0] = 0.9;
    desc.velocities[1] = -0.6;
    desc.velocities[2] = 0.5;
    CHECK_OK(ctx, iso_model_add_joint(model, &desc, NULL));
}

static inline iso_world* world_of(iso_context* ctx, iso_model* model, iso_method method,
                                  double time_step, double accuracy) {
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.time_step = time_step;
    desc.accuracy = accuracy;
    return make_world(ctx, model, &desc);
}

/// A tree with a joint of every kind, two of them on a free body.
static inline iso_model* make_every_joint(iso_context* ctx) {
    static const iso_joint_kind kinds[] = {
        ISO_JOINT_REVOLUTE,  ISO_JOINT_BALL,   ISO_JOINT_SCREW, ISO_JOINT_UNIVERSAL,
        ISO_JOINT_PRISMATIC, ISO_JOINT_PLANAR, ISO_JOINT_WELD,  ISO_JOINT_REVOLUTE,
    };
    static const char* const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const int parents[] = {0, 1, 2, 1, 4, 5, 6, 7};
    iso_model* model = make_model(ctx);
    for (int i = 0; i < 8; ++i) {
        int body = add_light(ctx, model, names[i], 0.3 * i - 0.6);
        add_moving_joint(ctx, model, names[i], kinds[i], parents[i], body);
    }
    int floating = add_lopsided(ctx, model, "x");
    int arm = add_light(ctx, model, "y", 1.3);
    int hand = add_lopsided(ctx, model, "z");
    iso_pose x_wb = iso_pose_make(iso_mat3_from_rpy(0.2, 0.5, -0.4), iso_vec3_make(2.0, 1.0, 0.5));
    iso_spatial v_wb =
        iso_spatial_make(iso_vec3_make(0.3, -0.8, 0.5), iso_vec3_make(1.0, 0.2, -0.6));
    CHECK_OK(ctx, iso_model_set_free_pose(model, floating, &x_wb));
    CHECK_OK(ctx, iso_model_set_free_twist(model, floating, v_wb));
    add_moving_joint(ctx, model, "y", ISO_JOINT_UNIVERSAL, floating, arm);
    add_moving_joint(ctx, model, "z", ISO_JOINT_BALL, arm, hand);
    return model;
}
