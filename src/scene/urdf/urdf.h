// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/text/xml.h"

/// A material of a robot that has a colour.
typedef struct iso_urdf_material {
    const char* name;
    const xmlNode* color;
} iso_urdf_material;

typedef struct iso_urdf_materials {
    ISO_ARRAY(iso_urdf_material) list; ///< in the order of the file
    iso_name_index index;              ///< of their names
} iso_urdf_materials;

/// URDF as robots use it, with the `drake:` extensions.
typedef struct iso_urdf_reader {
    iso_scene_build* build;
    const xmlNode* robot;
    const char* scope; ///< scoped name of the robot
    bool is_static;    ///< no joint moves
    iso_urdf_materials* materials;
} iso_urdf_reader;

/// Read a URDF document. All names are put inside `scope`; `rename` (may be NULL) replaces the
/// robot's name.
iso_status iso_urdf_read_bytes(iso_scene_build* build, const char* path, const char* bytes,
                               size_t size, const char* scope, const char* rename);

/// Read a <robot> that stands in another document.
/// @param scope  scoped name of the robot
iso_status iso_urdf_read_robot(iso_scene_build* build, const xmlNode* robot, const char* scope,
                               bool is_static);

/// <origin xyz rpy> of an element; identity when absent.
iso_status iso_urdf_read_origin(iso_scene_build* build, const xmlNode* element, iso_pose* out_pose);
/// Body called `name` in this robot; "world" is the world.
iso_status iso_urdf_find_body(const iso_urdf_reader* reader, iso_source at, const char* name,
                              int* out_body);
/// Warn of attributes that nobody reads, and of a second element of what can be said once.
/// @return ISO_ERR_PARSE
iso_status iso_urdf_check_elements(const iso_urdf_reader* reader);
iso_status iso_urdf_add_link(const iso_urdf_reader* reader, const xmlNode* link);
iso_status iso_urdf_add_joint(const iso_urdf_reader* reader, const xmlNode* joint);
iso_status iso_urdf_add_transmission(const iso_urdf_reader* reader, const xmlNode* transmission);
/// <gazebo reference="link or joint">: sensors as SDFormat writes them, friction and weight.
iso_status iso_urdf_add_gazebo(const iso_urdf_reader* reader, const xmlNode* gazebo);
