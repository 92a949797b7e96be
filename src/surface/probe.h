// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "surface/contact_shape_data.h"

/// Fail unless origin and direction are finite and the direction and the longest distance make a
/// ray.
/// @param[out] out_unit  the direction, of length 1
iso_status iso_ray_check(iso_context* ctx, iso_vec3 origin, iso_vec3 direction, double max_distance,
                         iso_vec3* out_unit);

/// Release what the first distance or ray query made. NULL is allowed.
void iso_shape_probe_destroy(iso_context* ctx, iso_shape_probe* probe);
