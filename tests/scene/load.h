// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the tests of the scene readers share: loading from text, keeping log messages, and looking
// at the model that came out.

#include "scene/build/build.h"
#include "scene/scene.h"
#include "support/check.h"
#include "world/model/model.h"

#include <stdio.h>
#include <string.h>

typedef struct kept_log {
    char text[16384];
    size_t length;
    int warning_count;
} kept_log;

static inline void keep_message(void* user, iso_log_level level, const char* message) {
    kept_log* log = user;
    log->warning_count += level == ISO_LOG_WARNING;
    int written =
        snprintf(log->text + log->length, sizeof log->text - log->length, "%s\n", message);
    if (written > 0 && log->length + (size_t)written < sizeof log->text) {
        log->length += (size_t)written;
    }
}

static inline iso_context* keeping_context(kept_log* log) {
    *log = (kept_log){.length = 0};
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = keep_message;
    desc.log_user = log;
    desc.log_level = ISO_LOG_INFO;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_OK);
    return ctx;
}

/// Load from text; "test.sdf" and so on in messages.
static inline iso_status load_text(iso_context* ctx, iso_scene_format_kind format, const char* text,
                                   iso_scene* out_scene) {
    static const char* const names[] = {"test.yaml", "test.sdf", "test.urdf", "test.xml",
                                        "test.xml"};
    return iso_scene_load_bytes(ctx, names[format], format, text, strlen(text), NULL, out_scene);
}

static inline int body_index(const iso_scene* scene, const char* name) {
    int index = iso_model_find_body(scene->model, name);
    CHECK(index >= 0, "no body '%s'", name);
    return index;
}

/// Whether neither a list of pairs nor a number that they share keeps two bodies apart.
static inline bool may_touch(const iso_scene* scene, const char* a, const char* b) {
    int x = body_index(scene, a), y = body_index(scene, b);
    int exclusion = iso_model_body(scene->model, x)->exclusion;
    if (exclusion != 0 && exclusion == iso_model_body(scene->model, y)->exclusion) {
        return false;
    }
    for (int i = 0; i < scene->model->excluded.count; ++i) {
        iso_excluded_pair pair = scene->model->excluded.data[i];
        if ((pair.body_a == x && pair.body_b == y) || (pair.body_a == y && pair.body_b == x)) {
            return false;
        }
    }
    return true;
}

static inline const iso_joint_desc* joint_named(const iso_scene* scene, const char* name) {
    int index = iso_model_find_joint(scene->model, name);
    CHECK(index >= 0, "no joint '%s'", name);
    return iso_model_joint(scene->model, index);
}

static inline const iso_geometry_desc* geometry_of(const iso_scene* scene, const char* body,
                                                   const char* name) {
    int wanted = body_index(scene, body);
    for (int i = 0; i < iso_model_geometry_count(scene->model); ++i) {
        int owner = -1;
        const iso_geometry_desc* g = iso_model_geometry(scene->model, i, &owner);
        if (owner == wanted && strcmp(g->name, name) == 0) {
            return g;
        }
    }
    CHECK(false, "no geometry '%s' in '%s'", name, body);
    return NULL;
}

/// Pose at the start, up the joints to a free body or the world.
static inline iso_pose start_pose(const iso_scene* scene, int body) {
    if (body == ISO_WORLD_BODY) {
        return iso_pose_identity();
    }
    for (int i = 0; i < iso_model_joint_count(scene->model); ++i) {
        const iso_joint_desc* j = iso_model_joint(scene->model, i);
        if (j->child != body) {
            continue;
        }
        iso_pose x_wp = start_pose(scene, j->parent);
        iso_pose x_fm = iso_scene_joint_displacement(j);
        iso_pose x_wf = iso_pose_mul(&x_wp, &j->x_pf);
        iso_pose x_wm = iso_pose_mul(&x_wf, &x_fm);
        iso_pose x_mc = iso_pose_inverse(&j->x_cm);
        return iso_pose_mul(&x_wm, &x_mc);
    }
    return scene->model->bodies.data[body].x_wb;
}

static inline iso_pose start_pose_of(const iso_scene* scene, const char* name) {
    return start_pose(scene, body_index(scene, name));
}

static inline iso_pose pose_xyz_rpy(double x, double y, double z, double roll, double pitch,
                                    double yaw) {
    return iso_pose_make(iso_mat3_from_rpy(roll, pitch, yaw), iso_vec3_make(x, y, z));
}
