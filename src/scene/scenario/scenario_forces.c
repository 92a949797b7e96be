// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario_program.h"

#include <stdio.h>
#include <string.h>

// The numbers of a table into memory that lives as long as the scene.
static iso_status keep_values(iso_scene_build* build, int count, const double** values) {
    void* memory = NULL;
    const double* from = *values;
    *values = NULL;
    iso_status status = iso_program_memory(build, count, sizeof(double), &memory);
    if (status == ISO_OK && count > 0) {
        memcpy(memory, from, (size_t)count * sizeof(double));
    }
    iso_free(build->ctx, (void*)(uintptr_t)from);
    *values = memory;
    return status;
}

static iso_status read_component(iso_scene_build* build, const iso_yaml_node* node,
                                 const char* what, iso_signal_desc* signal) {
    ISO_SCENE_TRY(iso_scenario_read_signal(build, node, what, signal));
    if (!signal->table_times) {
        return ISO_OK;
    }
    iso_status status = keep_values(build, signal->table_count, &signal->table_times);
    iso_status value_status = keep_values(build, signal->table_count, &signal->table_values);
    return status != ISO_OK ? status : value_status;
}

// [x, y, z], each a number or a signal.
static iso_status read_components(iso_scene_build* build, const iso_yaml_node* node,
                                  const char* key, iso_signal_desc signals[3]) {
    const iso_yaml_node* list = iso_yaml_get(node, key);
    if (!list) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, list->source, list->kind == ISO_YAML_SEQUENCE, ISO_ERR_PARSE,
                      "%s is no list, expected three numbers or signals, x, y and z", key);
    ISO_SCENE_REQUIRE(build, list->source, list->count == 3, ISO_ERR_PARSE,
                      "%s is a list of %d, expected three numbers or signals, x, y and z", key,
                      list->count);
    for (int i = 0; i < 3; ++i) {
        char what[32];
        snprintf(what, sizeof what, "%s %c [%s]", key, "xyz"[i], *key == 'f' ? "N" : "N m");
        ISO_SCENE_TRY(read_component(build, list->children[i], what, &signals[i]));
    }
    return ISO_OK;
}

static iso_status read_force(iso_scene_build* build, const iso_yaml_node* node,
                             iso_force_desc* desc) {
    static const char* const known[] = {"body", "pose", "axes", "force", "torque", NULL};
    static const char* const axes[] = {"world", "body"};
    const char* name = NULL;
    const char* source = NULL;
    const iso_yaml_node* pose = iso_yaml_get(node, "pose");
    iso_scene_frame frame, base;
    int choice = 0;
    *desc = iso_force_desc_default();
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "an entry of forces is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a force", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a force", "body", &name));
    ISO_SCENE_TRY(iso_scene_require_frame(build, node->source, name, &frame));
    ISO_SCENE_REQUIRE(build, node->source,
                      iso_yaml_get(node, "force") || iso_yaml_get(node, "torque"), ISO_ERR_PARSE,
                      "an entry of forces needs force or torque");
    desc->x_bf = frame.x_bf;
    if (pose) {
        iso_pose x = iso_pose_identity();
        ISO_SCENE_REQUIRE(build, pose->source, !iso_yaml_get(pose, "base_frame"), ISO_ERR_PARSE,
                          "the pose of a force is in '%s', expected no base_frame", name);
        ISO_SCENE_TRY(iso_scenario_read_pose(build, pose, "pose", "", &base, &x));
        desc->x_bf = iso_pose_mul(&frame.x_bf, &x);
    }
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "axes", axes, 2, &choice));
    desc->is_in_body = choice == 1;
    ISO_SCENE_TRY(
        iso_program_text(build, iso_model_body(build->model, frame.body)->name, &desc->body));
    ISO_SCENE_TRY(iso_scene_source_text(build, node->source, &source));
    ISO_SCENE_TRY(iso_program_text(build, source, &desc->source));
    ISO_SCENE_TRY(read_components(build, node, "force", desc->force));
    return read_components(build, node, "torque", desc->torque);
}

iso_status iso_scenario_read_forces(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* forces = iso_yaml_get(scenario->root, "forces");
    void* memory = NULL;
    if (iso_yaml_is_null(forces)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, forces, "forces"));
    ISO_SCENE_TRY(iso_program_memory(build, forces->count, sizeof *build->forces, &memory));
    build->forces = memory;
    for (int i = 0; i < forces->count; ++i) {
        ISO_SCENE_TRY(read_force(build, forces->children[i], &build->forces[i]));
    }
    build->force_count = forces->count;
    return ISO_OK;
}
