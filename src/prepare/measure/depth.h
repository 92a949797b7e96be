// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Distances of vertices to the outer skin of a mesh [m].
typedef struct iso_mesh_depth {
    double deepest;             ///< largest one
    double full_low, full_high; ///< of the vertices of the largest extent: those on a core, or the
                                ///< one where a field without core is largest; 0 without extents
} iso_mesh_depth;

/// Measured to the skin of the mesh itself, whatever surface it was made from. With extents that is
/// the faces with a corner of extent 0 (all others bound a core), and vertices of extent 0 do not
/// count; where no face has one, all of the skin does.
/// @param extents  [vertex_count] or NULL
/// @return ISO_ERR_GEOMETRY (as iso_tet_mesh_skin()), ISO_ERR_MEMORY
iso_status iso_tet_mesh_depth(iso_context* ctx, const iso_tet_mesh* mesh, const double* extents,
                              iso_mesh_depth* out_depth);
