// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Arrays that follow a pattern of contacts, which come and go.

#include "base/array.h"

/// A small array that must grow gets room for so many times what is needed, or for so many entries
/// of each block: a pile that forms makes it grow once or twice, and one that has formed not at
/// all. (Each of many equal balls touches twelve others at most, six pairs a ball.) Larger ones
/// double.
#define ISO_AMPLE_FACTOR 4
#define ISO_AMPLE_PER_BLOCK 8
#define ISO_AMPLE_LARGEST 16384

static inline int iso_ample_count(int capacity, int needed, int block_count) {
    if (needed <= capacity || needed > ISO_AMPLE_LARGEST || block_count > ISO_AMPLE_LARGEST) {
        return needed;
    }
    int more = ISO_AMPLE_FACTOR * needed, least = ISO_AMPLE_PER_BLOCK * block_count;
    return more > least ? more : least;
}

/// ISO_ARRAY_RESERVE() for those; block_count: 0 where there is one entry for a block or a row.
#define ISO_ARRAY_RESERVE_AMPLY(ctx, array, needed, block_count) \
    ISO_ARRAY_RESERVE(ctx, array, iso_ample_count((array)->capacity, needed, block_count))
