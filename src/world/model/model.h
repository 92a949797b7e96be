// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "base/values/name_table.h"
#include "isobar/model.h"

/// Parts of a model with the body they belong to. Names, paths, sources and inline meshes are owned
/// copies.
typedef struct iso_geometry_part {
    int body;
    iso_geometry_desc desc;
    iso_modulus_row* table; ///< owned copy of the material's table of moduli, or NULL
} iso_geometry_part;

typedef struct iso_visual_part {
    int body;
    iso_visual_desc desc;
} iso_visual_part;

typedef struct iso_body_part {
    iso_body_desc desc;
    iso_pose x_wb;    ///< initial pose when free
    iso_spatial v_wb; ///< initial twist when free
} iso_body_part;

typedef struct iso_excluded_pair {
    int body_a, body_b;
} iso_excluded_pair;

struct iso_model {
    iso_context* ctx;
    ISO_ARRAY(iso_body_part) bodies;
    ISO_ARRAY(int) inboard; ///< [body] joint whose child it is; -1: none
    bool may_be_edited;     ///< a joint was given away for editing since `inboard` was found
    ISO_ARRAY(iso_joint_desc) joints;
    ISO_ARRAY(iso_geometry_part) geometries;
    ISO_ARRAY(iso_visual_part) visuals;
    ISO_ARRAY(iso_actuator_desc) actuators;
    ISO_ARRAY(iso_excluded_pair) excluded;
    ISO_ARRAY(iso_geometry_pair_desc) pairs;
    ISO_ARRAY(iso_coupler_desc) couplers;
    ISO_ARRAY(iso_constraint_desc) constraints;
    ISO_ARRAY(iso_fixed_tendon_desc) tendons;
    iso_name_table body_names, geometry_names; ///< of geometries those in their bodies
    iso_name_table joint_names, actuator_names, tendon_names; ///<
    iso_name_table coupler_names, constraint_names;           ///<
};

/// "file:line: " of a part, or "" when unknown; written into a caller's buffer.
const char* iso_model_where(const char* source, char* buffer, size_t size);

/// Deep copy and release of a shape description (path and inline meshes).
iso_status iso_shape_desc_copy(iso_context* ctx, const iso_shape_desc* shape,
                               iso_shape_desc* out_copy);
void iso_shape_desc_free(iso_context* ctx, iso_shape_desc* shape);

/// Contract checks of one part each; where is "file:line: " or "".
iso_status iso_model_check_body(iso_context* ctx, const iso_body_desc* desc, const char* where);
iso_status iso_model_check_shape(iso_context* ctx, const iso_shape_desc* shape, const char* name,
                                 const char* where);
iso_status iso_model_check_geometry(iso_context* ctx, const iso_geometry_desc* desc,
                                    const char* where);
iso_status iso_model_check_visual(iso_context* ctx, const iso_visual_desc* desc);
/// @param inboard  [body] joint that has it as its child already; -1: none
iso_status iso_model_check_joint(const iso_model* model, const iso_joint_desc* desc,
                                 const int* inboard, const char* where);
iso_status iso_model_check_name(iso_context* ctx, const char* what, const char* name,
                                const char* where);
/// Finite, rigid and within ISO_FARTHEST.
/// @param x       NULL is an error
/// @param member  what the caller calls it
iso_status iso_model_check_pose(iso_context* ctx, const iso_pose* x, const char* member,
                                const char* what, const char* name, const char* where);
/// The same for the velocity of a body.
iso_status iso_model_check_twist(iso_context* ctx, iso_spatial v, const char* name);
iso_status iso_model_check_coupler(const iso_model* model, const iso_coupler_desc* desc,
                                   const char* where);
iso_status iso_model_check_constraint(const iso_model* model, const iso_constraint_desc* desc,
                                      const char* where);
iso_status iso_model_check_fixed_tendon(const iso_model* model, const iso_fixed_tendon_desc* desc,
                                        const char* where);
/// Those of the model, which may have been edited.
iso_status iso_model_check_fixed_tendons(const iso_model* model);
iso_status iso_model_check_actuator(const iso_model* model, const iso_actuator_desc* desc);

/// Revolute, prismatic, screw.
bool iso_joint_kind_has_one_dof(iso_joint_kind kind);
/// Index by name, or -1.
int iso_model_find_coupler(const iso_model* model, const char* name);
int iso_model_find_constraint(const iso_model* model, const char* name);
void iso_model_free_closure(iso_model* model);
void iso_model_free_tendons(iso_model* model);

/// Does every joint and every free body move some mass? The joints form a tree.
/// @return ISO_ERR_RANGE: the message names the body's line and the joint
iso_status iso_model_check_masses(const iso_model* model);
/// Check every part again: what iso_model_body() and the like show may have been edited.
iso_status iso_model_check(const iso_model* model);
