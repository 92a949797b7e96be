// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The steps that an error-controlled velocity-level method takes within a step of the world: how
// long each is, and what happens where none is short enough. docs/theory/adaptive.md.

#include "stepper/adaptive/adaptive.h"

#include "base/core/ample.h"

#include <math.h>
#include <string.h>

// Shortest substep of a time step. Where errors still are too large then, it fails.
#define SHORTEST 1e-7
// The first substep of all [s].
#define FIRST_SUBSTEP 1e-3
// A proportional-integral controller: [Hairer1996, section IV.2], and how much a substep may
// change.
#define SAFETY 0.9
#define PROPORTIONAL 0.7
#define INTEGRAL 0.4
#define MOST_GROWTH 5.0
#define LEAST_GROWTH 0.2
#define REJECTED_SHRINK 0.1
#define FAILED_SHRINK 0.25
// Errors so small count as this, so that one of them does not decide about the next substep.
#define LEAST_ERROR 1e-4
// So small an error, in units of the accuracy, is not what kept substeps short.
#define LITTLE_ERROR 1e-2
// What ties close, they close in this time at least [s].
#define LEAST_RECOVERY 1e-4
// So many substeps after one that was cut for what moves past something else are no longer.
#define PACED_SUBSTEPS 20.0

static double longest_substep(const iso_stepper* stepper) {
    double time_step = stepper->settings.time_step, longest = stepper->settings.max_step;
    return longest > 0.0 ? fmin(longest, time_step) : time_step;
}

static double growth_after(const iso_adaptive* a, const iso_substep_state* control, double error) {
    double e = fmax(error, LEAST_ERROR), k = 1.0 / (a->order + 1);
    double growth =
        SAFETY * pow(e, -PROPORTIONAL * k) * pow(fmax(control->error, LEAST_ERROR), INTEGRAL * k);
    growth = fmin(fmax(growth, LEAST_GROWTH), MOST_GROWTH);
    return a->rejected > 0 ? fmin(growth, 1.0) : growth;
}

// The substep to try after one of length h. One that was cut says nothing against a longer one.
static double next_after(const iso_adaptive* a, const iso_substep_state* control, double error,
                         double h) {
    double next = h * growth_after(a, control, error);
    if (a->rejected > 0 || h >= control->next * (1.0 - 1e-9)) {
        return next;
    }
    double longest = SAFETY * pow(fmax(error, LEAST_ERROR), -1.0 / (a->order + 1));
    return fmax(fmax(control->next, next), h * fmin(longest, MOST_GROWTH));
}

// What is cut at the end of a time step may ask for more than that, so that the next one begins so.
static double longest_after(const iso_adaptive* a) {
    double longest = a->stepper->settings.max_step;
    return longest > 0.0 ? longest : INFINITY;
}

// After a substep that was accepted.
static void choose_next(const iso_adaptive* a, iso_substep_state* control, double error, double h) {
    control->next = fmin(next_after(a, control, error, h), longest_after(a));
    control->error = error;
    if (control->pace_left > 0.0) {
        control->next = fmin(control->next, control->pace);
        control->pace_left -= 1.0;
    }
}

static double shrink_after(double error, int order) {
    return isfinite(error) ? fmax(SAFETY * pow(error, -1.0 / (order + 1)), REJECTED_SHRINK)
                           : FAILED_SHRINK;
}

// The next substep: what is left, or so much that what is left is not a sliver.
static double cut(double h, double left) {
    if (h >= left * (1.0 - 1e-9)) {
        return left;
    }
    return 2.0 * h > left ? 0.5 * left : h;
}

