// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/contact_system.h"

/// The discrete contact law of one pair over one step: a convex potential l(V) of the relative
/// twist V (6 numbers, about p_wc, world axes), a sum over compliant points [Masterjohn2022]
/// section IV. The solver sees only value, gradient and Hessian.
typedef enum iso_point_law {
    ISO_POINT_LAW_LAGGED, ///< lagged convex Hunt-Crossley
    ISO_POINT_LAW_SAP,    ///< linear damping, quadratic regularised cone
} iso_point_law;

/// Points as arrays of doubles, padded with zeros (that contribute nothing) to ISO_WIDE_LANES.
typedef struct iso_compliant_points {
    iso_point_law law;
    int count;              ///< real points (a face that is dropped has none)
    int padded_count;       ///<
    const int* face;        ///< [count] face of the patch
    double dt;              ///< [s]
    double *rx, *ry, *rz;   ///< position relative to p_wc [m]
    double *nx, *ny, *nz;   ///< normal, from A into B
    double* stiffness;      ///< k = A g, after the near-rigid floor [N/m]
    double* force;          ///< fe0 = A p0 [N]; negative in the margin
    double* dissipation;    ///< d [s/m] (lagged)
    double* friction_force; ///< lagged: mu n0 (impulse bound) [N s]; SAP: mu
    double* slip_scale;     ///< lagged: eps_s [m/s]; SAP: regularisation R_t
    double* regularization; ///< SAP: R_n
    double* bias;           ///< SAP: v^_n [m/s]
} iso_compliant_points;

/// Stage 4, discrete. Delassus of the pair is the 6x6 W = J diag(A)^-1 J^T about p_wc (row-major):
/// per-face effective masses come from it; near-rigid floor and friction regularisation are set per
/// patch (docs/theory/step.md).
/// @param v_c0  relative twist at the start of the step
iso_status iso_compliant_points_build(const iso_contact_system* system,
                                      const iso_contact_pair* pair, iso_point_law law, double dt,
                                      iso_spatial v_c0, const double delassus[36], iso_arena* arena,
                                      iso_compliant_points* out_points);

/// Value of the potential at V; gradient (6) = minus the impulse on B, and Hessian (36, symmetric,
/// positive semidefinite) when asked for (NULL otherwise). SIMD, fixed summation tree.
double iso_compliant_points_eval(const iso_compliant_points* points, const double v[6],
                                 double* out_gradient, double* out_hessian);

/// Along V + alpha dV: value, first and second derivative in alpha.
void iso_compliant_points_line(const iso_compliant_points* points, const double v[6],
                               const double dv[6], double alpha, double* out_value,
                               double* out_slope, double* out_curvature);

/// After the solve: per-face impulse / (dt A) = mean traction on B [Pa], tangential slip velocity
/// [m/s], and the wrench on B (moment about p_wc; force) [N m, N].
iso_spatial iso_compliant_points_result(const iso_compliant_points* points, const iso_patch* patch,
                                        const double v[6], iso_vec3* out_tractions,
                                        iso_vec3* out_slips);
