// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the walk over the surface of equal pressure does with a pair of cells, one of either field:
// finds its polygon, and the faces beyond which the surface goes on. Theory:
// docs/theory/contact_surface.md.

#include "surface/clipping/coincidence.h"
#include "surface/faces/face_bag.h"
#include "surface/kernels/kernels.h"
#include "surface/walk/trace_walk.h"

/// A cell of body 1 in frame 0.
typedef struct iso_cell_view {
    iso_double4 plane[4]; ///< [component], lanes are faces
    iso_affine f;
    double gradient_squared;
    double terms; ///< bound of the terms of f in the neighbourhood of the bodies [Pa]
    int inner;    ///< faces with a cell beyond, one bit each
    int rims; ///< the others, where body 0 goes on below the lowest pressure of body 1: its cells
              ///< may meet right on them
    int cell;
} iso_cell_view;

typedef struct iso_visitor {
    iso_face_list* list;
    iso_face_bag bag; ///< takes the place of the list where faces come in order
    bool is_ordered;
    const iso_field *field_0, *field_1;
    iso_cull cull;
    const iso_pose* x_01;
    iso_coincidence equal;
    double touch; ///< [m]
    double touch_limit;
    double reach; ///< bound of |coordinate| that both bodies touch, summed over axes [m]
    iso_cell_view view;
} iso_visitor;

/// A visitor to two fields.
/// @param list        where the polygons go
/// @param is_ordered  they go to a bag first, whose memory comes from the arena
void iso_visitor_begin(iso_visitor* visitor, iso_face_list* list, bool is_ordered, iso_arena* arena,
                       const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                       iso_cull cull);

/// The functions of an iso_walk whose user is an iso_visitor.
void iso_visitor_look_at(void* user, int cell_1);
iso_touched iso_visitor_visit(void* user, int cell_0, int* out_notes);
iso_touched iso_visitor_visit_closely(void* user, int cell_0);
