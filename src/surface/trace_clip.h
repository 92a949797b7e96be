// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Convex polygons as a walk over a contact surface clips them. As surface/clip.h, but corners stay
// where they are made and each carries the lines it lies on, so that the walk knows which elements
// lie beyond the polygon's edges.

#include "surface/clip.h"

/// A slice has at most 4 corners, each of 4 planes adds 2.
#define ISO_RING_CORNERS 12

/// Corners in cyclic order, four bits each, as indices into v.
typedef struct iso_ring {
    uint64_t order;
    int count;                             ///< corners of the polygon
    int used;                              ///< corners ever made
    unsigned char lines[ISO_RING_CORNERS]; ///< bit 0..3: planes; bit 4..7: lines of the element
                                           ///< that was sliced
    iso_clip_vertex v[ISO_RING_CORNERS];
} iso_ring;

static inline int iso_ring_at(const iso_ring* ring, int corner) {
    return (int)(ring->order >> (4 * corner) & 15);
}

/// Where the edge from corner a (inside a plane) to corner b (outside) meets it; returns the index.
static inline uint64_t iso_ring_cross(iso_ring* ring, int a, int b, int plane) {
    const iso_clip_vertex *from = &ring->v[a], *to = &ring->v[b];
    int made = ring->used++;
    iso_clip_vertex* out = &ring->v[made];
    iso_wide t = iso_wide_set(from->d[plane] / (from->d[plane] - to->d[plane]));
    iso_wide xa = iso_wide_load(from->x), da = iso_wide_load(from->d);
    iso_wide xb = iso_wide_load(to->x), db = iso_wide_load(to->d);
    iso_wide_store(out->x, iso_wide_mul_add(t, iso_wide_sub(xb, xa), xa));
    iso_wide_store(out->d, iso_wide_mul_add(t, iso_wide_sub(db, da), da));
    out->d[plane] = 0.0;
    ring->lines[made] = (unsigned char)((ring->lines[a] & ring->lines[b]) | 1 << plane);
    return (uint64_t)made;
}

/// Keep what is inside a plane.
/// @return false when rounding has the polygon cross the plane more than twice: nothing is changed
static inline bool iso_ring_clip(iso_ring* ring, int plane) {
    int count = ring->count, kept = 0, starts = 0, first = 0;
    int was_inside = ring->v[iso_ring_at(ring, count - 1)].d[plane] >= 0.0;
    for (int i = 0; i < count; ++i) {
        int is_inside = ring->v[iso_ring_at(ring, i)].d[plane] >= 0.0;
        int is_start = is_inside & ~was_inside;
        kept += is_inside;
        starts += is_start;
        first += is_start * i;
        was_inside = is_inside;
    }
    if (starts != 1) {
        ring->count = kept == 0 ? 0 : count;
        return starts == 0;
    }
    uint64_t order = ring->order;
    order = order >> (4 * first) | order << (4 * (count - first));
    ring->order = order;
    uint64_t leave =
        iso_ring_cross(ring, iso_ring_at(ring, kept - 1), iso_ring_at(ring, kept), plane);
    uint64_t enter =
        iso_ring_cross(ring, iso_ring_at(ring, 0), iso_ring_at(ring, count - 1), plane);
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

/// Slice of a tetrahedron by the zero set of h: iso_clip_slice_tet() with the lines of the corners.
/// @param corners   [corner] (x, y, z, p)
/// @param positive  bit i: h[i] > 0
static inline void iso_ring_slice(const iso_wide corners[4], const double h[4], int positive,
                                  iso_ring* out) {
    const iso_ring_edges* e = &iso_ring_slices[positive];
    iso_wide from = iso_wide_make(h[e->from[0]], h[e->from[1]], h[e->from[2]], h[e->from[3]]);
    iso_wide to = iso_wide_make(h[e->to[0]], h[e->to[1]], h[e->to[2]], h[e->to[3]]);
    double t[4];
    iso_wide_store(t, iso_wide_div(from, iso_wide_sub(from, to)));
    for (int k = 0; k < 4; ++k) {
        iso_wide a = corners[e->from[k]], b = corners[e->to[k]];
        iso_wide_store(out->v[k].x, iso_wide_mul_add(iso_wide_set(t[k]), iso_wide_sub(b, a), a));
        out->lines[k] = e->lines[k];
    }
    out->order = e->count == 3 ? 0x210 : 0x3210;
    out->count = out->used = e->count;
}
