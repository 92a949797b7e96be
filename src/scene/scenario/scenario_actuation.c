// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"

#include "scene/text/csv.h"

#include <math.h>
#include <string.h>

// --- signals -------------------------------------------------------------------------------------

static iso_status read_list(iso_scene_build* build, const iso_yaml_node* node, const char* key,
                            int* out_count, double** out_values) {
    iso_yaml_node* list = NULL;
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a table", key, &list));
    ISO_SCENE_REQUIRE(build, list->source, list->kind == ISO_YAML_SEQUENCE, ISO_ERR_PARSE,
                      "%s is not a list of numbers", key);
    ISO_SCENE_REQUIRE(build, list->source, list->count > 0, ISO_ERR_PARSE,
                      "%s is empty, expected at least one number", key);
    *out_count = list->count;
    *out_values = iso_alloc_array(build->ctx, list->count, sizeof **out_values);
    ISO_REQUIRE(build->ctx, *out_values, ISO_ERR_MEMORY, "table of %d values", list->count);
    return iso_yaml_numbers(build, list, key, list->count, *out_values);
}

static iso_status read_lists(iso_scene_build* build, const iso_yaml_node* node,
                             iso_signal_desc* signal) {
    double* times = NULL;
    double* values = NULL;
    int time_count = 0, value_count = 0;
    iso_status status = ISO_OK;
    ISO_TRY(read_list(build, node, "times", &time_count, &times));
    ISO_TRY(read_list(build, node, "values", &value_count, &values));
    if (time_count != value_count) {
        status = iso_scene_fail(build, node->source, ISO_ERR_PARSE,
                                "the table has %d times and %d values, expected as many",
                                time_count, value_count);
    }

done:
    if (status != ISO_OK) {
        iso_free(build->ctx, times);
        iso_free(build->ctx, values);
        return status;
    }
    signal->table_count = time_count;
    signal->table_times = times;
    signal->table_values = values;
    return ISO_OK;
}

// {file, time, column}: two columns of a CSV file.
static iso_status read_columns(iso_scene_build* build, const iso_yaml_node* node,
                               const iso_yaml_node* file, iso_signal_desc* signal) {
    const char *uri = NULL, *time_name = "1", *value_name = "2";
    int time_column = 0, value_column = 0;
    iso_csv csv;
    ISO_SCENE_REQUIRE(build, file->source,
                      !iso_yaml_get(node, "times") && !iso_yaml_get(node, "values"), ISO_ERR_PARSE,
                      "a table has either a file, or times and values");
    ISO_SCENE_TRY(iso_yaml_text(build, file, "file", &uri));
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "time", &time_name));
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "column", &value_name));
    ISO_SCENE_TRY(iso_csv_read(build, file->source, uri, &csv));
    ISO_SCENE_TRY(iso_csv_find_column(build, file->source, &csv, time_name, &time_column));
    ISO_SCENE_TRY(iso_csv_find_column(build, file->source, &csv, value_name, &value_column));
    ISO_SCENE_TRY(iso_csv_check_rising(build, &csv, time_column));
    double* times = iso_alloc_array(build->ctx, csv.row_count, sizeof *times);
    double* values = iso_alloc_array(build->ctx, csv.row_count, sizeof *values);
    if (!times || !values) {
        iso_free(build->ctx, times);
        iso_free(build->ctx, values);
        return iso_fail(build->ctx, ISO_ERR_MEMORY, __func__, "table of %d values", csv.row_count);
    }
    for (int i = 0; i < csv.row_count; ++i) {
        times[i] = csv.values[i * csv.column_count + time_column];
        values[i] = csv.values[i * csv.column_count + value_column];
    }
    signal->table_count = csv.row_count;
    signal->table_times = times;
    signal->table_values = values;
    return ISO_OK;
}

static iso_status read_table(iso_scene_build* build, const iso_yaml_node* node,
                             iso_signal_kind kind, iso_signal_desc* signal) {
    static const char* const known[] = {"type", "times", "values", "file", "time", "column", NULL};
    const iso_yaml_node* file = iso_yaml_get(node, "file");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a table", known));
    ISO_SCENE_REQUIRE(build, node->source,
                      file || (!iso_yaml_get(node, "time") && !iso_yaml_get(node, "column")),
                      ISO_ERR_PARSE, "time and column say what to read from a file");
    signal->kind = kind;
    return file ? read_columns(build, node, file, signal) : read_lists(build, node, signal);
}

