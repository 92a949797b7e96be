// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Where event functions change sign on the curve of a step.

#include "integrator/ode_parts.h"

#include <math.h>
#include <string.h>

// Bisection alone halves an interval so often before it is one rounding long.
#define MOST_HALVINGS 1100

void iso_ode_event_search_start(const iso_ode_problem* problem, double t, const double* y,
                                iso_ode_event_search* search) {
    search->t = t;
    if (problem->events) {
        problem->events(problem->user, t, y, search->values);
    }
}

// 0 counts as positive, so that touching from below is seen once.
static bool changes_sign(double a, double b) {
    return (a < 0.0) != (b < 0.0) && !isnan(a) && !isnan(b);
}

static double value_at(const iso_ode_problem* problem, const iso_ode_curve* curve, double t,
                       double* scratch, int event) {
    double values[ISO_ODE_MOST_EVENTS];
    curve->evaluate(curve, t, scratch);
    problem->events(problem->user, t, scratch, values);
    return values[event];
}

// A bracket closes in by regula falsi (Illinois), and by a bisection every third time, so that it
// ends whatever the function is.
static double find_root(const iso_ode_problem* problem, const iso_ode_curve* curve, double* scratch,
                        int event, double low, double high, double g_low, double g_high) {
    for (int i = 0; i < MOST_HALVINGS; ++i) {
        double middle = 0.5 * (low + high);
        double t = i % 3 == 2 ? middle : low + (high - low) * (g_low / (g_low - g_high));
        t = t > low && t < high ? t : middle;
        if (!(t > low && t < high)) {
            break; // neighbours
        }
        double g = value_at(problem, curve, t, scratch, event);
        if (changes_sign(g_low, g)) {
            high = t;
            g_high = g;
            g_low *= 0.5;
        } else {
            low = t;
            g_low = g;
            g_high *= 0.5;
        }
    }
    return high;
}

int iso_ode_event_search_look(const iso_ode_problem* problem, const iso_ode_curve* curve, double t,
                              double* scratch, iso_ode_event_search* search, double* out_t_event) {
    double now[ISO_ODE_MOST_EVENTS];
    int first = -1;
    curve->evaluate(curve, t, scratch);
    problem->events(problem->user, t, scratch, now);
    for (int k = 0; k < problem->event_count; ++k) {
        if (changes_sign(search->values[k], now[k])) {
            double root =
                find_root(problem, curve, scratch, k, search->t, t, search->values[k], now[k]);
            if (first < 0 || root < *out_t_event) {
                first = k;
                *out_t_event = root;
            }
        }
    }
    memcpy(search->values, now, (size_t)problem->event_count * sizeof *now);
    search->t = t;
    return first;
}
