// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"

#include <math.h>

/// The joints, couplers, constraints and excluded geometries of a scenario.

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
    ISO_SCENE_TRY(iso_scene_require_frame(build, node->source, parent_name, &parent));
    ISO_SCENE_TRY(iso_scene_require_frame(build, node->source, child_name, &child));
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

// Up to `capacity` numbers: a list, or one number.
static iso_status read_values(const iso_scene_build* build, const iso_yaml_node* node,
                              const char* key, int capacity, double* out_values, int* out_count) {
    *out_count = node->kind == ISO_YAML_SEQUENCE ? node->count : 1;
    ISO_SCENE_REQUIRE(build, node->source, *out_count >= 1 && *out_count <= capacity, ISO_ERR_PARSE,
                      "%s is a list of %d, expected at most %d numbers", key, *out_count, capacity);
    if (node->kind == ISO_YAML_SEQUENCE) {
        ISO_SCENE_TRY(iso_yaml_numbers(build, node, key, *out_count, out_values));
    } else {
        ISO_SCENE_TRY(iso_yaml_number(build, node, key, out_values));
    }
    for (int i = 0; i < *out_count; ++i) {
        ISO_SCENE_REQUIRE(build, node->source, fabs(out_values[i]) <= 1e6, ISO_ERR_RANGE,
                          "%s is %g, expected >= -1e+06 and <= 1e+06", key, out_values[i]);
    }
    return ISO_OK;
}

iso_status iso_scenario_read_joint_state(iso_scene_build* build, const iso_yaml_node* node,
                                         int joint) {
    const iso_yaml_node* position = iso_yaml_get(node, "position");
    const iso_yaml_node* velocity = iso_yaml_get(node, "velocity");
    double values[4] = {0.0};
    int count = 0;
    if (position) {
        ISO_SCENE_TRY(read_values(build, position, "position", 4, values, &count));
        ISO_SCENE_TRY(iso_scene_set_position(build, position->source, joint, values, count, true));
    }
    if (velocity) {
        ISO_SCENE_TRY(read_values(build, velocity, "velocity", 3, values, &count));
        ISO_SCENE_TRY(iso_scene_set_velocity(build, velocity->source, joint, values, count));
    }
    return ISO_OK;
}

static iso_status read_axis(const iso_scene_build* build, const iso_yaml_node* node,
                            const char* key, iso_vec3* axis) {
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, key, axis));
    double norm = iso_vec3_norm(*axis);
    ISO_SCENE_REQUIRE(build, node->source, norm > 1e-6, ISO_ERR_RANGE,
                      "%s has length %g, expected a direction", key, norm);
    *axis = iso_vec3_scale(*axis, 1.0 / norm);
    return ISO_OK;
}

// Which kinds of joints a key means something for.
static iso_status check_joint_keys(const iso_scene_build* build, const iso_yaml_node* node,
                                   const iso_joint_desc* joint) {
    static const char* const one_dof[] = {"limits", "spring_reference", "rotor_inertia",
                                          "gear_ratio"};
    for (size_t i = 0; i < sizeof one_dof / sizeof *one_dof; ++i) {
        const iso_yaml_node* value = iso_yaml_get(node, one_dof[i]);
        // A weld may keep what its type had: it does nothing.
        ISO_SCENE_REQUIRE(build, value ? value->source : node->source,
                          iso_yaml_is_null(value) || joint->kind == ISO_JOINT_WELD ||
                              iso_scene_has_one_dof(joint->kind),
                          ISO_ERR_PARSE, "a %s joint has no %s", iso_scene_joint_types[joint->kind],
                          one_dof[i]);
    }
    ISO_SCENE_REQUIRE(build, node->source,
                      (iso_yaml_get(node, "pitch") != NULL) == (joint->kind == ISO_JOINT_SCREW),
                      ISO_ERR_PARSE, "pitch belongs to screw joints, and they need it");
    ISO_SCENE_REQUIRE(build, node->source,
                      !iso_yaml_get(node, "axis_2") || joint->kind == ISO_JOINT_UNIVERSAL,
                      ISO_ERR_PARSE, "axis_2 belongs to universal joints");
    return ISO_OK;
}

static iso_status read_joint_motion(const iso_scene_build* build, const iso_yaml_node* node,
                                    iso_joint_desc* joint) {
    ISO_SCENE_TRY(check_joint_keys(build, node, joint));
    ISO_SCENE_TRY(read_axis(build, node, "axis", &joint->axis));
    ISO_SCENE_TRY(read_axis(build, node, "axis_2", &joint->axis_2));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "pitch", -1e3, false, 1e3, &joint->pitch));
    ISO_SCENE_TRY(read_limits(build, node, joint));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "damping", 0.0, false, 1e12, &joint->damping));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "friction", 0.0, false, 1e12, &joint->friction));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "stiffness", 0.0, false, 1e12, &joint->stiffness));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "spring_reference", -1e6, false, 1e6,
                                      &joint->spring_reference));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "rotor_inertia", 0.0, false, 1e6, &joint->rotor_inertia));
    return iso_yaml_get_ranged(build, node, "gear_ratio", -1e6, false, 1e6, &joint->gear_ratio);
}

