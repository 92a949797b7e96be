// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// How deep the deepest vertex lies: distance to the outer skin of the mesh itself, whatever
/// surface it was made from. With extents the skin is the faces with a corner of extent 0 (all
/// others bound a core), and vertices of extent 0 do not count; where no face has one, all of the
/// skin does.
/// @param extents  [vertex_count] or NULL
/// @return ISO_ERR_GEOMETRY (as iso_tet_mesh_skin()), ISO_ERR_MEMORY
iso_status iso_tet_mesh_depth(iso_context* ctx, const iso_tet_mesh* mesh, const double* extents,
                              double* out_depth);
