// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario.h"

#include <math.h>

static iso_status read_choices(const iso_scene_build* build, const iso_yaml_node* node,
                               iso_world_desc* world) {
    // In the order of the enumerations.
    static const char* const methods[] = {"lagged", "sap",     "rk4",  "rk23",
                                          "rk45",   "similar", "tamsi"};
    static const char* const representations[] = {"polygon", "triangle"};
    static const char* const culls[] = {"none", "drake"};
    static const char* const combines[] = {"drake", "elandt", "elandt_mean"};
    static const char* const dampings[] = {"hunt_crossley", "extent_rate"};
    static const char* const regularizations[] = {"patch", "drake"};
    static const char* const frictions[] = {"stick", "regularized"};
    int method = (int)world->method;
    int representation = (int)world->contact.representation;
    int cull = (int)world->contact.cull;
    int combine = (int)world->contact.combine;
    int damping = (int)world->contact.damping;
    int regularization = (int)world->contact.regularization;
    int friction = (int)world->contact.friction;
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "method", methods, 7, &method));
    ISO_SCENE_TRY(
        iso_yaml_get_choice(build, node, "representation", representations, 2, &representation));
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "cull", culls, 2, &cull));
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "combine", combines, 3, &combine));
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "damping", dampings, 2, &damping));
    ISO_SCENE_TRY(
        iso_yaml_get_choice(build, node, "regularization", regularizations, 2, &regularization));
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "friction", frictions, 2, &friction));
    world->method = (iso_method)method;
    world->contact.representation = (iso_representation)representation;
    world->contact.cull = (iso_cull)cull;
    world->contact.combine = (iso_combine)combine;
    world->contact.damping = (iso_damping)damping;
    world->contact.regularization = (iso_regularization)regularization;
    world->contact.friction = (iso_friction_model)friction;
    return ISO_OK;
}

static iso_status read_threads(const iso_scene_build* build, const iso_yaml_node* node,
                               int* thread_count) {
    double threads = *thread_count;
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "threads", 1.0, false, 256.0, &threads));
    const iso_yaml_node* value = iso_yaml_get(node, "threads");
    ISO_SCENE_REQUIRE(build, value ? value->source : node->source, threads == floor(threads),
                      ISO_ERR_RANGE, "threads is %g, expected a whole number", threads);
    *thread_count = (int)threads;
    return ISO_OK;
}

iso_status iso_scenario_read_simulation(const iso_scenario* scenario) {
    static const char* const known[] = {"time_step",
                                        "until",
                                        "gravity",
                                        "method",
                                        "accuracy",
                                        "representation",
                                        "cull",
                                        "combine",
                                        "damping",
                                        "regularization",
                                        "stiction_velocity",
                                        "friction",
                                        "friction_stiffness",
                                        "friction_damping_time",
                                        "rigid_layer_thickness",
                                        "rigid_layer_modulus",
                                        "threads",
                                        NULL};
    iso_scene_build* build = scenario->build;
    iso_world_desc* world = &build->world;
    iso_contact_options* contact = &world->contact;
    const iso_yaml_node* node = iso_yaml_get(scenario->root, "simulation");
    if (iso_yaml_is_null(node)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "simulation", known));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "time_step", 0.0, true, 1.0, &world->time_step));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "until", 0.0, false, 1e9, &build->until));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "accuracy", 0.0, true, 1.0, &world->accuracy));
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "gravity", &world->gravity));
    ISO_SCENE_TRY(read_choices(build, node, world));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "stiction_velocity", 0.0, true, 10.0,
                                      &contact->stiction_velocity));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "friction_stiffness", 0.0, true, 1e9,
                                      &contact->friction_stiffness));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "friction_damping_time", 0.0, false, 10.0,
                                      &contact->friction_damping_time));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "rigid_layer_thickness", 0.0, true, 1.0,
                                      &contact->rigid_layer_thickness));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "rigid_layer_modulus", 0.0, true, 1e15,
                                      &contact->rigid_layer_modulus));
    return read_threads(build, node, &world->thread_count);
}
