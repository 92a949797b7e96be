// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Walking over a contact surface from one pair of elements to the next: which pairs have been
// visited, and which are still to be. Memory comes from an arena. Theory:
// docs/theory/contact_surface.md.

#include "surface/walk/trace_order.h"
#include "surface/walk/trace_share.h"

/// Pairs are noted in blocks of four elements of either body, which lie next to each other where
/// elements are numbered in the order of a tree: 16 bits for the pairs of a block, the others name
/// it. Open addressing; at most a quarter of the slots is in use.
typedef struct iso_trace {
    iso_arena* arena;
    iso_share* share;    ///< table of several threads that takes the place of the slots; NULL: none
    uint64_t* slots;     ///< 0: free
    size_t mask;         ///< slots - 1
    size_t used;         ///< slots, or those of the table of several threads not yet reported
    iso_trace_pair* far; ///< with other elements of body 1
    int far_count, far_capacity;
    iso_trace_order order; ///< of those, in a walk of several threads: far_capacity to a shelf
    int* near;             ///< elements of body 0, to be paired with the present one of body 1
    int near_count, near_capacity;
} iso_trace;

/// @return false when out of memory
bool iso_trace_begin(iso_trace* trace, iso_arena* arena);

/// The same of one of the threads that share a walk.
/// @param element_count_1  of body 1
/// @param thread           0 .. thread_count - 1
bool iso_trace_begin_shared(iso_trace* trace, iso_arena* arena, iso_share* share,
                            int element_count_1, int thread, int thread_count);

/// Most pairs that one visit may add to the visited ones or to a queue.
#define ISO_TRACE_STEP 8

/// What iso_trace_reserve() does when there is no room.
bool iso_trace_grow(iso_trace* trace);

/// Make room for one more visit.
/// @return false when out of memory
static inline bool iso_trace_reserve(iso_trace* trace) {
    return (4 * (trace->used + ISO_TRACE_STEP) <= trace->mask &&
            trace->far_count + ISO_TRACE_STEP <= trace->far_capacity &&
            trace->near_count + ISO_TRACE_STEP <= trace->near_capacity) ||
           iso_trace_grow(trace);
}

/// Queue a pair with another element of body 1. It is written first and kept if it counts, 0 or 1,
/// as that cannot be foretold.
/// @param is_shared  whether iso_trace_begin_shared() made the trace, here and below: a constant
///                   where time counts
static inline void iso_trace_queue(iso_trace* trace, bool is_shared, iso_trace_pair pair,
                                   int counts) {
    int at = trace->far_count;
    if (is_shared) {
        int shelf = pair.element_1 >> trace->order.shift;
        at = shelf * trace->far_capacity + iso_trace_order_put(&trace->order, shelf, counts);
    }
    trace->far[at] = pair;
    trace->far_count += counts;
}

/// Take a pair from a shelf.
static inline iso_trace_pair iso_trace_take(iso_trace* trace, int shelf) {
    --trace->far_count;
    return trace->far[shelf * trace->far_capacity + iso_trace_order_take(&trace->order, shelf)];
}

/// Take the next pair from the queue, which is not empty.
static inline iso_trace_pair iso_trace_next(iso_trace* trace, bool is_shared) {
    return is_shared ? iso_trace_take(trace, iso_trace_order_first(&trace->order))
                     : trace->far[--trace->far_count];
}

/// At most 0xffff where a slot is free or of the block of a name: one number and one branch, as
/// which of the two cannot be foretold.
static inline uint64_t iso_trace_apart(uint64_t slot, uint64_t name) {
    uint64_t other = slot ^ name;
    return other < slot ? other : slot;
}

/// The slot of the block of a name (upper 48 bits), or the free one that it may take.
static inline uint64_t* iso_trace_slot(const iso_trace* trace, uint64_t name) {
    size_t at = (size_t)((name >> 16) * 0x9e3779b97f4a7c15u >> 32) & trace->mask;
    while (iso_trace_apart(trace->slots[at], name) > 0xffff) {
        at = (at + 1) & trace->mask;
    }
    return &trace->slots[at];
}

/// Not zero, whatever the elements.
static inline uint64_t iso_trace_name(int element_0, int element_1) {
    return ((uint64_t)(element_1 >> 2) + 1) << 40 | (uint64_t)(element_0 >> 2) << 16;
}

static inline uint64_t iso_trace_bit(int element_0, int element_1) {
    return (uint64_t)1 << ((element_1 & 3) << 2 | (element_0 & 3));
}

/// The same in a table of several threads; what was there goes to out_old.
static inline _Atomic uint64_t* iso_share_slot(const iso_share* share, uint64_t name,
                                               uint64_t* out_old) {
    size_t at = (size_t)((name >> 16) * 0x9e3779b97f4a7c15u >> 32) & share->mask;
    for (;; at = (at + 1) & share->mask) {
        *out_old = atomic_load_explicit(&share->slots[at], memory_order_relaxed);
        if (iso_trace_apart(*out_old, name) <= 0xffff) {
            return &share->slots[at];
        }
    }
}

static inline bool iso_trace_is_visited(const iso_trace* trace, bool is_shared, int element_0,
                                        int element_1) {
    if (is_shared) {
        uint64_t old;
        iso_share_slot(trace->share, iso_trace_name(element_0, element_1), &old);
        return (old & iso_trace_bit(element_0, element_1)) != 0;
    }
    const uint64_t* slot = iso_trace_slot(trace, iso_trace_name(element_0, element_1));
    return (*slot & iso_trace_bit(element_0, element_1)) != 0;
}

/// Note a visit among those of several threads. @return whether it is the first one
bool iso_trace_visit_shared(iso_trace* trace, uint64_t name, uint64_t bit);

/// Note a visit. @return whether it is the first one
static inline bool iso_trace_visit(iso_trace* trace, bool is_shared, int element_0, int element_1) {
    uint64_t name = iso_trace_name(element_0, element_1);
    uint64_t bit = iso_trace_bit(element_0, element_1);
    if (is_shared) {
        return iso_trace_visit_shared(trace, name, bit);
    }
    uint64_t* slot = iso_trace_slot(trace, name);
    uint64_t old = *slot;
    trace->used += old == 0;
    *slot = old | name | bit;
    return (old & bit) == 0;
}
