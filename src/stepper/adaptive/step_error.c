// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What two solutions of one substep differ by.

#include "stepper/adaptive/adaptive.h"

#include <math.h>

// Errors of velocities count as what they make of positions in so long [s], and in so many
// substeps: a velocity that jumps, as at a rigid limit, has an error that no substep resolves.
#define HORIZON 0.1
#define HORIZON_STEPS 1000.0

double iso_adaptive_size(const iso_mb_link* link) {
    const iso_mat3* i = &link->inertia;
    double trace = i->m[0][0] + i->m[1][1] + i->m[2][2];
    bool has_size = link->mass > 0.0 && trace > 0.0;
    return has_size ? 2.0 * sqrt(5.0 / 6.0 * trace / link->mass) : 1.0;
}

double iso_adaptive_horizon(double h) {
    return fmin(HORIZON, HORIZON_STEPS * h);
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
    iso_spatial va =
        iso_spatial_shift_twist(first->v_wb[link->body], iso_vec3_sub(ca, xa->p));
    iso_spatial vb =
        iso_spatial_shift_twist(second->v_wb[link->body], iso_vec3_sub(cb, xb->p));
    double way = iso_vec3_norm(iso_vec3_sub(ca, cb)) +
                 horizon * iso_vec3_norm(iso_vec3_sub(va.translational, vb.translational));
    double turn = angle_between(&xa->r, &xb->r) +
                  horizon * iso_vec3_norm(iso_vec3_sub(va.rotational, vb.rotational));
    return fmax(way / size, turn);
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
