// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The continuous methods: dx/dt = f(x) from stages 1 to 5 with the continuous contact law, handed
// to a Runge-Kutta method or another one with error control. The state is (q, v, memory of
// contacts, works, impulses), so the energy ledger and the mean forces of constraints are
// integrated with the accuracy of the motion.

#include "base/system/clock.h"
#include "contact/pairs/stretched.h"
#include "stepper/flow/flow.h"
#include "stepper/flow/flow_memory.h"
#include "stepper/flow/implicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Shortest step of the error control relative to the time step, or to this one where that is
// longer: what sticks does so in as short a time.
#define SHORTEST_STEP 1e-9
#define LONG_STEP 1e-3 // [s]

// Rounding of a component that is so much of the accuracy is what a step fails for.
#define FINE_ROUNDING 0.01

// Scale of error that leaves a component out of the error control.
#define UNCONTROLLED 1e100

static int impulse_count(const iso_stepper* stepper) {
    return 6 * stepper->closure.constraint_count + iso_stepper_tie_count(stepper);
}

// Numbers of the state after q, v and memory, which do not act back on it; blows (push_blows())
// follow them.
static int booked_count(const iso_stepper* stepper) {
    return ISO_WORK_COUNT + impulse_count(stepper);
}

// Where they start.
static int booked_at(const iso_flow* f) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    return multibody->q_count + multibody->v_count + iso_flow_memory_count(f);
}

iso_status iso_flow_place(iso_flow* f, iso_stages* now, double t, const double* y) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    f->input.kinematics = NULL;
    f->now_time = t;
    f->input.q = y;
    f->input.v = y + multibody->q_count;
    if (f->memory) {
        f->memory->now = f->input.v + multibody->v_count;
    }
    iso_status status = iso_stage_kinematics(now);
    if (status == ISO_OK && f->input.place_moved) {
        f->input.place_moved(f->input.place_user, t - f->input.time, &now->kinematics);
    }
    return status;
}

iso_stages iso_flow_begin(const iso_flow* f) {
    return (iso_stages){.stepper = f->stages->stepper,
                        .input = &f->input,
                        .span = f->stages->span,
                        .is_within = true,
                        .lap = iso_clock_seconds()};
}

void iso_flow_end(const iso_flow* f, const iso_stages* now) {
    for (int i = 0; i < 8; ++i) {
        f->stages->report.stage_seconds[i] += now->report.stage_seconds[i];
    }
}

// Stages 1 to 5 at one state of the integrator.
static iso_status differentiate(iso_flow* f, double t, const double* y, double* out_dydt) {
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    double* out_vdot = out_dydt + multibody->q_count;
    double* out_powers = out_dydt + booked_at(f);
    iso_stages now = iso_flow_begin(f);
    iso_status status = ISO_OK;
    ISO_TRY(iso_flow_place(f, &now, t, y));
    ISO_TRY(iso_stage_contacts(&now));
    f->is_odd = f->is_odd || iso_contact_set_is_odd(&now.set);
    iso_multibody_qdot(multibody, f->input.q, f->input.v, out_dydt);
    ISO_TRY(iso_flow_accelerate(f, &now, out_vdot, out_powers));
    ISO_TRY(iso_flow_is_memory_short(f) ? ISO_ERR_NOT_FOUND : ISO_OK); // without a message
    iso_flow_copy_rates(f, out_vdot + multibody->v_count);
    if (f->limit_tau) {
        size_t bytes = (size_t)multibody->v_count * sizeof *f->limit_tau;
        double* out_blows = out_powers + booked_count(stepper);
        memcpy(out_blows, f->limit_tau, bytes);
        memcpy(out_blows + multibody->v_count, f->rope_tau, bytes);
    }
    iso_flow_note_loads(f, &now.kinematics, out_vdot);
    double* rates = out_powers + ISO_WORK_COUNT;
    int constraints = stepper->closure.constraint_count, ties = iso_stepper_tie_count(stepper);
    if (constraints > 0) {
        memcpy(rates, f->constraint_forces, (size_t)constraints * sizeof *f->constraint_forces);
    }
    if (ties > 0) {
        memcpy(rates + 6 * constraints, f->tie_efforts, (size_t)ties * sizeof *rates);
    }
done:
    iso_flow_end(f, &now);
    return status;
}

