// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab_rigid.h"

#include "isobar/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIME_STEP 1e-3
#define MODULUS 1e7

static iso_status add_box(iso_model* model, int body, const char* name, iso_vec3 size,
                          iso_vec3 p_bg, double friction) {
    iso_geometry_desc g = iso_geometry_desc_default();
    g.name = name;
    g.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    g.shape.size = size;
    g.x_bg = iso_pose_from_position(p_bg);
    g.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    g.material.modulus = MODULUS;
    g.material.margin = 0.0;
    g.material.friction_static = g.material.friction_dynamic = friction;
    return iso_model_add_geometry(model, body, &g, NULL);
}

// Feet have the numbers of their corners, as contacts of the rigid scenes.
static iso_status add_feet(iso_model* model, int body, const iso_rigid_box* box, double friction) {
    static const char* const names[] = {"foot 0", "foot 1", "foot 2", "foot 3"};
    iso_status status = ISO_OK;
    for (int k = 0; status == ISO_OK && k < 4; ++k) {
        double x = 0.5 * (box->size.x - box->foot) * (k % 2 ? -1.0 : 1.0);
        double y = 0.5 * (box->size.y - box->foot) * (k / 2 ? -1.0 : 1.0);
        iso_vec3 at = iso_vec3_make(x, y, -0.5 * (box->size.z + box->foot));
        status = add_box(model, body, names[k], iso_vec3_make(box->foot, box->foot, box->foot),
                         iso_vec3_add(box->p_bg, at), friction);
    }
    return status;
}

static iso_status add_body(iso_model* model, const iso_rigid_setup* setup, int index) {
    const iso_rigid_box* box = &setup->boxes[index];
    iso_body_desc body = iso_body_desc_default();
    char name[16];
    int id = 0;
    (void)snprintf(name, sizeof name, "box %d", index);
    body.name = name;
    body.mass = box->mass;
    body.inertia = iso_mat3_diagonal(box->inertia.x, box->inertia.y, box->inertia.z);
    iso_pose start = iso_pose_from_position(box->p_wb);
    iso_status status = iso_model_add_body(model, &body, &id);
    if (status == ISO_OK) {
        status = iso_model_set_free_pose(model, id, &start);
    }
    if (status == ISO_OK) {
        status = box->foot > 0.0 ? add_feet(model, id, box, setup->friction)
                                 : add_box(model, id, "box", box->size, box->p_bg, setup->friction);
    }
    return status;
}

static iso_status make_model(iso_context* ctx, const iso_rigid_setup* setup, iso_model** out) {
    iso_geometry_desc ground = iso_geometry_desc_default();
    ground.name = "ground";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.material.compliance = ISO_COMPLIANCE_RIGID;
    ground.material.friction_static = ground.material.friction_dynamic = setup->friction;
    iso_status status = iso_model_create(ctx, out);
    if (status == ISO_OK) {
        status = iso_model_add_geometry(*out, ISO_WORLD_BODY, &ground, NULL);
    }
    for (int i = 0; status == ISO_OK && i < setup->box_count; ++i) {
        status = add_body(*out, setup, i);
    }
    return status;
}

// Upward force of the ground on the first box, of all its geometries or of one.
static double ground_force(const iso_world* world, const char* geometry) {
    double sum = 0.0;
    for (int i = 0; i < iso_world_contact_count(world); ++i) {
        iso_contact c = iso_world_contact(world, i);
        bool is_ground = c.body_a == ISO_WORLD_BODY || c.body_b == ISO_WORLD_BODY;
        bool is_wanted = geometry == NULL || strcmp(c.geometry_name_a, geometry) == 0 ||
                         strcmp(c.geometry_name_b, geometry) == 0;
        sum += is_ground && is_wanted ? fabs(c.f_b_w.translational.z) : 0.0;
    }
    return sum;
}

static double measure(const iso_world* world, iso_rigid_scene scene, const iso_rigid_setup* setup,
                      iso_vec3 before) {
    iso_vec3 v = iso_world_body_twist(world, iso_world_find_body(world, "box 0")).translational;
    double weight = 0.0;
    for (int i = 0; i < setup->box_count; ++i) {
        weight += setup->boxes[i].mass * fabs(setup->gravity.z);
    }
    switch (scene) {
    case ISO_RIGID_INCLINE:
        return iso_vec3_norm(v);
    case ISO_RIGID_SLIDE:
    case ISO_RIGID_DIAGONAL:
        return hypot(v.x - before.x, v.y - before.y) / (0.5 * setup->duration);
    case ISO_RIGID_STACK:
        return ground_force(world, NULL) / weight;
    default:
        return ground_force(world, "foot 0") / weight;
    }
}

iso_status lab_rigid_world(iso_context* ctx, iso_rigid_scene scene, iso_method method,
                           iso_friction_model friction, double* out_value) {
    iso_rigid_setup setup = iso_rigid_setup_of(scene);
    iso_model* model = NULL;
    iso_world* world = NULL;
    iso_world_desc desc = iso_world_desc_default();
    *out_value = (double)NAN;
    if (setup.box_count == 0) {
        return ISO_OK;
    }
    desc.gravity = setup.gravity;
    desc.time_step = TIME_STEP;
    desc.method = method;
    desc.contact.friction = friction;
    iso_status status = make_model(ctx, &setup, &model);
    if (status == ISO_OK) {
        status = iso_world_create(ctx, model, &desc, &world);
    }
    int steps = (int)lround(setup.duration / TIME_STEP);
    iso_vec3 before = iso_vec3_zero(); // what settles at the start is over in the middle
    for (int i = 0; status == ISO_OK && i < steps; ++i) {
        status = iso_world_step(world);
        if (status == ISO_OK && i + 1 == steps / 2) {
            int box = iso_world_find_body(world, "box 0");
            before = iso_world_body_twist(world, box).translational;
        }
    }
    if (status == ISO_OK) {
        *out_value = measure(world, scene, &setup, before);
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    return status;
}
