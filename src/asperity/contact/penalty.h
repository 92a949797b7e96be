// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/contact/impulse.h"

/// The penalty forces of [Datta2018] section 3.6, in space: tetrahedra on the boundary repel each
/// other through points on their faces. Bodies can pass through each other.
typedef struct iso_penalty_law {
    double far_stiffness;  ///< K1 of (3.51) [N m^2], > 0
    double near_stiffness; ///< K2 of (3.52) [N m^2], > 0
    double reach;          ///< distance of points from which nothing acts [m], > 0
    bool keep_printed;     ///< the numerator of (3.51) as printed, x: taken for the way between the
                           ///< centroids. Else the way between the points
} iso_penalty_law;

/// A point on the boundary.
typedef struct iso_penalty_point {
    int element;
    int nearest;       ///< vertex of its element
    double weights[4]; ///< of the element's vertices, sum 1
    bool is_first;     ///< of its element: only such a pair of points bears the near force
} iso_penalty_point;

/// Two points that may repel each other: of the first body, and of another.
typedef struct iso_penalty_pair {
    int points[2];
} iso_penalty_pair;

/// Points and pairs of bodies. The pairs are listed with a margin and kept until a vertex moved
/// half of it; they are sorted, so sums do not depend on when they were listed.
typedef struct iso_penalty {
    iso_context* ctx;
    const iso_elastic* e; ///< borrowed
    iso_penalty_law law;
    int body_points; ///< points of the first body; those of the others come after
    ISO_ARRAY(iso_penalty_point) points;
    ISO_ARRAY(iso_penalty_pair) pairs;
    ISO_ARRAY(double) listed; ///< places at which the pairs were listed
    ISO_ARRAY(double) places; ///< [3 * points.count] scratch
    ISO_ARRAY(double)
    middles, radii; ///< of elements with points: centroid, and the mean distance
                    ///< from it to the vertices: H_i of (3.50)
    iso_box_hash hash;
    iso_box_list found;
    int list_count; ///< how often the pairs were listed
} iso_penalty;

/// Put points on the faces of a boundary.
/// @param spacing  a face gets its area over the square of this, but one point at least [m]
/// @return ISO_ERR_ARGUMENT (not in space), ISO_ERR_RANGE, ISO_ERR_MEMORY
iso_status iso_penalty_init(iso_context* ctx, const iso_elastic* e, const iso_skin* skin,
                            double spacing, const iso_penalty_law* law, iso_penalty* out);
void iso_penalty_free(iso_penalty* p);

/// What a pair of points does, on the second body [N]; the first gets the opposite.
typedef struct iso_penalty_force {
    double force[3];
    bool is_near; ///< shared by the vertices of both elements (3.52); else on the two nearest ones
} iso_penalty_force;

/// (3.50) to (3.52). @param out_force  zero where nothing acts
/// @param way      x_p, from the first point to the second
/// @param centres  x_c, from the first centroid to the second
/// @param outward  from centroid to point, of both
/// @param least    H of (3.50)
iso_penalty_force iso_penalty_meet(const iso_penalty_law* law, const double way[3],
                                   const double centres[3], const double outward[2][3],
                                   double least);

/// List the pairs anew where a vertex has moved too far. @return ISO_ERR_MEMORY
iso_status iso_penalty_list(iso_penalty* p, const double* x);

/// Add the forces of all pairs. pairs: as listed.
/// @param[out] on_others  sum on the bodies but the first [N]
/// @param[out] out_acting how many pairs repel each other
/// @param[out] out_least  shortest way between points that do [m]; INFINITY: none
void iso_penalty_add(iso_penalty* p, const double* x, double* forces, double on_others[3],
                     int* out_acting, double* out_least);

/// One step of symplectic Euler (3.55, 3.56), in two parts between which pushes may answer to
/// contact: first all forces but the pushes, into s->gradient.
/// @param[out] on_others  of contact, on the bodies but the first [N]
/// @return ISO_ERR_MEMORY
iso_status iso_penalty_begin_step(iso_elastic_system* s, iso_penalty* p, double on_others[3],
                                  iso_explicit_report* report);
/// Then velocities and places. Sums go on in report.
void iso_penalty_end_step(iso_elastic_system* s, double step, const double on_others[3],
                          iso_explicit_report* report);
