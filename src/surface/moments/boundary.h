// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// How the polygons of a patch move when B moves and A rests. Every rate is of the form
// e . u(x), u(x) = v + w x (x - p) being the velocity of the point of B at x for a twist (w; v) of
// B about p: a face needs one vector e for its plane, one for its pressure and one for every edge.
// docs/theory/patch_derivatives.md.

#include "isobar/contact.h"
#include "surface/clipping/clip.h"
#include "surface/pairs/pair_query.h"

/// Room for the vertices of a polygon of a patch, and for those where its pressure is zero.
#define ISO_MOVING_VERTICES (2 * ISO_CLIP_VERTICES)

/// One polygon of a patch and the rates of its parts, in W. Edge i runs from vertex i to i + 1,
/// counter-clockwise about the normal.
typedef struct iso_moving_polygon {
    int first_face, face_count; ///< of the patch: one polygon, or the triangles of a fan
    bool is_reversed;           ///< edge i belongs to the fan's triangle face_count - 1 - i, not i
    int count;
    iso_vec3 vertices[ISO_MOVING_VERTICES];   ///< [m]
    double pressures[ISO_MOVING_VERTICES];    ///< [Pa]
    iso_vec3 edge_rates[ISO_MOVING_VERTICES]; ///< speed of the edge in the plane, outward
    iso_vec3 conormals[ISO_MOVING_VERTICES];  ///< unit, in the plane, outward
    iso_vec3 normal;                          ///< unit, from A into B
    iso_vec3 plane_rate;                      ///< speed of the plane along its normal
    iso_vec3 pressure_rate; ///< of the pressure at a point that follows the plane along its normal
                            ///< [Pa/m]
    iso_vec3 gradient;      ///< of the pressure in the plane [Pa/m]
} iso_moving_polygon;

/// Walks over the polygons of a patch.
typedef struct iso_boundary_walk {
    const iso_patch* patch;
    iso_representation representation;
    iso_pair_side side_a, side_b;
    const iso_tri_mesh *mesh_a, *mesh_b; ///< rigid surfaces
    double size;                         ///< of the patch, the scale of its rounding [m]
    int face;                            ///< next
    double worst_gap; ///< largest distance so far between a vertex and the plane that was found to
                      ///< cut its edge [m]
} iso_boundary_walk;

/// Start a walk over the patch that iso_pair_query() made of these shapes and poses with this
/// representation. Everything is borrowed.
void iso_boundary_walk_begin(iso_boundary_walk* walk, const iso_contact_shape* a,
                             const iso_pose* x_wa, const iso_contact_shape* b, const iso_pose* x_wb,
                             iso_representation representation, const iso_patch* patch);

/// The next polygon; false after the last. The planes that bound it come from the tetrahedra and
/// triangles that the patch names (patch.elements): every edge takes the plane that holds both its
/// ends best.
bool iso_boundary_walk_next(iso_boundary_walk* walk, iso_moving_polygon* out_polygon);

/// Check that every edge was explained by a plane of its elements.
/// @return ISO_ERR_NUMERIC
iso_status iso_boundary_walk_finish(const iso_boundary_walk* walk, iso_context* ctx);

/// Derivative of a scalar with respect to the twist (w; v) of B about a stated point P.
typedef struct iso_rate1 {
    double d[6];
} iso_rate1;

/// The same of a vector, component by component.
typedef struct iso_rate3 {
    iso_vec3 d[6];
} iso_rate3;

/// e . u(x) as a row: (arm x e; e), arm from the point of the twist to x.
static inline iso_spatial iso_rate_at(iso_vec3 e, iso_vec3 arm) {
    return iso_spatial_make(iso_vec3_cross(arm, e), e);
}

/// Such a row as an array, rotational part first.
static inline void iso_rate_unpack(iso_spatial rate, double out[6]) {
    out[0] = rate.rotational.x;
    out[1] = rate.rotational.y;
    out[2] = rate.rotational.z;
    out[3] = rate.translational.x;
    out[4] = rate.translational.y;
    out[5] = rate.translational.z;
}

/// Derivative of the polygon's normal: the part of w x plane_rate in the plane. Its right half, for
/// v, is zero.
iso_mat3 iso_moving_polygon_normal_rate(const iso_moving_polygon* polygon);

/// The part of a polygon outside the margin, where its pressure is positive, with the line of zero
/// pressure as a further edge.
/// @param rounding  a pressure this little below zero, relative to the largest, does not cut
/// @return false when there is no such part; is_cut false: the polygon is all of it, out is not set
bool iso_moving_polygon_press(const iso_moving_polygon* polygon, double rounding, bool* out_is_cut,
                              iso_moving_polygon* out_pressed);

/// Area and centroid of a polygon, the pressure there, and their rates.
typedef struct iso_polygon_rates {
    double area;       ///< [m^2]
    iso_vec3 centroid; ///< [m]
    double pressure;   ///< at the centroid [Pa]
    iso_rate1 area_rate, pressure_rate;
    iso_rate3 centroid_rate;
} iso_polygon_rates;

void iso_moving_polygon_rates(const iso_moving_polygon* polygon, iso_vec3 p_wp,
                              iso_polygon_rates* out_rates);

/// Rate of a vertex, where two edges meet, and of the pressure there. Between edges in one line the
/// motion along them is left out.
void iso_moving_polygon_vertex_rate(const iso_moving_polygon* polygon, int vertex, iso_vec3 p_wp,
                                    iso_rate3* out_position, iso_rate1* out_pressure);
