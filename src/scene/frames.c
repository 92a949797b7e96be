// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build.h"

#include <string.h>

bool iso_scene_is_frame(const iso_scene_build* build, const char* name) {
    for (int i = 0; i < build->frames.count; ++i) {
        if (strcmp(build->frames.data[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

iso_status iso_scene_add_frame(iso_scene_build* build, iso_source at, const char* name, int body,
                               const iso_pose* x_bf) {
    ISO_SCENE_REQUIRE(build, at, !iso_scene_is_frame(build, name), ISO_ERR_PARSE,
                      "there is already a body or frame named '%s'", name);
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->frames));
    iso_scene_frame frame = {.body = body, .x_bf = *x_bf};
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &frame.source));
    ISO_SCENE_TRY(iso_scene_copy_text(build, name, strlen(name), &frame.name));
    build->frames.data[build->frames.count++] = frame;
    return ISO_OK;
}

// Best match so far while names are offered one by one.
typedef struct name_search {
    const char* wanted;
    size_t wanted_length;
    int exact;
    int partial, partial_count;
    const char* partial_names[2];
} name_search;

static name_search start_search(const char* wanted) {
    return (name_search){
        .wanted = wanted, .wanted_length = strlen(wanted), .exact = -1, .partial = -1};
}

static void offer_name(name_search* search, int index, const char* name) {
    if (strcmp(name, search->wanted) == 0) {
        search->exact = index;
        return;
    }
    size_t length = strlen(name);
    if (length > search->wanted_length + 2) {
        const char* tail = name + length - search->wanted_length;
        if (strcmp(tail, search->wanted) == 0 && tail[-1] == ':' && tail[-2] == ':') {
            search->partial = index;
            if (search->partial_count < 2) {
                search->partial_names[search->partial_count] = name;
            }
            ++search->partial_count;
        }
    }
}

static iso_status end_search(const iso_scene_build* build, iso_source at, const name_search* search,
                             const char* noun, int* out_index) {
    if (search->exact >= 0) {
        *out_index = search->exact;
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, at, search->partial_count != 0, ISO_ERR_NOT_FOUND,
                      "there is no %s named '%s'", noun, search->wanted);
    ISO_SCENE_REQUIRE(build, at, search->partial_count == 1, ISO_ERR_NOT_FOUND,
                      "'%s' can be %s '%s' or '%s'; say which", search->wanted, noun,
                      search->partial_names[0], search->partial_names[1]);
    *out_index = search->partial;
    return ISO_OK;
}

iso_status iso_scene_require_frame(iso_scene_build* build, iso_source at, const char* name,
                                   iso_scene_frame* out_frame) {
    name_search search = start_search(name);
    for (int i = 0; i < build->frames.count; ++i) {
        offer_name(&search, i, build->frames.data[i].name);
    }
    int index = -1;
    ISO_SCENE_TRY(end_search(build, at, &search, "body or frame", &index));
    *out_frame = build->frames.data[index];
    return ISO_OK;
}

iso_status iso_scene_find_joint(iso_scene_build* build, iso_source at, const char* name,
                                int* out_joint) {
    name_search search = start_search(name);
    for (int i = 0; i < iso_model_joint_count(build->model); ++i) {
        offer_name(&search, i, iso_model_joint(build->model, i)->name);
    }
    return end_search(build, at, &search, "joint", out_joint);
}

iso_status iso_scene_find_actuator(iso_scene_build* build, iso_source at, const char* name,
                                   int* out_actuator) {
    name_search search = start_search(name);
    for (int i = 0; i < iso_model_actuator_count(build->model); ++i) {
        offer_name(&search, i, iso_model_actuator(build->model, i)->name);
    }
    return end_search(build, at, &search, "actuator", out_actuator);
}

void iso_scene_set_start(iso_scene_build* build, iso_source at, int body,
                         const iso_scene_frame* base, const iso_pose* x_fb) {
    iso_scene_start* start = &build->starts.data[body];
    start->source = at;
    start->base = base->body;
    start->x_b = iso_pose_mul(&base->x_bf, x_fb);
}
