// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include "base/values/hash.h"

#include <string.h>

static iso_status find_frame(iso_scene_build* build, const char* name, int* out_index) {
    iso_name_list list =
        ISO_NAME_LIST(build->frames.data, build->frames.count, iso_scene_frame, name);
    return iso_name_index_find(build->ctx, &build->frame_index, &list, name, out_index);
}

iso_status iso_scene_is_frame(iso_scene_build* build, const char* name, bool* out_is) {
    int index = -1;
    iso_status status = find_frame(build, name, &index);
    *out_is = index >= 0;
    return status;
}

iso_status iso_scene_add_frame(iso_scene_build* build, iso_source at, const char* name, int body,
                               const iso_pose* x_bf) {
    bool is_taken = false;
    ISO_SCENE_TRY(iso_scene_is_frame(build, name, &is_taken));
    ISO_SCENE_REQUIRE(build, at, !is_taken, ISO_ERR_PARSE,
                      "there is already a body or frame named '%s'", name);
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->frames));
    iso_scene_frame frame = {.body = body, .x_bf = *x_bf};
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &frame.source));
    ISO_SCENE_TRY(iso_scene_copy_text(build, name, strlen(name), &frame.name));
    build->frames.data[build->frames.count++] = frame;
    return ISO_OK;
}

static iso_status require_name(const iso_scene_build* build, iso_source at, iso_name_index* index,
                               const iso_name_list* list, const char* noun, const char* name,
                               int* out_index) {
    char text[ISO_NAME_TEXT_SIZE];
    ISO_SCENE_TRY(iso_name_index_find_scoped(build->ctx, index, list, name, out_index));
    ISO_SCENE_REQUIRE(build, at, *out_index >= 0, ISO_ERR_NOT_FOUND, "%s",
                      iso_name_list_explain(list, noun, name, text, sizeof text));
    return ISO_OK;
}

iso_status iso_scene_require_frame(iso_scene_build* build, iso_source at, const char* name,
                                   iso_scene_frame* out_frame) {
    iso_name_list list =
        ISO_NAME_LIST(build->frames.data, build->frames.count, iso_scene_frame, name);
    int index = -1;
    ISO_SCENE_TRY(
        require_name(build, at, &build->frame_index, &list, "body or frame", name, &index));
    *out_frame = build->frames.data[index];
    return ISO_OK;
}

// The model is not changed: only its names are read.
static iso_model* model_of(const void* owner) {
    return (iso_model*)(uintptr_t)owner;
}
static const char* body_name(const void* owner, int index) {
    return iso_model_body(model_of(owner), index)->name;
}
static const char* joint_name(const void* owner, int index) {
    return iso_model_joint(model_of(owner), index)->name;
}
static const char* actuator_name(const void* owner, int index) {
    return iso_model_actuator(model_of(owner), index)->name;
}

static const char* fixed_tendon_name(const void* owner, int index) {
    return iso_model_fixed_tendon(model_of(owner), index)->name;
}

iso_name_list iso_scene_body_names(const iso_scene_build* build) {
    return (iso_name_list){
        .at = body_name, .owner = build->model, .count = iso_model_body_count(build->model)};
}

iso_name_list iso_scene_joint_names(const iso_scene_build* build) {
    return (iso_name_list){
        .at = joint_name, .owner = build->model, .count = iso_model_joint_count(build->model)};
}

// "" is in no list.
static const char* moving_joint_name(const void* owner, int index) {
    const iso_joint_desc* joint = iso_model_joint((iso_model*)(uintptr_t)owner, index);
    return joint->kind == ISO_JOINT_WELD ? "" : joint->name;
}

iso_name_list iso_scene_moving_joint_names(const iso_scene_build* build) {
    iso_name_list list = iso_scene_joint_names(build);
    list.at = moving_joint_name;
    return list;
}

iso_status iso_scene_find_body(iso_scene_build* build, iso_source at, const char* name,
                               int* out_body) {
    iso_name_list list = iso_scene_body_names(build);
    return require_name(build, at, &build->body_index, &list, "body", name, out_body);
}

