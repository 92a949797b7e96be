// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/constraints/constraint.h"

#include <math.h>

bool iso_constraint_is_rigid(const iso_constraint* constraint) {
    bool may_stretch =
        constraint->kind == ISO_CONSTRAINT_DISTANCE || constraint->kind == ISO_CONSTRAINT_TENDON;
    return !may_stretch || isinf(constraint->stiffness);
}

static void put(iso_vec3 v, double* out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

iso_gap iso_constraint_gap(const iso_constraint* constraint, const iso_pose* x_wb) {
    iso_pose x_wp = iso_pose_mul(&x_wb[constraint->body_a], &constraint->x_ap);
    iso_pose x_wq = iso_pose_mul(&x_wb[constraint->body_b], &constraint->x_bq);
    iso_vec3 p_pq = iso_vec3_sub(x_wq.p, x_wp.p);
    iso_gap gap = {.kind = constraint->kind, .p_w = x_wq.p, .span = iso_vec3_norm(p_pq)};
    // Points that coincide have no direction: any will do, as long as it is the same.
    gap.direction =
        gap.span > 0.0 ? iso_vec3_scale(p_pq, 1.0 / gap.span) : iso_mat3_column(&x_wp.r, 0);
    switch (constraint->kind) {
    case ISO_CONSTRAINT_WELD: {
        iso_mat3 r_pq = iso_mat3_mul(iso_mat3_transpose(x_wp.r), x_wq.r);
        iso_vec3 turn = iso_quat_to_rotation_vector(iso_quat_from_mat3(&r_pq));
        gap.rows = 6;
        put(iso_mat3_mul_vec3(&x_wp.r, turn), gap.size);
        put(p_pq, gap.size + 3);
        break;
    }
    case ISO_CONSTRAINT_BALL:
        gap.rows = 3;
        put(p_pq, gap.size);
        break;
    case ISO_CONSTRAINT_DISTANCE:
    case ISO_CONSTRAINT_TENDON:
        gap.rows = 1;
        gap.size[0] = gap.span - constraint->length;
        break;
    }
    return gap;
}

void iso_gap_errors(const iso_gap* gap, double* out_angle, double* out_position) {
    const double* linear = gap->kind == ISO_CONSTRAINT_WELD ? gap->size + 3 : gap->size;
    *out_angle = gap->kind == ISO_CONSTRAINT_WELD
                     ? sqrt(gap->size[0] * gap->size[0] + gap->size[1] * gap->size[1] +
                            gap->size[2] * gap->size[2])
                     : 0.0;
    if (gap->rows == 1) {
        *out_position = gap->kind == ISO_CONSTRAINT_TENDON ? fmax(linear[0], 0.0) : fabs(linear[0]);
    } else {
        *out_position = sqrt(linear[0] * linear[0] + linear[1] * linear[1] + linear[2] * linear[2]);
    }
}

void iso_gap_rates(const iso_gap* gap, iso_spatial v_ab, double* out_rates) {
    switch (gap->kind) {
    case ISO_CONSTRAINT_WELD:
        put(v_ab.rotational, out_rates);
        put(v_ab.translational, out_rates + 3);
        break;
    case ISO_CONSTRAINT_BALL:
        put(v_ab.translational, out_rates);
        break;
    case ISO_CONSTRAINT_DISTANCE:
    case ISO_CONSTRAINT_TENDON:
        out_rates[0] = iso_vec3_dot(gap->direction, v_ab.translational);
        break;
    }
}

const double* iso_gap_jacobian(const iso_gap* gap, double* jacobian, int dofs) {
    if (gap->rows == 6) {
        return jacobian;
    }
    double* linear = jacobian + 3 * dofs;
    if (gap->rows == 1) {
        for (int d = 0; d < dofs; ++d) {
            linear[d] = gap->direction.x * linear[d] + gap->direction.y * linear[dofs + d] +
                        gap->direction.z * linear[2 * dofs + d];
        }
    }
    return linear;
}

iso_spatial iso_gap_wrench(const iso_gap* gap, const double* f) {
    switch (gap->kind) {
    case ISO_CONSTRAINT_WELD:
        return iso_spatial_make(iso_vec3_make(f[0], f[1], f[2]), iso_vec3_make(f[3], f[4], f[5]));
    case ISO_CONSTRAINT_BALL:
        return iso_spatial_make(iso_vec3_zero(), iso_vec3_make(f[0], f[1], f[2]));
    case ISO_CONSTRAINT_DISTANCE:
    case ISO_CONSTRAINT_TENDON:
        break;
    }
    return iso_spatial_make(iso_vec3_zero(), iso_vec3_scale(gap->direction, f[0]));
}

double iso_coupler_gap(const iso_coupler* coupler, const iso_multibody* multibody,
                       const double* q) {
    const double* c = coupler->curve;
    double a = q[multibody->bodies[coupler->body_a].q_index];
    double bow = a * a * (c[0] + a * (c[1] + a * c[2])); // 0 of a line, to the bit
    return q[multibody->bodies[coupler->body_b].q_index] - coupler->ratio * a - coupler->offset -
           bow;
}

double iso_coupler_slope(const iso_coupler* coupler, const iso_multibody* multibody,
                         const double* q) {
    const double* c = coupler->curve;
    double a = q[multibody->bodies[coupler->body_a].q_index];
    return coupler->ratio + a * (2.0 * c[0] + a * (3.0 * c[1] + a * 4.0 * c[2]));
}

double iso_coupler_bend(const iso_coupler* coupler, const iso_multibody* multibody,
                        const double* q) {
    const double* c = coupler->curve;
    double a = q[multibody->bodies[coupler->body_a].q_index];
    return 2.0 * c[0] + a * (6.0 * c[1] + a * 12.0 * c[2]);
}
