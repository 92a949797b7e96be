// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How long a substep may be for what moves past something else: one that jumps over a contact has
// no error to tell. docs/theory/adaptive.md.

#include "stepper/adaptive/adaptive.h"

#include <math.h>

// What moves by more than this share of its sides must not meet anything on its way.
#define LARGEST_WAY 0.5
// So many such ways of a pair are looked at, at most.
#define MOST_WAYS 64.0

static bool touches(const iso_contact_set* set, const iso_candidate* candidate) {
    bool is_found = false;
    for (int i = 0; i < set->pair_count && !is_found; ++i) {
        is_found =
            set->pairs[i].geometry_a == candidate->a && set->pairs[i].geometry_b == candidate->b;
    }
    return is_found;
}

// Where a point goes between two states, by its places and velocities there.
static iso_vec3 point_within(const iso_vec3 p[2], const iso_vec3 v[2], double h, double share) {
    double s = share, t = 1.0 - share;
    iso_vec3 x = iso_vec3_lerp(p[0], p[1], s * s * (3.0 - 2.0 * s));
    x = iso_vec3_add_scaled(x, v[0], h * s * t * t);
    return iso_vec3_add_scaled(x, v[1], -h * t * s * s);
}

// A body between the ends of a substep: its centre of mass by both states, and its turn from the
// nearer one on.
static iso_pose body_within(const iso_adaptive* a, const iso_attempt* attempt, int body, double h,
                            double share) {
    const iso_multibody* multibody = a->stepper->dynamics.multibody;
    int link = multibody->link_of[body];
    if (link < 0) {
        return attempt->end.x_wb[body]; // fixed, or moved by a caller
    }
    const iso_kinematics* ends[2] = {&a->start, &attempt->end};
    int moving = multibody->links[link].body;
    iso_vec3 center = multibody->links[link].center, p[2], v[2];
    for (int i = 0; i < 2; ++i) {
        const iso_pose* x = &ends[i]->x_wb[moving];
        p[i] = iso_pose_point(x, center);
        v[i] =
            iso_spatial_shift_twist(ends[i]->v_wb[moving], iso_vec3_sub(p[i], x->p)).translational;
    }
    int near = share < 0.5 ? 0 : 1;
    const iso_pose* x = &ends[near]->x_wb[moving];
    iso_vec3 turn = iso_vec3_scale(ends[near]->v_wb[moving].rotational, h * (share - near));
    iso_mat3 r = iso_mat3_mul(iso_mat3_from_quat(iso_quat_from_rotation_vector(turn)), x->r);
    iso_vec3 arm = iso_mat3_mul_vec3(&r, center);
    iso_pose within = iso_pose_make(r, iso_vec3_sub(point_within(p, v, h, share), arm));
    iso_pose to_body = iso_pose_inverse_mul(x, &ends[near]->x_wb[body]);
    return iso_pose_mul(&within, &to_body);
}

// Whether a pair that touches at neither end of a substep does not on its way, looked at as often
// as ways of that share ask for.
static bool is_apart(const iso_adaptive* a, const iso_attempt* attempt, iso_candidate pair,
                     double ways, double h) {
    iso_contact_system* system = a->stepper->dynamics.contact;
    const int geometries[2] = {pair.a, pair.b};
    int count = (int)ceil(ways);
    bool is_free = true;
    for (int i = 1; i < count && is_free; ++i) {
        iso_pose x_wg[2];
        for (int k = 0; k < 2; ++k) {
            const iso_contact_geometry* g = iso_contact_system_geometry(system, geometries[k]);
            iso_pose x_wb = body_within(a, attempt, g->body, h, (double)i / count);
            x_wg[k] = iso_pose_mul(&x_wb, &g->x_bg);
        }
        iso_contact_meeting meeting;
        is_free =
            !iso_contact_system_meets(system, pair.a, pair.b, x_wg, &a->stepper->arena, &meeting);
    }
    return is_free;
}

// The rate of a pair by the sides of the smaller one [1/s]; 0 where it is seen.
static double unseen_pace(const iso_adaptive* a, const iso_attempt* attempt, iso_candidate pair,
                          double h) {
    double own = iso_contact_system_pair_pace(a->stepper->dynamics.contact, pair.a, pair.b,
                                              attempt->end.x_wb, attempt->end.v_wb);
    double ways = own * h / LARGEST_WAY;
    bool at_start = touches(&a->contacts, &pair), at_end = touches(&attempt->end_contacts, &pair);
    bool is_seen = (at_start && at_end) || ways <= 1.0;
    bool is_moved = a->input->place_moved != NULL;
    bool may_look = !at_start && !at_end && !is_moved && ways <= MOST_WAYS;
    return is_seen || (may_look && is_apart(a, attempt, pair, ways, h)) ? 0.0 : own;
}

double iso_adaptive_allowed_by_pace(iso_adaptive* a, const iso_attempt* attempt, double h) {
    iso_contact_system* system = a->stepper->dynamics.contact;
    if (!system) {
        return h;
    }
    double pace = iso_contact_system_pace(system, attempt->end.x_wb, attempt->end.v_wb);
    const iso_candidate* pairs = NULL;
    int count = 0;
    bool is_fast = pace * h > LARGEST_WAY;
    if (!is_fast || iso_contact_system_find_crossings(system, attempt->end.x_wb, attempt->end.v_wb,
                                                      h, &pairs, &count) != ISO_OK) {
        return h;
    }
    double fastest = 0.0;
    for (int i = 0; i < count; ++i) {
        double own = unseen_pace(a, attempt, pairs[i], h);
        if (own > fastest) {
            a->fastest = pairs[i];
            fastest = own;
        }
    }
    return fastest > 0.0 ? 0.9 * LARGEST_WAY / fastest : h;
}
