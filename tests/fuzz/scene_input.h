// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the fuzz targets of the scene readers share: load bytes from memory, and check what came
// out.

#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline void drop_message(void* user, iso_log_level level, const char* message) {
    (void)user;
    (void)level;
    (void)message;
}

// Everything a reader lets through obeys the contract of the model.
static inline void check_model(iso_model* model) {
    for (int i = 1; i < iso_model_body_count(model); ++i) {
        const iso_body_desc* body = iso_model_body(model, i);
        if (!(body->mass >= 0.0 && isfinite(body->mass))) {
            abort();
        }
    }
    for (int i = 0; i < iso_model_joint_count(model); ++i) {
        const iso_joint_desc* joint = iso_model_joint(model, i);
        if (!(fabs(iso_vec3_norm(joint->axis) - 1.0) < 1e-9) || !iso_pose_is_finite(&joint->x_pf) ||
            !iso_pose_is_finite(&joint->x_cm) || !(joint->lower <= joint->upper)) {
            abort();
        }
    }
    for (int i = 0; i < iso_model_geometry_count(model); ++i) {
        const iso_geometry_desc* geometry = iso_model_geometry(model, i, NULL);
        const iso_contact_material* m = &geometry->material;
        if (!iso_pose_is_finite(&geometry->x_bg) || !(m->modulus > 0.0) ||
            !(m->friction_dynamic <= m->friction_static)) {
            abort();
        }
    }
}

static inline void load_scene_bytes(iso_scene_format_kind format, const uint8_t* data,
                                    size_t size) {
    iso_context_desc desc = iso_context_desc_default();
    iso_context* ctx = NULL;
    iso_scene scene;
    desc.log_fn = drop_message;
    if (iso_context_create(&desc, &ctx) != ISO_OK) {
        return;
    }
    iso_status status =
        iso_scene_load_bytes(ctx, "input", format, (const char*)data, size, NULL, &scene);
    if (status == ISO_OK) {
        check_model(scene.model);
        for (int i = 0; i < scene.command_count; ++i) {
            if (iso_signal_check(ctx, &scene.commands[i].signal) != ISO_OK) {
                abort();
            }
        }
    } else if (!iso_context_error(ctx)[0] || strchr(iso_context_error(ctx), '\n')) {
        abort(); // an error is one line
    }
    iso_scene_destroy(ctx, &scene);
    iso_context_destroy(ctx);
}
