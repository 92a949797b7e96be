// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

/// The fixed tendons of a scenario: sums of joints, and routes through space.

#include "scene/scenario/scenario.h"

#include <math.h>

// --- routes --------------------------------------------------------------------------------------

// A frame on a body by name, moved by a pose in it.
static iso_status read_place(iso_scene_build* build, const iso_yaml_node* node, const char* key,
                             const char* pose_key, int* out_body, iso_pose* out_x) {
    const iso_yaml_node* pose = iso_yaml_get(node, pose_key);
    const char* name = NULL;
    iso_scene_frame frame, unused;
    iso_pose x;
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a part of a route", key, &name));
    ISO_SCENE_TRY(iso_scene_require_frame(build, iso_yaml_get(node, key)->source, name, &frame));
    ISO_SCENE_REQUIRE(build, pose ? pose->source : node->source, !iso_yaml_get(pose, "base_frame"),
                      ISO_ERR_PARSE, "%s is a pose in %s; it has no base_frame", pose_key, key);
    ISO_SCENE_TRY(iso_scenario_read_pose(build, pose, pose_key, "", &unused, &x));
    *out_body = frame.body;
    *out_x = iso_pose_mul(&frame.x_bf, &x);
    return ISO_OK;
}

// point, sphere or cylinder: the body or frame that has it; pulley: its divisor.
static iso_status read_part(iso_scene_build* build, const iso_yaml_node* node,
                            iso_route_part* out) {
    static const struct {
        const char* key;
        iso_route_kind kind;
    } kinds[] = {{"point", ISO_ROUTE_POINT},
                 {"sphere", ISO_ROUTE_SPHERE},
                 {"cylinder", ISO_ROUTE_CYLINDER},
                 {"pulley", ISO_ROUTE_PULLEY}};
    static const char* const known[] = {"point",  "sphere", "cylinder",  "pulley", "pose",
                                        "radius", "side",   "side_pose", NULL};
    const char* key = NULL;
    int count = 0;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a part of a route is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a part of a route", known));
    *out = iso_route_part_default();
    for (int i = 0; i < 4; ++i) {
        if (iso_yaml_get(node, kinds[i].key)) {
            out->kind = kinds[i].kind;
            key = kinds[i].key;
            ++count;
        }
    }
    ISO_SCENE_REQUIRE(build, node->source, count == 1, ISO_ERR_PARSE,
                      "a part of a route has %d of point, sphere, cylinder and pulley, expected "
                      "one",
                      count);
    bool is_round = out->kind == ISO_ROUTE_SPHERE || out->kind == ISO_ROUTE_CYLINDER;
    static const char* const of_round[] = {"radius", "side", "side_pose"};
    for (int i = 0; i < 3; ++i) {
        const iso_yaml_node* value = iso_yaml_get(node, of_round[i]);
        ISO_SCENE_REQUIRE(build, value ? value->source : node->source, is_round || !value,
                          ISO_ERR_PARSE, "a %s of a route has no %s", key, of_round[i]);
    }
    if (out->kind == ISO_ROUTE_PULLEY) {
        return iso_yaml_get_number(build, node, "pulley", &out->divisor);
    }
    if (is_round) {
        iso_yaml_node* needed = NULL;
        ISO_SCENE_TRY(iso_yaml_require(build, node, "a part of a route", "radius", &needed));
        ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "radius", 0.0, true, ISO_SCENE_MAX_LENGTH,
                                          &out->radius));
    }
    if (iso_yaml_get(node, "side")) {
        ISO_SCENE_TRY(read_place(build, node, "side", "side_pose", &out->other, &out->x_bo));
    }
    return read_place(build, node, key, "pose", &out->body, &out->x_bs);
}

