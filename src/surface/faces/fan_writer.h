// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Fans of triangles and quadrilaterals, most of all polygons, as iso_face_put_fan() writes them.
// The number of corners is known to compilers, so that corners stay in registers, and columns are
// written four entries at a time: that is half the stores.

#include "surface/faces/face_writer.h"

/// Four entries of a column of vectors (fourth lanes are left out).
static inline void iso_fan_put_four(iso_vec3* out, iso_double4 a, iso_double4 b, iso_double4 c,
                                    iso_double4 d) {
    iso_double4 packed[3];
    iso_double4_pack_xyz(a, b, c, d, packed);
    for (int i = 0; i < 3; ++i) {
        iso_double4_store(&out->x + 4 * i, packed[i]);
    }
}

/// One corner of the triangles of a fan about vertex `c` after the other.
/// @param out_corners  [3 count], then the first of them again
__attribute__((always_inline)) static inline void
iso_fan_list_corners(iso_double4 c, const iso_double4 v[4], int count, bool is_swapped,
                     iso_double4 out_corners[12]) {
    for (int i = 0; i < count; ++i) {
        iso_double4 before = v[i], after = v[i + 1 < count ? i + 1 : 0];
        out_corners[3 * i] = c;
        out_corners[3 * i + 1] = is_swapped ? after : before;
        out_corners[3 * i + 2] = is_swapped ? before : after;
    }
    for (int i = 3 * count; i < 12; ++i) {
        out_corners[i] = c;
    }
}

__attribute__((always_inline)) static inline void
iso_fan_put_vertices(iso_face_list* list, const iso_double4 v[4], int count, iso_double4 centroid,
                     bool is_swapped) {
    const iso_double4 origin = list->origin;
    iso_vec3* vertices = &list->to.vertices[list->vertex_count];
    double* pressures = &list->to.vertex_pressures[list->vertex_count];
    iso_double4 moved[4], p[12], x[12];
    for (int i = 0; i < count; ++i) {
        moved[i] = iso_double4_add(v[i], origin);
    }
    iso_fan_list_corners(centroid, v, count, is_swapped, p);
    iso_fan_list_corners(iso_double4_add(centroid, origin), moved, count, is_swapped, x);
    for (int i = 0; i + 4 <= 3 * count; i += 4) {
        iso_fan_put_four(vertices + i, x[i], x[i + 1], x[i + 2], x[i + 3]);
        iso_double4_store(pressures + i, iso_double4_lasts(&p[i]));
    }
    if (count == 3) {
        iso_face_put(vertices + 8, x[8]);
        pressures[8] = iso_double4_last(p[8]);
    }
}

/// Everything but the vertices. Entries behind the last face are overwritten: see ISO_FACE_SPARE.
__attribute__((always_inline)) static inline void
iso_fan_put_faces(iso_face_list* list, const iso_double4 v[4], int count, iso_double4 areas,
                  iso_double4 centroid, const iso_face_facts* facts) {
    const iso_face_columns to = list->to;
    const iso_double4 origin = list->origin, third = iso_double4_set(1.0 / 3.0);
    const size_t face = (size_t)list->face_count;
    iso_double4 at[4], moved[4];
    for (int i = 0; i < 4; ++i) {
        int k = i < count ? i : count - 1;
        iso_double4 both = iso_double4_add(v[k], v[k + 1 < count ? k + 1 : 0]);
        at[i] = iso_double4_mul(iso_double4_add(centroid, both), third);
        moved[i] = iso_double4_add(at[i], origin);
    }
    iso_double4_store(&to.areas[face], areas);
    iso_double4_store(&to.pressures[face], iso_double4_lasts(at));
    iso_fan_put_four(&to.centroids[face], moved[0], moved[1], moved[2], moved[3]);
    const iso_double4 n = facts->normal, a = facts->gradient_a, b = facts->gradient_b;
    iso_fan_put_four(&to.normals[face], n, n, n, n);
    iso_fan_put_four(&to.gradients_a[face], a, a, a, a);
    iso_fan_put_four(&to.gradients_b[face], b, b, b, b);
    double both; // nobody computes with it
    memcpy(&both, &facts->elements, sizeof both);
    const iso_double4 elements = iso_double4_set(both);
    const int end = list->vertex_count, ends[4] = {end + 3, end + 6, end + 9, end + 12};
    memcpy(&to.elements[face], &elements, sizeof elements);
    memcpy(&to.face_offsets[face + 1], ends, sizeof ends);
}

