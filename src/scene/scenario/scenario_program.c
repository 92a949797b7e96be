// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario_program.h"

#include <math.h>
#include <string.h>

#define MAX_JOINTS 64

iso_status iso_program_memory(iso_scene_build* build, int count, size_t size, void** out_memory) {
    if (!build->program_memory) {
        build->program_memory = iso_alloc_zeroed(build->ctx, sizeof *build->program_memory);
        ISO_REQUIRE(build->ctx, build->program_memory, ISO_ERR_MEMORY, "programs");
        iso_status status = iso_arena_init(build->program_memory, build->ctx, (size_t)1 << 12);
        if (status != ISO_OK) {
            iso_free(build->ctx, build->program_memory);
            build->program_memory = NULL;
            return status;
        }
    }
    *out_memory = iso_arena_push_array(build->program_memory, count > 0 ? count : 1, size);
    ISO_REQUIRE(build->ctx, *out_memory, ISO_ERR_MEMORY, "programs");
    memset(*out_memory, 0, (size_t)(count > 0 ? count : 1) * size);
    return ISO_OK;
}

iso_status iso_program_text(iso_scene_build* build, const char* text, const char** out_copy) {
    void* memory = NULL;
    size_t size = strlen(text) + 1;
    ISO_SCENE_TRY(iso_program_memory(build, 1, size, &memory));
    memcpy(memory, text, size);
    *out_copy = memory;
    return ISO_OK;
}

iso_status iso_program_find_joint(const iso_program_reader* reader, iso_source at, const char* name,
                                  int* out_index) {
    int joint = -1;
    ISO_SCENE_TRY(iso_scene_find_joint(reader->build, at, name, &joint));
    for (int i = 0; i < reader->joint_count; ++i) {
        if (reader->joints[i] == joint) {
            *out_index = i;
            return ISO_OK;
        }
    }
    return iso_scene_fail(reader->build, at, ISO_ERR_NOT_FOUND,
                          "joint '%s' is not among the joints of program '%s'", name,
                          reader->desc->name);
}

static iso_status read_mapped_values(const iso_program_reader* reader, const iso_yaml_node* node,
                                     const char* what, double* out_values, bool* out_is_missing) {
    bool is_given[MAX_JOINTS] = {false};
    for (int k = 0; k < node->count; ++k) {
        const iso_yaml_node* child = node->children[k];
        int index = 0;
        ISO_SCENE_TRY(iso_program_find_joint(reader, child->source, node->keys[k], &index));
        ISO_SCENE_REQUIRE(reader->build, child->source, !is_given[index], ISO_ERR_PARSE,
                          "joint '%s' is there twice", node->keys[k]);
        ISO_SCENE_TRY(iso_yaml_number(reader->build, child, what, &out_values[index]));
        is_given[index] = true;
    }
    for (int i = 0; i < reader->joint_count; ++i) {
        ISO_SCENE_REQUIRE(reader->build, node->source, is_given[i] || out_is_missing, ISO_ERR_PARSE,
                          "%s says nothing about joint '%s'", what,
                          iso_model_joint(reader->build->model, reader->joints[i])->name);
        if (out_is_missing) {
            out_is_missing[i] = !is_given[i];
        }
    }
    return ISO_OK;
}

iso_status iso_program_read_values(const iso_program_reader* reader, const iso_yaml_node* node,
                                   const char* what, double* out_values, bool* out_is_missing) {
    iso_scene_build* build = reader->build;
    if (node->kind == ISO_YAML_MAPPING) {
        return read_mapped_values(reader, node, what, out_values, out_is_missing);
    }
    for (int i = 0; i < reader->joint_count && out_is_missing; ++i) {
        out_is_missing[i] = false;
    }
    if (node->kind == ISO_YAML_SEQUENCE) {
        return iso_yaml_numbers(build, node, what, reader->joint_count, out_values);
    }
    double value = 0.0;
    ISO_SCENE_TRY(iso_yaml_number(build, node, what, &value));
    for (int i = 0; i < reader->joint_count; ++i) {
        out_values[i] = value;
    }
    return ISO_OK;
}

// --- joints and gains ----------------------------------------------------------------------------

