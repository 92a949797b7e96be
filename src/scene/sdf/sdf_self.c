// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// <self_collide>: which links of a model touch each other.

#include "scene/sdf/sdf.h"

#include "base/core/log.h"

/// Links of one model that do not touch each other.
typedef struct link_group {
    const iso_sdf_scope* scope;
    int count, tied; ///< links, and joints between two of them
    bool is_said;    ///< by <self_collide>
} link_group;

typedef struct group_list {
    ISO_ARRAY(link_group) groups;
    const bool* collides; ///< [body]
    int first;            ///< number of the first one
} group_list;

// Those of what is merged into the model are its own.
static void add_members(iso_scene_build* build, const iso_sdf_scope* scope, const bool* collides,
                        int exclusion, link_group* group) {
    group->is_said = group->is_said || scope->says_self_collided;
    for (int i = 0; i < scope->node_count; ++i) {
        const iso_sdf_node* node = scope->nodes[i];
        if (node->kind == ISO_SDF_LINK && !node->is_self_collided && collides[node->body]) {
            iso_model_body(build->model, node->body)->exclusion = exclusion;
            ++group->count;
        } else if (node->model && node->model->is_merged) {
            add_members(build, node->model, collides, exclusion, group);
        }
    }
}

static iso_status exclude_in(iso_scene_build* build, const iso_sdf_scope* scope, group_list* list) {
    for (int i = 0; i < scope->node_count; ++i) {
        const iso_sdf_scope* model = scope->nodes[i]->model;
        ISO_SCENE_TRY(model ? exclude_in(build, model, list) : ISO_OK);
    }
    if (scope->is_world || scope->is_merged || scope->is_static || scope->robot) {
        return ISO_OK;
    }
    link_group group = {.scope = scope};
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &list->groups));
    add_members(build, scope, list->collides, ++build->exclusion_count, &group);
    list->groups.data[list->groups.count++] = group;
    return ISO_OK;
}

// Of n links that joints do not tie together all, someone may miss a contact.
static void say_what_does_not_touch(iso_scene_build* build, group_list* list) {
    for (int j = 0; j < iso_model_joint_count(build->model); ++j) {
        const iso_joint_desc* joint = iso_model_joint(build->model, j);
        int own = iso_model_body(build->model, joint->child)->exclusion;
        if (own >= list->first && own == iso_model_body(build->model, joint->parent)->exclusion) {
            ++list->groups.data[own - list->first].tied;
        }
    }
    for (int i = 0; i < list->groups.count; ++i) {
        const link_group* group = &list->groups.data[i];
        if (!group->is_said && 0.5 * group->count * (group->count - 1.0) > group->tied) {
            iso_source at = iso_xml_source(group->scope->element);
            iso_log(build->ctx, ISO_LOG_INFO,
                    "%s:%d: links of model '%s' do not touch each other, as the format has it "
                    "where <self_collide> is not said",
                    at.file, at.line, group->scope->scoped_name);
        }
    }
}

iso_status iso_sdf_exclude_links(iso_sdf_reader* reader, const iso_sdf_scope* scope) {
    iso_scene_build* build = reader->build;
    int count = iso_model_body_count(build->model), owner;
    bool* collides = iso_arena_push_array(&build->arena, count, sizeof *collides);
    ISO_REQUIRE(build->ctx, collides, ISO_ERR_MEMORY, "%d bodies", count);
    for (int i = 0; i < count; ++i) {
        collides[i] = false;
    }
    for (int i = 0; i < iso_model_geometry_count(build->model); ++i) {
        (void)iso_model_geometry(build->model, i, &owner);
        collides[owner] = true;
    }
    group_list list = {.collides = collides, .first = build->exclusion_count + 1};
    iso_status status = exclude_in(build, scope, &list);
    if (status == ISO_OK) {
        say_what_does_not_touch(build, &list);
    }
    ISO_ARRAY_FREE(build->ctx, &list.groups);
    return status;
}
