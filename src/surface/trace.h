// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Walking over a contact surface from one pair of elements to the next: which pairs have been
// visited, and which are still to be. Memory comes from an arena. Theory:
// docs/theory/contact_surface.md.

#include "base/arena.h"

/// Pairs (element of body 0, element of body 1), both >= 0. Open addressing.
typedef struct iso_trace {
    iso_arena* arena;
    uint64_t* slots; ///< UINT64_MAX: free
    size_t mask;     ///< slots - 1
    size_t used;
    uint64_t* far; ///< pairs of other elements of body 1, to be walked from
    int far_count, far_capacity;
    int* near; ///< elements of body 0, to be paired with the present one of body 1
    int near_count, near_capacity;
} iso_trace;

#define ISO_TRACE_FREE UINT64_MAX

static inline uint64_t iso_trace_key(int element_0, int element_1) {
    return (uint64_t)element_1 << 32 | (uint64_t)element_0;
}

/// @return false when out of memory
bool iso_trace_begin(iso_trace* trace, iso_arena* arena);

/// Most pairs that one visit may add to the visited ones or to a queue.
#define ISO_TRACE_STEP 8

/// Make room for one more visit.
/// @return false when out of memory
bool iso_trace_make_room(iso_trace* trace);

static inline bool iso_trace_has_room(const iso_trace* trace) {
    return 2 * (trace->used + ISO_TRACE_STEP) <= trace->mask &&
           trace->far_count + ISO_TRACE_STEP <= trace->far_capacity &&
           trace->near_count + ISO_TRACE_STEP <= trace->near_capacity;
}

static inline size_t iso_trace_find(const iso_trace* trace, uint64_t key) {
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    size_t slot = (size_t)(hash >> 32) & trace->mask;
    while (trace->slots[slot] != key && trace->slots[slot] != ISO_TRACE_FREE) {
        slot = (slot + 1) & trace->mask;
    }
    return slot;
}

static inline bool iso_trace_is_visited(const iso_trace* trace, uint64_t key) {
    return trace->slots[iso_trace_find(trace, key)] == key;
}

/// Note a visit. @return whether it is the first one
static inline bool iso_trace_visit(iso_trace* trace, uint64_t key) {
    size_t slot = iso_trace_find(trace, key);
    if (trace->slots[slot] == key) {
        return false;
    }
    trace->slots[slot] = key;
    ++trace->used;
    return true;
}
