// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Most corners of a polygon: cutting ears is cubic at worst.
#define ISO_POLYGON_MAX_CORNERS 4096

/// Cut a (nearly) flat polygon without holes into corner_count - 2 triangles that keep its
/// direction: a fan about corner 0 when it is convex (quadrilaterals along their shorter diagonal,
/// so that the corner a file lists first does not bend a warped one), ears otherwise. A polygon
/// that crosses itself gives as many triangles, which then overlap. O(n) for convex polygons.
/// @param      corner_count   3 to ISO_POLYGON_MAX_CORNERS
/// @param      workspace      [corner_count]
/// @param[out] out_triangles  [corner_count - 2], indices of corners
void iso_polygon_triangulate(const iso_vec3* corners, int corner_count, int* workspace,
                             int (*out_triangles)[3]);