static iso_status add_joint(const iso_scenario* scenario, const iso_yaml_node* node) {
    static const char* const known[] = {"name",
                                        "type",
                                        "parent",
                                        "child",
                                        "pose",
                                        "child_pose",
                                        "axis",
                                        "axis_2",
                                        "pitch",
                                        "limits",
                                        "damping",
                                        "friction",
                                        "stiffness",
                                        "spring_reference",
                                        "rotor_inertia",
                                        "gear_ratio",
                                        "position",
                                        "velocity",
                                        NULL};
    // A free joint is no joint here: what nothing holds floats.
    static const char* const types[] = {"fixed",     "revolute", "prismatic", "screw",
                                        "universal", "ball",     "planar"};
    static const iso_joint_kind kinds[] = {
        ISO_JOINT_WELD,      ISO_JOINT_REVOLUTE, ISO_JOINT_PRISMATIC, ISO_JOINT_SCREW,
        ISO_JOINT_UNIVERSAL, ISO_JOINT_BALL,     ISO_JOINT_PLANAR};
    iso_scene_build* build = scenario->build;
    iso_joint_desc joint = iso_joint_desc_default();
    iso_yaml_node* type_node = NULL;
    int type = 0, index = -1;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a joint is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a joint", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a joint", "name", &joint.name));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a joint", "type", &type_node));
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "type", types, 7, &type));
    joint.kind = kinds[type];
    ISO_SCENE_TRY(read_joint_frames(build, node, &joint));
    ISO_SCENE_TRY(read_joint_motion(build, node, &joint));
    ISO_SCENE_TRY(iso_scene_add_joint(build, node->source, &joint, &index));
    return index < 0 || joint.kind == ISO_JOINT_WELD
               ? ISO_OK
               : iso_scenario_read_joint_state(build, node, index);
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

// --- couplers ------------------------------------------------------------------------------------

static iso_status read_joint(iso_scene_build* build, const iso_yaml_node* node, const char* key,
                             int* out_joint) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a coupler", key, &name));
    return iso_scene_find_joint(build, iso_yaml_get(node, key)->source, name, out_joint);
}

static iso_status add_coupler(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"name",   "joint_a", "joint_b", "ratio",
                                        "offset", "curve",   "active",  NULL};
    iso_coupler_desc coupler = iso_coupler_desc_default();
    bool is_active = true;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a coupler is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a coupler", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a coupler", "name", &coupler.name));
    ISO_SCENE_TRY(read_joint(build, node, "joint_a", &coupler.joint_a));
    ISO_SCENE_TRY(read_joint(build, node, "joint_b", &coupler.joint_b));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "ratio", -1e6, false, 1e6, &coupler.ratio));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "offset", -1e6, false, 1e6, &coupler.offset));
    iso_vec3 curve = iso_vec3_zero();
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "curve", &curve));
    coupler.curve[0] = curve.x;
    coupler.curve[1] = curve.y;
    coupler.curve[2] = curve.z;
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "active", &is_active));
    coupler.is_off = !is_active;
    return iso_scene_add_coupler(build, node->source, &coupler);
}

// --- constraints ---------------------------------------------------------------------------------

static iso_status read_constraint_end(iso_scene_build* build, const iso_yaml_node* node,
                                      const char* body_key, const char* pose_key, int* out_body,
                                      iso_pose* out_x) {
    const iso_yaml_node* pose = iso_yaml_get(node, pose_key);
    const char* name = NULL;
    iso_scene_frame frame, unused;
    iso_pose x;
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a constraint", body_key, &name));
    ISO_SCENE_TRY(
        iso_scene_require_frame(build, iso_yaml_get(node, body_key)->source, name, &frame));
    ISO_SCENE_REQUIRE(build, pose ? pose->source : node->source, !iso_yaml_get(pose, "base_frame"),
                      ISO_ERR_PARSE, "%s is a pose in %s; it has no base_frame", pose_key,
                      body_key);
    ISO_SCENE_TRY(iso_scenario_read_pose(build, pose, pose_key, "", &unused, &x));
    *out_body = frame.body;
    *out_x = iso_pose_mul(&frame.x_bf, &x);
    return ISO_OK;
}

