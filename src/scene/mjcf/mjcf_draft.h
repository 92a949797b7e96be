// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/mjcf/mjcf.h"

/// A body of an MJCF file between its elements and the model.

#define ISO_MJCF_MAX_JOINTS 16 ///< of one body

/// A <joint> and the <frame> around it.
typedef struct iso_mjcf_placed_joint {
    iso_mjcf_item item;
    iso_pose x_frame;
    iso_mjcf_joint_type type;
} iso_mjcf_placed_joint;

/// What is known of a body before it is added.
typedef struct iso_mjcf_body_draft {
    const xmlNode* node;
    const char* name; ///< as in the file, or made up
    iso_vec3 place;   ///< its pos
    iso_mjcf_placed_joint joints[ISO_MJCF_MAX_JOINTS];
    int joint_count;
    const xmlNode* inertial; ///< NULL: there is none
    iso_pose x_inertial;     ///< of the <frame> around it
    bool has_geometry_mass;  ///< the geoms give the inertia
    iso_mass_sum sum;
    int massive_count;      ///< geoms with a mass
    bool has_own_axes;      ///< of its inertia: what is given about them, or its only geom
    iso_mat3 inertial_axes; ///< in the body
} iso_mjcf_body_draft;

/// Mass, centre and inertia of a body, from its <inertial> or its geoms.
iso_status iso_mjcf_read_mass(const iso_mjcf_reader* reader, iso_mjcf_body_draft* draft,
                              iso_body_desc* body);
/// `align` of its free joint: the frame x_bi that the body gets in its own, the identity where it
/// stays; the mass is seen from there.
iso_status iso_mjcf_align_body(const iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft,
                               iso_body_desc* body, iso_pose* out_x_bi);
/// The joints of a body in their order, with massless bodies between them; a weld where there is
/// none.
iso_status iso_mjcf_add_joints(iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft,
                               int parent, int body, const iso_pose* x_pb);
