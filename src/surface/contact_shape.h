// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/contact.h"

/// What a geometry looks like to contact: a volume with a pressure field, a bare surface, or a half
/// space with or without a field. Immutable after creation, shared between geometries of equal
/// description by the caller; built once (tessellation, field, bounding-volume tree).
typedef struct iso_contact_shape iso_contact_shape;

/// Build from a shape and its material (compliance, modulus, resolution, margin, slab thickness).
/// ISO_COMPLIANCE_DEFAULT becomes compliant: mesh surfaces without a volume are the exception, they
/// become rigid and the log says so once per file. A *declared* compliant surface mesh is an error
/// that tells how to make tetrahedra.
/// rigid shapes remember enough to build the thin layer of rigid x rigid pairs on demand (see
/// iso_contact_shape_prepare_layer()).
/// @return ISO_ERR_GEOMETRY, ISO_ERR_RANGE and the readers' errors
iso_status iso_contact_shape_create(iso_context* ctx, const iso_shape_desc* shape,
                                    const iso_contact_material* material,
                                    iso_contact_shape** out_shape);
void iso_contact_shape_destroy(iso_context* ctx, iso_contact_shape* shape);

bool iso_contact_shape_is_rigid(const iso_contact_shape* shape);
bool iso_contact_shape_is_half_space(const iso_contact_shape* shape);
/// True when the boundary encloses a volume (half spaces too): it can carry a thin layer.
bool iso_contact_shape_is_closed(const iso_contact_shape* shape);
/// Bounds in G, margin included; infinite for half spaces.
void iso_contact_shape_bounds(const iso_contact_shape* shape, iso_vec3* out_lower,
                              iso_vec3* out_upper);
/// Contact surface for drawing, in G. Half spaces: a square patch of the plane.
const iso_tri_mesh* iso_contact_shape_surface(const iso_contact_shape* shape);
int iso_contact_shape_tet_count(const iso_contact_shape* shape);
/// Characteristic thickness L of the compliant region [m], [Elandt2022] eqs. 5.8, 5.9
/// (field/thickness.h): what damping and average compliance L / M0 refer to. Half spaces: the slab
/// thickness. 0 when rigid.
double iso_contact_shape_thickness(const iso_contact_shape* shape);
/// Largest pressure of the field [Pa]; half spaces: that at the depth of the slab. 0 when rigid.
double iso_contact_shape_max_pressure(const iso_contact_shape* shape);

/// Give a rigid closed shape the layer of options->rigid_layer_* (pressure modulus * depth /
/// thickness). Called at setup for shapes that may meet another rigid shape; idempotent.
/// @return ISO_ERR_GEOMETRY when the shape is open
iso_status iso_contact_shape_prepare_layer(iso_context* ctx, iso_contact_shape* shape,
                                           const iso_contact_options* options);
