// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Share of the tetrahedra of a layer whose loss is a warning; less of them, at edges that are
/// narrower than the layer, is worth a line only.
#define ISO_MUCH_OVERLAP 0.02

/// A layer of tetrahedra on one side of a surface. Vertices 0 .. n-1 are those of the surface,
/// n .. 2n-1 the same moved outward by `distance` (inward when negative): along the vector u with
/// n_i . u = 1 for all normals n_i at the vertex, in the least-squares sense, so that flat parts
/// keep their thickness up to sharp edges. Each triangle's prism is cut into three tetrahedra,
/// conformingly; those without positive volume (thickness beyond the local radius) are left out,
/// and all of triangles at an edge of three or more, where the surface touches itself.
/// @param[out] out_shell          owned by the caller, release with iso_tet_mesh_destroy()
/// @param[out] out_dropped_count  tetrahedra left out
/// @return ISO_ERR_GEOMETRY (nothing left), ISO_ERR_MEMORY
iso_status iso_shell_create(iso_context* ctx, const iso_tri_mesh* surface, double distance,
                            iso_tet_mesh* out_shell, int* out_dropped_count);
