// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A world that rests: what one step has found to move nothing is not solved again for a while, as
// long as state and inputs stay the same, bit by bit.

#include "stepper/adaptive/adaptive.h"

#include <math.h>
#include <string.h>

// How far what rests may move in a second, in units of the accuracy. It then stays where it is for
// the longest time, with its velocity, until the next step is solved.
#define STILL 1e-6
#define LONGEST_REST 10.0 // [s]

bool iso_adaptive_rests(iso_stepper* stepper, const iso_step_input* input,
                        iso_step_output* output) {
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_rest* rest = &stepper->rest;
    size_t actuators = (size_t)stepper->dynamics.actuator_count;
    size_t bodies = (size_t)multibody->body_count;
    bool is_same =
        rest->is_found && !input->place_moved && !input->actuation_ends &&
        input->time + stepper->settings.time_step <= rest->end &&
        iso_bits_are_same(rest->q, input->q, (size_t)multibody->q_count * sizeof(double)) &&
        iso_bits_are_same(rest->v, input->v, (size_t)multibody->v_count * sizeof(double)) &&
        iso_bits_are_same(rest->actuations, input->actuations,
                          actuators * sizeof *rest->actuations) &&
        iso_bits_are_same(rest->f_b_w, input->f_b_w, bodies * sizeof *rest->f_b_w) &&
        rest->output.contacts.memory_count == input->memory_count &&
        iso_bits_are_same(rest->output.contacts.memories, input->memories,
                          (size_t)input->memory_count * sizeof *input->memories);
    rest->is_found = is_same;
    if (!is_same) {
        return false;
    }
    iso_step_output kept = *output;
    *output = rest->output;
    output->q = kept.q;
    output->v = kept.v;
    output->efforts = kept.efforts;
    output->constraint_forces = kept.constraint_forces;
    output->tie_efforts = kept.tie_efforts;
    output->loads = kept.loads; // those of the step that found it
    memcpy(output->q, input->q, (size_t)multibody->q_count * sizeof *output->q);
    memcpy(output->v, input->v, (size_t)multibody->v_count * sizeof *output->v);
    for (size_t i = 0; i < actuators; ++i) {
        output->efforts[i] = rest->output.efforts[i];
    }
    for (int i = 0; i < stepper->closure.constraint_count; ++i) {
        output->constraint_forces[i] = rest->output.constraint_forces[i];
    }
    for (int i = 0; i < iso_stepper_tie_count(stepper); ++i) {
        output->tie_efforts[i] = rest->output.tie_efforts[i];
    }
    return true;
}

static void* push_copy(iso_arena* arena, const void* from, size_t size) {
    void* to = iso_arena_push(arena, size);
    if (to && size > 0) {
        memcpy(to, from, size);
    }
    return to;
}

// What a step at rest hands out: that of the present one.
static bool keep(iso_adaptive* a, iso_rest* rest) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    const iso_closure* closure = &a->stepper->closure;
    iso_arena* arena = &a->stepper->arena;
    iso_step_output* out = &rest->output;
    size_t actuators = (size_t)a->stepper->dynamics.actuator_count;
    rest->q = push_copy(arena, a->input->q, (size_t)multibody->q_count * sizeof *a->q);
    rest->v = push_copy(arena, a->input->v, (size_t)multibody->v_count * sizeof *a->v);
    rest->actuations = push_copy(arena, a->input->actuations, actuators * sizeof *rest->actuations);
    rest->f_b_w =
        push_copy(arena, a->input->f_b_w, (size_t)multibody->body_count * sizeof *rest->f_b_w);
    *out = *a->output;
    out->efforts = push_copy(arena, a->output->efforts, actuators * sizeof *out->efforts);
    out->constraint_forces =
        push_copy(arena, a->output->constraint_forces,
                  (size_t)closure->constraint_count * sizeof *out->constraint_forces);
    out->tie_efforts =
        push_copy(arena, a->output->tie_efforts,
                  (size_t)iso_stepper_tie_count(a->stepper) * sizeof *out->tie_efforts);
    out->report.iterations = out->report.line_search_iterations = 0;
    out->report.total_iterations = out->report.substep_count = out->report.rejected_count = 0;
    memset(out->report.stage_seconds, 0, sizeof out->report.stage_seconds);
    return rest->q && rest->v && rest->actuations && rest->f_b_w && out->efforts &&
           out->constraint_forces && out->tie_efforts;
}

iso_status iso_adaptive_note_rest(iso_adaptive* a) {
    iso_stepper* stepper = a->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    double time_step = stepper->settings.time_step;
    iso_rest* rest = &stepper->rest;
    rest->is_found = false;
    bool is_led = a->input->place_moved || a->input->actuation_ends;
    if (is_led || !a->input->actuations || !a->input->f_b_w || a->report.substep_count != 1) {
        return ISO_OK;
    }
    iso_kinematics before;
    iso_status status = iso_kinematics_push(multibody, &stepper->arena, &before);
    if (status != ISO_OK) {
        return status;
    }
    iso_multibody_kinematics(multibody, a->input->q, a->input->v, &before);
    int worst = -1;
    double moved = iso_adaptive_difference(a, &before, &a->start, time_step, &worst) / time_step;
    if (moved > STILL * stepper->settings.accuracy) {
        return ISO_OK;
    }
    // It stays where it was, so that whoever begins anew from here finds the same.
    iso_contact_result* contacts = &a->output->contacts;
    contacts->memory_count = a->input->memory_count;
    contacts->memories = push_copy(&stepper->arena, a->input->memories,
                                   (size_t)a->input->memory_count * sizeof *contacts->memories);
    ISO_REQUIRE(stepper->ctx, contacts->memories, ISO_ERR_MEMORY, "memories of %d contacts",
                contacts->memory_count);
    memcpy(a->output->q, a->input->q, (size_t)multibody->q_count * sizeof *a->output->q);
    memcpy(a->output->v, a->input->v, (size_t)multibody->v_count * sizeof *a->output->v);
    a->output->booked_stretch = 0.0;
    rest->is_found = keep(a, rest);
    rest->end = a->input->time + fmax(LONGEST_REST, time_step);
    return ISO_OK;
}