static iso_status add_constraint(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"name",    "type",   "body_a", "body_b",
                                        "pose_a",  "pose_b", "length", "stiffness",
                                        "damping", "active", NULL};
    iso_constraint_desc constraint = iso_constraint_desc_default();
    iso_yaml_node* needed = NULL;
    int type = 0;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a constraint is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a constraint", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a constraint", "name", &constraint.name));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a constraint", "type", &needed));
    ISO_SCENE_TRY(iso_yaml_get_name(build, node, "type", ISO_NAMES_CONSTRAINT_KIND, &type));
    constraint.kind = (iso_constraint_kind)type;
    ISO_SCENE_TRY(
        read_constraint_end(build, node, "body_a", "pose_a", &constraint.body_a, &constraint.x_ap));
    ISO_SCENE_TRY(
        read_constraint_end(build, node, "body_b", "pose_b", &constraint.body_b, &constraint.x_bq));
    bool has_length = type >= (int)ISO_CONSTRAINT_DISTANCE;
    static const char* const length_keys[] = {"length", "stiffness", "damping"};
    for (int i = 0; i < 3; ++i) {
        const iso_yaml_node* value = iso_yaml_get(node, length_keys[i]);
        ISO_SCENE_REQUIRE(build, value ? value->source : node->source, has_length || !value,
                          ISO_ERR_PARSE, "a %s constraint has no %s",
                          iso_name_of(ISO_NAMES_CONSTRAINT_KIND, type), length_keys[i]);
    }
    if (has_length) {
        ISO_SCENE_TRY(iso_yaml_require(build, node, "a distance or tendon", "length", &needed));
    }
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "length", 0.0, false, ISO_SCENE_MAX_LENGTH,
                                      &constraint.length));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "stiffness", 0.0, false, INFINITY, &constraint.stiffness));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "damping", 0.0, false, 1e12, &constraint.damping));
    bool is_active = true;
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "active", &is_active));
    constraint.is_off = !is_active;
    return iso_scene_add_constraint(build, node->source, &constraint);
}

// --- pairs of geometries -------------------------------------------------------------------------

static iso_status add_pattern_pair(iso_scene_build* build, const iso_yaml_node* node,
                                   const char* what, const iso_pattern_pair* pair) {
    static const char* const keys[] = {"geometry_a", "geometry_b"};
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->pattern_pairs));
    iso_pattern_pair* added = &build->pattern_pairs.data[build->pattern_pairs.count];
    *added = *pair;
    added->source = node->source;
    for (int i = 0; i < 2; ++i) {
        ISO_SCENE_TRY(iso_yaml_require_text(build, node, what, keys[i], &added->patterns[i]));
    }
    ++build->pattern_pairs.count;
    return ISO_OK;
}

static iso_status add_exclusion(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"geometry_a", "geometry_b", NULL};
    const iso_pattern_pair pair = {.model = ISO_CONTACT_MODEL_DEFAULT};
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "excluded_geometries", known));
    return add_pattern_pair(build, node, "an entry of excluded_geometries", &pair);
}

static iso_status add_pair_model(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {"geometry_a", "geometry_b", "model", NULL};
    iso_yaml_node* model = NULL;
    int kind = ISO_CONTACT_MODEL_DEFAULT;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "contact_models", known));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "an entry of contact_models", "model", &model));
    ISO_SCENE_TRY(iso_yaml_get_name(build, node, "model", ISO_NAMES_CONTACT_MODEL_KIND, &kind));
    ISO_SCENE_REQUIRE(build, model->source, kind != ISO_CONTACT_MODEL_DEFAULT, ISO_ERR_RANGE,
                      "model of an entry of contact_models is 'default', expected "
                      "pressure_field, hertz or volumetric");
    const iso_pattern_pair pair = {.model = (iso_contact_model_kind)kind};
    return add_pattern_pair(build, node, "an entry of contact_models", &pair);
}

typedef iso_status (*add_fn)(iso_scene_build* build, const iso_yaml_node* node);

static iso_status add_list(const iso_scenario* scenario, const char* key, add_fn add) {
    const iso_yaml_node* list = iso_yaml_get(scenario->root, key);
    if (iso_yaml_is_null(list)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(scenario->build, list, key));
    for (int i = 0; i < list->count; ++i) {
        ISO_SCENE_TRY(add(scenario->build, list->children[i]));
    }
    return ISO_OK;
}

iso_status iso_scenario_add_closures(const iso_scenario* scenario) {
    ISO_SCENE_TRY(add_list(scenario, "couplers", add_coupler));
    ISO_SCENE_TRY(add_list(scenario, "fixed_tendons", iso_scenario_add_tendon));
    ISO_SCENE_TRY(add_list(scenario, "excluded_geometries", add_exclusion));
    ISO_SCENE_TRY(add_list(scenario, "contact_models", add_pair_model));
    return add_list(scenario, "constraints", add_constraint);
}
