// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Implicit methods with error control: the rows of ode.h that are made for stiff problems.

#include "stepper/flow/implicit.h"

#include "integrator/ode.h"
#include "stepper/flow/flow_jacobian.h"

// What the callbacks of explicit methods become.
typedef struct bridge {
    const iso_rk_problem* problem;
    iso_flow* flow;
} bridge;

static iso_status rhs(void* user, double t, const double* y, double* out_dydt) {
    const bridge* b = user;
    return b->problem->rhs(b->problem->user, t, y, out_dydt);
}

static void project(void* user, double t, double* y) {
    const bridge* b = user;
    b->problem->project(b->problem->user, t, y);
}

static iso_status jacobian(void* user, double t, const double* y, const double* f,
                           double* out_jacobian) {
    (void)f;
    const bridge* b = user;
    return iso_flow_jacobian(b->flow, t, y, out_jacobian);
}

static double longest_step(void* user, double t, const double* y, const double* rates) {
    const bridge* b = user;
    return b->problem->longest_step(b->problem->user, t, y, rates);
}

static iso_status step_done(void* user, const iso_ode_curve* curve) {
    const bridge* b = user;
    return iso_flow_tell_between(b->flow, curve);
}

iso_status iso_flow_advance_implicit(iso_flow* f, const char* name, const iso_rk_problem* problem,
                                     double* t, double* y, double t_end, double accuracy,
                                     iso_rk_report* out_report) {
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const iso_ode_method* method = iso_ode_find_method(name);
    ISO_REQUIRE(stepper->ctx, method, ISO_ERR_UNSUPPORTED, "this build has no cvode");
    bridge between = {.problem = problem, .flow = f};
    iso_ode_problem same = {.dimension = problem->dimension,
                            .feedback_count =
                                multibody->q_count + multibody->v_count + iso_flow_memory_count(f),
                            .rhs = rhs,
                            .jacobian = iso_flow_memory_has_lines(f) ? jacobian : NULL,
                            .project = project,
                            .longest_step = longest_step,
                            .step_done = f->input.is_watched ? step_done : NULL,
                            .user = &between,
                            .scales = problem->scales,
                            .min_step = problem->min_step,
                            .max_step = problem->max_step,
                            .max_step_count = problem->max_step_count};
    iso_ode_state state = {.h = stepper->settings.initial_step,
                           .work =
                               iso_arena_push(&stepper->arena, iso_ode_work_size(method, &same))};
    ISO_REQUIRE(stepper->ctx, state.work, ISO_ERR_MEMORY, "stages of %d numbers",
                problem->dimension);
    iso_ode_report report;
    iso_status status =
        iso_ode_advance(stepper->ctx, method, &same, t, y, t_end, accuracy, &state, &report);
    *out_report = (iso_rk_report){.accepted_count = report.accepted_count,
                                  .rejected_count = report.rejected_count + report.unsolved_count,
                                  .rhs_count = report.rhs_count,
                                  .smallest_step = report.smallest_step,
                                  .largest_error = report.largest_error,
                                  .worst_component = report.worst_component};
    return status;
}