static iso_status read_route(iso_scene_build* build, const iso_yaml_node* node,
                             iso_fixed_tendon_desc* tendon) {
    const iso_yaml_node* list = iso_yaml_get(node, "route");
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, list, "route"));
    ISO_SCENE_REQUIRE(
        build, node->source,
        list->count > 0 && !iso_yaml_get(node, "joints") && !iso_yaml_get(node, "weights"),
        ISO_ERR_PARSE, "a fixed tendon has joints with weights, or a route of at least one part");
    iso_route_part* parts = iso_arena_push_array(&build->arena, list->count, sizeof *parts);
    ISO_REQUIRE(build->ctx, parts, ISO_ERR_MEMORY, "route of %d parts", list->count);
    for (int i = 0; i < list->count; ++i) {
        ISO_SCENE_TRY(read_part(build, list->children[i], &parts[i]));
    }
    tendon->part_count = list->count;
    tendon->parts = parts;
    return ISO_OK;
}

// --- fixed tendons -------------------------------------------------------------------------------

static iso_status read_tendon_joints(iso_scene_build* build, const iso_yaml_node* node,
                                     iso_fixed_tendon_desc* tendon) {
    iso_yaml_node *list = NULL, *weights = NULL;
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a fixed tendon", "joints", &list));
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, list, "joints"));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "a fixed tendon", "weights", &weights));
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, weights, "weights"));
    ISO_SCENE_REQUIRE(build, weights->source, list->count == weights->count && list->count > 0,
                      ISO_ERR_PARSE, "%d weights of %d joints, expected one of each",
                      weights->count, list->count);
    int* joints = iso_arena_push_array(&build->arena, list->count, sizeof *joints);
    double* numbers = iso_arena_push_array(&build->arena, list->count, sizeof *numbers);
    ISO_REQUIRE(build->ctx, joints && numbers, ISO_ERR_MEMORY, "fixed tendon of %d joints",
                list->count);
    for (int i = 0; i < list->count; ++i) {
        const char* name = NULL;
        ISO_SCENE_TRY(iso_yaml_text(build, list->children[i], "a joint", &name));
        ISO_SCENE_TRY(iso_scene_find_joint(build, list->children[i]->source, name, &joints[i]));
    }
    ISO_SCENE_TRY(iso_yaml_numbers(build, weights, "weights", list->count, numbers));
    tendon->joint_count = list->count;
    tendon->joints = joints;
    tendon->weights = numbers;
    return ISO_OK;
}

static iso_status read_tendon_limits(const iso_scene_build* build, const iso_yaml_node* limits,
                                     iso_fixed_tendon_desc* tendon) {
    static const char* const known[] = {"lower", "upper", NULL};
    if (iso_yaml_is_null(limits)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, limits, "limits", known));
    ISO_SCENE_TRY(iso_yaml_get_number(build, limits, "lower", &tendon->lower));
    return iso_yaml_get_number(build, limits, "upper", &tendon->upper);
}

iso_status iso_scenario_add_tendon(iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const known[] = {
        "name",     "joints", "weights",          "route",         "stiffness", "damping",
        "friction", "limits", "spring_reference", "rotor_inertia", NULL};
    iso_fixed_tendon_desc tendon = iso_fixed_tendon_desc_default();
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a fixed tendon is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a fixed tendon", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a fixed tendon", "name", &tendon.name));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "stiffness", 0.0, false, 1e12, &tendon.stiffness));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "damping", 0.0, false, 1e12, &tendon.damping));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "friction", 0.0, false, 1e12, &tendon.friction));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "spring_reference", -1e6, false, 1e6,
                                      &tendon.spring_reference));
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "rotor_inertia", 0.0, false, 1e12, &tendon.rotor_inertia));
    ISO_SCENE_TRY(read_tendon_limits(build, iso_yaml_get(node, "limits"), &tendon));
    iso_arena_mark mark = iso_arena_get_mark(&build->arena);
    iso_status status = iso_yaml_get(node, "route") ? read_route(build, node, &tendon)
                                                    : read_tendon_joints(build, node, &tendon);
    if (status == ISO_OK) {
        status = iso_scene_add_fixed_tendon(build, node->source, &tendon, NULL);
    }
    iso_arena_release(&build->arena, mark);
    return status;
}
