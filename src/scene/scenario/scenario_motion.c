// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario_program.h"

#include <math.h>
#include <string.h>

/// Where things are and how they move at the start; paths of fixed bodies.

static const double k_degree = ISO_PI / 180.0;

static iso_status read_velocity(const iso_scene_build* build, const iso_yaml_node* node,
                                iso_spatial* out_v) {
    static const char* const known[] = {"linear", "angular", "angular_deg", NULL};
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "velocity", known));
    ISO_SCENE_REQUIRE(build, node->source,
                      !iso_yaml_get(node, "angular") || !iso_yaml_get(node, "angular_deg"),
                      ISO_ERR_PARSE, "velocity has both angular and angular_deg, expected one");
    iso_vec3 degrees = iso_vec3_zero();
    *out_v = iso_spatial_zero();
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "linear", &out_v->translational));
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "angular", &out_v->rotational));
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "angular_deg", &degrees));
    out_v->rotational = iso_vec3_add_scaled(out_v->rotational, degrees, k_degree);
    return ISO_OK;
}

// pose and velocity of a body that floats freely.
static iso_status set_free_start(iso_scene_build* build, const iso_yaml_node* node, int body) {
    const iso_yaml_node* pose = iso_yaml_get(node, "pose");
    const iso_yaml_node* velocity = iso_yaml_get(node, "velocity");
    iso_scene_start* start = &build->starts.data[body];
    const iso_yaml_node* asked = !iso_yaml_is_null(pose) ? pose : velocity;
    if (iso_yaml_is_null(asked)) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, asked->source, body != ISO_WORLD_BODY, ISO_ERR_PARSE,
                      "the world does not move");
    ISO_SCENE_REQUIRE(build, asked->source, start->parent_joint < 0, ISO_ERR_PARSE,
                      "body '%s' is placed by joint '%s'; only bodies that float freely have a "
                      "pose and a velocity of their own",
                      iso_model_body(build->model, body)->name,
                      iso_model_joint(build->model, start->parent_joint)->name);
    if (!iso_yaml_is_null(pose)) {
        iso_scene_frame base;
        iso_pose x;
        ISO_SCENE_TRY(iso_scenario_read_pose(build, pose, "pose", "", &base, &x));
        iso_scene_set_start(build, pose->source, body, &base, &x);
    }
    return iso_yaml_is_null(velocity) ? ISO_OK : read_velocity(build, velocity, &start->v_wb);
}

static iso_status fix_body(iso_scene_build* build, const iso_yaml_node* node, const char* name,
                           int body) {
    iso_scene_frame base;
    iso_pose x;
    iso_pose identity = iso_pose_identity();
    const iso_yaml_node* velocity = iso_yaml_get(node, "velocity");
    ISO_SCENE_REQUIRE(build, velocity ? velocity->source : node->source, !velocity, ISO_ERR_PARSE,
                      "body '%s' is fixed and has no velocity", name);
    ISO_SCENE_TRY(iso_scenario_read_pose(build, iso_yaml_get(node, "pose"), "pose", "", &base, &x));
    iso_pose x_parent = iso_pose_mul(&base.x_bf, &x);
    return iso_scene_add_weld(build, node->source, base.body, body, &x_parent, &identity);
}

// Place the bodies that are fixed, or those that float.
static iso_status place_bodies(const iso_scenario* scenario, bool are_fixed) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* bodies = iso_yaml_get(scenario->root, "bodies");
    for (int i = 0; bodies && i < bodies->count; ++i) {
        const iso_yaml_node* node = bodies->children[i];
        const char* name = iso_yaml_get(node, "name")->text;
        int body = iso_model_find_body(build->model, name);
        bool is_fixed = false;
        ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "fixed", &is_fixed));
        if (is_fixed == are_fixed) {
            ISO_SCENE_TRY(is_fixed ? fix_body(build, node, name, body)
                                   : set_free_start(build, node, body));
        }
    }
    return ISO_OK;
}

iso_status iso_scenario_fix_bodies(const iso_scenario* scenario) {
    return place_bodies(scenario, true);
}

iso_status iso_scenario_start_bodies(const iso_scenario* scenario) {
    return place_bodies(scenario, false);
}

// --- initial state -------------------------------------------------------------------------------

static iso_status set_joint_start(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"joint", "position", "velocity", NULL};
    const char* name = NULL;
    int joint = -1;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "an initial joint", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "an initial joint", "joint", &name));
    ISO_SCENE_TRY(iso_scene_find_joint(build, node->source, name, &joint));
    return iso_scenario_read_joint_state(build, node, joint);
}

static iso_status set_body_start(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"body", "pose", "velocity", NULL};
    const char* name = NULL;
    iso_scene_frame frame;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "an initial body", known));
    ISO_SCENE_TRY(
        iso_yaml_require_text(build, node, "an entry of initial (body or joint)", "body", &name));
    ISO_SCENE_TRY(iso_scene_require_frame(build, node->source, name, &frame));
    ISO_SCENE_REQUIRE(build, node->source,
                      strcmp(iso_model_body(build->model, frame.body)->name, frame.name) == 0,
                      ISO_ERR_PARSE, "'%s' is a frame, expected a body", name);
    return set_free_start(build, node, frame.body);
}

