// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The order in which a thread of a shared walk takes its pairs: by elements of body 1 from an end
// of the thread's own part of the body on, and the other way round than the next thread. So threads
// meet where all is done, whichever part of the body the surface is in, and what one of them finds
// lies together, in space and in the result.

#include <stdbool.h>

/// Pairs lie on as many shelves, by element of body 1. On each the last comes first.
#define ISO_TRACE_SHELVES 16

typedef struct iso_trace_order {
    bool is_used;
    bool is_falling; ///< goes on to lower shelves, else to higher ones
    int home;        ///< shelf to begin with
    int shift;       ///< of elements, to the shelf
    unsigned filled; ///< bit i: there is something on shelf i
    int count[ISO_TRACE_SHELVES];
} iso_trace_order;

/// Nothing on the shelves.
/// @param element_count  of body 1
/// @param thread         0 .. thread_count - 1
void iso_trace_order_begin(iso_trace_order* order, int element_count, int thread, int thread_count);

/// Where on its shelf a pair goes that is kept if it counts, 0 or 1.
static inline int iso_trace_order_put(iso_trace_order* order, int shelf, int counts) {
    int at = order->count[shelf];
    order->count[shelf] = at + counts;
    order->filled |= (unsigned)counts << shelf;
    return at;
}

/// Take the last of a shelf that is not empty. @return where it is
static inline int iso_trace_order_take(iso_trace_order* order, int shelf) {
    int at = --order->count[shelf];
    order->filled &= ~((unsigned)(at == 0) << shelf);
    return at;
}

/// The shelf to take from next, of those that are not empty.
static inline int iso_trace_order_first(const iso_trace_order* order) {
    unsigned all = order->filled, below = all & ((1u << order->home) - 1);
    if (order->is_falling) {
        below |= all & 1u << order->home;
        return 31 - __builtin_clz(below ? below : all);
    }
    return __builtin_ctz(all != below ? all & ~below : all);
}

/// The one that would come last.
static inline int iso_trace_order_last(const iso_trace_order* order) {
    unsigned all = order->filled, below = all & ((1u << order->home) - 1);
    if (order->is_falling) {
        below |= all & 1u << order->home;
        return __builtin_ctz(all != below ? all & ~below : all);
    }
    return 31 - __builtin_clz(below ? below : all);
}
