// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Radau IIA: an advance by steps of controlled error and changing order.

#include "integrator/radau_parts.h"

#include "base/core/fail.h"
#include "math/limits.h"
#include "math/lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Control of the step, [Hairer1996] IV.8.
#define SAFETY 0.9
#define SMALLEST_FACTOR 0.2
#define LARGEST_FACTOR 8.0
#define LARGEST_KEPT_FACTOR 1.2 // to grow by less is not worth other factors
#define FIRST_REJECTION 0.1     // the first step is a guess
#define ROUNDING_STEPS 16.0
#define SHORTEST 1e-30 // at t = 0

// Contraction up to which a Jacobian is used again: the more it costs, the longer.
#define KEEP_PER_COMPONENT 1e-3
#define KEEP_MOST 0.1

// Change of the order, [Hairer1999]: raised where Newton's method contracts like UP, in steps that
// stay alike, not twice within WAIT steps; lowered where it contracts like DOWN or fails twice.
#define UP 2e-3
#define DOWN 0.8
#define ALIKE 0.8
#define WAIT 10

// An error this many times what the step before promised comes from a corner of the right-hand
// side.
#define CORNER 10.0

#define MOST_STEPS 100000

static const iso_radau_table* table_of(int stages) {
    return &iso_radau_tables[(stages - 1) / 2];
}

// What a step decided about the next one.
typedef struct control {
    double t_end;
    double shortest, longest;
    double h;                    // wanted
    double kept_error;           // of the last accepted step; 0: no such step of this order
    double true_error;           // the same, however small
    double rejected_h;           // the last attempt from this state; 0: there is none
    double rejected_error;       // of it
    bool has_jacobian;           // of some earlier state at least
    bool is_current;             // of this state
    bool was_rejected;           //
    int failures;                // of Newton's method in a row
    int steps_since;             // the order changed
    iso_ode_event_search search; //
} control;

static double* push(double** next, size_t count) {
    double* place = *next;
    *next += count;
    return place;
}

static void place_arrays(iso_radau* r, double* next) {
    size_t d = (size_t)r->dimension, n = (size_t)r->n, s = (size_t)r->most;
    r->f0 = push(&next, d);
    r->weights = push(&next, d);
    r->y_stage = push(&next, d);
    r->error = push(&next, d);
    r->scratch = push(&next, 2 * d);
    r->z = push(&next, s * d);
    r->f = push(&next, s * d);
    r->kept_z = push(&next, s * d);
    r->w = push(&next, s * n);
    r->dw = push(&next, s * n);
    r->jacobian = push(&next, n * n);
    r->real = push(&next, n * n);
    r->re = push(&next, (s - 1) / 2 * n * n);
    r->im = push(&next, (s - 1) / 2 * n * n);
    r->pivots = (int*)push(&next, (s + 1) / 2 * n);
}

// What place_arrays() takes.
static size_t work_size(const iso_ode_problem* problem, int most) {
    size_t d = (size_t)problem->dimension, n = (size_t)iso_ode_feedback(problem), s = (size_t)most;
    size_t count = (6 + 3 * s) * d + 2 * s * n + (s + 1) * n * n + (s + 1) / 2 * n;
    return count * sizeof(double);
}

// The order of the estimate is s, that of the method 2 s - 1: where all is smooth and the first is
// as large as `smooth`, the second is as large as the accuracy; at corners the first is the error.
// Half way between, in digits, bounds both.
static void set_table(iso_radau* r, int stages) {
    r->table = table_of(stages);
    r->factored_h = 0.0;
    double power = (stages + 1.0) / (2.0 * stages);
    double smooth = 0.1 * pow(fmin(r->accuracy, 1.0), power);
    r->tolerance = fmin(smooth, sqrt(r->accuracy * smooth));
}

static iso_status refresh_weights(iso_radau* r) {
    return iso_ode_weights(r->ctx, r->name, r->problem, r->tolerance, *r->t, r->y, r->report,
                           r->weights);
}

static void evaluate_curve(const iso_ode_curve* curve, double t, double* out_y) {
    const iso_radau* r = curve->method;
    double weights[ISO_RADAU_MOST_STAGES];
    iso_radau_weights(r->table, (t - curve->t_start) / (curve->t_end - curve->t_start), weights);
    for (int k = 0; k < r->dimension; ++k) {
        double sum = 0.0;
        for (int j = 0; j < r->table->stage_count; ++j) {
            sum += weights[j] * iso_radau_row(r->z, r->dimension, j)[k];
        }
        out_y[k] = r->y[k] + sum;
    }
}

