// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "surface/shapes/contact_shape.h"

/// Integrals over a patch, exact: faces are flat and pressures affine on them. Where a face has a
/// margin (negative pressure) the integrals with p are over the part of it where p >= 0. Positions
/// are relative to a stated point P; W axes.
typedef struct iso_patch_moments {
    double area;          ///< int dA [m^2]
    iso_vec3 area_vector; ///< int n dA [m^2]
    iso_vec3 first;       ///< int (x - p) dA [m^3]
    double load;          ///< int p dA [N]
    iso_vec3 load_first;  ///< int p (x - p) dA [N m]
    iso_spatial wrench;   ///< (int (x - p) x n p dA [N m]; int n p dA [N]): of the pressure on B
} iso_patch_moments;

/// O(vertex_count), in the order of the faces; allocates nothing.
iso_patch_moments iso_patch_find_moments(const iso_patch* patch, iso_vec3 p_wp);

/// Wrench of the pressure on B about P: (moment; force). The exact second-order rule of
/// [Elandt2022] section 5.0.3, for polygons as for fans.
iso_spatial iso_patch_wrench(const iso_patch* patch, iso_vec3 p_wp);

/// Wrench of the pressure on B about P and its derivative with respect to the pose of B: row i,
/// column j is d(wrench_i) / d(twist_j) for B moving with the twist (w; v of its point at P) while
/// A and P rest. Exact while the combinatorics of the patch do not change; with ISO_CULL_NONE minus
/// the Hessian of the elastic energy (docs/theory/patch_derivatives.md). The patch must come from
/// iso_pair_query() with the same shapes, poses and representation.
/// @return ISO_ERR_NUMERIC (the patch does not fit the shapes)
iso_status iso_patch_wrench_derivative(iso_context* ctx, const iso_contact_shape* a,
                                       const iso_pose* x_wa, const iso_contact_shape* b,
                                       const iso_pose* x_wb, iso_representation representation,
                                       const iso_patch* patch, iso_vec3 p_wp,
                                       iso_spatial* out_wrench, double out_derivative[6][6]);
