// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Writing faces into the columns of a list. Vertices come as (x, y, z, p) relative to the origin of
// body 0 with the axes of W, so that areas are as exact far from the origin of W as at it.

#include "surface/faces/face_list.h"
#include "surface/faces/pressed_face.h"

#include <stdint.h>
#include <string.h>

/// What the faces of one polygon share, in W, as A and B see it.
typedef struct iso_face_facts {
    iso_wide normal, gradient_a, gradient_b;
    iso_face_elements elements;
} iso_face_facts;

/// The elements of a face, by body 0 and 1. As one word: what is stored in halves and loaded whole
/// while it is on its way to memory waits for every store before it.
static inline iso_face_elements iso_face_elements_of(bool is_swapped, int element_0,
                                                     int element_1) {
    uint64_t a = (uint32_t)(is_swapped ? element_1 : element_0);
    uint64_t b = (uint32_t)(is_swapped ? element_0 : element_1);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t both = a << 32 | b;
#else
    uint64_t both = b << 32 | a;
#endif
    iso_face_elements out;
    memcpy(&out, &both, sizeof out);
    return out;
}

/// A unit normal (fourth lane 0) as iso_face_twice_area() wants it.
static inline iso_wide iso_face_area_axis(iso_wide normal) {
    return iso_wide_yzx(iso_wide_yzx(normal));
}

/// Twice the area of a triangle with a corner at the origin, seen along a normal: n . (a x b), as
/// its parts.
static inline iso_wide iso_face_twice_area_parts(iso_wide area_axis, iso_wide a, iso_wide b) {
    iso_wide zxy = iso_wide_sub(iso_wide_mul(a, iso_wide_yzx(b)), iso_wide_mul(iso_wide_yzx(a), b));
    return iso_wide_mul(area_axis, zxy);
}

static inline double iso_face_twice_area(iso_wide area_axis, iso_wide a, iso_wide b) {
    return iso_wide_sum(iso_face_twice_area_parts(area_axis, a, b));
}

/// A planar polygon, corner by corner, as a fan about its first one.
typedef struct iso_face_fan {
    iso_wide first, last; ///< corner; the one before the next, from there
    iso_wide sum;         ///< of corners from the first one, by areas
    double twice_area;
} iso_face_fan;

static inline iso_face_fan iso_face_fan_begin(iso_wide first, iso_wide second) {
    return (iso_face_fan){first, iso_wide_sub(second, first), iso_wide_set(0.0), 0.0};
}

/// Polygons are convex: a part below zero is rounding, and would take the centroid of a sliver out
/// of it.
static inline void iso_face_fan_add(iso_face_fan* fan, iso_wide area_axis, iso_wide corner) {
    iso_wide b = iso_wide_sub(corner, fan->first);
    double weight = iso_face_twice_area(area_axis, fan->last, b);
    weight = weight > 0.0 ? weight : 0.0;
    fan->sum = iso_wide_mul_add(iso_wide_set(weight), iso_wide_add(fan->last, b), fan->sum);
    fan->twice_area += weight;
    fan->last = b;
}

/// The centroid and the pressure there (of a pressure affine over the polygon), if there is an
/// area.
static inline iso_wide iso_face_fan_centroid(const iso_face_fan* fan) {
    return iso_wide_mul_add(fan->sum, iso_wide_set(1.0 / (3.0 * fan->twice_area)), fan->first);
}

/// Twice the area of a planar polygon, with its centroid; the latter only if there is an area.
static inline double iso_face_measure(double v[][4], int count, iso_wide area_axis,
                                      iso_wide* out_centroid) {
    iso_face_fan fan = iso_face_fan_begin(iso_wide_load(v[0]), iso_wide_load(v[1]));
    for (int i = 2; i < count; ++i) {
        iso_face_fan_add(&fan, area_axis, iso_wide_load(v[i]));
    }
    if (fan.twice_area > 0.0) {
        *out_centroid = iso_face_fan_centroid(&fan);
    }
    return fan.twice_area;
}

/// The same of four triangles side by side: components of the normals and of the corners.
static inline iso_wide iso_face_twice_areas(const iso_wide n[3], const iso_wide a[3],
                                            const iso_wide b[3]) {
    iso_wide area = iso_wide_set(0.0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        iso_wide cross = iso_wide_sub(iso_wide_mul(a[j], b[k]), iso_wide_mul(a[k], b[j]));
        area = iso_wide_mul_add(n[i], cross, area);
    }
    return area;
}

/// Measure four polygons side by side, of four vertices v[vertex][x, y, z, p] or of three, one of
/// them twice, as fans about the first: centroids with the pressures there. Returns twice the
/// areas.
/// @param out_parts  of the two triangles
static inline iso_wide iso_face_measure_four(const iso_wide n[3], iso_wide v[4][4],
                                             iso_wide out_parts[2], iso_wide out_centroid[4]) {
    iso_wide d[4][4];
    for (int k = 1; k < 4; ++k) {
        for (int i = 0; i < 4; ++i) {
            d[k][i] = iso_wide_sub(v[k][i], v[0][i]);
        }
    }
    iso_wide first = iso_face_twice_areas(n, d[1], d[2]);
    iso_wide second = iso_face_twice_areas(n, d[2], d[3]);
    iso_wide whole = iso_wide_add(first, second);
    iso_wide scale = iso_wide_div(iso_wide_set(1.0 / 3.0), whole);
    for (int i = 0; i < 4; ++i) {
        iso_wide sum = iso_wide_mul(first, iso_wide_add(d[1][i], d[2][i]));
        sum = iso_wide_mul_add(second, iso_wide_add(d[2][i], d[3][i]), sum);
        out_centroid[i] = iso_wide_mul_add(sum, scale, v[0][i]);
    }
    out_parts[0] = first;
    out_parts[1] = second;
    return whole;
}

