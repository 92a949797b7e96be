// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Steps of TAMSI: a step whose Newton iterations do not converge is taken again in halves, quarters
// and so on, each a whole step with patches of its own; of the smallest parts those that do not
// converge are taken by a method that has a minimum.

#include "base/core/log.h"
#include "stepper/stages/stages.h"

#include <string.h>

// A step is cut into at most two to the power of this.
#define MAX_HALVINGS 5

// After so many multiplications of eliminations, a quarter of a second or so, the parts of a step
// that are left are not tried any more.
#define MOST_WORK 5e8

// Input of the next part of a step: the state that the last one left.
static iso_status go_on(iso_stepper* stepper, const iso_step_input* whole, double time,
                        const iso_step_output* last, iso_step_input* out,
                        iso_kinematics* kinematics) {
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_arena* arena = &stepper->arena;
    double* q = iso_arena_push_array(arena, multibody->q_count, sizeof *q);
    double* v = iso_arena_push_array(arena, multibody->v_count, sizeof *v);
    ISO_REQUIRE(stepper->ctx, q && v, ISO_ERR_MEMORY, "state within a step");
    memcpy(q, last->q, (size_t)multibody->q_count * sizeof *q);
    memcpy(v, last->v, (size_t)multibody->v_count * sizeof *v);
    *out = *whole;
    out->time = whole->time + time;
    out->q = q;
    out->v = v;
    out->is_start = false;
    out->moved = NULL;
    out->memories = last->contacts.memories;
    out->memory_count = last->contacts.memory_count;
    out->kinematics = NULL;
    if (whole->place_moved) {
        iso_status status = iso_kinematics_push(multibody, arena, kinematics);
        if (status != ISO_OK) {
            return status;
        }
        iso_multibody_kinematics(multibody, q, v, kinematics);
        whole->place_moved(whole->place_user, time, kinematics);
        out->kinematics = kinematics;
    }
    return ISO_OK;
}

static void add_report(const iso_step_report* part, iso_step_report* sum) {
    iso_step_report all = *part;
    all.iterations += sum->iterations;
    all.residual = part->residual > sum->residual ? part->residual : sum->residual;
    all.reason = ISO_STEP_REASON_NONE;
    all.reason_body_a = all.reason_body_b = -1;
    for (int i = 0; i < 8; ++i) {
        all.stage_seconds[i] += sum->stage_seconds[i];
    }
    *sum = all;
}

// The convex method that has friction of an impact at once, as TAMSI does for slow slip.
static iso_status step_by_similar(iso_stepper* stepper, const iso_step_input* input, double dt,
                                  iso_step_output* output) {
    stepper->method = iso_method_row_of(ISO_METHOD_SIMILAR);
    iso_status status = iso_stepper_step_velocities(stepper, input, dt, output);
    stepper->method = iso_method_row_of(ISO_METHOD_TAMSI);
    if (status == ISO_OK && !atomic_exchange(&stepper->dynamics.told->is_fallback, true)) {
        iso_log(stepper->ctx, ISO_LOG_WARNING,
                "tamsi finds no root at t = %g s, not in a part of %g s either: such parts are of "
                "the method similar; a smaller time step avoids them",
                input->time, dt);
    }
    return status;
}

// Works and reports add up; forces and contacts are those of the last part.
static iso_status step_in_parts(iso_stepper* stepper, const iso_step_input* input, int part_count,
                                bool is_last_resort, iso_step_output* output) {
    double dt = stepper->settings.time_step / part_count;
    iso_step_output sum = {0};
    iso_step_input now = *input;
    iso_kinematics kinematics;
    iso_status status = ISO_OK;
    bool is_similar = false;
    for (int i = 0; i < part_count; ++i) {
        if (i > 0) {
            ISO_TRY(go_on(stepper, input, i * dt, output, &now, &kinematics));
        }
        bool is_spent = is_last_resort && stepper->root_work > MOST_WORK;
        status = is_spent ? ISO_ERR_NO_CONVERGENCE
                          : iso_stepper_step_velocities(stepper, &now, dt, output);
        if (status == ISO_ERR_NO_CONVERGENCE && is_last_resort) {
            is_similar = true;
            status = step_by_similar(stepper, &now, dt, output);
        }
        ISO_TRY(status);
        iso_works_add(&sum.works, &output->works);
        add_report(&output->report, &sum.report);
    }
    output->works = sum.works;
    output->report = sum.report;
    output->report.reason = is_similar ? ISO_STEP_REASON_NO_ROOT : ISO_STEP_REASON_NONE;
done:
    return status;
}

iso_status iso_stepper_step_tamsi(iso_stepper* stepper, const iso_step_input* input,
                                  iso_step_output* output) {
    const iso_multibody* multibody = stepper->dynamics.multibody;
    stepper->root_work = 0.0;
    iso_status status =
        iso_stepper_step_velocities(stepper, input, stepper->settings.time_step, output);
    for (int i = 1; i <= MAX_HALVINGS && status == ISO_ERR_NO_CONVERGENCE; ++i) {
        bool is_spent = stepper->root_work > MOST_WORK;
        // The parts of a step that fails later must not show in the caller's state.
        ISO_TRY(iso_arena_reset(&stepper->arena));
        iso_step_output parts = *output;
        parts.q = iso_arena_push_array(&stepper->arena, multibody->q_count, sizeof *parts.q);
        parts.v = iso_arena_push_array(&stepper->arena, multibody->v_count, sizeof *parts.v);
        ISO_CHECK(stepper->ctx, parts.q && parts.v, ISO_ERR_MEMORY, "state within a step");
        bool is_last = is_spent || i == MAX_HALVINGS;
        status = step_in_parts(stepper, input, is_spent ? 1 : 1 << i, is_last, &parts);
        if (status == ISO_OK) {
            memcpy(output->q, parts.q, (size_t)multibody->q_count * sizeof *output->q);
            memcpy(output->v, parts.v, (size_t)multibody->v_count * sizeof *output->v);
            parts.q = output->q;
            parts.v = output->v;
            *output = parts;
        }
    }
done:
    return status;
}
