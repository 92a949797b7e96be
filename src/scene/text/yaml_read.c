// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/text/yaml_tree.h"

#include "base/core/text.h"

#include <math.h>
#include <string.h>

static const char* kind_name(const iso_yaml_node* node) {
    static const char* const names[] = {"a value", "a list", "a mapping"};
    return names[node->kind];
}

const char* iso_yaml_join_names(const char* const* names, char* buffer, size_t size) {
    size_t used = 0;
    buffer[0] = '\0';
    for (int i = 0; names[i]; ++i) {
        int length = snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", names[i]);
        if (length < 0 || (size_t)length >= size - used) {
            break;
        }
        used += (size_t)length;
    }
    return buffer;
}

iso_status iso_yaml_check_mapping(const iso_scene_build* build, const iso_yaml_node* node,
                                  const char* what, const char* const* known) {
    char names[512], hint[ISO_NAME_TEXT_SIZE];
    iso_name_list list = iso_name_list_of(known, -1);
    if (iso_yaml_is_null(node)) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "%s is %s, expected a mapping with keys %s", what, kind_name(node),
                      iso_yaml_join_names(known, names, sizeof names));
    for (int i = 0; i < node->count; ++i) {
        ISO_SCENE_REQUIRE(build, node->children[i]->source,
                          iso_name_list_find(&list, node->keys[i]) >= 0, ISO_ERR_PARSE,
                          "unknown key '%.80s' in %s, expected one of %s%s", node->keys[i], what,
                          iso_yaml_join_names(known, names, sizeof names),
                          iso_name_list_hint(&list, node->keys[i], hint, sizeof hint));
    }
    return ISO_OK;
}

iso_status iso_yaml_check_sequence(const iso_scene_build* build, const iso_yaml_node* node,
                                   const char* what) {
    ISO_SCENE_REQUIRE(build, node->source,
                      node->kind == ISO_YAML_SEQUENCE || iso_yaml_is_null(node), ISO_ERR_PARSE,
                      "%s is %s, expected a list", what, kind_name(node));
    return ISO_OK;
}

iso_status iso_yaml_text(const iso_scene_build* build, const iso_yaml_node* node, const char* what,
                         const char** out_text) {
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_SCALAR && *node->text,
                      ISO_ERR_PARSE, "%s is %s, expected a word", what,
                      node->kind == ISO_YAML_SCALAR ? "empty" : kind_name(node));
    *out_text = node->text;
    return ISO_OK;
}

iso_status iso_yaml_number(const iso_scene_build* build, const iso_yaml_node* node,
                           const char* what, double* out_value) {
    ISO_SCENE_REQUIRE(build, node->source, !*node->tag, ISO_ERR_UNSUPPORTED,
                      "%s has the tag '%.40s'; random values are not supported", what, node->tag);
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_SCALAR, ISO_ERR_PARSE,
                      "%s is %s, expected a number", what, kind_name(node));
    const char* text = node->text;
    bool is_negative = *text == '-';
    if (strcmp(text + is_negative, ".inf") == 0) {
        *out_value = is_negative ? -INFINITY : INFINITY;
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, node->source, iso_text_to_double(text, out_value), ISO_ERR_PARSE,
                      "%s is '%.80s', expected a number", what, text);
    return ISO_OK;
}

iso_status iso_yaml_bool(const iso_scene_build* build, const iso_yaml_node* node, const char* what,
                         bool* out_value) {
    const char* text = NULL;
    ISO_SCENE_TRY(iso_yaml_text(build, node, what, &text));
    bool is_true = strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
    bool is_false = strcmp(text, "false") == 0 || strcmp(text, "False") == 0;
    ISO_SCENE_REQUIRE(build, node->source, is_true || is_false, ISO_ERR_PARSE,
                      "%s is '%.80s', expected true or false", what, text);
    *out_value = is_true;
    return ISO_OK;
}

