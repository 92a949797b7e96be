// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/clip.h"

#define ORDER(a, b, c, d)                                                          \
    {                                                                              \
        { 2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1 } \
    }
#define EDGES(count, a, b, c, d, e, f, g, h)                                \
    {                                                                       \
        ORDER(a, c, e, g), ORDER(b, d, f, h), {4 * a, 4 * c, 4 * e, 4 * g}, \
            {4 * b, 4 * d, 4 * f, 4 * h}, count                             \
    }
#define NONE EDGES(0, 0, 0, 0, 0, 0, 0, 0, 0)
#define AHEAD3(a, b, c, d, e, f) EDGES(3, a, b, c, d, e, f, e, f)
#define AHEAD4(a, b, c, d, e, f, g, h) EDGES(4, a, b, c, d, e, f, g, h)
#define BACK3(a, b, c, d, e, f) EDGES(3, e, f, c, d, a, b, a, b)
#define BACK4(a, b, c, d, e, f, g, h) EDGES(4, g, h, e, f, c, d, a, b)
#define SLICES(TRIANGLE, QUAD)                       \
    {                                                \
        NONE,                             /* 0000 */ \
            TRIANGLE(0, 1, 0, 2, 0, 3),   /* 0001 */ \
            TRIANGLE(1, 0, 1, 3, 1, 2),   /* 0010 */ \
            QUAD(0, 2, 0, 3, 1, 3, 1, 2), /* 0011 */ \
            TRIANGLE(2, 0, 2, 1, 2, 3),   /* 0100 */ \
            QUAD(0, 1, 2, 1, 2, 3, 0, 3), /* 0101 */ \
            QUAD(1, 0, 1, 3, 2, 3, 2, 0), /* 0110 */ \
            TRIANGLE(0, 3, 1, 3, 2, 3),   /* 0111 */ \
            TRIANGLE(3, 0, 3, 2, 3, 1),   /* 1000 */ \
            QUAD(0, 1, 0, 2, 3, 2, 3, 1), /* 1001 */ \
            QUAD(1, 0, 3, 0, 3, 2, 1, 2), /* 1010 */ \
            TRIANGLE(0, 2, 3, 2, 1, 2),   /* 1011 */ \
            QUAD(2, 0, 2, 1, 3, 1, 3, 0), /* 1100 */ \
            TRIANGLE(0, 1, 2, 1, 3, 1),   /* 1101 */ \
            TRIANGLE(1, 0, 3, 0, 2, 0),   /* 1110 */ \
            NONE,                         /* 1111 */ \
    }
const iso_clip_edges iso_clip_slices[2][16] = {SLICES(AHEAD3, AHEAD4), SLICES(BACK3, BACK4)};

int iso_clip_slice_tet(double corners[4][4], const double h[4], iso_clip_polygon* out) {
    int positive = (h[0] > 0.0) | (h[1] > 0.0) << 1 | (h[2] > 0.0) << 2 | (h[3] > 0.0) << 3;
    const iso_clip_edges* edges = &iso_clip_slices[0][positive];
    for (int k = 0; k < edges->count; ++k) {
        int i = edges->from_at[k] / 4, j = edges->to_at[k] / 4;
        iso_double4 t = iso_double4_set(h[i] / (h[i] - h[j]));
        iso_double4 a = iso_double4_load(corners[i]), b = iso_double4_load(corners[j]);
        iso_double4_store(out->v[k].x, iso_double4_mul_add(t, iso_double4_sub(b, a), a));
    }
    out->count = edges->count;
    return edges->count;
}

// Where the edge from a (inside) to b (outside) meets a plane.
static void cross_plane(const iso_clip_vertex* a, const iso_clip_vertex* b, int face,
                        iso_clip_vertex* out) {
    iso_double4 t = iso_double4_set(a->d[face] / (a->d[face] - b->d[face]));
    iso_double4 xa = iso_double4_load(a->x), da = iso_double4_load(a->d);
    iso_double4 xb = iso_double4_load(b->x), db = iso_double4_load(b->d);
    iso_double4_store(out->x, iso_double4_mul_add(t, iso_double4_sub(xb, xa), xa));
    iso_double4_store(out->d, iso_double4_mul_add(t, iso_double4_sub(db, da), da));
    out->d[face] = 0.0;
}

void iso_clip_plane(const iso_clip_polygon* in, int face, iso_clip_polygon* out) {
    int count = 0;
    const iso_clip_vertex* a = &in->v[in->count - 1];
    bool is_a_inside = a->d[face] >= 0.0;
    for (int i = 0; i < in->count; ++i) {
        const iso_clip_vertex* b = &in->v[i];
        bool is_b_inside = b->d[face] >= 0.0;
        if (is_a_inside != is_b_inside) {
            cross_plane(is_a_inside ? a : b, is_a_inside ? b : a, face, &out->v[count++]);
        }
        if (is_b_inside) {
            out->v[count++] = *b;
        }
        a = b;
        is_a_inside = is_b_inside;
    }
    out->count = count;
}

iso_clip_polygon* iso_clip_planes(iso_clip_polygon* polygon, iso_clip_polygon* spare,
                                  double tolerance, int side, int skipped) {
    iso_double4 least = iso_double4_load(polygon->v[0].d), most = least;
    for (int i = 1; i < polygon->count; ++i) {
        iso_double4 d = iso_double4_load(polygon->v[i].d);
        least = iso_double4_min(least, d);
        most = iso_double4_max(most, d);
    }
    int crossed = iso_double4_bits(iso_double4_less(least, iso_double4_set(0.0))) & ~skipped;
    int beyond =
        iso_double4_bits(iso_double4_less_equal(most, iso_double4_set(tolerance))) & ~skipped;
    if (beyond) {
        int coincident =
            beyond &
            iso_double4_bits(iso_double4_greater_equal(least, iso_double4_set(-tolerance)));
        if (coincident != beyond || (coincident & ~side)) {
            return NULL;
        }
        crossed &= ~coincident;
    }
    for (int face = 0; crossed >> face; ++face) {
        if (crossed >> face & 1) {
            iso_clip_plane(polygon, face, spare);
            iso_clip_polygon* swap = polygon;
            polygon = spare;
            spare = swap;
            if (polygon->count < 3) {
                return NULL;
            }
        }
    }
    return polygon;
}

int iso_clip_clean(iso_clip_polygon* polygon, iso_double4 near) {
    int count = 0;
    for (int i = 0; i < polygon->count; ++i) {
        int next = i + 1 < polygon->count ? i + 1 : 0;
        if (!iso_clip_same_point(iso_double4_load(polygon->v[i].x),
                                 iso_double4_load(polygon->v[next].x), near)) {
            if (count != i) {
                polygon->v[count] = polygon->v[i];
            }
            ++count;
        }
    }
    polygon->count = count;
    return count;
}
