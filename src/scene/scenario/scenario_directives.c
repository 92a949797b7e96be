// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"

#include <string.h>

/// Drake's model directives, as Drake writes them.
typedef struct directive_reader {
    iso_scene_build* build;
    const char* scope;
    const iso_yaml_node* node; ///< what follows the directive's name
} directive_reader;

static iso_status check_keys(const directive_reader* reader, const char* what,
                             const char* const* known) {
    ISO_SCENE_REQUIRE(reader->build, reader->node->source, reader->node->kind == ISO_YAML_MAPPING,
                      ISO_ERR_PARSE, "%s is not a mapping", what);
    return iso_yaml_check_mapping(reader->build, reader->node, what, known);
}

// --- models --------------------------------------------------------------------------------------

static iso_status set_joint_positions(const directive_reader* reader, const char* model) {
    iso_scene_build* build = reader->build;
    const iso_yaml_node* positions = iso_yaml_get(reader->node, "default_joint_positions");
    if (iso_yaml_is_null(positions)) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, positions->source, positions->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "default_joint_positions is not a mapping of joints to [position]");
    for (int i = 0; i < positions->count; ++i) {
        const iso_yaml_node* list = positions->children[i];
        const char* name = NULL;
        int joint = -1;
        double values[4] = {0.0};
        ISO_SCENE_TRY(iso_scene_scoped(build, model, positions->keys[i], &name));
        ISO_SCENE_TRY(iso_scene_find_joint(build, list->source, name, &joint));
        int count = iso_scene_position_count(iso_model_joint(build->model, joint)->kind);
        count = count >= 1 && count <= 4 ? count : 1; // of other joints: refused below
        ISO_SCENE_TRY(iso_yaml_numbers(build, list, positions->keys[i], count, values));
        ISO_SCENE_TRY(iso_scene_set_position(build, list->source, joint, values, count, false));
    }
    return ISO_OK;
}

static iso_status set_free_poses(const directive_reader* reader, const char* model) {
    iso_scene_build* build = reader->build;
    const iso_yaml_node* poses = iso_yaml_get(reader->node, "default_free_body_pose");
    if (iso_yaml_is_null(poses)) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, poses->source, poses->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "default_free_body_pose is not a mapping of bodies to poses");
    for (int i = 0; i < poses->count; ++i) {
        iso_source at = poses->children[i]->source;
        const char* name = NULL;
        iso_scene_frame body, base;
        iso_pose x;
        ISO_SCENE_TRY(iso_scene_scoped(build, model, poses->keys[i], &name));
        ISO_SCENE_TRY(iso_scene_require_frame(build, at, name, &body));
        ISO_SCENE_TRY(iso_scenario_read_pose(build, poses->children[i], "default_free_body_pose",
                                             reader->scope, &base, &x));
        iso_scene_set_start(build, at, body.body, &base, &x);
    }
    return ISO_OK;
}

static iso_status add_model(const directive_reader* reader) {
    static const char* const known[] = {
        "file", "name", "default_joint_positions", "default_free_body_pose", "keyframe", NULL};
    iso_scene_build* build = reader->build;
    const char* file = NULL;
    const char* name = NULL;
    const char* path = NULL;
    const char* model = NULL;
    ISO_SCENE_TRY(check_keys(reader, "add_model", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, reader->node, "add_model", "file", &file));
    ISO_SCENE_TRY(iso_yaml_require_text(build, reader->node, "add_model", "name", &name));
    iso_source at = iso_yaml_get(reader->node, "file")->source;
    ISO_SCENE_TRY(iso_scene_resolve_uri(build, at, file, &path));
    ISO_SCENE_TRY(iso_yaml_get_text(build, reader->node, "keyframe", &build->keyframe));
    ISO_SCENE_TRY(iso_scene_read_model(build, at, path, reader->scope, name));
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &model));
    ISO_SCENE_TRY(set_joint_positions(reader, model));
    return set_free_poses(reader, model);
}

static iso_status add_model_instance(const directive_reader* reader) {
    static const char* const known[] = {"name", NULL};
    const char* name = NULL; // only a scope of names, which need no declaration here
    ISO_SCENE_TRY(check_keys(reader, "add_model_instance", known));
    return iso_yaml_require_text(reader->build, reader->node, "add_model_instance", "name", &name);
}

// --- frames and welds ----------------------------------------------------------------------------

