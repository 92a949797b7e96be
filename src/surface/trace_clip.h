// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Convex polygons as a walk over a contact surface clips them. As surface/clip.h, but corners stay
// where they are made and each carries the lines it lies on, so that the walk knows which elements
// lie beyond the polygon's edges.

#include "surface/clip.h"

/// A slice has at most 4 corners, each of 4 planes adds 2; any four bits are an index.
#define ISO_RING_CORNERS 16

typedef struct iso_ring {
    uint64_t order; ///< corners in cyclic order, four bits each, as indices into v
    int count;      ///< corners of the polygon
    int used;       ///< corners ever made
    unsigned char inside[ISO_RING_CORNERS]; ///< bit f: inside plane f, or in it
    unsigned char lines[ISO_RING_CORNERS];  ///< bit f: in plane f by construction; bit 4 + f: in
                                            ///< face f of the tetrahedron that was sliced
    iso_clip_vertex v[ISO_RING_CORNERS];
} iso_ring;

static inline int iso_ring_at(const iso_ring* ring, int corner) {
    return (int)(ring->order >> (4 * corner) & 15);
}

/// Note on which side of the planes a corner with distances d lies.
static inline void iso_ring_measure(iso_ring* ring, int index, iso_wide d) {
    iso_wide_store(ring->v[index].d, d);
    ring->inside[index] =
        (unsigned char)iso_wide_bits(iso_wide_greater_equal(d, iso_wide_set(0.0)));
}

/// Where the edge from corner a (inside a plane) to corner b (outside) meets it; returns the index.
static inline uint64_t iso_ring_cross(iso_ring* ring, int a, int b, int plane) {
    const iso_clip_vertex *from = &ring->v[a], *to = &ring->v[b];
    int made = ring->used++;
    iso_wide t = iso_wide_set(from->d[plane] / (from->d[plane] - to->d[plane]));
    iso_wide xa = iso_wide_load(from->x), da = iso_wide_load(from->d);
    iso_wide xb = iso_wide_load(to->x), db = iso_wide_load(to->d);
    iso_wide_store(ring->v[made].x, iso_wide_mul_add(t, iso_wide_sub(xb, xa), xa));
    // Zero in its lane before it is stored: a part stored after the whole would hold up loads.
    iso_wide_mask is_plane =
        iso_wide_equal(iso_wide_make(0.0, 1.0, 2.0, 3.0), iso_wide_set((double)plane));
    iso_wide d = iso_wide_mul_add(t, iso_wide_sub(db, da), da);
    iso_ring_measure(ring, made, iso_wide_select(is_plane, iso_wide_set(0.0), d));
    ring->lines[made] = (unsigned char)((ring->lines[a] & ring->lines[b]) | 1 << plane);
    return (uint64_t)made;
}

/// Lowest bit and number of bits of a byte.
typedef struct iso_ring_bits {
    unsigned char lowest, count;
} iso_ring_bits;

extern const iso_ring_bits iso_ring_bits_of[256];

/// Most corners of a true convex polygon: 4 planes cut a slice of 4.
#define ISO_RING_MOST 8

/// Keep what is inside a plane. Without branches that depend on the polygon but for the results.
/// @return false when rounding has the polygon cross the plane more than twice: nothing is changed
static inline bool iso_ring_clip(iso_ring* ring, int plane) {
    uint64_t order = ring->order;
    int count = ring->count, inside = 0;
    for (int i = 0; i < ISO_RING_MOST; ++i) {
        inside |= (ring->inside[order >> (4 * i) & 15] >> plane & 1) << i;
    }
    int all = (1 << count) - 1;
    inside &= all;
    int starts = inside & ~(inside << 1 | inside >> (count - 1));
    if (starts == 0 || (starts & (starts - 1)) != 0) {
        ring->count = inside == 0 ? 0 : count;
        return starts == 0;
    }
    int first = iso_ring_bits_of[starts].lowest, kept = iso_ring_bits_of[inside].count;
    order = order >> (4 * first) | order << (4 * (count - first));
    int last_in = (int)(order >> (4 * (kept - 1)) & 15), out = (int)(order >> (4 * kept) & 15);
    int first_in = (int)(order & 15), last_out = (int)(order >> (4 * (count - 1)) & 15);
    uint64_t leave = iso_ring_cross(ring, last_in, out, plane);
    uint64_t enter = iso_ring_cross(ring, first_in, last_out, plane);
    order &= ((uint64_t)1 << (4 * kept)) - 1;
    ring->order = order | leave << (4 * kept) | enter << (4 * (kept + 1));
    ring->count = kept + 2;
    return true;
}

/// The edges of a tetrahedron that the zero set of an affine function crosses, from its positive to
/// its other corners, and the faces (bit 4 + f) they lie in; in the order of iso_clip_slice_tet(),
/// three made four by a repetition.
typedef struct iso_ring_edges {
    int count;
    unsigned char from[4], to[4], lines[4];
} iso_ring_edges;

extern const iso_ring_edges iso_ring_slices[16];

/// Slice of a tetrahedron by the zero set of h: iso_clip_slice_tet() with the lines of the corners,
/// which are left to be measured. v[3] of a triangle repeats v[2].
/// @param corners   [corner] -> (x, y, z, p)
/// @param positive  bit i: h[i] > 0
static inline void iso_ring_slice(const double* const corners[4], const double h[4], int positive,
                                  iso_ring* out) {
    const iso_ring_edges* e = &iso_ring_slices[positive];
    iso_wide from = iso_wide_make(h[e->from[0]], h[e->from[1]], h[e->from[2]], h[e->from[3]]);
    iso_wide to = iso_wide_make(h[e->to[0]], h[e->to[1]], h[e->to[2]], h[e->to[3]]);
    double t[4];
    iso_wide_store(t, iso_wide_div(from, iso_wide_sub(from, to)));
    for (int k = 0; k < 4; ++k) {
        iso_wide a = iso_wide_load(corners[e->from[k]]), b = iso_wide_load(corners[e->to[k]]);
        iso_wide_store(out->v[k].x, iso_wide_mul_add(iso_wide_set(t[k]), iso_wide_sub(b, a), a));
        out->lines[k] = e->lines[k];
    }
    out->order = e->count == 3 ? 0x210 : 0x3210;
    out->count = out->used = e->count;
}
