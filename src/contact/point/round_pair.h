// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Where a round shape (a sphere, a capsule) touches another one, a half space, a box or a cylinder:
// the pairs of point contact between geometries of a world. docs/theory/point_contact.md.

#include "isobar/geometry.h"
#include "isobar/point.h"

#define ISO_ROUND_MOST_POINTS 3

/// One point of contact.
typedef struct iso_round_point {
    double depth;               ///< > 0 [m]
    iso_vec3 normal;            ///< unit, from A into B
    iso_vec3 point;             ///< in the middle of the overlap [m]
    bool is_within;             ///< the middle of one lies in the other
    iso_curvature curvature[2]; ///< of A and of B there; axes are those of the poses' world
} iso_round_point;

/// Whether two shapes make such a pair, in either order.
bool iso_round_pair_exists(const iso_shape_desc* a, const iso_shape_desc* b);

/// The points where they touch, at most ISO_ROUND_MOST_POINTS; a capsule that lies has one at each
/// end. The side of a capsule counts as a sphere of its radius. Where the middle of a sphere is
/// within the other body, the nearest face pushes it out. Total.
/// @param x_wa, x_wb  poses of the shapes
/// @return how many
int iso_round_pair_find(const iso_shape_desc* a, const iso_pose* x_wa, const iso_shape_desc* b,
                        const iso_pose* x_wb, iso_round_point out_points[ISO_ROUND_MOST_POINTS]);
