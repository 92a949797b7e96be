// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "surface/shapes/contact_shape_data.h"

/// Fail unless origin and direction are finite and the direction and the longest distance make a
/// ray.
/// @param[out] out_unit  the direction, of length 1
iso_status iso_ray_check(iso_context* ctx, iso_vec3 origin, iso_vec3 direction, double max_distance,
                         iso_vec3* out_unit);

/// Make what distances, rays and iso_shape_search_winding_number() need, on first need.
/// @return ISO_ERR_GEOMETRY (no triangles), ISO_ERR_MEMORY
iso_status iso_shape_search_prepare(iso_contact_shape* shape);

/// How often the surface of a prepared shape winds about a point of G:
/// iso_distance_tree_winding_number().
double iso_shape_search_winding_number(const iso_contact_shape* shape, iso_vec3 p_g);

/// Release what the first distance or ray query made. NULL is allowed.
void iso_shape_search_destroy(iso_context* ctx, iso_shape_search* probe);