static iso_status add_frame(const directive_reader* reader) {
    static const char* const known[] = {"name", "X_PF", NULL};
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    const char* scoped = NULL;
    iso_yaml_node* pose = NULL;
    iso_scene_frame base;
    iso_pose x_pf;
    ISO_SCENE_TRY(check_keys(reader, "add_frame", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, reader->node, "add_frame", "name", &name));
    ISO_SCENE_TRY(iso_yaml_require(build, reader->node, "add_frame", "X_PF", &pose));
    ISO_SCENE_REQUIRE(build, pose->source, iso_yaml_get(pose, "base_frame"), ISO_ERR_PARSE,
                      "X_PF needs the key 'base_frame'");
    ISO_SCENE_TRY(iso_scenario_read_pose(build, pose, "X_PF", reader->scope, &base, &x_pf));
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &scoped));
    iso_pose x_bf = iso_pose_mul(&base.x_bf, &x_pf);
    return iso_scene_add_frame(build, reader->node->source, scoped, base.body, &x_bf);
}

static iso_status add_weld(const directive_reader* reader) {
    static const char* const known[] = {"parent", "child", "X_PC", NULL};
    iso_scene_build* build = reader->build;
    const char* parent_name = NULL;
    const char* child_name = NULL;
    iso_scene_frame parent, child, base;
    iso_pose x_pc;
    iso_source at = reader->node->source;
    ISO_SCENE_TRY(check_keys(reader, "add_weld", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, reader->node, "add_weld", "parent", &parent_name));
    ISO_SCENE_TRY(iso_yaml_require_text(build, reader->node, "add_weld", "child", &child_name));
    ISO_SCENE_TRY(iso_scenario_find_frame(build, at, reader->scope, parent_name, &parent));
    ISO_SCENE_TRY(iso_scenario_find_frame(build, at, reader->scope, child_name, &child));
    const iso_yaml_node* pose = iso_yaml_get(reader->node, "X_PC");
    ISO_SCENE_REQUIRE(build, pose ? pose->source : at, !iso_yaml_get(pose, "base_frame"),
                      ISO_ERR_PARSE, "X_PC is a pose in the parent; it has no base_frame");
    ISO_SCENE_TRY(iso_scenario_read_pose(build, pose, "X_PC", reader->scope, &base, &x_pc));
    iso_pose x_parent = iso_pose_mul(&parent.x_bf, &x_pc);
    return iso_scene_add_weld(build, at, parent.body, child.body, &x_parent, &child.x_bf);
}

// --- collision filters ---------------------------------------------------------------------------

static iso_status add_members(const directive_reader* reader, iso_filter_group* group) {
    iso_scene_build* build = reader->build;
    const iso_yaml_node* list = iso_yaml_get(reader->node, "members");
    if (iso_yaml_is_null(list)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, list, "members"));
    for (int i = 0; i < list->count; ++i) {
        const char* name = NULL;
        iso_scene_frame frame;
        iso_source at = list->children[i]->source;
        ISO_SCENE_TRY(iso_yaml_text(build, list->children[i], "a member", &name));
        ISO_SCENE_TRY(iso_scenario_find_frame(build, at, reader->scope, name, &frame));
        ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->members));
        group->members.data[group->members.count++] = frame.body;
    }
    return ISO_OK;
}

static iso_status scoped_names(const directive_reader* reader, const char* key, int* out_count,
                               const char*** out_names) {
    iso_scene_build* build = reader->build;
    const iso_yaml_node* list = iso_yaml_get(reader->node, key);
    *out_count = 0;
    if (iso_yaml_is_null(list)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, list, key));
    *out_names = iso_arena_push_array(&build->arena, list->count, sizeof **out_names);
    ISO_REQUIRE(build->ctx, *out_names || list->count == 0, ISO_ERR_MEMORY, "group names");
    for (int i = 0; i < list->count; ++i) {
        const char* name = NULL;
        ISO_SCENE_TRY(iso_yaml_text(build, list->children[i], key, &name));
        ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &(*out_names)[i]));
    }
    *out_count = list->count;
    return ISO_OK;
}