static void add_report(const iso_step_report* part, iso_step_report* sum) {
    iso_step_report all = *part;
    all.iterations += sum->iterations;
    all.line_search_iterations += sum->line_search_iterations;
    all.total_iterations += sum->total_iterations;
    all.residual = fmax(part->residual, sum->residual);
    all.substep_count = sum->substep_count;
    all.rejected_count = sum->rejected_count;
    all.smallest_substep = sum->smallest_substep;
    all.largest_substep = sum->largest_substep;
    all.substep_error = sum->substep_error;
    for (int i = 0; i < 8; ++i) {
        all.stage_seconds[i] += sum->stage_seconds[i];
    }
    *sum = all;
}

static void count_attempt(iso_adaptive* a, const iso_attempt* attempt, double h, bool is_good) {
    iso_step_report* r = &a->report;
    add_report(&attempt->whole.report, r);
    add_report(&attempt->halves[0].report, r);
    add_report(&attempt->halves[1].report, r);
    r->rejected_count += !is_good;
    if (is_good) {
        r->smallest_substep = r->substep_count > 0 ? fmin(r->smallest_substep, h) : h;
        r->largest_substep = fmax(r->largest_substep, h);
        r->substep_error = fmax(r->substep_error, attempt->error);
        ++r->substep_count;
    }
}

static iso_status begin(iso_adaptive* a) {
    iso_stepper* stepper = a->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const iso_closure* closure = &stepper->closure;
    iso_arena* arena = &stepper->arena;
    iso_status status = ISO_OK;
    double* sizes = iso_arena_push_array(arena, multibody->link_count, sizeof *sizes);
    a->q = iso_arena_push_array(arena, multibody->q_count, sizeof *a->q);
    a->v = iso_arena_push_array(arena, multibody->v_count, sizeof *a->v);
    a->constraint_forces =
        iso_arena_push_array(arena, closure->constraint_count, sizeof *a->constraint_forces);
    a->tie_efforts =
        iso_arena_push_array(arena, iso_stepper_tie_count(stepper), sizeof *a->tie_efforts);
    bool has_all = sizes && a->q && a->v && a->constraint_forces && a->tie_efforts;
    ISO_CHECK(stepper->ctx, has_all, ISO_ERR_MEMORY, "state of %d degrees of freedom",
              multibody->v_count);
    if (a->output->loads.vdot && a->output->loads.f_b_w) {
        a->vdot = a->output->loads.vdot;
        a->f_b_w = a->output->loads.f_b_w;
        memset(a->vdot, 0, (size_t)multibody->v_count * sizeof *a->vdot);
        memset(a->f_b_w, 0, (size_t)multibody->body_count * sizeof *a->f_b_w);
    }
    memset(a->constraint_forces, 0,
           (size_t)closure->constraint_count * sizeof *a->constraint_forces);
    memset(a->tie_efforts, 0, (size_t)iso_stepper_tie_count(stepper) * sizeof *a->tie_efforts);
    for (int l = 0; l < multibody->link_count; ++l) {
        sizes[l] = iso_adaptive_size(&multibody->links[l]);
    }
    a->sizes = sizes;
    memcpy(a->q, a->input->q, (size_t)multibody->q_count * sizeof *a->q);
    memcpy(a->v, a->input->v, (size_t)multibody->v_count * sizeof *a->v);
    ISO_TRY(iso_kinematics_push(multibody, arena, &a->start));
    iso_multibody_kinematics(multibody, a->q, a->v, &a->start);
    if (a->input->place_moved) {
        a->input->place_moved(a->input->place_user, 0.0, &a->start);
    }
    ISO_TRY(iso_adaptive_find_contacts(a, &a->start, a->patches, &a->contacts));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(stepper->ctx, &stepper->kept, a->input->memory_count,
                                    multibody->body_count));
    stepper->kept.count = a->input->memory_count;
    for (int i = 0; i < a->input->memory_count; ++i) {
        stepper->kept.data[i] = a->input->memories[i];
    }
done:
    return status;
}

