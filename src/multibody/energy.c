// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "multibody/multibody.h"

// Angular momentum about the centre of mass, in W.
static iso_vec3 spin(const iso_mb_body* body, const iso_mat3* r_wb, iso_vec3 w_wb) {
    iso_vec3 w_b = iso_mat3_tmul_vec3(r_wb, w_wb);
    return iso_mat3_mul_vec3(r_wb, iso_mat3_mul_vec3(&body->inertia, w_b));
}

static iso_vec3 velocity_of_center(const iso_multibody* multibody, const iso_kinematics* kinematics,
                                   int b) {
    iso_vec3 center = iso_multibody_center(multibody, kinematics, b);
    return iso_spatial_shift_twist(kinematics->v_wb[b], iso_vec3_sub(center, kinematics->x_wb[b].p))
        .translational;
}

double iso_multibody_kinetic_energy(const iso_multibody* multibody,
                                    const iso_kinematics* kinematics) {
    double energy = kinematics->rotor_energy;
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree >= 0) {
            iso_vec3 w = kinematics->v_wb[b].rotational;
            iso_vec3 h = spin(body, &kinematics->x_wb[b].r, w);
            double speed_squared =
                iso_vec3_norm_squared(velocity_of_center(multibody, kinematics, b));
            energy += 0.5 * (body->mass * speed_squared + iso_vec3_dot(w, h));
        }
    }
    return energy;
}

double iso_multibody_potential_energy(const iso_multibody* multibody,
                                      const iso_kinematics* kinematics, iso_vec3 gravity) {
    double energy = 0.0;
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree >= 0) {
            energy -= body->mass * iso_vec3_dot(iso_multibody_pull(body, gravity),
                                                iso_multibody_center(multibody, kinematics, b));
        }
    }
    return energy;
}

iso_spatial iso_multibody_momentum(const iso_multibody* multibody,
                                   const iso_kinematics* kinematics) {
    iso_spatial momentum = iso_spatial_zero();
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree >= 0) {
            iso_vec3 linear =
                iso_vec3_scale(velocity_of_center(multibody, kinematics, b), body->mass);
            iso_vec3 angular = iso_vec3_add(
                spin(body, &kinematics->x_wb[b].r, kinematics->v_wb[b].rotational),
                iso_vec3_cross(iso_multibody_center(multibody, kinematics, b), linear));
            momentum = iso_spatial_add(momentum, iso_spatial_make(angular, linear));
        }
    }
    return momentum;
}

// Bodies come depth first: what a body carries follows it.
iso_subtree_motion iso_multibody_subtree_motion(const iso_multibody* multibody,
                                                const iso_kinematics* kinematics, int root) {
    iso_vec3 origin = kinematics->x_wb[root].p; // sums are about it, so that none is large
    iso_subtree_motion sum = {.p_wc = origin};
    iso_vec3 moment = iso_vec3_zero(), linear = iso_vec3_zero();
    for (int b = root; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (b > root && body->parent < root) {
            break;
        }
        iso_vec3 arm = iso_vec3_sub(iso_multibody_center(multibody, kinematics, b), origin);
        iso_vec3 p = iso_vec3_scale(velocity_of_center(multibody, kinematics, b), body->mass);
        sum.mass += body->mass;
        moment = iso_vec3_add_scaled(moment, arm, body->mass);
        linear = iso_vec3_add(linear, p);
        sum.h_c_w = iso_vec3_add(
            sum.h_c_w, spin(body, &kinematics->x_wb[b].r, kinematics->v_wb[b].rotational));
        sum.h_c_w = iso_vec3_add(sum.h_c_w, iso_vec3_cross(arm, p));
    }
    if (sum.mass > 0.0) {
        iso_vec3 arm = iso_vec3_scale(moment, 1.0 / sum.mass);
        sum.p_wc = iso_vec3_add(origin, arm);
        sum.v_wc = iso_vec3_scale(linear, 1.0 / sum.mass);
        sum.h_c_w = iso_vec3_sub(sum.h_c_w, iso_vec3_cross(arm, linear));
    }
    return sum;
}

static double stretch(const iso_mb_body* body, const double* q, int i) {
    bool has_one = iso_mobility_has_one_dof(body->mobility);
    return q[body->q_index + i] - (has_one ? body->spring_reference : 0.0);
}

// Rotation vector of a ball joint, in F.
static iso_vec3 ball_stretch(const iso_mb_body* body, const double* q) {
    const double* x = q + body->q_index;
    return iso_quat_to_rotation_vector(iso_quat_normalized(iso_quat_make(x[0], x[1], x[2], x[3])));
}

void iso_multibody_spring_efforts(const iso_multibody* multibody, const double* q,
                                  double* out_tau) {
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        double* tau = out_tau + body->v_index;
        int count = iso_mobility_v_count(body->mobility);
        if (body->stiffness > 0.0 && body->mobility == ISO_MOBILITY_BALL) {
            iso_vec3 turn = iso_vec3_scale(ball_stretch(body, q), -body->stiffness);
            tau[0] = turn.x;
            tau[1] = turn.y;
            tau[2] = turn.z;
            continue;
        }
        for (int i = 0; i < count; ++i) {
            tau[i] = body->stiffness > 0.0 ? -body->stiffness * stretch(body, q, i) : 0.0;
        }
    }
}

double iso_multibody_spring_energy(const iso_multibody* multibody, const double* q) {
    double energy = 0.0;
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->stiffness == 0.0 || body->tree < 0) {
            continue;
        }
        if (body->mobility == ISO_MOBILITY_BALL) {
            energy += 0.5 * body->stiffness * iso_vec3_norm_squared(ball_stretch(body, q));
            continue;
        }
        for (int i = 0; i < iso_mobility_q_count(body->mobility); ++i) {
            double x = stretch(body, q, i);
            energy += 0.5 * body->stiffness * x * x;
        }
    }
    return energy;
}