static iso_status right_hand_side(void* user, double t, const double* y, double* out_dydt) {
    iso_flow* f = user;
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const double* q = y;
    const double* v = y + multibody->q_count;
    if (f->is_controlled && iso_find_non_finite(multibody, q, v) >= 0) {
        for (int i = 0; i < booked_at(f) + booked_count(stepper); ++i) { // no blows
            out_dydt[i] = NAN;
        }
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    iso_status status = differentiate(f, t, y, out_dydt);
    iso_arena_release(&stepper->arena, mark);
    return status;
}

// Numbers that are integrated: q, v, memory, works, impulses of limits and ropes.
static int dimension_of(const iso_flow* f) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    int count = booked_at(f) + booked_count(f->stages->stepper);
    return f->limit_tau ? count + 2 * multibody->v_count : count;
}

static void project(void* user, double t, double* y) {
    iso_flow* f = user;
    iso_multibody_normalize(f->stages->stepper->dynamics.multibody, y);
    iso_flow_accept(f, t, y, dimension_of(f));
    if (f->is_controlled && f->input.part_accepted) {
        iso_flow_tell(f, t, y, true);
    }
}

static double find_event(void* user, double t, const double* y, double h, const double* y_new) {
    (void)y; // the last accepted state
    return iso_flow_find_touch(user, t + h, h, y_new);
}

// One metre, one radian (two units of a quaternion's component), one of each per second.
static void fill_scales(const iso_flow* f, int dimension, double* scales) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    int end = multibody->q_count + multibody->v_count;
    for (int i = 0; i < end; ++i) {
        scales[i] = 1.0;
    }
    for (int i = end; i < dimension; ++i) {
        scales[i] = UNCONTROLLED;
    }
    iso_flow_memory_scales(f, UNCONTROLLED, scales + end);
    for (int b = 1; b < multibody->body_count; ++b) {
        for (int i = 0; iso_mobility_has_quat(multibody->bodies[b].mobility) && i < 4; ++i) {
            scales[multibody->bodies[b].q_index + i] = 0.5;
        }
    }
}

// Time spent in stages 1 to 5.
static double inner_seconds(const iso_step_report* report) {
    const double* s = report->stage_seconds;
    return s[0] + s[1] + s[2] + s[3] + s[4];
}

// The body whose inboard joint a component of the state belongs to, or -1.
static int body_of_component(const iso_multibody* multibody, int component) {
    int dof = component - multibody->q_count;
    if (dof >= 0 && dof < multibody->v_count) {
        return multibody->dof_body[dof];
    }
    for (int b = 1; b < multibody->body_count && dof < 0; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        int first = body->q_index;
        if (component >= first && component < first + iso_mobility_q_count(body->mobility)) {
            return b;
        }
    }
    return -1;
}

// What is hit by a spring as stiff as the step allows moves in jerks that a method without error
// control does not resolve, however small the step. So it integrates not the power, but the
// generalised forces of such springs, and books what their impulses do at the mean velocity: with
// constant masses the change of kinetic energy to rounding.
static iso_status push_blows(iso_flow* f) {
    const iso_stepper* stepper = f->stages->stepper;
    iso_arena* arena = &f->stages->stepper->arena;
    int v_count = stepper->dynamics.multibody->v_count;
    bool has_blows = stepper->limited_count + stepper->tendon_law_count > 0;
    for (int i = 0; i < stepper->closure.constraint_count; ++i) {
        const iso_constraint* c = &stepper->closure.constraints[i];
        has_blows = has_blows || (c->kind == ISO_CONSTRAINT_TENDON && iso_constraint_is_rigid(c));
    }
    if (!has_blows || stepper->method->table->embedded_order > 0) {
        return ISO_OK;
    }
    f->limit_tau = iso_arena_push_array(arena, v_count, sizeof *f->limit_tau);
    f->rope_tau = iso_arena_push_array(arena, v_count, sizeof *f->rope_tau);
    ISO_REQUIRE(arena->ctx, f->limit_tau && f->rope_tau, ISO_ERR_MEMORY,
                "impulses on %d degrees of freedom", v_count);
    return ISO_OK;
}

