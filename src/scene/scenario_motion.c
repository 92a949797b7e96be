// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario.h"

#include <math.h>
#include <string.h>

/// Where things are and how they move at the start, and the joints of a scenario.

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

static iso_status place_body(iso_scene_build* build, const iso_yaml_node* node) {
    const char* name = iso_yaml_get(node, "name")->text;
    int body = iso_model_find_body(build->model, name);
    bool is_fixed = false;
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "fixed", &is_fixed));
    if (!is_fixed) {
        return set_free_start(build, node, body);
    }
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

iso_status iso_scenario_place_bodies(const iso_scenario* scenario) {
    const iso_yaml_node* bodies = iso_yaml_get(scenario->root, "bodies");
    for (int i = 0; bodies && i < bodies->count; ++i) {
        ISO_SCENE_TRY(place_body(scenario->build, bodies->children[i]));
    }
    return ISO_OK;
}

// --- joints --------------------------------------------------------------------------------------

static iso_status read_limits(const iso_scene_build* build, const iso_yaml_node* node,
                              iso_joint_desc* joint) {
    static const char* const known[] = {"lower", "upper", "velocity", "effort", NULL};
    const iso_yaml_node* limits = iso_yaml_get(node, "limits");
    if (iso_yaml_is_null(limits)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, limits, "limits", known));
    ISO_SCENE_TRY(iso_yaml_get_number(build, limits, "lower", &joint->lower));
    ISO_SCENE_TRY(iso_yaml_get_number(build, limits, "upper", &joint->upper));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, limits, "velocity", 0.0, false, INFINITY,
                                      &joint->velocity_limit));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, limits, "effort", 0.0, false, INFINITY, &joint->effort_limit));
    ISO_SCENE_REQUIRE(build, limits->source, joint->lower <= joint->upper, ISO_ERR_RANGE,
                      "lower limit %g is above upper limit %g", joint->lower, joint->upper);
    return ISO_OK;
}

static iso_status read_joint_frames(iso_scene_build* build, const iso_yaml_node* node,
                                    iso_joint_desc* joint) {
    const char* parent_name = NULL;
    const char* child_name = NULL;
    iso_scene_frame parent, child, unused;
    iso_pose x_pf, x_cm;
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a joint", "parent", &parent_name));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a joint", "child", &child_name));
    ISO_SCENE_TRY(iso_scene_find_frame(build, node->source, parent_name, &parent));
    ISO_SCENE_TRY(iso_scene_find_frame(build, node->source, child_name, &child));
    const iso_yaml_node* pose = iso_yaml_get(node, "pose");
    const iso_yaml_node* child_pose = iso_yaml_get(node, "child_pose");
    ISO_SCENE_REQUIRE(build, node->source,
                      !iso_yaml_get(pose, "base_frame") && !iso_yaml_get(child_pose, "base_frame"),
                      ISO_ERR_PARSE,
                      "pose is in the parent, child_pose in the child; no "
                      "base_frame");
    ISO_SCENE_TRY(iso_scenario_read_pose(build, pose, "pose", "", &unused, &x_pf));
    ISO_SCENE_TRY(iso_scenario_read_pose(build, child_pose, "child_pose", "", &unused, &x_cm));
    joint->parent = parent.body;
    joint->child = child.body;
    joint->x_pf = iso_pose_mul(&parent.x_bf, &x_pf);
    joint->x_cm = iso_pose_mul(&child.x_bf, &x_cm);
    return ISO_OK;
}

