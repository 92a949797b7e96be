// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Corners of the face opposite each corner of a tetrahedron, counter-clockwise from outside.
static const int k_tet_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/// Allocate a mesh with zeroed arrays (counts may be 0). On error *out_mesh is zeroed.
iso_status iso_tri_mesh_allocate(iso_context* ctx, int vertex_count, int triangle_count,
                                 iso_tri_mesh* out_mesh);
iso_status iso_tet_mesh_allocate(iso_context* ctx, int vertex_count, int tet_count,
                                 iso_tet_mesh* out_mesh);

/// Deep copies with every vertex multiplied by scale, component by component. A scale of negative
/// determinant swaps two corners of every element, so that orientation is kept.
iso_status iso_tri_mesh_copy_scaled(iso_context* ctx, const iso_tri_mesh* mesh, iso_vec3 scale,
                                    iso_tri_mesh* out_mesh);
iso_status iso_tet_mesh_copy_scaled(iso_context* ctx, const iso_tet_mesh* mesh, iso_vec3 scale,
                                    iso_tet_mesh* out_mesh);
/// The same in place.
void iso_tri_mesh_scale(iso_tri_mesh* mesh, iso_vec3 scale);
void iso_tet_mesh_scale(iso_tet_mesh* mesh, iso_vec3 scale);

/// Signed volume of tetrahedron (a, b, c, d): positive when d sees a, b, c clockwise, as
/// iso_tet_mesh requires [m^3].
static inline double iso_tet_signed_volume(iso_vec3 a, iso_vec3 b, iso_vec3 c, iso_vec3 d) {
    iso_vec3 n = iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a));
    return iso_vec3_dot(n, iso_vec3_sub(d, a)) / 6.0;
}

/// Area vector of triangle (a, b, c): along the outward normal, length the area [m^2].
static inline iso_vec3 iso_triangle_area_vector(iso_vec3 a, iso_vec3 b, iso_vec3 c) {
    return iso_vec3_scale(iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a)), 0.5);
}

/// Volume of one tetrahedron of a mesh [m^3].
double iso_tet_mesh_tet_volume(const iso_tet_mesh* mesh, int tet_index);

/// Sums over all elements: volume [m^3] (of a surface: signed, meaningful when closed), area [m^2].
double iso_tet_mesh_volume(const iso_tet_mesh* mesh);
double iso_tri_mesh_volume(const iso_tri_mesh* mesh);
double iso_tri_mesh_area(const iso_tri_mesh* mesh);

/// Of triangles on the same three vertices the first one stays.
/// @param      tells_sides        triangles that face opposite sides are no repetition
/// @param[out] out_dropped_count  those left out
/// @return ISO_ERR_MEMORY
iso_status iso_tri_mesh_drop_repeats(iso_context* ctx, iso_tri_mesh* mesh, bool tells_sides,
                                     int* out_dropped_count);

/// Bounds of points; lower > upper (+-infinity) when there are none [m].
void iso_points_bounds(const iso_vec3* points, int point_count, iso_vec3* out_lower,
                       iso_vec3* out_upper);

/// Every vertex finite, every index in range.
/// @return ISO_ERR_ARGUMENT (counts, NULL arrays), ISO_ERR_RANGE, named by element
iso_status iso_tri_mesh_check(iso_context* ctx, const iso_tri_mesh* mesh);

/// The same, and every tetrahedron of positive volume.
/// @return as iso_tri_mesh_check(); ISO_ERR_GEOMETRY (volume)
iso_status iso_tet_mesh_check(iso_context* ctx, const iso_tet_mesh* mesh);