iso_status iso_yaml_numbers(const iso_scene_build* build, const iso_yaml_node* node,
                            const char* what, int count, double* out_values) {
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_SEQUENCE && node->count == count,
                      ISO_ERR_PARSE, "%s is %s of %d, expected a list of %d numbers", what,
                      kind_name(node), node->kind == ISO_YAML_SCALAR ? 1 : node->count, count);
    for (int i = 0; i < count; ++i) {
        ISO_SCENE_TRY(iso_yaml_number(build, node->children[i], what, &out_values[i]));
        ISO_SCENE_REQUIRE(build, node->children[i]->source, isfinite(out_values[i]), ISO_ERR_RANGE,
                          "%s is %g, expected a finite number", what, out_values[i]);
    }
    return ISO_OK;
}

iso_status iso_yaml_get_text(const iso_scene_build* build, const iso_yaml_node* mapping,
                             const char* key, const char** out_text) {
    const iso_yaml_node* node = iso_yaml_get(mapping, key);
    return node ? iso_yaml_text(build, node, key, out_text) : ISO_OK;
}

iso_status iso_yaml_get_number(const iso_scene_build* build, const iso_yaml_node* mapping,
                               const char* key, double* out_value) {
    const iso_yaml_node* node = iso_yaml_get(mapping, key);
    return node ? iso_yaml_number(build, node, key, out_value) : ISO_OK;
}

// Units of keys, the same wherever they stand, for messages. "": a plain number, or none is known.
static const char* unit_of(const char* key) {
    static const struct {
        const char* unit;
        const char* keys; // each between spaces
    } units[] = {
        {"s", " time_step until initial_step max_step friction_damping_time relaxation_time "
              "hold_time timeout duration time dwell_time "},
        {"m", " radius length brush_size rigid_layer_thickness resolution_hint slab_thickness "
              "margin reach position_tolerance "},
        {"rad", " orientation_tolerance "},
        {"m/rad", " pitch orientation_weight "},
        {"m/s", " stiction_velocity slip_speed restitution_speed stribeck_speed "},
        {"1/s", " posture_rate expansion_rate "},
        {"1/m", " friction_stiffness sigma0 "},
        {"s/m", " dissipation restitution_slope sigma1 sigma2 "},
        {"kg", " mass "},
        {"kg/m^3", " density "},
        {"Pa", " modulus young_modulus pressure adhesion rigid_layer_modulus hysteresis "},
        {"kg m^2 or kg", " rotor_inertia "},
        {"rad/s or m/s", " velocity "},
        {"N m or N", " effort effort_limit "},
        {"N m/rad or N/m", " kp stiffness "},
        {"N m s/rad or N s/m", " kd damping "},
    };
    char sought[64];
    (void)snprintf(sought, sizeof sought, " %s ", key);
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        if (strstr(units[i].keys, sought)) {
            return units[i].unit;
        }
    }
    return "";
}

iso_status iso_yaml_get_ranged(const iso_scene_build* build, const iso_yaml_node* mapping,
                               const char* key, double lower, bool is_open, double upper,
                               double* out_value) {
    const iso_yaml_node* node = iso_yaml_get(mapping, key);
    if (!node) {
        return ISO_OK;
    }
    double value = 0.0;
    char range[96];
    (void)(isinf(upper) ? snprintf(range, sizeof range, "%s %g", is_open ? ">" : ">=", lower)
                        : snprintf(range, sizeof range, "%s %g and <= %g",
                                   is_open ? ">" : ">=", lower, upper));
    ISO_SCENE_TRY(iso_yaml_number(build, node, key, &value));
    ISO_SCENE_REQUIRE(build, node->source,
                      (value > lower || (!is_open && value == lower)) && value <= upper,
                      ISO_ERR_RANGE, "%s is %g%s%s, expected %s", key, value,
                      *unit_of(key) ? " " : "", unit_of(key), range);
    *out_value = value;
    return ISO_OK;
}

