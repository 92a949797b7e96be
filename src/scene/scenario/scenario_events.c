// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario_program.h"

#include <string.h>

/// What a run looks for within its steps.

static iso_status read_level(iso_scene_build* build, const iso_yaml_node* node,
                             iso_event_level* out) {
    static const char* const known[] = {"name", "quantity", "of", "level", "direction", NULL};
    static const char* const directions[] = {"falling", "both", "rising"};
    const char *name = NULL, *of = NULL, *quantity_name = NULL;
    iso_yaml_node* value = NULL;
    int quantity = 0, direction = 1, joint = -1;
    iso_scene_frame frame;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a level of events", known));
    ISO_SCENE_TRY(
        iso_yaml_require_text(build, node, "a level of events", "quantity", &quantity_name));
    ISO_SCENE_TRY(iso_yaml_get_name(build, node, "quantity", ISO_NAMES_LEVEL_QUANTITY, &quantity));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a level of events", "of", &of));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a level of events", "level", &value));
    ISO_SCENE_TRY(iso_yaml_number(build, value, "level", &out->level));
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "direction", directions, 3, &direction));
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "name", &name));
    out->quantity = (iso_level_quantity)quantity;
    out->direction = direction - 1;
    if (out->quantity <= ISO_LEVEL_JOINT_VELOCITY) {
        ISO_SCENE_TRY(iso_scene_find_joint(build, node->source, of, &joint));
        of = iso_model_joint(build->model, joint)->name;
    } else {
        ISO_SCENE_TRY(iso_scene_require_frame(build, node->source, of, &frame));
        const char* body = iso_model_body(build->model, frame.body)->name;
        ISO_SCENE_REQUIRE(build, node->source, strcmp(body, frame.name) == 0, ISO_ERR_PARSE,
                          "'%s' is a frame, expected a body", of);
        of = body;
    }
    ISO_SCENE_TRY(iso_program_text(build, of, &out->of));
    return iso_program_text(build, name ? name : of, &out->name);
}

static iso_status read_levels(iso_scene_build* build, const iso_yaml_node* node) {
    if (iso_yaml_is_null(node)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, node, "levels of events"));
    iso_event_level* levels = NULL;
    ISO_SCENE_TRY(iso_program_memory(build, node->count, sizeof *levels, (void**)&levels));
    for (int i = 0; i < node->count; ++i) {
        ISO_SCENE_TRY(read_level(build, node->children[i], &levels[i]));
    }
    build->events.levels = levels;
    build->events.level_count = node->count;
    return ISO_OK;
}

iso_status iso_scenario_read_events(const iso_scenario* scenario) {
    static const char* const known[] = {"contacts", "slip", "slip_speed", "levels", NULL};
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* node = iso_yaml_get(scenario->root, "events");
    build->events = iso_watch_desc_default();
    if (iso_yaml_is_null(node)) {
        return ISO_OK;
    }
    build->has_events = true;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "events", known));
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "contacts", &build->events.with_contacts));
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "slip", &build->events.with_slip));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "slip_speed", 0.0, true, 1e3, &build->events.slip_speed));
    const iso_yaml_node* speed = iso_yaml_get(node, "slip_speed");
    if (speed && !build->events.with_slip) {
        iso_scene_warn_once(build, speed->source, "slip_speed",
                            "slip_speed is that of slip, which is false: it does not count");
    }
    ISO_SCENE_TRY(read_levels(build, iso_yaml_get(node, "levels")));
    bool is_empty =
        !build->events.with_contacts && !build->events.with_slip && build->events.level_count == 0;
    if (is_empty) {
        iso_scene_warn_once(
            build, node->source, "events",
            "events looks for nothing: contacts and slip are both false, and there are no levels");
    }
    return ISO_OK;
}
