// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

// One function per primitive, for tessellate.c: sizes and hint are checked. Extents follow
// iso_tessellate_volume(). On error everything is released and the outputs are zero.

iso_status iso_tessellate_ellipsoid(iso_context* ctx, iso_vec3 semi_axes, double resolution_hint,
                                    iso_tet_mesh* out_mesh, double** out_extents);
iso_status iso_tessellate_box(iso_context* ctx, iso_vec3 edges, iso_tet_mesh* out_mesh,
                              double** out_extents);
iso_status iso_tessellate_cylinder(iso_context* ctx, double radius, double length,
                                   double resolution_hint, iso_tet_mesh* out_mesh,
                                   double** out_extents);
iso_status iso_tessellate_capsule(iso_context* ctx, double radius, double length,
                                  double resolution_hint, iso_tet_mesh* out_mesh,
                                  double** out_extents);

/// Allocate a mesh and zeroed extents together.
iso_status iso_tessellate_allocate(iso_context* ctx, int vertex_count, int tet_count,
                                   iso_tet_mesh* out_mesh, double** out_extents);

/// Smallest subdivision of a sphere whose equator has chords no longer than the hint; tessellation
/// stops at ISO_TESSELLATE_MAX_LEVEL.
double iso_tessellate_level(double radius, double resolution_hint);

/// Sides of a circle so that its chords are no longer than the hint: 2 pi r / hint, at least 3;
/// tessellation stops at ISO_TESSELLATE_MAX_SIDES or ISO_TESSELLATE_MAX_CYLINDER_SIDES.
double iso_tessellate_side_count(double radius, double resolution_hint);

/// Append one tetrahedron; count is advanced.
void iso_tessellate_append(iso_tet_mesh* mesh, int* count, int a, int b, int c, int d);
