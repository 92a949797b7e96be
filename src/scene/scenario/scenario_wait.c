// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario_program.h"

#include <math.h>
#include <string.h>

static iso_status find_kind(iso_scene_build* build, const iso_yaml_node* node,
                            iso_condition_kind* out_kind, const iso_yaml_node** out_value) {
    *out_value = NULL;
    for (iso_condition_kind i = ISO_CONDITION_TIME; *iso_condition_key(i) != '\0'; ++i) {
        const iso_yaml_node* value = iso_yaml_get(node, iso_condition_key(i));
        if (value) {
            ISO_SCENE_REQUIRE(build, node->source, !*out_value, ISO_ERR_PARSE,
                              "a condition has one of time, contact, position, speed, effort, "
                              "constraint, program, sensor, body_x, body_y, body_z, body_speed");
            *out_kind = i;
            *out_value = value;
        }
    }
    ISO_SCENE_REQUIRE(build, node->source, *out_value, ISO_ERR_PARSE,
                      "a condition needs one of time, contact, position, speed, effort, "
                      "constraint, program, sensor, body_x, body_y, body_z, body_speed");
    return ISO_OK;
}

// Scoped name of a body whose place counts.
static iso_status read_place(iso_scene_build* build, const iso_yaml_node* node,
                             const char** out_name) {
    const char* name = NULL;
    iso_scene_frame frame;
    ISO_SCENE_TRY(iso_yaml_text(build, node, "a body", &name));
    ISO_SCENE_TRY(iso_scene_require_frame(build, node->source, name, &frame));
    const char* body = iso_model_body(build->model, frame.body)->name;
    ISO_SCENE_REQUIRE(build, node->source, strcmp(body, frame.name) == 0, ISO_ERR_PARSE,
                      "'%s' is a frame, expected a body", name);
    return iso_program_text(build, body, out_name);
}

// Scoped name of a body.
static iso_status read_body(iso_scene_build* build, const iso_yaml_node* node,
                            const char** out_name) {
    const char* name = NULL;
    iso_scene_frame frame;
    ISO_SCENE_TRY(iso_yaml_text(build, node, "a body", &name));
    ISO_SCENE_TRY(iso_scene_require_frame(build, node->source, name, &frame));
    return iso_program_text(build, iso_model_body(build->model, frame.body)->name, out_name);
}

static iso_status read_contact(iso_scene_build* build, const iso_yaml_node* value,
                               iso_condition* condition) {
    if (value->kind != ISO_YAML_SEQUENCE) {
        return read_body(build, value, &condition->name);
    }
    ISO_SCENE_REQUIRE(build, value->source, value->count == 1 || value->count == 2, ISO_ERR_PARSE,
                      "contact is a list of %d, expected one body or two", value->count);
    ISO_SCENE_TRY(read_body(build, value->children[0], &condition->name));
    return value->count == 2 ? read_body(build, value->children[1], &condition->other) : ISO_OK;
}

static iso_status read_joint(iso_scene_build* build, const iso_yaml_node* value,
                             iso_condition* condition) {
    const char* name = NULL;
    int joint = -1;
    ISO_SCENE_TRY(iso_yaml_text(build, value, "a joint", &name));
    if (condition->kind == ISO_CONDITION_JOINT_SPEED && strcmp(name, "all") == 0) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_scene_find_joint(build, value->source, name, &joint));
    return iso_program_text(build, iso_model_joint(build->model, joint)->name, &condition->name);
}

static iso_status read_subject(iso_scene_build* build, const iso_yaml_node* node,
                               const iso_yaml_node* value, iso_condition* condition) {
    const char* text = NULL;
    switch (condition->kind) {
    case ISO_CONDITION_TIME:
        return iso_yaml_number(build, value, "time", &condition->value);
    case ISO_CONDITION_CONTACT_FORCE:
        return read_contact(build, value, condition);
    case ISO_CONDITION_JOINT_POSITION:
    case ISO_CONDITION_JOINT_SPEED:
    case ISO_CONDITION_JOINT_EFFORT:
        return read_joint(build, value, condition);
    case ISO_CONDITION_BODY_X:
    case ISO_CONDITION_BODY_Y:
    case ISO_CONDITION_BODY_Z:
    case ISO_CONDITION_BODY_SPEED:
        return read_place(build, value, &condition->name);
    case ISO_CONDITION_PROGRAM: {
        const char* step = NULL;
        ISO_SCENE_TRY(
            iso_yaml_require_text(build, node, "a condition on a program", "step", &step));
        ISO_SCENE_TRY(iso_program_text(build, step, &condition->other));
        break;
    }
    case ISO_CONDITION_SENSOR:
        ISO_SCENE_TRY(
            iso_yaml_get_count(build, node, "component", 0, 1000000000, &condition->component));
        break;
    case ISO_CONDITION_CONSTRAINT_FORCE:
        break;
    }
    ISO_SCENE_TRY(iso_yaml_text(build, value, "a name", &text));
    return iso_program_text(build, text, &condition->name);
}

