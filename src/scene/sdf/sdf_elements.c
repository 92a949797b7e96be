// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"

// What elements of SDFormat may say; elements of other programs have no rows.

static const char* const k_nothing[] = {NULL};
static const char* const k_moments[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz", NULL};
static const char* const k_material[] = {"script",  "shader",       "lighting",  "ambient",
                                         "diffuse", "specular",     "emissive",  "double_sided",
                                         "pbr",     "render_order", "shininess", NULL};
static const char* const k_box[] = {"size", NULL};
static const char* const k_ball[] = {"radius", NULL};
static const char* const k_round[] = {"radius", "length", NULL};
static const char* const k_pose[] = {"pose", NULL};
static const char* const k_mimic[] = {"multiplier", "offset", "reference", NULL};
static const char* const k_ellipsoid[] = {"radii", "a", "b", "c", NULL};
static const char* const k_plane[] = {"normal", "size", NULL};
static const char* const k_polyline[] = {"point", "height", NULL};
static const char* const k_axes[] = {"x", "y", "z", NULL};
static const char* const k_noise[] = {"noise", NULL};
static const char* const k_of_noise[] = {"type",
                                         "mean",
                                         "stddev",
                                         "bias_mean",
                                         "bias_stddev",
                                         "dynamic_bias_stddev",
                                         "dynamic_bias_correlation_time",
                                         "precision",
                                         NULL};

static const iso_xml_row k_rows[] = {
    {"sdf", {"version"}, NULL},
    {"gazebo", {"version"}, NULL},
    {"world", {"name"}, NULL},
    {"atmosphere", {"type"}, NULL},
    {"model", {"name", "canonical_link", "placement_frame"}, NULL},
    {"include", {"merge"}, NULL},
    {"link", {"name"}, NULL},
    {"force_torque/frame", {NULL}, k_nothing},
    {"frame", {"name", "attached_to"}, k_pose},
    {"joint", {"name", "type"}, NULL},
    {"drake:joint", {"name", "type"}, NULL},
    {"pose", {"relative_to", "degrees", "rotation_format", "frame"}, k_nothing},
    {"inertial", {"auto"}, NULL},
    {"inertia", {NULL}, k_moments},
    {"contact/collision", {NULL}, k_nothing},
    {"collision", {"name"}, NULL},
    {"visual", {"name"}, NULL},
    {"material", {NULL}, k_material},
    {"physics", {"name", "type", "default"}, NULL},
    {"geometry", {NULL}, NULL},
    {"axis", {NULL}, NULL},
    {"axis2", {NULL}, NULL},
    {"xyz", {"expressed_in"}, k_nothing},
    {"mimic", {"joint", "axis"}, k_mimic},
    {"limit", {NULL}, NULL},
    {"dynamics", {NULL}, NULL},
    {"box", {NULL}, k_box},
    {"sphere", {NULL}, k_ball},
    {"cylinder", {NULL}, k_round},
    {"capsule", {NULL}, k_round},
    {"ellipsoid", {NULL}, k_ellipsoid},
    {"drake:capsule", {NULL}, k_round},
    {"drake:ellipsoid", {NULL}, k_ellipsoid},
    {"sensor", {"name", "type"}, NULL},
    {"force_torque", {NULL}, NULL},
    {"imu", {NULL}, NULL},
    {"angular_velocity", {NULL}, k_axes},
    {"linear_acceleration", {NULL}, k_axes},
    {"force", {NULL}, k_axes},
    {"torque", {NULL}, k_axes},
    {"x", {NULL}, k_noise},
    {"y", {NULL}, k_noise},
    {"z", {NULL}, k_noise},
    {"noise", {"type"}, k_of_noise},
    {"contact", {NULL}, NULL},
    {"plane", {NULL}, k_plane},
    {"mesh", {NULL}, NULL},
    {"cone", {NULL}, k_round},
    {"polyline", {NULL}, k_polyline},
    {"heightmap", {NULL}, NULL},
    {"surface", {NULL}, NULL},
    {"surface/friction", {NULL}, NULL},
    {"ode", {NULL}, NULL},
    {"drake:controller_gains", {"p", "d"}, k_nothing},
    {"drake:mimic", {"joint", "multiplier", "offset"}, k_mimic},
    {"drake:collision_filter_group", {"name"}, NULL},
    {"drake:ball_constraint", {"name"}, NULL},
    {"drake:declare_convex", {NULL}, k_nothing},
    {"drake:compliant_hydroelastic", {NULL}, k_nothing},
    {"drake:rigid_hydroelastic", {NULL}, k_nothing},
    {"drake:proximity_properties", {NULL}, NULL},
    {"isobar:contact_properties", {NULL}, NULL},
};

iso_status iso_sdf_check_elements(iso_scene_build* build, const xmlNode* root) {
    return iso_xml_check_elements(build, root, k_rows, (int)(sizeof k_rows / sizeof *k_rows));
}
