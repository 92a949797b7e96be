// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Random worlds with extreme values, one for each seed: lengths of 0.1 mm to 1 km, masses unlike by
// up to 1e8, moduli of 1e2 to 1e12 Pa, steps of 1 us to 0.1 s, one to 300 bodies, some of them in
// one place, with joints, limits, drives and loops, for all velocity-level methods. What they
// have in common is that a step of theirs has a solution.

#include "isobar/isobar.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HARD_MOST_BODIES = 300 };

typedef struct hard_world {
    test_random random;
    iso_context* ctx;
    iso_model* model;
    iso_world_desc desc;
    int body_count, steps;
    double size, spread;      // of bodies [m], and decades about it
    double mass, mass_spread; // 0: by density
    double modulus, stiffness_spread;
    double speed, spin; // at the start
    double side;        // of the cube in which they start
    bool has_ground, is_linked, has_coincident;
    int bodies[HARD_MOST_BODIES + 1];
    bool hangs[HARD_MOST_BODIES + 1]; // on an earlier one, or the world
    double sizes[HARD_MOST_BODIES + 1];
} hard_world;

static inline double hard_uniform(hard_world* w, double low, double high) {
    return test_random_uniform(&w->random, low, high);
}

static inline double hard_decades(hard_world* w, double low, double high) {
    return pow(10.0, hard_uniform(w, low, high));
}

static inline bool hard_chance(hard_world* w, double share) {
    return hard_uniform(w, 0.0, 1.0) < share;
}

static inline int hard_pick(hard_world* w, int count) {
    return (int)(test_random_bits(&w->random) % (uint64_t)count);
}

static inline iso_vec3 hard_direction(hard_world* w) {
    double z = hard_uniform(w, -1.0, 1.0), a = hard_uniform(w, -ISO_PI, ISO_PI),
           r = sqrt(1.0 - z * z);
    return iso_vec3_make(r * cos(a), r * sin(a), z);
}
/// A direction, and a length up to the largest. One number after the other: the order in which a
/// compiler evaluates arguments is its own.
static inline iso_vec3 hard_vector(hard_world* w, double largest) {
    iso_vec3 direction = hard_direction(w);
    return iso_vec3_scale(direction, largest * hard_uniform(w, 0.0, 1.0));
}

static inline iso_quat hard_turn(hard_world* w) {
    double a = hard_chance(w, 0.3) ? 0.5 * ISO_PI * hard_pick(w, 4) : hard_uniform(w, 0.0, ISO_PI);
    iso_vec3 axis = hard_chance(w, 0.3) ? iso_vec3_make(0.0, 0.0, 1.0) : hard_direction(w);
    return iso_quat_from_rotation_vector(iso_vec3_scale(axis, a));
}

static inline void hard_require(const hard_world* w, iso_status status) {
    if (status != ISO_OK) {
        fprintf(stderr, "hard world: %s\n", iso_context_error(w->ctx));
        exit(1);
    }
}

static inline void hard_choose_method(hard_world* w) {
    static const iso_method methods[] = {ISO_METHOD_LAGGED,  ISO_METHOD_LAGGED, ISO_METHOD_LAGGED,
                                         ISO_METHOD_SIMILAR, ISO_METHOD_SAP,    ISO_METHOD_TAMSI};
    int chosen = hard_pick(w, 6);
    w->desc.method = methods[chosen];
    w->desc.contact.friction =
        chosen == 2 ? ISO_FRICTION_MODEL_REGULARIZED : ISO_FRICTION_MODEL_STICK;
    w->desc.time_step = hard_decades(w, -6.0, -1.0);
    double g = hard_chance(w, 0.75) ? 9.81 : hard_chance(w, 0.6) ? 0.0 : hard_decades(w, -3.0, 3.0);
    w->desc.gravity = iso_vec3_make(0.0, 0.0, -g);
    if (hard_chance(w, 0.15)) {
        w->desc.contact.regularization = ISO_REGULARIZATION_DRAKE;
    }
    if (hard_chance(w, 0.2)) {
        w->desc.contact.representation = ISO_REPRESENTATION_TRIANGLE;
    }
    if (hard_chance(w, 0.2)) {
        w->desc.contact.stiction_velocity = hard_decades(w, -6.0, -2.0);
    }
}

