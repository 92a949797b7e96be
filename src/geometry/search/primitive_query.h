// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Distance from a point to the surface of a primitive (every kind but convex and mesh): negative
/// inside. Closed form; ellipsoids by bisection to the last bit.
/// @param[out] out_nearest  a nearest point of the surface
/// @param[out] out_normal   unit, outward, at that point; of several the first axis, positive side
double iso_primitive_distance(const iso_shape_desc* shape, iso_vec3 p, iso_vec3* out_nearest,
                              iso_vec3* out_normal);

/// First point where a ray meets the surface of a primitive, from either side.
/// @param direction  unit
/// @return false when it does not; then the rest is not set
bool iso_primitive_ray_cast(const iso_shape_desc* shape, iso_vec3 origin, iso_vec3 direction,
                            double* out_distance, iso_vec3* out_normal);