iso_status iso_scene_find_joint(iso_scene_build* build, iso_source at, const char* name,
                                int* out_joint) {
    iso_name_list list = iso_scene_joint_names(build);
    return require_name(build, at, &build->joint_index, &list, "joint", name, out_joint);
}

static iso_name_list actuator_names(const iso_scene_build* build) {
    return (iso_name_list){.at = actuator_name,
                           .owner = build->model,
                           .count = iso_model_actuator_count(build->model)};
}

iso_status iso_scene_find_actuator(iso_scene_build* build, iso_source at, const char* name,
                                   int* out_actuator) {
    iso_name_list list = actuator_names(build);
    return require_name(build, at, &build->actuator_index, &list, "actuator", name, out_actuator);
}

iso_status iso_scene_find_fixed_tendon(iso_scene_build* build, iso_source at, const char* name,
                                       int* out_tendon) {
    iso_name_list list = {.at = fixed_tendon_name,
                          .owner = build->model,
                          .count = iso_model_fixed_tendon_count(build->model)};
    return require_name(build, at, &build->tendon_index, &list, "fixed tendon", name, out_tendon);
}

// --- new names -----------------------------------------------------------------------------------

typedef struct wanted_suffix {
    const iso_scene_build* build;
    const iso_name_index* index;
    const char* stem;
} wanted_suffix;

static bool is_suffix_of(const void* user, int i) {
    const wanted_suffix* wanted = user;
    const iso_scene_suffix* suffix = &wanted->build->suffixes.data[i];
    return suffix->index == wanted->index && strcmp(suffix->stem, wanted->stem) == 0;
}

// What a stem had behind it the last time that it was taken.
static iso_status find_suffix(iso_scene_build* build, const iso_name_index* index, const char* stem,
                              iso_scene_suffix** out) {
    wanted_suffix wanted = {build, index, stem};
    uint64_t hash = iso_hash_text(ISO_HASH_SEED, stem);
    int at = iso_name_table_find(&build->suffix_table, hash, is_suffix_of, &wanted);
    if (at < 0) {
        at = build->suffixes.count;
        iso_scene_suffix new = {.index = index, .next = 1};
        ISO_SCENE_TRY(iso_scene_copy_text(build, stem, strlen(stem), &new.stem));
        ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->suffixes));
        ISO_SCENE_TRY(iso_name_table_add(build->ctx, &build->suffix_table, hash, at));
        build->suffixes.data[build->suffixes.count++] = new;
    }
    *out = &build->suffixes.data[at];
    return ISO_OK;
}

iso_status iso_scene_unique_name(iso_scene_build* build, iso_name_index* index,
                                 const iso_name_list* taken, const char* wanted,
                                 const char** out_name) {
    int found = -1;
    *out_name = wanted;
    ISO_SCENE_TRY(iso_name_index_find(build->ctx, index, taken, wanted, &found));
    iso_scene_suffix* suffix = NULL;
    if (found >= 0) {
        ISO_SCENE_TRY(find_suffix(build, index, wanted, &suffix));
    }
    for (; found >= 0; ++suffix->next) {
        ISO_SCENE_TRY(iso_scene_format(build, out_name, "%s_%d", wanted, suffix->next));
        ISO_SCENE_TRY(iso_name_index_find(build->ctx, index, taken, *out_name, &found));
    }
    return ISO_OK;
}

iso_status iso_scene_unique_actuator_name(iso_scene_build* build, const char* wanted,
                                          const char** out_name) {
    iso_name_list list = actuator_names(build);
    return iso_scene_unique_name(build, &build->actuator_index, &list, wanted, out_name);
}

// --- starts --------------------------------------------------------------------------------------

void iso_scene_set_start(iso_scene_build* build, iso_source at, int body,
                         const iso_scene_frame* base, const iso_pose* x_fb) {
    iso_scene_start* start = &build->starts.data[body];
    start->source = at;
    start->base = base->body;
    start->x_b = iso_pose_mul(&base->x_bf, x_fb);
}