/// Rotate a vector into W; its fourth lane becomes 0.
static inline iso_wide iso_face_turn(const iso_face_list* list, double x, double y, double z) {
    iso_wide r = iso_wide_mul(list->turn[0], iso_wide_set(x));
    r = iso_wide_mul_add(list->turn[1], iso_wide_set(y), r);
    return iso_wide_mul_add(list->turn[2], iso_wide_set(z), r);
}

/// Turn a corner of a polygon, (x, y, z, p) in frame 0, into W; 1 where it and the corner before it
/// may be one, else 0.
/// @param before  the corner before it; replaced by this one
static inline int iso_face_turn_corner(const iso_face_list* list, const double x[4],
                                       iso_wide* before, double out[4]) {
    iso_wide wide = iso_wide_load(x);
    int is_same = iso_clip_same_point(wide, *before, list->near);
    iso_wide_store(out, iso_wide_with_last(iso_face_turn(list, x[0], x[1], x[2]), wide));
    *before = wide;
    return is_same;
}

/// iso_face_list_reserve() where there is room more often than not.
static inline bool iso_face_has_room(iso_face_list* list, int polygon_count, int vertex_count) {
    int faces = list->is_fan ? vertex_count : polygon_count;
    int vertices = list->is_fan ? 3 * vertex_count : vertex_count;
    return (list->face_count + faces <= list->face_capacity &&
            list->vertex_count + vertices <= list->vertex_capacity) ||
           iso_face_list_reserve(list, polygon_count, vertex_count);
}

/// Store three lanes; the fourth spills into the next entry, which is written later or spare.
static inline void iso_face_put(iso_vec3* out, iso_wide v) {
    iso_wide_store((double*)out, v);
}

/// The vertices of a polygon, in the order in which A and B see them. What is counted stays in
/// registers: stores of four doubles may change anything else, for all that compilers know.
static inline void iso_face_put_vertices(iso_face_list* list, double v[][4], int count) {
    const iso_face_columns to = list->to;
    const iso_wide origin = list->origin;
    int at = list->vertex_count, begin = list->frame.is_swapped ? count - 1 : 0;
    int step = list->frame.is_swapped ? -1 : 1;
    iso_wide most = iso_wide_load(v[begin]), least = most;
    for (int i = 0; i < count; ++i) {
        const double* x = v[begin + step * i];
        iso_wide wide = iso_wide_load(x);
        iso_face_put(&to.vertices[at + i], iso_wide_add(wide, origin));
        to.vertex_pressures[at + i] = x[3];
        most = iso_wide_max(wide, most);
        least = iso_wide_min(wide, least);
    }
    list->whole_count += !iso_pressed_is_cut(iso_wide_last(least), iso_wide_last(most));
    list->vertex_count = at + count;
    list->max_pressure = iso_wide_max(most, list->max_pressure);
}

/// Account for pressures of vertices, one a lane, or -INFINITY.
static inline void iso_face_add_max_pressure(iso_face_list* list, iso_wide pressures) {
    double each[ISO_WIDE_LANES];
    iso_wide_store(each, pressures);
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        list->max_pressure = iso_wide_max(iso_wide_set(each[lane]), list->max_pressure);
    }
}

/// Write face `f`, whose vertices end before `end`.
static inline void iso_face_write(const iso_face_columns* to, size_t f, int end,
                                  const iso_face_facts* facts, double area, iso_wide centroid,
                                  iso_wide origin) {
    to->face_offsets[f + 1] = end;
    to->elements[f] = facts->elements;
    to->areas[f] = area;
    to->pressures[f] = iso_wide_last(centroid);
    iso_face_put(&to->centroids[f], iso_wide_add(centroid, origin));
    iso_face_put(&to->normals[f], facts->normal);
    iso_face_put(&to->gradients_a[f], facts->gradient_a);
    iso_face_put(&to->gradients_b[f], facts->gradient_b);
}

/// Finish the face whose vertices were put since the last one.
static inline void iso_face_close(iso_face_list* list, iso_face_facts facts, double area,
                                  iso_wide centroid) {
    const iso_face_columns to = list->to;
    iso_face_write(&to, (size_t)list->face_count++, list->vertex_count, &facts, area, centroid,
                   list->origin);
}

static inline void iso_face_fetch(const void* from, int lines) {
    for (int i = 0; i < lines; ++i) {
        __builtin_prefetch((const char*)from + 64 * i, 1);
    }
}

/// Have the cache bring the lines that a fan soon to come, about two after this one, is written to:
/// patches are larger than the first level, and so many columns are more than a processor follows
/// by itself.
static inline void iso_face_fetch_ahead(const iso_face_list* list) {
    const iso_face_columns* to = &list->to;
    const int face = list->face_count + 8, vertex = list->vertex_count + 24;
    iso_face_fetch(to->vertices + vertex, 5);
    iso_face_fetch(to->vertex_pressures + vertex, 2);
    iso_face_fetch(to->centroids + face, 2);
    iso_face_fetch(to->normals + face, 2);
    iso_face_fetch(to->gradients_a + face, 2);
    iso_face_fetch(to->gradients_b + face, 2);
}

/// Append triangles about the centroid of a polygon. There must be room for them.
/// @param normal  from body 0 into body 1, about which the vertices go
void iso_face_put_fan(iso_face_list* list, double v[][4], int count, iso_wide normal,
                      iso_wide centroid, const iso_face_facts* facts);

/// Fill entries begin .. end - 1 of a column with one vector.
void iso_face_fill(iso_vec3* column, int begin, int end, iso_wide v);
