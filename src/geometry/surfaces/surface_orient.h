// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// What became of the sides that triangles face.
typedef struct iso_surface_orientation {
    int turned_count; ///< triangles turned over
    int part_count;   ///< parts connected across edges of two triangles
    int cavity_count; ///< closed parts that lie inside an odd number of others
} iso_surface_orientation;

/// Make the triangles of every part face the same side: closed parts outward, those wholly inside
/// an odd number of other bodies (parts that cut each other are one), which are cavities, into
/// them; open parts as most of their triangles do. The order of triangles stays. A part with one
/// side alone, like a Moebius strip, keeps edges along which its triangles face different sides.
/// @return ISO_ERR_MEMORY
iso_status iso_surface_orient(iso_context* ctx, iso_tri_mesh* mesh,
                              iso_surface_orientation* out_orientation);

/// Drop closed parts wholly inside a closed part that they do not cut, however deep.
/// @param[out] out_count  parts dropped; -1: none, for there are more parts than are looked at
/// @return ISO_ERR_MEMORY
iso_status iso_surface_drop_nested(iso_context* ctx, iso_tri_mesh* mesh, int* out_count);

/// What makes a surface fit to press outward: one whose triangles face both sides is oriented as
/// above, a closed one that is inside out is turned as a whole. Where only some closed parts are,
/// these are: one that faces inward where nothing is around it; with it the part directly inside
/// that faces outward (a hollow body of several, wound inside out), while one that faces inward is
/// its cavity already. All are warned of, with the first triangle of each part that is turned, and
/// so are surfaces that stay as they are because edges of three or more triangles or a single side
/// leave it open where outward is. A surface without such faults keeps its bits.
/// @param      name           of the mesh, for messages
/// @param[out] out_is_closed  every edge has two triangles that face the same side
/// @return ISO_ERR_MEMORY
iso_status iso_surface_face_outward(iso_context* ctx, const char* name, iso_tri_mesh* mesh,
                                    bool* out_is_closed);

/// What both contact and mass take a surface for: the above, after triangles that are there twice
/// are dropped, with a warning.
iso_status iso_surface_make_solid(iso_context* ctx, const char* name, iso_tri_mesh* mesh,
                                  bool* out_is_closed);
