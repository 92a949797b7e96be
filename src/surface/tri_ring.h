// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Triangles as they are clipped by the faces of a tetrahedron, from plane 0 to plane 3. As
// iso_ring, but without the faces in which corners lie, which only a walk needs to know.

#include "surface/trace_clip.h"

/// A triangle has 3 corners, each of 4 planes makes 2 and adds 1.
#define ISO_TRI_RING_CORNERS 11
#define ISO_TRI_RING_MOST 7

typedef struct iso_tri_ring {
    uint64_t order;  ///< corners in cyclic order, four bits each, as indices into v
    uint64_t inside; ///< 16 bits a plane: bit i, corner i in cyclic order is inside, or in it
    int count;       ///< corners of the polygon
    int used;        ///< corners ever made
    iso_clip_vertex v[ISO_TRI_RING_CORNERS];
} iso_tri_ring;

static inline int iso_tri_ring_at(const iso_tri_ring* r, int corner) {
    return (int)(r->order >> (4 * corner) & 15);
}

/// Where the edge from corner a (inside a plane) to corner b (outside) meets it; returns the index.
/// Nobody asks for distances to this plane or an earlier one again, nor for any after plane 3.
static inline uint64_t iso_tri_ring_cross(iso_tri_ring* r, int a, int b, int plane,
                                          uint64_t* out_inside) {
    const iso_clip_vertex *from = &r->v[a], *to = &r->v[b];
    int made = r->used++;
    iso_wide t = iso_wide_set(from->d[plane] / (from->d[plane] - to->d[plane]));
    iso_wide xa = iso_wide_load(from->x), da = iso_wide_load(from->d);
    iso_wide xb = iso_wide_load(to->x), db = iso_wide_load(to->d);
    iso_wide_store(r->v[made].x, iso_wide_mul_add(t, iso_wide_sub(xb, xa), xa));
    if (plane == 3) {
        *out_inside = 0;
        return (uint64_t)made;
    }
    iso_wide d = iso_wide_mul_add(t, iso_wide_sub(db, da), da);
    iso_wide_store(r->v[made].d, d);
    *out_inside = iso_ring_by_plane(iso_wide_bits(iso_wide_greater_equal(d, iso_wide_set(0.0))));
    return (uint64_t)made;
}

static inline int iso_tri_ring_inside(const iso_tri_ring* r, int plane) {
    return (int)(r->inside >> (16 * plane) & 0xff);
}

/// Keep what is inside a plane that cuts the polygon in two. Without branches.
static inline void iso_tri_ring_cut(iso_tri_ring* r, int plane) {
    int count = r->count, inside = iso_tri_ring_inside(r, plane);
    int first = iso_ring_bits_of[iso_ring_starts(inside, count)].lowest;
    int kept = iso_ring_bits_of[inside].count;
    uint64_t order = r->order >> (4 * first) | r->order << (4 * (count - first));
    uint64_t sides = r->inside >> first | r->inside << (count - first);
    uint64_t inside_leave, inside_enter;
    uint64_t leave = iso_tri_ring_cross(r, (int)(order >> (4 * (kept - 1)) & 15),
                                        (int)(order >> (4 * kept) & 15), plane, &inside_leave);
    uint64_t enter = iso_tri_ring_cross(
        r, (int)(order & 15), (int)(order >> (4 * (count - 1)) & 15), plane, &inside_enter);
    uint64_t all = ((uint64_t)1 << kept) - 1;
    r->order = (order & (((uint64_t)1 << (4 * kept)) - 1)) | leave << (4 * kept) |
               enter << (4 * (kept + 1));
    r->inside =
        (sides & all * ISO_RING_EVERY_PLANE) | inside_leave << kept | inside_enter << (kept + 1);
    r->count = kept + 2;
}
