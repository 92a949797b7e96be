// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/lab.h"

/// Triangles of a block below a rough profile: as wide as its pitch at the profile, twice as wide
/// from layer to layer below it while the number of columns allows. Vertices of a layer lie below
/// each other; their depths shrink to zero waviness at the flat face. The mean of the profile is at
/// y = 0, x from 0 to its length.
typedef struct iso_block_mesh {
    double* vertices; ///< [vertex_count * 2] [m]
    int* triangles;   ///< [triangle_count * 3] counter-clockwise
    int vertex_count, triangle_count;
    int rough_count; ///< vertices of the profile: 0, 1, ...
    int flat_count;  ///< vertices of the flat face: the last ones
} iso_block_mesh;

/// @return ISO_ERR_ARGUMENT (not a profile), ISO_ERR_RANGE (height, depth below a valley),
///         ISO_ERR_MEMORY
iso_status iso_block_mesh_make(iso_context* ctx, const iso_lab_surface* profile, double height,
                               iso_block_mesh* out);
void iso_block_mesh_free(iso_context* ctx, iso_block_mesh* mesh);
