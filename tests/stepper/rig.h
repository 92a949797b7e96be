// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A stepper with its bodies, shapes and state, for tests. Every call must succeed.

#include "stepper/stages/stages.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <stdlib.h>
#include <string.h>

enum { RIG_MAX_BODIES = 40, RIG_MAX_DOFS = 6 * RIG_MAX_BODIES, RIG_MAX_MEMORIES = 512 };

typedef struct rig {
    iso_context* ctx;
    iso_world_desc settings;
    int body_count, geometry_count, actuator_count;
    iso_mb_body bodies[RIG_MAX_BODIES];
    const char* names[RIG_MAX_BODIES];
    iso_contact_geometry geometries[RIG_MAX_BODIES];
    iso_actuator actuators[4];
    iso_actuation actuations[4];
    iso_fixed_tendon tendons[1];
    iso_coupler couplers[1];
    int tendon_count, coupler_count;
    iso_spatial f_b_w[RIG_MAX_BODIES];

    iso_multibody multibody;
    iso_contact_system* contact;
    iso_stepper* stepper;
    iso_arena arena;
    iso_kinematics kinematics;
    double time, q[7 * RIG_MAX_BODIES], v[RIG_MAX_DOFS], efforts[4], ties[2];
    iso_step_output output;
    iso_pair_memory memories[RIG_MAX_MEMORIES];
    int memory_count;
} rig;

/// Body 0 only. Fill bodies, geometries, actuators, settings; then rig_finish().
static inline rig* rig_make(void) {
    rig* r = calloc(1, sizeof *r);
    r->ctx = test_context();
    r->settings = (iso_world_desc){.time_step = 1e-3,
                                   .gravity = {0.0, 0.0, -9.81},
                                   .accuracy = 1e-3,
                                   .contact = iso_contact_options_default(),
                                   .thread_count = 1};
    r->bodies[0] = (iso_mb_body){.parent = -1,
                                 .x_pf = iso_pose_identity(),
                                 .x_mb = iso_pose_identity(),
                                 .axis = {0.0, 0.0, 1.0}};
    r->names[0] = "world";
    r->body_count = 1;
    return r;
}

/// A body with an inboard joint whose frames coincide with the body's and the parent's.
static inline int rig_add_body(rig* r, const char* name, int parent, iso_mobility mobility,
                               iso_vec3 axis, double mass, double moment) {
    r->names[r->body_count] = name;
    r->bodies[r->body_count] = (iso_mb_body){.parent = parent,
                                             .mobility = mobility,
                                             .x_pf = iso_pose_identity(),
                                             .x_mb = iso_pose_identity(),
                                             .axis = axis,
                                             .lower = -INFINITY,
                                             .upper = INFINITY,
                                             .mass = mass,
                                             .inertia = iso_mat3_diagonal(moment, moment, moment)};
    return r->body_count++;
}

/// A free cube, 0.1 m and 1 kg unless scaled.
static inline int rig_add_free(rig* r, const char* name, double mass) {
    return rig_add_body(r, name, 0, ISO_MOBILITY_FREE, iso_vec3_make(0.0, 0.0, 1.0), mass,
                        mass * 0.01 / 6.0);
}

static inline void rig_add_shape(rig* r, int body, iso_shape_kind kind, iso_vec3 size,
                                 const iso_contact_material* material, iso_pose x_bg) {
    iso_contact_geometry* g = &r->geometries[r->geometry_count++];
    iso_shape_desc desc = iso_shape_desc_default(kind);
    desc.size = size;
    desc.radius = size.x;
    *g = (iso_contact_geometry){.name = "shape",
                                .body_name = r->names[body],
                                .body = body,
                                .x_bg = x_bg,
                                .material = *material};
    CHECK_OK(r->ctx, iso_contact_shape_create(r->ctx, &desc, material, &g->shape));
}

static inline iso_contact_material rig_material(double modulus, double dissipation,
                                                double friction) {
    iso_contact_material m = iso_contact_material_default();
    m.compliance = modulus > 0.0 ? ISO_COMPLIANCE_COMPLIANT : ISO_COMPLIANCE_RIGID;
    m.modulus = modulus > 0.0 ? modulus : m.modulus;
    m.dissipation = dissipation;
    m.relaxation_time = 0.0;
    m.friction_static = m.friction_dynamic = friction;
    return m;
}

