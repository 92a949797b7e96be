// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "integrator/explicit_rk.h"

#include "base/core/fail.h"
#include "integrator/ode_parts.h"
#include "math/limits.h"

#include <float.h>
#include <math.h>

// PI control of the step, [Hairer1996] IV.2: h *= SAFETY error^-(0.7/k) previous_error^(0.4/k) with
// k one above the lower order, within these factors.
#define SAFETY 0.9
#define SMALLEST_FACTOR 0.2
#define LARGEST_FACTOR 5.0

// Without min_step, the step may shrink until t + h hardly differs from t.
#define ROUNDING_STEPS 16.0

// More steps than this in one controlled call mean a problem too stiff for an explicit method; it
// would not end in reasonable time. Where the problem sets no limit of its own.
#define MOST_STEPS 100000
// An event is at the end of a step when it is closer than this share of it, or after so many
// trials.
#define EVENT_SHARE 1e-7
#define EVENT_TRIALS 40
// So many steps lie between two looks at what makes them short.
#define LOOK_EVERY 100
// The last look leaves this part of the allowed steps to the method that goes on.
#define LEFT_PART 4
// With so many more a stiff problem is not worth it.
#define WORTH_STEPS 500
// By how many times the change of a first step its later stages may go.
#define MOST_GUESS 2.0

// One call of iso_rk_advance.
typedef struct advance {
    iso_context* ctx;
    const iso_rk_table* table;
    const iso_rk_problem* problem;
    double* t;
    double* y;
    double* y_new;
    double* stages;      // [stage_count][dimension]
    bool has_derivative; // stages[0] is f(t, y)
    bool is_guess;       // the step was not found by errors of others
    iso_rk_report report;
} advance;

size_t iso_rk_work_count(const iso_rk_table* table, int dimension) {
    return ((size_t)table->stage_count + 1) * (size_t)dimension;
}

static double* stage(const advance* run, int index) {
    return run->stages + (size_t)index * (size_t)run->problem->dimension;
}

static iso_status evaluate(advance* run, double t, const double* y, int index) {
    ++run->report.rhs_count;
    return run->problem->rhs(run->problem->user, t, y, stage(run, index));
}

