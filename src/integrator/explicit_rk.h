// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Explicit Runge-Kutta methods over a right-hand-side callback. A method is a row of numbers (a
// Butcher table); one driver serves them all, with a fixed or an error-controlled step.
// Theory: docs/theory/integrators.md; [Hairer1993] chapter II.

#include "integrator/ode.h"

#define ISO_RK_MAX_STAGES 7

/// An explicit method: k_i = f(t + c_i h, y + h sum_j a_ij k_j), y_new = y + h sum_i b_i k_i, and
/// for error estimation y_embedded = y + h sum_i b_embedded_i k_i.
typedef struct iso_rk_table {
    const char* name;
    int stage_count;
    int order;          ///< of b
    int embedded_order; ///< of b_embedded; 0: no error estimate
    bool is_fsal;       ///< the last stage is the first one of the next step
    double c[ISO_RK_MAX_STAGES];
    double a[ISO_RK_MAX_STAGES][ISO_RK_MAX_STAGES]; ///< strictly lower triangular
    double b[ISO_RK_MAX_STAGES];
    double b_embedded[ISO_RK_MAX_STAGES];
} iso_rk_table;

extern const iso_rk_table iso_rk_table_rk4;  ///< classical, 4 stages, no error estimate
extern const iso_rk_table iso_rk_table_rk23; ///< Bogacki-Shampine 3(2), 4 stages
extern const iso_rk_table iso_rk_table_rk45; ///< Dormand-Prince 5(4), 7 stages

/// Highest order p <= 5 for which all order conditions (17 rooted trees) hold within tolerance, for
/// b or for b_embedded; 0 when c is not the row sum of a, when a has entries on or above the
/// diagonal, or when the weights do not sum to 1.
int iso_rk_table_verify(const iso_rk_table* table, bool is_embedded, double tolerance);

/// dy/dt = f(t, y). An error aborts the advance and is returned as it is.
typedef iso_status (*iso_rk_rhs_fn)(void* user, double t, const double* y, double* out_dydt);
/// Put an accepted y back onto its manifold (unit quaternions). May move y by no more than the
/// local error, since the derivative taken just before is used again.
typedef void (*iso_rk_project_fn)(void* user, double t, double* y);

/// Whether an event lies in the step of length h from y at t to y_new, which is about to be
/// accepted: the step is made anew until the event is at its end, and f is evaluated anew after it.
/// @return how long before the end of the step it was, as well as is known [s]; < 0: there is none
typedef double (*iso_rk_event_fn)(void* user, double t, const double* y, double h,
                                  const double* y_new);

typedef struct iso_rk_problem iso_rk_problem;
/// Whether steps of about length h are short because the problem is stiff there. Asked now and then
/// where steps left would not do; then the advance ends before t_end.
typedef bool (*iso_rk_stiff_fn)(const iso_rk_problem* problem, double t, const double* y, double h);

/// What is integrated, and how carefully. Zero-initialise, then fill.
struct iso_rk_problem {
    int dimension;                   ///< length of y
    iso_rk_rhs_fn rhs;               ///<
    iso_rk_project_fn project;       ///< NULL: none
    iso_rk_event_fn event;           ///< NULL: none
    iso_ode_longest_fn longest_step; ///< NULL: any
    iso_rk_stiff_fn is_stiff;        ///< with error control; NULL: never
    void* user;                      ///< passed to all callbacks
    const double* scales;            ///< [dimension] size of one unit of error, > 0; NULL: all 1
    double min_step;    ///< an error too large at this step is a failure; 0: rounding of t
    double max_step;    ///< 0: none
    int max_step_count; ///< with error control, rejected steps included; 0: 100000
};

/// What outlives a call. The caller owns work; zero the rest at the start and whenever y jumps.
typedef struct iso_rk_state {
    double h;              ///< next step to try; 0: chosen from the first derivative
    double previous_error; ///< scaled error of the last accepted step; 0: none yet
    double* work;          ///< iso_rk_work_count() doubles
} iso_rk_state;

typedef struct iso_rk_report {
    int accepted_count, rejected_count; ///< steps
    int rhs_count;                      ///< evaluations of the right-hand side
    double smallest_step;               ///< of the accepted ones; not the last, which is cut, but a
                                        ///< single one
    double largest_error;               ///< of the accepted ones, in units of accuracy * scale
    int worst_component;                ///< of the last step: the one of largest error, or that is
                                        ///< not finite; -1: none
} iso_rk_report;

/// Doubles that work needs: (stage_count + 1) * dimension.
size_t iso_rk_work_count(const iso_rk_table* table, int dimension);

/// Advance y from t to t_end >= t, ending there exactly, or before where it is_stiff().
/// accuracy > 0 and a table with error estimate: every step keeps, for all i,
/// |error_i| <= accuracy * scales_i, with the step chosen by a PI controller.
/// Otherwise: equal steps, as few as keep them <= state->h (0: one step).
/// @param         accuracy    error per step in units of scales; <= 0: fixed step
/// @param[in,out] t, y        on failure those of the last accepted step
/// @param[out]    out_report  of this call; may be NULL
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_NO_CONVERGENCE (needs a step below min_step
///         or more than max_step_count), ISO_ERR_NUMERIC (y is not finite after a fixed
///         step), or what the callback returned
ISO_NODISCARD iso_status iso_rk_advance(iso_context* ctx, const iso_rk_table* table,
                                        const iso_rk_problem* problem, double* t, double* y,
                                        double t_end, double accuracy, iso_rk_state* state,
                                        iso_rk_report* out_report);