static iso_status add_collision_filter_group(const directive_reader* reader) {
    static const char* const known[] = {"name", "members", "member_groups",
                                        "ignored_collision_filter_groups", NULL};
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    const char* scoped = NULL;
    const char** names = NULL;
    int count = 0;
    ISO_SCENE_TRY(check_keys(reader, "add_collision_filter_group", known));
    ISO_SCENE_TRY(
        iso_yaml_require_text(build, reader->node, "add_collision_filter_group", "name", &name));
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &scoped));
    iso_filter_group* group = iso_scene_add_group(build, reader->node->source, scoped);
    ISO_REQUIRE(build->ctx, group, ISO_ERR_MEMORY, "collision filter group");
    ISO_SCENE_TRY(add_members(reader, group));
    ISO_SCENE_TRY(scoped_names(reader, "member_groups", &count, &names));
    for (int i = 0; i < count; ++i) {
        ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->groups));
        group->groups.data[group->groups.count++] = names[i];
    }
    ISO_SCENE_TRY(scoped_names(reader, "ignored_collision_filter_groups", &count, &names));
    for (int i = 0; i < count; ++i) {
        ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->ignored));
        group->ignored.data[group->ignored.count++] = names[i];
    }
    return ISO_OK;
}

// --- nested files --------------------------------------------------------------------------------

static iso_status read_nested(iso_scene_build* build, iso_source at, const char* path,
                              const char* scope) {
    static const char* const known[] = {"directives", NULL};
    char* bytes = NULL;
    size_t size = 0;
    iso_yaml_node* root = NULL;
    ISO_SCENE_TRY(iso_scene_read_file(build, at, path, &bytes, &size));
    iso_status status = iso_yaml_parse(build, path, bytes, size, &root);
    iso_free(build->ctx, bytes);
    ISO_SCENE_TRY(status);
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, root, "a file of add_directives", known));
    const iso_yaml_node* directives = iso_yaml_get(root, "directives");
    return iso_scenario_read_directives(build, directives, scope);
}

static iso_status add_directives(const directive_reader* reader) {
    static const char* const known[] = {"file", "model_namespace", NULL};
    iso_scene_build* build = reader->build;
    const char* file = NULL;
    const char* path = NULL;
    const char* inner = "";
    const char* scope = reader->scope;
    ISO_SCENE_TRY(check_keys(reader, "add_directives", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, reader->node, "add_directives", "file", &file));
    ISO_SCENE_TRY(iso_yaml_get_text(build, reader->node, "model_namespace", &inner));
    iso_source at = iso_yaml_get(reader->node, "file")->source;
    if (*inner) {
        ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, inner, &scope));
    }
    ISO_SCENE_TRY(iso_scene_resolve_uri(build, at, file, &path));
    ISO_SCENE_TRY(iso_scene_enter_file(build, at, path));
    iso_status status = read_nested(build, at, path, scope);
    iso_scene_leave_file(build);
    return status;
}

static const struct {
    const char* name;
    iso_status (*read)(const directive_reader* reader);
} k_directives[] = {
    {"add_model", add_model},
    {"add_model_instance", add_model_instance},
    {"add_frame", add_frame},
    {"add_weld", add_weld},
    {"add_collision_filter_group", add_collision_filter_group},
    {"add_directives", add_directives},
};

static iso_status read_directive(iso_scene_build* build, const iso_yaml_node* node,
                                 const char* scope) {
    bool is_mapping = node->kind == ISO_YAML_MAPPING;
    ISO_SCENE_REQUIRE(build, node->source, is_mapping && node->count == 1, ISO_ERR_PARSE,
                      "a directive is one key, such as add_model, and its mapping%s%.40s",
                      is_mapping && node->count > 1 ? "; beside it is " : "",
                      is_mapping && node->count > 1 ? node->keys[1] : "");
    for (size_t i = 0; i < sizeof k_directives / sizeof *k_directives; ++i) {
        if (strcmp(node->keys[0], k_directives[i].name) == 0) {
            directive_reader reader = {build, scope, node->children[0]};
            return k_directives[i].read(&reader);
        }
    }
    return iso_scene_fail(build, node->source, ISO_ERR_UNSUPPORTED,
                          "unknown directive '%s', expected add_model, add_model_instance, "
                          "add_frame, add_weld, add_collision_filter_group or add_directives",
                          node->keys[0]);
}

iso_status iso_scenario_read_directives(iso_scene_build* build, const iso_yaml_node* directives,
                                        const char* scope) {
    if (iso_yaml_is_null(directives)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, directives, "directives"));
    for (int i = 0; i < directives->count; ++i) {
        ISO_SCENE_TRY(read_directive(build, directives->children[i], scope));
    }
    return ISO_OK;
}
