// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "isobar/geometry.h"

/// Most vertices and triangles of one surface file.
#define ISO_SURFACE_MAX_COUNT 20000000

/// Vertex indices of a triangle, as in iso_tri_mesh.
typedef int iso_corners[3];

/// A surface that grows by triangles and merges vertices of equal position. Zero-initialise; finish
/// or destroy.
typedef struct iso_surface_builder {
    ISO_ARRAY(iso_vec3) vertices;
    ISO_ARRAY(iso_corners) triangles;
    int* slots; ///< hash table of vertex indices, -1: free
    size_t slot_mask;
    ISO_ARRAY(iso_corners) pieces; ///< scratch of a polygon
    ISO_ARRAY(int) ring;           ///< scratch of a polygon
    int collapsed_count;           ///< triangles left out because two of their corners coincide
    int degenerate_count;          ///< other triangles without area, which are kept
} iso_surface_builder;

/// Add a triangle, unless two of its corners coincide.
/// @return ISO_ERR_RANGE (not finite, too many), ISO_ERR_MEMORY
iso_status iso_surface_builder_add(iso_context* ctx, iso_surface_builder* builder,
                                   const iso_vec3 corners[3]);

/// Add the triangles of a polygon (polygon.h).
/// @param corner_count  3 to ISO_POLYGON_MAX_CORNERS
/// @param turns         turn them over
/// @return as iso_surface_builder_add()
iso_status iso_surface_builder_add_polygon(iso_context* ctx, iso_surface_builder* builder,
                                           const iso_vec3* corners, int corner_count, bool turns);

/// Join vertices that are equal but for rounding: in each coordinate within ISO_SURFACE_ROUNDING
/// times the largest. Triangles that lose a corner by it are left out and counted as collapsed.
/// @param[out] out_joined  vertices that others stand for now
iso_status iso_surface_builder_join(iso_context* ctx, iso_surface_builder* builder,
                                    int* out_joined);
#define ISO_SURFACE_ROUNDING 1e-12

/// Hand the mesh over and empty the builder.
iso_tri_mesh iso_surface_builder_finish(iso_context* ctx, iso_surface_builder* builder);
void iso_surface_builder_destroy(iso_context* ctx, iso_surface_builder* builder);
