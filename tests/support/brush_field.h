// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A brush field that moves on its own: springs come where something presses, steps are midpoints.

#include "friction/shell/brush.h"

#include <stdlib.h>
#include <string.h>

typedef struct test_brush {
    iso_arena arena;
    iso_brush brush; ///< corners owned
    double* s;       ///< owned
} test_brush;

static inline iso_status test_brush_init(iso_context* ctx, double size, test_brush* out) {
    *out = (test_brush){.brush = {.size = size}};
    return iso_arena_init(&out->arena, ctx, 0);
}

static inline void test_brush_free(test_brush* b) {
    free((void*)b->brush.corners);
    free(b->s);
    iso_arena_destroy(&b->arena);
}

// Springs at the missing corners.
static inline iso_status test_brush_grow(test_brush* b, const iso_brush_result* r) {
    size_t most = (size_t)(b->brush.count + r->missing_count) + 1;
    iso_corner* corners = malloc(most * sizeof *corners);
    double* s = malloc(most * ISO_CORNER_NUMBERS * sizeof *s);
    if (!corners || !s) {
        free(corners);
        free(s);
        return ISO_ERR_MEMORY;
    }
    b->brush.count = iso_brush_merge(&b->brush, b->s, r->missing, r->missing_count, corners, s);
    free((void*)b->brush.corners);
    free(b->s);
    b->brush.corners = corners;
    b->s = s;
    return ISO_OK;
}

static inline iso_status test_brush_eval(test_brush* b, const iso_shell* shell, double mu,
                                         const iso_press* presses, int count, iso_spatial v,
                                         const double* s, double* rates, iso_brush_result* r) {
    return iso_brush_eval(&b->arena, shell, mu, &b->brush, s, presses, count, v, rates, NULL, r);
}

/// One step; the result is that at its start.
static inline iso_status test_brush_step(test_brush* b, const iso_shell* shell, double mu,
                                         const iso_press* presses, int count, iso_spatial v,
                                         double h, iso_brush_result* r) {
    iso_brush_result middle;
    iso_arena_reset(&b->arena);
    iso_status status = test_brush_eval(b, shell, mu, presses, count, v, b->s, NULL, r);
    status = status == ISO_OK ? test_brush_grow(b, r) : status;
    int numbers = ISO_CORNER_NUMBERS * b->brush.count;
    double* rates = iso_arena_push_array(&b->arena, numbers, sizeof *rates);
    double* half = iso_arena_push_array(&b->arena, numbers, sizeof *half);
    if (status != ISO_OK || !rates || !half) {
        return status != ISO_OK ? status : ISO_ERR_MEMORY;
    }
    status = test_brush_eval(b, shell, mu, presses, count, v, b->s, rates, r);
    for (int i = 0; i < numbers; ++i) {
        half[i] = b->s[i] + 0.5 * h * rates[i];
    }
    status = status == ISO_OK
                 ? test_brush_eval(b, shell, mu, presses, count, v, half, rates, &middle)
                 : status;
    for (int i = 0; i < numbers; ++i) {
        b->s[i] += h * rates[i];
    }
    r->missing = NULL;
    r->missing_count = 0;
    return status;
}