static iso_status read_square_wave(iso_scene_build* build, const iso_yaml_node* node,
                                   iso_signal_desc* signal) {
    static const char* const known[] = {"type", "offset", "amplitude", "period",
                                        "duty", "phase",  NULL};
    iso_yaml_node* needed = NULL;
    signal->kind = ISO_SIGNAL_SQUARE_WAVE;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a square wave", known));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a square wave", "amplitude", &needed));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a square wave", "period", &needed));
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "offset", &signal->offset));
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "amplitude", &signal->amplitude));
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "period", &signal->period));
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "duty", &signal->duty));
    return iso_yaml_get_number(build, node, "phase", &signal->phase);
}

static iso_status read_constant(iso_scene_build* build, const iso_yaml_node* node,
                                iso_signal_desc* signal) {
    static const char* const known[] = {"type", "value", NULL};
    iso_yaml_node* value = NULL;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a constant", known));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a constant", "value", &value));
    return iso_yaml_number(build, value, "value", &signal->offset);
}

iso_status iso_scenario_read_signal(iso_scene_build* build, const iso_yaml_node* node,
                                    const char* what, iso_signal_desc* signal) {
    *signal = iso_signal_desc_default();
    iso_status status = ISO_OK;
    if (node->kind == ISO_YAML_SCALAR) {
        ISO_SCENE_TRY(iso_yaml_number(build, node, what, &signal->offset));
    } else {
        iso_yaml_node* type_node = NULL;
        int type = 0;
        ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                          "%s is a list, expected a number or {type: ...}", what);
        ISO_SCENE_TRY(iso_yaml_require(build, node, what, "type", &type_node));
        ISO_SCENE_TRY(iso_yaml_get_name(build, node, "type", ISO_NAMES_SIGNAL_KIND, &type));
        status = type >= 2   ? read_table(build, node, (iso_signal_kind)type, signal)
                 : type == 1 ? read_square_wave(build, node, signal)
                             : read_constant(build, node, signal);
        ISO_SCENE_TRY(status);
    }
    status = iso_signal_check(build->ctx, signal);
    if (status != ISO_OK) {
        iso_free(build->ctx, (void*)(uintptr_t)signal->table_times);
        iso_free(build->ctx, (void*)(uintptr_t)signal->table_values);
        return iso_scene_fail_at(build, node->source,
                                 iso_fail_prefix(build->ctx, status, "%s", what));
    }
    return ISO_OK;
}

// --- actuators -----------------------------------------------------------------------------------

iso_status iso_scenario_actuator_of_joint(iso_scene_build* build, iso_source at, const char* name,
                                          int* out_actuator) {
    int joint = -1;
    ISO_SCENE_TRY(iso_scene_find_joint(build, at, name, &joint));
    *out_actuator = -1;
    for (int i = 0; i < iso_model_actuator_count(build->model); ++i) {
        if (iso_model_actuator(build->model, i)->joint == joint) {
            ISO_SCENE_REQUIRE(build, at, *out_actuator < 0, ISO_ERR_PARSE,
                              "joint '%s' has several actuators; name one with 'actuator'", name);
            *out_actuator = i;
        }
    }
    if (*out_actuator >= 0) {
        return ISO_OK;
    }
    const iso_joint_desc* desc = iso_model_joint(build->model, joint);
    ISO_SCENE_REQUIRE(build, at, iso_scene_has_one_dof(desc->kind), ISO_ERR_PARSE,
                      "joint '%s' is %s and cannot be driven, expected one degree of freedom",
                      desc->name, iso_scene_joint_types[desc->kind]);
    iso_actuator_desc actuator = iso_actuator_desc_default();
    ISO_SCENE_TRY(iso_scene_unique_actuator_name(build, desc->name, &actuator.name));
    actuator.joint = joint;
    if (desc->effort_limit > 0.0) {
        actuator.effort_limit = desc->effort_limit;
    }
    actuator.effort_lower = desc->effort_lower;
    actuator.effort_upper = desc->effort_upper;
    return iso_scene_add_actuator(build, at, &actuator, out_actuator);
}

