// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How long a step of a continuous method may be, so that its stages see what things meet.

#include "stepper/flow/flow.h"

#include <math.h>

// Share of its own sides by which a geometry may move in a step: stages lie closer.
#define SHARE 0.5

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
        longest = iso_contact_system_longest_step(stepper->dynamics.contact, k->x_wb, k->v_wb, a_wb,
                                                  SHARE, stepper->settings.time_step,
                                                  !f->input.is_watched, &stepper->arena);
    }
    iso_arena_release(&stepper->arena, mark);
    return longest;
}