static inline void hard_choose_scales(hard_world* w) {
    double kind = hard_uniform(w, 0.0, 1.0);
    w->body_count = kind < 0.6    ? 1 + hard_pick(w, 8)
                    : kind < 0.92 ? 9 + hard_pick(w, 32)
                                  : 100 + hard_pick(w, 201);
    w->steps = w->body_count < 100 ? 30 : 6;
    w->size = hard_decades(w, -4.0, 3.0);
    w->spread = hard_chance(w, 0.4) ? 0.0 : hard_chance(w, 0.7) ? 0.2 : 1.0;
    w->mass =
        hard_chance(w, 0.5) ? 0.0 : 1e3 * w->size * w->size * w->size * hard_decades(w, -1.0, 1.0);
    w->mass_spread = hard_uniform(w, 0.0, 4.0);
    w->modulus = hard_decades(w, 2.0, 12.0);
    w->stiffness_spread = hard_chance(w, 0.5) ? 0.0 : hard_uniform(w, 0.0, 3.0);
    w->speed = hard_chance(w, 0.3) ? 0.0 : hard_decades(w, -3.0, 1.5);
    w->spin = hard_chance(w, 0.3) ? 0.0 : hard_decades(w, -2.0, 2.5);
    w->has_ground = hard_chance(w, 0.7);
    w->is_linked = hard_chance(w, 0.3);
    w->has_coincident = hard_chance(w, 0.2);
    w->side = 2.0 * w->size * cbrt(w->body_count) * hard_uniform(w, 0.4, 1.5);
}

static inline iso_contact_material hard_material(hard_world* w, double size) {
    iso_contact_material m = iso_contact_material_default();
    m.compliance = hard_chance(w, 0.25) ? ISO_COMPLIANCE_RIGID : ISO_COMPLIANCE_COMPLIANT;
    double modulus = w->modulus * hard_decades(w, -w->stiffness_spread, w->stiffness_spread);
    m.modulus = fmin(fmax(modulus, 1e2), 1e12);
    m.resolution_hint = 0.8 * size;
    m.dissipation = hard_chance(w, 0.2) ? 0.0 : hard_decades(w, -2.0, 2.3);
    m.relaxation_time = hard_chance(w, 0.5) ? 0.1 : hard_decades(w, -5.0, 0.0);
    m.friction_dynamic = hard_chance(w, 0.2) ? 0.0 : hard_uniform(w, 0.0, 1.5);
    m.friction_static = m.friction_dynamic * (hard_chance(w, 0.8) ? 1.0 : 1.3);
    // Bodies that fall through themselves in a step have no margin of its length.
    double fall = iso_vec3_norm(w->desc.gravity) * w->desc.time_step * w->desc.time_step;
    m.margin = hard_chance(w, 0.7) && fall < 0.01 * size ? ISO_MARGIN_AUTO
               : hard_chance(w, 0.5)                     ? 0.0
                                                         : 0.01 * size;
    bool may_adhere = w->desc.method == ISO_METHOD_LAGGED || w->desc.method == ISO_METHOD_TAMSI;
    m.adhesion = may_adhere && hard_chance(w, 0.05) ? m.modulus * hard_decades(w, -5.0, -1.0) : 0.0;
    return m;
}

static inline iso_shape_desc hard_shape(hard_world* w, double size) {
    static const iso_shape_kind kinds[] = {ISO_SHAPE_BOX,     ISO_SHAPE_BOX,
                                           ISO_SHAPE_SPHERE,  ISO_SHAPE_CYLINDER,
                                           ISO_SHAPE_CAPSULE, ISO_SHAPE_ELLIPSOID};
    iso_shape_desc s = iso_shape_desc_default(kinds[hard_pick(w, 6)]);
    double thin = hard_chance(w, 0.3)       ? 1.0
                  : s.kind == ISO_SHAPE_BOX ? hard_decades(w, -1.3, 0.0)
                                            : hard_decades(w, -0.5, 0.0);
    bool is_box = s.kind == ISO_SHAPE_BOX;
    s.radius = 0.5 * size;
    s.length = size * thin;
    s.size =
        iso_vec3_scale(iso_vec3_make(size, size * (hard_chance(w, 0.5) ? 1.0 : thin), size * thin),
                       is_box ? 1.0 : 0.5);
    return s;
}

static inline void hard_add_ground(hard_world* w) {
    iso_geometry_desc ground = iso_geometry_desc_default();
    ground.name = "ground";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.material = hard_material(w, w->size);
    ground.material.adhesion = 0.0;
    ground.material.margin = 0.0;
    if (ground.material.compliance == ISO_COMPLIANCE_COMPLIANT) {
        ground.material.slab_thickness = w->size * hard_decades(w, -1.0, 0.5);
    }
    hard_require(w, iso_model_add_geometry(w->model, ISO_WORLD_BODY, &ground, NULL));
}

static inline double hard_body_mass(hard_world* w, const iso_mass_properties* solid) {
    return w->mass > 0.0 ? w->mass * hard_decades(w, -w->mass_spread, w->mass_spread)
                         : solid->volume * hard_decades(w, 1.0, 4.3);
}

