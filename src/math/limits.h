// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/math.h"

/// The largest coordinate of a pose or joint [m], [rad], and the largest velocity [m/s], [rad/s]:
/// beyond, doubles are coarser than a tenth of a millimetre, and in the end moments overflow.
#define ISO_FARTHEST 1e12

/// The same of what files say [m].
#define ISO_FILE_FARTHEST 1e6

/// Sizes of geometries, of meshes the largest side [m]: outside, a mistake in units.
#define ISO_SMALLEST_SIZE 1e-7
#define ISO_LARGEST_SIZE 1e5

static inline double iso_clamp(double x, double lower, double upper) {
    return fmin(fmax(x, lower), upper);
}

/// The largest coordinate in size; of finite vectors.
static inline double iso_vec3_max_abs(iso_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}