// h f(y)/gamma + sum e_i Z_i.
double iso_radau_estimate(iso_radau* r, double h, const double* f, int count) {
    const iso_radau_table* table = r->table;
    double to_rate = table->gamma / h;
    for (int k = 0; k < count; ++k) {
        double sum = 0.0;
        for (int i = 0; i < table->stage_count; ++i) {
            sum += table->error[i] * iso_radau_row(r->z, r->dimension, i)[k];
        }
        r->error[k] = k < r->n ? f[k] + to_rate * sum : f[k] / to_rate + sum;
    }
    iso_lu_solve(r->real, r->pivots, r->n, r->error);
    double largest = 0.0;
    for (int k = 0; k < count; ++k) {
        double error = fabs(r->error[k]) / r->weights[k];
        if (!(error <= largest)) {
            largest = error;
            r->report->worst_component = k;
            if (isnan(error)) {
                return INFINITY;
            }
        }
    }
    return largest;
}

// A first step, and one after a rejection, is smoothed twice: [Hairer1996] (8.20).
static iso_status find_error(iso_radau* r, double h, double* out_error) {
    *out_error = iso_radau_estimate(r, h, r->f0, r->dimension);
    int which = 0;
    if (*out_error < 1.0 || !r->is_doubtful || !iso_ode_is_finite(r->error, r->dimension, &which)) {
        return ISO_OK;
    }
    for (int k = 0; k < r->dimension; ++k) {
        r->scratch[k] = r->y[k] + (k < r->n ? r->error[k] : 0.0);
    }
    double* f = r->scratch + r->dimension;
    iso_status status = r->problem->rhs(r->problem->user, *r->t, r->scratch, f);
    ++r->report->rhs_count;
    if (status == ISO_OK && iso_ode_is_finite(f, r->dimension, &which)) {
        *out_error = iso_radau_estimate(r, h, f, r->dimension);
    }
    return status;
}

static iso_status stop(const iso_radau* r, const control* c, iso_status status, const char* cause) {
    int bad = r->report->worst_component;
    return iso_fail(r->ctx, status, __func__,
                    "%s at t = %.9g s: %s in a step of %g s, the shortest being %g s; component %d "
                    "(%g) is the worst; %d steps made, %d of them rejected, %d not solved",
                    r->name, *r->t, cause, c->h, c->shortest, bad, bad >= 0 ? r->y[bad] : 0.0,
                    r->report->accepted_count, r->report->rejected_count,
                    r->report->unsolved_count);
}

static iso_status check_count(iso_radau* r, const control* c) {
    const iso_ode_report* report = r->report;
    int limit = r->problem->max_step_count > 0 ? r->problem->max_step_count : MOST_STEPS;
    int made = report->accepted_count + report->rejected_count + report->unsolved_count;
    return made < limit ? ISO_OK : stop(r, c, ISO_ERR_NO_CONVERGENCE, "all allowed steps are made");
}

static iso_status make_jacobian(iso_radau* r, control* c) {
    iso_status status = iso_ode_jacobian(r->problem, *r->t, r->y, r->f0, r->weights, r->tolerance,
                                         r->scratch, r->jacobian, r->report);
    c->has_jacobian = true;
    c->is_current = true;
    r->factored_h = 0.0;
    int which = 0;
    if (status == ISO_OK && !iso_ode_is_finite(r->jacobian, r->n * r->n, &which)) {
        r->report->worst_component = which % r->n;
        status = stop(r, c, ISO_ERR_NUMERIC, "the Jacobian is not finite");
    }
    return status;
}

static void lower_order(iso_radau* r, control* c) {
    if (r->table->stage_count > r->least) {
        set_table(r, r->table->stage_count - 2);
        c->steps_since = 0;
        c->kept_error = 0.0;
    }
}

// Of the rates at the start of the step the largest: where Newton's method names none.
static int fastest_component(const iso_radau* r) {
    int fastest = 0;
    for (int i = 1; i < r->n; ++i) {
        fastest = fabs(r->f0[i]) > fabs(r->f0[fastest]) ? i : fastest;
    }
    return fastest;
}

// A step of this length is tried from the same state.
static void try_again(control* c, double h) {
    c->h = fmax(h, c->shortest);
    c->was_rejected = true;
    c->has_jacobian = c->has_jacobian && c->is_current;
}