iso_status iso_yaml_get_count(const iso_scene_build* build, const iso_yaml_node* mapping,
                              const char* key, int lower, int upper, int* out_value) {
    const iso_yaml_node* node = iso_yaml_get(mapping, key);
    double value = *out_value;
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, mapping, key, lower, false, upper, &value));
    ISO_SCENE_REQUIRE(build, node ? node->source : mapping->source, value == (double)(int)value,
                      ISO_ERR_RANGE, "%s is %g, expected a whole number", key, value);
    *out_value = (int)value;
    return ISO_OK;
}

iso_status iso_yaml_get_bool(const iso_scene_build* build, const iso_yaml_node* mapping,
                             const char* key, bool* out_value) {
    const iso_yaml_node* node = iso_yaml_get(mapping, key);
    return node ? iso_yaml_bool(build, node, key, out_value) : ISO_OK;
}

iso_status iso_yaml_get_vec3(const iso_scene_build* build, const iso_yaml_node* mapping,
                             const char* key, iso_vec3* out_value) {
    const iso_yaml_node* node = iso_yaml_get(mapping, key);
    double n[3];
    if (!node) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_numbers(build, node, key, 3, n));
    *out_value = iso_vec3_make(n[0], n[1], n[2]);
    ISO_SCENE_REQUIRE(build, node->source, iso_vec3_norm(*out_value) <= ISO_SCENE_MAX_LENGTH,
                      ISO_ERR_RANGE, "%s has length %g, expected at most %g", key,
                      iso_vec3_norm(*out_value), ISO_SCENE_MAX_LENGTH);
    return ISO_OK;
}

iso_status iso_yaml_get_choice(const iso_scene_build* build, const iso_yaml_node* mapping,
                               const char* key, const char* const* names, int name_count,
                               int* out_index) {
    const iso_yaml_node* node = iso_yaml_get(mapping, key);
    const char* text = NULL;
    const char* listed[16] = {NULL};
    iso_name_list list = iso_name_list_of(names, name_count);
    char joined[256], hint[ISO_NAME_TEXT_SIZE];
    if (!node) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_text(build, node, key, &text));
    for (int i = 0; i < name_count; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *out_index = i;
            return ISO_OK;
        }
        listed[i < 15 ? i : 14] = names[i];
    }
    bool is_silence = name_count > 1 && strcmp(names[0], "default") == 0; // as if nothing were said
    return iso_scene_fail(build, node->source, ISO_ERR_PARSE, "%s is '%.80s', expected one of %s%s",
                          key, text,
                          iso_yaml_join_names(listed + is_silence, joined, sizeof joined),
                          iso_name_list_hint(&list, text, hint, sizeof hint));
}

iso_status iso_yaml_get_name(const iso_scene_build* build, const iso_yaml_node* mapping,
                             const char* key, iso_name_family family, int* out_value) {
    const char* names[16];
    int count = iso_name_count(family);
    for (int i = 0; i < count; ++i) {
        names[i] = iso_name_of(family, i);
    }
    return iso_yaml_get_choice(build, mapping, key, names, count, out_value);
}

iso_status iso_yaml_require(const iso_scene_build* build, const iso_yaml_node* mapping,
                            const char* what, const char* key, iso_yaml_node** out_value) {
    *out_value = iso_yaml_get(mapping, key);
    ISO_SCENE_REQUIRE(build, mapping->source, *out_value, ISO_ERR_PARSE, "%s needs the key '%s'",
                      what, key);
    return ISO_OK;
}

iso_status iso_yaml_require_text(const iso_scene_build* build, const iso_yaml_node* mapping,
                                 const char* what, const char* key, const char** out_text) {
    iso_yaml_node* node = NULL;
    ISO_SCENE_TRY(iso_yaml_require(build, mapping, what, key, &node));
    return iso_yaml_text(build, node, key, out_text);
}
