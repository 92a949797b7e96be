// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/math.h"

#include <math.h>

/// A unit vector across a unit vector; which one jumps where |x| of it passes 0.6.
static inline iso_vec3 iso_any_perpendicular(iso_vec3 n) {
    iso_vec3 helper = fabs(n.x) < 0.6 ? iso_vec3_make(1.0, 0.0, 0.0) : iso_vec3_make(0.0, 1.0, 0.0);
    return iso_vec3_normalized(iso_vec3_cross(n, helper));
}
