// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A file that was read as if its world were the world, and is somewhere in it.

#include "scene/build/build.h"

#include <string.h>

iso_scene_mark iso_scene_mark_parts(const iso_scene_build* build) {
    const iso_model* model = build->model;
    return (iso_scene_mark){.bodies = build->starts.count,
                            .joints = iso_model_joint_count(model),
                            .geometries = iso_model_geometry_count(model),
                            .visuals = iso_model_visual_count(model),
                            .fixed_tendons = iso_model_fixed_tendon_count(model),
                            .constraints = iso_model_constraint_count(model),
                            .frames = build->frames.count,
                            .sensors = build->sensors.count};
}

static void place(const iso_pose* x_wm, int body, iso_pose* x) {
    if (body == ISO_WORLD_BODY) {
        *x = iso_pose_mul(x_wm, x);
    }
}

static void place_shapes(iso_model* model, const iso_scene_mark* from, const iso_scene_mark* to,
                         const iso_pose* x_wm) {
    int owner = -1;
    for (int i = from->geometries; i < to->geometries; ++i) {
        iso_geometry_desc* geometry = iso_model_geometry(model, i, &owner);
        place(x_wm, owner, &geometry->x_bg);
    }
    for (int i = from->visuals; i < to->visuals; ++i) {
        iso_visual_desc* visual = iso_model_visual(model, i, &owner);
        place(x_wm, owner, &visual->x_bg);
    }
}

static void place_ties(iso_model* model, const iso_scene_mark* from, const iso_scene_mark* to,
                       const iso_pose* x_wm) {
    for (int i = from->joints; i < to->joints; ++i) {
        iso_joint_desc* joint = iso_model_joint(model, i);
        place(x_wm, joint->parent, &joint->x_pf);
    }
    for (int i = from->constraints; i < to->constraints; ++i) {
        iso_constraint_desc* constraint = iso_model_constraint(model, i);
        place(x_wm, constraint->body_a, &constraint->x_ap);
        place(x_wm, constraint->body_b, &constraint->x_bq);
    }
    for (int i = from->fixed_tendons; i < to->fixed_tendons; ++i) {
        const iso_fixed_tendon_desc* tendon = iso_model_fixed_tendon(model, i);
        iso_route_part* parts = (iso_route_part*)(uintptr_t)tendon->parts; // owned by the model
        for (int k = 0; k < tendon->part_count; ++k) {
            place(x_wm, parts[k].body, &parts[k].x_bs);
            place(x_wm, parts[k].other, &parts[k].x_bo);
        }
    }
}

static bool is_world(const char* body) {
    return body && strcmp(body, "world") == 0;
}

void iso_scene_place_parts(iso_scene_build* build, const iso_scene_mark* from,
                           const iso_scene_mark* to, const iso_pose* x_wm) {
    place_shapes(build->model, from, to, x_wm);
    place_ties(build->model, from, to, x_wm);
    for (int i = from->bodies; i < to->bodies; ++i) {
        iso_scene_start* start = &build->starts.data[i];
        place(x_wm, start->base, &start->x_b);
    }
    for (int i = from->frames; i < to->frames; ++i) {
        iso_scene_frame* frame = &build->frames.data[i];
        place(x_wm, frame->body, &frame->x_bf);
    }
    for (int i = from->sensors; i < to->sensors; ++i) {
        iso_sensor_desc* sensor = &build->sensors.data[i];
        place(x_wm, is_world(sensor->body) ? ISO_WORLD_BODY : -1, &sensor->x_bs);
        place(x_wm, is_world(sensor->other_body) ? ISO_WORLD_BODY : -1, &sensor->x_or);
    }
}
