// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Pairs of triangles that cut through each other or lie upon each other: count, and where the
/// first ones do. Triangles with a common edge are left out unless they lie upon each other. Where
/// an edge lies in a triangle or upon an edge, the surface cuts if it goes on on the other side;
/// surfaces that touch in points and edges, and rims that end in a triangle, do not count.
/// @param[out] out_places  [place_count]
/// @return ISO_ERR_MEMORY
iso_status iso_surface_find_intersections(iso_context* ctx, const iso_tri_mesh* mesh,
                                          int place_count, int* out_count, iso_vec3* out_places);

/// The same pairs by their triangles.
/// @param[out] out_pairs  [pair_capacity] the first ones
/// @param[out] out_count  of all
/// @return ISO_ERR_MEMORY
iso_status iso_surface_find_cutting_pairs(iso_context* ctx, const iso_tri_mesh* mesh,
                                          int pair_capacity, int (*out_pairs)[2], int* out_count);

/// Whether two triangles are such a pair by themselves, that is, without those beside them, which
/// tell whether an edge that lies in a triangle goes through it. Neither is degenerate.
bool iso_surface_triangles_cut(const iso_tri_mesh* mesh, int triangle_a, int triangle_b);

/// Which parts of a surface cut through each other or lie upon each other.
/// @param part_of            [triangle_count] in [0, part_count)
/// @param[in,out] out_is_cut [part_count * part_count], symmetric; set where two parts do, else
/// left
/// @return ISO_ERR_MEMORY
iso_status iso_surface_find_cut_parts(iso_context* ctx, const iso_tri_mesh* mesh,
                                      const int* part_of, int part_count, bool* out_is_cut);
