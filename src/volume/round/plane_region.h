// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Moments of convex regions of a plane: a disc, a conic and half planes in common.

#include <stdbool.h>
#include <stdint.h>

enum { ISO_REGION_MOST_LINES = 6 };

/// Points p with x^T M x + 2 b x + c <= 0; M = [xx xy; xy yy] is positive semidefinite.
typedef struct iso_region_conic {
    double xx, xy, yy, bx, by, c;
} iso_region_conic;

/// Points with nx x + ny y <= offset, (nx, ny) unit.
typedef struct iso_region_line {
    double nx, ny, offset;
} iso_region_line;

typedef struct iso_plane_region {
    double radius; ///< of the disc about the origin, > 0
    bool has_conic;
    iso_region_conic conic;
    int line_count;
    iso_region_line lines[ISO_REGION_MOST_LINES];
} iso_plane_region;

/// Integrals over a region about a place.
typedef struct iso_region_moments {
    double area, x, y, xx, xy, yy;
    double arc, arc_cosine, arc_sine; ///< of 1, cos and sin of the angle over the circle's part
    double twice_cosine, twice_sine;  ///< of cos and sin of twice the angle, there
    uint64_t kind; ///< which curves bound the region, with how many pieces; 0: it is empty
} iso_region_moments;

/// Moments of a region; exact to rounding.
/// @param x, y  the place, near the region: there sums lose least
/// @param only_kind  leave the integrals
void iso_plane_region_moments(const iso_plane_region* region, double x, double y, bool only_kind,
                              iso_region_moments* out_moments);