static iso_status actuator_of_tendon(iso_scene_build* build, iso_source at, const char* name,
                                     int* out_actuator) {
    iso_actuator_desc actuator = iso_actuator_desc_default();
    int tendon = -1;
    ISO_SCENE_TRY(iso_scene_find_fixed_tendon(build, at, name, &tendon));
    *out_actuator = -1;
    for (int i = 0; i < iso_model_actuator_count(build->model); ++i) {
        const iso_actuator_desc* other = iso_model_actuator(build->model, i);
        if (other->joint < 0 && other->fixed_tendon == tendon) {
            ISO_SCENE_REQUIRE(build, at, *out_actuator < 0, ISO_ERR_PARSE,
                              "fixed tendon '%s' has several actuators; name one with 'actuator'",
                              name);
            *out_actuator = i;
        }
    }
    if (*out_actuator >= 0) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_scene_unique_actuator_name(
        build, iso_model_fixed_tendon(build->model, tendon)->name, &actuator.name));
    actuator.joint = -1;
    actuator.fixed_tendon = tendon;
    return iso_scene_add_actuator(build, at, &actuator, out_actuator);
}

static iso_status adhesion_of_body(iso_scene_build* build, iso_source at, const char* name,
                                   int* out_actuator) {
    iso_actuator_desc actuator = iso_actuator_desc_default();
    actuator.joint = actuator.fixed_tendon = -1;
    ISO_SCENE_TRY(iso_scene_find_body(build, at, name, &actuator.adhesion_body));
    *out_actuator = -1;
    for (int i = 0; i < iso_model_actuator_count(build->model); ++i) {
        const iso_actuator_desc* other = iso_model_actuator(build->model, i);
        if (other->joint < 0 && other->fixed_tendon < 0 &&
            other->adhesion_body == actuator.adhesion_body) {
            ISO_SCENE_REQUIRE(build, at, *out_actuator < 0, ISO_ERR_PARSE,
                              "body '%s' has several adhesions; name one with 'actuator'", name);
            *out_actuator = i;
        }
    }
    if (*out_actuator >= 0) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_scene_unique_actuator_name(
        build, iso_model_body(build->model, actuator.adhesion_body)->name, &actuator.name));
    return iso_scene_add_actuator(build, at, &actuator, out_actuator);
}

// Adhesion follows no position and never pushes.
static iso_status check_adhesion(iso_scene_build* build, const iso_yaml_node* node,
                                 const iso_actuator_desc* actuator) {
    static const char* const others[] = {"kp", "kd", "position", "velocity"};
    bool is_adhesion = actuator->joint < 0 && actuator->fixed_tendon < 0;
    for (size_t i = 0; is_adhesion && i < sizeof others / sizeof *others; ++i) {
        const iso_yaml_node* other = iso_yaml_get(node, others[i]);
        ISO_SCENE_REQUIRE(build, other ? other->source : node->source, !other, ISO_ERR_PARSE,
                          "'%s' of adhesion '%s': expected effort alone [N]", others[i],
                          actuator->name);
    }
    ISO_SCENE_REQUIRE(
        build, node->source,
        !is_adhesion || (actuator->effort_upper > 0.0 &&
                         (actuator->effort_lower >= 0.0 || actuator->effort_lower == -INFINITY)),
        ISO_ERR_RANGE, "adhesion '%s' of %g to %g N, expected the first >= 0, the second > 0",
        actuator->name, actuator->effort_lower, actuator->effort_upper);
    return ISO_OK;
}

