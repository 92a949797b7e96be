// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build/build.h"

#define ISO_HEIGHT_GRID_MOST 1200000 ///< heights of one grid: images of 1025 x 1025 and less

/// Heights over a rectangle. Row 0 is at -y, column 0 at -x.
typedef struct iso_height_grid {
    int rows, columns;     ///< >= 2
    double half_x, half_y; ///< of the rectangle [m]
    double top;            ///< of height 1 [m]
    double base;           ///< depth of the solid below height 0 [m], > 0
    double* heights;       ///< [rows * columns] of the arena
} iso_height_grid;

/// Heights 0 to 1 of a PNG image: brightness, the uppermost row at +y. Sets rows, columns, heights.
iso_status iso_height_grid_read_image(iso_scene_build* build, iso_source at, const char* path,
                                      iso_height_grid* grid);
/// The closed surface from the heights down to the base, of the arena. Cells are cut from
/// (row, column) to (row + 1, column + 1).
iso_status iso_height_grid_surface(iso_scene_build* build, const iso_height_grid* grid,
                                   const iso_tri_mesh** out_mesh);
