// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"

static iso_status read_choices(const iso_scene_build* build, const iso_yaml_node* node,
                               iso_world_desc* world) {
    iso_contact_options* contact = &world->contact;
    int method = (int)world->method, representation = (int)contact->representation;
    int cull = (int)contact->cull, combine = (int)contact->combine;
    int damping = (int)contact->damping, regularization = (int)contact->regularization;
    int friction = (int)contact->friction, model = (int)contact->model;
    int law = (int)contact->friction_law;
    const struct {
        const char* key;
        iso_name_family family;
        int* value;
    } choices[] = {
        {"method", ISO_NAMES_METHOD, &method},
        {"representation", ISO_NAMES_REPRESENTATION, &representation},
        {"cull", ISO_NAMES_CULL, &cull},
        {"combine", ISO_NAMES_COMBINE, &combine},
        {"damping", ISO_NAMES_DAMPING, &damping},
        {"regularization", ISO_NAMES_REGULARIZATION, &regularization},
        {"friction", ISO_NAMES_FRICTION_MODEL, &friction},
        {"friction_law", ISO_NAMES_FRICTION_LAW, &law},
        {"contact_model", ISO_NAMES_CONTACT_MODEL_KIND, &model},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i) {
        ISO_SCENE_TRY(
            iso_yaml_get_name(build, node, choices[i].key, choices[i].family, choices[i].value));
    }
    world->method = (iso_method)method;
    contact->representation = (iso_representation)representation;
    contact->cull = (iso_cull)cull;
    contact->combine = (iso_combine)combine;
    contact->damping = (iso_damping)damping;
    contact->regularization = (iso_regularization)regularization;
    contact->friction = (iso_friction_model)friction;
    contact->friction_law = (iso_friction_law)law;
    contact->model = (iso_contact_model_kind)model;
    return ISO_OK;
}

// What becomes of links of robot files that move and have no mass.
static iso_status read_massless(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const choices[] = {"error", "shapes"};
    int choice = build->gives_masses;
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "massless", choices, 2, &choice));
    build->gives_masses = choice == 1;
    return ISO_OK;
}

// What becomes of the laws of points that model files state. One that is mapped is for Hertz.
static iso_status read_point_parameters(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const choices[] = {"ignore", "hertz"};
    iso_contact_model_kind* model = &build->world.contact.model;
    int choice = build->maps_points;
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "point_parameters", choices, 2, &choice));
    const iso_yaml_node* stated = iso_yaml_get(node, "point_parameters");
    build->points_at = stated ? stated->source : build->points_at;
    build->maps_points = choice == 1;
    bool is_free = *model == ISO_CONTACT_MODEL_DEFAULT;
    *model = build->maps_points && is_free ? ISO_CONTACT_MODEL_HERTZ : *model;
    return ISO_OK;
}

/// Friction that is asked for by name, of a method that has none of it, is said.
static void warn_of_friction(iso_scene_build* build, const iso_yaml_node* node) {
    const iso_yaml_node* friction = iso_yaml_get(node, "friction");
    const iso_world_desc* world = &build->world;
    if (friction && world->contact.friction != ISO_FRICTION_MODEL_REGULARIZED &&
        world->method != ISO_METHOD_LAGGED && world->method != ISO_METHOD_MIDPOINT) {
        iso_scene_warn_once(build, friction->source, "friction",
                            "friction is '%s', which method '%s' does not have: what rests "
                            "creeps with up to the stiction velocity",
                            iso_name_of(ISO_NAMES_FRICTION_MODEL, (int)world->contact.friction),
                            iso_name_of(ISO_NAMES_METHOD, (int)world->method));
    }
}

// What a geometry is so far; default_material comes later.
static bool is_rigid(const iso_scene_build* build, int geometry) {
    bool is_stated = (build->stated_materials.data[geometry] & ISO_MATERIAL_COMPLIANCE) != 0;
    const iso_contact_material* own = &iso_model_geometry(build->model, geometry, NULL)->material;
    return (is_stated ? own : &build->default_material.value)->compliance == ISO_COMPLIANCE_RIGID;
}