static iso_status find_driven(iso_scene_build* build, const iso_yaml_node* node,
                              int* out_actuator) {
    const iso_yaml_node* joint = iso_yaml_get(node, "joint");
    const iso_yaml_node* actuator = iso_yaml_get(node, "actuator");
    const iso_yaml_node* tendon = iso_yaml_get(node, "fixed_tendon");
    const iso_yaml_node* adhesion = iso_yaml_get(node, "adhesion");
    const char* name = NULL;
    ISO_SCENE_REQUIRE(
        build, node->source,
        (joint != NULL) + (actuator != NULL) + (tendon != NULL) + (adhesion != NULL) == 1,
        ISO_ERR_PARSE,
        "an entry of actuation needs one of joint, fixed_tendon, adhesion and "
        "actuator");
    if (adhesion) {
        ISO_SCENE_TRY(iso_yaml_text(build, adhesion, "adhesion", &name));
        return adhesion_of_body(build, adhesion->source, name, out_actuator);
    }
    if (tendon) {
        ISO_SCENE_TRY(iso_yaml_text(build, tendon, "fixed_tendon", &name));
        return actuator_of_tendon(build, tendon->source, name, out_actuator);
    }
    if (joint) {
        ISO_SCENE_TRY(iso_yaml_text(build, joint, "joint", &name));
        return iso_scenario_actuator_of_joint(build, joint->source, name, out_actuator);
    }
    ISO_SCENE_TRY(iso_yaml_text(build, actuator, "actuator", &name));
    return iso_scene_find_actuator(build, actuator->source, name, out_actuator);
}

static iso_status add_command(iso_scene_build* build, const iso_yaml_node* node, const char* key,
                              iso_command_kind kind, const char* actuator) {
    for (int i = 0; i < build->commands.count; ++i) {
        const iso_command_desc* other = &build->commands.data[i];
        ISO_SCENE_REQUIRE(
            build, node->source, other->kind != kind || strcmp(other->actuator, actuator) != 0,
            ISO_ERR_PARSE, "the %s of actuator '%s' is commanded twice", key, actuator);
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->commands));
    iso_command_desc command = {.kind = kind};
    ISO_SCENE_TRY(iso_scenario_read_signal(build, node, key, &command.signal));
    command.actuator = iso_strdup(build->ctx, actuator);
    build->commands.data[build->commands.count++] = command; // owned even when incomplete
    ISO_REQUIRE(build->ctx, command.actuator, ISO_ERR_MEMORY, "actuator name");
    return ISO_OK;
}

static iso_status read_entry(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"joint",
                                        "actuator",
                                        "fixed_tendon",
                                        "adhesion",
                                        "effort_limit",
                                        "effort_lower",
                                        "effort_upper",
                                        "kp",
                                        "kd",
                                        "effort",
                                        "position",
                                        "velocity",
                                        NULL};
    static const char* const signals[] = {"effort", "position", "velocity"}; // iso_command_kind
    int index = -1, signal_count = 0;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "an entry of actuation is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "actuation", known));
    ISO_SCENE_TRY(find_driven(build, node, &index));
    iso_actuator_desc* actuator = iso_model_actuator(build->model, index);
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "effort_limit", 0.0, true, INFINITY,
                                      &actuator->effort_limit));
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "effort_lower", &actuator->effort_lower));
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "effort_upper", &actuator->effort_upper));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "kp", 0.0, false, 1e12, &actuator->kp));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "kd", 0.0, false, 1e12, &actuator->kd));
    ISO_SCENE_TRY(iso_scene_check_actuator(build, node->source, actuator));
    ISO_SCENE_TRY(check_adhesion(build, node, actuator));
    const char* name = actuator->name;
    for (int i = 0; i < 3; ++i) {
        const iso_yaml_node* signal = iso_yaml_get(node, signals[i]);
        if (!signal) {
            continue;
        }
        ISO_SCENE_REQUIRE(build, signal->source, i == 0 || actuator->kp > 0.0 || actuator->kd > 0.0,
                          ISO_ERR_PARSE, "a %s has no effect: actuator '%s' has kp 0 and kd 0",
                          signals[i], name);
        ISO_SCENE_TRY(add_command(build, signal, signals[i], (iso_command_kind)i, name));
        ++signal_count;
    }
    ISO_SCENE_REQUIRE(build, node->source, signal_count > 0, ISO_ERR_PARSE,
                      "an entry of actuation needs effort, position or velocity");
    return ISO_OK;
}

iso_status iso_scenario_read_actuation(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* actuation = iso_yaml_get(scenario->root, "actuation");
    if (iso_yaml_is_null(actuation)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, actuation, "actuation"));
    for (int i = 0; i < actuation->count; ++i) {
        ISO_SCENE_TRY(read_entry(build, actuation->children[i]));
    }
    return ISO_OK;
}
