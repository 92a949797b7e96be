// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/urdf/urdf.h"

// What elements of URDF may say: what is read, and what other programs read.

static const char* const k_nothing[] = {NULL};

static const char* const k_material[] = {"color", "texture", "specular", NULL};
static const char* const k_reduction[] = {"hardwareInterface", "mechanicalReduction", "role",
                                          "offset", NULL};

static const iso_xml_row k_rows[] = {
    {"robot", {"name", "version"}, NULL},
    {"link", {"name", "type"}, NULL},
    {"transmission/joint", {"name"}, k_reduction},
    {"joint", {"name", "type"}, NULL},
    {"drake:joint", {"name", "type"}, NULL},
    {"inertial", {NULL}, NULL},
    {"visual", {"name"}, NULL},
    {"collision", {"name"}, NULL},
    {"geometry", {NULL}, NULL},
    {"origin", {"xyz", "rpy"}, k_nothing},
    {"mass", {"value"}, k_nothing},
    {"inertia", {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}, k_nothing},
    {"sphere", {"radius"}, k_nothing},
    {"cylinder", {"radius", "length"}, k_nothing},
    {"capsule", {"radius", "length"}, k_nothing},
    {"drake:capsule", {"radius", "length"}, k_nothing},
    {"box", {"size"}, k_nothing},
    {"ellipsoid", {"a", "b", "c"}, k_nothing},
    {"drake:ellipsoid", {"a", "b", "c"}, k_nothing},
    {"mesh", {"filename", "scale"}, NULL},
    {"parent", {"link"}, k_nothing},
    {"child", {"link"}, k_nothing},
    {"axis", {"xyz"}, k_nothing},
    {"limit",
     {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk",
      "drake:acceleration", "drake:jerk"},
     NULL},
    {"dynamics", {"damping", "friction"}, k_nothing},
    {"mimic", {"joint", "multiplier", "offset"}, k_nothing},
    {"safety_controller",
     {"k_velocity", "k_position", "soft_lower_limit", "soft_upper_limit"},
     k_nothing},
    {"calibration", {"rising", "falling", "reference_position"}, k_nothing},
    {"material", {"name"}, k_material},
    {"color", {"rgba"}, k_nothing},
    {"texture", {"filename"}, k_nothing},
    {"frame", {"name", "link", "xyz", "rpy"}, k_nothing},
    {"transmission", {"name", "type"}, NULL},
    {"actuator", {"name"}, NULL},
    {"gazebo", {"reference"}, NULL},
    {"drake:controller_gains", {"p", "d"}, k_nothing},
    {"drake:rotor_inertia", {"value"}, k_nothing},
    {"drake:gear_ratio", {"value"}, k_nothing},
    {"drake:screw_thread_pitch", {"value"}, k_nothing},
    {"drake:ball_constraint_p_AP", {"value"}, k_nothing},
    {"drake:ball_constraint_p_BQ", {"value"}, k_nothing},
    {"drake:accepting_renderer", {"name"}, k_nothing},
    {"drake:declare_convex", {NULL}, k_nothing},
    {"drake:compliant_hydroelastic", {NULL}, k_nothing},
    {"drake:rigid_hydroelastic", {NULL}, k_nothing},
    {"drake:collision_filter_group", {"name"}, NULL},
    {"drake:ball_constraint", {"name"}, NULL},
    {"drake:member", {"link"}, k_nothing},
    {"drake:member_group", {"name"}, k_nothing},
    {"drake:ignored_collision_filter_group", {"name"}, k_nothing},
    {"drake:ball_constraint_body_A", {"name"}, k_nothing},
    {"drake:ball_constraint_body_B", {"name"}, k_nothing},
    {"drake:proximity_properties", {NULL}, NULL},
    {"isobar:contact_properties", {NULL}, NULL},
};

iso_status iso_urdf_check_elements(const iso_urdf_reader* reader) {
    return iso_xml_check_elements(reader->build, reader->robot, k_rows,
                                  (int)(sizeof k_rows / sizeof *k_rows));
}
