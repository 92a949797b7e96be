// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Most sides that a circle of a capsule and of a cylinder is divided into, and the deepest
/// subdivision of a sphere (8 * 4^8 tetrahedra): finer hints stop there.
#define ISO_TESSELLATE_MAX_SIDES 706
#define ISO_TESSELLATE_MAX_CYLINDER_SIDES 100000
#define ISO_TESSELLATE_MAX_LEVEL 8

/// Tetrahedra of a shape, and the extent of each vertex: 0 on the skin, 1 at the deepest points
/// (the medial axis), exactly. Theory and counts: docs/theory/tessellation.md.
/// Primitives: with medial-axis vertices, so that no tetrahedron has all corners on the skin.
/// ISO_SHAPE_CONVEX: the hull coned to its centroid. ISO_SHAPE_MESH: the tetrahedra of the file or
/// of shape->volume, scaled, as they are; their extents are not a matter of tessellation (they need
/// the distance to the skin): *out_extents is NULL.
/// @param      resolution_hint  target edge length of curved shapes [m], finite and > 0; ignored
/// for
///                              the others
/// @param[out] out_mesh         owned by the caller, release with iso_tet_mesh_destroy()
/// @param[out] out_extents      [vertex_count], owned by the caller, release with iso_free()
/// @return ISO_ERR_RANGE (sizes, hint), ISO_ERR_UNSUPPORTED (half space),
///         ISO_ERR_GEOMETRY (a surface mesh, too small to have a volume) and the readers' errors
iso_status iso_tessellate_volume(iso_context* ctx, const iso_shape_desc* shape,
                                 double resolution_hint, iso_tet_mesh* out_mesh,
                                 double** out_extents);

/// The same of a hull that is there already.
iso_status iso_tessellate_hull(iso_context* ctx, const iso_tri_mesh* hull, iso_tet_mesh* out_mesh,
                               double** out_extents);

/// Number of tetrahedra that a resolution hint gets: iso_shape_tet_count() up to where tessellation
/// stops.
double iso_tessellate_tet_count(const iso_shape_desc* shape, double resolution_hint);

/// The rigid contact surface of a shape: the skin of iso_tessellate_volume(), outward; surface
/// files and shape->surface with their triangles as they are (scaled, possibly open).
/// @return as iso_tessellate_volume()
iso_status iso_tessellate_surface(iso_context* ctx, const iso_shape_desc* shape,
                                  double resolution_hint, iso_tri_mesh* out_mesh);
