// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Drop a soft ball on a rigid floor and print the contact force over time.

#include "isobar/isobar.h"

#include <stdio.h>

/// A solid ball of radius 5 cm and 100 g, 20 cm above the floor.
static iso_status add_ball(iso_model* model) {
    iso_body_desc body = iso_body_desc_default();
    body.name = "ball";
    body.mass = 0.1;
    body.inertia = iso_mat3_diagonal(1e-4, 1e-4, 1e-4);
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "skin";
    geometry.shape.radius = 0.05;
    geometry.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    geometry.material.modulus = 1e5;
    geometry.material.resolution_hint = 0.02;
    geometry.material.dissipation = 1.0;
    int index = 0;
    iso_pose start = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.2));
    iso_status status = iso_model_add_body(model, &body, &index);
    if (status == ISO_OK) {
        status = iso_model_add_geometry(model, index, &geometry, NULL);
    }
    return status == ISO_OK ? iso_model_set_free_pose(model, index, &start) : status;
}

static iso_status add_floor(iso_model* model) {
    iso_geometry_desc floor = iso_geometry_desc_default();
    floor.name = "floor";
    floor.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    floor.material.compliance = ISO_COMPLIANCE_RIGID;
    return iso_model_add_geometry(model, ISO_WORLD_BODY, &floor, NULL);
}

static iso_status drop(iso_context* ctx) {
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_status status = iso_model_create(ctx, &model);
    if (status == ISO_OK) {
        status = add_ball(model);
    }
    if (status == ISO_OK) {
        status = add_floor(model);
    }
    if (status == ISO_OK) {
        status = iso_world_create(ctx, model, NULL, &world);
    }
    for (int i = 0; status == ISO_OK && i < 1000; ++i) {
        status = iso_world_step(world);
        if (status == ISO_OK && i % 50 == 49) {
            iso_vec3 p = iso_world_body_pose(world, iso_world_find_body(world, "ball")).p;
            double force = iso_world_contact_count(world) > 0
                               ? iso_world_contact(world, 0).f_b_w.translational.z
                               : 0.0;
            printf("t = %.2f s  height %.4f m  force %.3f N\n", iso_world_time(world), p.z, force);
        }
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}

int main(void) {
    iso_context* ctx = NULL;
    iso_status status = iso_context_create(NULL, &ctx);
    if (status == ISO_OK) {
        status = drop(ctx);
    }
    if (status != ISO_OK) {
        fprintf(stderr, "ball_drop: %s\n", iso_context_error(ctx));
    }
    iso_context_destroy(ctx);
    return status == ISO_OK ? 0 : 1;
}
