// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Finds the point of a surface nearest to a query point. Immutable after creation.
typedef struct iso_distance_tree iso_distance_tree;

/// Build the tree. O(n log n) in triangles. The mesh is borrowed and must outlive the tree; it must
/// have passed iso_tri_mesh_check() and have a triangle.
/// @return ISO_ERR_GEOMETRY (no triangles), ISO_ERR_MEMORY
iso_status iso_distance_tree_create(iso_context* ctx, const iso_tri_mesh* mesh,
                                    iso_distance_tree** out_tree);
void iso_distance_tree_destroy(iso_context* ctx, iso_distance_tree* tree);

/// Unsigned distance from a point to the surface [m]: exact to rounding, about O(log n).
/// @param[out] out_nearest   nearest point of the surface; may be NULL
/// @param[out] out_triangle  a triangle that has it: the lowest index of equally near ones; may be
///                           NULL
double iso_distance_to_surface(const iso_distance_tree* tree, iso_vec3 p, iso_vec3* out_nearest,
                               int* out_triangle);

/// The point of triangle (a, b, c) nearest to p; degenerate triangles are handled.
iso_vec3 iso_triangle_nearest_point(iso_vec3 p, iso_vec3 a, iso_vec3 b, iso_vec3 c);

/// Where on a triangle a point lies: inside (both -1), on edge `edge` (from corner k to k + 1,
/// `corner` -1), or at corner `corner`.
typedef struct iso_triangle_feature {
    int edge, corner;
} iso_triangle_feature;

/// As iso_triangle_nearest_point(), and what the nearest point lies on.
iso_vec3 iso_triangle_nearest_feature(iso_vec3 p, iso_vec3 a, iso_vec3 b, iso_vec3 c,
                                      iso_triangle_feature* out_feature);

/// How often a closed surface winds about a point: 1 inside, 0 outside, a fraction where the
/// surface has holes: solid angles of what is near, two moments of what is far
/// ([Barill2018]); about O(log n). Off by less than 2e-3.
double iso_distance_tree_winding_number(const iso_distance_tree* tree, iso_vec3 p);

/// The same of a single point, for which a tree is built.
/// @param[out] out_winding  0 where the surface has no triangles
/// @return ISO_ERR_MEMORY
iso_status iso_tri_mesh_winding_number(iso_context* ctx, const iso_tri_mesh* mesh, iso_vec3 p,
                                       double* out_winding);
