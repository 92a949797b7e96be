// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Triangles on their way through the planes of cells, from plane 0 to plane 3, all through one
// plane before the next: their numbers of corners and of planes cannot be foretold, and each waits
// long for itself. As iso_ring, but without the faces in which corners lie, which only a walk needs
// to know.

#include "math/lanes_grouped.h"
#include "surface/clipping/trace_clip.h"

#include <stdalign.h>

#define ISO_TRI_RINGS 32

/// A triangle has 3 corners, each of 4 planes makes 2 and adds 1.
#define ISO_TRI_RING_CORNERS 11
#define ISO_TRI_RING_MOST 7

typedef struct iso_tri_rings {
    int count;
    uint64_t order[ISO_TRI_RINGS];  ///< corners in cyclic order, four bits each, as indices into v
    uint64_t inside[ISO_TRI_RINGS]; ///< 16 bits a plane: bit i, corner i in cyclic order is inside,
                                    ///< or in it
    uint64_t corners[ISO_TRI_RINGS]; ///< of the polygon; 1: nothing is left
    uint64_t is_odd[ISO_TRI_RINGS];  ///< not 0: rounding has it cross a plane more than twice
    uint64_t starts[ISO_TRI_RINGS];  ///< of a plane that cuts it in two: iso_ring_starts(); else 0
    alignas(64) iso_clip_vertex v[ISO_TRI_RINGS][ISO_TRI_RING_CORNERS];
} iso_tri_rings;

/// Triangles, all corners of which are outside until it is said what is inside.
static inline void iso_tri_rings_begin(iso_tri_rings* r) {
    for (int i = 0; i < ISO_TRI_RINGS; ++i) {
        r->order[i] = 0x210;
        r->corners[i] = 3;
        r->inside[i] = r->is_odd[i] = 0;
    }
}

static inline int iso_tri_ring_at(uint64_t order, int corner) {
    return (int)(order >> (4 * corner) & 15);
}

/// Make the corner where the edge from corner a (inside a plane) to corner b (outside) meets it.
/// Nobody asks for distances to this plane or an earlier one again, nor for any after plane 3.
/// Returns its sides, after plane 3 none.
static inline uint64_t iso_tri_ring_cross(const iso_clip_vertex* a, const iso_clip_vertex* b,
                                          int plane, iso_clip_vertex* out) {
    double share = a->d[plane] / (a->d[plane] - b->d[plane]);
    if (plane == 3) {
        iso_double4 begin = iso_double4_load(a->x),
                    way = iso_double4_sub(iso_double4_load(b->x), begin);
        iso_double4_store(out->x, iso_double4_mul_add(iso_double4_set(share), way, begin));
        return 0;
    }
    iso_double8 t = iso_double8_set(share);
    iso_double8 from = iso_double8_load(a->x), to = iso_double8_load(b->x);
    iso_double8 v = iso_double8_mul_add(t, iso_double8_sub(to, from), from);
    iso_double8_store(out->x, v);
    int bits = iso_double8_bits(iso_double8_less_equal(iso_double8_set(0.0), v));
    return iso_ring_by_plane(bits >> 4);
}

/// Keep what is inside a plane that cuts the polygon of ring i in two. Without branches.
static inline void iso_tri_ring_cut(iso_tri_rings* r, int i, int plane) {
    iso_clip_vertex* v = r->v[i];
    int count = (int)r->corners[i], inside = (int)(r->inside[i] >> (16 * plane) & 0xff);
    int first = __builtin_ctzll(r->starts[i]), kept = __builtin_popcount((unsigned)inside);
    const uint64_t made = 3 + 2 * (uint64_t)plane; // a place for each plane, known to compilers
    uint64_t order = r->order[i] >> (4 * first) | r->order[i] << (4 * (count - first));
    uint64_t sides = r->inside[i] >> first | r->inside[i] << (count - first);
    uint64_t leave = iso_tri_ring_cross(&v[iso_tri_ring_at(order, kept - 1)],
                                        &v[iso_tri_ring_at(order, kept)], plane, &v[made]);
    uint64_t enter = iso_tri_ring_cross(&v[order & 15], &v[iso_tri_ring_at(order, count - 1)],
                                        plane, &v[made + 1]);
    uint64_t all = ((uint64_t)1 << kept) - 1, both = made | (made + 1) << 4;
    r->order[i] = (order & (((uint64_t)1 << (4 * kept)) - 1)) | both << (4 * kept);
    if (plane < 3) {
        r->inside[i] = (sides & all * ISO_RING_EVERY_PLANE) | (leave | enter << 1) << kept;
    }
    r->corners[i] = (uint64_t)kept + 2;
}

/// Cut the rings that cross a plane, which compilers are to know, and drop those beyond it.
__attribute__((always_inline)) static inline void iso_tri_rings_cut(iso_tri_rings* r, int plane) {
    uint64_t crossing = 0;
    int end = (r->count + 7) & ~7;
    for (int i = 0; i < end; ++i) {
        uint64_t inside = r->inside[i] >> (16 * plane) & 0xff, corners = r->corners[i];
        uint64_t starts = inside & ~(inside << 1 | inside >> (corners - 1));
        uint64_t is_odd = starts & (starts - 1);
        r->starts[i] = is_odd == 0 ? starts : 0;
        r->corners[i] = (inside == 0 || is_odd != 0) ? 1 : corners;
        r->is_odd[i] |= is_odd;
    }
    for (int i = 0; i < r->count; ++i) {
        crossing |= (uint64_t)(r->starts[i] != 0) << i;
    }
    for (; crossing != 0; crossing &= crossing - 1) {
        iso_tri_ring_cut(r, __builtin_ctzll(crossing), plane);
    }
}
