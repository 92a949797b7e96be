// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Polygons that are found in any order, by any number of threads, and put in the order of the
// elements that they lie in. Each is kept in one piece, in the form in which it is measured, so
// that it is read but once, from one place.

#include "surface/faces/face_list.h"

/// One polygon, and from its end on the next one.
typedef struct iso_face_record {
    iso_double4 centroid; ///< (x, y, z, p) relative to the origin of body 0, with the axes of W
    iso_double4 normal, gradient_0, gradient_1; ///< in W; the normal points into body 1
    double area;
    int element_0, element_1;            ///< of the meshes
    int count;                           ///< of vertices
    _Alignas(iso_double4) double v[][4]; ///< as the centroid
} iso_face_record;

/// Polygons of one element of body 1 that were found, and lie, one after the other.
typedef struct iso_face_run {
    iso_face_record* first;
    int element_1, face_count, vertex_count;
} iso_face_run;

/// A run in the order of the elements of body 1, with what is before it.
typedef struct iso_face_place {
    iso_face_record* first;
    int element_1, face, vertex;
} iso_face_place;

/// Places beyond the last one, of an element that comes after all others.
#define ISO_FACE_PLACES_BEYOND 4

/// Where the places of one bag may be divided: those of the elements before one.
typedef struct iso_face_cut {
    int element_1, place;
} iso_face_cut;

/// Of one thread. Memory comes from an arena of that thread.
typedef struct iso_face_bag {
    iso_arena* arena;
    iso_face_record* next;      ///< where the next polygon goes
    const iso_face_record* end; ///< of the last polygon
    size_t room;                ///< bytes from there on
    size_t page;                ///< bytes that were taken last
    iso_face_run* runs;         ///< [run_count] of run_capacity
    int run_count, run_capacity;
    iso_double4 max_pressure; ///< over vertices, in the fourth lane
    // Once it is sorted:
    iso_face_place* order; ///< [run_count + ISO_FACE_PLACES_BEYOND]
    iso_face_cut* cuts;    ///< [cut_count] a hundred faces apart; the last one is the end
    int cut_count;
    int most_faces; ///< of one element of body 1
} iso_face_bag;

/// The one after, in the same run.
static inline iso_face_record* iso_face_record_after(iso_face_record* record) {
    return (iso_face_record*)(void*)(record->v + record->count);
}

/// An empty bag; allocates nothing.
void iso_face_bag_begin(iso_face_bag* bag, iso_arena* arena);

/// Take memory for one more polygon.
/// @return false when out of memory
bool iso_face_bag_grow(iso_face_bag* bag);

/// Where the next polygon goes, with room for ISO_CLIP_VERTICES vertices; NULL when out of memory.
static inline iso_face_record* iso_face_bag_open(iso_face_bag* bag) {
    size_t most = sizeof(iso_face_record) + sizeof(double[ISO_CLIP_VERTICES][4]);
    bool has_room = bag->room >= most && bag->run_count < bag->run_capacity;
    return has_room || iso_face_bag_grow(bag) ? bag->next : NULL;
}

/// Add the polygon that was measured and whose vertices were written where iso_face_bag_open()
/// says.
void iso_face_bag_add(iso_face_bag* bag, const iso_face_list* list, const iso_face_measures* m,
                      const iso_face_side* side_0, const iso_face_side* side_1);

/// The same for one that was not measured: what iso_face_list_put() does. `list` is the one that
/// the faces will go to.
void iso_face_bag_put(iso_face_bag* bag, const iso_face_list* list, int count, iso_vec3 normal,
                      const iso_face_side* side_0, const iso_face_side* side_1);

/// Put the runs in order, when nothing more will be added.
/// @return false when out of memory
bool iso_face_bag_sort(iso_face_bag* bag);
