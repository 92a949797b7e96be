// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Explicit Runge-Kutta methods as rows of ode.h.

#include "integrator/explicit_rk.h"
#include "integrator/ode_parts.h"

#include "base/core/fail.h"

static iso_status advance(iso_context* ctx, const iso_rk_table* table,
                          const iso_ode_problem* problem, double* t, double* y, double t_end,
                          double accuracy, iso_ode_state* state, iso_ode_report* report) {
    ISO_REQUIRE(ctx, problem->relative == 0.0, ISO_ERR_UNSUPPORTED,
                "%s: relative is %g, expected 0: its scales are constant", table->name,
                problem->relative);
    iso_rk_problem same = {.dimension = problem->dimension,
                           .rhs = problem->rhs,
                           .project = problem->project,
                           .longest_step = problem->longest_step,
                           .user = problem->user,
                           .scales = problem->scales,
                           .min_step = problem->min_step,
                           .max_step = problem->max_step,
                           .max_step_count = problem->max_step_count};
    iso_rk_state kept = {.h = state->h, .work = state->work};
    iso_rk_report made;
    iso_status status = iso_rk_advance(ctx, table, &same, t, y, t_end, accuracy, &kept, &made);
    state->h = kept.h;
    state->order = table->order;
    report->accepted_count = made.accepted_count;
    report->rejected_count = made.rejected_count;
    report->rhs_count = made.rhs_count;
    report->smallest_step = made.smallest_step;
    report->largest_error = made.largest_error;
    report->worst_component = made.worst_component;
    report->order_counts[table->order] = made.accepted_count;
    return status;
}

static size_t size_23(const iso_ode_problem* problem) {
    return iso_rk_work_count(&iso_rk_table_rk23, problem->dimension) * sizeof(double);
}

static iso_status advance_23(iso_context* ctx, const iso_ode_problem* problem, double* t, double* y,
                             double t_end, double accuracy, iso_ode_state* state,
                             iso_ode_report* report) {
    return advance(ctx, &iso_rk_table_rk23, problem, t, y, t_end, accuracy, state, report);
}

static size_t size_45(const iso_ode_problem* problem) {
    return iso_rk_work_count(&iso_rk_table_rk45, problem->dimension) * sizeof(double);
}

static iso_status advance_45(iso_context* ctx, const iso_ode_problem* problem, double* t, double* y,
                             double t_end, double accuracy, iso_ode_state* state,
                             iso_ode_report* report) {
    return advance(ctx, &iso_rk_table_rk45, problem, t, y, t_end, accuracy, state, report);
}

const iso_ode_method iso_ode_rk23 = {
    .name = "rk23", .most_order = 3, .work_size = size_23, .advance = advance_23};
const iso_ode_method iso_ode_rk45 = {
    .name = "rk45", .most_order = 5, .work_size = size_45, .advance = advance_45};
