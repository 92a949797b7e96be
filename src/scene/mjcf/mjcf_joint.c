// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

static iso_status read_axis(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            iso_joint_desc* joint) {
    double n[3] = {0.0, 0.0, 1.0};
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "axis", 3, 3, n, NULL));
    iso_vec3 axis = iso_vec3_make(n[0], n[1], n[2]);
    double norm = iso_vec3_norm(axis);
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), norm > 1e-9 && norm < 1e12,
                      ISO_ERR_RANGE, "joint '%s': the axis has length %g, expected a direction",
                      joint->name, norm);
    joint->axis = iso_vec3_normalized(axis);
    return ISO_OK;
}

// From 0 to an angle, which is not enforced. 0 to 0, as of a class that limits all joints, is one
// that MuJoCo takes, too.
static iso_status read_ball_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                  const iso_joint_desc* joint) {
    double range[2] = {0.0, 0.0};
    int flag = 2;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "range", 2, 2, range, NULL));
    ISO_SCENE_TRY(iso_mjcf_flag(reader, item, "limited", &flag));
    bool is_limited = (flag == 1 || (flag == 2 && range[0] < range[1])) && !reader->is_off.limit;
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), !is_limited || range[0] == 0.0,
                      ISO_ERR_RANGE, "joint '%s': the range of a ball is %g to %g, expected from 0",
                      joint->name, range[0], range[1]);
    if (is_limited) {
        iso_scene_warn_once(reader->build, iso_xml_source(item->node), "range of a ball",
                            "joint '%s': the range of a ball joint is not supported and is ignored",
                            joint->name);
    }
    return ISO_OK;
}

static iso_status read_limits(const iso_mjcf_reader* reader, const iso_mjcf_item* item, double unit,
                              bool is_ball, iso_joint_desc* joint, iso_mjcf_joint* out) {
    iso_source at = iso_xml_source(item->node);
    double *range = out->range, *effort_range = out->effort_range;
    bool is_limited = false;
    ISO_SCENE_TRY(is_ball ? read_ball_range(reader, item, joint)
                          : iso_mjcf_position_range(reader, item, range, &is_limited));
    range[0] *= unit;
    range[1] *= unit;
    ISO_SCENE_TRY(
        iso_mjcf_force_range(reader, item, "actuatorfrcrange", "actuatorfrclimited", effort_range));
    joint->effort_limit = fmax(-effort_range[0], effort_range[1]);
    if (effort_range[0] != -effort_range[1]) {
        joint->effort_lower = effort_range[0];
        joint->effort_upper = effort_range[1];
    }
    int carries = 0;
    ISO_SCENE_TRY(iso_mjcf_flag(reader, item, "actuatorgravcomp", &carries));
    if (carries == 1) {
        iso_scene_warn_once(reader->build, at, "actuatorgravcomp",
                            "joint '%s': what gravcomp carries is a force of its own, neither "
                            "among the efforts of actuators nor bounded by actuatorfrcrange, as "
                            "actuatorgravcomp has it",
                            joint->name);
    }
    if (is_limited) {
        joint->lower = range[0];
        joint->upper = range[1];
    }
    return ISO_OK;
}

static iso_status read_efforts(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                               double unit, bool is_ball, iso_joint_desc* joint,
                               iso_mjcf_joint* out) {
    iso_source at = iso_xml_source(item->node);
    int spring_count = 0;
    double stiffness = 0.0, reference = 0.0, armature = 0.0;
    ISO_SCENE_TRY(iso_mjcf_coefficient(reader, item, "damping", &joint->damping));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "frictionloss", 1, 1, &joint->friction, NULL));
    ISO_SCENE_TRY(iso_mjcf_coefficient(reader, item, "stiffness", &stiffness));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "springref", 1, 1, &reference, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "armature", 1, 1, &armature, NULL));
    joint->stiffness = stiffness;
    ISO_SCENE_TRY(
        iso_mjcf_numbers(reader, item, "springdamper", 2, 2, out->spring_damper, &spring_count));
    bool is_given = out->spring_damper[0] != 0.0 || out->spring_damper[1] != 0.0;
    out->spring_node = spring_count > 0 && is_given ? item->node : NULL;
    joint->rotor_inertia = armature;
    if (!is_ball) {
        joint->spring_reference = out->spring_reference = reference * unit;
    }
    return iso_scene_check_efforts(reader->build, at, joint);
}

const char* const iso_mjcf_joint_attributes[] = {"name",
                                                 "class",
                                                 "type",
                                                 "pos",
                                                 "axis",
                                                 "range",
                                                 "limited",
                                                 "damping",
                                                 "stiffness",
                                                 "springref",
                                                 "springdamper",
                                                 "armature",
                                                 "ref",
                                                 "actuatorfrcrange",
                                                 "actuatorfrclimited",
                                                 "actuatorgravcomp",
                                                 "group",
                                                 "frictionloss",
                                                 "user",
                                                 NULL};

iso_status iso_mjcf_read_joint(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                               iso_mjcf_joint_type type, iso_joint_desc* joint,
                               iso_mjcf_joint* out) {
    bool is_ball = type == ISO_MJCF_BALL;
    double unit =
        type == ISO_MJCF_HINGE ? iso_mjcf_settings_of(reader, item->node)->angle_unit : 1.0;
    double ref = 0.0;
    iso_xml_warn_attributes(reader->build, item->node, iso_mjcf_joint_attributes);
    joint->kind = is_ball                  ? ISO_JOINT_BALL
                  : type == ISO_MJCF_HINGE ? ISO_JOINT_REVOLUTE
                                           : ISO_JOINT_PRISMATIC;
    if (!is_ball) {
        ISO_SCENE_TRY(read_axis(reader, item, joint));
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "ref", 1, 1, &ref, NULL));
    }
    ISO_SCENE_TRY(read_limits(reader, item, unit, is_ball, joint, out));
    ISO_SCENE_TRY(read_efforts(reader, item, unit, is_ball, joint, out));
    out->ref = ref * unit;
    joint->position = out->ref;
    return ISO_OK;
}
