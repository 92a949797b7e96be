// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"

#include <string.h>

static iso_status read_packages(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* packages = iso_yaml_get(scenario->root, "packages");
    if (iso_yaml_is_null(packages)) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, packages->source, packages->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "packages is not a mapping of names to directories");
    for (int i = 0; i < packages->count; ++i) {
        const char* text = NULL;
        const char* directory = NULL;
        ISO_SCENE_TRY(iso_yaml_text(build, packages->children[i], packages->keys[i], &text));
        ISO_SCENE_TRY(
            iso_scene_resolve_uri(build, packages->children[i]->source, text, &directory));
        ISO_SCENE_TRY(iso_scene_add_package(build, packages->keys[i], directory));
    }
    return ISO_OK;
}

static iso_status read_header(const iso_scenario* scenario) {
    static const char* const known[] = {"name",
                                        "description",
                                        "simulation",
                                        "packages",
                                        "materials",
                                        "bodies",
                                        "directives",
                                        "joints",
                                        "couplers",
                                        "constraints",
                                        "initial",
                                        "actuation",
                                        "sensors",
                                        "forces",
                                        "programs",
                                        "criteria",
                                        "motions",
                                        "events",
                                        "fixed_tendons",
                                        "default_material",
                                        "contact_overrides",
                                        "excluded_geometries",
                                        "contact_models",
                                        NULL};
    iso_scene_build* build = scenario->build;
    const char* description = NULL;
    build->name = ""; // that of the file, whatever its models are called
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, scenario->root, "a scenario", known));
    ISO_SCENE_TRY(iso_yaml_get_text(build, scenario->root, "name", &build->name));
    return iso_yaml_get_text(build, scenario->root, "description", &description);
}

// The sections in the order in which they build on each other.
static iso_status read_sections(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    ISO_SCENE_TRY(read_header(scenario));
    ISO_SCENE_TRY(read_packages(scenario));
    ISO_SCENE_TRY(iso_scenario_read_materials(scenario));
    ISO_SCENE_TRY(iso_scenario_add_bodies(scenario));
    ISO_SCENE_TRY(
        iso_scenario_read_directives(build, iso_yaml_get(scenario->root, "directives"), ""));
    ISO_SCENE_TRY(iso_scenario_fix_bodies(scenario));
    ISO_SCENE_TRY(iso_scenario_add_joints(scenario));
    ISO_SCENE_TRY(iso_scenario_start_bodies(scenario));
    ISO_SCENE_TRY(iso_scenario_add_closures(scenario));
    ISO_SCENE_TRY(iso_scenario_read_initial(scenario));
    ISO_SCENE_TRY(iso_scenario_read_actuation(scenario));
    ISO_SCENE_TRY(iso_scenario_read_motions(scenario));
    ISO_SCENE_TRY(iso_scenario_read_sensors(scenario));
    ISO_SCENE_TRY(iso_scenario_read_forces(scenario));
    ISO_SCENE_TRY(iso_scenario_read_programs(scenario));
    ISO_SCENE_TRY(iso_scenario_read_criteria(scenario));
    ISO_SCENE_TRY(iso_scenario_read_events(scenario));
    return iso_scenario_read_simulation(scenario); // last: wins over what models say
}

iso_status iso_scenario_read_bytes(iso_scene_build* build, const char* path, const char* bytes,
                                   size_t size, const iso_scene_options* options) {
    iso_scenario scenario = {.build = build};
    iso_source at = {path, 0};
    ISO_SCENE_TRY(iso_yaml_parse(build, path, bytes, size, &scenario.root));
    ISO_SCENE_REQUIRE(build, at, scenario.root->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a scenario is a mapping with keys such as directives, bodies, simulation");
    ISO_SCENE_REQUIRE(build, at, scenario.root->count > 0, ISO_ERR_PARSE, "the file is empty");
    ISO_SCENE_TRY(iso_scenario_apply_settings(build, scenario.root, options, true));
    return read_sections(&scenario);
}

// What iso_scenario_read_keyframe() has taken.
static void drop_keyframe(iso_yaml_node* simulation) {
    for (int i = 0; simulation && i < simulation->count; ++i) {
        if (strcmp(simulation->keys[i], "keyframe") == 0) {
            --simulation->count;
            simulation->keys[i] = simulation->keys[simulation->count];
            simulation->children[i] = simulation->children[simulation->count];
        }
    }
}

iso_status iso_scenario_read_settings(iso_scene_build* build, const iso_scene_options* options) {
    iso_scenario scenario = {.build = build};
    iso_source at = {"--set", 0};
    ISO_SCENE_TRY(iso_yaml_new_mapping(build, at, &scenario.root));
    ISO_SCENE_TRY(iso_scenario_apply_settings(build, scenario.root, options, false));
    drop_keyframe(iso_yaml_get(scenario.root, "simulation"));
    ISO_SCENE_TRY(iso_scenario_read_materials(&scenario));
    return iso_scenario_read_simulation(&scenario);
}

iso_status iso_scenario_read_keyframe(iso_scene_build* build, const iso_scene_options* options) {
    iso_yaml_node* root = NULL;
    ISO_SCENE_TRY(iso_yaml_new_mapping(build, (iso_source){"--set", 0}, &root));
    ISO_SCENE_TRY(iso_scenario_apply_settings(build, root, options, false));
    const iso_yaml_node* simulation = iso_yaml_get(root, "simulation");
    return simulation ? iso_yaml_get_text(build, simulation, "keyframe", &build->keyframe) : ISO_OK;
}
