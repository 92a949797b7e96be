// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/lab.h"

/// Simplices of a block below a rough face: as wide as its pitch at the face, twice as wide from
/// layer to layer below it while the number of columns allows. The mean of the face is at height 0,
/// its corner at the origin; the height is the last number of a vertex.
///
/// In the plane vertices of a layer lie below each other, and their depths shrink to zero waviness
/// at the flat face. In space all waviness lies in the first layer, so no face is too steep; a
/// cell of a regular layer is six tetrahedra, one of a layer that halves the columns 22.
typedef struct iso_block_mesh {
    int dimension;    ///< 2 below a profile, 3 below a grid
    double* vertices; ///< [vertex_count * dimension] [m]
    int* elements;    ///< [element_count * (dimension + 1)] of positive volume
    int vertex_count, element_count;
    int rough_count;             ///< vertices of the rough face: 0, 1, ... by rows
    int flat_columns, flat_rows; ///< vertices of the flat face, in the plane one row
    int flat_count;              ///< all of them: the last vertices
} iso_block_mesh;

enum { ISO_BLOCK_MOST_LAYERS = 4096, ISO_BLOCK_MOST_ELEMENTS = 10000000 };

/// Layers of vertices, from the rough face down.
typedef struct iso_block_plan {
    int count;
    int levels[ISO_BLOCK_MOST_LAYERS];    ///< columns are 2^level pitches wide
    double depths[ISO_BLOCK_MOST_LAYERS]; ///< [m]
} iso_block_plan;

/// A regular layer, then one of twice the width, and so on while the columns can be halved.
/// @param intervals  pitches along, and across (1 in the plane: not looked at)
/// @param first      thickness of the first layer [m]
/// @return ISO_ERR_RANGE
iso_status iso_block_plan_make(iso_context* ctx, const iso_lab_surface* face, double first,
                               double height, iso_block_plan* out);

/// @return ISO_ERR_ARGUMENT (too few points), ISO_ERR_RANGE (height, depth below a valley),
///         ISO_ERR_MEMORY
iso_status iso_block_mesh_make(iso_context* ctx, const iso_lab_surface* face, double height,
                               iso_block_mesh* out);
void iso_block_mesh_free(iso_context* ctx, iso_block_mesh* mesh);

/// The parts for one dimension: arrays, counts, places, elements. @return ISO_ERR_MEMORY
iso_status iso_block_mesh_fill_plane(iso_context* ctx, const iso_lab_surface* face,
                                     const iso_block_plan* plan, double mean, iso_block_mesh* out);
iso_status iso_block_mesh_fill_space(iso_context* ctx, const iso_lab_surface* face,
                                     const iso_block_plan* plan, double mean, iso_block_mesh* out);
/// Arrays of its counts. @return ISO_ERR_MEMORY
iso_status iso_block_mesh_allocate(iso_context* ctx, iso_block_mesh* mesh);
