// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What methods of ode.h share.

#include "integrator/ode.h"

/// Leading components that f depends on.
static inline int iso_ode_feedback(const iso_ode_problem* problem) {
    return problem->feedback_count > 0 ? problem->feedback_count : problem->dimension;
}

/// The length of an accepted step, already counted. That of a last one is cut, and counts only
/// where it is the first as well.
static inline void iso_note_length(int accepted_count, double h, bool is_last,
                                   double* smallest_step) {
    bool is_cut = is_last && accepted_count > 1;
    if (!is_cut && !(*smallest_step > 0.0 && *smallest_step <= h)) {
        *smallest_step = h;
    }
}

/// Error allowed in each component at y; the larger of two states when y_other is not NULL.
/// @return ISO_ERR_NO_CONVERGENCE when rounding of y is larger, with the component in the report
iso_status iso_ode_weights(iso_context* ctx, const char* name, const iso_ode_problem* problem,
                           double accuracy, double t, const double* y, iso_ode_report* report,
                           double* out_weights);

/// The Jacobian at (t, y), by the problem's own function or by forward differences.
/// @param weights  allowed errors: sizes of components at 0
/// @param scratch  [2 dimension]
iso_status iso_ode_jacobian(const iso_ode_problem* problem, double t, const double* y,
                            const double* f, const double* weights, double accuracy,
                            double* scratch, double* out_jacobian, iso_ode_report* report);

/// Longest step from a state: at most max_step (0: what is left), and what the problem asks for,
/// where it does.
double iso_ode_longest_step(iso_ode_longest_fn ask, void* user, double t, const double* y,
                            const double* f, double max_step, double left);

/// First step, after which y has changed by change times the scales.
double iso_ode_first_step(const iso_ode_problem* problem, const double* y, const double* f,
                          double change, double longest);

/// Whether all are finite; else the first that is not.
bool iso_ode_is_finite(const double* values, int count, int* out_which);

/// Values of event functions at a time, and what crossed since the last look.
typedef struct iso_ode_event_search {
    double values[ISO_ODE_MOST_EVENTS]; ///< at the time of the last look
    double t;
} iso_ode_event_search;
void iso_ode_event_search_start(const iso_ode_problem* problem, double t, const double* y,
                                iso_ode_event_search* search);
/// Look at the curve from the last look to t. Where an event function changes sign, t_event is the
/// first place at which it has its new one, to the rounding of t.
/// @param scratch  [dimension]
/// @return the event; -1: none
int iso_ode_event_search_look(const iso_ode_problem* problem, const iso_ode_curve* curve, double t,
                              double* scratch, iso_ode_event_search* search, double* out_t_event);

extern const iso_ode_method iso_ode_rk23, iso_ode_rk45; ///< explicit_rows.c
extern const iso_ode_method iso_ode_radau_rows[];       ///< radau.c
#define ISO_ODE_RADAU_ROW_COUNT 7
extern const iso_ode_method iso_ode_cvode; ///< cvode.c, where SUNDIALS is there
