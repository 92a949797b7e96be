// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// States within a step. From either end of a substep the motion goes on with a constant
// acceleration, which turns bodies by the exponential map; a cubic weight leads from the one to the
// other. So positions and velocities meet those of both ends. docs/theory/events.md.

#include "world/events/trace.h"

#include "base/core/arena.h"
#include "base/core/fail.h"

#include <string.h>

void iso_trace_free(iso_context* ctx, iso_trace* trace) {
    ISO_ARRAY_FREE(ctx, &trace->times);
    ISO_ARRAY_FREE(ctx, &trace->states);
}

static int state_size(const iso_multibody* multibody) {
    return multibody->q_count + multibody->v_count;
}

iso_status iso_trace_push(iso_context* ctx, const iso_multibody* multibody, double time,
                          const double* q, const double* v, iso_trace* trace) {
    int count = trace->times.count, size = state_size(multibody);
    if (count > 0 && !(time > trace->times.data[count - 1])) {
        return ISO_OK;
    }
    iso_status status = ISO_ARRAY_RESERVE(ctx, &trace->times, count + 1);
    status = status == ISO_OK ? ISO_ARRAY_RESERVE(ctx, &trace->states, (count + 1) * size) : status;
    if (status != ISO_OK) {
        return status;
    }
    double* at = trace->states.data + (size_t)count * (size_t)size;
    for (int i = 0; i < multibody->q_count; ++i) {
        at[i] = q[i];
    }
    for (int i = 0; i < multibody->v_count; ++i) {
        at[multibody->q_count + i] = v[i];
    }
    trace->times.data[trace->times.count++] = time;
    trace->states.count += size;
    return ISO_OK;
}

const double* iso_trace_q(const iso_trace* trace, const iso_multibody* multibody, int node) {
    return trace->states.data + (size_t)node * (size_t)state_size(multibody);
}

const double* iso_trace_v(const iso_trace* trace, const iso_multibody* multibody, int node) {
    return iso_trace_q(trace, multibody, node) + multibody->q_count;
}

// The last node that is not later.
static int node_before(const iso_trace* trace, double time) {
    int low = 0, high = trace->times.count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (trace->times.data[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

iso_status iso_trace_state(const iso_trace* trace, const iso_multibody* multibody, double time,
                           iso_arena* arena, double* out_q, double* out_v) {
    int node = node_before(trace, time), last = trace->times.count - 1;
    int next = node < last ? node + 1 : node;
    const double *q0 = iso_trace_q(trace, multibody, node),
                 *q1 = iso_trace_q(trace, multibody, next);
    const double *v0 = iso_trace_v(trace, multibody, node),
                 *v1 = iso_trace_v(trace, multibody, next);
    double t0 = trace->times.data[node], h = trace->times.data[next] - t0;
    double s = h > 0.0 ? fmin(fmax((time - t0) / h, 0.0), 1.0) : 0.0;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    double* mean = iso_arena_push_array(arena, multibody->v_count, sizeof *mean);
    double* back = iso_arena_push_array(arena, multibody->q_count, sizeof *back);
    ISO_REQUIRE(arena->ctx, mean && back, ISO_ERR_MEMORY, "a state of %d numbers",
                state_size(multibody));
    for (int i = 0; i < multibody->v_count; ++i) {
        out_v[i] = v0[i] + s * (v1[i] - v0[i]);
        mean[i] = 0.5 * (v0[i] + out_v[i]);
    }
    iso_multibody_integrate(multibody, q0, mean, s * h, out_q);
    for (int i = 0; i < multibody->v_count; ++i) {
        mean[i] = 0.5 * (v1[i] + out_v[i]);
    }
    iso_multibody_integrate(multibody, q1, mean, (s - 1.0) * h, back);
    double weight = s * s * (3.0 - 2.0 * s);
    for (int i = 0; i < multibody->q_count; ++i) {
        out_q[i] += weight * (back[i] - out_q[i]);
    }
    iso_multibody_normalize(multibody, out_q);
    iso_arena_release(arena, mark);
    return ISO_OK;
}
