// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A rigid surface in a field, from pairs of a cell and a triangle on: what of the triangle lies in
// the cell becomes a polygon of a list. In batches, as each pair waits long for itself.

#include "surface/kernels/kernels.h"

#define ISO_TRI_CANDIDATES 256
#define ISO_TRI_VIEWS 64

/// A triangle of body 1 in frame 0.
typedef struct iso_tri_view {
    double v[3][4];               ///< fourth lanes 0
    double normal[4];             ///< fourth lane: squared cosine of the cull times its square
    iso_double4 normal_w, axis_w; ///< from body 0 into body 1 in W, and iso_face_area_axis() of it
    int element;
} iso_tri_view;

/// What a rigid surface in a field is collected from and into.
typedef struct iso_tri_collector {
    iso_face_list* list;
    const iso_field* field;
    const iso_tri_set* surface;
    iso_cull cull;
    const iso_pose* x_01;
    double slack; ///< rounding that the quick tests forgive [m]
} iso_tri_collector;

/// Cells and triangles whose boxes meet, by their places. Each test writes what it tries and keeps
/// it by counting on: what passes cannot be foretold. Where the cull drops little it is asked last.
typedef struct iso_tri_candidates {
    int count;
    bool is_culled; ///< what is listed was kept by the cull, and so is to be what is added
    uint32_t pairs[ISO_TRI_CANDIDATES]; ///< cell * ISO_TRI_VIEWS + view
} iso_tri_candidates;

/// Nothing listed, nothing culled.
static inline void iso_tri_candidates_begin(iso_tri_candidates* list) {
    list->count = 0;
    list->is_culled = false;
}

/// Add what the candidates have in common to the list, and forget them.
/// @param views  of triangles, at most ISO_TRI_VIEWS
/// @return false when out of memory
bool iso_tri_candidates_put(const iso_tri_collector* c, const iso_tri_view* views,
                            iso_tri_candidates* list);
