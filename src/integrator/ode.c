// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "integrator/ode_parts.h"

#include "base/core/fail.h"
#include "isobar/world.h"

#include <float.h>
#include <math.h>
#include <string.h>

// An error allowed below so many roundings of its component is never kept.
#define LEAST_ROUNDINGS 4.0

#define MOST_METHODS 16

static int collect(const iso_ode_method* out[MOST_METHODS]) {
    int count = 0;
    out[count++] = &iso_ode_rk23;
    out[count++] = &iso_ode_rk45;
    for (int i = 0; i < ISO_ODE_RADAU_ROW_COUNT; ++i) {
        out[count++] = &iso_ode_radau_rows[i];
    }
#if defined(ISO_HAS_CVODE)
    out[count++] = &iso_ode_cvode;
#endif
    return count;
}

const iso_ode_method* iso_ode_method_at(int index) {
    const iso_ode_method* rows[MOST_METHODS];
    int count = collect(rows);
    return index >= 0 && index < count ? rows[index] : NULL;
}

const iso_ode_method* iso_ode_find_method(const char* name) {
    const iso_ode_method* row = NULL;
    for (int i = 0; (row = iso_ode_method_at(i)) && strcmp(row->name, name) != 0; ++i) {
    }
    return row;
}

size_t iso_ode_work_size(const iso_ode_method* method, const iso_ode_problem* problem) {
    return method->work_size(problem);
}

bool iso_ode_is_finite(const double* values, int count, int* out_which) {
    for (int i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            *out_which = i;
            return false;
        }
    }
    return true;
}

static double scale_of(const iso_ode_problem* problem, int i) {
    return problem->scales ? problem->scales[i] : 1.0;
}

iso_status iso_ode_weights(iso_context* ctx, const char* name, const iso_ode_problem* problem,
                           double accuracy, double t, const double* y, iso_ode_report* report,
                           double* out_weights) {
    for (int i = 0; i < problem->dimension; ++i) {
        double size = fabs(y[i]);
        out_weights[i] = accuracy * (scale_of(problem, i) + problem->relative * size);
        if (!(out_weights[i] >= LEAST_ROUNDINGS * DBL_EPSILON * size)) {
            report->worst_component = i;
            return iso_fail(ctx, ISO_ERR_NO_CONVERGENCE, __func__,
                            "%s at t = %.9g s: component %d is %g and may be wrong by %g, which is "
                            "below its rounding: expected a larger accuracy",
                            name, t, i, y[i], out_weights[i]);
        }
    }
    return ISO_OK;
}

iso_status iso_ode_jacobian(const iso_ode_problem* problem, double t, const double* y,
                            const double* f, const double* weights, double accuracy,
                            double* scratch, double* out_jacobian, iso_ode_report* report) {
    int n = iso_ode_feedback(problem), dimension = problem->dimension;
    ++report->jacobian_count;
    if (problem->jacobian) {
        return problem->jacobian(problem->user, t, y, f, out_jacobian);
    }
    double* moved = scratch;
    double* f_moved = scratch + dimension;
    memcpy(moved, y, (size_t)dimension * sizeof *moved);
    iso_status status = ISO_OK;
    for (int j = 0; j < n && status == ISO_OK; ++j) {
        // Half the digits of the component, or of its unit where it is smaller. Away from 0, where
        // f often has a bend.
        double size = fmax(fabs(y[j]), weights[j] / accuracy);
        double wanted = copysign(sqrt(DBL_EPSILON) * size, y[j] != 0.0 ? y[j] : f[j]);
        volatile double place = y[j] + wanted; // the step that is really made
        double step = place - y[j];
        moved[j] = place;
        status = problem->rhs(problem->user, t, moved, f_moved);
        ++report->rhs_count;
        for (int i = 0; i < n; ++i) {
            out_jacobian[i * n + j] = (f_moved[i] - f[i]) / step;
        }
        moved[j] = y[j];
    }
    return status;
}

double iso_ode_longest_step(iso_ode_longest_fn ask, void* user, double t, const double* y,
                            const double* f, double max_step, double left) {
    double most = max_step > 0.0 ? max_step : left;
    double sensible = ask ? ask(user, t, y, f) : 0.0;
    return sensible > 0.0 && isfinite(sensible) ? fmin(most, sensible) : most;
}

