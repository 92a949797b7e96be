// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "world/mechanisms.h"

// Sliders under fixed tendons, without weight.

enum { SLIDERS = 3 };
static const double k_slider_masses[SLIDERS] = {1.0, 2.0, 0.5};
static const double k_slider_weights[SLIDERS] = {1.0, -0.5, 2.0};

/// Sliders along x, each a tree of its own, or the third on the second.
static inline void add_sliders(iso_context* ctx, iso_model* model, bool is_one_tree,
                               int* out_joints) {
    static const char* const names[] = {"a", "b", "c"};
    int parent = 0;
    for (int i = 0; i < SLIDERS; ++i) {
        iso_body_desc desc = iso_body_desc_default();
        int body = -1;
        desc.name = names[i];
        desc.mass = k_slider_masses[i];
        CHECK_OK(ctx, iso_model_add_body(model, &desc, &body));
        iso_joint_desc joint = joint_between(names[i], ISO_JOINT_PRISMATIC, parent, body);
        joint.axis = iso_vec3_make(1.0, 0.0, 0.0);
        joint.position = 0.1 * (i + 1);
        CHECK_OK(ctx, iso_model_add_joint(model, &joint, &out_joints[i]));
        parent = is_one_tree ? body : 0;
    }
}

static inline int add_tendon(iso_context* ctx, iso_model* model, const int* joints, int count,
                             double stiffness, double damping) {
    iso_fixed_tendon_desc desc = iso_fixed_tendon_desc_default();
    int index = -1;
    desc.name = "sum";
    desc.joints = joints;
    desc.weights = k_slider_weights;
    desc.joint_count = count;
    desc.stiffness = stiffness;
    desc.damping = damping;
    desc.spring_reference = 0.3;
    CHECK_OK(ctx, iso_model_add_fixed_tendon(model, &desc, &index));
    return index;
}

static inline void add_actuator(iso_context* ctx, iso_model* model, int tendon, double kp,
                                double kd, double limit) {
    iso_actuator_desc desc = iso_actuator_desc_default();
    desc.name = "pull";
    desc.joint = -1;
    desc.fixed_tendon = tendon;
    desc.kp = kp;
    desc.kd = kd;
    desc.effort_limit = limit;
    CHECK_OK(ctx, iso_model_add_actuator(model, &desc, NULL));
}

static inline iso_world* make_still(iso_context* ctx, iso_model* model, iso_method method,
                                    double time_step) {
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    desc.method = method;
    desc.time_step = time_step;
    desc.accuracy = method == ISO_METHOD_RK23 ? 1e-6 : 1e-9; // hard stops need many steps
    return make_world(ctx, model, &desc);
}

static inline double stored_energy(const iso_world* world) {
    iso_energy e = iso_world_energy(world);
    return e.kinetic + e.potential + e.spring;
}
