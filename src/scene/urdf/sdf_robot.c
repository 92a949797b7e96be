// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A URDF that is included in SDFormat: its links are known in the scope of a nested model.

#include "scene/sdf/sdf.h"
#include "scene/urdf/urdf.h"

#include <string.h>

static iso_status link_name(iso_scene_build* build, const xmlNode* joint, const char* end,
                            const char** out_name) {
    const xmlNode* element = iso_xml_child(joint, end);
    *out_name = NULL;
    ISO_SCENE_TRY(element ? iso_xml_attribute(build, element, "link", out_name) : ISO_OK);
    *out_name = *out_name ? *out_name : "";
    return ISO_OK;
}

// Where a joint puts its child; what is wrong with it the reader of URDF says.
static iso_status place_child(iso_sdf_reader* reader, const xmlNode* joint,
                              const iso_sdf_scope* scope) {
    const char *parent = NULL, *child = NULL;
    ISO_SCENE_TRY(link_name(reader->build, joint, "parent", &parent));
    ISO_SCENE_TRY(link_name(reader->build, joint, "child", &child));
    iso_sdf_node* node = iso_sdf_find_node(reader, scope, child, strlen(child));
    bool is_placed = node && node->relative_to;
    if (!node || is_placed) {
        return ISO_OK;
    }
    node->relative_to = strcmp(parent, "world") == 0 ? "__model__" : parent;
    return iso_urdf_read_origin(reader->build, joint, &node->pose);
}

iso_status iso_sdf_collect_robot(iso_sdf_reader* reader, const xmlNode* robot,
                                 iso_sdf_scope* parent, const iso_sdf_manner* manner,
                                 iso_sdf_node** out_node) {
    ISO_SCENE_TRY(iso_sdf_add_scope(reader, robot, parent, manner, out_node));
    iso_sdf_scope* scope = (*out_node)->model;
    scope->robot = robot;
    for (const xmlNode* child = iso_xml_first(robot); child; child = iso_xml_next(child)) {
        const char* name = NULL;
        iso_sdf_node* node = NULL;
        if (iso_xml_is(child, "link")) {
            ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, child, "name", &name));
            ISO_SCENE_TRY(strcmp(name, "world") == 0
                              ? ISO_OK
                              : iso_sdf_add_node(reader, scope, ISO_SDF_LINK, child, name, &node));
        }
    }
    for (const xmlNode* child = iso_xml_first(robot); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "joint") || iso_xml_is(child, "drake:joint")) {
            ISO_SCENE_TRY(place_child(reader, child, scope));
        }
    }
    return ISO_OK;
}

// A root of a static model stands where it starts.
static iso_status stand(iso_scene_build* build, const iso_sdf_node* link) {
    iso_scene_start start = build->starts.data[link->body];
    iso_pose identity = iso_pose_identity();
    return start.parent_joint < 0 && start.base == ISO_WORLD_BODY
               ? iso_scene_add_weld(build, iso_xml_source(link->element), ISO_WORLD_BODY,
                                    link->body, &start.x_b, &identity)
               : ISO_OK;
}

iso_status iso_sdf_add_robot(iso_sdf_reader* reader, const iso_sdf_scope* scope) {
    iso_scene_build* build = reader->build;
    iso_scene_mark from = iso_scene_mark_parts(build);
    iso_pose x_ws;
    ISO_SCENE_TRY(iso_sdf_scope_pose(reader, scope, &x_ws));
    ISO_SCENE_TRY(iso_urdf_read_robot(build, scope->robot, scope->scoped_name, scope->is_static));
    iso_scene_mark to = iso_scene_mark_parts(build);
    iso_scene_place_parts(build, &from, &to, &x_ws);
    for (int i = 0; i < scope->node_count; ++i) {
        iso_sdf_node* link = scope->nodes[i];
        const char* name = NULL;
        ISO_SCENE_TRY(iso_scene_scoped(build, scope->scoped_name, link->name, &name));
        link->body = iso_model_find_body(build->model, name);
        ISO_SCENE_TRY(link->body >= 0 && scope->is_static ? stand(build, link) : ISO_OK);
    }
    return ISO_OK;
}
