// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/trace_walk.h"

#include "surface/trace_clip.h"

bool iso_walk_begin(iso_walk* walk, iso_arena* arena) {
    walk->element_1 = -1;
    walk->is_out_of_memory = false;
    walk->close = (iso_trace){.arena = arena}; // takes memory when there is something close
    return iso_trace_begin(&walk->trace, arena);
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

// Queue the pairs beyond the sides that a visit found. Entries are written first and kept if they
// are new: what is new cannot be foretold.
static void go_on(iso_walk* walk, int element_0, iso_touched touched) {
    int element_1 = walk->element_1;
    const int* neighbors_0 = neighbors_of(&walk->neighbors_0, element_0);
    const int* neighbors_1 = neighbors_of(&walk->neighbors_1, element_1);
    iso_trace* trace = &walk->trace;
    for (int sides = touched.sides_0; sides != 0; sides &= sides - 1) {
        int next = neighbors_0[iso_ring_bits_of[sides].lowest];
        if (next >= 0) {
            trace->near[trace->near_count] = next;
            trace->near_count += iso_trace_visit(trace, next, element_1);
        }
    }
    for (int sides = touched.sides_1; sides != 0; sides &= sides - 1) {
        int next = neighbors_1[iso_ring_bits_of[sides].lowest];
        if (next >= 0) {
            trace->far[trace->far_count] = (iso_trace_pair){element_0, next};
            trace->far_count += !iso_trace_is_visited(trace, element_0, next);
        }
    }
}

// Queue a pair for a close visit.
static bool come_closer(iso_walk* walk, int element_0, int element_1) {
    iso_trace* close = &walk->close;
    if ((!close->slots && !iso_trace_begin(close, close->arena)) || !iso_trace_reserve(close)) {
        return false;
    }
    close->far[close->far_count] = (iso_trace_pair){element_0, element_1};
    close->far_count += !iso_trace_is_visited(close, element_0, element_1);
    return true;
}

// All pairs of an element of body 1 that are connected with one of body 0.
static bool walk_near(iso_walk* walk, iso_trace_pair from) {
    iso_trace* trace = &walk->trace;
    look_at(walk, from.element_1);
    trace->near[trace->near_count++] = from.element_0;
    while (trace->near_count > 0) {
        int next = trace->near[--trace->near_count];
        bool is_close;
        if (!iso_trace_reserve(trace)) {
            return false;
        }
        go_on(walk, next, walk->visit(walk->user, next, &is_close));
        if (walk->is_out_of_memory || (is_close && !come_closer(walk, next, from.element_1))) {
            return false;
        }
    }
    return true;
}

// All pairs that are connected with those in the queue.
static bool walk_far(iso_walk* walk) {
    iso_trace* trace = &walk->trace;
    while (trace->far_count > 0) {
        iso_trace_pair next = trace->far[--trace->far_count];
        if (!iso_trace_reserve(trace)) {
            return false;
        }
        if (iso_trace_visit(trace, next.element_0, next.element_1) && !walk_near(walk, next)) {
            return false;
        }
    }
    return true;
}

// Visit a pair closely and queue all it touches for both kinds of visits.
static bool walk_closely(iso_walk* walk, iso_trace_pair pair) {
    if (!iso_trace_visit(&walk->close, pair.element_0, pair.element_1)) {
        return true;
    }
    look_at(walk, pair.element_1);
    iso_touched touched = walk->visit_closely(walk->user, pair.element_0);
    for (int i = 0; i < 8; ++i) {
        int side = i & 3;
        bool is_of_0 = i < 4;
        if (!((is_of_0 ? touched.sides_0 : touched.sides_1) >> side & 1)) {
            continue;
        }
        iso_trace_pair next = pair;
        if (is_of_0) {
            next.element_0 = neighbors_of(&walk->neighbors_0, pair.element_0)[side];
        } else {
            next.element_1 = neighbors_of(&walk->neighbors_1, pair.element_1)[side];
        }
        if (next.element_0 < 0 || next.element_1 < 0) {
            continue;
        }
        if (!iso_trace_reserve(&walk->trace) ||
            !come_closer(walk, next.element_0, next.element_1)) {
            return false;
        }
        walk->trace.far[walk->trace.far_count++] = next;
    }
    return true;
}

bool iso_walk_from(void* walk, int element_0, int element_1) {
    iso_walk* w = walk;
    if (iso_trace_is_visited(&w->trace, element_0, element_1)) {
        return true;
    }
    w->trace.far[w->trace.far_count++] = (iso_trace_pair){element_0, element_1};
    bool ok = walk_far(w);
    while (ok && w->close.far_count > 0) {
        ok = iso_trace_reserve(&w->close) && walk_closely(w, w->close.far[--w->close.far_count]) &&
             walk_far(w);
    }
    return ok;
}