static inline void rig_finish(rig* r) {
    CHECK_OK(r->ctx,
             iso_multibody_create(r->ctx, r->bodies, r->body_count, r->names, &r->multibody));
    const iso_body_filter bodies = {.body_count = r->body_count};
    CHECK_OK(r->ctx, iso_contact_system_create(r->ctx, r->geometries, r->geometry_count, &bodies,
                                               &r->settings.contact, &r->contact));
    iso_dynamics dynamics = {
        .multibody = &r->multibody,
        .contact = r->contact,
        .actuators = r->actuators,
        .actuator_count = r->actuator_count,
        .tendons = r->tendons,
        .tendon_count = r->tendon_count,
        .closure = {.couplers = r->couplers, .coupler_count = r->coupler_count},
        .body_names = r->names};
    CHECK_OK(r->ctx, iso_stepper_create(r->ctx, &dynamics, &r->settings, &r->stepper));
    iso_multibody_default_q(&r->multibody, r->q);
    CHECK_OK(r->ctx, iso_arena_init(&r->arena, r->ctx, 0));
    CHECK_OK(r->ctx, iso_kinematics_push(&r->multibody, &r->arena, &r->kinematics));
}

/// All but the context, which is another one than that of rig_make().
static inline void rig_clear(rig* r) {
    iso_stepper_destroy(r->ctx, r->stepper);
    iso_contact_system_destroy(r->ctx, r->contact);
    for (int i = 0; i < r->geometry_count; ++i) {
        iso_contact_shape_destroy(r->ctx, r->geometries[i].shape);
    }
    iso_arena_destroy(&r->arena);
    iso_multibody_destroy(r->ctx, &r->multibody);
}

static inline void rig_destroy(rig* r) {
    rig_clear(r);
    test_context_destroy(r->ctx);
    free(r);
}

static inline void rig_update(rig* r) {
    iso_multibody_kinematics(&r->multibody, r->q, r->v, &r->kinematics);
}

static inline iso_step_input rig_input(const rig* r) {
    return (iso_step_input){.time = r->time,
                            .q = r->q,
                            .v = r->v,
                            .actuations = r->actuations,
                            .f_b_w = r->f_b_w,
                            .memories = r->memories,
                            .memory_count = r->memory_count,
                            .is_start = r->time == 0.0};
}

static inline iso_status rig_try_step(rig* r) {
    iso_step_input input = rig_input(r);
    r->output.q = r->q;
    r->output.v = r->v;
    r->output.efforts = r->efforts;
    r->output.tie_efforts = r->ties;
    iso_status status = iso_stepper_step(r->stepper, &input, &r->output);
    if (status == ISO_OK) {
        r->time += r->settings.time_step;
        r->memory_count = r->output.contacts.memory_count;
        CHECK(r->memory_count <= RIG_MAX_MEMORIES, "%d memories", r->memory_count);
        for (int i = 0; i < r->memory_count; ++i) {
            r->memories[i] = r->output.contacts.memories[i];
        }
        rig_update(r);
    }
    return status;
}

static inline void rig_step(rig* r, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK_OK(r->ctx, rig_try_step(r));
    }
}

static inline void rig_set_free(rig* r, int body, iso_pose x_wb, iso_spatial v_wb) {
    rig_update(r);
    iso_multibody_set_free(&r->multibody, &r->kinematics, body, &x_wb, v_wb, r->q, r->v);
    rig_update(r);
}

static inline double rig_energy(rig* r) {
    rig_update(r);
    return iso_multibody_kinetic_energy(&r->multibody, &r->kinematics) +
           iso_multibody_potential_energy(&r->multibody, &r->kinematics, r->settings.gravity);
}

/// A cube on the rigid half space z <= 0, pressed in a little.
static inline rig* rig_cube(iso_method method, double modulus, double dissipation, double friction,
                            double slope) {
    rig* r = rig_make();
    r->settings.method = method;
    r->settings.gravity =
        iso_vec3_make(9.81 * sin(slope), 0.0, -9.81 * cos(slope)); // the slope lies level
    int cube = rig_add_free(r, "cube", 1.0);
    iso_contact_material soft = rig_material(modulus, dissipation, friction);
    iso_contact_material ground = rig_material(0.0, 0.0, friction);
    rig_add_shape(r, cube, ISO_SHAPE_BOX, iso_vec3_make(0.1, 0.1, 0.1), &soft, iso_pose_identity());
    rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &ground,
                  iso_pose_identity());
    rig_finish(r);
    rig_set_free(r, cube, iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.04998)),
                 iso_spatial_zero());
    return r;
}
