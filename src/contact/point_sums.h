// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Sums over the points of a patch.

#include "contact/point_law.h"

// With J = [-[r]x, I] (velocity of the point from the twist), a point adds to the gradient J^T g =
// (r x g; g) and to the Hessian J^T G J = ([r]x G [r]x^T, [r]x G; G [r]x^T, G): 21 different
// numbers.

// One partial sum per lane.
typedef struct gradient_sums {
    iso_wide value;
    iso_wide3 moment, force;
} gradient_sums;

typedef struct hessian_sums {
    iso_wide rr[6]; ///< xx, xy, xz, yy, yz, zz of the rotational block
    iso_wide rt[9]; ///< row major
    iso_wide tt[6]; ///< as rr
} hessian_sums;

static inline gradient_sums no_gradient(void) {
    iso_wide zero = iso_wide_set(0.0);
    return (gradient_sums){zero, {zero, zero, zero}, {zero, zero, zero}};
}

static inline hessian_sums no_hessian(void) {
    hessian_sums sums;
    iso_wide zero = iso_wide_set(0.0);
    for (int i = 0; i < 6; ++i) {
        sums.rr[i] = sums.tt[i] = zero;
    }
    for (int i = 0; i < 9; ++i) {
        sums.rt[i] = zero;
    }
    return sums;
}

static inline void add_to(iso_wide* sum, iso_wide term) {
    *sum = iso_wide_add(*sum, term);
}

static inline void add_to3(iso_wide3* sum, iso_wide3 term) {
    add_to(&sum->x, term.x);
    add_to(&sum->y, term.y);
    add_to(&sum->z, term.z);
}

// p q + r s
static inline iso_wide sum_of_products(iso_wide p, iso_wide q, iso_wide r, iso_wide s) {
    return iso_wide_add(iso_wide_mul(p, q), iso_wide_mul(r, s));
}

// Add J^T G J for a symmetric G.
static inline void add_symmetric(hessian_sums* sums, iso_wide3 r, iso_wide xx, iso_wide xy,
                                 iso_wide xz, iso_wide yy, iso_wide yz, iso_wide zz) {
    add_to(&sums->tt[0], xx);
    add_to(&sums->tt[1], xy);
    add_to(&sums->tt[2], xz);
    add_to(&sums->tt[3], yy);
    add_to(&sums->tt[4], yz);
    add_to(&sums->tt[5], zz);
    // Columns of [r]x G are r x (columns of G).
    iso_wide3 c0 = iso_wide3_cross(r, (iso_wide3){xx, xy, xz});
    iso_wide3 c1 = iso_wide3_cross(r, (iso_wide3){xy, yy, yz});
    iso_wide3 c2 = iso_wide3_cross(r, (iso_wide3){xz, yz, zz});
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
    add_to(&sums->rr[0], iso_wide_cross_component(r.y, c2.x, r.z, c1.x));
    add_to(&sums->rr[1], iso_wide_cross_component(r.z, c0.x, r.x, c2.x));
    add_to(&sums->rr[2], iso_wide_cross_component(r.x, c1.x, r.y, c0.x));
    add_to(&sums->rr[3], iso_wide_cross_component(r.z, c0.y, r.x, c2.y));
    add_to(&sums->rr[4], iso_wide_cross_component(r.x, c1.y, r.y, c0.y));
    add_to(&sums->rr[5], iso_wide_cross_component(r.x, c1.z, r.y, c0.z));
}

// Add J^T G J of a normal part, G = b n n^T: b J^T n (J^T n)^T with J^T n = (r x n; n).
static inline void add_normal_hessian(hessian_sums* sums, iso_wide3 r, iso_wide3 n, iso_wide b) {
    iso_wide3 m = iso_wide3_cross(r, n);
    iso_wide3 bm = iso_wide3_scale(m, b), bn = iso_wide3_scale(n, b);
    add_to(&sums->rr[0], iso_wide_mul(bm.x, m.x));
    add_to(&sums->rr[1], iso_wide_mul(bm.x, m.y));
    add_to(&sums->rr[2], iso_wide_mul(bm.x, m.z));
    add_to(&sums->rr[3], iso_wide_mul(bm.y, m.y));
    add_to(&sums->rr[4], iso_wide_mul(bm.y, m.z));
    add_to(&sums->rr[5], iso_wide_mul(bm.z, m.z));
    add_to(&sums->rt[0], iso_wide_mul(m.x, bn.x));
    add_to(&sums->rt[1], iso_wide_mul(m.x, bn.y));
    add_to(&sums->rt[2], iso_wide_mul(m.x, bn.z));
    add_to(&sums->rt[3], iso_wide_mul(m.y, bn.x));
    add_to(&sums->rt[4], iso_wide_mul(m.y, bn.y));
    add_to(&sums->rt[5], iso_wide_mul(m.y, bn.z));
    add_to(&sums->rt[6], iso_wide_mul(m.z, bn.x));
    add_to(&sums->rt[7], iso_wide_mul(m.z, bn.y));
    add_to(&sums->rt[8], iso_wide_mul(m.z, bn.z));
    add_to(&sums->tt[0], iso_wide_mul(bn.x, n.x));
    add_to(&sums->tt[1], iso_wide_mul(bn.x, n.y));
    add_to(&sums->tt[2], iso_wide_mul(bn.x, n.z));
    add_to(&sums->tt[3], iso_wide_mul(bn.y, n.y));
    add_to(&sums->tt[4], iso_wide_mul(bn.y, n.z));
    add_to(&sums->tt[5], iso_wide_mul(bn.z, n.z));
}

static inline void write_gradient(const gradient_sums* sums, double* out_gradient) {
    out_gradient[0] = iso_wide_sum(sums->moment.x);
    out_gradient[1] = iso_wide_sum(sums->moment.y);
    out_gradient[2] = iso_wide_sum(sums->moment.z);
    out_gradient[3] = iso_wide_sum(sums->force.x);
    out_gradient[4] = iso_wide_sum(sums->force.y);
    out_gradient[5] = iso_wide_sum(sums->force.z);
}

static inline void write_hessian(const hessian_sums* sums, double* out_hessian) {
    static const int k_symmetric[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double coupling = iso_wide_sum(sums->rt[3 * i + j]);
            out_hessian[6 * i + j] = iso_wide_sum(sums->rr[k_symmetric[i][j]]);
            out_hessian[6 * i + 3 + j] = coupling;
            out_hessian[6 * (3 + j) + i] = coupling;
            out_hessian[6 * (3 + i) + 3 + j] = iso_wide_sum(sums->tt[k_symmetric[i][j]]);
        }
    }
}
