// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// One substep solved over its whole length and in two halves, and what they give together.

#include "stepper/adaptive/adaptive.h"

#include "base/core/ample.h"

#include <math.h>
#include <string.h>

// Shares of a substep after which the midpoint method takes forces: up to the first it is of second
// order, from the second on of first order.
#define SECOND_ORDER_SHARE 0.55
#define FIRST_ORDER_SHARE 0.95
// Tensions of a rope that goes on differ by this share at most; of one that is caught by a quarter
// at least.
#define SMOOTH_TENSION 0.1

// --- one solution --------------------------------------------------------------------------------

// Fixed bodies that a caller moves, from the start of a substep on.
typedef struct later_place {
    const iso_step_input* whole;
    double offset;
} later_place;

static void place_later(const void* user, double elapsed, iso_kinematics* kinematics) {
    const later_place* later = user;
    later->whole->place_moved(later->whole->place_user, later->offset + elapsed, kinematics);
}

static iso_status push_output(const iso_adaptive* a, iso_step_output* out) {
    const iso_dynamics* dynamics = &a->stepper->dynamics;
    const iso_multibody* multibody = dynamics->multibody;
    const iso_closure* closure = &a->stepper->closure;
    iso_arena* arena = &a->stepper->arena;
    *out = (iso_step_output){0};
    out->q = iso_arena_push_array(arena, multibody->q_count, sizeof *out->q);
    out->v = iso_arena_push_array(arena, multibody->v_count, sizeof *out->v);
    out->efforts = iso_arena_push_array(arena, dynamics->actuator_count, sizeof *out->efforts);
    out->constraint_forces =
        iso_arena_push_array(arena, closure->constraint_count, sizeof *out->constraint_forces);
    out->tie_efforts =
        iso_arena_push_array(arena, iso_stepper_tie_count(a->stepper), sizeof *out->tie_efforts);
    bool has_all = out->q && out->v && out->efforts && out->constraint_forces && out->tie_efforts;
    if (a->vdot) {
        out->loads.vdot = iso_arena_push_array(arena, multibody->v_count, sizeof *out->loads.vdot);
        out->loads.f_b_w =
            iso_arena_push_array(arena, multibody->body_count, sizeof *out->loads.f_b_w);
        has_all = has_all && out->loads.vdot && out->loads.f_b_w;
    }
    ISO_REQUIRE(arena->ctx, has_all, ISO_ERR_MEMORY, "a part of a step of %d degrees of freedom",
                multibody->v_count);
    return ISO_OK;
}

static iso_status place(const iso_adaptive* a, const double* q, const double* v, double elapsed,
                        iso_kinematics* out) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    iso_status status = iso_kinematics_push(multibody, &a->stepper->arena, out);
    if (status == ISO_OK) {
        iso_multibody_kinematics(multibody, q, v, out);
        if (a->input->place_moved) {
            a->input->place_moved(a->input->place_user, elapsed, out);
        }
    }
    return status;
}

// From the end of the first half on.
static iso_status go_on(const iso_adaptive* a, const iso_step_output* first, double elapsed,
                        iso_step_input* in, iso_kinematics* kinematics) {
    in->time = a->input->time + elapsed;
    in->q = first->q;
    in->v = first->v;
    in->memories = first->contacts.memories;
    in->memory_count = first->contacts.memory_count;
    in->contacts = NULL;
    in->kinematics = kinematics;
    return place(a, first->q, first->v, elapsed, kinematics);
}

// The whole substep, and two halves; the first half shares kinematics and patches of its start
// with the whole, and the velocities of the whole are where the others begin to look.
static iso_status solve_thrice(const iso_adaptive* a, double h, iso_attempt* out) {
    iso_stepper* stepper = a->stepper;
    iso_step_input in = *a->input;
    later_place later = {a->input, a->elapsed};
    iso_kinematics middle;
    in.time += a->elapsed;
    in.q = a->q;
    in.v = a->v;
    in.memories = stepper->kept.data;
    in.memory_count = stepper->kept.count;
    in.kinematics = &a->start;
    in.recovery = a->recovery;
    in.is_start = in.is_start && a->elapsed == 0.0;
    in.moved = a->elapsed == 0.0 ? in.moved : NULL;
    in.contacts = stepper->settings.method != ISO_METHOD_MIDPOINT ? &a->contacts : NULL;
    if (in.place_moved) {
        in.place_moved = place_later;
        in.place_user = &later;
    }
    iso_status status = iso_stepper_step_velocities(stepper, &in, h, &out->whole);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < stepper->dynamics.multibody->v_count; ++i) {
        out->v[i] = 0.5 * (a->v[i] + out->whole.v[i]);
    }
    in.guess = out->v;
    status = iso_stepper_step_velocities(stepper, &in, 0.5 * h, &out->halves[0]);
    if (status == ISO_OK) {
        in.guess = out->whole.v;
        later.offset += 0.5 * h;
        in.is_start = false;
        in.moved = NULL;
        status = go_on(a, &out->halves[0], later.offset, &in, &middle);
    }
    return status == ISO_OK ? iso_stepper_step_velocities(stepper, &in, 0.5 * h, &out->halves[1])
                            : status;
}

