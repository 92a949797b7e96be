// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh/pair_table.h"
#include "isobar/geometry.h"

/// Most nodal arrays that are carried along when a mesh changes.
#define ISO_NODAL_ARRAY_MAX 4

/// Numbers at the vertices of a mesh, [vertex_count] each, from iso_alloc_array(); NULL entries are
/// skipped. Functions that change a mesh interpolate them at new vertices and replace the pointers.
typedef struct iso_nodal_arrays {
    double* values[ISO_NODAL_ARRAY_MAX];
    int count;
} iso_nodal_arrays;

/// Add zeroed entries at the end of vertices and arrays. mesh->vertex_count grows by added_count.
/// @return ISO_ERR_MEMORY; the mesh is then unchanged, or only longer arrays are held
iso_status iso_tet_mesh_add_vertices(iso_context* ctx, iso_tet_mesh* mesh, iso_nodal_arrays* arrays,
                                     int added_count);

/// The distinct edges of a mesh, in the order in which its tetrahedra name them.
typedef struct iso_tet_edges {
    int count;
    int (*ends)[2];       ///< [count] lower vertex first
    iso_pair_table table; ///< from pairs of vertices to edges
} iso_tet_edges;

/// O(tet_count). @return ISO_ERR_MEMORY
iso_status iso_tet_edges_create(iso_context* ctx, const iso_tet_mesh* mesh,
                                iso_tet_edges* out_edges);
void iso_tet_edges_destroy(iso_context* ctx, iso_tet_edges* edges);

/// Put a vertex on some edges and bisect all tetrahedra about them, edge by edge in the order of
/// `edges`, so that neighbours agree. The new vertices follow the old ones in the order of the
/// edges; tetrahedra without a cut edge keep their corners.
/// @param shares  [edges->count] where the vertex lies: 0 first end, 1 second; negative: no cut
/// @return ISO_ERR_MEMORY
iso_status iso_tet_mesh_cut_edges(iso_context* ctx, iso_tet_mesh* mesh, iso_tet_edges* edges,
                                  const double* shares, iso_nodal_arrays* arrays);

/// Cut the tetrahedra along surfaces of equal value of arrays->values[0] (affine in each), which
/// stays the same function; conforming. New vertices lie on old edges only, so that the number of
/// tetrahedra grows in proportion to that of the levels. A vertex within `tolerance` of a level
/// counts as on it: a cut keeps that distance, in values, to the ends of its edge.
/// @param levels     [level_count] ascending, gaps of more than 2 tolerances
/// @param tolerance  >= 0
/// @return ISO_ERR_ARGUMENT (levels), ISO_ERR_RANGE (too many), ISO_ERR_MEMORY
iso_status iso_tet_mesh_slice(iso_context* ctx, iso_tet_mesh* mesh, iso_nodal_arrays* arrays,
                              const double* levels, int level_count, double tolerance);
