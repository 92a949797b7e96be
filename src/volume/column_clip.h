// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Cutting a triangle of the upper body by the column under a triangle of the lower one.

#include "volume/solids/moments.h"

/// A triangle and three sides, and the plane above: at most seven corners.
#define ISO_COLUMN_MAX_CORNERS 8

/// A triangle in the frame of a sweep, whose z points from the lower body to the upper.
typedef struct iso_sweep_triangle {
    iso_vec3 p[3];
    int vertex[3];         ///< indices in the body: neighbours see a side the same way
    iso_vec3 lower, upper; ///< bounds
    double twice_area;     ///< of the projection, positive counter-clockwise
} iso_sweep_triangle;

/// A corner while it is cut: where it is, and its distances from the sides of the column, scaled to
/// be barycentric coordinates, then from the plane above.
typedef struct iso_cut_corner {
    iso_vec3 p;
    double side[4];
    bool is_in;
} iso_cut_corner;

/// The corners of the part of triangle b that lies in the column below triangle a, with the height
/// of that above them.
/// @param[out] out_corners  [ISO_COLUMN_MAX_CORNERS]
/// @return their number, 0: nothing
int iso_column_clip(const iso_sweep_triangle* a, const iso_sweep_triangle* b,
                    iso_column_corner* out_corners);
