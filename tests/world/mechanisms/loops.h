// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Mechanisms with loops for tests: bars about parallel hinges, and four of them that close.

#include "world/mechanisms.h"

static inline iso_constraint_desc constraint_between(const char* name, iso_constraint_kind kind,
                                                     int a, iso_vec3 p_ap, int b, iso_vec3 p_bq) {
    iso_constraint_desc desc = iso_constraint_desc_default();
    desc.name = name;
    desc.kind = kind;
    desc.body_a = a;
    desc.body_b = b;
    desc.x_ap.p = p_ap;
    desc.x_bq.p = p_bq;
    return desc;
}

/// A thin bar of 1 kg along x from its hinge about z at `at` of the parent, at an angle.
static inline int add_bar(iso_context* ctx, iso_model* model, const char* name, int parent,
                          iso_vec3 at, double length, double angle) {
    iso_body_desc desc = iso_body_desc_default();
    desc.name = name;
    desc.center_of_mass = iso_vec3_make(0.5 * length, 0.0, 0.0);
    desc.inertia = iso_mat3_diagonal(1e-3, length * length / 12.0, length * length / 12.0);
    int body = -1;
    CHECK_OK(ctx, iso_model_add_body(model, &desc, &body));
    iso_joint_desc joint = joint_between(name, ISO_JOINT_REVOLUTE, parent, body);
    joint.x_pf.p = at;
    joint.position = angle;
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    return body;
}

// Four-bar: ground pivots (0, 0) and (ground, 0), crank, coupler, rocker; the coupler's end is held
// to the rocker's end by a ball constraint. Gravity lies in the plane (-y).
typedef struct four_bar {
    double ground, crank, coupler, rocker;
} four_bar;

/// Angle of the rocker for one of the crank: where circles about the crank's end and the rocker's
/// pivot meet, on the upper side.
static inline double rocker_angle(const four_bar* f, double crank_angle) {
    double x = f->crank * cos(crank_angle) - f->ground, y = f->crank * sin(crank_angle);
    double d = hypot(x, y);
    double inner =
        (f->rocker * f->rocker + d * d - f->coupler * f->coupler) / (2.0 * f->rocker * d);
    return atan2(y, x) - acos(inner);
}

/// World angle of the coupler that goes with it.
static inline double coupler_angle(const four_bar* f, double crank_angle) {
    double rocker = rocker_angle(f, crank_angle);
    return atan2(f->rocker * sin(rocker) - f->crank * sin(crank_angle),
                 f->ground + f->rocker * cos(rocker) - f->crank * cos(crank_angle));
}

static inline iso_world* make_four_bar(iso_context* ctx, iso_model* model, const four_bar* f,
                                       double crank_angle, double error, iso_method method,
                                       double time_step) {
    double middle = coupler_angle(f, crank_angle) - crank_angle;
    int crank = add_bar(ctx, model, "crank", 0, iso_vec3_zero(), f->crank, crank_angle);
    int coupler = add_bar(ctx, model, "coupler", crank, iso_vec3_make(f->crank, 0.0, 0.0),
                          f->coupler, middle + error);
    int rocker = add_bar(ctx, model, "rocker", 0, iso_vec3_make(f->ground, 0.0, 0.0), f->rocker,
                         rocker_angle(f, crank_angle));
    iso_constraint_desc pin =
        constraint_between("pin", ISO_CONSTRAINT_BALL, coupler, iso_vec3_make(f->coupler, 0.0, 0.0),
                           rocker, iso_vec3_make(f->rocker, 0.0, 0.0));
    CHECK_OK(ctx, iso_model_add_constraint(model, &pin, NULL));
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_make(0.0, -9.81, 0.0);
    desc.method = method;
    desc.time_step = time_step;
    desc.accuracy = 1e-10;
    return make_world(ctx, model, &desc);
}

static inline double joint_angle(const iso_world* world, const char* name) {
    return iso_world_joint_position(world, iso_world_find_joint(world, name));
}