// Works of impulses, from the state at the end of a step.
static void book_blows(const iso_flow* f, const double* v0, const double* y, iso_works* works) {
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    const double* v = y + multibody->q_count;
    const double* limits = y + booked_at(f) + booked_count(f->stages->stepper);
    const double* ropes = limits + multibody->v_count;
    for (int d = 0; f->limit_tau && d < multibody->v_count; ++d) {
        works->limit += 0.5 * limits[d] * (v0[d] + v[d]);
        works->constraint += 0.5 * ropes[d] * (v0[d] + v[d]);
    }
}

static double longest_step(void* user, double t, const double* y, const double* rates) {
    return iso_flow_longest_step(user, t, y, rates);
}

// What an explicit method did before an implicit one took over.
static void add_report(iso_rk_report* sum, const iso_rk_report* before) {
    sum->accepted_count += before->accepted_count;
    sum->rejected_count += before->rejected_count;
    sum->rhs_count += before->rhs_count;
    sum->largest_error = fmax(sum->largest_error, before->largest_error);
    if (before->accepted_count > 0 &&
        !(sum->smallest_step > 0.0 && sum->smallest_step < before->smallest_step)) {
        sum->smallest_step = before->smallest_step;
    }
}

static bool is_stiff(const iso_rk_problem* problem, double t, const double* y, double substep) {
    return iso_flow_is_stiff(problem->user, problem, t, y, substep);
}

// An explicit method leaves what is left of a step to radau, where that is too stiff for it.
static iso_status run_method(iso_flow* f, const iso_rk_table* table, const iso_rk_problem* problem,
                             double* t, double* y, double accuracy, iso_rk_state* state,
                             iso_rk_report* out_report) {
    const iso_stages* stages = f->stages;
    double t_end = stages->input->time + stages->span; // *t is later in a second part
    const char* ode = stages->stepper->method->ode;
    if (ode) {
        return iso_flow_advance_implicit(f, ode, problem, t, y, t_end, accuracy, out_report);
    }
    iso_status status = iso_rk_advance(stages->stepper->ctx, table, problem, t, y, t_end, accuracy,
                                       state, out_report);
    if (status == ISO_OK && *t < t_end) {
        iso_rk_report before = *out_report;
        iso_rk_problem rest = *problem;
        rest.max_step_count -= before.accepted_count + before.rejected_count;
        status = iso_flow_advance_implicit(f, "radau", &rest, t, y, t_end, accuracy, out_report);
        add_report(out_report, &before);
    }
    return status;
}

// The body that a state accelerates most, in m/s^2 and rad/s^2; -1 where none is known.
static int most_driven(iso_flow* f, double t, const double* y) {
    iso_arena* arena = &f->stages->stepper->arena;
    const iso_multibody* multibody = f->stages->stepper->dynamics.multibody;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    double* rates = iso_arena_push_array(arena, dimension_of(f), sizeof *rates);
    int body = -1;
    double most = 0.0;
    bool is_known = rates && right_hand_side(f, t, y, rates) == ISO_OK;
    for (int d = 0; is_known && d < multibody->v_count; ++d) {
        double rate = fabs(rates[multibody->q_count + d]);
        if (!(rate <= most)) {
            most = isnan(rate) ? INFINITY : rate;
            body = multibody->dof_body[d];
        }
    }
    iso_arena_release(arena, mark);
    return body;
}

// Components behind positions and velocities: sums belong to no body, but one drives them.
static iso_status blame_rest(iso_flow* f, iso_status status, double t, const double* y,
                             int component) {
    iso_stepper* stepper = f->stages->stepper;
    int place = component - booked_at(f);
    if (place < 0) {
        return iso_flow_blame_memory(f, status, place + iso_flow_memory_count(f));
    }
    if (status != ISO_ERR_NUMERIC && status != ISO_ERR_NO_CONVERGENCE) {
        return status;
    }
    const char* sum = place < ISO_WORK_COUNT ? "a work of the energy ledger"
                                             : "a force of constraints, couplers or limits";
    int body = most_driven(f, t, y);
    return body < 0 ? iso_fail_prefix(stepper->ctx, status, "%s", sum)
                    : iso_fail_prefix(stepper->ctx, status, "%s; body '%s' accelerates most", sum,
                                      iso_stepper_body_name(stepper, body));
}