iso_status iso_scenario_read_initial(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* initial = iso_yaml_get(scenario->root, "initial");
    if (iso_yaml_is_null(initial)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, initial, "initial"));
    for (int i = 0; i < initial->count; ++i) {
        const iso_yaml_node* node = initial->children[i];
        ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                          "an entry of initial is not a mapping");
        ISO_SCENE_TRY(iso_yaml_get(node, "joint") ? set_joint_start(build, node)
                                                  : set_body_start(build, node));
    }
    return ISO_OK;
}

// --- paths of fixed bodies -----------------------------------------------------------------------

static iso_status read_keys(iso_scene_build* build, const iso_yaml_node* node,
                            iso_mover_desc* desc) {
    iso_yaml_node* times = NULL;
    iso_yaml_node* poses = NULL;
    void* memory = NULL;
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a motion with poses", "times", &times));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a motion with times", "poses", &poses));
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, times, "times"));
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, poses, "poses"));
    int count = times->count;
    ISO_SCENE_REQUIRE(build, node->source, count > 0 && count == poses->count, ISO_ERR_PARSE,
                      "the motion has %d times and %d poses, expected as many", count,
                      poses->count);
    ISO_SCENE_TRY(iso_program_memory(build, count, sizeof(double), &memory));
    double* values = memory;
    ISO_SCENE_TRY(iso_program_memory(build, count, sizeof(iso_pose), &memory));
    iso_pose* list = memory;
    ISO_SCENE_TRY(iso_yaml_numbers(build, times, "times", count, values));
    for (int i = 0; i < count; ++i) {
        iso_scene_frame base;
        iso_pose x;
        const iso_yaml_node* pose = poses->children[i];
        ISO_SCENE_REQUIRE(build, times->children[i]->source, i == 0 || values[i] > values[i - 1],
                          ISO_ERR_RANGE, "time %g s follows %g s, expected rising times", values[i],
                          values[i > 0 ? i - 1 : 0]);
        ISO_SCENE_TRY(iso_scenario_read_pose(build, pose, "pose", "", &base, &x));
        ISO_SCENE_REQUIRE(build, pose->source, base.body == ISO_WORLD_BODY, ISO_ERR_PARSE,
                          "base_frame of a motion is fixed to '%s', expected the world",
                          iso_model_body(build->model, base.body)->name);
        list[i] = iso_pose_mul(&base.x_bf, &x);
    }
    desc->pose_count = count;
    desc->times = values;
    desc->poses = list;
    return ISO_OK;
}

static iso_status read_motion(iso_scene_build* build, const iso_yaml_node* node,
                              iso_mover_desc* desc) {
    static const char* const known[] = {"body",    "velocity", "times", "poses",
                                        "profile", "repeat",   NULL};
    const char* name = NULL;
    const char* source = NULL;
    iso_scene_frame frame;
    *desc = iso_mover_desc_default();
    int profile = (int)desc->profile;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "an entry of motions is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a motion", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a motion", "body", &name));
    ISO_SCENE_TRY(iso_scene_require_frame(build, node->source, name, &frame));
    const iso_yaml_node* velocity = iso_yaml_get(node, "velocity");
    bool has_path = iso_yaml_get(node, "times") || iso_yaml_get(node, "poses");
    ISO_SCENE_REQUIRE(build, node->source, (velocity != NULL) != has_path, ISO_ERR_PARSE,
                      "the motion of '%s' needs either velocity, or times and poses", name);
    ISO_SCENE_TRY(
        iso_program_text(build, iso_model_body(build->model, frame.body)->name, &desc->body));
    ISO_SCENE_TRY(iso_scene_source_text(build, node->source, &source));
    ISO_SCENE_TRY(iso_program_text(build, source, &desc->source));
    if (velocity) {
        return read_velocity(build, velocity, &desc->velocity);
    }
    ISO_SCENE_TRY(iso_yaml_get_name(build, node, "profile", ISO_NAMES_PROFILE, &profile));
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "repeat", &desc->is_repeated));
    desc->profile = (iso_profile)profile;
    return read_keys(build, node, desc);
}

iso_status iso_scenario_read_motions(const iso_scenario* scenario) {
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* motions = iso_yaml_get(scenario->root, "motions");
    void* memory = NULL;
    if (iso_yaml_is_null(motions)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, motions, "motions"));
    ISO_SCENE_TRY(iso_program_memory(build, motions->count, sizeof *build->movers, &memory));
    build->movers = memory;
    for (int i = 0; i < motions->count; ++i) {
        ISO_SCENE_TRY(read_motion(build, motions->children[i], &build->movers[i]));
    }
    build->mover_count = motions->count;
    return ISO_OK;
}