static iso_status read_condition(iso_scene_build* build, const iso_yaml_node* node,
                                 iso_condition* condition) {
    static const char* const known[] = {
        "time",    "contact",   "position", "speed",  "effort", "constraint",
        "program", "sensor",    "body_x",   "body_y", "body_z", "body_speed",
        "step",    "component", "above",    "below",  NULL};
    const iso_yaml_node* value = NULL;
    *condition = iso_condition_default();
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a condition is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a condition", known));
    ISO_SCENE_TRY(find_kind(build, node, &condition->kind, &value));
    bool is_program = condition->kind == ISO_CONDITION_PROGRAM;
    ISO_SCENE_REQUIRE(
        build, node->source,
        (!iso_yaml_get(node, "step") || is_program) &&
            (!iso_yaml_get(node, "component") || condition->kind == ISO_CONDITION_SENSOR),
        ISO_ERR_PARSE, "step belongs to program, component to sensor");
    ISO_SCENE_TRY(read_subject(build, node, value, condition));
    const iso_yaml_node* above = iso_yaml_get(node, "above");
    const iso_yaml_node* below = iso_yaml_get(node, "below");
    bool is_plain = condition->kind == ISO_CONDITION_TIME || is_program;
    ISO_SCENE_REQUIRE(build, node->source,
                      is_plain ? !above && !below : (above != NULL) != (below != NULL),
                      ISO_ERR_PARSE, "a condition on %s has %s", iso_condition_key(condition->kind),
                      is_plain ? "neither above nor below" : "either above or below");
    condition->is_below = below != NULL;
    return is_plain ? ISO_OK
                    : iso_yaml_number(build, above ? above : below, above ? "above" : "below",
                                      &condition->value);
}

iso_status iso_program_read_conditions(iso_scene_build* build, const iso_yaml_node* node,
                                       const char* key, iso_program_step* step) {
    bool is_list = node->kind == ISO_YAML_SEQUENCE;
    int count = is_list ? node->count : 1;
    void* memory = NULL;
    ISO_SCENE_REQUIRE(build, node->source, count > 0, ISO_ERR_PARSE, "%s is empty", key);
    ISO_SCENE_TRY(iso_program_memory(build, count, sizeof(iso_condition), &memory));
    iso_condition* conditions = memory;
    for (int i = 0; i < count; ++i) {
        ISO_SCENE_TRY(read_condition(build, is_list ? node->children[i] : node, &conditions[i]));
    }
    step->conditions = conditions;
    step->condition_count = count;
    return ISO_OK;
}

iso_status iso_program_read_waits(const iso_program_reader* reader, const iso_yaml_node* node,
                                  iso_program_step* step) {
    static const char* const reactions[] = {"error", "continue"};
    iso_scene_build* build = reader->build;
    const iso_yaml_node* until = iso_yaml_get(node, "until");
    int reaction = 0;
    if (!until) {
        ISO_SCENE_REQUIRE(build, node->source,
                          !iso_yaml_get(node, "timeout") && !iso_yaml_get(node, "on_timeout") &&
                              !iso_yaml_get(node, "hold_time"),
                          ISO_ERR_PARSE, "timeout, on_timeout and hold_time need until");
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_program_read_conditions(build, until, "until", step));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "hold_time", 0.0, false, 1e9, &step->hold_time));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "timeout", 0.0, true, INFINITY, &step->timeout));
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "on_timeout", reactions, 2, &reaction));
    step->is_patient = reaction == 1;
    return ISO_OK;
}
