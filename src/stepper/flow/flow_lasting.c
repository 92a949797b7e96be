// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What contacts keep in the continuous methods. Bristles are a part of the state, of every pair
// that may meet, so that a pair that touches within a step has its own. Speeds of impact are
// latched at accepted states. docs/theory/bristle.md, docs/theory/point_contact.md.

#include "stepper/flow/flow.h"

#include <math.h>
#include <string.h>

// A memory whose friction is less than this is none.
#define FORGOTTEN 1e-14
// A latched speed that is not positive is that of a touch at rest [m/s].
#define LEAST_LATCHED 1e-300

int iso_flow_bristle_count(const iso_flow* f) {
    return ISO_BRISTLE_STATE_COUNT * f->lasting_count;
}

static void set_impact(iso_flow* f, int i, double speed) {
    const iso_lasting_pair* pair = &f->lasting[i];
    f->impact_speeds[i] = speed;
    f->dissipations[i] = iso_contact_impact_dissipation(f->stages->stepper->dynamics.contact,
                                                        pair->geometry_a, pair->geometry_b, speed);
}

static iso_status push_lasting(iso_flow* f) {
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    int count = f->lasting_count, bristles = iso_flow_bristle_count(f);
    int states = multibody->q_count + multibody->v_count, total = 2 * bristles + 2 * count + states;
    double* numbers = iso_arena_push_array(&stepper->arena, total, sizeof *numbers);
    ISO_REQUIRE(stepper->ctx, numbers, ISO_ERR_MEMORY, "memory of %d pairs", count);
    memset(numbers, 0, (size_t)total * sizeof *numbers);
    f->bristles = numbers;
    f->bristle_rates = numbers + bristles;
    f->impact_speeds = numbers + 2 * bristles;
    f->dissipations = f->impact_speeds + count;
    f->accepted = NULL;
    for (int i = 0; i < count; ++i) {
        f->accepted = f->lasting[i].is_latched ? f->dissipations + count : f->accepted;
    }
    return ISO_OK;
}

iso_status iso_flow_begin_lasting(iso_flow* f, const iso_step_input* input) {
    const iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    f->lasting = iso_contact_system_lasting(stepper->dynamics.contact, &f->lasting_count);
    iso_status status = f->lasting_count > 0 ? push_lasting(f) : ISO_OK;
    int at = 0;
    for (int i = 0; i < f->lasting_count && status == ISO_OK; ++i) {
        const iso_lasting_pair* pair = &f->lasting[i];
        const iso_pair_memory* memory = iso_pair_memory_next(
            input->memories, input->memory_count, pair->geometry_a, pair->geometry_b, &at);
        iso_episode episode;
        if (memory && iso_episode_recall(memory, &episode)) {
            memcpy((double*)(uintptr_t)f->bristles + ISO_BRISTLE_STATE_COUNT * i, episode.bristles,
                   sizeof episode.bristles);
            if (pair->is_latched && episode.impact_speed > 0.0) {
                set_impact(f, i, episode.impact_speed);
            }
        }
    }
    if (status == ISO_OK && f->accepted) {
        memcpy(f->accepted, input->q, (size_t)multibody->q_count * sizeof *input->q);
        memcpy(f->accepted + multibody->q_count, input->v,
               (size_t)multibody->v_count * sizeof *input->v);
    }
    return status;
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
    for (int i = 0; i < f->lasting_count; ++i) {
        const iso_lasting_pair* lasting = &f->lasting[i];
        while (at < now->set.pair_count && now->set.pairs[at].lasting < lasting) {
            ++at;
        }
        bool touches = at < now->set.pair_count && now->set.pairs[at].lasting == lasting;
        if (!touches) {
            f->impact_speeds[i] = 0.0;
        } else if (lasting->is_latched && !(f->impact_speeds[i] > 0.0)) {
            set_impact(f, i, touch_speed(f, before, now, &now->set.pairs[at], duration));
        }
    }
}

