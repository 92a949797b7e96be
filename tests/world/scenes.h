// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/isobar.h"
#include "support/check.h"

// Small models for the world's tests. Every call must succeed.

static inline iso_model* make_model(iso_context* ctx) {
    iso_model* model = NULL;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    return model;
}

static inline int add_body(iso_context* ctx, iso_model* model, const char* name, double mass,
                           iso_vec3 moments) {
    iso_body_desc desc = iso_body_desc_default();
    desc.name = name;
    desc.mass = mass;
    desc.inertia = iso_mat3_diagonal(moments.x, moments.y, moments.z);
    int body = -1;
    CHECK_OK(ctx, iso_model_add_body(model, &desc, &body));
    return body;
}

/// A cube of edge 0.1 m and 1 kg, compliant (modulus 1e6 Pa), at p_wb.
static inline int add_cube(iso_context* ctx, iso_model* model, const char* name, double friction,
                           const iso_pose* x_wb) {
    double moment = 0.1 * 0.1 / 6.0;
    int body = add_body(ctx, model, name, 1.0, iso_vec3_make(moment, moment, moment));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "box";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.shape.size = iso_vec3_make(0.1, 0.1, 0.1);
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = 1e6;
    desc.material.dissipation = 10.0;
    desc.material.friction_static = desc.material.friction_dynamic = friction;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &desc, NULL));
    CHECK_OK(ctx, iso_model_set_free_pose(model, body, x_wb));
    return body;
}

/// A rigid half space whose surface passes through the origin, turned by r_wg.
static inline void add_ground(iso_context* ctx, iso_model* model, double friction,
                              const iso_mat3* r_wg) {
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "ground";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    desc.x_bg.r = *r_wg;
    desc.material.compliance = ISO_COMPLIANCE_RIGID;
    desc.material.friction_static = desc.material.friction_dynamic = friction;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &desc, NULL));
}

/// Hinge about y at x_pf of the parent; the child's origin hangs 1 m below the hinge.
static inline void add_hinge(iso_context* ctx, iso_model* model, const char* name, int parent,
                             int child, const iso_pose* x_pf, double angle) {
    iso_joint_desc desc = iso_joint_desc_default();
    desc.name = name;
    desc.kind = ISO_JOINT_REVOLUTE;
    desc.parent = parent;
    desc.child = child;
    desc.x_pf = *x_pf;
    desc.x_cm = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 1.0));
    desc.axis = iso_vec3_make(0.0, 1.0, 0.0);
    desc.position = angle;
    CHECK_OK(ctx, iso_model_add_joint(model, &desc, NULL));
}

static inline iso_world* make_world(iso_context* ctx, const iso_model* model,
                                    const iso_world_desc* desc) {
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_world_create(ctx, model, desc, &world));
    return world;
}

static inline void step_many(iso_context* ctx, iso_world* world, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
    }
}

/// A ball that falls on a soft block, slides, spins and rebounds.
static inline iso_model* make_bouncing_ball(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "block";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.shape.size = iso_vec3_make(2.0, 2.0, 0.2);
    desc.x_bg.p = iso_vec3_make(0.0, 0.0, -0.1);
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = 1e6;
    desc.material.margin = 0.0;
    desc.material.dissipation = 1.0;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &desc, NULL));
    int ball = add_body(ctx, model, "ball", 0.4, iso_vec3_make(4e-4, 4e-4, 4e-4));
    desc.name = "ball";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    desc.shape.radius = 0.05;
    desc.x_bg = iso_pose_identity();
    desc.material.modulus = 2e5;
    desc.material.resolution_hint = 0.025;
    CHECK_OK(ctx, iso_model_add_geometry(model, ball, &desc, NULL));
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.1, 0.2, 0.052));
    CHECK_OK(ctx, iso_model_set_free_pose(model, ball, &x_wb));
    iso_spatial v = iso_spatial_make(iso_vec3_make(3.0, -10.0, 5.0), iso_vec3_make(0.6, 0.0, -0.8));
    CHECK_OK(ctx, iso_model_set_free_twist(model, ball, v));
    return model;
}
