// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Where a sphere (body B) touches a surface (body A): the pairs of point contact. A pair is a row
// of a table. docs/theory/point_contact.md; [Gonthier2007] appendix A.2.

#include "isobar/base.h"
#include "isobar/math.h"
#include "isobar/point.h"

typedef enum iso_point_surface_kind {
    ISO_POINT_PLANE,    ///< through `point`, outward normal `axis`
    ISO_POINT_SPHERE,   ///< centre `point`, `radius`; < 0: hollow, the body is outside
    ISO_POINT_CYLINDER, ///< endless, axis through `point` along `axis`; radius < 0: hollow
    ISO_POINT_CONE,     ///< apex `point`, `axis` out of the apex, full opening `angle`
    ISO_POINT_EDGE,     ///< where two planes through `point` meet, outward `axis` and `axis_2`
    ISO_POINT_SURFACE_KIND_COUNT
} iso_point_surface_kind;

/// A surface in the frame of body A. What its kind does not name is left out.
typedef struct iso_point_surface {
    iso_point_surface_kind kind;
    iso_vec3 point;  ///< [m]
    iso_vec3 axis;   ///< unit
    iso_vec3 axis_2; ///< unit
    double radius;   ///< [m], not 0
    double angle;    ///< beta [rad], 0 < beta < pi
} iso_point_surface;

/// Geometry of one contact.
typedef struct iso_point_gap {
    double distance;     ///< x, < 0 in contact [m]
    iso_vec3 normal;     ///< unit, from A into B
    iso_vec3 point;      ///< p_a, the point of the sphere that is deepest [m]
    iso_curvature below; ///< of the surface there; of an edge and an apex that of its planes, 0
    bool is_smooth;      ///< false over an edge and an apex: Hertz does not hold there
} iso_point_gap;

/// Lower-case name ("cylinder"), static storage.
const char* iso_point_surface_name(iso_point_surface_kind kind);

/// Whether a surface and a sphere of this radius can be used; axes must be unit to 1e-9.
/// @return ISO_ERR_RANGE (the message names what, value and range)
iso_status iso_point_surface_check(iso_context* ctx, const iso_point_surface* surface,
                                   double sphere_radius);

/// Where the sphere is over the surface. Total: on the axis of a cylinder or in the middle of a
/// sphere, where no direction is better, one is taken. The normal is continuous otherwise.
/// @param center  of the sphere, in the frame of the surface; so is the result
void iso_point_gap_find(const iso_point_surface* surface, iso_vec3 center, double sphere_radius,
                        iso_point_gap* out_gap);
