// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/discrete/compliant_points.h"
#include "contact/discrete/six.h"
#include "contact/stick/rest_place.h"

/// Lagged contact of one pair with friction that sticks: the potential of the relative twist V
///     l(V) = normal part(V)
///          + min over S of 1/2 |D + dt (V - S)|_K^2 - 1/2 |D|_K^2 + tau dt / 2 |V - S|_K^2
///                          + friction of all points that slip with S,
/// a stretch D with stiffness K in series with Coulomb's law on a common slip twist S. S is written
/// in coordinates sigma = R S, S = B sigma: where a patch is flat, K has three directions, and
/// sigma is three numbers in which it is the identity; else sigma is S, and R and B are left out.
/// Theory: docs/theory/sticking.md.
typedef struct iso_stick_inner iso_stick_inner;
typedef struct iso_stick {
    const iso_compliant_points* points; ///< their friction is set here: bound and smoothing
    iso_stick_inner* inner;             ///< what changes during a solve
    int size;                           ///< of sigma: 3 or 6; 0: no friction
    bool is_point;                      ///< nothing resists a turn about the normal
    double dt;                          ///< [s]
    double coupling;         ///< c, how strongly spring and damper tie the slip to the motion [s^2]
    double inverse_coupling; ///< 1 / c
    double smoothing;        ///< slip velocity below which it counts as sticking [m/s]
    double elastic;          ///< slip velocity that is kept, as the mean over points [m/s]
    double k[6 * ISO_SIX_STRIDE];      ///< K where the size is 6
    double k_upper[ISO_SIX_UPPER];     ///< the same in another order
    double r[3 * ISO_SIX_STRIDE];      ///< R, 3 x 6, where it is 3
    double r_t[6 * ISO_DOUBLE4_LANES]; ///< its transpose
    double b[6 * ISO_DOUBLE4_LANES];   ///< B, 6 x 3
    double b_t[3 * ISO_SIX_STRIDE];    ///< its transpose
    double weight[ISO_SIX_STRIDE];     ///< about the inverse of the Hessian by sigma
    iso_stick_memory memory;           ///< at the start of the step
    double whole[6];                   ///< D there, with its part that has no stiffness
    double left;                       ///< share of D that turnover leaves
    double follows_b;                  ///< 1: the patch stays where it is on B; 0: on A
    double impulse[ISO_SIX_STRIDE];    ///< dt K D of that, in the coordinates
    double metric[6];                  ///< lengths: metric[i] D[i] compare [m/rad], [1]
    double reach;                      ///< largest part of D without stiffness that is kept [m]
    double start_energy;               ///< of the spring at the start of the step [J]
} iso_stick;

/// The slip and what a Newton step needs of it. Rows of eight, zero beyond the size. Where the size
/// is 6, the slip twist and its changes serve as those of sigma.
struct iso_stick_inner {
    double sigma[ISO_SIX_STRIDE];       ///< slip velocity in the coordinates; size 3 alone
    double slip[ISO_SIX_STRIDE];        ///< S = B sigma
    double gradient[ISO_SIX_STRIDE];    ///< by sigma
    double handed_on[ISO_SIX_STRIDE];   ///< what eliminating the slip adds to the gradient by V
    double inverse[6 * ISO_SIX_STRIDE]; ///< of the Hessian by sigma over the coupling c, where
                                        ///< it was last found
    double hand_on[6 * ISO_SIX_STRIDE]; ///< that inverse times K R, size x 6
    int newton_steps;                   ///< since the time step began, steps of the slip alone too
    bool has_inverse;                   ///< false: neither was found yet
    bool has_hessian;                   ///< the Hessian by V was written with them
    bool is_kept;                       ///< true: at the last evaluation they are about the same
    double motion[ISO_SIX_STRIDE];      ///< R V at the last evaluation
    double normal_value;                ///< of the normal part there [J]
    double normal_gradient[6];          ///< of that by V
    double traces[2];                   ///< of the Hessians of the points at the last evaluation
    double old_traces[2];               ///< and where the inverse was last found
    double old_slip[ISO_SIX_STRIDE];    ///< S there
    double sigma0[ISO_SIX_STRIDE];      ///< sigma and S at the start of the search line
    double slip0[ISO_SIX_STRIDE];       ///<
    double step[ISO_SIX_STRIDE];        ///< change of sigma along the search line; size 3 alone
    double slip_step[ISO_SIX_STRIDE];   ///< change of S along it
    double v_step[ISO_SIX_STRIDE];      ///< change of V along it
    double residual;    ///< gradient by the slip at the last evaluation, squared and scaled [J]
    double slope;       ///< what gradient^T dV there lacks of the slope along (dV, dS)
    iso_slip_dual dual; ///< of the slip twist
};

/// Sets the friction of the points (bound by static or dynamic coefficient, smoothing) and all of
/// out_stick.
/// @param x_wa, x_wb  poses of the bodies
/// @param memory      of the pair, NULL when it did not touch in the last step
/// @param v_c0        relative twist at the start of the step
void iso_stick_init(const iso_contact_options* options, const iso_contact_pair* pair,
                    const iso_pose* x_wa, const iso_pose* x_wb, const iso_stick_memory* memory,
                    iso_spatial v_c0, iso_compliant_points* points, iso_stick_inner* inner,
                    iso_stick* out_stick);

/// Value, and gradient by V with the slip eliminated: with the last inverse (the first time
/// with that of the spring alone), which serves to see what is left.
double iso_stick_eval(const iso_stick* stick, const double v[6], double* out_gradient);
/// With the Hessian at the last evaluation, or that where the inverse was last found while both are
/// about the same: what that adds to the gradient, and the Hessian by V (docs/theory/sticking.md).
/// False: that was written the last time already, adds nothing, and stands in out_hessian still.
bool iso_stick_eliminate(const iso_stick* stick, double* out_correction, double* out_hessian);
/// Newton's change of the slip for the change dv, from here on, with the last inverse: after
/// iso_stick_eliminate().
void iso_stick_direct(const iso_stick* stick, const double dv[6]);
/// Along V + alpha dV, S + alpha dS from where iso_stick_direct() was called, with its dV.
void iso_stick_line(const iso_stick* stick, const double v[6], const double dv[6], double alpha,
                    double* out_value, double* out_slope, double* out_curvature);
/// S = S there + alpha dS.
void iso_stick_advance(const iso_stick* stick, double alpha);

/// One Newton step of the slip alone, with V where it was last evaluated: taken if the value does
/// not rise.
/// @param value  there
/// @return value and gradient as iso_stick_eval()
double iso_stick_refine(const iso_stick* stick, double value, double* out_gradient);

/// The slip of another patch, from a step near by, or its own; every Hessian is found anew from
/// here on, and from the second evaluation on friction points as it slips. False: its coordinates
/// are others.
bool iso_stick_adopt(const iso_stick* stick, const iso_stick* other);

/// As iso_compliant_points_add_sizes(), with those of the spring where V has such sizes.
void iso_stick_add_sizes(const iso_stick* stick, const double v_sizes[6], double out[6]);

/// As iso_compliant_points_result().
iso_spatial iso_stick_result(const iso_stick* stick, const iso_patch* patch, const double v[6],
                             iso_vec3* out_tractions, iso_vec3* out_slips);

/// What the pair remembers after the step.
/// @param poses  of the bodies at the start and at the end of the step
/// @param v      twist of the surfaces
/// @param u      of the bodies, which differ where surfaces are belts
void iso_stick_commit(const iso_stick* stick, const iso_pair_poses poses[2], const double v[6],
                      const double u[6], iso_stick_memory* out_memory);
