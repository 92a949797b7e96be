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
    iso_double4 normal, gradient_a, gradient_b;
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
static inline iso_double4 iso_face_area_axis(iso_double4 normal) {
    return iso_double4_yzx(iso_double4_yzx(normal));
}

/// Twice the area of a triangle with a corner at the origin, seen along a normal: n . (a x b), as
/// its parts.
static inline iso_double4 iso_face_twice_area_parts(iso_double4 area_axis, iso_double4 a,
                                                    iso_double4 b) {
    iso_double4 zxy = iso_double4_sub(iso_double4_mul(a, iso_double4_yzx(b)),
                                      iso_double4_mul(iso_double4_yzx(a), b));
    return iso_double4_mul(area_axis, zxy);
}

static inline double iso_face_twice_area(iso_double4 area_axis, iso_double4 a, iso_double4 b) {
    return iso_double4_sum(iso_face_twice_area_parts(area_axis, a, b));
}

/// A planar polygon, corner by corner, as a fan about its first one.
typedef struct iso_face_fan {
    iso_double4 first, last; ///< corner; the one before the next, from there
    iso_double4 sum;         ///< of corners from the first one, by areas
    double twice_area;
} iso_face_fan;

static inline iso_face_fan iso_face_fan_begin(iso_double4 first, iso_double4 second) {
    return (iso_face_fan){first, iso_double4_sub(second, first), iso_double4_set(0.0), 0.0};
}

/// Polygons are convex: a part below zero is rounding, and would take the centroid of a sliver out
/// of it.
static inline void iso_face_fan_add(iso_face_fan* fan, iso_double4 area_axis, iso_double4 corner) {
    iso_double4 b = iso_double4_sub(corner, fan->first);
    double weight = iso_face_twice_area(area_axis, fan->last, b);
    weight = weight > 0.0 ? weight : 0.0;
    fan->sum =
        iso_double4_mul_add(iso_double4_set(weight), iso_double4_add(fan->last, b), fan->sum);
    fan->twice_area += weight;
    fan->last = b;
}

/// The centroid and the pressure there (of a pressure affine over the polygon), if there is an
/// area.
static inline iso_double4 iso_face_fan_centroid(const iso_face_fan* fan) {
    return iso_double4_mul_add(fan->sum, iso_double4_set(1.0 / (3.0 * fan->twice_area)),
                               fan->first);
}

/// Twice the area of a planar polygon, with its centroid; the latter only if there is an area.
static inline double iso_face_measure(double v[][4], int count, iso_double4 area_axis,
                                      iso_double4* out_centroid) {
    iso_face_fan fan = iso_face_fan_begin(iso_double4_load(v[0]), iso_double4_load(v[1]));
    for (int i = 2; i < count; ++i) {
        iso_face_fan_add(&fan, area_axis, iso_double4_load(v[i]));
    }
    if (fan.twice_area > 0.0) {
        *out_centroid = iso_face_fan_centroid(&fan);
    }
    return fan.twice_area;
}

/// The same of four triangles side by side: components of the normals and of the corners.
static inline iso_double4 iso_face_twice_areas(const iso_double4 n[3], const iso_double4 a[3],
                                               const iso_double4 b[3]) {
    iso_double4 area = iso_double4_set(0.0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        iso_double4 cross =
            iso_double4_sub(iso_double4_mul(a[j], b[k]), iso_double4_mul(a[k], b[j]));
        area = iso_double4_mul_add(n[i], cross, area);
    }
    return area;
}

/// Measure four polygons side by side, of four vertices v[vertex][x, y, z, p] or of three, one of
/// them twice, as fans about the first: centroids with the pressures there. Returns twice the
/// areas.
/// @param out_parts  of the two triangles
static inline iso_double4 iso_face_measure_four(const iso_double4 n[3], iso_double4 v[4][4],
                                                iso_double4 out_parts[2],
                                                iso_double4 out_centroid[4]) {
    iso_double4 d[4][4];
    for (int k = 1; k < 4; ++k) {
        for (int i = 0; i < 4; ++i) {
            d[k][i] = iso_double4_sub(v[k][i], v[0][i]);
        }
    }
    iso_double4 first = iso_face_twice_areas(n, d[1], d[2]);
    iso_double4 second = iso_face_twice_areas(n, d[2], d[3]);
    iso_double4 whole = iso_double4_add(first, second);
    iso_double4 scale = iso_double4_div(iso_double4_set(1.0 / 3.0), whole);
    for (int i = 0; i < 4; ++i) {
        iso_double4 sum = iso_double4_mul(first, iso_double4_add(d[1][i], d[2][i]));
        sum = iso_double4_mul_add(second, iso_double4_add(d[2][i], d[3][i]), sum);
        out_centroid[i] = iso_double4_mul_add(sum, scale, v[0][i]);
    }
    out_parts[0] = first;
    out_parts[1] = second;
    return whole;
}

