// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/search/distance.h"

/// First triangle that a ray meets, from either side: watertight [Woop2013], a ray through a shared
/// edge hits one of its triangles or both, at the same distance. Equally near ones: the lowest
/// index. About O(log n), allocates nothing.
/// @param direction          unit
/// @param max_distance       [m], may be INFINITY
/// @param[out] out_distance  along the ray [m]; set on a hit
/// @return triangle, or -1
int iso_ray_cast_surface(const iso_distance_tree* tree, iso_vec3 origin, iso_vec3 direction,
                         double max_distance, double* out_distance);

/// True when the way from a to b meets a triangle, by the same test. O(triangle_count), without a
/// tree.
bool iso_segment_meets_surface(const iso_tri_mesh* mesh, iso_vec3 a, iso_vec3 b);
