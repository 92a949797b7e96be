// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Where the difference of two pressures is locally extreme, which is so somewhere inside every
// closed part of the surface of equal pressure. Theory: docs/theory/contact_surface.md, "Where the
// walk starts".

#include "surface/walk/element_search.h"

/// So many kinks are kept.
#define ISO_EXTREME_KINKS 64

/// A kink in the frame of the cells.
typedef struct iso_extreme_kink {
    int place;        ///< in the tree; -1: none
    int cell;         ///< of its body
    int corners;      ///< of it that span the kink, one bit each
    int first[2];     ///< the first two of them; of a face the fourth corner, which is opposite
    iso_vec3 ends[2]; ///< the place of a vertex, or those of the ends of an edge
    iso_affine plane, front, back; ///< of a face: distance from it, and the pressures on its sides
} iso_extreme_kink;

/// A search among the cells of one body and the kinks of the other, and then the other way round.
typedef struct iso_extreme_search {
    iso_piece_search search;
    iso_extreme_kink kept[ISO_EXTREME_KINKS];
    iso_arena* arena;
    const iso_field *cells,
        *kinks; ///< the body whose cells, and the one whose kinks, are looked at
    iso_pose x_ck, x_kc;
    int round;        ///< 0: cells of body 0; 1: cells of body 1; 2: done
    double padding;   ///< of positions [m]
    double slack;     ///< of gradients [Pa/m]
    double box_slack; ///< of boxes of them
    double noise;     ///< of pressures [Pa]
    int sent;         ///< kink from which a line was sent last, and came to its end
    iso_seed_fn fn;
    void* user;
    long work; ///< of the first round, and of lines sent, in steps of a descent
} iso_extreme_search;

/// Not to be moved.
void iso_extreme_search_begin(iso_extreme_search* s, iso_arena* arena, const iso_field* field_0,
                              const iso_field* field_1, const iso_pose* x_01, iso_seed_fn fn,
                              void* user);

static inline bool iso_extreme_search_is_done(const iso_extreme_search* s) {
    return s->round == 2;
}

static inline long iso_extreme_search_work(const iso_extreme_search* s) {
    return s->work + s->search.work;
}

/// One step; not to be called when done. Sends lines from what it finds: pairs of cells where they
/// may cross the surface go to fn. @return false when fn did or out of memory
bool iso_extreme_search_step(iso_extreme_search* s);
