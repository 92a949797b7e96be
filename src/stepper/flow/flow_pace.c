// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How long a step of a continuous method may be, so that its stages see what things meet, and who
// is told of it.

#include "stepper/flow/flow.h"

#include "base/core/fail.h"
#include "base/system/clock.h"

#include <math.h>

// Share of its own sides by which a geometry may move in a step: stages lie closer.
#define SHARE 0.5

// States of one step that are told of at most.
#define MOST_PARTS 16.0

double iso_flow_longest_step(iso_flow* f, double t, const double* y, const double* rates) {
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    iso_stages now = {.stepper = stepper, .input = &f->input, .is_within = true};
    double longest = 0.0;
    iso_spatial* a_wb = iso_arena_push_array(&stepper->arena, multibody->body_count, sizeof *a_wb);
    if (a_wb && stepper->dynamics.contact && iso_flow_place(f, &now, t, y) == ISO_OK) {
        const iso_kinematics* k = &now.kinematics;
        iso_multibody_body_accelerations(multibody, k, y + multibody->q_count,
                                         rates + multibody->q_count, a_wb);
        iso_contact_system* contact = stepper->dynamics.contact;
        longest = iso_contact_system_longest_step(contact, k->x_wb, k->v_wb, a_wb, SHARE,
                                                  stepper->settings.time_step, &stepper->arena);
        f->told_step = f->input.is_watched
                           ? iso_contact_system_own_step(contact, k->x_wb, k->v_wb, a_wb, SHARE)
                           : INFINITY;
    }
    iso_arena_release(&stepper->arena, mark);
    return longest;
}

void iso_flow_tell(iso_flow* f, double t, const double* y, bool is_end) {
    iso_arena* arena = &f->stages->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_stages now = {.stepper = f->stages->stepper,
                      .input = &f->input,
                      .is_within = true,
                      .lap = iso_clock_seconds()};
    if (iso_flow_place(f, &now, t, y) == ISO_OK) {
        bool is_seen = is_end && f->is_odd && iso_stage_contacts(&now) == ISO_OK;
        iso_step_part part = {.time = t,
                              .duration = t - f->accepted_time,
                              .q = f->input.q,
                              .v = f->input.v,
                              .kinematics = &now.kinematics,
                              .touching = &f->stages->set,
                              .seen = is_seen ? &now.set : NULL,
                              .seen_time = t};
        f->input.part_accepted(f->input.part_user, &part);
    }
    f->accepted_time = t;
    f->is_odd = f->is_odd && !is_end;
    iso_arena_release(arena, mark);
}

iso_status iso_flow_tell_between(iso_flow* f, const iso_ode_curve* curve) {
    iso_arena* arena = &f->stages->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    double h = curve->t_end - curve->t_start;
    int count = (int)fmin(ceil(h / f->told_step), MOST_PARTS);
    double* y = iso_arena_push_array(arena, curve->dimension, sizeof *y);
    ISO_REQUIRE(arena->ctx, y, ISO_ERR_MEMORY, "a state of %d numbers", curve->dimension);
    for (int i = 1; i < count; ++i) {
        double t = curve->t_start + h * i / count;
        curve->evaluate(curve, t, y);
        iso_multibody_normalize(f->stages->stepper->dynamics.multibody, y);
        iso_flow_tell(f, t, y, false);
    }
    iso_arena_release(arena, mark);
    return ISO_OK;
}
