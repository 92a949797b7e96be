// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Roots without mass: what the robot's file leaves free, but cannot float.

#include "scene/build.h"

// Bodies that fixed joints make one.
typedef struct welded_group {
    int root;           ///< the first of them, on which the others hang
    double mass;        ///< of all, at the root
    int movable_joints; ///< of what hangs on them, at the root
} welded_group;

static void find_groups(iso_scene_build* build, welded_group* groups) {
    int count = build->starts.count;
    for (int body = 0; body < count; ++body) {
        int root = body;
        for (int depth = 0; depth < count; ++depth) { // as deep as there is no circle
            int joint = build->starts.data[root].parent_joint;
            if (joint < 0 || iso_model_joint(build->model, joint)->kind != ISO_JOINT_WELD) {
                break;
            }
            root = iso_model_joint(build->model, joint)->parent;
        }
        groups[body].root = root;
        groups[root].mass += iso_model_body(build->model, body)->mass;
    }
    for (int j = 0; j < iso_model_joint_count(build->model); ++j) {
        const iso_joint_desc* joint = iso_model_joint(build->model, j);
        groups[groups[joint->parent].root].movable_joints += joint->kind != ISO_JOINT_WELD;
    }
}

// With one movable joint it could turn about the joint's axis without moving any mass.
static iso_status stand(iso_scene_build* build, int body, const welded_group* group) {
    const iso_scene_start* start = &build->starts.data[body];
    if (!start->may_stand || start->parent_joint >= 0 || group->mass != 0.0 ||
        group->movable_joints > 1) {
        return ISO_OK;
    }
    iso_pose x = start->x_b, identity = iso_pose_identity();
    const char* name = iso_model_body(build->model, body)->name;
    iso_scene_warn_once(build, start->source, name,
                        "'%s' has no mass, nor has what is fixed to it: it does not float, but "
                        "stands where it starts, welded to '%s'",
                        name, iso_model_body(build->model, start->base)->name);
    return iso_scene_add_weld(build, start->source, start->base, body, &x, &identity);
}

iso_status iso_scene_stand_roots(iso_scene_build* build) {
    int count = build->starts.count;
    bool is_any = false;
    for (int i = 1; i < count; ++i) {
        is_any = is_any ||
                 (build->starts.data[i].may_stand && iso_model_body(build->model, i)->mass == 0.0 &&
                  build->starts.data[i].parent_joint < 0);
    }
    if (!is_any) {
        return ISO_OK;
    }
    welded_group* groups = iso_alloc_array(build->ctx, count, sizeof *groups);
    ISO_REQUIRE(build->ctx, groups, ISO_ERR_MEMORY, "groups of %d bodies", count);
    for (int i = 0; i < count; ++i) {
        groups[i] = (welded_group){0};
    }
    find_groups(build, groups);
    iso_status status = ISO_OK;
    for (int i = 1; i < count && status == ISO_OK; ++i) {
        status = stand(build, i, &groups[i]);
    }
    iso_free(build->ctx, groups);
    return status;
}
