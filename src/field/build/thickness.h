// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Characteristic thickness of an extent field, [Elandt2022] eqs. 5.8, 5.9, C.8 to C.11: the
/// average of 1 / |grad e| over the tetrahedra, each with the weight integral of |grad e|. That is
/// the volume of the compliant region over the integral of |grad e|. Parts with e < 0 (margin) and
/// parts of constant e (a rigid core) do not count. O(tet_count).
/// @param extents  [vertex_count], in any unit
/// @param full     value of `extents` that means e = 1, > 0
/// @return [m]; 0 when e is constant
double iso_characteristic_thickness(const iso_tet_mesh* mesh, const double* extents, double full);
