// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Friction that follows the normal impulses of its step: docs/theory/contact.md.

#include "contact/discrete/point_law.h"
#include "math/limits.h"

// Friction is bound anew where the normal impulse of the solution is a smaller share of that of the
// bound; wholly from half of that on.
#define MUCH_LESS 0.5
// And where what it lacks turns the slip by a larger share of itself; wholly from twice that
// on. Less is made up for in the next step, whose bound is what this one found.
#define LEAST_TURN 0.1

// Normal impulses at a twist, none of tension; into `out`. Returns their sum [N s].
static double find_impulses(const iso_compliant_points* points, const double v[6], double* out) {
    iso_vec3x4 rotational = iso_vec3x4_set(v[0], v[1], v[2]);
    iso_vec3x4 translational = iso_vec3x4_set(v[3], v[4], v[5]);
    iso_double4 zero = iso_double4_set(0.0), sum = zero;
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        iso_vec3x4 r = iso_vec3x4_load(points->rx + i, points->ry + i, points->rz + i);
        iso_vec3x4 n = iso_vec3x4_load(points->nx + i, points->ny + i, points->nz + i);
        iso_vec3x4 u = iso_vec3x4_velocity(rotational, translational, r);
        iso_double4 impulse = iso_point_normal_impulse(points, i, iso_vec3x4_dot(u, n)).impulse;
        impulse = iso_double4_max(impulse, zero);
        iso_double4_store(out + i, impulse);
        sum = iso_double4_add(sum, impulse);
    }
    return iso_double4_sum(sum);
}

// Sum of the normal impulses that friction is bound by [N s].
static double find_bound(const iso_compliant_points* points, double mu) {
    iso_double4 sum = iso_double4_set(0.0);
    for (int i = 0; i < points->padded_count; i += ISO_DOUBLE4_LANES) {
        sum = iso_double4_add(sum, iso_double4_load(points->friction_force + i));
    }
    return iso_double4_sum(sum) / mu;
}

bool iso_compliant_points_follow(iso_compliant_points* points, const double v0[6],
                                 const double v[6], double mu) {
    double* found = points->regularization; // of no use to the lagged law
    double took = find_bound(points, mu);
    double gave = took > 0.0 ? find_impulses(points, v, found) : 0.0;
    if (!(gave < MUCH_LESS * took)) {
        return false;
    }
    double share = 2.0 * (1.0 - gave / (MUCH_LESS * took));
    double turn = mu * (took - gave) * points->mobility;
    double slip = iso_compliant_points_mean_slip(points, v0);
    share = share < 1.0 ? share : 1.0;
    share *= slip > 0.0 ? iso_clamp(turn / slip / LEAST_TURN - 1.0, 0.0, 1.0) : 1.0;
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