// --- all three -----------------------------------------------------------------------------------

// The part of a substep after which the whole took forces on a tree.
static double part_of(const iso_attempt* attempt, int tree) {
    return attempt->whole.shares ? attempt->whole.shares[tree].part : 1.0;
}

// Which share of the difference between two halves and the whole is the error of the halves.
static double error_share(const iso_adaptive* a, const iso_attempt* attempt) {
    bool is_second = a->order == 2;
    for (int t = 0; t < a->stepper->dynamics.multibody->tree_count; ++t) {
        is_second = is_second && part_of(attempt, t) <= SECOND_ORDER_SHARE;
    }
    return is_second ? 1.0 / 3.0 : 1.0;
}

// Extrapolation takes that share off each tree, but for the midpoint method in between its two
// orders, and where velocities are not smooth: friction of the state before would swing.
static double extrapolation(const iso_adaptive* a, const iso_attempt* attempt, bool is_smooth,
                            int tree) {
    double part = part_of(attempt, tree);
    bool is_second = a->order == 2 && part <= SECOND_ORDER_SHARE;
    bool is_between = a->order == 2 && !is_second && part < FIRST_ORDER_SHARE;
    return is_between || !is_smooth ? 0.0 : is_second ? 1.0 / 3.0 : 1.0;
}

static void extrapolate(const double* whole, const double* halves, double factor, int first,
                        int end, double* out) {
    for (int i = first; i < end; ++i) {
        out[i] = halves[i] + factor * (halves[i] - whole[i]);
    }
}

// Positions and velocities of all trees; works as what is extrapolated least.
static void extrapolate_trees(const iso_adaptive* a, bool is_smooth, iso_attempt* out) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    const iso_step_output *whole = &out->whole, *halves = &out->halves[1];
    out->extrapolation = is_smooth ? 1.0 : 0.0;
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree < 0) {
            continue;
        }
        double factor = extrapolation(a, out, is_smooth, body->tree);
        int q_end = body->q_index + iso_mobility_q_count(body->mobility);
        int v_end = body->v_index + iso_mobility_v_count(body->mobility);
        extrapolate(whole->q, halves->q, factor, body->q_index, q_end, out->q);
        extrapolate(whole->v, halves->v, factor, body->v_index, v_end, out->v);
        out->extrapolation = fmin(out->extrapolation, factor);
    }
}

iso_status iso_adaptive_find_contacts(const iso_adaptive* a, const iso_kinematics* kinematics,
                                      int patches, iso_contact_set* out_set) {
    iso_stepper* stepper = a->stepper;
    *out_set = (iso_contact_set){0};
    if (!stepper->dynamics.contact) {
        return ISO_OK;
    }
    iso_status status = iso_arena_reset(&stepper->patches[patches]);
    return status == ISO_OK
               ? iso_contact_system_update(stepper->dynamics.contact, kinematics->x_wb,
                                           stepper->pool, &stepper->patches[patches], out_set)
               : status;
}

static bool is_like(iso_spatial a, iso_spatial b) {
    iso_vec3 f = a.translational, g = b.translational;
    double most = fmax(iso_vec3_norm(f), iso_vec3_norm(g));
    return iso_vec3_norm(iso_vec3_sub(f, g)) <= SMOOTH_TENSION * most;
}

// Whether a rope that gives no way is caught: its tensions differ, as impulses of one jump of the
// velocities do.
static bool has_caught(const iso_adaptive* a, const iso_attempt* attempt) {
    const iso_closure* closure = &a->stepper->closure;
    const iso_spatial* whole = attempt->whole.constraint_forces;
    const iso_spatial* first = attempt->halves[0].constraint_forces;
    const iso_spatial* second = attempt->halves[1].constraint_forces;
    bool is_found = false;
    for (int i = 0; i < closure->constraint_count && !is_found; ++i) {
        const iso_constraint* c = &closure->constraints[i];
        is_found = c->kind == ISO_CONSTRAINT_TENDON && iso_constraint_is_rigid(c) &&
                   !(is_like(first[i], whole[i]) && is_like(first[i], second[i]));
    }
    return is_found;
}

static iso_status compare(const iso_adaptive* a, double h, iso_attempt* out) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    const iso_step_output *whole = &out->whole, *halves = &out->halves[1];
    double end = a->elapsed + h, horizon = iso_adaptive_horizon(a, h);
    iso_kinematics k_whole, k_halves;
    iso_status status = place(a, whole->q, whole->v, end, &k_whole);
    status = status == ISO_OK ? place(a, halves->q, halves->v, end, &k_halves) : status;
    if (status != ISO_OK) {
        return status;
    }
    double difference = iso_adaptive_difference(a, &k_whole, &k_halves, horizon, &out->worst);
    out->is_caught = has_caught(a, out);
    bool is_smooth = !out->is_caught && iso_adaptive_is_smooth(a, &k_whole, &k_halves, horizon);
    extrapolate_trees(a, is_smooth, out);
    out->error = error_share(a, out) * difference / a->stepper->settings.accuracy;
    iso_multibody_normalize(multibody, out->q);
    status = place(a, out->q, out->v, end, &out->end);
    if (status != ISO_OK || out->error > 1.0) {
        return status;
    }
    status = iso_adaptive_find_contacts(a, &out->end, 1 - a->patches, &out->end_contacts);
    if (status == ISO_OK) {
        int worst = out->worst;
        double missed = iso_adaptive_missed(a, out, h, &worst) / a->stepper->settings.accuracy;
        out->worst = missed > out->error ? worst : out->worst;
        out->error = fmax(out->error, missed);
    }
    return status;
}