double iso_ode_first_step(const iso_ode_problem* problem, const double* y, const double* f,
                          double change, double longest) {
    double rate = 0.0;
    for (int i = 0; i < iso_ode_feedback(problem); ++i) {
        double size = scale_of(problem, i) + problem->relative * fabs(y[i]);
        rate = fmax(rate, fabs(f[i]) / size);
    }
    return rate * longest > change ? change / rate : longest;
}

static iso_status check_numbers(iso_context* ctx, const char* name, const iso_ode_problem* problem,
                                const double* y, double accuracy) {
    ISO_REQUIRE(ctx, problem->relative >= 0.0 && problem->relative <= 1e6, ISO_ERR_RANGE,
                "%s: relative is %g, expected 0 to 1e6", name, problem->relative);
    ISO_REQUIRE(ctx, isfinite(accuracy) && accuracy >= ISO_LEAST_ACCURACY, ISO_ERR_RANGE,
                "%s: accuracy is %g, expected finite and at least %g", name, accuracy,
                ISO_LEAST_ACCURACY);
    ISO_REQUIRE(ctx, problem->min_step >= 0.0 && problem->max_step >= 0.0, ISO_ERR_RANGE,
                "%s: shortest step is %g s, longest %g s, expected >= 0", name, problem->min_step,
                problem->max_step);
    for (int i = 0; problem->scales && i < problem->dimension; ++i) {
        ISO_REQUIRE(ctx, problem->scales[i] > 0.0, ISO_ERR_RANGE,
                    "%s: scale of component %d is %g, expected > 0", name, i, problem->scales[i]);
    }
    int which = 0;
    ISO_REQUIRE(ctx, iso_ode_is_finite(y, problem->dimension, &which), ISO_ERR_NUMERIC,
                "%s: component %d starts as %g, expected a finite number", name, which, y[which]);
    return ISO_OK;
}

static iso_status check_problem(iso_context* ctx, const iso_ode_method* method,
                                const iso_ode_problem* problem, double t, double t_end) {
    const char* name = method->name;
    ISO_REQUIRE(ctx, problem->dimension >= 0, ISO_ERR_RANGE, "%s: dimension is %d, expected >= 0",
                name, problem->dimension);
    ISO_REQUIRE(ctx, problem->feedback_count >= 0 && problem->feedback_count <= problem->dimension,
                ISO_ERR_RANGE, "%s: %d components feed back, expected 0 to %d", name,
                problem->feedback_count, problem->dimension);
    ISO_REQUIRE(ctx, isfinite(t) && isfinite(t_end) && t_end >= t, ISO_ERR_RANGE,
                "%s: from t = %.9g s to %.9g s, expected finite and forward", name, t, t_end);
    bool has_events = problem->events != NULL;
    ISO_REQUIRE(ctx,
                problem->event_count >= 0 && problem->event_count <= ISO_ODE_MOST_EVENTS &&
                    has_events == (problem->event_count > 0),
                ISO_ERR_RANGE, "%s: %d event functions, expected 0 to %d", name,
                problem->event_count, ISO_ODE_MOST_EVENTS);
    ISO_REQUIRE(ctx, method->has_curve || !(has_events || problem->step_done), ISO_ERR_UNSUPPORTED,
                "%s does not know the state within a step: no events, no curves", name);
    return ISO_OK;
}

iso_status iso_ode_advance(iso_context* ctx, const iso_ode_method* method,
                           const iso_ode_problem* problem, double* t, double* y, double t_end,
                           double accuracy, iso_ode_state* state, iso_ode_report* out_report) {
    iso_ode_report report = {.worst_component = -1, .event = -1};
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, method && problem && problem->rhs && t && y && state && state->work,
              ISO_ERR_ARGUMENT, "method, problem, rhs, t, y, state and work are required");
    ISO_TRY(check_problem(ctx, method, problem, *t, t_end));
    ISO_TRY(check_numbers(ctx, method->name, problem, y, accuracy));
    if (*t < t_end && problem->dimension > 0) {
        status = method->advance(ctx, problem, t, y, t_end, accuracy, state, &report);
    } else {
        *t = t_end;
    }
done:
    if (out_report) {
        *out_report = report;
    }
    return status;
}
