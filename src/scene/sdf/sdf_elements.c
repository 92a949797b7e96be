// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"

// What elements of SDFormat may say; elements of other programs have no rows.

static const iso_xml_row k_rows[] = {
    {"sdf", {"version"}},
    {"gazebo", {"version"}},
    {"world", {"name"}},
    {"model", {"name", "canonical_link", "placement_frame"}},
    {"include", {"merge"}},
    {"link", {"name"}},
    {"frame", {"name", "attached_to"}},
    {"joint", {"name", "type"}},
    {"drake:joint", {"name", "type"}},
    {"pose", {"relative_to", "degrees", "rotation_format", "frame"}},
    {"inertial", {"auto"}},
    {"inertia", {NULL}},
    {"collision", {"name"}},
    {"visual", {"name"}},
    {"geometry", {NULL}},
    {"axis", {NULL}},
    {"axis2", {NULL}},
    {"xyz", {"expressed_in"}},
    {"mimic", {"joint", "axis"}},
    {"limit", {NULL}},
    {"dynamics", {NULL}},
    {"box", {NULL}},
    {"sphere", {NULL}},
    {"cylinder", {NULL}},
    {"capsule", {NULL}},
    {"ellipsoid", {NULL}},
    {"drake:capsule", {NULL}},
    {"drake:ellipsoid", {NULL}},
    {"sensor", {"name", "type"}},
    {"force_torque", {NULL}},
    {"contact", {NULL}},
    {"plane", {NULL}},
    {"mesh", {NULL}},
    {"surface", {NULL}},
    {"friction", {NULL}},
    {"ode", {NULL}},
    {"drake:proximity_properties", {NULL}},
    {"isobar:contact_properties", {NULL}},
};

iso_status iso_sdf_check_elements(iso_scene_build* build, const xmlNode* root) {
    return iso_xml_check_elements(build, root, k_rows, (int)(sizeof k_rows / sizeof *k_rows));
}
