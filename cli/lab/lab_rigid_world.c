// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab_rigid.h"

#include "isobar/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIME_STEP 1e-3
#define MODULUS 1e7
#define ROD_STEP 2e-5
#define ROD_MODULUS 1e9
#define TIP_RADIUS 0.01
#define TIP_DEPTH 2e-5 // of the ball in the ground at the start: it bears about the weight [m]
#define BRISTLE_STIFFNESS 1e5 // [1/m]

/// What all geometries of a world share.
typedef struct setting {
    iso_model* model;
    const iso_rigid_setup* setup;
    const lab_world_kind* kind;
} setting;

static bool is_rod(const iso_rigid_setup* setup) {
    return setup->boxes[0].tilt > 0.0;
}

static iso_geometry_desc geometry_of(const setting* s, const char* name, iso_vec3 p_bg) {
    iso_geometry_desc g = iso_geometry_desc_default();
    g.name = name;
    g.x_bg = iso_pose_from_position(p_bg);
    g.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    g.material.modulus = is_rod(s->setup) ? ROD_MODULUS : MODULUS;
    g.material.margin = 0.0;
    g.material.friction_static = g.material.friction_dynamic = s->setup->friction;
    if (s->kind->has_bristles) {
        g.material.model =
            is_rod(s->setup) ? ISO_CONTACT_MODEL_HERTZ : ISO_CONTACT_MODEL_VOLUMETRIC;
        g.material.bristle_stiffness = BRISTLE_STIFFNESS;
    }
    return g;
}

static iso_status add_box(const setting* s, int body, const char* name, iso_vec3 size,
                          iso_vec3 p_bg) {
    iso_geometry_desc g = geometry_of(s, name, p_bg);
    g.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    g.shape.size = size;
    return iso_model_add_geometry(s->model, body, &g, NULL);
}

// The ball at the lower end of a rod, from the middle of the rod, which stands on it.
static iso_vec3 tip_of(const iso_rigid_box* box) {
    return iso_vec3_make(-0.5 * box->size.x, 0.0, 0.0);
}

static iso_status add_tip(const setting* s, int body, const iso_rigid_box* box) {
    iso_geometry_desc g = geometry_of(s, "tip", tip_of(box));
    g.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    g.shape.radius = TIP_RADIUS;
    g.material.resolution_hint = 0.1 * TIP_RADIUS;
    return iso_model_add_geometry(s->model, body, &g, NULL);
}

// Feet have the numbers of their corners, as contacts of the rigid scenes.
static iso_status add_feet(const setting* s, int body, const iso_rigid_box* box) {
    static const char* const names[] = {"foot 0", "foot 1", "foot 2", "foot 3"};
    iso_status status = ISO_OK;
    for (int k = 0; status == ISO_OK && k < 4; ++k) {
        double x = 0.5 * (box->size.x - box->foot) * (k % 2 ? -1.0 : 1.0);
        double y = 0.5 * (box->size.y - box->foot) * (k / 2 ? -1.0 : 1.0);
        iso_vec3 at = iso_vec3_make(x, y, -0.5 * (box->size.z + box->foot));
        status = add_box(s, body, names[k], iso_vec3_make(box->foot, box->foot, box->foot),
                         iso_vec3_add(box->p_bg, at));
    }
    return status;
}

static iso_status add_body(const setting* s, int index) {
    const iso_rigid_box* box = &s->setup->boxes[index];
    iso_body_desc body = iso_body_desc_default();
    char name[16];
    int id = 0;
    (void)snprintf(name, sizeof name, "box %d", index);
    body.name = name;
    body.mass = box->mass;
    body.inertia = iso_mat3_diagonal(box->inertia.x, box->inertia.y, box->inertia.z);
    iso_vec3 at = box->p_wb;
    at.z += box->tilt > 0.0 ? TIP_RADIUS - TIP_DEPTH : 0.0;
    iso_pose start = iso_pose_from_position(at);
    start.r = iso_mat3_from_axis_angle(iso_vec3_make(0.0, 1.0, 0.0), -box->tilt);
    iso_status status = iso_model_add_body(s->model, &body, &id);
    if (status == ISO_OK) {
        status = iso_model_set_free_pose(s->model, id, &start);
    }
    if (status == ISO_OK) {
        iso_spatial v = {.translational = box->v_wb};
        status = iso_model_set_free_twist(s->model, id, v);
    }
    if (status != ISO_OK) {
        return status;
    }
    return box->tilt > 0.0   ? add_tip(s, id, box)
           : box->foot > 0.0 ? add_feet(s, id, box)
                             : add_box(s, id, "box", box->size, box->p_bg);
}