static iso_status read_joints(iso_program_reader* reader, const iso_yaml_node* node) {
    iso_scene_build* build = reader->build;
    iso_yaml_node* list = NULL;
    void *joints = NULL, *names = NULL;
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a program", "joints", &list));
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, list, "joints"));
    ISO_SCENE_REQUIRE(build, list->source, list->count >= 1 && list->count <= MAX_JOINTS,
                      ISO_ERR_RANGE, "a program of %d joints, expected 1 to %d", list->count,
                      MAX_JOINTS);
    ISO_SCENE_TRY(iso_program_memory(build, list->count, sizeof(int), &joints));
    ISO_SCENE_TRY(iso_program_memory(build, list->count, sizeof(char*), &names));
    for (int i = 0; i < list->count; ++i) {
        const iso_yaml_node* child = list->children[i];
        const char* name = NULL;
        int actuator = -1;
        ISO_SCENE_TRY(iso_yaml_text(build, child, "a joint", &name));
        ISO_SCENE_TRY(iso_scenario_actuator_of_joint(build, child->source, name, &actuator));
        const iso_actuator_desc* desc = iso_model_actuator(build->model, actuator);
        ((int*)joints)[i] = desc->joint;
        ISO_SCENE_TRY(iso_program_text(build, desc->name, &((const char**)names)[i]));
    }
    reader->joints = joints;
    reader->joint_count = list->count;
    reader->desc->actuators = names;
    reader->desc->actuator_count = list->count;
    return ISO_OK;
}

// kp, kd and effort_limit of the actuators.
static iso_status read_gains(const iso_program_reader* reader, const iso_yaml_node* node) {
    static const char* const keys[] = {"kp", "kd", "effort_limit"};
    iso_scene_build* build = reader->build;
    for (int k = 0; k < 3; ++k) {
        const iso_yaml_node* given = iso_yaml_get(node, keys[k]);
        double values[MAX_JOINTS];
        if (!given) {
            continue;
        }
        ISO_SCENE_TRY(iso_program_read_values(reader, given, keys[k], values, NULL));
        for (int i = 0; i < reader->joint_count; ++i) {
            int index = -1;
            const char* name = reader->desc->actuators[i];
            ISO_SCENE_TRY(iso_scene_find_actuator(build, given->source, name, &index));
            iso_actuator_desc* actuator = iso_model_actuator(build->model, index);
            bool is_limit = k == 2;
            ISO_SCENE_REQUIRE(build, given->source,
                              values[i] >= 0.0 && (values[i] > 0.0 || !is_limit) &&
                                  (values[i] <= 1e12 || is_limit),
                              ISO_ERR_RANGE, "%s of joint '%s' is %g, expected %s", keys[k], name,
                              values[i], is_limit ? "> 0" : "0 to 1e12");
            *(k == 0   ? &actuator->kp
              : k == 1 ? &actuator->kd
                       : &actuator->effort_limit) = values[i];
            ISO_SCENE_TRY(iso_scene_check_actuator(build, given->source, actuator));
        }
    }
    return ISO_OK;
}

static iso_status read_positive(const iso_program_reader* reader, const iso_yaml_node* node,
                                const char* key, bool is_positive, const double** out_values) {
    const iso_yaml_node* given = iso_yaml_get(node, key);
    void* memory = NULL;
    if (!given) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_program_memory(reader->build, reader->joint_count, sizeof(double), &memory));
    double* values = memory;
    ISO_SCENE_TRY(iso_program_read_values(reader, given, key, values, NULL));
    for (int i = 0; i < reader->joint_count && is_positive; ++i) {
        ISO_SCENE_REQUIRE(reader->build, given->source, values[i] > 0.0, ISO_ERR_RANGE,
                          "%s is %g rad/s or m/s, expected > 0", key, values[i]);
    }
    *out_values = values;
    return ISO_OK;
}

static iso_status read_options(const iso_program_reader* reader, const iso_yaml_node* node) {
    iso_scene_build* build = reader->build;
    iso_program_desc* desc = reader->desc;
    int feed_forward = (int)desc->feed_forward;
    ISO_SCENE_TRY(read_gains(reader, node));
    ISO_SCENE_TRY(read_positive(reader, node, "velocity_limit", true, &desc->velocity_limits));
    ISO_SCENE_TRY(read_positive(reader, node, "posture", false, &desc->posture));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "posture_rate", 0.0, false, 1e6, &desc->posture_rate));
    ISO_SCENE_TRY(
        iso_yaml_get_name(build, node, "feed_forward", ISO_NAMES_FEED_FORWARD, &feed_forward));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "position_tolerance", 0.0, true, INFINITY,
                                      &desc->position_tolerance));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "orientation_tolerance", 0.0, true, INFINITY,
                                      &desc->orientation_tolerance));
    desc->feed_forward = (iso_feed_forward)feed_forward;
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "stop", &desc->ends_run));
    return iso_yaml_get_bool(build, node, "repeat", &desc->is_repeated);
}

