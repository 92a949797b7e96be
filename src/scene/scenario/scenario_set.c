// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"

#include "base/core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the options for a keyframe of the command and of Python say, the value in quotes; users know
// them by that name.
static const char k_keyframe[] = "simulation.keyframe=";

// Sections in which a path may name a key that the file does not have.
static bool is_open_section(const char* name) {
    return strcmp(name, "simulation") == 0 || strcmp(name, "default_material") == 0;
}

// The name by which an element of a list can be called: its name, or that of what it is about.
static const char* element_name(const iso_yaml_node* element) {
    static const char* const keys[] = {"name", "body", "joint", "actuator", "geometry"};
    if (element->kind == ISO_YAML_MAPPING && element->count == 1 &&
        element->children[0]->kind == ISO_YAML_MAPPING) {
        element = element->children[0]; // a directive: {add_model: {name: ...}}
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const iso_yaml_node* value = iso_yaml_get(element, keys[i]);
        if (value && value->kind == ISO_YAML_SCALAR) {
            return value->text;
        }
    }
    return NULL;
}

// The name of a key or element; "" when it has none.
static const char* part_name(const void* owner, int index) {
    const iso_yaml_node* node = owner;
    const char* name = node->kind == ISO_YAML_MAPPING    ? node->keys[index]
                       : node->kind == ISO_YAML_SEQUENCE ? element_name(node->children[index])
                                                         : NULL;
    return name ? name : "";
}

// Where the value of one part of a path is kept; NULL when there is none. Scoped names can be
// called by their last part where only one has it.
static iso_yaml_node** find_slot(iso_yaml_node* node, const char* part) {
    if (node->kind == ISO_YAML_SEQUENCE) {
        char* end = NULL;
        long index = strtol(part, &end, 10);
        if (*part && !*end && index >= 0 && index < node->count) {
            return &node->children[index];
        }
    }
    for (int i = 0; i < node->count; ++i) {
        const char* name = part_name(node, i);
        if (strcmp(name, part) == 0 && (*name || node->kind == ISO_YAML_MAPPING)) {
            return &node->children[i];
        }
    }
    iso_name_list names = {.at = part_name, .owner = node, .count = node->count};
    int found = iso_name_list_find(&names, part);
    return found >= 0 ? &node->children[found] : NULL;
}

// "a, b, c": what a path could have said.
static iso_status list_parts(iso_scene_build* build, const iso_yaml_node* node,
                             const char** out_list) {
    iso_text list = {0};
    iso_status status = ISO_OK;
    for (int i = 0; i < node->count && i < 30; ++i) {
        const char* name = part_name(node, i);
        ISO_TRY(*name ? iso_text_printf(build->ctx, &list, "%s%s", i ? ", " : "", name)
                      : iso_text_printf(build->ctx, &list, "%s%d", i ? ", " : "", i));
    }
    status = iso_scene_copy_text(build, list.data ? list.data : "nothing",
                                 list.data ? list.length : strlen("nothing"), out_list);

done:
    iso_text_free(build->ctx, &list);
    return status;
}

static bool is_among(const char* const* names, const char* name) {
    iso_name_list list = iso_name_list_of(names, -1);
    return iso_name_list_find(&list, name) >= 0;
}

// What a path was likely meant to begin with that lacks its section: time_step is simulation's.
// Returns text.
static const char* section_hint(const char* part, char* text, size_t size) {
    bool is_simulation = is_among(iso_scenario_simulation_keys, part);
    bool is_material = is_among(iso_scenario_property_keys, part);
    text[0] = '\0';
    if (is_simulation && is_material) {
        (void)snprintf(text, size, "; did you mean 'default_material.%s' or 'simulation.%s'?", part,
                       part);
    } else if (is_simulation || is_material) {
        (void)snprintf(text, size, "; did you mean '%s.%s'?",
                       is_simulation ? "simulation" : "default_material", part);
    }
    return text;
}

static iso_status fail_unknown(iso_scene_build* build, iso_source at, const iso_yaml_node* node,
                               const char* part, const char* parent) {
    const char* list = NULL;
    ISO_SCENE_TRY(list_parts(build, node, &list));
    iso_name_list names = {.at = part_name, .owner = node, .count = node->count};
    char hint[ISO_NAME_TEXT_SIZE];
    if (*parent || !*section_hint(part, hint, sizeof hint)) {
        iso_name_list_hint(&names, part, hint, sizeof hint);
    }
    return iso_scene_fail(build, at, ISO_ERR_NOT_FOUND, "there is no '%s' in %s, which has: %s%s",
                          part, *parent ? parent : "the scene", list, hint);
}

