// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The Jacobian of the flow beside differences of its rates.

#include "stepper/rig.h"

#include "stepper/flow/flow_jacobian.h"
#include "stepper/flow/flow_memory.h"

#include <string.h>

#define MOST_NUMBERS 64 ///< of motion and memory

static inline int motion_count(const rig* r) {
    return r->multibody.q_count + r->multibody.v_count;
}

// The motion of a rig as an integrator has it.
static inline void get_motion(const rig* r, double* y) {
    memcpy(y, r->q, (size_t)r->multibody.q_count * sizeof *y);
    memcpy(y + r->multibody.q_count, r->v, (size_t)r->multibody.v_count * sizeof *y);
}

// Rates of motion and memory with the contacts of the state itself.
static inline void rates(rig* r, iso_flow* f, const double* y, double* out) {
    iso_arena_mark mark = iso_arena_get_mark(&r->stepper->arena);
    iso_stages now = {.stepper = r->stepper, .input = &f->input, .span = 0.02, .is_within = true};
    double powers[ISO_WORK_COUNT];
    CHECK_OK(r->ctx, iso_flow_place(f, &now, 0.0, y));
    CHECK_OK(r->ctx, iso_stage_contacts(&now));
    iso_multibody_qdot(&r->multibody, f->input.q, f->input.v, out);
    CHECK_OK(r->ctx, iso_flow_accelerate(f, &now, out + r->multibody.q_count, powers));
    iso_flow_copy_rates(f, out + motion_count(r));
    iso_arena_release(&r->stepper->arena, mark);
}

// Largest difference in a column, relative to the largest entry of the column; a number of the
// memory counts as its share of the friction that bends bristles so far.
static inline double column_error(rig* r, iso_flow* f, const double* y, const double* jacobian,
                                  int j, int n) {
    double moved[MOST_NUMBERS], plus[MOST_NUMBERS], minus[MOST_NUMBERS];
    double step = j < motion_count(r) ? 1e-7 : 1e-9, worst = 0.0, size = 1.0;
    memcpy(moved, y, (size_t)n * sizeof *moved);
    moved[j] = y[j] + step;
    rates(r, f, moved, plus);
    moved[j] = y[j] - step;
    rates(r, f, moved, minus);
    for (int i = 0; i < n; ++i) {
        double expected = (plus[i] - minus[i]) / (2.0 * step);
        size = fmax(size, fabs(expected));
        worst = fmax(worst, fabs(jacobian[i * n + j] - expected));
    }
    return worst / size;
}