static iso_status read_steps(const iso_program_reader* reader, const iso_yaml_node* node) {
    iso_scene_build* build = reader->build;
    iso_yaml_node* list = NULL;
    void* memory = NULL;
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a program", "steps", &list));
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, list, "steps"));
    ISO_SCENE_TRY(iso_program_memory(build, list->count, sizeof(iso_program_step), &memory));
    iso_program_step* steps = memory;
    for (int i = 0; i < list->count; ++i) {
        ISO_SCENE_TRY(iso_program_read_step(reader, list->children[i], &steps[i]));
    }
    reader->desc->steps = steps;
    reader->desc->step_count = list->count;
    return ISO_OK;
}

// Name and place of a program.
static iso_status read_name(iso_scene_build* build, const iso_yaml_node* node, const char* what,
                            iso_program_desc* desc) {
    const char* name = NULL;
    const char* source = NULL;
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, what, "name", &name));
    for (int i = 0; i < build->programs.count; ++i) {
        ISO_SCENE_REQUIRE(build, node->source, strcmp(build->programs.data[i].name, name) != 0,
                          ISO_ERR_PARSE, "there is already a program or criterion named '%s'",
                          name);
    }
    ISO_SCENE_TRY(iso_program_text(build, name, &desc->name));
    ISO_SCENE_TRY(iso_scene_source_text(build, node->source, &source));
    return iso_program_text(build, source, &desc->source);
}

static iso_status add_program(iso_scene_build* build, const iso_program_desc* desc) {
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->programs));
    build->programs.data[build->programs.count++] = *desc;
    return ISO_OK;
}

static iso_status read_program(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"name",
                                        "joints",
                                        "kp",
                                        "kd",
                                        "effort_limit",
                                        "velocity_limit",
                                        "posture",
                                        "posture_rate",
                                        "feed_forward",
                                        "position_tolerance",
                                        "orientation_tolerance",
                                        "repeat",
                                        "stop",
                                        "steps",
                                        NULL};
    iso_program_desc desc = iso_program_desc_default();
    iso_program_reader reader = {.build = build, .desc = &desc};
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a program is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a program", known));
    ISO_SCENE_TRY(read_name(build, node, "a program", &desc));
    ISO_SCENE_TRY(read_joints(&reader, node));
    ISO_SCENE_TRY(read_options(&reader, node));
    ISO_SCENE_TRY(read_steps(&reader, node));
    return add_program(build, &desc);
}

iso_status iso_scenario_read_programs(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* programs = iso_yaml_get(scenario->root, "programs");
    if (iso_yaml_is_null(programs)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, programs, "programs"));
    for (int i = 0; i < programs->count; ++i) {
        ISO_SCENE_TRY(read_program(build, programs->children[i]));
    }
    return ISO_OK;
}

// --- criteria ------------------------------------------------------------------------------------

static iso_status read_criterion(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"name", "when", "hold_time", "stop", NULL};
    iso_program_desc desc = iso_program_desc_default();
    iso_yaml_node* when = NULL;
    void* memory = NULL;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a criterion is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a criterion", known));
    ISO_SCENE_TRY(read_name(build, node, "a criterion", &desc));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a criterion", "when", &when));
    ISO_SCENE_TRY(iso_program_memory(build, 1, sizeof(iso_program_step), &memory));
    iso_program_step* step = memory;
    *step = iso_program_step_default();
    step->name = "when";
    step->timeout = INFINITY;
    ISO_SCENE_TRY(iso_program_read_conditions(build, when, "when", step));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "hold_time", 0.0, false, 1e9, &step->hold_time));
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "stop", &desc.ends_run));
    desc.steps = step;
    desc.step_count = 1;
    return add_program(build, &desc);
}

iso_status iso_scenario_read_criteria(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* criteria = iso_yaml_get(scenario->root, "criteria");
    if (iso_yaml_is_null(criteria)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, criteria, "criteria"));
    for (int i = 0; i < criteria->count; ++i) {
        ISO_SCENE_TRY(read_criterion(build, criteria->children[i]));
    }
    return ISO_OK;
}
