// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// An MJCF file that is included in SDFormat: its bodies are known in the scope of a nested model,
// and what it fixes to the world is fixed to the world, at the pose of the model.

#include "scene/mjcf/mjcf_read.h"
#include "scene/sdf/sdf.h"

#include <string.h>

iso_status iso_sdf_collect_mujoco(iso_sdf_reader* reader, const xmlNode* root, const char* path,
                                  iso_sdf_scope* parent, const iso_sdf_manner* manner,
                                  iso_sdf_node** out_node) {
    iso_sdf_manner named = *manner;
    ISO_SCENE_TRY(named.rename ? ISO_OK
                               : iso_mjcf_model_name(reader->build, root, path, &named.rename));
    ISO_SCENE_TRY(iso_sdf_add_scope(reader, root, parent, &named, out_node));
    (*out_node)->model->robot = root;
    (*out_node)->model->mujoco_path = path;
    return ISO_OK;
}

// Bodies between the joints of one body are known to nobody.
static iso_status add_links(iso_sdf_reader* reader, iso_sdf_scope* scope) {
    const iso_scene_build* build = reader->build;
    size_t length = strlen(scope->scoped_name);
    for (int body = scope->from.bodies; body < scope->to.bodies; ++body) {
        const char* name = iso_model_body(build->model, body)->name + length + 2; // "::"
        iso_sdf_node* node = NULL;
        ISO_SCENE_TRY(iso_sdf_add_node(reader, scope, ISO_SDF_LINK, scope->robot, name, &node));
        node->body = body;
        node->pose = build->starts.data[body].x_b;
    }
    return ISO_OK;
}

static iso_status read_file(iso_sdf_reader* reader, const iso_sdf_scope* scope, iso_source at) {
    iso_scene_build* build = reader->build;
    char* bytes = NULL;
    size_t size = 0;
    iso_mjcf_manner manner = {.scope = scope->parent->scoped_name,
                              .rename = scope->name,
                              .is_static = scope->is_static,
                              .is_included = true};
    ISO_SCENE_TRY(iso_scene_read_file(build, at, scope->mujoco_path, &bytes, &size));
    iso_status status = iso_mjcf_read_bytes(build, scope->mujoco_path, bytes, size, &manner);
    iso_free(build->ctx, bytes);
    return status;
}

iso_status iso_sdf_read_mujoco(iso_sdf_reader* reader, iso_sdf_scope* scope) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(scope->robot);
    scope->from = iso_scene_mark_parts(build);
    ISO_SCENE_TRY(iso_scene_enter_file(build, at, scope->mujoco_path));
    iso_status status = read_file(reader, scope, at);
    iso_scene_leave_file(build);
    scope->to = iso_scene_mark_parts(build);
    return status == ISO_OK ? add_links(reader, scope) : status;
}

iso_status iso_sdf_place_mujoco(iso_sdf_reader* reader, const iso_sdf_scope* scope) {
    iso_pose x_ws;
    ISO_SCENE_TRY(iso_sdf_scope_pose(reader, scope, &x_ws));
    iso_scene_place_parts(reader->build, &scope->from, &scope->to, &x_ws);
    return ISO_OK;
}