static iso_status make_model(iso_context* ctx, setting* s) {
    iso_geometry_desc ground = iso_geometry_desc_default();
    ground.name = "ground";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.material.compliance = ISO_COMPLIANCE_RIGID;
    ground.material.friction_static = ground.material.friction_dynamic = s->setup->friction;
    iso_status status = iso_model_create(ctx, &s->model);
    if (status == ISO_OK) {
        status = iso_model_add_geometry(s->model, ISO_WORLD_BODY, &ground, NULL);
    }
    for (int i = 0; status == ISO_OK && i < s->setup->box_count; ++i) {
        status = add_body(s, i);
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

// Of the lowest point of the ball at the tip of a rod.
static double slip_of_tip(const iso_world* world, const iso_rigid_box* box) {
    int body = iso_world_find_body(world, "box 0");
    iso_pose x = iso_world_body_pose(world, body);
    iso_spatial v = iso_world_body_twist(world, body);
    iso_vec3 at = iso_mat3_mul_vec3(&x.r, tip_of(box));
    at.z -= TIP_RADIUS;
    iso_vec3 slip = iso_vec3_add(v.translational, iso_vec3_cross(v.rotational, at));
    return hypot(slip.x, slip.y);
}

static double measure(const iso_world* world, iso_rigid_scene scene, const iso_rigid_setup* setup,
                      iso_vec3 before) {
    iso_vec3 v = iso_world_body_twist(world, iso_world_find_body(world, "box 0")).translational;
    double weight = 0.0;
    for (int i = 0; i < setup->box_count; ++i) {
        weight += setup->boxes[i].mass * fabs(setup->gravity.z);
    }
    iso_rigid_end end = {v, before, 0.5 * setup->duration, ground_force(world, NULL) / weight,
                         ground_force(world, "foot 0") / weight};
    return iso_rigid_value(scene, &end);
}

iso_status lab_rigid_world(iso_context* ctx, iso_rigid_scene scene, const lab_world_kind* kind,
                           double* out_value) {
    iso_rigid_setup setup = iso_rigid_setup_of(scene);
    setting s = {.setup = &setup, .kind = kind};
    iso_world* world = NULL;
    iso_world_desc desc = iso_world_desc_default();
    *out_value = (double)NAN;
    desc.gravity = setup.gravity;
    desc.time_step = is_rod(&setup) ? ROD_STEP : TIME_STEP;
    desc.method = kind->method;
    desc.contact.friction = kind->friction;
    iso_status status = make_model(ctx, &s);
    if (status == ISO_OK) {
        status = iso_world_create(ctx, s.model, &desc, &world);
    }
    int steps = (int)lround(setup.duration / desc.time_step);
    iso_vec3 before = iso_vec3_zero(); // what settles at the start is over in the middle
    double least = INFINITY;
    for (int i = 0; status == ISO_OK && i < steps; ++i) {
        status = iso_world_step(world);
        if (status == ISO_OK && is_rod(&setup)) {
            least = fmin(least, slip_of_tip(world, &setup.boxes[0]));
        }
        if (status == ISO_OK && i + 1 == steps / 2) {
            int box = iso_world_find_body(world, "box 0");
            before = iso_world_body_twist(world, box).translational;
        }
    }
    if (status == ISO_OK) {
        *out_value = is_rod(&setup) ? least : measure(world, scene, &setup, before);
    }
    iso_world_destroy(world);
    iso_model_destroy(s.model);
    return status;
}
