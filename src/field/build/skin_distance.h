// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Distance of every vertex of a tetrahedral mesh to the mesh's skin, exactly 0 on it [m].
/// @param[out] out_distances  [vertex_count], owned by the caller, release with iso_free()
/// @return ISO_ERR_GEOMETRY (the mesh does not hang together), ISO_ERR_MEMORY
iso_status iso_tet_mesh_skin_distance(iso_context* ctx, const iso_tet_mesh* mesh,
                                      double** out_distances);