// Where errors would allow longer substeps than what moves past something else does.
static iso_status fail_for_pace(const iso_adaptive* a, double h) {
    const iso_stepper* stepper = a->stepper;
    const iso_contact_system* system = stepper->dynamics.contact;
    const iso_contact_geometry* first = iso_contact_system_geometry(system, a->fastest.a);
    const iso_contact_geometry* second = iso_contact_system_geometry(system, a->fastest.b);
    return iso_fail(stepper->ctx, ISO_ERR_NO_CONVERGENCE, __func__,
                    "at t = %.9g s bodies '%s' and '%s' move past each other by half of the sides "
                    "of '%s' or '%s' in %.3g s: that is too fast for substeps of at least %.3g s "
                    "and max_substeps of %d; use a shorter time step or more substeps",
                    a->input->time + a->elapsed, first->body_name, second->body_name, first->name,
                    second->name, h, SHORTEST * stepper->settings.time_step,
                    stepper->settings.max_substeps);
}

static iso_status fail(const iso_adaptive* a, const iso_attempt* last,
                       const iso_substep_state* control, double h) {
    const iso_stepper* stepper = a->stepper;
    double t = a->input->time + a->elapsed;
    bool is_paced = control->pace_left > 0.0 || last->error <= LITTLE_ERROR;
    if (is_paced && a->fastest.b > 0 && last->status == ISO_OK && last->error <= 1.0) {
        return fail_for_pace(a, control->pace);
    }
    if (last->status != ISO_OK) {
        return iso_fail_prefix(stepper->ctx, last->status,
                               "at t = %.9g s a step of %.3g s, the shortest one, has no solution",
                               t, h);
    }
    const char* body = iso_stepper_body_name(stepper, last->worst);
    double accuracy = stepper->settings.accuracy;
    if (h < SHORTEST * stepper->settings.time_step) {
        return iso_fail(stepper->ctx, ISO_ERR_NO_CONVERGENCE, __func__,
                        "at t = %.9g s a step of %.3g s, the shortest one, is %.3g times as wrong "
                        "as an accuracy of %g allows, most of all body '%s': use a larger "
                        "accuracy, or fixed steps",
                        t, h, last->error, accuracy, body);
    }
    return iso_fail(
        stepper->ctx, ISO_ERR_NO_CONVERGENCE, __func__,
        "at t = %.9g s max_substeps of %d are spent on an accuracy of %g; the last one, "
        "of %.3g s, has an error of %.3g times that, most of all of body '%s': use a "
        "larger accuracy, more max_substeps or a shorter time step",
        t, stepper->settings.max_substeps, accuracy, h, last->error, body);
}

static void tell_accepted(const iso_adaptive* a, double h, const iso_attempt* attempt) {
    if (a->input->part_accepted) {
        const iso_contact_set* set = &attempt->halves[1].contacts.set;
        iso_step_part part = {.time = a->input->time + a->elapsed,
                              .duration = h,
                              .q = a->q,
                              .v = a->v,
                              .kinematics = &a->start,
                              .touching = set,
                              .seen = set};
        part.seen_time = part.time - 0.5 * h; // where the second half begins
        a->input->part_accepted(a->input->part_user, &part);
    }
}

