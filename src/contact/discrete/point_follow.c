// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Friction that follows the normal impulses of its step: docs/theory/contact.md.

#include "contact/discrete/point_law.h"
#include "math/limits.h"

#include <math.h>

// Friction is bound anew where the normal impulse of the solution differs from that of the bound by
// a larger share of the larger one; wholly from twice that on.
#define LEAST_CHANGE 0.01
// And where the difference turns the slip by a larger share of itself; wholly from twice that on.
// As much less as the impulses differ: friction that is many times too large stops what slides by
// little in every step.
#define LEAST_TURN 0.001

// What sticks with less than this share of what it may use need not know what it may use; it sticks
// where it slips by less than a share of what a change of friction could do.
#define STUCK_SHARE 0.9
#define STUCK_SLIP 0.1

// Sums of normal impulses.
typedef struct normal_impulses {
    double sum;     // of their sizes [N s]
    iso_vec3 whole; // of their vectors, with tension
} normal_impulses;

// Those at a twist; the impulses, none of tension, into `out`.
static normal_impulses find_impulses(const iso_compliant_points* points, const double v[6],
                                     double* out) {
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    iso_double4 zero = iso_double4_set(0.0), sum = zero;
    iso_vec3x4 vectors = iso_vec3x4_set(0.0, 0.0, 0.0);
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_double4 impulse = iso_point_normal_impulse(points, i, iso_vec3x4_dot(u, n)).impulse;
        vectors = iso_vec3x4_mul_add(n, impulse, vectors);
        impulse = iso_double4_max(impulse, zero);
        iso_double4_store(out + i, impulse);
        sum = iso_double4_add(sum, impulse);
    }
    return (normal_impulses){.sum = iso_double4_sum(sum),
                             .whole = iso_vec3_make(iso_double4_sum(vectors.x),
                                                    iso_double4_sum(vectors.y),
                                                    iso_double4_sum(vectors.z))};
}

// Whether friction uses less than STUCK_SHARE of mu times what presses, as a force and as a moment:
// what spins is stopped by a moment alone.
static bool is_within(const iso_compliant_points* points, const double* impulses,
                      const double gradient[6], const normal_impulses* n, double mu) {
    iso_vec3 force = iso_vec3_make(-gradient[3], -gradient[4], -gradient[5]);
    double used = iso_vec3_norm(iso_vec3_sub(force, n->whole));
    if (!(used < STUCK_SHARE * mu * n->sum)) {
        return false;
    }
    double arms = 0.0; // impulses times their distances from p_wc [N m s]
    iso_vec3 angular = iso_vec3_zero();
    for (int i = 0; i < points->count; ++i) {
        iso_vec3 r = iso_vec3_make(points->rx[i], points->ry[i], points->rz[i]);
        iso_vec3 normal = iso_vec3_make(points->nx[i], points->ny[i], points->nz[i]);
        arms += impulses[i] * iso_vec3_norm(r);
        angular = iso_vec3_add_scaled(angular, iso_vec3_cross(r, normal), impulses[i]);
    }
    iso_vec3 moment = iso_vec3_make(-gradient[0], -gradient[1], -gradient[2]);
    double turning = iso_vec3_norm(iso_vec3_sub(moment, angular));
    return arms == 0.0 || hypot(used * arms, turning * n->sum) < STUCK_SHARE * mu * n->sum * arms;
}

// Sum of the normal impulses that friction is bound by [N s].
static double find_bound(const iso_compliant_points* points, double mu) {
    iso_double4 sum = iso_double4_set(0.0);
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        sum = iso_double4_add(sum, iso_double4_load(points->friction_force + i));
    }
    return iso_double4_sum(sum) / mu;
}

// 0 up to `least`, 1 from twice that on.
static double rise(double x, double least) {
    return iso_clamp(x / least - 1.0, 0.0, 1.0);
}

bool iso_compliant_points_follow(iso_compliant_points* points, const double v0[6],
                                 const double v[6], const double gradient[6], double mu,
                                 double coarseness) {
    double* found = points->regularization; // of no use to the lagged law
    normal_impulses normal = find_impulses(points, v, found);
    double took = find_bound(points, mu), gave = normal.sum;
    double change = fabs(took - gave), larger = fmax(took, gave);
    if (!(change > coarseness * LEAST_CHANGE * larger)) {
        return false;
    }
    double turn = mu * change * points->mobility;
    if (iso_compliant_points_mean_slip(points, v) < STUCK_SLIP * turn &&
        is_within(points, found, gradient, &normal, mu * fmin(1.0, took / gave))) {
        return false;
    }
    double slip = iso_compliant_points_mean_slip(points, v0);
    double share = rise(change / larger, coarseness * LEAST_CHANGE);
    double least_turn = LEAST_TURN * fmin(took, gave);
    share *= slip > 0.0 && least_turn > 0.0 ? rise(turn * larger / slip, least_turn) : 1.0;
    if (!(share > 0.0)) {
        return false;
    }
    double sum = 0.0;
    for (int i = 0; i < points->padded_count; ++i) {
        double old = points->friction_force[i] / mu;
        points->friction_force[i] = mu * (old + share * (found[i] - old));
        found[i] = old; // for the way back
        sum += points->friction_force[i];
    }
    points->turning_speed = sum * points->mobility;
    return true;
}

void iso_compliant_points_go_back(iso_compliant_points* points, double mu) {
    double sum = 0.0;
    for (int i = 0; i < points->padded_count; ++i) {
        points->friction_force[i] = mu * points->regularization[i];
        sum += points->friction_force[i];
    }
    points->turning_speed = sum * points->mobility;
}