/// Keys of what this scene does not have are said.
static void warn_of_idle_keys(iso_scene_build* build, const iso_yaml_node* node) {
    const iso_contact_options* contact = &build->world.contact;
    iso_method method = build->world.method;
    bool is_velocity_level = iso_method_is_velocity_level(method);
    bool may_stick = method == ISO_METHOD_LAGGED || method == ISO_METHOD_MIDPOINT;
    bool has_stretch = is_velocity_level
                           ? may_stick && contact->friction != ISO_FRICTION_MODEL_REGULARIZED
                           : contact->friction_law >= ISO_FRICTION_COMPLIANT;
    int rigid_count = 0;
    for (int i = 0; i < iso_model_geometry_count(build->model); ++i) {
        rigid_count += is_rigid(build, i);
    }
    const struct {
        const char* key;
        bool counts;
        const char* when;
    } rows[] = {
        {"friction_stiffness", has_stretch,
         "friction 'stick' or 'brush' and friction_law 'compliant' or 'brush'"},
        {"friction_damping_time", has_stretch,
         "friction 'stick' or 'brush' and friction_law 'compliant' or 'brush'"},
        {"brush_size",
         is_velocity_level ? may_stick && contact->friction == ISO_FRICTION_MODEL_BRUSH
                           : contact->friction_law == ISO_FRICTION_BRUSH,
         "friction or friction_law 'brush'"},
        {"rigid_layer_thickness", rigid_count > 1, "two rigid geometries or more"},
        {"rigid_layer_modulus", rigid_count > 1, "two rigid geometries or more"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const iso_yaml_node* stated = iso_yaml_get(node, rows[i].key);
        if (stated && !rows[i].counts) {
            iso_scene_warn_once(build, stated->source, rows[i].key,
                                "%s does not count: it is of %s", rows[i].key, rows[i].when);
        }
    }
}

/// A law is of the continuous methods; one of the caller's own has no name in a file.
static iso_status check_friction_law(iso_scene_build* build, const iso_yaml_node* node) {
    const iso_yaml_node* law = iso_yaml_get(node, "friction_law");
    if (iso_yaml_is_null(law)) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, law->source, build->world.contact.friction_law != ISO_FRICTION_OWN,
                      ISO_ERR_ARGUMENT,
                      "friction_law is 'own', expected viscous, tanh, atan, stribeck, three_piece, "
                      "compliant or brush: a law of your own is given in C or Python");
    return ISO_OK;
}

/// An accuracy of a velocity-level method asks for error control; then no time step is needed.
static iso_status read_accuracy(iso_scene_build* build, const iso_yaml_node* node,
                                bool has_time_step) {
    iso_world_desc* world = &build->world;
    bool is_velocity_level = iso_method_is_velocity_level(world->method);
    double finest = is_velocity_level ? ISO_FINEST_ACCURACY : ISO_LEAST_ACCURACY;
    double coarsest = is_velocity_level ? ISO_COARSEST_ACCURACY : ISO_COARSEST_CONTINUOUS_ACCURACY;
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "accuracy", finest, false, coarsest, &world->accuracy));
    if (is_velocity_level && !iso_yaml_is_null(iso_yaml_get(node, "accuracy"))) {
        world->error_control = true;
        world->time_step = has_time_step ? world->time_step : ISO_SAMPLE_STEP;
    }
    return ISO_OK;
}

/// Numbers of substeps, which fixed steps do not have.
static iso_status read_substeps(iso_scene_build* build, const iso_yaml_node* node,
                                bool has_accuracy) {
    iso_world_desc* world = &build->world;
    ISO_SCENE_TRY(iso_yaml_get_count(build, node, "max_substeps", 1, ISO_MOST_SUBSTEPS,
                                     &world->max_substeps));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "initial_step", 0.0, false, 1.0, &world->initial_step));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "max_step", 0.0, false, 1.0, &world->max_step));
    bool is_rk4 = world->method == ISO_METHOD_RK4;
    bool is_fixed = is_rk4 || (iso_method_is_velocity_level(world->method) && !has_accuracy);
    static const char* const keys[] = {"initial_step", "max_step", "max_substeps", "accuracy"};
    for (int i = 0; i < 4 && is_fixed; ++i) {
        const iso_yaml_node* stated = iso_yaml_get(node, keys[i]);
        if (stated) {
            iso_scene_warn_once(build, stated->source, keys[i],
                                "%s is that of error control, which steps of method '%s' do not "
                                "have%s: it does not count",
                                keys[i], iso_name_of(ISO_NAMES_METHOD, (int)world->method),
                                is_rk4 ? "; rk45 and radau do" : " without an accuracy");
        }
    }
    return ISO_OK;
}