// Why an integration failed, in words of the world.
static iso_status blame(iso_flow* f, iso_status status, double t, const double* y,
                        const iso_rk_report* report) {
    iso_stepper* stepper = f->stages->stepper;
    int worst = status == ISO_OK ? -1 : report->worst_component;
    int body = body_of_component(stepper->dynamics.multibody, worst);
    double accuracy = f->is_controlled ? stepper->settings.accuracy : 0.0;
    if (body >= 0 && f->is_controlled && fabs(y[worst]) * DBL_EPSILON > FINE_ROUNDING * accuracy) {
        status = iso_fail_prefix(
            stepper->ctx, status,
            "body '%s' or its joint is too far out or too fast for an accuracy "
            "of %g, as doubles know %g to %.1g",
            iso_stepper_body_name(stepper, body), accuracy, y[worst], fabs(y[worst]) * DBL_EPSILON);
    } else if (status == ISO_ERR_NO_CONVERGENCE && body >= 0) {
        status = iso_fail_prefix(
            stepper->ctx, status,
            "body '%s' or its joint moves too fast or stiffly for an error-controlled method: use "
            "a velocity-level method (lagged), an accuracy larger than %g, or more than %d "
            "max_substeps",
            iso_stepper_body_name(stepper, body), accuracy, stepper->settings.max_substeps);
    } else if (body >= 0) {
        status = iso_fail_prefix(stepper->ctx, status, "body '%s'",
                                 iso_stepper_body_name(stepper, body));
    } else if (worst >= 0) {
        status = blame_rest(f, status, t, y, worst);
    }
    iso_status by_law = status != ISO_OK ? iso_flow_blame_law(f, status) : ISO_OK;
    return by_law != ISO_OK ? by_law : status;
}

// Fixed steps have no substeps.
static void note_report(iso_step_report* out, const iso_rk_report* report, bool is_first,
                        bool is_controlled) {
    out->iterations += report->rhs_count;
    if (!is_controlled) {
        return;
    }
    out->residual = fmax(out->residual, report->largest_error);
    out->substep_count += report->accepted_count;
    out->rejected_count += report->rejected_count;
    if (report->accepted_count > 0) {
        bool is_only = is_first || out->smallest_substep == 0.0;
        out->smallest_substep =
            is_only ? report->smallest_step : fmin(out->smallest_substep, report->smallest_step);
    }
    out->substep_error = fmax(out->substep_error, report->largest_error);
}

// From t on, as far as the end of the step or where a pair begins to touch that has no numbers.
static iso_status advance_part(iso_flow* f, double* t, double* y, iso_rk_report* out_report) {
    iso_stages* stages = f->stages;
    iso_stepper* stepper = stages->stepper;
    const iso_rk_table* table = stepper->method->table;
    int dimension = dimension_of(f);
    double* scales = iso_arena_push_array(&stepper->arena, dimension, sizeof *scales);
    iso_rk_state state = {.h = stepper->settings.initial_step};
    state.work =
        iso_arena_push(&stepper->arena, iso_rk_work_count(table, dimension) * sizeof *state.work);
    ISO_REQUIRE(stepper->ctx, scales && state.work, ISO_ERR_MEMORY, "stages of %d numbers",
                dimension);
    iso_status status = iso_flow_accept_from(f, *t, y, dimension);
    if (status != ISO_OK) {
        return status;
    }
    fill_scales(f, dimension, scales);
    iso_rk_problem problem = {.dimension = dimension,
                              .rhs = right_hand_side,
                              .project = project,
                              .event = f->memory && f->memory->is_latched ? find_event : NULL,
                              .longest_step = longest_step,
                              .is_stiff = is_stiff,
                              .user = f,
                              .scales = scales,
                              .min_step = SHORTEST_STEP * fmin(stages->span, LONG_STEP),
                              .max_step = stepper->settings.max_step,
                              .max_step_count = stepper->settings.max_substeps};
    double accuracy = f->is_controlled ? stepper->settings.accuracy : 0.0;
    return run_method(f, table, &problem, t, y, accuracy, &state, out_report);
}