// Follow a path to the slot of its last part.
static iso_status walk_path(iso_scene_build* build, iso_source at, iso_yaml_node* root,
                            const char* path, iso_yaml_node*** out_slot) {
    iso_yaml_node* node = root;
    const char* done = "";
    bool is_open = false;
    for (const char* rest = path;;) {
        size_t length = strcspn(rest, ".");
        bool is_last = rest[length] == '\0';
        const char* part = NULL;
        ISO_SCENE_TRY(iso_scene_copy_text(build, rest, length, &part));
        iso_yaml_node** slot = find_slot(node, part);
        bool is_section = node == root && is_open_section(part);
        if (slot && iso_yaml_is_null(*slot) && is_section) {
            ISO_SCENE_TRY(iso_yaml_new_mapping(build, at, slot)); // "simulation:" with nothing
        }
        if (!slot) {
            bool can_create = *part && ((is_section && !is_last) || (is_open && is_last));
            if (!can_create || node->kind != ISO_YAML_MAPPING) {
                return fail_unknown(build, at, node, part, done);
            }
            iso_yaml_node* fresh = NULL;
            ISO_SCENE_TRY(iso_yaml_new_mapping(build, at, &fresh));
            ISO_SCENE_TRY(iso_yaml_put(build, node, part, fresh));
            slot = find_slot(node, part);
        }
        if (is_last) {
            *out_slot = slot;
            return ISO_OK;
        }
        is_open = is_section;
        node = *slot;
        ISO_SCENE_TRY(iso_scene_copy_text(build, path, (size_t)(rest - path) + length, &done));
        rest += length + 1;
    }
}

static iso_status apply_setting(iso_scene_build* build, iso_yaml_node* root, const char* setting,
                                bool is_scenario) {
    iso_source at = {NULL, 0};
    bool is_keyframe = strncmp(setting, k_keyframe, sizeof k_keyframe - 1) == 0 &&
                       strchr("'\"", setting[sizeof k_keyframe - 1]) != NULL &&
                       setting[sizeof k_keyframe - 1] != '\0';
    ISO_SCENE_TRY(iso_scene_format(build, &at.file, is_keyframe ? "keyframe %s" : "--set %s",
                                   is_keyframe ? setting + sizeof k_keyframe - 1 : setting));
    const char* equals = strchr(setting, '=');
    ISO_SCENE_REQUIRE(build, at, equals && equals > setting, ISO_ERR_ARGUMENT,
                      "expected path=value");
    const char* path = NULL;
    iso_yaml_node* value = NULL;
    iso_yaml_node** slot = NULL;
    ISO_SCENE_TRY(iso_scene_copy_text(build, setting, (size_t)(equals - setting), &path));
    ISO_SCENE_REQUIRE(
        build, at, equals[1 + strspn(equals + 1, " \t\r\n")] != '\0', ISO_ERR_ARGUMENT,
        "nothing follows the '=', expected a value; null takes that of the file away");
    ISO_SCENE_REQUIRE(build, at,
                      is_scenario || strncmp(path, "simulation.", 11) == 0 ||
                          strncmp(path, "default_material.", 17) == 0,
                      ISO_ERR_NOT_FOUND,
                      "in SDFormat and URDF files only simulation.* and default_material.* can be "
                      "set");
    ISO_SCENE_TRY(iso_yaml_parse(build, at.file, equals + 1, strlen(equals + 1), &value));
    value->source.line = 0; // the argument is the place
    for (int i = 0; i < value->count; ++i) {
        value->children[i]->source.line = 0;
    }
    ISO_SCENE_TRY(walk_path(build, at, root, path, &slot));
    bool is_collection = (*slot)->kind != ISO_YAML_SCALAR && (*slot)->count > 0;
    ISO_SCENE_REQUIRE(build, at,
                      !is_collection || (*slot)->kind == value->kind || iso_yaml_is_null(value),
                      ISO_ERR_ARGUMENT, "'%s' is a %s, not one value", path,
                      (*slot)->kind == ISO_YAML_MAPPING ? "mapping" : "list");
    *slot = value;
    return ISO_OK;
}

iso_status iso_scenario_apply_settings(iso_scene_build* build, iso_yaml_node* root,
                                       const iso_scene_options* options, bool is_scenario) {
    for (int i = 0; options && i < options->setting_count; ++i) {
        ISO_REQUIRE(build->ctx, options->settings && options->settings[i], ISO_ERR_ARGUMENT,
                    "setting %d is missing", i);
        ISO_SCENE_TRY(apply_setting(build, root, options->settings[i], is_scenario));
    }
    return ISO_OK;
}