// The equations of a step were not solved: again with a Jacobian of this state, then shorter.
static iso_status handle_unsolved(iso_radau* r, control* c, double h, iso_radau_outcome outcome) {
    ++r->report->unsolved_count;
    r->report->worst_component = r->bad >= 0 ? r->bad : fastest_component(r);
    ++c->failures;
    if (h <= c->shortest) {
        bool is_finite = outcome != ISO_RADAU_NOT_FINITE;
        return stop(r, c, is_finite ? ISO_ERR_NO_CONVERGENCE : ISO_ERR_NUMERIC,
                    is_finite ? "Newton's method does not converge"
                              : "the right-hand side is not finite");
    }
    // An old Jacobian alone may be at fault, but then half a step is safe, too.
    try_again(c, h * iso_clamp(r->shrink, 0.1, 0.9));
    r->contraction = 1.0;
    if (c->failures >= (r->table->stage_count > 3 ? 2 : 3)) {
        lower_order(r, c);
    }
    return ISO_OK;
}

static void choose_order(iso_radau* r, control* c, double factor) {
    int stages = r->table->stage_count;
    ++c->steps_since;
    if (r->mean_contraction >= DOWN && stages > 3) { // order 1 is for what fails
        lower_order(r, c);
    } else if (c->steps_since >= WAIT && stages < r->most && r->mean_contraction <= UP &&
               factor >= ALIKE && factor <= 1.0 / ALIKE) {
        set_table(r, stages + 2);
        c->steps_since = 0;
        c->kept_error = 0.0;
        r->contraction = 1.0;
    }
}

// How the accuracy is to the estimate that a smooth step may have.
static double accuracy_share(const iso_radau* r) {
    return r->accuracy / r->tolerance;
}

// Where the right-hand side has a corner no method has its order: the estimate is the error then,
// and must be as small as the accuracy. A first step has nothing to tell it by.
static bool meets_corner(const iso_radau* r, const control* c, double h, double error) {
    if (error <= accuracy_share(r) || (r->kept_table && r->kept_table != r->table)) {
        return false;
    }
    double growth = r->kept_table ? pow(h / r->kept_h, r->table->stage_count + 1.0) : 0.0;
    return error > CORNER * c->true_error * growth;
}

// The length of the next step from the error of this one: [Gustafsson1994].
static double next_factor(const iso_radau* r, const control* c, double h, double error) {
    double power = 1.0 / (r->table->stage_count + 1.0);
    int most = ISO_RADAU_ITERATIONS(r->table->stage_count);
    double safety = SAFETY * (1.0 + 2.0 * most) / (r->iterations + 2.0 * most);
    double safe_error = fmax(error, 1e-12);
    double factor = safety * pow(safe_error, -power);
    if (error < 1.0 && c->kept_error > 0.0) {
        double ratio = h / r->kept_h * pow(c->kept_error / (safe_error * safe_error), power);
        factor = fmin(factor, SAFETY * ratio);
    }
    return iso_clamp(factor, SMALLEST_FACTOR, LARGEST_FACTOR);
}

// Two attempts from one state tell how the error falls: slower than the order where there is a
// corner.
static double factor_of_two(const control* c, double h, double error) {
    bool are_two = c->rejected_h > h && c->rejected_error > error;
    double order = are_two ? log(c->rejected_error / error) / log(c->rejected_h / h) : INFINITY;
    return fmax(SAFETY * pow(error, -1.0 / fmax(order, 1.0)), SMALLEST_FACTOR);
}

static iso_status reject(iso_radau* r, control* c, double h, double error) {
    ++r->report->rejected_count;
    if (h <= c->shortest) {
        return stop(r, c, ISO_ERR_NO_CONVERGENCE, "the error is too large");
    }
    double factor =
        r->report->accepted_count == 0 && !c->was_rejected
            ? FIRST_REJECTION
            : fmin(next_factor(r, c, h, error), fmin(SAFETY, factor_of_two(c, h, error)));
    c->rejected_h = h;
    c->rejected_error = error;
    try_again(c, h * factor);
    return ISO_OK;
}

// The error falls with the square of a step that a corner ends. A higher order has no use for it.
static void reject_corner(iso_radau* r, control* c, double h, double error) {
    ++r->report->rejected_count;
    c->steps_since = 0;
    double factor = SAFETY * sqrt(accuracy_share(r) / error);
    try_again(c, h * fmax(factor, SMALLEST_FACTOR));
}

