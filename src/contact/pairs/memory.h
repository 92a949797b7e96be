// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "base/core/array.h"
#include "isobar/math.h"

/// What two touching geometries remember from step to step about sticking
/// (docs/theory/sticking.md). The stretch is the displacement of B from where it would hang
/// unstretched on A: a function of the poses, so that bodies that come back find their stretch
/// back. Two ints, then doubles only: an array of these is what saving a state has to write.
typedef struct iso_pair_memory {
    int geometry_a, geometry_b; ///< indices of the contact system, a < b
    double rest_rotation[4];    ///< unstretched place of body B in body A: quaternion (w x y z)
    double rest_position[3];    ///< and origin [m]
    double center_a[3], center_b[3]; ///< where the patch was last turned over, in A and in B
    double slip[6];                  ///< slip twist of the last step in A, about its origin
    double kept_slip;                ///< share of the slip that was not given up
    double is_slipping;              ///< 1 when it slid in the last step, else 0
    double energy; ///< of the spring, the stretch less the slip that is kept, after the
                   ///< last step [J]
} iso_pair_memory;

#define ISO_PAIR_MEMORY_DOUBLES 22
_Static_assert(sizeof(iso_pair_memory) ==
                   2 * sizeof(int) + ISO_PAIR_MEMORY_DOUBLES * sizeof(double),
               "two ints, then doubles only");

/// Memories of all pairs that touched in the last step, ordered by (geometry_a, geometry_b).
typedef ISO_ARRAY(iso_pair_memory) iso_pair_memory_array;

/// Memory of a pair, or NULL; ordered arrays only, for one pair after the other in the same order.
/// @param[in,out] at  where to look from; 0 at first
const iso_pair_memory* iso_pair_memory_next(const iso_pair_memory* memories, int count,
                                            int geometry_a, int geometry_b, int* at);
