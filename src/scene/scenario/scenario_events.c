// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"

/// What a run looks for within its steps.

iso_status iso_scenario_read_events(const iso_scenario* scenario) {
    static const char* const known[] = {"contacts", "slip", "slip_speed", NULL};
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
    if (!build->events.with_contacts && !build->events.with_slip) {
        iso_scene_warn_once(build, node->source, "events",
                            "events looks for nothing: contacts and slip are both false");
    }
    return ISO_OK;
}