/// Rotate a vector into W; its fourth lane becomes 0.
static inline iso_double4 iso_face_turn(const iso_face_list* list, double x, double y, double z) {
    iso_double4 r = iso_double4_mul(list->turn[0], iso_double4_set(x));
    r = iso_double4_mul_add(list->turn[1], iso_double4_set(y), r);
    return iso_double4_mul_add(list->turn[2], iso_double4_set(z), r);
}

/// Turn a corner of a polygon, (x, y, z, p) in frame 0, into W; 1 where it and the corner before it
/// may be one, else 0.
/// @param before  the corner before it; replaced by this one
static inline int iso_face_turn_corner(const iso_face_list* list, const double x[4],
                                       iso_double4* before, double out[4]) {
    iso_double4 wide = iso_double4_load(x);
    int is_same = iso_clip_same_point(wide, *before, list->near);
    iso_double4_store(out, iso_double4_with_last(iso_face_turn(list, x[0], x[1], x[2]), wide));
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
static inline void iso_face_put(iso_vec3* out, iso_double4 v) {
    iso_double4_store((double*)out, v);
}

/// The vertices of a polygon, in the order in which A and B see them. What is counted stays in
/// registers: stores of four doubles may change anything else, for all that compilers know.
static inline void iso_face_put_vertices(iso_face_list* list, double v[][4], int count) {
    const iso_face_columns to = list->to;
    const iso_double4 origin = list->origin;
    int at = list->vertex_count, begin = list->frame.is_swapped ? count - 1 : 0;
    int step = list->frame.is_swapped ? -1 : 1;
    iso_double4 most = iso_double4_load(v[begin]), least = most;
    for (int i = 0; i < count; ++i) {
        const double* x = v[begin + step * i];
        iso_double4 wide = iso_double4_load(x);
        iso_face_put(&to.vertices[at + i], iso_double4_add(wide, origin));
        to.vertex_pressures[at + i] = x[3];
        most = iso_double4_max(wide, most);
        least = iso_double4_min(wide, least);
    }
    list->whole_count += !iso_pressed_is_cut(iso_double4_last(least), iso_double4_last(most));
    list->vertex_count = at + count;
    list->max_pressure = iso_double4_max(most, list->max_pressure);
}

/// Account for pressures of vertices, one a lane, or -INFINITY.
static inline void iso_face_add_max_pressure(iso_face_list* list, iso_double4 pressures) {
    double each[ISO_DOUBLE4_LANES];
    iso_double4_store(each, pressures);
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        list->max_pressure = iso_double4_max(iso_double4_set(each[lane]), list->max_pressure);
    }
}

/// Write face `f`, whose vertices end before `end`.
static inline void iso_face_write(const iso_face_columns* to, size_t f, int end,
                                  const iso_face_facts* facts, double area, iso_double4 centroid,
                                  iso_double4 origin) {
    to->face_offsets[f + 1] = end;
    to->elements[f] = facts->elements;
    to->areas[f] = area;
    to->pressures[f] = iso_double4_last(centroid);
    iso_face_put(&to->centroids[f], iso_double4_add(centroid, origin));
    iso_face_put(&to->normals[f], facts->normal);
    iso_face_put(&to->gradients_a[f], facts->gradient_a);
    iso_face_put(&to->gradients_b[f], facts->gradient_b);
}

/// Finish the face whose vertices were put since the last one.
static inline void iso_face_close(iso_face_list* list, iso_face_facts facts, double area,
                                  iso_double4 centroid) {
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
void iso_face_put_fan(iso_face_list* list, double v[][4], int count, iso_double4 normal,
                      iso_double4 centroid, const iso_face_facts* facts);

/// Fill entries begin .. end - 1 of a column with one vector.
void iso_face_fill(iso_vec3* column, int begin, int end, iso_double4 v);