static inline int hard_add_body(hard_world* w, int index) {
    char name[32];
    snprintf(name, sizeof name, "b%03d", index);
    double size = w->size * hard_decades(w, -w->spread, w->spread);
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "g";
    geometry.shape = hard_shape(w, size);
    geometry.material = hard_material(w, size);
    iso_mass_properties solid;
    hard_require(w, iso_shape_mass_properties(w->ctx, &geometry.shape, &solid));
    iso_body_desc body = iso_body_desc_default();
    body.name = name;
    body.mass = hard_body_mass(w, &solid);
    body.inertia = iso_mat3_scale(solid.inertia, body.mass / solid.volume);
    if (hard_chance(w, 0.2)) {
        body.center_of_mass = hard_vector(w, 0.3 * size);
    }
    int made = -1;
    hard_require(w, iso_model_add_body(w->model, &body, &made));
    hard_require(w, iso_model_add_geometry(w->model, made, &geometry, NULL));
    w->sizes[index] = size;
    w->bodies[index] = made;
    return made;
}

static inline void hard_place_body(hard_world* w, int index, iso_pose* poses) {
    double x = hard_uniform(w, -0.5, 0.5);
    double y = hard_uniform(w, -0.5, 0.5);
    iso_vec3 p = iso_vec3_make(x, y, hard_uniform(w, -0.1, 0.9));
    iso_quat q = hard_turn(w);
    poses[index] = iso_pose_make(iso_mat3_from_quat(q), iso_vec3_scale(p, w->side));
    if (w->has_coincident && index > 1 && hard_chance(w, 0.5)) {
        poses[index] = poses[1 + hard_pick(w, index - 1)];
    }
    hard_require(w, iso_model_set_free_pose(w->model, w->bodies[index], &poses[index]));
    iso_vec3 turn = hard_vector(w, w->spin);
    iso_spatial v = iso_spatial_make(turn, hard_vector(w, w->speed));
    hard_require(w, iso_model_set_free_twist(w->model, w->bodies[index], v));
}

static inline iso_joint_desc hard_joint(hard_world* w, int parent, int index, const char* name) {
    static const iso_joint_kind kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_REVOLUTE,
                                           ISO_JOINT_PRISMATIC, ISO_JOINT_BALL,
                                           ISO_JOINT_UNIVERSAL};
    iso_joint_desc j = iso_joint_desc_default();
    double size = w->sizes[index];
    j.name = name;
    j.kind = kinds[hard_pick(w, 5)];
    j.parent = parent;
    j.child = w->bodies[index];
    j.axis = hard_direction(w);
    j.axis_2 = iso_vec3_normalized(iso_vec3_cross(j.axis, hard_direction(w)));
    iso_vec3 from = iso_vec3_scale(hard_direction(w), (parent ? 0.7 : w->side) * size);
    from.z = fabs(from.z);
    j.x_pf = iso_pose_make(iso_mat3_from_quat(hard_turn(w)), from);
    j.x_cm = iso_pose_from_position(iso_vec3_scale(hard_direction(w), 0.6 * size));
    double range = j.kind == ISO_JOINT_PRISMATIC ? size : 1.0;
    bool has_one = j.kind == ISO_JOINT_REVOLUTE || j.kind == ISO_JOINT_PRISMATIC;
    if (has_one && hard_chance(w, 0.5)) {
        j.lower = -range * hard_uniform(w, 0.0, 1.0);
        j.upper = range * hard_uniform(w, 0.0, 1.0);
    }
    double unit = w->mass > 0.0 ? w->mass : 1e3 * size * size * size;
    unit *= j.kind == ISO_JOINT_PRISMATIC ? 1.0 : size * size;
    j.damping = hard_chance(w, 0.3) ? unit * hard_decades(w, -2.0, 4.0) : 0.0;
    j.friction = hard_chance(w, 0.2) ? unit * hard_decades(w, -2.0, 3.0) : 0.0;
    j.velocity = has_one ? range * w->spin * hard_uniform(w, -0.1, 0.1) : 0.0;
    return j;
}

static inline void hard_add_actuator(hard_world* w, int index, const iso_joint_desc* j,
                                     int joint_index) {
    char name[32];
    snprintf(name, sizeof name, "a%03d", index);
    iso_actuator_desc a = iso_actuator_desc_default();
    double size = w->sizes[index];
    double unit = (w->mass > 0.0 ? w->mass : 1e3 * size * size * size) *
                  (j->kind == ISO_JOINT_PRISMATIC ? 1.0 : size * size);
    a.name = name;
    a.joint = joint_index;
    a.kp = unit * hard_decades(w, 0.0, 7.0);
    a.kd = unit * hard_decades(w, -1.0, 4.0);
    a.effort_limit = unit * hard_decades(w, -1.0, 4.0);
    hard_require(w, iso_model_add_actuator(w->model, &a, NULL));
}

