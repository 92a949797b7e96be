// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Arrays of pairs of things, which come and go: contacts, entries of a matrix for them.

#include "base/core/array.h"

/// A small array that must grow gets room for so many times what is needed, or for so many entries
/// of each thing: a pile that forms makes it grow once or twice, and one that has formed not at
/// all. (Each of many equal balls touches twelve others at most, six pairs a ball.) Larger ones
/// double.
#define ISO_AMPLE_FACTOR 4
#define ISO_AMPLE_PER_THING 8
#define ISO_AMPLE_LARGEST 16384

static inline int iso_ample_count(int capacity, int needed, int thing_count) {
    bool is_first = capacity == 0 && thing_count > 0; // what comes later finds room, too
    bool has_room = needed <= capacity && !is_first;
    if (has_room || needed > ISO_AMPLE_LARGEST || thing_count > ISO_AMPLE_LARGEST) {
        return needed;
    }
    int more = ISO_AMPLE_FACTOR * needed, least = ISO_AMPLE_PER_THING * thing_count;
    return more > least ? more : least;
}

/// ISO_ARRAY_RESERVE() for those; thing_count: 0 where there is one entry for a thing.
#define ISO_ARRAY_RESERVE_AMPLY(ctx, array, needed, thing_count) \
    ISO_ARRAY_RESERVE(ctx, array, iso_ample_count((array)->capacity, needed, thing_count))
