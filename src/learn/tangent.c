// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "learn/tangent.h"

#include "isobar/dynamics.h"

#include <string.h>

static bool has_quaternion(const iso_coordinates* c) {
    return c->kind == ISO_JOINT_FREE || c->kind == ISO_JOINT_BALL;
}

static iso_quat read_quat(const double* q) {
    return iso_quat_make(q[0], q[1], q[2], q[3]);
}

void iso_tangent_move(const iso_world* world, const double* delta, double* q) {
    for (int b = 1; b < iso_world_body_count(world); ++b) {
        iso_coordinates c = iso_world_coordinates(world, b);
        double* at = q + c.q_index;
        const double* d = delta + c.v_index;
        int done = 0;
        if (has_quaternion(&c)) {
            iso_quat turn = iso_quat_from_rotation_vector((iso_vec3){d[0], d[1], d[2]});
            iso_quat quat = iso_quat_normalized(iso_quat_mul(turn, read_quat(at)));
            at[0] = quat.w;
            at[1] = quat.x;
            at[2] = quat.y;
            at[3] = quat.z;
            done = 3;
        }
        for (int i = done; i < c.v_count; ++i) {
            at[i + c.q_count - c.v_count] += d[i];
        }
    }
}

void iso_tangent_difference(const iso_world* world, const double* from, const double* to,
                            double* out_delta) {
    for (int b = 1; b < iso_world_body_count(world); ++b) {
        iso_coordinates c = iso_world_coordinates(world, b);
        const double *f = from + c.q_index, *t = to + c.q_index;
        double* d = out_delta + c.v_index;
        int done = 0;
        if (has_quaternion(&c)) {
            iso_quat back = iso_quat_make(f[0], -f[1], -f[2], -f[3]);
            iso_quat turn = iso_quat_normalized(iso_quat_mul(read_quat(t), back));
            iso_vec3 vector = iso_quat_to_rotation_vector(turn);
            d[0] = vector.x;
            d[1] = vector.y;
            d[2] = vector.z;
            done = 3;
        }
        for (int i = done; i < c.v_count; ++i) {
            int at = i + c.q_count - c.v_count;
            d[i] = t[at] - f[at];
        }
    }
}