// Events and observers of a step that will be accepted.
// @param[in,out] t_new  the end of the step, or the event that ends the advance
static iso_status show_step(iso_radau* r, control* c, double* t_new) {
    const iso_ode_problem* problem = r->problem;
    iso_ode_curve curve = {*r->t, *t_new, r->dimension, evaluate_curve, r};
    int s = r->table->stage_count;
    double t_start = *r->t, h = *t_new - *r->t;
    for (int i = 0; problem->events && i < s && r->report->event < 0; ++i) {
        double t = i + 1 < s ? t_start + r->table->c[i] * h : *t_new;
        r->report->event =
            iso_ode_event_search_look(problem, &curve, t, r->scratch, &c->search, &t);
        *t_new = r->report->event >= 0 ? t : *t_new;
    }
    if (r->report->event >= 0) {
        evaluate_curve(&curve, *t_new, r->scratch);
    }
    return problem->step_done ? problem->step_done(problem->user, &curve) : ISO_OK;
}

static void keep_step(iso_radau* r, double h) {
    double* z = r->z;
    r->z = r->kept_z;
    r->kept_z = z;
    r->kept_table = r->table;
    r->kept_h = h;
    r->kept_t = *r->t;
}

static iso_status accept(iso_radau* r, control* c, double h, double error, bool is_last) {
    size_t size = (size_t)r->dimension * sizeof *r->y;
    double t_new = is_last ? c->t_end : *r->t + h;
    iso_status status = show_step(r, c, &t_new);
    if (status != ISO_OK) {
        return status;
    }
    iso_ode_report* report = r->report;
    ++report->accepted_count;
    ++report->order_counts[2 * r->table->stage_count - 1];
    report->largest_error = fmax(report->largest_error, error);
    iso_note_length(report->accepted_count, h, is_last, &report->smallest_step);
    double factor = next_factor(r, c, h, error);
    factor = c->was_rejected ? fmin(factor, 1.0) : factor;
    if (report->event >= 0) {
        memcpy(r->y, r->scratch, size);
    } else {
        const double* end = iso_radau_row(r->z, r->dimension, r->table->stage_count - 1);
        for (int k = 0; k < r->dimension; ++k) {
            r->y[k] += end[k];
        }
    }
    keep_step(r, h);
    *r->t = t_new;
    if (r->problem->project) {
        r->problem->project(r->problem->user, t_new, r->y);
    }
    double keep = iso_clamp(KEEP_PER_COMPONENT * r->n, KEEP_PER_COMPONENT, KEEP_MOST);
    c->has_jacobian = r->contraction <= keep;
    c->is_current = false;
    // Other factors are not worth a step that is hardly longer. One cut at the end says little: it
    // may only lengthen the next.
    factor = c->has_jacobian && factor >= 1.0 && factor <= LARGEST_KEPT_FACTOR ? 1.0 : factor;
    c->h = h < c->h ? fmax(h * factor, c->h) : h * factor;
    c->kept_error = fmax(error, 1e-2);
    c->true_error = error;
    c->was_rejected = false;
    c->rejected_h = 0.0;
    c->failures = 0;
    choose_order(r, c, factor);
    return ISO_OK;
}

// f and allowed errors at the start of a step.
static iso_status begin_step(iso_radau* r, control* c) {
    iso_status status = r->problem->rhs(r->problem->user, *r->t, r->y, r->f0);
    ++r->report->rhs_count;
    if (status == ISO_OK && !iso_ode_is_finite(r->f0, r->dimension, &r->report->worst_component)) {
        status = stop(r, c, ISO_ERR_NUMERIC, "the right-hand side is not finite");
    }
    if (status == ISO_OK) {
        const iso_ode_problem* p = r->problem;
        c->longest = iso_ode_longest_step(p->longest_step, p->user, *r->t, r->y, r->f0, p->max_step,
                                          c->t_end - *r->t);
    }
    return status;
}

static iso_status attempt(iso_radau* r, control* c, bool* out_is_accepted) {
    double remaining = c->t_end - *r->t;
    double rounding = ROUNDING_STEPS * DBL_EPSILON * fabs(*r->t);
    c->shortest = fmax(fmax(r->problem->min_step, rounding), SHORTEST);
    c->h = fmax(fmin(c->h, c->longest), c->shortest);
    bool is_last = c->h >= remaining * (1.0 - 1e-12);
    double h = is_last ? remaining : (2.0 * c->h > remaining ? 0.5 * remaining : c->h);
    iso_radau_outcome outcome = ISO_RADAU_DIVERGES;
    iso_status status = ISO_OK;
    *out_is_accepted = false;
    ISO_TRY(check_count(r, c));
    ISO_TRY(refresh_weights(r));
    if (!c->has_jacobian) {
        ISO_TRY(make_jacobian(r, c));
    }
    r->shrink = 0.5;
    r->is_doubtful = c->was_rejected || r->report->accepted_count == 0;
    if (r->factored_h == h || iso_radau_factor(r, h)) {
        ISO_TRY(iso_radau_solve(r, h, &outcome));
    }
    if (outcome != ISO_RADAU_SOLVED) {
        return handle_unsolved(r, c, h, outcome);
    }
    double error = 0.0;
    ISO_TRY(find_error(r, h, &error));
    bool is_corner =
        (error < 1.0 || !c->was_rejected) && h > c->shortest && meets_corner(r, c, h, error);
    *out_is_accepted = error < 1.0 && !is_corner;
    if (is_corner) {
        reject_corner(r, c, h, error);
    } else {
        status = *out_is_accepted ? accept(r, c, h, error, is_last) : reject(r, c, h, error);
    }
done:
    return status;
}