/// Twice the areas of the triangles of a fan, seen along a normal; those of a triangle's are the
/// same. The fourth lane of three is that of the third.
__attribute__((always_inline)) static inline iso_double4 iso_fan_twice_areas(iso_double4 area_axis,
                                                                             const iso_double4 v[4],
                                                                             int count,
                                                                             iso_double4 centroid) {
    iso_double4 from[4];
    for (int i = 0; i < count; ++i) {
        from[i] = iso_double4_sub(v[i], centroid);
    }
    if (count == 3) {
        return iso_double4_set(iso_face_twice_area(area_axis, from[0], from[1]));
    }
    iso_double4 parts[4];
    for (int i = 0; i < 4; ++i) {
        parts[i] = iso_face_twice_area_parts(area_axis, from[i], from[(i + 1) % 4]);
    }
    return iso_double4_sums(parts);
}

/// iso_face_put_fan() of `count` corners, 3 or 4.
__attribute__((always_inline)) static inline void
iso_fan_put(iso_face_list* list, double corners[][4], int count, iso_double4 normal,
            iso_double4 centroid, const iso_face_facts* facts) {
    iso_double4 v[4], most = centroid, least = centroid;
    for (int i = 0; i < count; ++i) {
        v[i] = iso_double4_load(corners[i]);
        most = iso_double4_max(v[i], most);
        least = iso_double4_min(v[i], least);
    }
    iso_double4 twice = iso_fan_twice_areas(iso_face_area_axis(normal), v, count, centroid);
    iso_double4 areas = iso_double4_mul(iso_double4_set(0.5), twice);
    if (iso_double4_bits(iso_double4_greater(areas, iso_double4_set(0.0))) != 15) {
        const iso_face_facts same = *facts; // copies, so that those of others stay in registers
        double again[4][4];
        for (int i = 0; i < count; ++i) {
            iso_double4_store(again[i], v[i]);
        }
        iso_face_put_fan(list, again, count, normal, centroid, &same);
        return;
    }
    iso_face_fetch_ahead(list);
    if (list->frame.is_swapped) {
        iso_fan_put_vertices(list, v, count, centroid, true);
    } else {
        iso_fan_put_vertices(list, v, count, centroid, false);
    }
    iso_fan_put_faces(list, v, count, areas, centroid, facts);
    double middle_pressure = iso_double4_last(centroid);
    if (middle_pressure > 0.0 && !iso_pressed_is_cut(iso_double4_last(least), middle_pressure)) {
        list->whole_count += count;
    }
    list->vertex_count += 3 * count;
    list->face_count += count;
    list->max_pressure = iso_double4_max(most, list->max_pressure);
}

/// iso_face_put_fan() of any number of corners, most of all three or four.
__attribute__((always_inline)) static inline void
iso_fan_put_polygon(iso_face_list* list, double corners[][4], int count, iso_double4 normal,
                    iso_double4 centroid, const iso_face_facts* facts) {
    if (count == 3) {
        iso_fan_put(list, corners, 3, normal, centroid, facts);
    } else if (count == 4) {
        iso_fan_put(list, corners, 4, normal, centroid, facts);
    } else {
        const iso_face_facts same = *facts;
        iso_face_put_fan(list, corners, count, normal, centroid, &same);
    }
}
