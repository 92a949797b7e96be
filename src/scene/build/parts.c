// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "isobar/mesh_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

iso_status iso_scene_source_text(iso_scene_build* build, iso_source at, const char** out_text) {
    return at.line > 0 ? iso_scene_format(build, out_text, "%s:%d", at.file, at.line)
                       : iso_scene_format(build, out_text, "%s", at.file ? at.file : "scene");
}

iso_status iso_scene_add_body(iso_scene_build* build, iso_source at, const iso_body_desc* desc,
                              const iso_pose* x_wb, int* out_body) {
    iso_body_desc body = *desc;
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &body.source));
    ISO_SCENE_REQUIRE(build, at, iso_model_find_body(build->model, body.name) < 0, ISO_ERR_PARSE,
                      "there is already a body named '%s'; names are unique in a scene (give the "
                      "model another name)",
                      body.name);
    iso_status status = iso_model_add_body(build->model, &body, out_body);
    if (status != ISO_OK) {
        return iso_scene_fail_at(build, at, status);
    }
    iso_pose identity = iso_pose_identity();
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->starts));
    build->starts.data[build->starts.count++] =
        (iso_scene_start){.source = at, .base = ISO_WORLD_BODY, .x_b = *x_wb, .parent_joint = -1};
    return iso_scene_add_frame(build, at, body.name, *out_body, &identity);
}

iso_status iso_scene_add_joint(iso_scene_build* build, iso_source at, const iso_joint_desc* desc,
                               int* out_joint) {
    iso_joint_desc joint = *desc;
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &joint.source));
    const char* child = iso_model_body(build->model, joint.child)->name;
    ISO_SCENE_REQUIRE(build, at, joint.child != ISO_WORLD_BODY, ISO_ERR_PARSE,
                      "joint '%s' has the world as its child", joint.name);
    ISO_SCENE_REQUIRE(build, at, joint.child != joint.parent, ISO_ERR_PARSE,
                      "joint '%s' joins body '%s' to itself", joint.name, child);
    iso_scene_start* start = &build->starts.data[joint.child];
    if (out_joint) {
        *out_joint = -1;
    }
    ISO_SCENE_REQUIRE(build, at, iso_model_find_joint(build->model, joint.name) < 0, ISO_ERR_PARSE,
                      "there is already a joint named '%s'", joint.name);
    if (start->parent_joint >= 0) {
        return iso_scene_close_loop(build, at, &joint);
    }
    int index = -1;
    iso_status status = iso_model_add_joint(build->model, &joint, &index);
    if (status != ISO_OK) {
        return iso_scene_fail_at(build, at, status);
    }
    start->parent_joint = index;
    if (out_joint) {
        *out_joint = index;
    }
    return ISO_OK;
}

iso_status iso_scene_add_actuator(iso_scene_build* build, iso_source at,
                                  const iso_actuator_desc* desc, int* out_actuator) {
    iso_status status = iso_model_add_actuator(build->model, desc, out_actuator);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}

iso_status iso_scene_check_actuator(iso_scene_build* build, iso_source at,
                                    const iso_actuator_desc* actuator) {
    iso_status status = iso_actuator_desc_check(build->ctx, actuator);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}

iso_status iso_scene_add_weld(iso_scene_build* build, iso_source at, int parent, int child,
                              const iso_pose* x_parent_joint, const iso_pose* x_child_joint) {
    iso_joint_desc weld = iso_joint_desc_default();
    ISO_SCENE_TRY(iso_scene_format(build, &weld.name, "%s_welds_to_%s",
                                   iso_model_body(build->model, parent)->name,
                                   iso_model_body(build->model, child)->name));
    weld.kind = ISO_JOINT_WELD;
    weld.parent = parent;
    weld.child = child;
    weld.x_pf = *x_parent_joint;
    weld.x_cm = *x_child_joint;
    return iso_scene_add_joint(build, at, &weld, NULL);
}

static const char* part_name(iso_scene_build* build, int index, bool is_visual, int* out_body) {
    return is_visual ? iso_model_visual(build->model, index, out_body)->name
                     : iso_model_geometry(build->model, index, out_body)->name;
}

// k of "stem_k", 0 of the stem itself, -1 of other names.
static long suffix_of(const char* name, const char* stem) {
    size_t length = strlen(stem);
    char* end = NULL;
    if (strncmp(name, stem, length) != 0) {
        return -1;
    }
    if (name[length] == '\0') {
        return 0;
    }
    if (name[length] != '_' || name[length + 1] < '1' || name[length + 1] > '9') {
        return -1;
    }
    long suffix = strtol(name + length + 1, &end, 10);
    return *end == '\0' ? suffix : -1;
}