const char* const iso_scenario_simulation_keys[] = {"time_step",
                                                    "until",
                                                    "gravity",
                                                    "method",
                                                    "accuracy",
                                                    "max_substeps",
                                                    "initial_step",
                                                    "max_step",
                                                    "representation",
                                                    "cull",
                                                    "combine",
                                                    "damping",
                                                    "regularization",
                                                    "stiction_velocity",
                                                    "friction",
                                                    "friction_law",
                                                    "friction_stiffness",
                                                    "friction_damping_time",
                                                    "brush_size",
                                                    "rigid_layer_thickness",
                                                    "rigid_layer_modulus",
                                                    "contact_model",
                                                    "massless",
                                                    "point_parameters",
                                                    "threads",
                                                    NULL};

iso_status iso_scenario_read_simulation(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    iso_world_desc* world = &build->world;
    iso_contact_options* contact = &world->contact;
    const iso_yaml_node* node = iso_yaml_get(scenario->root, "simulation");
    if (iso_yaml_is_null(node)) {
        return ISO_OK;
    }
    const iso_yaml_node* keyframe = iso_yaml_get(node, "keyframe");
    ISO_SCENE_REQUIRE(build, keyframe ? keyframe->source : node->source, !keyframe,
                      ISO_ERR_ARGUMENT,
                      "a keyframe is that of one MJCF file: say it in the add_model of that file");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "simulation", iso_scenario_simulation_keys));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "time_step", 0.0, true, 1.0, &world->time_step));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "until", 0.0, false, 1e9, &build->until));
    bool has_accuracy = !iso_yaml_is_null(iso_yaml_get(node, "accuracy"));
    bool has_time_step = !iso_yaml_is_null(iso_yaml_get(node, "time_step"));
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "gravity", &world->gravity));
    double gravity = iso_vec3_norm(world->gravity);
    ISO_SCENE_REQUIRE(
        build, iso_yaml_get(node, "gravity") ? iso_yaml_get(node, "gravity")->source : node->source,
        gravity <= ISO_SCENE_MAX_GRAVITY, ISO_ERR_RANGE, "gravity is %g m/s^2, expected at most %g",
        gravity, ISO_SCENE_MAX_GRAVITY);
    ISO_SCENE_TRY(read_choices(build, node, world));
    ISO_SCENE_TRY(read_accuracy(build, node, has_time_step));
    ISO_SCENE_TRY(read_substeps(build, node, has_accuracy));
    ISO_SCENE_TRY(read_massless(build, node));
    ISO_SCENE_TRY(read_point_parameters(build, node));
    warn_of_friction(build, node);
    warn_of_idle_keys(build, node);
    ISO_SCENE_TRY(check_friction_law(build, node));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "stiction_velocity", 0.0, true, 10.0,
                                      &contact->stiction_velocity));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "friction_stiffness", 0.0, true, 1e9,
                                      &contact->friction_stiffness));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "friction_damping_time", 0.0, false, 10.0,
                                      &contact->friction_damping_time));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "brush_size", ISO_BRUSH_LEAST_SIZE, false, 1.0,
                                      &contact->brush_size));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "rigid_layer_thickness", 0.0, true, 1.0,
                                      &contact->rigid_layer_thickness));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "rigid_layer_modulus", 0.0, true, 1e15,
                                      &contact->rigid_layer_modulus));
    return iso_yaml_get_count(build, node, "threads", 1, 256, &world->thread_count);
}
