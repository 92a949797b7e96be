// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Convex polygons as a walk over a contact surface clips them. As surface/clipping/clip.h, but
// corners stay where they are made, and each carries the faces of the tetrahedron that it lies in,
// so that the walk knows which elements lie beyond the polygon's edges. The sides of the planes on
// which corners lie are kept by plane, in cyclic order, so that all are turned at once.

#include "surface/clipping/clip.h"

/// A slice has at most 4 corners, each of 4 planes makes 2.
#define ISO_RING_CORNERS 12

/// Most corners of a true convex polygon: 4 planes cut a slice of 4.
#define ISO_RING_MOST 8

/// The same bits for each of four planes, and bit i of a number for plane i.
#define ISO_RING_EVERY_PLANE 0x0001000100010001u

typedef struct iso_ring {
    uint64_t order;  ///< corners in cyclic order, four bits each, as indices into v
    uint64_t inside; ///< 16 bits a plane: bit i, corner i in cyclic order is inside, or in it
    int count;       ///< corners of the polygon
    int used;        ///< corners ever made
    unsigned char lines[ISO_RING_CORNERS]; ///< faces of the tetrahedron that was sliced in which
                                           ///< a corner lies, one bit each
    _Alignas(64) iso_clip_vertex v[ISO_RING_CORNERS];
} iso_ring;

static inline int iso_ring_at(const iso_ring* ring, int corner) {
    return (int)(ring->order >> (4 * corner) & 15);
}

/// Four bits, one in each plane's place.
static inline uint64_t iso_ring_by_plane(int bits) {
#if defined(ISO_SIMD_AVX2)
    return _pdep_u64((unsigned)bits, ISO_RING_EVERY_PLANE);
#else
    uint64_t b = (uint64_t)(unsigned)bits;
    return (b | b << 15 | b << 30 | b << 45) & ISO_RING_EVERY_PLANE;
#endif
}

static inline int iso_ring_inside(const iso_ring* ring, int plane) {
    return (int)(ring->inside >> (16 * plane) & 0xff);
}

/// Corners inside that come after one outside, of `count` > 0. One bit: the plane cuts the polygon
/// in two; more: rounding has it cross the plane more than twice.
static inline int iso_ring_starts(int inside, int count) {
    return inside & ~(inside << 1 | inside >> (count - 1));
}

/// Lowest bit and number of bits of a byte.
typedef struct iso_ring_bits {
    unsigned char lowest, count;
} iso_ring_bits;

extern const iso_ring_bits iso_ring_bits_of[256];

/// Make a corner where the edge from corner a (inside a plane) to corner b (outside) meets it;
/// returns its sides.
static inline uint64_t iso_ring_cross(iso_ring* ring, uint64_t a, uint64_t b, int plane, int made) {
    const iso_clip_vertex *from = &ring->v[a], *to = &ring->v[b];
    iso_double4 t = iso_double4_set(from->d[plane] / (from->d[plane] - to->d[plane]));
    iso_double4 xa = iso_double4_load(from->x), da = iso_double4_load(from->d);
    iso_double4 xb = iso_double4_load(to->x), db = iso_double4_load(to->d);
    // The plane's own distance comes out as rounding of zero, which nobody asks for again.
    iso_double4 d = iso_double4_mul_add(t, iso_double4_sub(db, da), da);
    iso_double4_store(ring->v[made].x, iso_double4_mul_add(t, iso_double4_sub(xb, xa), xa));
    iso_double4_store(ring->v[made].d, d);
    ring->lines[made] = ring->lines[a] & ring->lines[b];
    return iso_ring_by_plane(iso_double4_bits(iso_double4_greater_equal(d, iso_double4_set(0.0))));
}

/// Keep what is inside a plane that cuts the polygon in two. Without branches. The corners are
/// written twice in a row, so that whichever comes first the others follow it: a cut waits for the
/// sides of the corners that the one before it made, and then for as little as can be.
/// @param first  the first corner inside, in cyclic order
static inline void iso_ring_cut(iso_ring* ring, int plane, int inside, int first) {
    int count = ring->count, made = ring->used;
    int kept = __builtin_popcount((unsigned)inside);
    uint64_t order = ring->order | ring->order << (4 * count);
    uint64_t sides = (ring->inside | ring->inside << count) >> first;
    uint64_t from = order >> (4 * first), end = order >> (4 * (first + kept));
    uint64_t leave =
        iso_ring_cross(ring, order >> (4 * (first + kept - 1)) & 15, end & 15, plane, made);
    uint64_t enter =
        iso_ring_cross(ring, from & 15, order >> (4 * (first + count - 1)) & 15, plane, made + 1);
    uint64_t all = ((uint64_t)1 << kept) - 1, both = (uint64_t)(made | (made + 1) << 4);
    ring->order = (from & (((uint64_t)1 << (4 * kept)) - 1)) | both << (4 * kept);
    ring->inside = (sides & all * ISO_RING_EVERY_PLANE) | (leave | enter << 1) << kept;
    ring->count = kept + 2;
    ring->used = made + 2;
}

/// Keep what is inside a plane.
/// @return false when rounding has the polygon cross the plane more than twice: nothing is changed
static inline bool iso_ring_clip(iso_ring* ring, int plane) {
    int inside = iso_ring_inside(ring, plane) & ((1 << ring->count) - 1);
    int starts = iso_ring_starts(inside, ring->count);
    if (starts == 0 || (starts & (starts - 1)) != 0) {
        ring->count = inside == 0 ? 0 : ring->count;
        return starts == 0;
    }
    iso_ring_cut(ring, plane, inside, __builtin_ctz((unsigned)starts));
    return true;
}

/// Faces in which the corners of a slice lie, in the order of iso_clip_slices[0].
extern const unsigned char iso_ring_lines[16][4];

/// Slice of a tetrahedron by the zero set of h: iso_clip_slice_tet() with the lines of the corners,
/// which are left to be measured. v[3] of a triangle repeats v[2].
/// @param corners   [corner] -> (x, y, z, p)
/// @param h         at the corners
/// @param positive  bit i: h > 0 in lane i
static inline void iso_ring_slice(const double* const corners[4], iso_double4 h, int positive,
                                  iso_ring* out) {
    const iso_clip_edges* e = &iso_clip_slices[0][positive];
    iso_double4 from = iso_double4_pick(h, &e->from), to = iso_double4_pick(h, &e->to);
    double t[4];
    iso_double4_store(t, iso_double4_div(from, iso_double4_sub(from, to)));
    for (int k = 0; k < 4; ++k) {
        iso_double4 a = iso_double4_load(corners[e->from_at[k] / 4]);
        iso_double4 b = iso_double4_load(corners[e->to_at[k] / 4]);
        iso_double4_store(out->v[k].x,
                          iso_double4_mul_add(iso_double4_set(t[k]), iso_double4_sub(b, a), a));
        out->lines[k] = iso_ring_lines[positive][k];
    }
    out->order = e->count == 3 ? 0x210 : 0x3210;
    out->count = out->used = e->count;
}

/// The corners without their distances.
static inline void iso_ring_polygon(const iso_ring* ring, iso_clip_polygon* out) {
    out->count = ring->count;
    for (int i = 0; i < ring->count; ++i) {
        iso_double4_store(out->v[i].x, iso_double4_load(ring->v[iso_ring_at(ring, i)].x));
    }
}