// Hang a body on an earlier one or on the world.
static inline void hard_link_body(hard_world* w, int index) {
    char name[32];
    snprintf(name, sizeof name, "j%03d", index);
    int parent = hard_chance(w, 0.2) ? ISO_WORLD_BODY : w->bodies[index - 1];
    iso_joint_desc j = hard_joint(w, parent, index, name);
    int made = -1;
    hard_require(w, iso_model_add_joint(w->model, &j, &made));
    bool has_one = j.kind == ISO_JOINT_REVOLUTE || j.kind == ISO_JOINT_PRISMATIC;
    if (has_one && hard_chance(w, 0.3)) {
        hard_add_actuator(w, index, &j, made);
    }
}

// Tie a body that floats to another one, as they are.
static inline void hard_add_constraint(hard_world* w, int index, const iso_pose* poses) {
    static const iso_constraint_kind kinds[] = {ISO_CONSTRAINT_WELD, ISO_CONSTRAINT_BALL,
                                                ISO_CONSTRAINT_DISTANCE, ISO_CONSTRAINT_TENDON};
    char name[32];
    snprintf(name, sizeof name, "c%03d", index);
    iso_constraint_desc c = iso_constraint_desc_default();
    int other = 1 + hard_pick(w, index - 1);
    while (other > 1 && w->hangs[other]) {
        --other;
    }
    c.name = name;
    c.kind = kinds[hard_pick(w, 4)];
    c.body_a = w->bodies[other];
    c.body_b = w->bodies[index];
    c.x_ap = iso_pose_from_position(iso_vec3_scale(hard_direction(w), 0.5 * w->sizes[other]));
    iso_pose x_wp = iso_pose_mul(&poses[other], &c.x_ap), x_bw = iso_pose_inverse(&poses[index]);
    c.x_bq = iso_pose_mul(&x_bw, &x_wp);
    if (c.kind == ISO_CONSTRAINT_DISTANCE || c.kind == ISO_CONSTRAINT_TENDON) {
        c.x_bq = iso_pose_from_position(iso_vec3_scale(hard_direction(w), 0.5 * w->sizes[index]));
        iso_pose x_wq = iso_pose_mul(&poses[index], &c.x_bq);
        c.length = iso_vec3_norm(iso_vec3_sub(x_wq.p, x_wp.p)) + 1e-9 * w->size;
    }
    hard_require(w, iso_model_add_constraint(w->model, &c, NULL));
}

/// w: its context. Makes the model and the settings of the world.
static inline void hard_world_build(hard_world* w, uint64_t seed) {
    w->random.state = seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
    w->desc = iso_world_desc_default();
    hard_choose_method(w);
    hard_choose_scales(w);
    hard_require(w, iso_model_create(w->ctx, &w->model));
    if (w->has_ground) {
        hard_add_ground(w);
    }
    iso_pose poses[HARD_MOST_BODIES + 1];
    int chain = 0;
    w->hangs[0] = false;
    for (int i = 1; i <= w->body_count; ++i) {
        hard_add_body(w, i);
        bool hangs = w->is_linked && i > 1 && chain < 12 && hard_chance(w, 0.6);
        chain = hangs ? chain + 1 : 0;
        w->hangs[i] = hangs;
        if (hangs) {
            poses[i] = poses[i - 1];
            hard_link_body(w, i);
            continue;
        }
        hard_place_body(w, i, poses);
        if (w->is_linked && i > 1 && hard_chance(w, 0.2)) {
            hard_add_constraint(w, i, poses);
        }
    }
}

static inline double hard_seconds(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// What the steps of a world came to.
typedef struct hard_outcome {
    iso_status status; // of the step that failed
    int steps, iterations, evaluations;
    int64_t faces;
    double residual, slowest, seconds;
    iso_step_reason reason; // of the step of the largest residual
    bool is_overlong;
    uint64_t hash;
} hard_outcome;

/// Make all steps, while they succeed and take less than `limit` together [s].
static inline hard_outcome hard_world_run(const hard_world* w, iso_world* world, double limit) {
    hard_outcome o = {.status = ISO_OK};
    double start = hard_seconds(), before = start;
    while (o.steps < w->steps && o.status == ISO_OK && !o.is_overlong) {
        o.status = iso_world_step(world);
        iso_step_report report = iso_world_step_report(world);
        double now = hard_seconds();
        o.slowest = fmax(o.slowest, now - before);
        o.is_overlong = now - start > limit;
        before = now;
        if (o.status == ISO_OK) {
            ++o.steps;
            o.faces += report.face_count;
            o.evaluations += report.line_search_iterations;
            o.iterations = report.iterations > o.iterations ? report.iterations : o.iterations;
            if (report.residual > o.residual) {
                o.residual = report.residual;
                o.reason = report.reason;
            }
        }
    }
    o.seconds = before - start;
    o.hash = iso_world_state_hash(world);
    return o;
}
