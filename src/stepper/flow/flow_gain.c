// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Fixed explicit steps longer than stiff contacts allow give bodies energy that nobody stored. No
// law of contact does that, so that the books of a step show it. docs/theory/step.md.

#include "stepper/flow/flow.h"

#include "base/core/log.h"

// Share of the kinetic energy by which a step may be wrong and nothing is said.
#define LEAST_SHARE 0.1
// The same of stored energy, which columns of fields give roughly.
#define LEAST_TIMES 2.0

// Moved surfaces work on what they touch.
static bool has_moving_surfaces(const iso_stages* stages) {
    const iso_contact_system* system = stages->stepper->dynamics.contact;
    const iso_multibody* multibody = stages->stepper->dynamics.multibody;
    for (int b = 1; b < multibody->body_count; ++b) {
        iso_spatial v = stages->kinematics.v_wb[b];
        if (multibody->bodies[b].tree < 0 && iso_spatial_dot(v, v) > 0.0) {
            return true;
        }
    }
    for (int i = 0; i < iso_contact_system_geometry_count(system); ++i) {
        const iso_contact_geometry* g = iso_contact_system_geometry(system, i);
        if (iso_vec3_norm_squared(g->surface_velocity) > 0.0) {
            return true;
        }
    }
    return false;
}

// In contacts and in what they remember, at the start of the step [J].
static double stored_energy(const iso_stages* stages) {
    const iso_contact_set* set = &stages->set;
    double sum = 0.0;
    for (int i = 0; i < set->pair_count; ++i) {
        sum += set->pairs[i].model->energy(&set->pairs[i]);
    }
    for (int i = 0; i < stages->input->memory_count; ++i) {
        sum += iso_contact_memory_energy(stages->stepper->dynamics.contact,
                                         &stages->input->memories[i]);
    }
    return sum;
}

// The degree of freedom whose velocity changed most has it.
static int changed_body(const iso_stages* stages, const double* v) {
    const iso_multibody* multibody = stages->stepper->dynamics.multibody;
    int body = -1;
    double most = 0.0;
    for (int d = 0; d < multibody->v_count; ++d) {
        double change = fabs(v[d] - stages->input->v[d]);
        if (change > most) {
            most = change;
            body = multibody->dof_body[d];
        }
    }
    return body;
}

// Of the end of the step [J]. NaN without memory: then nothing is said.
static double end_energy(const iso_stages* stages, const double* q, const double* v) {
    const iso_multibody* multibody = stages->stepper->dynamics.multibody;
    iso_arena_mark mark = iso_arena_get_mark(&stages->stepper->arena);
    iso_kinematics end;
    double kinetic = NAN;
    if (iso_kinematics_push(multibody, &stages->stepper->arena, &end) == ISO_OK) {
        iso_multibody_kinematics(multibody, q, v, &end);
        kinetic = iso_multibody_kinetic_energy(multibody, &end);
    }
    iso_arena_release(&stages->stepper->arena, mark);
    return kinetic;
}

void iso_flow_watch_gain(const iso_stages* stages, const double* q, const double* v,
                         const iso_works* works) {
    iso_stepper* stepper = stages->stepper;
    double given = works->contact; // at most what was stored, less losses and what is stored then
    if (stepper->method->table->embedded_order > 0 || !(given > 0.0) ||
        atomic_load(&stepper->dynamics.told->is_gaining)) {
        return;
    }
    double stored = stored_energy(stages);
    double kinetic = iso_multibody_kinetic_energy(stepper->dynamics.multibody, &stages->kinematics);
    double gained = given - stored; // as booked, which too long a step does with errors of its own
    if (gained <= fmax(LEAST_TIMES * stored, LEAST_SHARE * kinetic) ||
        has_moving_surfaces(stages) || !(end_energy(stages, q, v) - kinetic > 0.5 * gained) ||
        atomic_exchange(&stepper->dynamics.told->is_gaining, true)) {
        return;
    }
    iso_log(
        stepper->ctx, ISO_LOG_WARNING,
        "contact gave %.3g J in the step at t = %.9g s, where %.3g J were stored, to '%s' most: "
        "it is too stiff for fixed steps of %g s; use a velocity-level method (lagged), one "
        "with error control (rk45, radau) or shorter steps",
        given, stages->input->time, stored, iso_stepper_body_name(stepper, changed_body(stages, v)),
        stages->span);
}