// One substep, after as many attempts as it takes.
static iso_status advance(iso_adaptive* a, iso_substep_state* control, iso_attempt* attempt,
                          int* left_count) {
    iso_stepper* stepper = a->stepper;
    double time_step = stepper->settings.time_step, left = time_step - a->elapsed;
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    // What a long substep left would be thrown back by a short one, the faster the shorter it is.
    a->recovery = fmin(fmax(control->next, LEAST_RECOVERY), time_step);
    for (;;) {
        double h = cut(control->next, left);
        iso_status status = iso_adaptive_try(a, h, attempt);
        if (status != ISO_OK) {
            return status;
        }
        bool is_good = attempt->status == ISO_OK && attempt->error <= 1.0;
        double allowed = is_good ? iso_adaptive_allowed_by_pace(a, attempt, h) : h;
        is_good = is_good && allowed >= h;
        count_attempt(a, attempt, h, is_good);
        --*left_count;
        if (is_good) {
            choose_next(a, control, attempt->error, h);
            a->rejected = 0;
            status = iso_adaptive_accept(a, h, attempt);
            // What is accepted before the rope is taut tells nothing of when it will be.
            a->catches = a->elapsed < a->caught_at * (1.0 - 1e-12) ? a->catches : 0;
            if (status == ISO_OK) {
                tell_accepted(a, h, attempt);
            }
            return status;
        }
        ++a->rejected;
        a->catches += attempt->is_caught;
        a->caught_at = attempt->is_caught ? a->elapsed + h : a->caught_at;
        control->next = allowed < h ? allowed : h * shrink_after(attempt->error, a->order);
        if (allowed < h) {
            control->pace = allowed;
            control->pace_left = PACED_SUBSTEPS;
        }
        if (control->next < SHORTEST * time_step || *left_count <= 0) {
            return fail(a, attempt, control, *left_count <= 0 ? h : control->next);
        }
        iso_arena_release(&stepper->arena, mark);
    }
}

static void finish(const iso_adaptive* a, const iso_attempt* last,
                   const iso_substep_state* control) {
    const iso_stepper* stepper = a->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const iso_step_output* half = &last->halves[1];
    iso_step_output* out = a->output;
    memcpy(out->q, a->q, (size_t)multibody->q_count * sizeof *out->q);
    memcpy(out->v, a->v, (size_t)multibody->v_count * sizeof *out->v);
    for (int i = 0; i < stepper->dynamics.actuator_count; ++i) {
        out->efforts[i] = half->efforts[i];
    }
    for (int i = 0; i < stepper->closure.constraint_count; ++i) {
        out->constraint_forces[i] = a->constraint_forces[i];
    }
    for (int i = 0; i < iso_stepper_tie_count(stepper); ++i) {
        out->tie_efforts[i] = a->tie_efforts[i];
    }
    out->works = a->works;
    out->booked_stretch = a->booked_stretch;
    out->contacts = half->contacts;
    out->report = a->report;
    // A step never begins with more than its first attempt can take back.
    out->substeps = *control;
    out->substeps.next = fmin(control->next, stepper->settings.time_step);
}

iso_status iso_stepper_step_adaptive(iso_stepper* stepper, const iso_step_input* input,
                                     iso_step_output* output) {
    if (iso_adaptive_rests(stepper, input, output)) {
        return ISO_OK;
    }
    iso_status status = iso_arena_reset(&stepper->arena);
    double time_step = stepper->settings.time_step;
    iso_adaptive a = {.stepper = stepper,
                      .input = input,
                      .output = output,
                      .order = stepper->method->order,
                      .report = {.slowest_body = -1, .reason_body_a = -1, .reason_body_b = -1}};
    iso_substep_state control = input->substeps;
    if (!(control.next > 0.0)) {
        double first = stepper->settings.initial_step;
        control = (iso_substep_state){.next = first > 0.0 ? first : FIRST_SUBSTEP, .error = 1.0};
    }
    // A state may come from anywhere.
    double shortest = SHORTEST * time_step;
    control.next = fmin(fmax(control.next, shortest), longest_substep(stepper));
    control.error = fmax(control.error, 0.0);
    control.pace = fmax(control.pace, shortest);
    iso_attempt attempt;
    int left_count = stepper->settings.max_substeps;
    status = status == ISO_OK ? begin(&a) : status;
    if (status != ISO_OK) {
        return status;
    }
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    while (a.elapsed < time_step * (1.0 - 1e-12)) {
        iso_arena_release(&stepper->arena, mark);
        if (left_count <= 0) {
            status = fail(&a, &attempt, &control, control.next);
        } else {
            status = advance(&a, &control, &attempt, &left_count);
        }
        if (status != ISO_OK) {
            return status;
        }
    }
    finish(&a, &attempt, &control);
    return iso_adaptive_note_rest(&a);
}
