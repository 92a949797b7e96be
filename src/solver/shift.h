// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Jacobians of free bodies: a twist of six numbers moved to another point,
//     J = sign [1 0; Q 1],  Q x = q x x.
// Products with them cost a third of those with a dense block.

#include "math/lanes_f64x4.h"

typedef struct iso_shift {
    double sign; ///< 1 or -1; 0: the Jacobian is another one
    double q[3];
} iso_shift;

/// J^T H J of two shifts is written in rows of six, and a last number of no meaning.
#define ISO_SHIFT_BLOCK 40

/// Whether a 6 x 6 Jacobian is a shift, exactly.
static inline iso_shift iso_shift_find(const double* j) {
    iso_shift shift = {j[0], {j[0] * j[30 + 1], j[0] * j[18 + 2], j[0] * j[24]}};
    bool is_shift = shift.sign == 1.0 || shift.sign == -1.0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            double unit = i == k ? shift.sign : 0.0;
            is_shift = is_shift && j[6 * i + k] == unit && j[6 * i + 3 + k] == 0.0 &&
                       j[6 * (3 + i) + 3 + k] == unit;
        }
        is_shift = is_shift && j[6 * (3 + i) + i] == 0.0;
    }
    is_shift = is_shift && j[24 + 2] == -j[30 + 1] && j[18 + 1] == -j[24] && j[30] == -j[18 + 2];
    return is_shift ? shift : (iso_shift){0.0, {0.0, 0.0, 0.0}};
}

/// u += J x
static inline void iso_shift_add_jx(const iso_shift* j, const double* x, double* u) {
    const double *q = j->q, s = j->sign;
    for (int i = 0; i < 3; ++i) {
        u[i] += s * x[i];
    }
    u[3] += s * (x[3] + (q[1] * x[2] - q[2] * x[1]));
    u[4] += s * (x[4] + (q[2] * x[0] - q[0] * x[2]));
    u[5] += s * (x[5] + (q[0] * x[1] - q[1] * x[0]));
}

/// y += scale J^T f
static inline void iso_shift_add_jtf(const iso_shift* j, double scale, const double* f, double* y) {
    const double *q = j->q, s = scale * j->sign;
    y[0] += s * (f[0] + (q[2] * f[4] - q[1] * f[5]));
    y[1] += s * (f[1] + (q[0] * f[5] - q[2] * f[3]));
    y[2] += s * (f[2] + (q[1] * f[3] - q[0] * f[4]));
    for (int i = 3; i < 6; ++i) {
        y[i] += s * f[i];
    }
}

/// Of a symmetric H = [A B; B^T D] and one shift: rows of E = B^T + D Q and F = A + B Q.
typedef struct iso_shifted {
    iso_double4 e[3], f[3]; ///< lanes x y z, the last without meaning
} iso_shifted;

// a x q
static inline iso_double4 iso_shift_cross(iso_double4 a, iso_double4 q, iso_double4 q_yzx) {
    iso_double4 c = iso_double4_mul_subtract(iso_double4_yzx(a), q, iso_double4_mul(a, q_yzx));
    return iso_double4_yzx(c);
}

/// @param h  six rows of six and one more number, which is read
static inline iso_shifted iso_shift_hessian(const iso_shift* j, const double* h) {
    iso_double4 q = iso_double4_make(j->q[0], j->q[1], j->q[2], 0.0);
    iso_double4 q_yzx = iso_double4_make(j->q[1], j->q[2], j->q[0], 0.0);
    iso_shifted s;
    for (int i = 0; i < 3; ++i) {
        const double *top = h + 6 * i, *bottom = h + 6 * (3 + i);
        s.e[i] = iso_double4_add(iso_double4_load(bottom),
                                 iso_shift_cross(iso_double4_load(bottom + 3), q, q_yzx));
        s.f[i] = iso_double4_add(iso_double4_load(top),
                                 iso_shift_cross(iso_double4_load(top + 3), q, q_yzx));
    }
    return s;
}

/// [1 0; Q_x 1]^T H [1 0; Q_y 1] = [F_y + Q_x^T E_y, E_x^T; E_y, D]
static inline void iso_shift_write(const double* h, const iso_shift* j_x, const iso_shifted* x,
                                   const iso_shifted* y, double out[ISO_SHIFT_BLOCK]) {
    iso_double4 q0 = iso_double4_set(j_x->q[0]), q1 = iso_double4_set(j_x->q[1]);
    iso_double4 q2 = iso_double4_set(j_x->q[2]);
    iso_double4 rr[3] = {
        iso_double4_mul_subtract(q1, y->e[2], iso_double4_mul_add(q2, y->e[1], y->f[0])),
        iso_double4_mul_subtract(q2, y->e[0], iso_double4_mul_add(q0, y->e[2], y->f[1])),
        iso_double4_mul_subtract(q0, y->e[1], iso_double4_mul_add(q1, y->e[0], y->f[2]))};
    iso_double4 rt[4] = {x->e[0], x->e[1], x->e[2], x->e[2]};
    iso_double4_transpose(rt);
    // What has no meaning is written over by what follows.
    for (int i = 0; i < 3; ++i) {
        iso_double4_store(out + 6 * i, rr[i]);
        iso_double4_store(out + 6 * i + 3, rt[i]);
    }
    for (int i = 0; i < 3; ++i) {
        iso_double4_store(out + 6 * (3 + i), y->e[i]);
        iso_double4_store(out + 6 * (3 + i) + 3, iso_double4_load(h + 6 * (3 + i) + 3));
    }
}

/// C += scale times such a block.
static inline void iso_shift_add(const double block[ISO_SHIFT_BLOCK], double scale, double* c,
                                 int stride) {
    iso_double4 s = iso_double4_set(scale);
    for (int i = 0; i < 6; ++i) {
        double* row = c + i * stride;
        iso_double4 low =
            iso_double4_mul_add(s, iso_double4_load(block + 6 * i), iso_double4_load(row));
        iso_double4 high =
            iso_double4_mul_add(s, iso_double4_load(block + 6 * i + 2), iso_double4_load(row + 2));
        iso_double4_store(row, low);
        iso_double4_store(row + 2, high);
    }
}
