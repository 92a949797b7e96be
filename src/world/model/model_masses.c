// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/names.h"
#include "world/model/model.h"

// A motion needs something to move. iso_multibody_create() finds every singular mass matrix; here
// the usual case, a body without mass at the end of a chain, is named with its line and its joint.

// Joint above each body, -1: none.
static void find_joints(const iso_model* model, int* joint_above) {
    for (int b = 0; b < model->bodies.count; ++b) {
        joint_above[b] = -1;
    }
    for (int j = 0; j < model->joints.count; ++j) {
        joint_above[model->joints.data[j].child] = j;
    }
}

// Mass of each body and of all that hangs on it.
static void sum_masses(const iso_model* model, const int* joint_above, double* masses) {
    for (int b = 1; b < model->bodies.count; ++b) {
        int body = b;
        for (int depth = 0; depth < model->bodies.count && body != ISO_WORLD_BODY; ++depth) {
            masses[body] += model->bodies.data[b].desc.mass;
            body = joint_above[body] >= 0 ? model->joints.data[joint_above[body]].parent
                                          : ISO_WORLD_BODY;
        }
    }
}

static iso_status check_motion(const iso_model* model, int body, int joint_index) {
    char where[512];
    const iso_body_desc* desc = &model->bodies.data[body].desc;
    iso_model_where(desc->source, where, sizeof where);
    ISO_REQUIRE(model->ctx, joint_index >= 0, ISO_ERR_RANGE,
                "%sbody '%s' floats freely, but it and what hangs on it have mass 0 kg, expected "
                "> 0: give it a mass and an inertia, or weld it",
                where, desc->name);
    const iso_joint_desc* joint = &model->joints.data[joint_index];
    bool is_geared = (joint->kind == ISO_JOINT_BALL || iso_joint_kind_has_one_dof(joint->kind)) &&
                     joint->rotor_inertia > 0.0 && joint->gear_ratio != 0.0;
    const char* source = joint->source ? joint->source : "";
    ISO_REQUIRE(model->ctx, joint->kind == ISO_JOINT_WELD || is_geared, ISO_ERR_RANGE,
                "%sbody '%s' and what hangs on it have mass 0 kg, but %s joint '%s'%s%s%s moves "
                "it, expected > 0: give it a mass and an inertia, or weld it",
                where, desc->name, iso_name_of(ISO_NAMES_JOINT_KIND, (int)joint->kind), joint->name,
                *source ? " (" : "", source, *source ? ")" : "");
    return ISO_OK;
}

iso_status iso_model_check_masses(const iso_model* model) {
    iso_context* ctx = model->ctx;
    int count = model->bodies.count;
    iso_status status = ISO_OK;
    int* joint_above = iso_alloc_array(ctx, count, sizeof *joint_above);
    double* masses = iso_alloc_array(ctx, count, sizeof *masses);
    ISO_CHECK(ctx, joint_above && masses, ISO_ERR_MEMORY, "masses of %d bodies", count);
    for (int b = 0; b < count; ++b) {
        masses[b] = 0.0;
    }
    find_joints(model, joint_above);
    sum_masses(model, joint_above, masses);
    for (int b = 1; b < count; ++b) {
        if (masses[b] == 0.0) {
            ISO_TRY(check_motion(model, b, joint_above[b]));
        }
    }

done:
    iso_free(ctx, joint_above);
    iso_free(ctx, masses);
    return status;
}