static iso_status advance(iso_radau* r, double t_end, iso_ode_state* state) {
    const iso_ode_problem* problem = r->problem;
    control c = {.t_end = t_end, .h = state->h};
    iso_status status = ISO_OK;
    ISO_TRY(begin_step(r, &c));
    if (!(c.h > 0.0)) {
        double change = pow(fmin(r->tolerance, 1.0), 1.0 / (r->table->stage_count + 1.0));
        c.h = iso_ode_first_step(problem, r->y, r->f0, change, c.longest);
    }
    iso_ode_event_search_start(problem, *r->t, r->y, &c.search);
    while (*r->t < t_end && r->report->event < 0) {
        bool is_accepted = false;
        ISO_TRY(attempt(r, &c, &is_accepted));
        if (is_accepted && *r->t < t_end && r->report->event < 0) {
            ISO_TRY(begin_step(r, &c));
        }
    }
done:
    state->h = c.h;
    state->order = 2 * r->table->stage_count - 1;
    return status;
}

static iso_status advance_stages(iso_context* ctx, const char* name, int least, int first, int most,
                                 const iso_ode_problem* problem, double* t, double* y, double t_end,
                                 double accuracy, iso_ode_state* state, iso_ode_report* report) {
    iso_radau r = {.ctx = ctx,
                   .name = name,
                   .problem = problem,
                   .report = report,
                   .least = least,
                   .most = most,
                   .n = iso_ode_feedback(problem),
                   .dimension = problem->dimension,
                   .t = t,
                   .y = y,
                   .accuracy = accuracy,
                   .contraction = 1.0,
                   .bad = -1};
    int kept = (state->order + 1) / 2;
    place_arrays(&r, state->work);
    set_table(&r, kept >= least && kept <= most && kept % 2 == 1 ? kept : first);
    return advance(&r, t_end, state);
}

#define FIXED_ORDER(order, stages)                                                                 \
    static size_t size_##order(const iso_ode_problem* problem) {                                   \
        return work_size(problem, stages);                                                         \
    }                                                                                              \
    static iso_status advance_##order(iso_context* ctx, const iso_ode_problem* problem, double* t, \
                                      double* y, double t_end, double accuracy,                    \
                                      iso_ode_state* state, iso_ode_report* report) {              \
        return advance_stages(ctx, "radau_" #order, stages, stages, stages, problem, t, y, t_end,  \
                              accuracy, state, report);                                            \
    }
FIXED_ORDER(1, 1)
FIXED_ORDER(5, 3)
FIXED_ORDER(9, 5)
FIXED_ORDER(13, 7)
FIXED_ORDER(17, 9)
FIXED_ORDER(21, 11)

static size_t size_any(const iso_ode_problem* problem) {
    return work_size(problem, 7);
}

static iso_status advance_any(iso_context* ctx, const iso_ode_problem* problem, double* t,
                              double* y, double t_end, double accuracy, iso_ode_state* state,
                              iso_ode_report* report) {
    return advance_stages(ctx, "radau", 1, 3, 7, problem, t, y, t_end, accuracy, state, report);
}

#define ROW(row_name, order, suffix)                                                \
    {                                                                               \
        .name = row_name, .most_order = order, .is_stiff = true, .has_curve = true, \
        .work_size = size_##suffix, .advance = advance_##suffix                     \
    }
const iso_ode_method iso_ode_radau_rows[ISO_ODE_RADAU_ROW_COUNT] = {
    ROW("radau", 13, any),   ROW("radau_1", 1, 1),    ROW("radau_5", 5, 5),    ROW("radau_9", 9, 9),
    ROW("radau_13", 13, 13), ROW("radau_17", 17, 17), ROW("radau_21", 21, 21),
};
