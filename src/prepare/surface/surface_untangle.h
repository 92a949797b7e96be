// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// What was done to triangles that cut each other.
typedef struct iso_surface_untangling {
    int pair_count;     ///< pairs that are left
    int flip_count;     ///< edges turned
    int collapse_count; ///< edges shrunk to one of their ends
} iso_surface_untangling;

/// Asked between moves whether to give up. NULL in its place: never.
typedef struct iso_surface_patience {
    bool (*is_over)(void* user);
    void* user;
} iso_surface_patience;

/// Free a closed surface of triangles that cut each other where small moves do: edges are turned
/// or shrunk, each time the one that leaves the fewest pairs. Needles that fold over their
/// neighbours, as CAD exports have them, go; bodies that overlap stay. No vertex moves, and no move
/// shifts the surface by more than tolerance (at samples). Given up at once for more pairs than a
/// few hundred, and where patience is over; pairs are left then.
/// @return ISO_ERR_MEMORY
iso_status iso_surface_untangle(iso_context* ctx, iso_tri_mesh* mesh, double tolerance,
                                const iso_surface_patience* patience,
                                iso_surface_untangling* out_done);

/// The same, for a surface that must come out closed, free of such pairs and near another one.
/// @param limit           largest distance from `given` and back [m]
/// @param[out] out_shift  that distance, where all else holds [m]
/// @return ISO_ERR_GEOMETRY where it does not come out so, ISO_ERR_MEMORY
iso_status iso_surface_untangle_near(iso_context* ctx, iso_tri_mesh* mesh,
                                     const iso_tri_mesh* given, double tolerance, double limit,
                                     const iso_surface_patience* patience,
                                     iso_surface_untangling* out_done, double* out_shift);
