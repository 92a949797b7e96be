// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How fast the fastest part of a state answers, whatever holds it: contacts, friction within a
// patch, drives, springs. Power iteration on the rates' derivatives. docs/theory/step.md.

#include "stepper/flow/flow_stiff.h"

#include "base/core/log.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// Products with the derivatives, and over how many of the last ones growth is measured.
#define PRODUCTS 24
#define MEASURED 8
// Share of the power along the fastest direction from which a pair counts as what holds it.
#define LEAST_POWER 0.1

static double norm_of(const double* x, const double* scales, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        double size = fabs(x[i]) / scales[i];
        if (!(size <= largest)) {
            largest = size;
        }
    }
    return largest;
}

iso_status iso_flow_fastest(iso_flow* f, const iso_rk_problem* p, double t, const double* y,
                            iso_flow_direction* out) {
    iso_stepper* stepper = f->stages->stepper;
    int n = p->dimension;
    int count = stepper->dynamics.multibody->q_count + stepper->dynamics.multibody->v_count +
                iso_flow_memory_count(f);
    double* moved = iso_arena_push_array(&stepper->arena, 4 * n, sizeof *moved);
    ISO_REQUIRE(stepper->ctx, moved, ISO_ERR_MEMORY, "a direction of %d numbers", n);
    double *rates = moved + n, *there = rates + n, *x = there + n;
    double growth = 0.0, length = sqrt(DBL_EPSILON);
    iso_status status = p->rhs(p->user, t, y, rates);
    for (int i = 0; i < n; ++i) { // in all directions, and a little differently in each
        x[i] = i < count ? length * p->scales[i] / (1.0 + 0.1 * (i % 7)) : 0.0;
    }
    for (int k = 0; k < PRODUCTS && status == ISO_OK; ++k) {
        for (int i = 0; i < n; ++i) {
            moved[i] = y[i] + x[i];
        }
        status = p->rhs(p->user, t, moved, there);
        for (int i = 0; i < count; ++i) {
            there[i] -= rates[i];
        }
        double now = norm_of(there, p->scales, count) / length;
        if (!(now > 0.0 && isfinite(now))) {
            break;
        }
        growth += k >= PRODUCTS - MEASURED ? log(now) / MEASURED : 0.0;
        out->rate = k == PRODUCTS - 1 ? exp(growth) : 0.0;
        for (int i = 0; i < count; ++i) {
            x[i] = there[i] / now;
        }
    }
    out->x = x;
    return status;
}

// The body of the degree of freedom that moves most along x.
static int fastest_body(const iso_multibody* multibody, const double* x) {
    int body = -1;
    double most = 0.0;
    for (int d = 0; d < multibody->v_count; ++d) {
        double speed = fabs(x[multibody->q_count + d]);
        if (speed > most) {
            most = speed;
            body = multibody->dof_body[d];
        }
    }
    return body;
}

// Twice the kinetic energy of a twist [J].
static double twice_energy(const iso_mb_body* body, const iso_pose* x_wb, iso_spatial v) {
    iso_vec3 c = iso_mat3_mul_vec3(&x_wb->r, body->center_of_mass);
    iso_vec3 linear = iso_vec3_add(v.translational, iso_vec3_cross(v.rotational, c));
    iso_vec3 w = iso_mat3_tmul_vec3(&x_wb->r, v.rotational);
    return body->mass * iso_vec3_dot(linear, linear) +
           iso_vec3_dot(w, iso_mat3_mul_vec3(&body->inertia, w));
}

// Contacts of a state, as they are and without friction.
typedef struct place {
    iso_stages now;
    iso_contact_result whole, bare;
} place;

static iso_status find_contacts(iso_flow* f, double t, const double* y, place* out) {
    iso_stages* now = &out->now;
    iso_status status = ISO_OK;
    *now = iso_flow_begin(f);
    ISO_TRY(iso_flow_place(f, now, t, y));
    ISO_TRY(iso_stage_contacts(now));
    ISO_TRY(iso_continuous_contacts(now, &out->whole));
    size_t count = (size_t)now->set.pair_count;
    iso_contact_pair* smooth = iso_arena_push(&now->stepper->arena, (count + 1) * sizeof *smooth);
    ISO_CHECK(now->stepper->ctx, smooth, ISO_ERR_MEMORY, "%zu pairs", count);
    for (size_t i = 0; i < count; ++i) {
        smooth[i] = now->set.pairs[i];
        smooth[i].friction_static = smooth[i].friction_dynamic = 0.0;
    }
    now->set.pairs = smooth;
    ISO_TRY(iso_continuous_contacts(now, &out->bare));
done:
    iso_flow_end(f, now);
    return status;
}

static double power_between(iso_spatial from, iso_spatial to, iso_spatial twist) {
    iso_vec3 force = iso_vec3_sub(to.translational, from.translational);
    iso_vec3 torque = iso_vec3_sub(to.rotational, from.rotational);
    return fabs(iso_vec3_dot(force, twist.translational) + iso_vec3_dot(torque, twist.rotational));
}

// The pair whose wrench changes with most power between two places.
static void find_pair(const place* from, const place* to, iso_flow_holder* out) {
    for (int i = 0; i < from->now.set.pair_count; ++i) {
        const iso_contact_pair* pair = &from->now.set.pairs[i];
        iso_spatial before = iso_pair_twist(&from->now.kinematics, pair);
        iso_spatial after = iso_pair_twist(&to->now.kinematics, pair);
        iso_spatial twist = {iso_vec3_sub(after.rotational, before.rotational),
                             iso_vec3_sub(after.translational, before.translational)};
        double whole = power_between(from->whole.f_b_w[i], to->whole.f_b_w[i], twist);
        double bare = power_between(from->bare.f_b_w[i], to->bare.f_b_w[i], twist);
        if (whole > out->power) {
            out->power = whole;
            out->geometry_a = pair->geometry_a;
            out->geometry_b = pair->geometry_b;
            out->is_friction = bare < 0.5 * whole;
        }
    }
}

iso_status iso_flow_find_holder(iso_flow* f, double t, const double* y,
                                const iso_flow_direction* fastest, iso_flow_holder* out) {
    iso_stepper* stepper = f->stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    int n = multibody->q_count + multibody->v_count + iso_flow_memory_count(f);
    place from = {0}, to = {0};
    double energy = 0.0;
    iso_status status = ISO_OK;
    *out = (iso_flow_holder){
        .body = fastest_body(multibody, fastest->x), .geometry_a = -1, .geometry_b = -1};
    double* moved = iso_arena_push_array(&stepper->arena, n, sizeof *moved);
    ISO_CHECK(stepper->ctx, moved, ISO_ERR_MEMORY, "a state of %d numbers", n);
    for (int i = 0; i < n; ++i) {
        moved[i] = y[i] + fastest->x[i];
    }
    if (!stepper->dynamics.contact) {
        goto done;
    }
    ISO_TRY(find_contacts(f, t, y, &from));
    ISO_TRY(find_contacts(f, t, moved, &to));
    if (from.now.set.pair_count == to.now.set.pair_count) {
        find_pair(&from, &to, out);
    }
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_spatial *before = &from.now.kinematics.v_wb[b],
                          *after = &to.now.kinematics.v_wb[b];
        iso_spatial twist = {iso_vec3_sub(after->rotational, before->rotational),
                             iso_vec3_sub(after->translational, before->translational)};
        energy += twice_energy(&multibody->bodies[b], &from.now.kinematics.x_wb[b], twist);
    }
    if (out->power < LEAST_POWER * fastest->rate * energy) {
        out->geometry_a = out->geometry_b = -1;
    }
done:
    return status;
}
