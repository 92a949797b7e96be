// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Sums over the points of a patch.

#include "contact/discrete/point_law.h"
#include "contact/discrete/six.h"

// With J = [-[r]x, I] (velocity of the point from the twist), a point adds to the gradient J^T g =
// (r x g; g) and to the Hessian J^T G J = ([r]x G [r]x^T, [r]x G; G [r]x^T, G): 21 different
// numbers.

// One partial sum per lane.
typedef struct gradient_sums {
    iso_double4 value, trace; ///< trace: of what those who sum say
    iso_vec3x4 moment, force;
} gradient_sums;

typedef struct hessian_sums {
    iso_double4 rr[6]; ///< xx, xy, xz, yy, yz, zz of the rotational block
    iso_double4 rt[9]; ///< row major
    iso_double4 tt[6]; ///< as rr
} hessian_sums;

static inline gradient_sums no_gradient(void) {
    iso_double4 zero = iso_double4_set(0.0);
    return (gradient_sums){zero, zero, {zero, zero, zero}, {zero, zero, zero}};
}

static inline hessian_sums no_hessian(void) {
    hessian_sums sums;
    iso_double4 zero = iso_double4_set(0.0);
    for (int i = 0; i < 6; ++i) {
        sums.rr[i] = sums.tt[i] = zero;
    }
    for (int i = 0; i < 9; ++i) {
        sums.rt[i] = zero;
    }
    return sums;
}

static inline void add_to(iso_double4* sum, iso_double4 term) {
    *sum = iso_double4_add(*sum, term);
}

static inline void add_to3(iso_vec3x4* sum, iso_vec3x4 term) {
    add_to(&sum->x, term.x);
    add_to(&sum->y, term.y);
    add_to(&sum->z, term.z);
}

// sum += p q
static inline void add_product(iso_double4* sum, iso_double4 p, iso_double4 q) {
    *sum = iso_double4_mul_add(p, q, *sum);
}

// sum += p q - r s
static inline void add_products(iso_double4* sum, iso_double4 p, iso_double4 q, iso_double4 r,
                                iso_double4 s) {
    *sum = iso_double4_mul_subtract(r, s, iso_double4_mul_add(p, q, *sum));
}

// p q + r s
static inline iso_double4 sum_of_products(iso_double4 p, iso_double4 q, iso_double4 r,
                                          iso_double4 s) {
    return iso_double4_mul_add(p, q, iso_double4_mul(r, s));
}

// Add J^T G J for a symmetric G.
static inline void add_symmetric(hessian_sums* sums, iso_vec3x4 r, iso_double4 xx, iso_double4 xy,
                                 iso_double4 xz, iso_double4 yy, iso_double4 yz, iso_double4 zz) {
    add_to(&sums->tt[0], xx);
    add_to(&sums->tt[1], xy);
    add_to(&sums->tt[2], xz);
    add_to(&sums->tt[3], yy);
    add_to(&sums->tt[4], yz);
    add_to(&sums->tt[5], zz);
    // Columns of [r]x G are r x (columns of G).
    iso_vec3x4 c0 = iso_vec3x4_cross(r, (iso_vec3x4){xx, xy, xz});
    iso_vec3x4 c1 = iso_vec3x4_cross(r, (iso_vec3x4){xy, yy, yz});
    iso_vec3x4 c2 = iso_vec3x4_cross(r, (iso_vec3x4){xz, yz, zz});
    add_to(&sums->rt[0], c0.x);
    add_to(&sums->rt[1], c1.x);
    add_to(&sums->rt[2], c2.x);
    add_to(&sums->rt[3], c0.y);
    add_to(&sums->rt[4], c1.y);
    add_to(&sums->rt[5], c2.y);
    add_to(&sums->rt[6], c0.z);
    add_to(&sums->rt[7], c1.z);
    add_to(&sums->rt[8], c2.z);
    // Rows of [r]x G [r]x^T are r x (rows of [r]x G).
    add_products(&sums->rr[0], r.y, c2.x, r.z, c1.x);
    add_products(&sums->rr[1], r.z, c0.x, r.x, c2.x);
    add_products(&sums->rr[2], r.x, c1.x, r.y, c0.x);
    add_products(&sums->rr[3], r.z, c0.y, r.x, c2.y);
    add_products(&sums->rr[4], r.x, c1.y, r.y, c0.y);
    add_products(&sums->rr[5], r.x, c1.z, r.y, c0.z);
}

