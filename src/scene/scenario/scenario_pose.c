// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario.h"

#include <math.h>
#include <string.h>

static const double k_degree = ISO_PI / 180.0;

static iso_status read_rpy(iso_scene_build* build, const iso_yaml_node* node, iso_mat3* out_r) {
    static const char* const known[] = {"deg", "rad", NULL};
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "rotation (roll, pitch, yaw)", known));
    const iso_yaml_node* deg = iso_yaml_get(node, "deg");
    const iso_yaml_node* rad = iso_yaml_get(node, "rad");
    ISO_SCENE_REQUIRE(build, node->source, (deg != NULL) != (rad != NULL), ISO_ERR_PARSE,
                      "rotation needs either deg or rad: [roll, pitch, yaw]");
    double n[3];
    double unit = deg ? k_degree : 1.0;
    ISO_SCENE_TRY(iso_yaml_numbers(build, deg ? deg : rad, "rotation", 3, n));
    *out_r = iso_mat3_from_rpy(n[0] * unit, n[1] * unit, n[2] * unit);
    return ISO_OK;
}

static iso_status read_angle_axis(iso_scene_build* build, const iso_yaml_node* node,
                                  iso_mat3* out_r) {
    static const char* const known[] = {"angle_deg", "angle_rad", "axis", NULL};
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "rotation (angle, axis)", known));
    const iso_yaml_node* deg = iso_yaml_get(node, "angle_deg");
    const iso_yaml_node* rad = iso_yaml_get(node, "angle_rad");
    ISO_SCENE_REQUIRE(build, node->source, (deg != NULL) != (rad != NULL), ISO_ERR_PARSE,
                      "rotation needs either angle_deg or angle_rad");
    double angle = 0.0;
    iso_vec3 axis = iso_vec3_zero();
    iso_yaml_node* axis_node = NULL;
    ISO_SCENE_TRY(iso_yaml_number(build, deg ? deg : rad, "angle", &angle));
    ISO_SCENE_TRY(iso_yaml_require(build, node, "rotation", "axis", &axis_node));
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "axis", &axis));
    double norm = iso_vec3_norm(axis);
    ISO_SCENE_REQUIRE(build, axis_node->source, norm > 1e-6 && isfinite(angle), ISO_ERR_RANGE,
                      "rotation axis has length %g, expected a direction", norm);
    *out_r =
        iso_mat3_from_axis_angle(iso_vec3_scale(axis, 1.0 / norm), deg ? angle * k_degree : angle);
    return ISO_OK;
}

static iso_status read_quaternion(iso_scene_build* build, const iso_yaml_node* node,
                                  iso_mat3* out_r) {
    static const char* const known[] = {"wxyz", NULL};
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "rotation (quaternion)", known));
    iso_yaml_node* list = NULL;
    double q[4];
    ISO_SCENE_TRY(iso_yaml_require(build, node, "rotation", "wxyz", &list));
    ISO_SCENE_TRY(iso_yaml_numbers(build, list, "wxyz", 4, q));
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    ISO_SCENE_REQUIRE(build, list->source, fabs(norm - 1.0) < 1e-3, ISO_ERR_RANGE,
                      "the quaternion has norm %g, expected 1", norm);
    *out_r = iso_mat3_from_quat(iso_quat_make(q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm));
    return ISO_OK;
}

// The tag says what it is (as Drake writes it), else the keys do.
static iso_status read_rotation(iso_scene_build* build, const iso_yaml_node* node,
                                iso_mat3* out_r) {
    const char* tag = node->tag;
    *out_r = iso_mat3_identity();
    if (strcmp(tag, "!Identity") == 0 || (!*tag && iso_yaml_is_null(node))) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "rotation is not a mapping, expected {deg: [roll, pitch, yaw]}, {angle_deg, "
                      "axis} or {wxyz}");
    bool is_rpy = iso_yaml_get(node, "deg") || iso_yaml_get(node, "rad");
    if (strcmp(tag, "!Rpy") == 0 || (!*tag && is_rpy)) {
        return read_rpy(build, node, out_r);
    }
    bool is_angle = iso_yaml_get(node, "angle_deg") || iso_yaml_get(node, "angle_rad");
    if (strcmp(tag, "!AngleAxis") == 0 || (!*tag && is_angle)) {
        return read_angle_axis(build, node, out_r);
    }
    if (strcmp(tag, "!Quaternion") == 0 || (!*tag && iso_yaml_get(node, "wxyz"))) {
        return read_quaternion(build, node, out_r);
    }
    return iso_scene_fail(build, node->source, ISO_ERR_UNSUPPORTED,
                          "rotation%s%.40s is not known, expected !Rpy {deg | rad}, !AngleAxis "
                          "{angle_deg | angle_rad, axis}, !Quaternion {wxyz} or !Identity",
                          *tag ? " " : "", tag);
}

iso_status iso_scenario_find_frame(iso_scene_build* build, iso_source at, const char* scope,
                                   const char* name, iso_scene_frame* out_frame) {
    const char* scoped = name;
    if (strcmp(name, "world") != 0) {
        ISO_SCENE_TRY(iso_scene_scoped(build, scope, name, &scoped));
    }
    return iso_scene_require_frame(build, at, scoped, out_frame);
}

iso_status iso_scenario_read_pose(iso_scene_build* build, const iso_yaml_node* node,
                                  const char* what, const char* scope, iso_scene_frame* out_base,
                                  iso_pose* out_x) {
    static const char* const known[] = {"base_frame", "translation", "rotation", NULL};
    *out_base = (iso_scene_frame){.name = "world", .body = ISO_WORLD_BODY};
    out_base->x_bf = iso_pose_identity();
    *out_x = iso_pose_identity();
    if (iso_yaml_is_null(node)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, what, known));
    const iso_yaml_node* base = iso_yaml_get(node, "base_frame");
    const iso_yaml_node* rotation = iso_yaml_get(node, "rotation");
    if (!iso_yaml_is_null(base)) {
        const char* name = NULL;
        ISO_SCENE_TRY(iso_yaml_text(build, base, "base_frame", &name));
        ISO_SCENE_TRY(iso_scenario_find_frame(build, base->source, scope, name, out_base));
    }
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "translation", &out_x->p));
    return rotation ? read_rotation(build, rotation, &out_x->r) : ISO_OK;
}
