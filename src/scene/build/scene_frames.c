// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The frames a scene keeps.

#include "scene/build/build.h"

#include <string.h>

void iso_scene_free_frames(iso_context* ctx, iso_scene_frame* frames, int count) {
    for (int i = 0; i < count; ++i) {
        iso_free(ctx, (void*)(uintptr_t)frames[i].name);
        iso_free(ctx, (void*)(uintptr_t)frames[i].source);
    }
    iso_free(ctx, frames);
}

static bool is_body(const iso_scene_build* build, const iso_scene_frame* frame) {
    return strcmp(frame->name, iso_model_body(build->model, frame->body)->name) == 0;
}

iso_status iso_scene_copy_frames(const iso_scene_build* build, iso_scene* out_scene) {
    iso_context* ctx = build->ctx;
    int count = 0;
    for (int i = 0; i < build->frames.count; ++i) {
        count += is_body(build, &build->frames.data[i]) ? 0 : 1;
    }
    if (count == 0) {
        return ISO_OK;
    }
    iso_scene_frame* copies = iso_alloc_array(ctx, count, sizeof *copies);
    ISO_REQUIRE(ctx, copies, ISO_ERR_MEMORY, "%d frames", count);
    int copied = 0;
    bool is_done = true;
    for (int i = 0; i < build->frames.count; ++i) {
        const iso_scene_frame* frame = &build->frames.data[i];
        if (!is_body(build, frame)) {
            iso_scene_frame* copy = &copies[copied++];
            *copy = *frame;
            copy->name = iso_strdup(ctx, frame->name);
            copy->source = iso_strdup(ctx, frame->source);
            is_done = is_done && copy->name && copy->source;
        }
    }
    if (!is_done) {
        iso_scene_free_frames(ctx, copies, count);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "names of %d frames", count);
    }
    out_scene->frames = copies;
    out_scene->frame_count = count;
    return ISO_OK;
}

int iso_scene_find_frame(const iso_scene* scene, const char* name) {
    iso_name_list list = ISO_NAME_LIST(scene ? scene->frames : NULL, scene ? scene->frame_count : 0,
                                       iso_scene_frame, name);
    return iso_name_list_find(&list, name);
}

iso_pose iso_scene_frame_pose(const iso_scene* scene, const iso_world* world, int frame) {
    if (!scene || !world || frame < 0 || frame >= scene->frame_count) {
        return iso_pose_identity();
    }
    const iso_scene_frame* f = &scene->frames[frame];
    int body = f->body == ISO_WORLD_BODY
                   ? 0
                   : iso_world_find_body(world, iso_model_body(scene->model, f->body)->name);
    if (body < 0) {
        return iso_pose_identity();
    }
    iso_pose x_wb = iso_world_body_pose(world, body);
    return iso_pose_mul(&x_wb, &f->x_bf);
}
