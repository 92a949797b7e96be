// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/search/distance.h"

/// Outward directions of a surface at its faces, edges and corners. A point whose nearest point of
/// a closed, oriented surface lies on a feature is outside exactly where the feature's normal says
/// so, when corners weight their triangles by angle [Baerentzen2005].
typedef struct iso_surface_normals {
    const iso_tri_mesh* mesh; ///< borrowed
    iso_vec3 (*edges)[3];     ///< [triangle_count] sum of the unit normals on both sides
    iso_vec3* corners;        ///< [vertex_count] sum of angle times unit normal
    bool is_manifold;         ///< every edge has two triangles of opposite direction
} iso_surface_normals;

/// O(triangle_count). The mesh must have passed iso_tri_mesh_check().
/// @return ISO_ERR_MEMORY; the result is zeroed on error
iso_status iso_surface_normals_create(iso_context* ctx, const iso_tri_mesh* mesh,
                                      iso_surface_normals* out_normals);
void iso_surface_normals_destroy(iso_context* ctx, iso_surface_normals* normals);

/// Normal of a feature of a triangle, not of unit length.
iso_vec3 iso_surface_normal_at(const iso_surface_normals* normals, int triangle,
                               iso_triangle_feature feature);
