// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// Contacts with friction: relative velocities u = W f + b, three rows a contact (normal, two
/// tangents), u_n positive when separating.
typedef struct iso_cone_problem {
    int count;              ///< of contacts
    const double* w;        ///< [3 count * 3 count] row major, symmetric positive semidefinite
    const double* b;        ///< [3 count] velocities without forces
    const double* friction; ///< [count] >= 0
} iso_cone_problem;

typedef enum iso_cone_law {
    ISO_CONE_EXACT,      ///< Signorini's condition and Coulomb's disk ([Datta2018] 2.63 to 2.66)
    ISO_CONE_PYRAMID,    ///< each tangent by itself up to friction f_n (2.43, 2.44)
    ISO_CONE_ASSOCIATED, ///< the convex relaxation: f minimises f W f / 2 + f b over the cones;
                         ///< what slides also lifts off, by friction times its slip
} iso_cone_law;

typedef struct iso_cone_options {
    double tolerance; ///< of the residual; 1e-10
    int max_iterations;
} iso_cone_options;

typedef struct iso_cone_report {
    bool is_solved;
    int iterations;
    double residual; ///< iso_cone_residual()
} iso_cone_report;

/// Projected Gauss-Seidel: contact by contact. Converges linearly, slowly where many contacts hold
/// one body (hyperstatic) or masses differ.
/// @param f  [3 count] start, then the forces
/// @return ISO_OK also where the tolerance was not reached (report); ISO_ERR_MEMORY
iso_status iso_cone_gauss_seidel(iso_context* ctx, const iso_cone_problem* p, iso_cone_law law,
                                 const iso_cone_options* options, double* f,
                                 iso_cone_report* out_report);

/// Non-smooth Newton on the root of the exact law (2.70, [Alart1991]), damped by a line search; a
/// matrix that is singular, as of a table with four legs, is regularised by 1e-10 of its size.
/// Starts behind some sweeps of Gauss-Seidel.
/// @param f  [3 count] start, then the forces
/// @return as iso_cone_gauss_seidel()
iso_status iso_cone_newton(iso_context* ctx, const iso_cone_problem* p,
                           const iso_cone_options* options, double* f, iso_cone_report* out_report);

/// u = W f + b.
void iso_cone_velocities(const iso_cone_problem* p, const double* f, double* out_u);

/// How far f is from a root: the largest step of a projection of f - rho u, over rho = 1 / W_nn, as
/// a share of the largest of b. 0 of a solution.
/// @param u  [3 count] scratch, then the velocities
double iso_cone_residual(const iso_cone_problem* p, iso_cone_law law, const double* f, double* u);

/// What the law makes of f - rho u of one contact.
/// @param s  [3] f - rho u
/// @param radius  of the disk: friction times the normal force
void iso_cone_project(iso_cone_law law, double friction, double radius, const double* s,
                      double* out);
/// rho of contact i.
double iso_cone_scale(const iso_cone_problem* p, int i);
