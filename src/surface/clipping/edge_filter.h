// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Long triangles and thin tetrahedra: planes along an edge of the one and the length of the other,
// between which most of those lie whose boxes meet and which do not meet themselves.
// Theory: docs/decisions/contact/contact_surface_search.md.

#include "field/structure/field.h"
#include "math/lanes_grouped.h"

/// The edges of four triangles in frame 0, in floats, a group of lanes for each triangle: line
/// { x : along x x = moment }, to the left of which the triangle lies seen from where the normal
/// points.
typedef struct iso_edge_lines {
    iso_float16 along[3][3];  ///< [edge][axis] unit
    iso_float16 moment[3][3]; ///< along x (point of the edge) [m]
    iso_float16 slack[3];     ///< what rounding may move a distance to a plane by [m]
    iso_float16 normal[3];
} iso_edge_lines;

/// @param corners  [corner][axis][triangle] in frame 0 [m]
/// @param slack    the error of the corners [m]
/// @return the length of the longest edge [m]
double iso_edge_lines_fill(iso_double4 corners[3][3], const iso_double4 normal[3], double slack,
                           iso_edge_lines* out);

/// Pairs that a plane along an edge of the triangle and the length of the cell separates by more
/// than rounding: lane 4 * triangle + cell of a leaf of the field's tree.
int iso_edge_lines_apart(const iso_edge_lines* lines, const iso_field* field, int leaf);