// Add J^T G J of a normal part, G = b n n^T: b J^T n (J^T n)^T with J^T n = (r x n; n).
static inline void add_normal_hessian(hessian_sums* sums, iso_vec3x4 r, iso_vec3x4 n,
                                      iso_double4 b) {
    iso_vec3x4 m = iso_vec3x4_cross(r, n);
    iso_vec3x4 bm = iso_vec3x4_scale(m, b), bn = iso_vec3x4_scale(n, b);
    add_product(&sums->rr[0], bm.x, m.x);
    add_product(&sums->rr[1], bm.x, m.y);
    add_product(&sums->rr[2], bm.x, m.z);
    add_product(&sums->rr[3], bm.y, m.y);
    add_product(&sums->rr[4], bm.y, m.z);
    add_product(&sums->rr[5], bm.z, m.z);
    add_product(&sums->rt[0], m.x, bn.x);
    add_product(&sums->rt[1], m.x, bn.y);
    add_product(&sums->rt[2], m.x, bn.z);
    add_product(&sums->rt[3], m.y, bn.x);
    add_product(&sums->rt[4], m.y, bn.y);
    add_product(&sums->rt[5], m.y, bn.z);
    add_product(&sums->rt[6], m.z, bn.x);
    add_product(&sums->rt[7], m.z, bn.y);
    add_product(&sums->rt[8], m.z, bn.z);
    add_product(&sums->tt[0], bn.x, n.x);
    add_product(&sums->tt[1], bn.x, n.y);
    add_product(&sums->tt[2], bn.x, n.z);
    add_product(&sums->tt[3], bn.y, n.y);
    add_product(&sums->tt[4], bn.y, n.z);
    add_product(&sums->tt[5], bn.z, n.z);
}

// iso_double4_sum() of four.
static inline iso_double4 sum_four(iso_double4 a, iso_double4 b, iso_double4 c, iso_double4 d) {
    iso_double4 v[4] = {a, b, c, d};
    iso_double4_transpose(v);
    return iso_double4_add(iso_double4_add(v[0], v[2]), iso_double4_add(v[1], v[3]));
}

// Returns the value.
static inline double write_gradient_and_trace(const gradient_sums* sums, double* out_gradient,
                                              double* out_trace) {
    double rest[ISO_DOUBLE4_LANES];
    iso_double4 first = sum_four(sums->moment.x, sums->moment.y, sums->moment.z, sums->force.x);
    iso_double4_store(rest, sum_four(sums->force.y, sums->force.z, sums->value, sums->trace));
    iso_double4_store(out_gradient, first);
    out_gradient[4] = rest[0];
    out_gradient[5] = rest[1];
    *out_trace = rest[3];
    return rest[2];
}
static inline double write_gradient(const gradient_sums* sums, double* out_gradient) {
    double trace;
    return write_gradient_and_trace(sums, out_gradient, &trace);
}

// In the order of iso_six_upper_at.
static inline void write_upper(const hessian_sums* sums, double out_upper[ISO_SIX_UPPER]) {
    const iso_double4 *rr = sums->rr, *rt = sums->rt, *tt = sums->tt;
    double* u = out_upper;
    iso_double4_store(u, sum_four(rr[0], rr[1], rr[2], rr[3]));
    iso_double4_store(u + 4, sum_four(rt[0], rt[1], rt[2], rr[4]));
    iso_double4_store(u + 8, sum_four(rt[3], rt[4], rt[5], rr[5]));
    iso_double4_store(u + 12, sum_four(rt[6], rt[7], rt[8], tt[4]));
    iso_double4_store(u + 16, sum_four(tt[0], tt[1], tt[2], tt[3]));
    iso_double4_store(u + 20, iso_double4_set(iso_double4_sum(tt[5])));
}

static inline void write_hessian(const hessian_sums* sums, double* out_hessian) {
    double upper[ISO_SIX_UPPER];
    write_upper(sums, upper);
    for (int i = 0; i < 6; ++i) {
        for (int j = i; j < 6; ++j) {
            out_hessian[6 * i + j] = out_hessian[6 * j + i] = upper[iso_six_upper_at[i][j]];
        }
    }
}
