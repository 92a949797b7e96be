// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What two solutions of one substep differ by.

#include "stepper/adaptive/adaptive.h"

#include <math.h>

// Errors of velocities count as what they make of positions in so long [s], and in so many
// substeps: what is as short does not matter as long.
#define HORIZON 0.5
#define HORIZON_STEPS 1e4
// A velocity that jumps, as at a rigid limit, has an error that no substep resolves. After so many
// attempts in a row its error counts over so many substeps only.
#define JUMP_AFTER 5
#define JUMP_STEPS 30.0

// Velocities are smooth that differ by this share of what they change at most, or by this share of
// what the accuracy allows.
#define SMOOTH_SHARE 0.25
#define LEAST_ROUGHNESS 1e-3

// Share of the half of a substep, at the force of its end, that is the impulse of a contact which
// began at its start: that force grows with the square of time.
#define MISSED_SHARE (1.0 / 3.0)
// Where a force grows with the square of time, an extrapolated impulse errs by 5/6 of the second
// difference of the force over the substep.
#define CURVED_SHARE (5.0 / 6.0)
// All impacts of a body err to one side: that times 4, once for each of them, up to so many.
#define IMPACT_SHARE 4.0
#define MOST_IMPACTS 10.0
// By how much a force may grow in half a substep without being a contact that begins.
#define MOST_FORCE_GROWTH 4.0

double iso_adaptive_size(const iso_mb_link* link) {
    const iso_mat3* i = &link->inertia;
    double trace = i->m[0][0] + i->m[1][1] + i->m[2][2];
    bool has_size = link->mass > 0.0 && trace > 0.0;
    return has_size ? 2.0 * sqrt(5.0 / 6.0 * trace / link->mass) : 1.0;
}

double iso_adaptive_horizon(const iso_adaptive* a, double h) {
    bool is_jump = a->rejected >= JUMP_AFTER || a->catches >= JUMP_AFTER;
    return fmin(HORIZON, (is_jump ? JUMP_STEPS : HORIZON_STEPS) * h);
}

// Angle of the rotation from one to the other, by the chord of the Frobenius norm.
static double angle_between(const iso_mat3* a, const iso_mat3* b) {
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            double d = a->m[i][k] - b->m[i][k];
            square += d * d;
        }
    }
    return 2.0 * asin(fmin(sqrt(square / 8.0), 1.0));
}

static double link_difference(const iso_mb_link* link, double size, const iso_kinematics* first,
                              const iso_kinematics* second, double horizon) {
    const iso_pose *xa = &first->x_wb[link->body], *xb = &second->x_wb[link->body];
    iso_vec3 ca = iso_pose_point(xa, link->center), cb = iso_pose_point(xb, link->center);
    iso_spatial va = iso_spatial_shift_twist(first->v_wb[link->body], iso_vec3_sub(ca, xa->p));
    iso_spatial vb = iso_spatial_shift_twist(second->v_wb[link->body], iso_vec3_sub(cb, xb->p));
    double way = iso_vec3_norm(iso_vec3_sub(ca, cb)) +
                 horizon * iso_vec3_norm(iso_vec3_sub(va.translational, vb.translational));
    double turn = angle_between(&xa->r, &xb->r) +
                  horizon * iso_vec3_norm(iso_vec3_sub(va.rotational, vb.rotational));
    return fmax(way / size, turn);
}

static double velocity_difference(const iso_adaptive* a, int l, const iso_kinematics* first,
                                  const iso_kinematics* second) {
    const iso_mb_link* link = &a->stepper->dynamics.multibody->links[l];
    iso_spatial va = first->v_wb[link->body], vb = second->v_wb[link->body];
    double speed = iso_vec3_norm(iso_vec3_sub(va.translational, vb.translational));
    double spin = iso_vec3_norm(iso_vec3_sub(va.rotational, vb.rotational));
    return fmax(speed / a->sizes[l], spin);
}

bool iso_adaptive_is_smooth(const iso_adaptive* a, const iso_kinematics* first,
                            const iso_kinematics* second, double horizon) {
    int count = a->stepper->dynamics.multibody->link_count;
    double slack = LEAST_ROUGHNESS * a->stepper->settings.accuracy / horizon;
    bool is_smooth = true;
    for (int l = 0; l < count && is_smooth; ++l) {
        double change = velocity_difference(a, l, &a->start, second);
        is_smooth = velocity_difference(a, l, first, second) <= SMOOTH_SHARE * change + slack;
    }
    return is_smooth;
}

