// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/trace.h"

#include <string.h>

#define FIRST_SLOTS 1024
#define FIRST_QUEUE 256

static bool make_slots(iso_trace* trace, size_t count) {
    uint64_t* slots = iso_arena_push(trace->arena, count * sizeof *slots);
    if (!slots) {
        return false;
    }
    memset(slots, 0, count * sizeof *slots);
    trace->slots = slots;
    trace->mask = count - 1;
    return true;
}

static bool grow_slots(iso_trace* trace) {
    uint64_t* old = trace->slots;
    size_t old_count = trace->mask + 1, used = 0;
    if (!make_slots(trace, 4 * old_count)) {
        return false;
    }
    for (size_t i = 0; i < old_count; ++i) { // which are in use cannot be foretold
        old[used] = old[i];
        used += old[i] != 0;
    }
    for (size_t i = 0; i < used; ++i) {
        *iso_trace_slot(trace, old[i]) = old[i];
    }
    return true;
}

bool iso_trace_begin(iso_trace* trace, iso_arena* arena) {
    *trace = (iso_trace){.arena = arena};
    trace->far_capacity = trace->near_capacity = FIRST_QUEUE;
    trace->far = iso_arena_push_array(arena, FIRST_QUEUE, sizeof *trace->far);
    trace->near = iso_arena_push_array(arena, FIRST_QUEUE, sizeof *trace->near);
    return trace->far && trace->near && make_slots(trace, FIRST_SLOTS);
}

bool iso_trace_begin_shared(iso_trace* trace, iso_arena* arena, iso_share* share,
                            int element_count_1, int thread, int thread_count) {
    if (!iso_trace_begin(trace, arena)) {
        return false;
    }
    trace->share = share;
    trace->far = iso_arena_push_array(arena, ISO_TRACE_SHELVES * FIRST_QUEUE, sizeof *trace->far);
    iso_trace_order_begin(&trace->order, element_count_1, thread, thread_count);
    return trace->far;
}

static void* grow_queue(iso_arena* arena, const void* old, int count, size_t size, int capacity) {
    void* new = iso_arena_push_array(arena, capacity, size);
    if (new) {
        memcpy(new, old, (size_t)count * size);
    }
    return new;
}

static bool grow_shelves(iso_trace* trace) {
    size_t old = (size_t)trace->far_capacity, capacity = 4 * old;
    iso_trace_pair* far = iso_arena_push(trace->arena, ISO_TRACE_SHELVES * capacity * sizeof *far);
    for (size_t i = 0; far && i < ISO_TRACE_SHELVES; ++i) {
        memcpy(far + i * capacity, trace->far + i * old,
               (size_t)trace->order.count[i] * sizeof *far);
    }
    trace->far = far;
    trace->far_capacity = (int)capacity;
    return far;
}

static bool grow_far(iso_trace* trace) {
    if (trace->order.is_used) {
        return grow_shelves(trace);
    }
    trace->far_capacity *= 4;
    trace->far = grow_queue(trace->arena, trace->far, trace->far_count, sizeof *trace->far,
                            trace->far_capacity);
    return trace->far;
}

bool iso_trace_grow(iso_trace* trace) {
    if (4 * (trace->used + ISO_TRACE_STEP) > trace->mask && !grow_slots(trace)) {
        return false;
    }
    if (trace->far_count + ISO_TRACE_STEP > trace->far_capacity && !grow_far(trace)) {
        return false;
    }
    if (trace->near_count + ISO_TRACE_STEP > trace->near_capacity) {
        trace->near_capacity *= 4;
        trace->near = grow_queue(trace->arena, trace->near, trace->near_count, sizeof *trace->near,
                                 trace->near_capacity);
    }
    return trace->near;
}

bool iso_trace_visit_shared(iso_trace* trace, uint64_t name, uint64_t bit) {
    iso_share* share = trace->share;
    for (;;) {
        uint64_t old;
        _Atomic uint64_t* slot = iso_share_slot(share, name, &old);
        if ((old & bit) != 0) {
            return false;
        }
        // One way for free slots and for used ones: which it is cannot be foretold.
        bool is_new = old == 0;
        if (atomic_compare_exchange_strong_explicit(slot, &old, old | name | bit,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            trace->used += is_new;
            if (trace->used == ISO_SHARE_REPORT) {
                trace->used = 0;
                iso_share_report(share);
            }
            return true;
        }
    }
}
