// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The one-page interface of an ODE method. A method is a file of its own and a row
// that iso_ode_method_at() finds; whoever integrates knows problems, states and reports only.
// Theory: docs/theory/integrators.md.

#include "isobar/base.h"

/// dy/dt = f(t, y). A result that is not finite makes the method try a shorter step; an error
/// aborts the advance and is returned as it is.
typedef iso_status (*iso_ode_rhs_fn)(void* user, double t, const double* y, double* out_dydt);
/// df/dy of the first `feedback_count` components, row major and square.
/// @param f  f(t, y), already known
typedef iso_status (*iso_ode_jacobian_fn)(void* user, double t, const double* y, const double* f,
                                          double* out_jacobian);
/// Put an accepted y back onto its manifold (unit quaternions), by no more than the local error.
typedef void (*iso_ode_project_fn)(void* user, double t, double* y);
/// Values of all event functions.
typedef void (*iso_ode_events_fn)(void* user, double t, const double* y, double* out_values);

/// Longest sensible step from an accepted state with the rates f: in a longer one something would
/// happen that f at the stages does not see. <= 0 or not finite: any.
typedef double (*iso_ode_longest_fn)(void* user, double t, const double* y, const double* f);

/// The step just accepted, as a curve over [t_start, t_end]. Valid during iso_ode_step_fn only.
typedef struct iso_ode_curve iso_ode_curve;
/// Told of every accepted step; may read the state anywhere in it.
typedef iso_status (*iso_ode_step_fn)(void* user, const iso_ode_curve* curve);

struct iso_ode_curve {
    double t_start, t_end;
    int dimension;
    void (*evaluate)(const iso_ode_curve* curve, double t, double* out_y);
    const void* method; ///< what evaluate() needs
};

/// What is integrated, and how carefully. Zero-initialise, then fill.
typedef struct iso_ode_problem {
    int dimension;      ///< length of y
    int feedback_count; ///< f depends on so many leading components; the others are integrals along
                        ///< the way. 0: on all
    iso_ode_rhs_fn rhs;
    iso_ode_jacobian_fn jacobian;    ///< NULL: forward differences
    iso_ode_project_fn project;      ///< NULL: none
    iso_ode_step_fn step_done;       ///< NULL: none
    iso_ode_longest_fn longest_step; ///< NULL: any
    void* user;                      ///< passed to all callbacks
    const double* scales; ///< [dimension] size of one unit of error, > 0, in the unit of y; NULL: 1
    double relative;      ///< error allowed: accuracy (scale + relative |y|)
    double min_step;      ///< a step that has to be shorter is a failure; 0: rounding of t
    double max_step;      ///< 0: none
    int max_step_count;   ///< all kinds of rejected steps included; 0: 100000
    iso_ode_events_fn events; ///< the advance ends where one changes sign; NULL: none
    int event_count;          ///< at most ISO_ODE_MOST_EVENTS
} iso_ode_problem;
#define ISO_ODE_MOST_EVENTS 32

/// What outlives a call. The caller owns work; zero the rest at the start and whenever y jumps.
typedef struct iso_ode_state {
    double h;   ///< next step to try; 0: chosen from the first derivative
    int order;  ///< of that step; 0: chosen
    void* work; ///< iso_ode_work_size() bytes, aligned as doubles
} iso_ode_state;

#define ISO_ODE_MOST_ORDER 22
typedef struct iso_ode_report {
    int accepted_count;   ///< steps
    int rejected_count;   ///< for their error
    int unsolved_count;   ///< steps whose equations were not solved
    int rhs_count;        ///< right-hand sides, those of Jacobians included
    int jacobian_count;   ///<
    int factor_count;     ///< factorisations of all blocks of a step
    int iteration_count;  ///< of Newton's method
    double smallest_step; ///< of the accepted ones; not the last, which is cut, but a single one
    double largest_error; ///< of the accepted ones, in units of the allowed error
    int worst_component;  ///< of the last step: that of largest error, or not finite; -1: none
    int event;            ///< that ended the advance; -1: none
    int order_counts[ISO_ODE_MOST_ORDER]; ///< accepted steps of each order
} iso_ode_report;

typedef struct iso_ode_method {
    const char* name;
    int most_order; ///< of its steps
    bool is_stiff;  ///< made for stiff problems
    bool has_curve; ///< knows the state within a step: then events and step_done work
    bool allocates; ///< takes memory from the heap in every advance
    size_t (*work_size)(const iso_ode_problem* problem);
    iso_status (*advance)(iso_context* ctx, const iso_ode_problem* problem, double* t, double* y,
                          double t_end, double accuracy, iso_ode_state* state,
                          iso_ode_report* report);
} iso_ode_method;

/// All methods of this build: "rk23", "rk45", "radau" (order 1, 5, 9 or 13 as needed), "radau_1",
/// "radau_5", ... "radau_21" (that order only), "cvode" where SUNDIALS was there.
/// NULL past the last one.
const iso_ode_method* iso_ode_method_at(int index);
/// NULL when there is none of that name.
const iso_ode_method* iso_ode_find_method(const char* name);
size_t iso_ode_work_size(const iso_ode_method* method, const iso_ode_problem* problem);

/// Advance y from t to t_end >= t, ending there exactly, or where an event function changes sign.
/// Each step keeps its estimated error of every component below accuracy (scale + relative |y|).
/// An order above that of the estimate is put to use: then the error of the method is below it.
/// @param[in,out] t, y  on failure those of the last accepted step
/// @param out_report    of this call; may be NULL
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_NO_CONVERGENCE (more than max_step_count steps,
///         or shorter ones than min_step; accuracy below rounding), ISO_ERR_NUMERIC (f or a start
///         is not finite), ISO_ERR_MEMORY, or what a callback returned. The message names time,
///         step, component and cause
ISO_NODISCARD iso_status iso_ode_advance(iso_context* ctx, const iso_ode_method* method,
                                         const iso_ode_problem* problem, double* t, double* y,
                                         double t_end, double accuracy, iso_ode_state* state,
                                         iso_ode_report* out_report);
