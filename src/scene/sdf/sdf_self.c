// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// <self_collide>: which links of a model touch each other.

#include "scene/sdf/sdf.h"

#include "base/core/log.h"

// Those of what is merged into the model are its own.
static iso_status add_members(iso_scene_build* build, const iso_sdf_scope* scope,
                              const bool* collides, iso_filter_group* group, bool* out_is_said) {
    *out_is_said = *out_is_said || scope->says_self_collided;
    for (int i = 0; i < scope->node_count; ++i) {
        const iso_sdf_node* node = scope->nodes[i];
        if (node->kind == ISO_SDF_LINK && !node->is_self_collided && collides[node->body]) {
            ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->members));
            group->members.data[group->members.count++] = node->body;
        } else if (node->model && node->model->is_merged) {
            ISO_SCENE_TRY(add_members(build, node->model, collides, group, out_is_said));
        }
    }
    return ISO_OK;
}

// Of n links that joints do not tie together all, someone may miss a contact.
static void say_what_does_not_touch(iso_scene_build* build, const iso_sdf_scope* scope,
                                    const iso_filter_group* group, bool* is_member) {
    int count = group->members.count, tied = 0;
    for (int i = 0; i < count; ++i) {
        is_member[group->members.data[i]] = true;
    }
    for (int j = 0; j < iso_model_joint_count(build->model); ++j) {
        const iso_joint_desc* joint = iso_model_joint(build->model, j);
        tied += is_member[joint->parent] && is_member[joint->child];
    }
    for (int i = 0; i < count; ++i) {
        is_member[group->members.data[i]] = false;
    }
    if ((double)count * (count - 1) / 2.0 > tied) {
        iso_log(build->ctx, ISO_LOG_INFO,
                "%s:%d: links of model '%s' do not touch each other, as the format has it where "
                "<self_collide> is not said",
                iso_xml_source(scope->element).file, iso_xml_source(scope->element).line,
                scope->scoped_name);
    }
}

static iso_status exclude_in(iso_scene_build* build, const iso_sdf_scope* scope, bool* collides,
                             bool* is_member) {
    for (int i = 0; i < scope->node_count; ++i) {
        const iso_sdf_scope* model = scope->nodes[i]->model;
        ISO_SCENE_TRY(model ? exclude_in(build, model, collides, is_member) : ISO_OK);
    }
    if (scope->is_world || scope->is_merged || scope->is_static || scope->robot) {
        return ISO_OK;
    }
    const char* name = NULL;
    bool is_said = false;
    ISO_SCENE_TRY(iso_scene_scoped(build, scope->scoped_name, "__self_collide__", &name));
    iso_filter_group* group = iso_scene_add_group(build, iso_xml_source(scope->element), name);
    ISO_REQUIRE(build->ctx, group, ISO_ERR_MEMORY, "links of model '%s'", scope->scoped_name);
    ISO_SCENE_TRY(add_members(build, scope, collides, group, &is_said));
    if (group->members.count < 2) {
        ISO_ARRAY_FREE(build->ctx, &group->members);
        --build->groups.count;
        return ISO_OK;
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->ignored));
    group->ignored.data[group->ignored.count++] = name;
    if (!is_said) {
        say_what_does_not_touch(build, scope, group, is_member);
    }
    return ISO_OK;
}

iso_status iso_sdf_exclude_links(iso_sdf_reader* reader, const iso_sdf_scope* scope) {
    iso_scene_build* build = reader->build;
    int count = iso_model_body_count(build->model), owner;
    bool* collides = iso_arena_push_array(&build->arena, 2 * count, sizeof *collides);
    ISO_REQUIRE(build->ctx, collides, ISO_ERR_MEMORY, "%d bodies", count);
    for (int i = 0; i < 2 * count; ++i) {
        collides[i] = false;
    }
    for (int i = 0; i < iso_model_geometry_count(build->model); ++i) {
        (void)iso_model_geometry(build->model, i, &owner);
        collides[owner] = true;
    }
    return exclude_in(build, scope, collides, collides + count);
}