double iso_adaptive_difference(const iso_adaptive* a, const iso_kinematics* first,
                               const iso_kinematics* second, double horizon, int* out_worst) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    double most = 0.0;
    *out_worst = multibody->link_count > 0 ? multibody->links[0].body : -1;
    for (int l = 0; l < multibody->link_count; ++l) {
        const iso_mb_link* link = &multibody->links[l];
        double d = link_difference(link, a->sizes[l], first, second, horizon);
        if (!(d <= most)) { // not a number, too
            most = isfinite(d) ? d : INFINITY;
            *out_worst = link->body;
        }
    }
    return most;
}

// The same pair in another set, or NULL; for one pair after the other.
static const iso_contact_pair* find_pair(const iso_contact_set* set, const iso_contact_pair* pair,
                                         int* at) {
    while (*at < set->pair_count && (set->pairs[*at].geometry_a < pair->geometry_a ||
                                     (set->pairs[*at].geometry_a == pair->geometry_a &&
                                      set->pairs[*at].geometry_b < pair->geometry_b))) {
        ++*at;
    }
    const iso_contact_pair* found = *at < set->pair_count ? &set->pairs[*at] : NULL;
    bool is_same =
        found && found->geometry_a == pair->geometry_a && found->geometry_b == pair->geometry_b;
    return is_same ? found : NULL;
}

static double force_of(const iso_contact_pair* pair) {
    return pair ? pair->model->stiffness(pair).force : 0.0;
}

static double mass_of(const iso_adaptive* a, int body) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    int link = multibody->link_of[body];
    return link >= 0 ? multibody->links[link].mass : 0.0;
}

// What a contact throws back: the lighter body, or the only one that moves, and the speed of an
// impact with the energy of now.
typedef struct thrown {
    double mass, speed;
} thrown;

static thrown find_thrown(const iso_adaptive* a, const iso_kinematics* end,
                          const iso_contact_pair* pair) {
    iso_contact_stiffness now = pair->model->stiffness(pair);
    double mass_a = mass_of(a, pair->body_a), mass_b = mass_of(a, pair->body_b);
    double mass = mass_a > 0.0 && mass_b > 0.0 ? fmin(mass_a, mass_b) : fmax(mass_a, mass_b);
    double v_n = iso_vec3_dot(pair->model->normal(pair), iso_pair_twist(end, pair).translational);
    double elastic = now.force > 0.0 ? now.force * now.force / (now.stiffness * mass) : 0.0;
    return (thrown){mass, sqrt(v_n * v_n + elastic)};
}

// How often it bounces: speeds of 1, e, e^2 ... of the first one are 1 / (1 - e) of it, and e is
// 1 - 2 d v / 3 where its damping d takes little.
static double impacts_of(const iso_contact_pair* pair, double speed) {
    double damped = 2.0 / 3.0 * pair->dissipation * speed;
    bool is_damped = isfinite(damped) && damped * MOST_IMPACTS > 1.0;
    return is_damped ? fmax(1.0 / damped, 1.0) : MOST_IMPACTS;
}

// Impulse that solutions may have missed of a pair at the end of a substep, over its length [N].
// What impacts take and give is no more than their speed.
static double missed_force(const iso_adaptive* a, const iso_attempt* attempt, double h,
                           const iso_contact_pair* first, const iso_contact_pair* known,
                           const iso_contact_pair* pair) {
    double end = force_of(pair), middle = force_of(known);
    double begun = MISSED_SHARE * 0.5 * fmax(end - MOST_FORCE_GROWTH * middle, 0.0);
    if (a->order != 1) { // patches of others are taken later
        return begun;
    }
    double curved = CURVED_SHARE * IMPACT_SHARE * fabs(end - 2.0 * middle + force_of(first));
    thrown t = find_thrown(a, &attempt->end, pair);
    curved = fmin(curved * impacts_of(pair, t.speed), fmax(curved, t.mass * t.speed / h));
    return fmax(begun, curved);
}

double iso_adaptive_missed(const iso_adaptive* a, const iso_attempt* attempt, double h,
                           int* out_worst) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    double most = 0.0, weight = iso_adaptive_horizon(a, h) * h;
    int at_start = 0, at_middle = 0;
    for (int i = 0; i < attempt->end_contacts.pair_count; ++i) {
        const iso_contact_pair* pair = &attempt->end_contacts.pairs[i];
        const iso_contact_pair* first = find_pair(&a->contacts, pair, &at_start);
        const iso_contact_pair* known =
            find_pair(&attempt->halves[1].contacts.set, pair, &at_middle);
        const int bodies[2] = {pair->body_a, pair->body_b};
        double force = missed_force(a, attempt, h, first, known, pair);
        for (int k = 0; k < 2; ++k) {
            int link = multibody->link_of[bodies[k]];
            double mass = mass_of(a, bodies[k]);
            double d = mass > 0.0 ? weight * force / mass / a->sizes[link] : 0.0;
            if (d > most) {
                most = d;
                *out_worst = bodies[k];
            }
        }
    }
    return most;
}