iso_status iso_scene_unique_part_name(iso_scene_build* build, int body, bool is_visual,
                                      const char* wanted, const char* fallback,
                                      const char** out_name) {
    const char* stem = wanted && *wanted ? wanted : fallback;
    int count =
        is_visual ? iso_model_visual_count(build->model) : iso_model_geometry_count(build->model);
    bool* is_taken = iso_alloc_zeroed(build->ctx, (size_t)count + 1);
    int owner = -1, suffix = 0;
    ISO_REQUIRE(build->ctx, is_taken, ISO_ERR_MEMORY, "names of %d parts", count);
    for (int i = 0; i < count; ++i) { // those of one body may lie far apart
        const char* name = part_name(build, i, is_visual, &owner);
        long taken = owner == body ? suffix_of(name, stem) : -1;
        if (taken >= 0 && taken <= count) {
            is_taken[taken] = true;
        }
    }
    while (is_taken[suffix]) { // fewer parts than suffixes
        ++suffix;
    }
    iso_free(build->ctx, is_taken);
    *out_name = stem;
    return suffix == 0 ? ISO_OK : iso_scene_format(build, out_name, "%s_%d", stem, suffix);
}

// A geometry of the body that has this name without having been given it.
static iso_geometry_desc* find_made_up(iso_scene_build* build, int body, const char* name) {
    iso_geometry_desc* found = NULL;
    int owner = -1;
    for (int i = 0; i < build->named_by_file.count && !found; ++i) {
        iso_geometry_desc* geometry = iso_model_geometry(build->model, i, &owner);
        bool has_it = owner == body && strcmp(geometry->name, name) == 0;
        found = has_it && !build->named_by_file.data[i] ? geometry : NULL;
    }
    return found;
}

// Whoever is given a name has it, also after another one made it up.
static iso_status name_geometry(iso_scene_build* build, int body, const char* wanted,
                                const char** out_name) {
    bool is_given = wanted && *wanted;
    iso_geometry_desc* other = is_given ? find_made_up(build, body, wanted) : NULL;
    ISO_SCENE_TRY(iso_scene_unique_part_name(build, body, false, other ? NULL : wanted, "collision",
                                             out_name));
    if (other) {
        const char* made_up = iso_strdup(build->ctx, *out_name);
        ISO_REQUIRE(build->ctx, made_up, ISO_ERR_MEMORY, "name of a geometry");
        iso_free(build->ctx, (void*)(uintptr_t)other->name);
        other->name = made_up;
        *out_name = wanted;
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->named_by_file));
    build->named_by_file.data[build->named_by_file.count++] = is_given;
    return ISO_OK;
}

static bool is_mesh(const iso_shape_desc* shape) {
    return (shape->kind == ISO_SHAPE_MESH || shape->kind == ISO_SHAPE_CONVEX) && shape->path;
}

iso_status iso_scene_add_geometry(iso_scene_build* build, iso_source at, int body,
                                  const iso_geometry_desc* desc, unsigned stated) {
    iso_geometry_desc geometry = *desc;
    if (geometry.shape.kind == ISO_SHAPE_SPHERE && geometry.shape.radius == 0.0) {
        iso_scene_warn_once(build, at, "sphere of radius 0",
                            "a sphere of radius 0 makes no contact and is left out");
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_scene_check_shape(build, at, &geometry.shape));
    ISO_SCENE_TRY(iso_scene_check_material(build, at, &geometry.material));
    if (is_mesh(&geometry.shape)) {
        ISO_SCENE_REQUIRE(build, at, iso_scene_file_exists(build, geometry.shape.path), ISO_ERR_IO,
                          "collision mesh '%s' cannot be read: %s", geometry.shape.path,
                          build->is_memory_only ? "no files while reading from memory"
                                                : iso_file_fault(geometry.shape.path));
    }
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &geometry.source));
    ISO_SCENE_TRY(name_geometry(build, body, desc->name, &geometry.name));
    iso_status status = iso_model_add_geometry(build->model, body, &geometry, NULL);
    if (status != ISO_OK) {
        return iso_scene_fail_at(build, at, status);
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->learned));
    build->learned.data[build->learned.count++] = NULL;
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->stated_materials));
    build->stated_materials.data[build->stated_materials.count++] = stated;
    return ISO_OK;
}

iso_status iso_scene_add_visual(iso_scene_build* build, iso_source at, int body,
                                const iso_visual_desc* desc) {
    iso_visual_desc visual = *desc;
    if (visual.shape.kind == ISO_SHAPE_SPHERE && visual.shape.radius == 0.0) {
        return ISO_OK; // nothing to see
    }
    ISO_SCENE_TRY(iso_scene_check_shape(build, at, &visual.shape));
    if (is_mesh(&visual.shape)) {
        const char* path = visual.shape.path;
        bool is_known = iso_mesh_file_kind_of(path) != ISO_MESH_FILE_NONE;
        if (!is_known || !iso_scene_file_exists(build, path)) {
            iso_scene_warn_once(build, at, path, "visual mesh '%s' %s and is not shown", path,
                                is_known ? "cannot be read" : "is of an unknown kind");
            return ISO_OK;
        }
    }
    ISO_SCENE_TRY(
        iso_scene_unique_part_name(build, body, true, desc->name, "visual", &visual.name));
    iso_status status = iso_model_add_visual(build->model, body, &visual, NULL);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}
