// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Faces of tetrahedra that part them from triangles, all faces of a leaf at once, in floats: of the
// pairs whose boxes meet most have one where tetrahedra are thin.

#include "field/structure/field.h"
#include "math/lanes_grouped.h"

/// The triangles of a leaf in frame 0, in floats.
typedef struct iso_plane_triangles {
    float corners[ISO_DOUBLE4_LANES][3][3]; ///< [triangle][corner][axis] [m]
    float slack;                            ///< what rounding may move a distance to a plane by [m]
} iso_plane_triangles;

/// What rounding to floats may move the distance of a corner to the plane of a face by [m].
/// @param reach  bound of the distance of corners from the origin of frame 0 [m]
double iso_plane_slack(const iso_field* field, double reach);

/// Pairs that a face of the cell separates by more than rounding: lane 4 * triangle + cell of a
/// leaf of the field's tree.
int iso_planes_apart(const iso_plane_triangles* triangles, const iso_field* field, int leaf);
