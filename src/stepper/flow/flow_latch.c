// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Speeds of impact, latched at accepted states. docs/theory/point_contact.md.

#include "stepper/flow/flow_memory.h"

#include <math.h>

// A latched speed that is not positive is that of a touch at rest [m/s].
#define LEAST_LATCHED 1e-300

void iso_flow_set_impact(const iso_flow* f, iso_flow_pair* pair, double speed) {
    pair->impact_speed = speed;
    pair->dissipation = iso_contact_impact_dissipation(f->stages->stepper->dynamics.contact,
                                                       pair->geometry_a, pair->geometry_b, speed);
}

double iso_flow_dissipation(const iso_flow* f, const iso_flow_pair* pair,
                            const iso_contact_pair* touching, iso_spatial v_c) {
    if (!pair->lasting || !pair->lasting->is_latched) {
        return touching->dissipation;
    }
    if (pair->impact_speed > 0.0) {
        return pair->dissipation;
    }
    double approach = -iso_vec3_dot(touching->model->loaded_normal(touching), v_c.translational);
    return iso_contact_impact_dissipation(f->stages->stepper->dynamics.contact, pair->geometry_a,
                                          pair->geometry_b, approach);
}

static double approach_of(const iso_flow* f, const iso_kinematics* kinematics,
                          const iso_contact_pair* pair) {
    iso_vec3 n = pair->model->loaded_normal(pair);
    const iso_contact_system* system = f->stages->stepper->dynamics.contact;
    iso_spatial v_c = iso_spatial_add(iso_pair_twist(kinematics, pair),
                                      iso_surface_twist(system, kinematics, pair));
    return -iso_vec3_dot(n, v_c.translational);
}

// How deep the bodies are, of a force that grows with the depth to the power 3/2.
static double depth_of(const iso_contact_pair* pair) {
    iso_contact_stiffness s = pair->model->stiffness(pair);
    return s.stiffness > 0.0 ? 1.5 * s.force / s.stiffness : 0.0;
}

// The substep went from `before` to `now`; its last part, depth over speed, was in contact.
static double touch_speed(const iso_flow* f, const iso_kinematics* before, const iso_stages* now,
                          const iso_contact_pair* pair, double duration) {
    double start = approach_of(f, before, pair), end = approach_of(f, &now->kinematics, pair);
    double mean = 0.5 * (start + end);
    double inside = mean > 0.0 ? fmin(depth_of(pair) / mean, duration) : 0.0;
    double share = duration > 0.0 ? 1.0 - inside / duration : 1.0;
    return fmax(start + share * (end - start), LEAST_LATCHED);
}

static void latch_touching(iso_flow* f, const iso_kinematics* before, const iso_stages* now,
                           double duration) {
    int at = 0;
    for (int i = 0; i < f->memory->count; ++i) {
        iso_flow_pair* pair = &f->memory->pairs[i];
        if (!pair->lasting || !pair->lasting->is_latched) {
            continue;
        }
        while (at < now->set.pair_count && now->set.pairs[at].lasting < pair->lasting) {
            ++at; // NULL, or one of the lasting pairs before
        }
        bool touches = at < now->set.pair_count && now->set.pairs[at].lasting == pair->lasting;
        if (!touches) {
            pair->impact_speed = 0.0;
        } else if (!(pair->impact_speed > 0.0)) {
            iso_flow_set_impact(f, pair,
                                touch_speed(f, before, now, &now->set.pairs[at], duration));
        }
    }
}

void iso_flow_latch(iso_flow* f, double t, const double* y) {
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const double* accepted = f->memory->accepted;
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    iso_stages now = iso_flow_begin(f);
    iso_kinematics before;
    if (iso_kinematics_push(multibody, &stepper->arena, &before) == ISO_OK &&
        iso_flow_place(f, &now, t, y) == ISO_OK && iso_stage_contacts(&now) == ISO_OK) {
        iso_multibody_kinematics(multibody, accepted, accepted + multibody->q_count, &before);
        latch_touching(f, &before, &now, t - f->memory->accepted_time);
    }
    iso_arena_release(&stepper->arena, mark);
}
