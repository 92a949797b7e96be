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

// The last part of a substep in which bodies touched: depth over speed.
typedef struct touch {
    double speed; // of approach when it began [m/s]
    double ago;   // [s]
} touch;

// The substep went from `before` to `now`.
static touch find_touch(const iso_flow* f, const iso_kinematics* before, const iso_stages* now,
                        const iso_contact_pair* pair, double duration) {
    double start = approach_of(f, before, pair), end = approach_of(f, &now->kinematics, pair);
    double mean = 0.5 * (start + end);
    double inside = mean > 0.0 ? fmin(pair->model->depth(pair) / mean, duration) : 0.0;
    double share = duration > 0.0 ? 1.0 - inside / duration : 1.0;
    return (touch){fmax(start + share * (end - start), LEAST_LATCHED), inside};
}

// Pairs that begin to touch within a substep.
typedef struct touch_list {
    const iso_stages* now;
    int pair, touching; // next to look at
} touch_list;

// The next pair that latches speeds; out_touching NULL: it does not touch. NULL: there is none.
static iso_flow_pair* next_latched(iso_flow* f, touch_list* list,
                                   const iso_contact_pair** out_touching) {
    const iso_contact_set* set = &list->now->set;
    while (list->pair < f->memory->count) {
        iso_flow_pair* pair = &f->memory->pairs[list->pair++];
        if (!pair->lasting || !pair->lasting->is_latched) {
            continue;
        }
        while (list->touching < set->pair_count &&
               set->pairs[list->touching].lasting < pair->lasting) {
            ++list->touching; // NULL, or one of the lasting pairs before
        }
        bool touches =
            list->touching < set->pair_count && set->pairs[list->touching].lasting == pair->lasting;
        *out_touching = touches ? &set->pairs[list->touching] : NULL;
        return pair;
    }
    return NULL;
}

static void latch_touching(iso_flow* f, const iso_kinematics* before, const iso_stages* now,
                           double duration) {
    touch_list list = {.now = now};
    const iso_contact_pair* touching = NULL;
    for (iso_flow_pair* pair; (pair = next_latched(f, &list, &touching)) != NULL;) {
        if (!touching) {
            pair->impact_speed = 0.0;
        } else if (!(pair->impact_speed > 0.0)) {
            iso_flow_set_impact(f, pair, find_touch(f, before, now, touching, duration).speed);
        }
    }
}

// The earliest touch that is faster than what all slower ones count as.
static double earliest_touch(iso_flow* f, const iso_kinematics* before, const iso_stages* now,
                             double duration) {
    touch_list list = {.now = now};
    const iso_contact_pair* touching = NULL;
    double earliest = -1.0;
    for (iso_flow_pair* pair; (pair = next_latched(f, &list, &touching)) != NULL;) {
        if (touching && !(pair->impact_speed > 0.0)) {
            touch found = find_touch(f, before, now, touching, duration);
            earliest = found.speed > ISO_LEAST_IMPACT_SPEED ? fmax(earliest, found.ago) : earliest;
        }
    }
    return earliest;
}

// Contacts at a state after the last accepted one. What is pushed is the caller's to release.
static bool look(iso_flow* f, double t, const double* y, iso_kinematics* before, iso_stages* now) {
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const double* accepted = f->memory->accepted;
    *now = iso_flow_begin(f);
    if (iso_kinematics_push(multibody, &stepper->arena, before) != ISO_OK ||
        iso_flow_place(f, now, t, y) != ISO_OK || iso_stage_contacts(now) != ISO_OK) {
        return false;
    }
    iso_multibody_kinematics(multibody, accepted, accepted + multibody->q_count, before);
    return true;
}

void iso_flow_latch(iso_flow* f, double t, const double* y) {
    iso_arena* arena = &f->stages->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_kinematics before;
    iso_stages now;
    if (look(f, t, y, &before, &now)) {
        latch_touching(f, &before, &now, t - f->memory->accepted_time);
    }
    iso_arena_release(arena, mark);
}

double iso_flow_find_touch(iso_flow* f, double t, double duration, const double* y) {
    iso_arena* arena = &f->stages->stepper->arena;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_kinematics before;
    iso_stages now;
    double ago = look(f, t, y, &before, &now) ? earliest_touch(f, &before, &now, duration) : -1.0;
    iso_arena_release(arena, mark);
    return ago;
}
