// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"

/// An unordered pair of distinct blocks that a matrix couples.
typedef struct iso_block_pair {
    int a, b; ///< a < b
} iso_block_pair;

typedef ISO_ARRAY(int) iso_int_array;

/// An elimination ordering with the fill it causes, and the memory to find it. Zero-initialise.
typedef struct iso_min_degree {
    iso_int_array order;         ///< [count] order[k]: block eliminated as the k-th
    iso_int_array element_index; ///< [count] by block: first entry in `elements`
    iso_int_array element_count; ///< [count] by block
    iso_int_array elements;      ///< blocks coupled with a block when it is eliminated, unsorted

    iso_int_array work; ///< scratch, 10 integers per block and 2 per pair
} iso_min_degree;

void iso_min_degree_destroy(iso_context* ctx, iso_min_degree* ordering);

/// Order the blocks of a symmetric matrix by minimum degree on the quotient graph: the exact number
/// of rows of a block and of all it is coupled with, ties to the lower block. A function of the
/// arguments only. O(fill * log count) or so; allocates only when it needs more memory than ever
/// before.
/// @param sizes  [block_count] rows of each block, > 0
/// @param pairs  [pair_count] distinct
/// @return ISO_ERR_MEMORY
iso_status iso_min_degree_run(iso_context* ctx, iso_min_degree* ordering, const int* sizes,
                              int block_count, const iso_block_pair* pairs, int pair_count);