iso_status iso_adaptive_try(const iso_adaptive* a, double h, iso_attempt* out) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    iso_arena* arena = &a->stepper->arena;
    *out = (iso_attempt){.error = INFINITY, .worst = -1};
    iso_status status = push_output(a, &out->whole);
    status = status == ISO_OK ? push_output(a, &out->halves[0]) : status;
    status = status == ISO_OK ? push_output(a, &out->halves[1]) : status;
    out->q = iso_arena_push_array(arena, multibody->q_count, sizeof *out->q);
    out->v = iso_arena_push_array(arena, multibody->v_count, sizeof *out->v);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(arena->ctx, out->q && out->v, ISO_ERR_MEMORY,
                "a part of a step of %d degrees of freedom", multibody->v_count);
    status = solve_thrice(a, h, out);
    status = status == ISO_OK ? compare(a, h, out) : status;
    out->status = status;
    bool may_get_better = status == ISO_ERR_NO_CONVERGENCE || status == ISO_ERR_NUMERIC;
    return may_get_better ? ISO_OK : status;
}

// --- sums ----------------------------------------------------------------------------------------

static void add_mean(double* sum, const double* first, const double* second, double weight,
                     int count) {
    for (int i = 0; sum && i < count; ++i) {
        sum[i] += weight * 0.5 * (first[i] + second[i]);
    }
}

static void add_means(iso_adaptive* a, double h, const iso_attempt* attempt) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    const iso_step_output *first = &attempt->halves[0], *second = &attempt->halves[1];
    double weight = h / a->stepper->settings.time_step;
    add_mean(a->vdot, first->loads.vdot, second->loads.vdot, weight, multibody->v_count);
    add_mean((double*)a->f_b_w, (const double*)first->loads.f_b_w,
             (const double*)second->loads.f_b_w, weight, 6 * multibody->body_count);
    add_mean((double*)a->constraint_forces, (const double*)first->constraint_forces,
             (const double*)second->constraint_forces, weight,
             6 * a->stepper->closure.constraint_count);
    add_mean(a->tie_efforts, first->tie_efforts, second->tie_efforts, weight,
             iso_stepper_tie_count(a->stepper));
}

// Works as the state: extrapolated.
static void add_works(iso_adaptive* a, const iso_attempt* attempt) {
    double factor = attempt->extrapolation;
    iso_works halves = attempt->halves[0].works, whole = attempt->whole.works;
    iso_works_add(&halves, &attempt->halves[1].works);
    iso_works_scale(&halves, 1.0 + factor);
    iso_works_scale(&whole, -factor);
    iso_works_add(&a->works, &halves);
    iso_works_add(&a->works, &whole);
    a->booked_stretch += attempt->halves[0].booked_stretch + attempt->halves[1].booked_stretch;
}

static void copy_poses(const iso_multibody* multibody, const iso_kinematics* from,
                       iso_kinematics* to) {
    memcpy(to->x_wb, from->x_wb, (size_t)multibody->body_count * sizeof *to->x_wb);
    memcpy(to->v_wb, from->v_wb, (size_t)multibody->body_count * sizeof *to->v_wb);
    memcpy(to->dof_axis, from->dof_axis, (size_t)multibody->v_count * sizeof *to->dof_axis);
    memcpy(to->dof_point, from->dof_point, (size_t)multibody->v_count * sizeof *to->dof_point);
    to->rotor_energy = from->rotor_energy;
}

iso_status iso_adaptive_accept(iso_adaptive* a, double h, const iso_attempt* attempt) {
    iso_stepper* stepper = a->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const iso_step_output* last = &attempt->halves[1];
    int count = last->contacts.memory_count;
    iso_status status =
        ISO_ARRAY_RESERVE_AMPLY(stepper->ctx, &stepper->kept, count, multibody->body_count);
    if (status != ISO_OK) {
        return status;
    }
    if (count > 0) {
        memcpy(stepper->kept.data, last->contacts.memories,
               (size_t)count * sizeof *stepper->kept.data);
    }
    stepper->kept.count = count;
    add_means(a, h, attempt);
    add_works(a, attempt);
    memcpy(a->q, attempt->q, (size_t)multibody->q_count * sizeof *a->q);
    memcpy(a->v, attempt->v, (size_t)multibody->v_count * sizeof *a->v);
    copy_poses(multibody, &attempt->end, &a->start);
    a->contacts = attempt->end_contacts;
    a->patches = 1 - a->patches;
    a->elapsed += h;
    return ISO_OK;
}
