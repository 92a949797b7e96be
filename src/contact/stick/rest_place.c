// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/stick/rest_place.h"

#include <math.h>
#include <string.h>

iso_pose iso_rest_place(const iso_stick_memory* memory, const iso_pose* x_wa) {
    const double *q = memory->rest_rotation, *p = memory->rest_position;
    iso_pose x_ar =
        iso_pose_from_quat(iso_quat_make(q[0], q[1], q[2], q[3]), iso_vec3_make(p[0], p[1], p[2]));
    return iso_pose_mul(x_wa, &x_ar);
}

void iso_rest_place_keep(const iso_pose* x_wr, const iso_pose* x_wa, iso_stick_memory* memory) {
    iso_pose x_ar = iso_pose_inverse_mul(x_wa, x_wr);
    iso_quat q = iso_quat_normalized(iso_quat_from_mat3(&x_ar.r));
    const double rotation[4] = {q.w, q.x, q.y, q.z}, position[3] = {x_ar.p.x, x_ar.p.y, x_ar.p.z};
    memcpy(memory->rest_rotation, rotation, sizeof rotation);
    memcpy(memory->rest_position, position, sizeof position);
}

void iso_rest_place_displacement(const iso_pose* x_wr, const iso_pose* x_wb, iso_vec3 p_wc,
                                 double out[6]) {
    iso_mat3 turn = iso_mat3_mul(x_wb->r, iso_mat3_transpose(x_wr->r));
    iso_vec3 before = iso_pose_point(x_wr, iso_pose_inverse_point(x_wb, p_wc));
    iso_vec3 after = iso_pose_point(x_wb, iso_pose_inverse_point(x_wr, p_wc));
    out[0] = 0.5 * (turn.m[2][1] - turn.m[1][2]);
    out[1] = 0.5 * (turn.m[0][2] - turn.m[2][0]);
    out[2] = 0.5 * (turn.m[1][0] - turn.m[0][1]);
    out[3] = 0.5 * (after.x - before.x);
    out[4] = 0.5 * (after.y - before.y);
    out[5] = 0.5 * (after.z - before.z);
}

// With T the rotation from there to here, b and r the origins of B here and there about the common
// point, and d the mean displacement:  (1 + T) r = (1 + T^-1) b - 2 d,  where
// 2 (1 + T)^-1 = 1 - tan(angle / 2) [axis]x  and  tan(angle / 2) = sine / (1 + cosine).
iso_pose iso_rest_place_before(const double displacement[6], const iso_pose* x_wb, iso_vec3 p_wc) {
    iso_vec3 s = iso_vec3_make(displacement[0], displacement[1], displacement[2]);
    iso_vec3 d = iso_vec3_make(displacement[3], displacement[4], displacement[5]);
    if (iso_vec3_dot(s, s) > 1.0) {
        s = iso_vec3_normalized(s);
    }
    double cosine = sqrt(fmax(1.0 - iso_vec3_dot(s, s), 0.0)), half = 1.0 / (1.0 + cosine);
    iso_mat3 back = iso_mat3_scale(iso_mat3_outer(s, s), half); // T^-1
    back = iso_mat3_add(back, iso_mat3_diagonal(cosine, cosine, cosine));
    back = iso_mat3_add(back, iso_mat3_skew(iso_vec3_neg(s)));
    iso_vec3 arm = iso_mat3_mul_vec3(&back, iso_vec3_sub(x_wb->p, p_wc));
    iso_vec3 way = iso_vec3_add_scaled(d, iso_vec3_cross(s, d), -half);
    iso_pose x_wr = {iso_mat3_mul(back, x_wb->r), iso_vec3_add(p_wc, iso_vec3_sub(arm, way))};
    return x_wr;
}