static iso_status advance(iso_flow* f, double** y) {
    iso_stages* stages = f->stages;
    f->is_controlled = stages->stepper->method->table->embedded_order > 0;
    double t = stages->input->time;
    double start = iso_clock_seconds(), before = inner_seconds(&stages->report);
    iso_rk_report report;
    iso_status status = ISO_OK;
    for (bool is_first = true, is_done = false; !is_done; is_first = false) {
        report = (iso_rk_report){.worst_component = -1};
        status = advance_part(f, &t, *y, &report);
        note_report(&stages->report, &report, is_first, f->is_controlled);
        is_done = status != ISO_ERR_NOT_FOUND || !iso_flow_is_memory_short(f);
        if (!is_done) {
            status = iso_flow_add_memory(f, dimension_of(f), &t, y);
            is_done = status != ISO_OK;
        }
    }
    status = blame(f, status, t, *y, &report);
    double inside = inner_seconds(&stages->report) - before;
    stages->report.stage_seconds[5] += iso_clock_seconds() - start - inside;
    return status;
}

// The new state and the works out of y, when they are finite.
static iso_status take_state(iso_flow* f, double* y, iso_step_output* output) {
    iso_stages* stages = f->stages;
    const iso_multibody* multibody = stages->stepper->dynamics.multibody;
    stages->q = y;
    stages->v = y + multibody->q_count;
    int body = iso_find_non_finite(multibody, stages->q, stages->v);
    ISO_REQUIRE(stages->stepper->ctx, body < 0, ISO_ERR_NUMERIC,
                "state of body '%s' is not finite after the step",
                iso_stepper_body_name(stages->stepper, body));
    iso_status status = iso_flow_keep_memory(f, stages->v + multibody->v_count, &output->contacts);
    if (status != ISO_OK) {
        return status;
    }
    const double* booked = y + booked_at(f);
    memcpy(&output->works, booked, sizeof output->works);
    iso_flow_watch_gain(stages, stages->q, stages->v, &output->works);
    // Where forces of a stage swing, as after a jump of a moved body's velocity, their mean does
    // not.
    int constraints = stages->stepper->closure.constraint_count;
    double* forces = (double*)output->constraint_forces;
    for (int i = 0; i < 6 * constraints; ++i) {
        forces[i] = booked[ISO_WORK_COUNT + i] / stages->span;
    }
    for (int i = 0; i < iso_stepper_tie_count(stages->stepper); ++i) {
        output->tie_efforts[i] = booked[ISO_WORK_COUNT + 6 * constraints + i] / stages->span;
    }
    book_blows(f, stages->input->v, y, &output->works);
    iso_kinematics end = {0};
    if (stages->stepper->dynamics.tendon_count > 0) { // else nobody looks at it
        status = iso_kinematics_push(multibody, &stages->stepper->arena, &end);
        if (status != ISO_OK) {
            return status;
        }
        iso_multibody_kinematics(multibody, stages->q, stages->v, &end);
    }
    f->now_time = stages->input->time + stages->span;
    iso_flow_find_efforts(f, &end, stages->q, stages->v, output->efforts);
    memcpy(output->q, stages->q, (size_t)multibody->q_count * sizeof *output->q);
    memcpy(output->v, stages->v, (size_t)multibody->v_count * sizeof *output->v);
    output->report = stages->report;
    return ISO_OK;
}