// out = y + h sum of weights[j] stage j, stages in their order.
static void combine(const advance* run, double h, const double* weights, int count, double* out) {
    int n = run->problem->dimension;
    for (int i = 0; i < n; ++i) {
        out[i] = 0.0;
    }
    for (int j = 0; j < count; ++j) {
        if (weights[j] != 0.0) {
            const double* k = stage(run, j);
            for (int i = 0; i < n; ++i) {
                out[i] += weights[j] * k[i];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        out[i] = run->y[i] + h * out[i];
    }
}

// One trial step from (t, y): fills y_new and all stages, changes neither t nor y.
static iso_status try_step(advance* run, double h) {
    const iso_rk_table* table = run->table;
    iso_status status = ISO_OK;
    if (!run->has_derivative) {
        ISO_TRY(evaluate(run, *run->t, run->y, 0));
        run->has_derivative = true;
    }
    for (int i = 1; i < table->stage_count; ++i) {
        combine(run, h, table->a[i], i, run->y_new);
        ISO_TRY(evaluate(run, *run->t + table->c[i] * h, run->y_new, i));
    }
    if (!table->is_fsal) {
        combine(run, h, table->b, table->stage_count, run->y_new);
    }
done:
    return status;
}

// Shorten the trial step of length *h until an event, if there is one, is at its end.
static iso_status find_event(advance* run, double* h, bool* out_is_event) {
    const iso_rk_problem* p = run->problem;
    double before = 0.0, after = *h, tried = *h, close = EVENT_SHARE * *h, width = INFINITY;
    iso_status status = ISO_OK;
    *out_is_event = false;
    for (int i = 0; p->event && i < EVENT_TRIALS; ++i) {
        double ago = p->event(p->user, *run->t, run->y, tried, run->y_new);
        double next = tried - ago;
        if (ago >= 0.0) {
            *out_is_event = true;
            after = tried;
        } else if (*out_is_event) {
            before = tried;
        }
        if (!*out_is_event || (ago >= 0.0 && ago <= close) || after - before <= close) {
            break;
        }
        // What the problem knows, as long as that halves the interval.
        bool is_near = ago >= 0.0 && next > before && after - before <= 0.5 * width;
        tried = is_near ? next : 0.5 * (before + after);
        width = after - before;
        ISO_TRY(try_step(run, tried));
    }
    if (*out_is_event && tried != after) {
        ISO_TRY(try_step(run, after));
    }
    *h = after;
done:
    return status;
}

// Take over y_new. With a first-same-as-last table the last stage is f at the new point, unless
// there is an event.
static void accept(advance* run, double t_new, bool is_event) {
    int n = run->problem->dimension;
    *run->t = t_new;
    for (int i = 0; i < n; ++i) {
        run->y[i] = run->y_new[i];
    }
    if (run->problem->project) {
        run->problem->project(run->problem->user, t_new, run->y);
    }
    run->has_derivative = run->table->is_fsal && !is_event;
    if (run->has_derivative) {
        const double* last = stage(run, run->table->stage_count - 1);
        double* first = stage(run, 0);
        for (int i = 0; i < n; ++i) {
            first[i] = last[i];
        }
    }
    ++run->report.accepted_count;
}

static double scale_of(const iso_rk_problem* problem, int i) {
    return problem->scales ? problem->scales[i] : 1.0;
}

// Largest error of the trial step in units of accuracy * scale, and its component.
static double step_error(const advance* run, double h, double accuracy, int* out_worst) {
    const iso_rk_table* table = run->table;
    double largest = 0.0;
    *out_worst = 0;
    for (int i = 0; i < run->problem->dimension; ++i) {
        double sum = 0.0;
        for (int j = 0; j < table->stage_count; ++j) {
            sum += (table->b[j] - table->b_embedded[j]) * stage(run, j)[i];
        }
        double error = fabs(h * sum) / (accuracy * scale_of(run->problem, i));
        if (!(error <= largest)) {
            largest = error;
            *out_worst = i;
            if (isnan(error)) {
                return error;
            }
        }
    }
    return largest;
}

static double step_factor(const iso_rk_table* table, double error, double previous_error) {
    double k = 1.0 + (table->embedded_order < table->order ? table->embedded_order : table->order);
    if (!(error <= DBL_MAX)) {
        return SMALLEST_FACTOR;
    }
    double proportional = previous_error > 0.0 ? 0.7 : 1.0;
    double factor = SAFETY * pow(fmax(error, 1e-10), -proportional / k);
    if (previous_error > 0.0) {
        factor *= pow(fmax(previous_error, 1e-10), 0.4 / k);
    }
    return iso_clamp(factor, SMALLEST_FACTOR, LARGEST_FACTOR);
}

// Largest rate of a stage, in scales.
static double rate_of(const advance* run, int index) {
    double rate = 0.0;
    for (int i = 0; i < run->problem->dimension; ++i) {
        rate = fmax(rate, fabs(stage(run, index)[i]) / scale_of(run->problem, i));
    }
    return rate;
}

// By how much of its scale y changes in a first step: the k-th order term is about right then.
static double first_change(const advance* run, double accuracy) {
    return pow(accuracy, 1.0 / (1.0 + run->table->embedded_order));
}

static double first_step(const advance* run, double accuracy, double longest) {
    double rate = rate_of(run, 0), change = first_change(run, accuracy);
    return rate * longest > change ? change / rate : longest;
}

// A first step that was guessed at rest says nothing of what is stiff: its later stages may leave
// what held it, all alike. As an error, with which the next one changes y as a first step should.
static double guess_error(const advance* run, double h, double accuracy) {
    double rate = 0.0;
    for (int i = 1; i < run->table->stage_count; ++i) {
        rate = fmax(rate, rate_of(run, i));
    }
    double most = MOST_GUESS * fmax(first_change(run, accuracy), h * rate_of(run, 0));
    double share = h * rate / most;
    return share > 1.0 ? pow(share, 1.0 + run->table->embedded_order) : 0.0;
}

static double largest_magnitude(double a, double b) {
    return fmax(fabs(a), fabs(b));
}

static int most_steps(const advance* run) {
    return run->problem->max_step_count > 0 ? run->problem->max_step_count : MOST_STEPS;
}

// Whether too few steps like this one come to the end, as the problem is stiff.
static bool is_stiff(const advance* run, double h, double t_end) {
    const iso_rk_problem* p = run->problem;
    int made = run->report.accepted_count + run->report.rejected_count;
    int limit = most_steps(run), left = limit - made;
    bool is_time = made > 0 && (made % LOOK_EVERY == 0 || made == limit - limit / LEFT_PART);
    left = left < WORTH_STEPS ? left : WORTH_STEPS;
    return p->is_stiff && is_time && left > 0 && t_end - *run->t > h * left &&
           p->is_stiff(p, *run->t, run->y, h);
}

// Fail when all allowed steps are made. Short steps say nothing of those to come: an impact passes.
static iso_status check_count(const advance* run, double h) {
    int limit = most_steps(run);
    int made = run->report.accepted_count + run->report.rejected_count;
    ISO_REQUIRE(run->ctx, made < limit, ISO_ERR_NO_CONVERGENCE,
                "%s at t = %.9g s: %d steps made, at most that many allowed, the next would be %g "
                "s long",
                run->table->name, *run->t, limit, h);
    return ISO_OK;
}

// f at the present state, the longest step from there, and the first one of all.
static iso_status start_step(advance* run, double t_end, double accuracy, iso_rk_state* state,
                             double* longest) {
    iso_status status = ISO_OK;
    if (!run->has_derivative) {
        status = evaluate(run, *run->t, run->y, 0);
        run->has_derivative = status == ISO_OK;
    }
    if (status == ISO_OK && !(*longest > 0.0)) {
        const iso_rk_problem* p = run->problem;
        *longest = iso_ode_longest_step(p->longest_step, p->user, *run->t, run->y, stage(run, 0),
                                        p->max_step, t_end - *run->t);
        run->is_guess = run->is_guess || !(state->h > 0.0);
        state->h = state->h > 0.0 ? state->h : first_step(run, accuracy, *longest);
    }
    return status;
}

static iso_status advance_controlled(advance* run, double t_end, double accuracy,
                                     iso_rk_state* state) {
    const iso_rk_problem* problem = run->problem;
    double longest = 0.0; // of the present state, once it is known
    double shortest =
        fmax(problem->min_step, ROUNDING_STEPS * DBL_EPSILON * largest_magnitude(*run->t, t_end));
    iso_status status = ISO_OK;
    bool was_rejected = false;
    while (*run->t < t_end) {
        ISO_TRY(start_step(run, t_end, accuracy, state, &longest));
        double remaining = t_end - *run->t;
        double wanted = fmax(fmin(state->h, longest), shortest);
        // The last two steps share what remains, so that none is a splinter.
        bool is_last = wanted >= remaining;
        double h = is_last ? remaining : (2.0 * wanted > remaining ? 0.5 * remaining : wanted);
        double asked = h;
        if (is_stiff(run, h, t_end)) {
            break;
        }
        ISO_TRY(check_count(run, h));
        ISO_TRY(try_step(run, h));
        int worst = 0;
        double error = step_error(run, h, accuracy, &worst);
        if (run->is_guess && error <= 1.0) {
            error = fmax(error, guess_error(run, h, accuracy));
        }
        run->report.worst_component = worst;
        double factor = step_factor(run->table, error, was_rejected ? 0.0 : state->previous_error);
        if (error <= 1.0) {
            bool is_event = false;
            ISO_TRY(find_event(run, &h, &is_event));
            is_last = is_last && h == asked;
            accept(run, is_last ? t_end : *run->t + h, is_event);
            run->report.largest_error = fmax(run->report.largest_error, error);
            iso_note_length(run->report.accepted_count, h, is_last, &run->report.smallest_step);
            // A step cut at the end says little: it may only lengthen the next one.
            double next = h * (was_rejected ? fmin(factor, 1.0) : factor);
            state->h = h < wanted ? fmax(next, wanted) : next;
            state->previous_error = error;
            was_rejected = run->is_guess = false;
            longest = 0.0;
        } else {
            ++run->report.rejected_count;
            ISO_CHECK(run->ctx, h > shortest, ISO_ERR_NO_CONVERGENCE,
                      "%s at t = %.9g s: error of component %d is %g times the allowed one "
                      "(accuracy %g) at a step of %g s, which is the shortest (%g s)",
                      run->table->name, *run->t, worst, error, accuracy, h, shortest);
            state->h = fmax(h * fmin(factor, 0.9), shortest);
            was_rejected = true;
        }
    }
done:
    return status;
}

static iso_status check_finite(advance* run, double h) {
    for (int i = 0; i < run->problem->dimension; ++i) {
        run->report.worst_component = isfinite(run->y_new[i]) ? -1 : i;
        ISO_REQUIRE(run->ctx, isfinite(run->y_new[i]), ISO_ERR_NUMERIC,
                    "%s at t = %.9g s: component %d becomes %g in a step of %g s, expected a "
                    "finite number",
                    run->table->name, *run->t, i, run->y_new[i], h);
    }
    return ISO_OK;
}

// A step of length h, which ends at t_next; as several where there are events.
static iso_status fixed_step(advance* run, double h, double t_next) {
    iso_status status = ISO_OK;
    for (bool is_done = false; !is_done;) {
        double asked = h;
        bool is_event = false;
        ISO_TRY(try_step(run, h));
        ISO_TRY(check_finite(run, h));
        ISO_TRY(find_event(run, &h, &is_event));
        double t_new = h < asked ? *run->t + h : t_next;
        is_done = !(t_new < t_next);
        accept(run, t_new, is_event);
        h = t_next - t_new;
    }
done:
    return status;
}

static iso_status advance_fixed(advance* run, double t_end, double step) {
    double t_start = *run->t;
    double length = t_end - t_start;
    // A hair more than a whole number of steps is rounding of t_end - t.
    double count = step > 0.0 ? ceil(length / step * (1.0 - 1e-12)) : 1.0;
    ISO_REQUIRE(run->ctx, count <= 1e9, ISO_ERR_RANGE,
                "%s: %g steps of %g s from t = %.9g s to %.9g s, expected at most 1e9",
                run->table->name, count, step, t_start, t_end);
    int step_count = count < 1.0 ? 1 : (int)count;
    double h = length / step_count;
    iso_status status = ISO_OK;
    for (int s = 0; s < step_count && length > 0.0; ++s) {
        double t_next = s + 1 == step_count ? t_end : t_start + (s + 1) * h;
        ISO_TRY(fixed_step(run, h, t_next));
        run->report.smallest_step = h;
    }
done:
    return status;
}

static iso_status check_problem(iso_context* ctx, const iso_rk_table* table,
                                const iso_rk_problem* problem, double t, double t_end,
                                double accuracy) {
    ISO_REQUIRE(ctx, problem->dimension >= 0, ISO_ERR_RANGE, "%s: dimension is %d, expected >= 0",
                table->name, problem->dimension);
    ISO_REQUIRE(ctx, isfinite(t) && isfinite(t_end) && t_end >= t, ISO_ERR_RANGE,
                "%s: from t = %.9g s to %.9g s, expected finite and forward", table->name, t,
                t_end);
    ISO_REQUIRE(ctx, isfinite(accuracy), ISO_ERR_RANGE, "%s: accuracy is %g, expected finite",
                table->name, accuracy);
    ISO_REQUIRE(ctx, problem->min_step >= 0.0 && problem->max_step >= 0.0, ISO_ERR_RANGE,
                "%s: shortest step is %g s, longest %g s, expected >= 0", table->name,
                problem->min_step, problem->max_step);
    for (int i = 0; problem->scales && i < problem->dimension; ++i) {
        ISO_REQUIRE(ctx, problem->scales[i] > 0.0, ISO_ERR_RANGE,
                    "%s: scale of component %d is %g, expected > 0", table->name, i,
                    problem->scales[i]);
    }
    return ISO_OK;
}

iso_status iso_rk_advance(iso_context* ctx, const iso_rk_table* table,
                          const iso_rk_problem* problem, double* t, double* y, double t_end,
                          double accuracy, iso_rk_state* state, iso_rk_report* out_report) {
    if (out_report) {
        *out_report = (iso_rk_report){.worst_component = -1};
    }
    ISO_REQUIRE(ctx, table && problem && problem->rhs && t && y && state && state->work,
                ISO_ERR_ARGUMENT, "table, problem, rhs, t, y, state and work are required");
    iso_status status = check_problem(ctx, table, problem, *t, t_end, accuracy);
    if (status != ISO_OK) {
        return status;
    }
    advance run = {.ctx = ctx, .table = table, .problem = problem, .t = t, .y = y};
    run.report.worst_component = -1;
    run.y_new = state->work;
    run.stages = state->work + problem->dimension;
    bool is_controlled = accuracy > 0.0 && table->embedded_order > 0;
    status = is_controlled ? advance_controlled(&run, t_end, accuracy, state)
                           : advance_fixed(&run, t_end, state->h);
    if (out_report) {
        *out_report = run.report;
    }
    return status;
}
