// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/tetrahedra/tet_split.h"

/// What was done to a mesh.
typedef struct iso_tet_repair_report {
    int turned_count;        ///< tetrahedra of negative volume, turned
    int degenerate_count;    ///< tetrahedra without volume, removed
    int duplicate_count;     ///< tetrahedra that were there already, removed
    int unused_vertex_count; ///< vertices of no tetrahedron, removed
    int edge_count;          ///< inner edges, triangles and tetrahedra with all corners on the
    int triangle_count;      ///< skin that got an inner vertex
    int tet_count;           ///<
} iso_tet_repair_report;

/// Make a mesh fit for use: turn tetrahedra of negative volume, remove those without volume (by
/// rounding), those that name a vertex twice, repetitions, and vertices of no tetrahedron. Each is
/// logged. A mesh without such faults keeps its bits. Theory: docs/theory/tessellation.md.
/// @param name        of the mesh, for messages; NULL leaves it out
/// @param arrays      carried along; may be NULL
/// @param out_report  may be NULL
/// @return ISO_ERR_RANGE (index, vertex not finite), ISO_ERR_GEOMETRY (nothing is left; removing a
///         tetrahedron without volume would tear the mesh), ISO_ERR_MEMORY
iso_status iso_tet_mesh_clean(iso_context* ctx, const char* name, iso_tet_mesh* mesh,
                              iso_nodal_arrays* arrays, iso_tet_repair_report* out_report);

/// Give every inner edge, inner triangle and tetrahedron whose corners all lie on the skin a vertex
/// at its middle, so that a field that is zero on the skin can be positive there. Conforming; the
/// skin stays as it is; new vertices follow the old ones; a mesh that needs nothing keeps its bits.
/// The mesh must have passed iso_tet_mesh_check() or iso_tet_mesh_clean().
/// @param name, arrays, out_report  as iso_tet_mesh_clean()
/// @return ISO_ERR_GEOMETRY (the mesh does not hang together), ISO_ERR_MEMORY
iso_status iso_tet_mesh_give_interior(iso_context* ctx, const char* name, iso_tet_mesh* mesh,
                                      iso_nodal_arrays* arrays, iso_tet_repair_report* out_report);
