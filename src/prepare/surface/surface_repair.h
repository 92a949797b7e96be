// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/surfaces/surface_orient.h"

/// What was done to a surface.
typedef struct iso_surface_repair {
    int welded_count;     ///< vertices merged into a neighbour
    int collapsed_count;  ///< triangles of which two corners were merged
    int duplicate_count;  ///< triangles removed because the same three vertices had one already
    int degenerate_count; ///< triangles without height: flipped with a neighbour or removed
    iso_surface_orientation orientation;
} iso_surface_repair;

/// Drop triangles with equal corners, repetitions and vertices that nothing uses.
/// @return ISO_ERR_GEOMETRY (nothing is left), ISO_ERR_MEMORY
iso_status iso_surface_tidy(iso_context* ctx, iso_tri_mesh* mesh, iso_surface_repair* repair);

/// Merge vertices nearer than tolerance to an earlier one, and drop what that empties, repetitions
/// and vertices that nothing uses.
/// @return ISO_ERR_GEOMETRY (nothing is left), ISO_ERR_MEMORY
iso_status iso_surface_weld(iso_context* ctx, iso_tri_mesh* mesh, double tolerance,
                            iso_surface_repair* repair);

/// Flip triangles whose height is below tolerance with the neighbour across their longest side.
/// @return ISO_ERR_GEOMETRY (nothing is left), ISO_ERR_MEMORY
iso_status iso_surface_remove_slivers(iso_context* ctx, iso_tri_mesh* mesh, double tolerance,
                                      iso_surface_repair* repair);