static iso_status add_joint(const iso_scenario* scenario, const iso_yaml_node* node) {
    static const char* const known[] = {"name",    "type",       "parent",   "child",
                                        "pose",    "child_pose", "axis",     "limits",
                                        "damping", "position",   "velocity", NULL};
    static const char* const types[] = {"fixed", "revolute", "prismatic"};
    iso_scene_build* build = scenario->build;
    iso_joint_desc joint = iso_joint_desc_default();
    iso_yaml_node* type_node = NULL;
    int type = 0, index = -1;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a joint is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a joint", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a joint", "name", &joint.name));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a joint", "type", &type_node));
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "type", types, 3, &type));
    joint.kind = (iso_joint_kind)type;
    ISO_SCENE_TRY(read_joint_frames(build, node, &joint));
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "axis", &joint.axis));
    double norm = iso_vec3_norm(joint.axis);
    ISO_SCENE_REQUIRE(build, node->source, norm > 1e-6, ISO_ERR_RANGE,
                      "axis has length %g, expected a direction", norm);
    joint.axis = iso_vec3_scale(joint.axis, 1.0 / norm);
    ISO_SCENE_TRY(read_limits(build, node, &joint));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "damping", 0.0, false, 1e12, &joint.damping));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "velocity", -1e6, false, 1e6, &joint.velocity));
    ISO_SCENE_TRY(iso_scene_add_joint(build, node->source, &joint, &index));
    const iso_yaml_node* position = iso_yaml_get(node, "position");
    double value = 0.0;
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "position", -1e6, false, 1e6, &value));
    return position && type != 0
               ? iso_scenario_set_position(build, position->source, index, value, true)
               : ISO_OK;
}

iso_status iso_scenario_add_joints(const iso_scenario* scenario) {
    const iso_yaml_node* joints = iso_yaml_get(scenario->root, "joints");
    if (iso_yaml_is_null(joints)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(scenario->build, joints, "joints"));
    for (int i = 0; i < joints->count; ++i) {
        ISO_SCENE_TRY(add_joint(scenario, joints->children[i]));
    }
    return ISO_OK;
}

// --- initial state -------------------------------------------------------------------------------

iso_status iso_scenario_set_position(iso_scene_build* build, iso_source at, int joint,
                                     double position, bool is_strict) {
    iso_joint_desc* desc = iso_model_joint(build->model, joint);
    ISO_SCENE_REQUIRE(build, at,
                      desc->kind == ISO_JOINT_REVOLUTE || desc->kind == ISO_JOINT_PRISMATIC,
                      ISO_ERR_PARSE, "joint '%s' is fixed and has no position", desc->name);
    bool is_inside = position >= desc->lower && position <= desc->upper;
    ISO_SCENE_REQUIRE(build, at, is_inside || !is_strict, ISO_ERR_RANGE,
                      "position of joint '%s' is %g, expected within its limits %g to %g",
                      desc->name, position, desc->lower, desc->upper);
    if (!is_inside) {
        iso_scene_warn_once(build, at, desc->name,
                            "position of joint '%s' is %g, outside of its limits %g to %g",
                            desc->name, position, desc->lower, desc->upper);
    }
    desc->position = position;
    return ISO_OK;
}

static iso_status set_joint_start(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"joint", "position", "velocity", NULL};
    const char* name = NULL;
    int joint = -1;
    double position = 0.0;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "an initial joint", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "an initial joint", "joint", &name));
    ISO_SCENE_TRY(iso_scene_find_joint(build, node->source, name, &joint));
    iso_joint_desc* desc = iso_model_joint(build->model, joint);
    if (iso_yaml_get(node, "position")) {
        ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "position", -1e6, false, 1e6, &position));
        ISO_SCENE_TRY(iso_scenario_set_position(build, iso_yaml_get(node, "position")->source,
                                                joint, position, true));
    }
    return iso_yaml_get_ranged(build, node, "velocity", -1e6, false, 1e6, &desc->velocity);
}

static iso_status set_body_start(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"body", "pose", "velocity", NULL};
    const char* name = NULL;
    iso_scene_frame frame;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "an initial body", known));
    ISO_SCENE_TRY(
        iso_yaml_require_text(build, node, "an entry of initial (body or joint)", "body", &name));
    ISO_SCENE_TRY(iso_scene_find_frame(build, node->source, name, &frame));
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
