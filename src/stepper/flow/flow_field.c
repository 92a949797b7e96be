// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Pairs whose memory is a field: its corners come and go with what presses. docs/theory/
// friction_laws.md.

#include "contact/pairs/stretched.h"
#include "stepper/flow/flow_memory.h"

#include <stdlib.h>
#include <string.h>

void iso_flow_note_corners(iso_flow_memory* m, const iso_flow_touch* touch,
                           const iso_corner* corners, int count) {
    for (int i = 0; i < count && m->pressed_count < ISO_FLOW_PRESSED; ++i) { // others later
        m->pressed[m->pressed_count++] =
            (iso_flow_corner){touch->pair->geometry_a, touch->pair->geometry_b, corners[i]};
    }
}

static int compare(const void* a, const void* b) {
    const iso_flow_corner *x = a, *y = b;
    if (x->geometry_a != y->geometry_a) {
        return x->geometry_a < y->geometry_a ? -1 : 1;
    }
    if (x->geometry_b != y->geometry_b) {
        return x->geometry_b < y->geometry_b ? -1 : 1;
    }
    return iso_corner_order(&x->corner, &y->corner);
}

iso_status iso_flow_add_corners(iso_flow* f) {
    iso_flow_memory* m = f->memory;
    iso_arena* arena = &f->stages->stepper->arena;
    iso_status status = ISO_OK;
    if (m->pressed_count == 0) {
        return ISO_OK;
    }
    iso_corner* more = iso_arena_push_array(arena, m->pressed_count, sizeof *more);
    ISO_REQUIRE(arena->ctx, more, ISO_ERR_MEMORY, "%d corners", m->pressed_count);
    qsort(m->pressed, (size_t)m->pressed_count, sizeof *m->pressed, compare);
    for (int i = 0, k = 0; i < m->count && status == ISO_OK; ++i) {
        iso_flow_pair* pair = &m->pairs[i];
        int count = 0;
        for (; k < m->pressed_count && m->pressed[k].geometry_a == pair->geometry_a &&
               m->pressed[k].geometry_b == pair->geometry_b;
             ++k) {
            if (count == 0 || iso_corner_order(&more[count - 1], &m->pressed[k].corner) != 0) {
                more[count++] = m->pressed[k].corner;
            }
        }
        if (count > 0) {
            double* start = NULL;
            status = iso_contact_grow_field(arena, f->stages->stepper->dynamics.contact,
                                            pair->geometry_a, pair->geometry_b, more, count,
                                            &pair->brush, pair->start, &start);
            pair->start = start;
            pair->count = ISO_CORNER_NUMBERS * pair->brush.count;
        }
    }
    m->pressed_count = 0;
    return status;
}

int iso_flow_keep_field(const iso_flow_pair* pair, const double* x, iso_pair_memory* out) {
    const iso_pair_memory of = {.geometry_a = pair->geometry_a, .geometry_b = pair->geometry_b};
    return iso_episode_keep_field(&of, pair->impact_speed, &pair->brush, x, out);
}
