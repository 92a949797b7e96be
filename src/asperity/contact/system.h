// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/contact/skin.h"
#include "asperity/elastic/sparse.h"

/// How bodies touch: a barrier that they never pass, and smoothed Coulomb friction.
typedef struct iso_barrier_law {
    double reach;      ///< distance below which they repel [m], > 0
    double stiffness;  ///< energy over the barrier of iso_barrier() [J/m^4], > 0
    double friction;   ///< local coefficient of friction, >= 0
    double slip_speed; ///< from which on all of the friction acts [m/s], > 0
} iso_barrier_law;

/// Friction of one pair, held while a step is solved ([Li2020] section 5.3).
typedef struct iso_lagged_pair {
    iso_pair pair;
    double weights[4];
    double normal[3]; ///< unit
    double limit;     ///< friction times the normal force [N]
} iso_lagged_pair;

/// A spring that keeps a face level: its tilt is the sum of levers times heights (the last number
/// of a vertex).
typedef struct iso_guide {
    int count;        ///< 0: none
    int* vertices;    ///< [count] owned by the system
    double* levers;   ///< [count] sum 0 [1/m]
    double stiffness; ///< [J]
} iso_guide;

/// Elastic bodies that touch: places, velocities and what acts. Vertices may be fixed, pushed, and
/// held by springs along the axes.
typedef struct iso_elastic_system {
    iso_context* ctx;
    const iso_elastic* e; ///< borrowed
    int size;             ///< vertex_count * dimension
    iso_skin skin;
    iso_barrier_law law;
    double *x, *v;       ///< [size] places [m], velocities [m/s]
    bool* fixed;         ///< [size]
    double* push;        ///< [size] forces [N]
    double* spring;      ///< [size] stiffness [N/m], >= 0
    double* spring_end;  ///< [size] places where the springs are slack [m]
    iso_guide guides[2]; ///< along, and in space across
    // while a step is solved
    double step;           ///< its length [s]
    double *begin, *ahead; ///< [size] places at its beginning; where inertia leads
    double *gradient, *direction, *trial, *damped; ///< [size]
    double parts;   ///< sizes of the parts of the last value, summed up [J]
    double* blocks; ///< damping matrices of the elements, or NULL without beta
    ISO_ARRAY(iso_lagged_pair) lagged;
    iso_sparse sparse;
} iso_elastic_system;

/// At rest at the places of e, nothing acts. @return ISO_ERR_RANGE (the law), ISO_ERR_GEOMETRY
/// (overlap), ISO_ERR_MEMORY
iso_status iso_elastic_system_create(iso_context* ctx, const iso_elastic* e,
                                     const iso_barrier_law* law, iso_elastic_system** out);
void iso_elastic_system_destroy(iso_elastic_system* s);

/// How a step is solved.
typedef struct iso_implicit_options {
    double step;          ///< [s], > 0
    double tolerance;     ///< largest Newton direction at the end [m], > 0
    int max_newton;       ///< > 0
    int max_lags;         ///< times that friction is brought up to date, > 0
    double lag_tolerance; ///< of the forces that are out of balance with friction brought up to
                          ///< date, over the sum of the friction limits
} iso_implicit_options;

/// What a step was.
typedef struct iso_implicit_report {
    int newton_count;     ///< factorisations
    int lag_count;        ///< times that friction was brought up to date
    double lag_error;     ///< as lag_tolerance
    int pair_count;       ///< within the barrier's reach
    double least_gap;     ///< [m]; INFINITY: none within reach
    double normal[3];     ///< barrier's force on the bodies but the first, from the first [N]
    double tangential[3]; ///< friction's [N]
} iso_implicit_report;

/// One step of implicit Euler as the minimum of an incremental potential ([Li2020] 3): Newton with
/// the exact Hessian where it is positive definite and with projected ones elsewhere, each move
/// limited by continuous collision detection and by the energy. Stiffness damping acts with the
/// projected stiffness of the step's beginning.
/// @return ISO_ERR_NO_CONVERGENCE, ISO_ERR_MEMORY; places and velocities are then as before
iso_status iso_elastic_system_step(iso_elastic_system* s, const iso_implicit_options* options,
                                   iso_implicit_report* out_report);

/// Tilt of a guide at places x.
double iso_guide_tilt(const iso_elastic_system* s, const iso_guide* guide, const double* x);
/// Add factor times its derivative by the places.
void iso_guide_add(const iso_elastic_system* s, const iso_guide* guide, double factor, double* out);

// Parts of the step, for tests too. All read skin.pairs, which must hold every pair within reach.

/// Begin: keep the places, predict, damping matrices. @return ISO_ERR_MEMORY
iso_status iso_elastic_system_begin(iso_elastic_system* s, double step);
/// Take normals and limits of friction from places x. @return ISO_ERR_MEMORY
iso_status iso_elastic_system_lag(iso_elastic_system* s, const double* x);
/// Value of the incremental potential at x over the step squared [J]. INFINITY: inverted.
double iso_elastic_system_value(iso_elastic_system* s, const double* x);
/// Its derivatives [N]; fixed numbers are zero.
void iso_elastic_system_gradient(iso_elastic_system* s, const double* x, double* out);
/// The part of the barrier, or of friction; fixed numbers too.
void iso_elastic_system_contact_gradient(const iso_elastic_system* s, const double* x,
                                         bool of_friction, double* out);
/// Its second derivatives into s->sparse. @return ISO_ERR_MEMORY
/// @param project  of each element and pair the nearest without negative eigenvalues
iso_status iso_elastic_system_hessian(iso_elastic_system* s, const double* x, bool project);
