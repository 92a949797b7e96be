// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/trace_walk.h"

#include "surface/clipping/trace_clip.h"

#include <limits.h>

// Starts that wait in a walk of several threads. Where equal bodies lie in one place, every pair of
// cells that touch is one.
#define MOST_WAITING 2048

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

static void begin(iso_walk* walk, iso_arena* arena) {
    walk->element_1 = -1;
    walk->work = walk->vain_starts = walk->close_count = 0;
    walk->most_close = INT_MAX;
    walk->is_tied = false;
    walk->close = (iso_trace){.arena = arena}; // takes memory when there is something close
}

bool iso_walk_begin(iso_walk* walk, iso_arena* arena) {
    begin(walk, arena);
    return iso_trace_begin(&walk->trace, arena);
}

bool iso_walk_begin_shared(iso_walk* walk, iso_arena* arena, iso_share* share, int element_count_1,
                           int thread, int thread_count) {
    begin(walk, arena);
    return iso_trace_begin_shared(&walk->trace, arena, share, element_count_1, thread,
                                  thread_count);
}

static const int* neighbors_of(const iso_walk_neighbors* neighbors, int element) {
    return (const int*)(const void*)((const char*)neighbors->first +
                                     (size_t)element * neighbors->stride);
}

static void look_at(iso_walk* walk, int element_1) {
    if (element_1 != walk->element_1) {
        walk->look_at(walk->user, element_1);
        walk->element_1 = element_1;
    }
}

// The walk of one thread and that of several are compiled apart (is_shared).

// Queue the pairs beyond the sides that a visit found. Entries are written first and kept if they
// are new: what is new cannot be foretold.
ALWAYS_INLINE void go_on(iso_walk* walk, bool is_shared, int element_0, iso_touched touched) {
    int element_1 = walk->element_1;
    const int* neighbors_0 = neighbors_of(&walk->neighbors_0, element_0);
    const int* neighbors_1 = neighbors_of(&walk->neighbors_1, element_1);
    iso_trace* trace = &walk->trace;
    for (int sides = touched.sides_0; sides != 0; sides &= sides - 1) {
        int next = neighbors_0[iso_ring_bits_of[sides].lowest];
        if (next >= 0) {
            trace->near[trace->near_count] = next;
            trace->near_count += iso_trace_visit(trace, is_shared, next, element_1);
        }
    }
    for (int sides = touched.sides_1; sides != 0; sides &= sides - 1) {
        int next = neighbors_1[iso_ring_bits_of[sides].lowest];
        if (next >= 0) {
            iso_trace_queue(trace, is_shared, (iso_trace_pair){element_0, next},
                            !iso_trace_is_visited(trace, is_shared, element_0, next));
        }
    }
}

// Queue a pair for a close visit.
static bool come_closer(iso_walk* walk, int element_0, int element_1) {
    iso_trace* close = &walk->close;
    if ((!close->slots && !iso_trace_begin(close, close->arena)) || !iso_trace_reserve(close)) {
        return false;
    }
    iso_trace_queue(close, false, (iso_trace_pair){element_0, element_1},
                    !iso_trace_is_visited(close, false, element_0, element_1));
    return true;
}

// Count a visit that rounding may have been against. Threads that share a walk count together: it
// must not matter who visits what. @return false when there are too many
static bool count_close(iso_walk* walk) {
    iso_share* share = walk->trace.share;
    int count = share ? atomic_fetch_add(&share->close_count, 1) + 1 : ++walk->close_count;
    walk->is_tied = walk->is_tied || count > walk->most_close;
    return !walk->is_tied;
}

// All pairs of an element of body 1 that are connected with one of body 0.
ALWAYS_INLINE bool walk_near(iso_walk* walk, bool is_shared, iso_trace_pair from) {
    iso_trace* trace = &walk->trace;
    look_at(walk, from.element_1);
    trace->near[trace->near_count++] = from.element_0;
    while (trace->near_count > 0) {
        int next = trace->near[--trace->near_count], notes;
        if (!iso_trace_reserve(trace) || (is_shared && iso_share_is_stopped(trace->share))) {
            return false;
        }
        ++walk->work;
        go_on(walk, is_shared, next, walk->visit(walk->user, next, &notes));
        if (notes != 0 && ((notes & ISO_VISIT_FAILED) != 0 ||
                           !come_closer(walk, next, from.element_1) || !count_close(walk))) {
            return false;
        }
    }
    return true;
}

// Leave pairs of the queue to a thread that has none: those that would come last, of which the very
// last is taken first.
static void offer_far(iso_trace* trace, int most) {
    iso_trace_pair pairs[ISO_SHARE_PAIRS];
    int count = most < ISO_SHARE_PAIRS ? most : ISO_SHARE_PAIRS;
    for (int i = count; i-- > 0;) {
        pairs[i] = iso_trace_take(trace, iso_trace_order_last(&trace->order));
    }
    for (int i = iso_share_offer(trace->share, pairs, count); i < count; ++i) {
        iso_trace_queue(trace, true, pairs[i], true);
    }
}

