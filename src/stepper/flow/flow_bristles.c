// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Bristle friction in the continuous methods: its memory is a part of the state, of every pair that
// may meet, so that a pair that touches within a step has its own. docs/theory/bristle.md.

#include "stepper/flow/flow.h"

#include <math.h>
#include <string.h>

// A memory whose friction is less than this is none.
#define FORGOTTEN 1e-14

int iso_flow_bristle_count(const iso_flow* f) {
    return ISO_BRISTLE_STATE_COUNT * f->bristle_pair_count;
}

iso_status iso_flow_begin_bristles(iso_flow* f, const iso_step_input* input) {
    iso_stepper* stepper = f->stages->stepper;
    f->bristle_pairs =
        iso_contact_system_bristles(stepper->dynamics.contact, &f->bristle_pair_count);
    int count = iso_flow_bristle_count(f);
    if (count == 0) {
        return ISO_OK;
    }
    double* bristles = iso_arena_push_array(&stepper->arena, 2 * count, sizeof *bristles);
    ISO_REQUIRE(stepper->ctx, bristles, ISO_ERR_MEMORY, "bristles of %d pairs",
                f->bristle_pair_count);
    memset(bristles, 0, 2 * (size_t)count * sizeof *bristles);
    int at = 0;
    for (int i = 0; i < f->bristle_pair_count; ++i) {
        const iso_bristle_pair* pair = &f->bristle_pairs[i];
        const iso_pair_memory* memory = iso_pair_memory_next(
            input->memories, input->memory_count, pair->geometry_a, pair->geometry_b, &at);
        if (memory) {
            (void)iso_bristle_recall(memory, bristles + ISO_BRISTLE_STATE_COUNT * i);
        }
    }
    f->bristles = bristles;
    f->bristle_rates = bristles + count;
    return ISO_OK;
}

static bool is_forgotten(const iso_bristle_pair* pair, const double* bristles) {
    double scales[ISO_BRISTLE_STATE_COUNT], most = 0.0;
    iso_bristle_scales(pair, scales);
    for (int i = 0; i < ISO_BRISTLE_STATE_COUNT; ++i) {
        most = fmax(most, fabs(bristles[i]) / scales[i]);
    }
    return most < FORGOTTEN;
}

iso_status iso_flow_keep_bristles(const iso_flow* f, const double* bristles, iso_arena* arena,
                                  iso_contact_result* result) {
    result->memory_count = 0;
    if (f->bristle_pair_count == 0) {
        return ISO_OK;
    }
    result->memories = iso_arena_push_array(arena, f->bristle_pair_count, sizeof *result->memories);
    ISO_REQUIRE(arena->ctx, result->memories, ISO_ERR_MEMORY, "memory of %d pairs",
                f->bristle_pair_count);
    for (int i = 0; i < f->bristle_pair_count; ++i) {
        const iso_bristle_pair* pair = &f->bristle_pairs[i];
        const double* own = bristles + ISO_BRISTLE_STATE_COUNT * i;
        if (is_forgotten(pair, own)) {
            continue;
        }
        iso_pair_memory* memory = &result->memories[result->memory_count++];
        memory->geometry_a = pair->geometry_a;
        memory->geometry_b = pair->geometry_b;
        iso_bristle_remember(own, memory);
    }
    return ISO_OK;
}

iso_spatial iso_flow_contact_wrench(iso_flow* f, const iso_stages* now,
                                    const iso_contact_pair* pair, iso_spatial v_c,
                                    iso_contact_losses* out_losses, iso_vec3* out_tractions,
                                    iso_vec3* out_slips) {
    if (!pair->bristles) {
        return pair->model->wrench(now->stepper->dynamics.contact, pair, v_c, out_losses,
                                   out_tractions, out_slips);
    }
    const iso_spatial* v_wb = now->kinematics.v_wb;
    iso_vec3 sum = iso_vec3_add(v_wb[pair->body_a].rotational, v_wb[pair->body_b].rotational);
    ptrdiff_t at = ISO_BRISTLE_STATE_COUNT * (pair->bristles - f->bristle_pairs);
    return iso_bristle_wrench(pair, v_c, iso_vec3_scale(sum, 0.5), f->bristles + at, out_losses,
                              f->bristle_rates + at);
}
