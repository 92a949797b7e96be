// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build/build.h"

#define ISO_PRISM_MOST_POINTS 1000

/// The closed surface of a prism from z = 0 to z = height over a polygon with holes, of the arena.
/// The contour of the largest area goes around it, the others are holes.
/// @param points  [all sizes] x and y [m] of one contour after the other, either way round; z is
/// not
///                looked at. Reordered.
/// @param sizes   [contour_count] points of each contour, 1 contour or more
/// @return ISO_ERR_GEOMETRY: less than three points, no area, sides that cut each other, or a hole
///         that is not inside
iso_status iso_scene_make_prism(iso_scene_build* build, iso_source at, iso_vec3* points,
                                const int* sizes, int contour_count, double height,
                                const iso_tri_mesh** out_mesh);