// All pairs that are connected with those in the queue.
ALWAYS_INLINE bool walk_far_as(iso_walk* walk, bool is_shared) {
    iso_trace* trace = &walk->trace;
    while (trace->far_count > 0) {
        if (is_shared && trace->far_count > 1 && iso_share_is_hungry(trace->share)) {
            offer_far(trace, trace->far_count / 2);
        }
        iso_trace_pair next = iso_trace_next(trace, is_shared);
        if (!iso_trace_reserve(trace)) {
            return false;
        }
        if (iso_trace_visit(trace, is_shared, next.element_0, next.element_1) &&
            !walk_near(walk, is_shared, next)) {
            return false;
        }
    }
    return true;
}

static bool walk_far(iso_walk* walk) {
    return walk->trace.share ? walk_far_as(walk, true) : walk_far_as(walk, false);
}

// Queue a pair for both kinds of visits.
static bool queue_closely(iso_walk* walk, iso_trace_pair pair) {
    if (!iso_trace_reserve(&walk->trace) || !come_closer(walk, pair.element_0, pair.element_1)) {
        return false;
    }
    iso_trace_queue(&walk->trace, walk->trace.share, pair, true);
    return true;
}

// Visit a pair closely and queue all it touches.
static bool walk_closely(iso_walk* walk, iso_trace_pair pair) {
    if (!iso_trace_visit(&walk->close, false, pair.element_0, pair.element_1)) {
        return true;
    }
    look_at(walk, pair.element_1);
    ++walk->work;
    iso_touched touched = walk->visit_closely(walk->user, pair.element_0);
    const int* neighbors_0 = neighbors_of(&walk->neighbors_0, pair.element_0);
    const int* neighbors_1 = neighbors_of(&walk->neighbors_1, pair.element_1);
    for (int sides = touched.sides_0; sides != 0; sides &= sides - 1) {
        int next = neighbors_0[iso_ring_bits_of[sides].lowest];
        if (next >= 0 && !queue_closely(walk, (iso_trace_pair){next, pair.element_1})) {
            return false;
        }
    }
    for (int sides = touched.sides_1; sides != 0; sides &= sides - 1) {
        int next = neighbors_1[iso_ring_bits_of[sides].lowest];
        if (next >= 0 && !queue_closely(walk, (iso_trace_pair){pair.element_0, next})) {
            return false;
        }
    }
    return true;
}

// All close visits that are due, and everything connected with them.
static bool walk_all(iso_walk* w) {
    bool ok = walk_far(w);
    while (ok && w->close.far_count > 0) {
        ok = iso_trace_reserve(&w->close) && walk_closely(w, iso_trace_next(&w->close, false)) &&
             walk_far(w);
    }
    return ok;
}

bool iso_walk_from(void* walk, int element_0, int element_1) {
    iso_walk* w = walk;
    iso_trace* trace = &w->trace;
    if (trace->share) {
        iso_share_clear(trace->share);
    }
    if (iso_trace_is_visited(trace, trace->share, element_0, element_1)) {
        return true;
    }
    if (trace->share && (iso_share_is_stopped(trace->share) || !iso_trace_reserve(trace))) {
        return false;
    }
    iso_trace_queue(trace, trace->share, (iso_trace_pair){element_0, element_1}, true);
    if (!trace->share) {
        long before = w->work;
        bool ok = walk_all(w);
        w->vain_starts += w->work == before + 1;
        return ok;
    }
    if (iso_share_is_hungry(trace->share)) {
        offer_far(trace, trace->far_count);
    }
    return trace->far_count <= MOST_WAITING || walk_far(w);
}

static bool queue_all(iso_trace* trace, const iso_trace_pair* pairs, int count) {
    for (int i = 0; i < count; ++i) {
        if (!iso_trace_reserve(trace)) {
            return false;
        }
        iso_trace_queue(trace, trace->share, pairs[i], true);
    }
    return true;
}

bool iso_walk_shared(iso_walk* walk, bool (*find_starts)(void* user, int part), void* user) {
    iso_trace* trace = &walk->trace;
    iso_share* share = trace->share;
    iso_trace_pair pairs[ISO_SHARE_PAIRS];
    iso_share_work work = ISO_SHARE_REST;
    int count;
    while ((work = iso_share_take(share, work != ISO_SHARE_REST, pairs, &count)) > ISO_SHARE_LAST) {
        bool ok =
            work == ISO_SHARE_STARTS ? find_starts(user, count) : queue_all(trace, pairs, count);
        ok = ok && walk_far(walk);
        if (!ok) {
            iso_share_stop(share, walk->is_tied ? ISO_SHARE_TIED : ISO_SHARE_OUT_OF_MEMORY);
        }
    }
    return work == ISO_SHARE_LAST;
}

bool iso_walk_closely(iso_walk* walk, const iso_walk* found) {
    const iso_trace* close = &found->close;
    for (int i = 0; i < close->far_count && found != walk; ++i) {
        if (!come_closer(walk, close->far[i].element_0, close->far[i].element_1)) {
            return false;
        }
    }
    return walk_all(walk);
}
