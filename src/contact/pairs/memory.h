// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "base/core/array.h"
#include "isobar/math.h"

#define ISO_PAIR_MEMORY_DOUBLES 23

/// What two touching geometries remember from step to step. What the numbers are is their model's:
/// it has as many as it needs, and zeros after them. Two ints, then doubles only: an array of these
/// is what saving a state has to write.
typedef struct iso_pair_memory iso_pair_memory;
struct iso_pair_memory {
    int geometry_a, geometry_b; ///< indices of the contact system, a < b
    double values[ISO_PAIR_MEMORY_DOUBLES];
};
_Static_assert(sizeof(iso_pair_memory) ==
                   2 * sizeof(int) + ISO_PAIR_MEMORY_DOUBLES * sizeof(double),
               "two ints, then doubles only");

/// Memories of all pairs that touched in the last step, ordered by (geometry_a, geometry_b).
typedef ISO_ARRAY(iso_pair_memory) iso_pair_memory_array;

/// Memory of a pair, or NULL; ordered arrays only, for one pair after the other in the same order.
/// @param[in,out] at  where to look from; 0 at first
const iso_pair_memory* iso_pair_memory_next(const iso_pair_memory* memories, int count,
                                            int geometry_a, int geometry_b, int* at);

/// Memories of the pair of the first one, which follow each other.
/// @param first  [count]; NULL: 0
int iso_pair_memory_run(const iso_pair_memory* first, int count);
