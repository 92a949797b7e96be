// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Soft balls of 5 cm on a rigid floor.

#include "isobar/model.h"
#include "support/check.h"

/// A model with the floor alone. The caller owns it.
static inline iso_model* test_floor_model(iso_context* ctx) {
    iso_model* model;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    iso_geometry_desc ground = iso_geometry_desc_default();
    ground.name = "floor";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &ground, NULL));
    return model;
}

/// @param inertia  about each axis [kg m^2]
static inline void test_add_ball(iso_context* ctx, iso_model* model, const char* name, double mass,
                                 double inertia, const iso_pose* start) {
    iso_body_desc body = iso_body_desc_default();
    int ball;
    body.name = name;
    body.mass = mass;
    body.inertia = iso_mat3_diagonal(inertia, inertia, inertia);
    CHECK_OK(ctx, iso_model_add_body(model, &body, &ball));
    iso_geometry_desc sphere = iso_geometry_desc_default();
    sphere.name = "skin";
    sphere.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    sphere.shape.radius = 0.05;
    sphere.material.modulus = 1e5;
    sphere.material.resolution_hint = 0.02;
    CHECK_OK(ctx, iso_model_add_geometry(model, ball, &sphere, NULL));
    CHECK_OK(ctx, iso_model_set_free_pose(model, ball, start));
}
