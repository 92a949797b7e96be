// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The faces of a patch while kernels find them. Polygons are turned into W and measured as they are
// added, straight into the columns that iso_patch shows; nothing is kept in between.

#include "base/core/arena.h"
#include "isobar/contact.h"
#include "surface/clipping/clip.h"

/// How body 0 and body 1 of the kernels map to A and B.
typedef struct iso_face_frame {
    iso_pose x_w0;   ///< frame of body 0, in which the kernels work
    bool is_swapped; ///< body 0 is B
    bool is_rigid_0, is_rigid_1;
    double size; ///< of the larger body, half spaces apart: the largest |coordinate| [m]
} iso_face_frame;

/// Every column of a patch: X(type, member, entries per: face or vertex).
#define ISO_FACE_COLUMNS(X)             \
    X(int, face_offsets, face)          \
    X(iso_vec3, vertices, vertex)       \
    X(double, vertex_pressures, vertex) \
    X(double, areas, face)              \
    X(iso_vec3, centroids, face)        \
    X(iso_vec3, normals, face)          \
    X(double, pressures, face)          \
    X(iso_vec3, gradients_a, face)      \
    X(iso_vec3, gradients_b, face)      \
    X(iso_face_elements, elements, face)

typedef struct iso_face_columns {
#define ISO_FACE_MEMBER(type, member, per) type* member;
    ISO_FACE_COLUMNS(ISO_FACE_MEMBER)
#undef ISO_FACE_MEMBER
} iso_face_columns;

/// Entries that every column has room for beyond its capacity: vectors are stored four doubles at a
/// time, the vertices of a polygon four at a time.
#define ISO_FACE_SPARE 5

typedef struct iso_face_list {
    iso_arena* arena;
    iso_arena_mark mark; ///< of the arena when the list began
    iso_face_frame frame;
    bool is_fan;              ///< polygons become triangles about their centroids
    iso_double4 turn[3];      ///< columns of the rotation of frame.x_w0; fourth lanes 0
    iso_double4 origin;       ///< of frame.x_w0; fourth lane 0
    iso_double4 near;         ///< vertices coincide that are so close along every axis [m]
    iso_double4 max_pressure; ///< over vertices, in the fourth lane
    iso_face_columns to;      ///< one allocation of the arena, for face_capacity, vertex_capacity
    int face_capacity, vertex_capacity;
    int face_count, vertex_count;
    long work;       ///< pairs of elements, or of leaves of trees, that one thread looked at
    int whole_count; ///< faces that are known to reach into no margin, as iso_pressed_is_cut() says
} iso_face_list;

/// What one body has to do with a polygon.
typedef struct iso_face_side {
    iso_vec3 gradient; ///< of its field, zero when rigid [Pa/m]
    int element;       ///< tetrahedron or triangle of its mesh; -1: half space
} iso_face_side;

/// A polygon that was measured, relative to the origin of body 0, with the axes of W.
typedef struct iso_face_measures {
    int count; ///< of vertices
    double twice_area;
    iso_double4 centroid;     ///< (x, y, z, p), if there is an area
    iso_double4 normal;       ///< into body 1; the fourth lane is 0
    iso_double4 max_pressure; ///< of the vertices, in the fourth lane
} iso_face_measures;

/// An empty list; allocates nothing.
void iso_face_list_begin(iso_face_list* list, iso_arena* arena, const iso_face_frame* frame,
                         iso_representation representation);

/// Empty a list again; what was pushed since it began is released.
void iso_face_list_restart(iso_face_list* list);

/// Make room for polygons of so many vertices together.
/// @return false when out of memory
bool iso_face_list_reserve(iso_face_list* list, int polygon_count, int vertex_count);

/// Make room in an empty list for so many faces and vertices, and no more.
/// @return false when out of memory
bool iso_face_list_reserve_exactly(iso_face_list* list, int face_count, int vertex_count);

/// Append a polygon of 3 or more vertices, counter-clockwise about its unit normal, which points
/// from body 0 into body 1, all in the frame of body 0. Polygons without area are left out.
/// @return false when out of memory
bool iso_face_list_add(iso_face_list* list, const iso_clip_polygon* polygon, iso_vec3 normal,
                       const iso_face_side* side_0, const iso_face_side* side_1);

/// The same where there is room for one: corners (x, y, z, p) relative to the origin of body 0,
/// with the axes of W, no two neighbours the same; the normal and gradients in the frame of body 0.
void iso_face_list_put(iso_face_list* list, double v[][4], int count, iso_vec3 normal,
                       const iso_face_side* side_0, const iso_face_side* side_1);

/// The same of a polygon that was measured.
void iso_face_list_put_measured(iso_face_list* list, double v[][4], const iso_face_measures* m,
                                const iso_face_side* side_0, const iso_face_side* side_1);

/// Show the faces as a patch: everything of iso_patch is filled; the sums go over the faces in
/// their order, however they came together. The results take the place of everything pushed since
/// the list began, unless that is at most four times their size: then they stay where they are.
iso_status iso_face_list_finish(iso_face_list* list, iso_patch* out_patch);
