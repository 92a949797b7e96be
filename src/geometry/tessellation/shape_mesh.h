// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// The mesh behind an ISO_SHAPE_CONVEX or ISO_SHAPE_MESH, scaled: from shape->volume,
/// shape->surface or the file, in this order. Exactly one of the outputs is filled: tetrahedra for
/// volumes and .vtk, .vtu and .msh files, triangles otherwise; the other is zeroed. Both are owned
/// by the caller.
/// @return the readers' errors; inline meshes are checked by iso_tri_mesh_check() or
///         iso_tet_mesh_check()
iso_status iso_shape_load_mesh(iso_context* ctx, const iso_shape_desc* shape,
                               iso_tri_mesh* out_surface, iso_tet_mesh* out_volume);

/// The hull of an ISO_SHAPE_CONVEX, outward.
/// @return the errors of iso_shape_load_mesh() and iso_hull_create()
iso_status iso_shape_load_hull(iso_context* ctx, const iso_shape_desc* shape,
                               iso_tri_mesh* out_hull);

/// Bounds of a shape in its frame G [m]; half spaces are infinite except upward. Files are read.
/// @return the errors of iso_shape_check() and iso_shape_load_mesh()
iso_status iso_shape_bounds(iso_context* ctx, const iso_shape_desc* shape, iso_vec3* out_lower,
                            iso_vec3* out_upper);
