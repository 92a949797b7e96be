// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "base/values/hash.h"
#include "isobar/mesh_file.h"

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

// Whether a joint would hang the root of a tree on a body of that tree.
static bool ends_where_it_begins(const iso_scene_build* build, const iso_joint_desc* joint) {
    iso_mat3 r;
    return iso_scene_root_of(build, joint->parent, &r) == joint->child;
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
    if (out_joint) {
        *out_joint = -1;
    }
    ISO_SCENE_REQUIRE(build, at, iso_model_find_joint(build->model, joint.name) < 0, ISO_ERR_PARSE,
                      "there is already a joint named '%s'", joint.name);
    bool is_held = build->starts.data[joint.child].parent_joint >= 0;
    if (is_held ? !iso_scene_join_trees(build, &joint) : ends_where_it_begins(build, &joint)) {
        return iso_scene_close_loop(build, at, &joint, out_joint);
    }
    int index = -1;
    iso_status status = iso_model_add_joint(build->model, &joint, &index);
    if (status != ISO_OK) {
        return iso_scene_fail_at(build, at, status);
    }
    build->starts.data[joint.child].parent_joint = index;
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

// --- names of parts ------------------------------------------------------------------------------

typedef struct wanted_part_name {
    const iso_scene_build* build;
    int body;
    bool is_visual;
    const char* name;
} wanted_part_name;

static bool is_part_name(const void* user, int index) {
    const wanted_part_name* wanted = user;
    const iso_part_name* p = &wanted->build->part_names.data[index];
    return p->body == wanted->body && p->is_visual == wanted->is_visual &&
           strcmp(p->name, wanted->name) == 0;
}

// A name within a body, which so far no part need have; until the next call.
static iso_status find_part_name(iso_scene_build* build, int body, bool is_visual, const char* name,
                                 iso_part_name** out) {
    wanted_part_name wanted = {build, body, is_visual, name};
    int place = 2 * body + is_visual;
    uint64_t hash = iso_hash_text(iso_hash_bytes(ISO_HASH_SEED, &place, sizeof place), name);
    int index = iso_name_table_find(&build->part_table, hash, is_part_name, &wanted);
    if (index < 0) {
        index = build->part_names.count;
        iso_part_name new = {body, is_visual, NULL, -1, 0};
        ISO_SCENE_TRY(iso_scene_copy_text(build, name, strlen(name), &new.name));
        ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->part_names));
        ISO_SCENE_TRY(iso_name_table_add(build->ctx, &build->part_table, hash, index));
        build->part_names.data[build->part_names.count++] = new;
    }
    *out = &build->part_names.data[index];
    return ISO_OK;
}

// Give a part the wanted name, else with the first of _1, _2, ... behind it that its body has not.
static iso_status name_part(iso_scene_build* build, int body, bool is_visual, const char* stem,
                            int part, const char** out_name) {
    iso_part_name* at = NULL;
    ISO_SCENE_TRY(find_part_name(build, body, is_visual, stem, &at));
    int suffix = at->part >= 0 && at->next == 0 ? 1 : at->next;
    *out_name = stem;
    for (; at->part >= 0; ++suffix) {
        ISO_SCENE_TRY(iso_scene_format(build, out_name, "%s_%d", stem, suffix));
        ISO_SCENE_TRY(find_part_name(build, body, is_visual, *out_name, &at));
    }
    at->part = part;
    ISO_SCENE_TRY(find_part_name(build, body, is_visual, stem, &at));
    at->next = suffix;
    return ISO_OK;
}

// Whoever is given a name has it, also after another one made it up.
static iso_status name_geometry(iso_scene_build* build, int body, const char* wanted,
                                const char** out_name) {
    bool is_given = wanted && *wanted;
    int index = iso_model_geometry_count(build->model), other = -1;
    const char* stem = is_given ? wanted : "collision";
    if (is_given) {
        iso_part_name* at = NULL;
        ISO_SCENE_TRY(find_part_name(build, body, false, wanted, &at));
        bool is_made_up = at->part >= 0 && !build->named_by_file.data[at->part];
        other = is_made_up ? at->part : -1;
        at->part = is_made_up ? index : at->part;
    }
    if (other < 0) {
        ISO_SCENE_TRY(name_part(build, body, false, stem, index, out_name));
    } else {
        iso_geometry_desc* geometry = iso_model_geometry(build->model, other, NULL);
        ISO_SCENE_TRY(name_part(build, body, false, "collision", other, out_name));
        const char* made_up = iso_strdup(build->ctx, *out_name);
        ISO_REQUIRE(build->ctx, made_up, ISO_ERR_MEMORY, "name of a geometry");
        iso_free(build->ctx, (void*)(uintptr_t)geometry->name);
        geometry->name = made_up;
        *out_name = wanted;
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->named_by_file));
    build->named_by_file.data[build->named_by_file.count++] = is_given;
    return ISO_OK;
}

// --- parts ---------------------------------------------------------------------------------------

static bool is_mesh(const iso_shape_desc* shape) {
    return (shape->kind == ISO_SHAPE_MESH || shape->kind == ISO_SHAPE_CONVEX) && shape->path;
}

iso_status iso_scene_add_geometry(iso_scene_build* build, iso_source at, int body,
                                  const iso_geometry_desc* desc, const iso_material_spec* spec) {
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
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->point_laws));
    build->point_laws.data[build->point_laws.count++] = spec->point;
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->stated_materials));
    build->stated_materials.data[build->stated_materials.count++] = spec->stated;
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
    bool is_named = desc->name && *desc->name;
    ISO_SCENE_TRY(name_part(build, body, true, is_named ? desc->name : "visual",
                            iso_model_visual_count(build->model), &visual.name));
    iso_status status = iso_model_add_visual(build->model, body, &visual, NULL);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}
