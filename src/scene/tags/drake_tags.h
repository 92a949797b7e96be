// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/text/xml.h"

/// The `drake:` extensions that SDFormat and URDF share. A value is the text of the element or its
/// attribute `value`.

/// Read <drake:proximity_properties> over what `spec` already states.
iso_status iso_drake_read_proximity(iso_scene_build* build, const xmlNode* element,
                                    iso_material_spec* spec);

/// Read <drake:collision_filter_group>; names of links and groups are inside `scope`.
iso_status iso_drake_read_filter_group(iso_scene_build* build, const xmlNode* element,
                                       const char* scope);

/// Read <drake:ball_constraint>: points of two bodies that stay together.
iso_status iso_drake_read_ball_constraint(iso_scene_build* build, const xmlNode* element,
                                          const char* scope);

/// Read <drake:controller_gains p d> of an actuator.
iso_status iso_drake_read_gains(iso_scene_build* build, const xmlNode* element,
                                iso_actuator_desc* actuator);

/// Damping of a joint of several degrees of freedom: one number, or the three of a planar joint, of
/// which one must do.
iso_status iso_drake_read_damping(iso_scene_build* build, const xmlNode* node, const char* text,
                                  iso_joint_desc* joint);
