// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/urdf/urdf.h"

// What elements of URDF may say; what is read, and what other programs read (calibration and the
// like have no rows).

static const iso_xml_row k_rows[] = {
    {"robot", {"name", "version"}},
    {"link", {"name", "type"}},
    {"joint", {"name", "type"}},
    {"drake:joint", {"name", "type"}},
    {"inertial", {NULL}},
    {"visual", {"name"}},
    {"collision", {"name"}},
    {"geometry", {NULL}},
    {"origin", {"xyz", "rpy"}},
    {"mass", {"value"}},
    {"inertia", {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}},
    {"sphere", {"radius"}},
    {"cylinder", {"radius", "length"}},
    {"capsule", {"radius", "length"}},
    {"drake:capsule", {"radius", "length"}},
    {"box", {"size"}},
    {"ellipsoid", {"a", "b", "c"}},
    {"drake:ellipsoid", {"a", "b", "c"}},
    {"mesh", {"filename", "scale"}},
    {"parent", {"link"}},
    {"child", {"link"}},
    {"axis", {"xyz"}},
    {"limit", {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"}},
    {"dynamics", {"damping", "friction"}},
    {"mimic", {"joint", "multiplier", "offset"}},
    {"frame", {"name", "link", "xyz", "rpy"}},
    {"transmission", {"name", "type"}},
    {"actuator", {"name"}},
    {"gazebo", {"reference"}},
    {"drake:proximity_properties", {NULL}},
    {"isobar:contact_properties", {NULL}},
};

iso_status iso_urdf_check_elements(const iso_urdf_reader* reader) {
    return iso_xml_check_elements(reader->build, reader->robot, k_rows,
                                  (int)(sizeof k_rows / sizeof *k_rows));
}
