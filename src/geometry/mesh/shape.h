// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// The file of a mesh shape, as messages name it.
static inline const char* iso_shape_mesh_name(const iso_shape_desc* shape) {
    return shape->path ? shape->path : "inline mesh";
}

/// Check the sizes of a primitive, the scale of a file, and that a mesh or file is there.
/// @return ISO_ERR_RANGE (size not finite and positive, scale not finite or zero),
///         ISO_ERR_ARGUMENT (kind out of the list, neither path nor mesh)
iso_status iso_shape_check(iso_context* ctx, const iso_shape_desc* shape);

/// True for the shapes whose tessellation follows a resolution hint: sphere, ellipsoid, cylinder,
/// capsule. Boxes, half spaces and files ignore the hint.
bool iso_shape_is_curved(iso_shape_kind kind);

/// The same primitive with every point of its boundary moved outward by margin (edges stay sharp):
/// radii and semi-axes grow by margin, full lengths by twice that. Half spaces are copied: their
/// margin is a shift of the plane. O(1).
/// @param margin  [m], finite, >= 0
/// @return ISO_ERR_RANGE; ISO_ERR_UNSUPPORTED for ISO_SHAPE_CONVEX and ISO_SHAPE_MESH
iso_status iso_shape_inflate(iso_context* ctx, const iso_shape_desc* shape, double margin,
                             iso_shape_desc* out_shape);

/// The length that decides how finely a shape must be tessellated [m]: the radius; the largest
/// semi-axis of an ellipsoid (its hint is relative to that); the smallest half size of a box.
/// Half spaces and files have none: 0.
double iso_shape_size(const iso_shape_desc* shape);

/// Resolution hint for geometry that states none [m]: 0.02 m, but between 1/8 and 1/2 of
/// iso_shape_size(), so that a sphere has between 128 and 2048 tetrahedra, of a cylinder between
/// 1/8 and 1/4, so that its ends have 26 sides or more. 0.02 for shapes without a size.
double iso_shape_default_resolution(const iso_shape_desc* shape);
