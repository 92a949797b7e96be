// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Convex hull of points, outward: coplanar points inside a face or an edge are dropped, each flat
/// face is a fan about its vertex of lowest index. Vertices keep the order of the points. qhull
/// merges facets that are coplanar to rounding.
/// @return ISO_ERR_GEOMETRY (fewer than 4 points, or all in one plane), ISO_ERR_RANGE (not finite),
///         ISO_ERR_MEMORY
iso_status iso_hull_create(iso_context* ctx, const iso_vec3* points, int point_count,
                           iso_tri_mesh* out_hull);

/// Tetrahedra of a closed convex surface: every triangle coned to the centroid of the solid, the
/// last vertex. Extents are 1 there and 0 on the skin.
/// @param[out] out_extents  [vertex_count], owned by the caller, release with iso_free()
/// @return ISO_ERR_GEOMETRY (no volume), ISO_ERR_MEMORY
iso_status iso_hull_tetrahedra(iso_context* ctx, const iso_tri_mesh* hull, iso_tet_mesh* out_mesh,
                               double** out_extents);