iso_status iso_continuous_contacts(iso_stages* stages, iso_contact_result* out_result) {
    iso_stepper* stepper = stages->stepper;
    iso_flow f = {.stages = stages};
    iso_status status = iso_contact_result_push(&stepper->arena, &stages->set, out_result);
    if (status == ISO_OK && stepper->dynamics.contact &&
        iso_contact_system_has_stretch(stepper->dynamics.contact)) {
        status = iso_contact_result_push_springs(&stepper->arena, out_result);
    }
    status = status == ISO_OK ? iso_flow_begin_memory(&f) : status;
    for (int i = 0; i < stages->set.pair_count && status == ISO_OK; ++i) {
        const iso_contact_pair* pair = &stages->set.pairs[i];
        iso_spatial v_c = iso_spatial_add(
            iso_pair_twist(&stages->kinematics, pair),
            iso_surface_twist(stepper->dynamics.contact, &stages->kinematics, pair));
        iso_contact_losses losses;
        iso_face_values faces = iso_contact_result_faces(out_result, i);
        status =
            iso_flow_contact_wrench(&f, stages, i, v_c, &losses, &faces, &out_result->f_b_w[i]);
    }
    iso_stages_lap(stages, 4);
    return status;
}

iso_status iso_continuous_loads(iso_stages* stages, const iso_step_loads* loads) {
    iso_stepper* stepper = stages->stepper;
    const iso_closure* closure = &stepper->closure;
    iso_arena* arena = &stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_flow f = {.stages = stages,
                  .input = *stages->input,
                  .now_time = stages->input->time,
                  .loads = *loads};
    iso_status status = ISO_OK;
    double powers[ISO_WORK_COUNT];
    double* vdot = iso_arena_push_array(arena, stepper->dynamics.multibody->v_count, sizeof *vdot);
    f.constraint_forces =
        iso_arena_push_array(arena, closure->constraint_count, sizeof *f.constraint_forces);
    f.tie_efforts =
        iso_arena_push_array(arena, iso_stepper_tie_count(stepper), sizeof *f.tie_efforts);
    ISO_CHECK(stepper->ctx, vdot && f.constraint_forces && f.tie_efforts, ISO_ERR_MEMORY,
              "accelerations of %d degrees of freedom", stepper->dynamics.multibody->v_count);
    ISO_TRY(iso_flow_begin_memory(&f));
    ISO_TRY(iso_flow_prepare(&f));
    ISO_TRY(iso_flow_accelerate(&f, stages, vdot, powers));
    iso_flow_note_loads(&f, &stages->kinematics, vdot);
done:
    iso_arena_release(arena, mark);
    return status;
}

iso_status iso_stepper_integrate(iso_stepper* stepper, const iso_step_input* input,
                                 iso_step_output* output) {
    const iso_multibody* multibody = stepper->dynamics.multibody;
    int q_count = multibody->q_count, v_count = multibody->v_count;
    iso_stages stages = {.stepper = stepper,
                         .input = input,
                         .span = stepper->settings.time_step,
                         .lap = iso_clock_seconds()};
    iso_flow f = {.stages = &stages,
                  .input = *input,
                  .accepted_time = input->time,
                  .loads = output->loads,
                  .constraint_forces = output->constraint_forces,
                  .tie_efforts = output->tie_efforts};
    iso_status status = ISO_OK;
    ISO_TRY(iso_stage_kinematics(&stages));
    ISO_TRY(iso_stage_contacts(&stages));
    ISO_TRY(iso_continuous_contacts(&stages, &output->contacts));
    ISO_TRY(iso_flow_watch_friction(&f, &output->contacts));
    ISO_TRY(iso_flow_begin_memory(&f));
    ISO_TRY(iso_flow_prepare(&f));
    ISO_TRY(push_blows(&f));
    double* y = iso_arena_push_array(&stepper->arena, dimension_of(&f), sizeof *y);
    ISO_CHECK(stepper->ctx, y, ISO_ERR_MEMORY, "state of %d numbers", q_count + v_count);
    memcpy(y, input->q, (size_t)q_count * sizeof *y);
    memcpy(y + q_count, input->v, (size_t)v_count * sizeof *y);
    for (int i = q_count + v_count; i < dimension_of(&f); ++i) {
        y[i] = 0.0;
    }
    if (iso_flow_memory_count(&f) > 0) {
        memcpy(y + q_count + v_count, f.memory->now, (size_t)iso_flow_memory_count(&f) * sizeof *y);
    }
    ISO_TRY(advance(&f, &y));
    ISO_TRY(take_state(&f, y, output));
done:
    return status;
}