void iso_flow_latch(iso_flow* f, double t, const double* y) {
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    double duration = t - f->latched_time;
    iso_stages now = iso_flow_begin(f);
    iso_kinematics before;
    if (iso_kinematics_push(multibody, &stepper->arena, &before) == ISO_OK &&
        iso_flow_place(f, &now, t, y) == ISO_OK && iso_stage_contacts(&now) == ISO_OK) {
        iso_multibody_kinematics(multibody, f->accepted, f->accepted + multibody->q_count, &before);
        latch_touching(f, &before, &now, duration);
    }
    memcpy(f->accepted, y, (size_t)(multibody->q_count + multibody->v_count) * sizeof *y);
    f->latched_time = t;
    iso_arena_release(&stepper->arena, mark);
}

static bool is_forgotten(const iso_lasting_pair* pair, const iso_episode* episode) {
    double scales[ISO_BRISTLE_STATE_COUNT], most = 0.0;
    iso_bristle_scales(pair, scales);
    for (int i = 0; i < ISO_BRISTLE_STATE_COUNT; ++i) {
        most = fmax(most, fabs(episode->bristles[i]) / scales[i]);
    }
    return most < FORGOTTEN && !(episode->impact_speed > 0.0);
}

iso_status iso_flow_keep_lasting(const iso_flow* f, const double* bristles, iso_arena* arena,
                                 iso_contact_result* result) {
    result->memory_count = 0;
    if (f->lasting_count == 0) {
        return ISO_OK;
    }
    result->memories = iso_arena_push_array(arena, f->lasting_count, sizeof *result->memories);
    ISO_REQUIRE(arena->ctx, result->memories, ISO_ERR_MEMORY, "memory of %d pairs",
                f->lasting_count);
    for (int i = 0; i < f->lasting_count; ++i) {
        const iso_lasting_pair* pair = &f->lasting[i];
        iso_episode episode = {.impact_speed = f->impact_speeds[i]};
        memcpy(episode.bristles, bristles + ISO_BRISTLE_STATE_COUNT * i, sizeof episode.bristles);
        if (is_forgotten(pair, &episode)) {
            continue;
        }
        iso_pair_memory* memory = &result->memories[result->memory_count++];
        memory->geometry_a = pair->geometry_a;
        memory->geometry_b = pair->geometry_b;
        iso_episode_remember(&episode, memory);
    }
    return ISO_OK;
}

// Before a speed is latched it is that of now, within the substep in which the bodies touch.
static double dissipation_of(const iso_flow* f, const iso_contact_pair* pair, iso_spatial v_c) {
    ptrdiff_t i = pair->lasting - f->lasting;
    if (!pair->lasting->is_latched) {
        return pair->dissipation;
    }
    if (f->impact_speeds[i] > 0.0) {
        return f->dissipations[i];
    }
    double approach = -iso_vec3_dot(pair->model->loaded_normal(pair), v_c.translational);
    return iso_contact_impact_dissipation(f->stages->stepper->dynamics.contact, pair->geometry_a,
                                          pair->geometry_b, approach);
}

iso_spatial iso_flow_contact_wrench(iso_flow* f, const iso_stages* now,
                                    const iso_contact_pair* pair, iso_spatial v_c,
                                    iso_contact_losses* out_losses, iso_vec3* out_tractions,
                                    iso_vec3* out_slips) {
    const iso_contact_system* system = now->stepper->dynamics.contact;
    if (!pair->lasting) {
        return pair->model->wrench(system, pair, v_c, out_losses, out_tractions, out_slips);
    }
    iso_contact_pair own = *pair;
    own.dissipation = dissipation_of(f, pair, v_c);
    if (!pair->bristles) {
        return pair->model->wrench(system, &own, v_c, out_losses, out_tractions, out_slips);
    }
    const iso_spatial* v_wb = now->kinematics.v_wb;
    iso_vec3 sum = iso_vec3_add(v_wb[pair->body_a].rotational, v_wb[pair->body_b].rotational);
    ptrdiff_t at = ISO_BRISTLE_STATE_COUNT * (pair->lasting - f->lasting);
    return iso_bristle_wrench(&own, v_c, iso_vec3_scale(sum, 0.5), f->bristles + at, out_losses,
                              f->bristle_rates + at);
}
