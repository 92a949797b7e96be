// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A walk that several threads take part in: one table of visited pairs for all, which decides who
// visits a pair, and pairs that those who have many leave to those who have none. Which pairs are
// visited does not depend on who visits them. Any number of the threads may come late, or never.

#include "base/core/arena.h"
#include "base/core/thread.h"

#include <stdatomic.h>

/// A pair of elements, one of either body, still to be visited.
typedef struct iso_trace_pair {
    int element_0, element_1;
} iso_trace_pair;

/// Most pairs on offer.
#define ISO_SHARE_PAIRS 512

/// How a shared walk came out.
typedef enum iso_share_end {
    ISO_SHARE_OPEN, ///< under way
    ISO_SHARE_DONE,
    ISO_SHARE_FULL, ///< more pairs than the table takes: walk again with a larger one
    ISO_SHARE_TIED, ///< rounding may be against more visits than the walk takes
    ISO_SHARE_OUT_OF_MEMORY,
} iso_share_end;

typedef struct iso_share {
    _Atomic uint64_t* slots; ///< as in iso_trace
    size_t mask;
    atomic_int next_part;   ///< of the table, to be cleared
    atomic_int clear_parts; ///< that have been
    atomic_size_t used;     ///< slots, but for what threads have not reported yet
    atomic_int hungry;      ///< threads that wait for pairs
    atomic_int offered;     ///< pairs on offer
    atomic_int end;         ///< iso_share_end
    atomic_int close_count; ///< visits of all threads that rounding may have been against
    iso_mutex lock;         ///< guards what follows, and changes of `offered`
    iso_condvar news;
    int active_count; ///< threads that have work
    int start_parts;  ///< of the search for starts, that some thread has taken
    iso_trace_pair pairs[ISO_SHARE_PAIRS];
} iso_share;

/// What a thread is to do next.
typedef enum iso_share_work {
    ISO_SHARE_REST,   ///< nothing is left
    ISO_SHARE_LAST,   ///< nothing either; one thread is told so when all have walked to the end
    ISO_SHARE_STARTS, ///< look for starts, in one part of the search; for each part one is told so
    ISO_SHARE_PAIRS_TAKEN,
} iso_share_work;

/// Parts of the search for starts, whatever the number of threads.
#define ISO_SHARE_START_PARTS 2

/// A table of so many slots, a power of two, more than 128 to a thread; iso_share_clear() empties
/// it. Release with iso_share_destroy().
/// @return false when out of memory
bool iso_share_init(iso_share* share, iso_arena* arena, size_t slot_count);
void iso_share_destroy(iso_share* share);

/// Empty the table, with whoever has nothing else to do, before the first pair is looked for in it
/// or offered. Returns at once when that has been done.
void iso_share_clear(iso_share* share);

/// Wait for work. The thread is active until it asks again.
/// @param has_worked  false the first time
/// @param out_pairs   [ISO_SHARE_PAIRS]
/// @param out_count   pairs taken, or the part of the search for starts
iso_share_work iso_share_take(iso_share* share, bool has_worked, iso_trace_pair* out_pairs,
                              int* out_count);

/// Offer the first pairs of a queue, as many as there is room for but no more than `most`, and none
/// when the walk has ended.
/// @return how many
int iso_share_offer(iso_share* share, const iso_trace_pair* pairs, int most);

/// End the walk early; the first reason counts.
void iso_share_stop(iso_share* share, iso_share_end reason);

static inline bool iso_share_is_stopped(const iso_share* share) {
    return atomic_load_explicit(&share->end, memory_order_relaxed) > ISO_SHARE_DONE;
}

static inline bool iso_share_is_hungry(const iso_share* share) {
    return atomic_load_explicit(&share->hungry, memory_order_relaxed) > 0;
}

/// New slots that a thread uses before it reports them.
#define ISO_SHARE_REPORT 64

/// Report new slots; ends the walk when there are too many.
void iso_share_report(iso_share* share);
