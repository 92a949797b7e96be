// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The cells around an edge of a field, in order.

#include "field/structure/field.h"

#define ISO_FIELD_RING_MOST 64

typedef enum iso_field_ring_kind {
    ISO_FIELD_RING_CLOSED, ///< an inner edge
    ISO_FIELD_RING_OPEN,   ///< an edge on the skin; what the ring holds is incomplete
    ISO_FIELD_RING_LONG,   ///< more cells than the ring has room for; it is incomplete
} iso_field_ring_kind;

typedef struct iso_field_ring {
    int count;
    int cells[ISO_FIELD_RING_MOST];
    int spokes[ISO_FIELD_RING_MOST]; ///< point that spans with the edge the face from a cell to the
                                     ///< next one
} iso_field_ring;

static inline int iso_field_corner_of(const iso_field_cell* cell, int point) {
    int corner = 0;
    while (corner < 3 && cell->corners[corner] != point) {
        ++corner;
    }
    return corner;
}

/// The ring around the edge from corner i to corner j of a cell, from that cell on.
static inline iso_field_ring_kind iso_field_ring_around(const iso_field* field, int cell, int i,
                                                        int j, iso_field_ring* out) {
    const iso_field_cell* c = &field->cells[cell];
    int behind = 0;
    while (behind == i || behind == j) {
        ++behind;
    }
    int known = c->corners[i] + c->corners[j], at = cell;
    int left = c->corners[behind], spoke = c->corners[6 - i - j - behind];
    out->count = 0;
    for (;;) {
        out->cells[out->count] = at;
        out->spokes[out->count++] = spoke;
        at = c->neighbors[iso_field_corner_of(c, left)];
        if (at < 0 || at == cell) {
            return at < 0 ? ISO_FIELD_RING_OPEN : ISO_FIELD_RING_CLOSED;
        }
        if (out->count == ISO_FIELD_RING_MOST) {
            return ISO_FIELD_RING_LONG;
        }
        c = &field->cells[at];
        left = spoke;
        // Sums of indices may wrap in no mesh that fits a field.
        spoke = c->corners[0] + c->corners[1] + c->corners[2] + c->corners[3] - known - left;
    }
}
