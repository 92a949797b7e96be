// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Coordinates of sticking friction in which the stiffness of a patch is the identity.

#include "contact/stick_parts.h"

#include <math.h>

// Directions with a smaller share of the stiffness have no friction.
#define SMALLEST_STIFFNESS_RATIO 1e-6

static inline double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Inverse of a positive definite matrix in place, by Gauss and Jordan. Row p becomes t, which is
// row p over the pivot but for 1 / pivot in its own place, and each other row loses its entry f
// there: row - f (t + e_p).
static inline void invert_small(double* a, int n) {
    for (int p = 0; p < n; ++p) {
        double* row = a + ISO_SIX_STRIDE * p;
        double inverse = 1.0 / row[p];
        iso_six unit = iso_six_unit(p);
        iso_six scaled = iso_six_scale(iso_six_load(row), inverse);
        iso_six change = iso_six_add_scaled(scaled, inverse, unit);
        for (int k = 0; k < n; ++k) {
            double* other = a + ISO_SIX_STRIDE * k;
            if (k != p) {
                iso_six_store(other, iso_six_add_scaled(iso_six_load(other), -other[p], change));
            }
        }
        iso_six_store(row, iso_six_add_scaled(change, -1.0, unit));
    }
}

// Rotations are measured by the size of the patch: metric[i] x[i] is a length.
static void find_metric(const double k[36], double metric[6]) {
    double rotational = k[0] + k[7] + k[14], translational = k[21] + k[28] + k[35];
    double length = sqrt(rotational / translational);
    length = length > 0.0 ? length : 1.0;
    for (int i = 0; i < 6; ++i) {
        metric[i] = i < 3 ? length : 1.0;
    }
}

// K = R^T R by Cholesky's method with pivots, as far as K reaches: rows of six; destroys k, and
// carries e, the identity at first, along. Then rows of e are those of a B^T with R B = 1, the
// inverse of R where the rank is six. Returns the rank.
static int factor_stiffness(double* k, double* e, double* r, double* b_t) {
    double largest = 0.0, scale[6];
    int rank = 0;
    for (int i = 0; i < 6; ++i) {
        largest = fmax(largest, k[(ISO_SIX_STRIDE + 1) * i]);
    }
    for (; rank < 6; ++rank) {
        int pivot = 0;
        double found = k[0];
        for (int i = 1; i < 6; ++i) {
            double other = k[(ISO_SIX_STRIDE + 1) * i];
            pivot = other > found ? i : pivot;
            found = other > found ? other : found;
        }
        if (!(found > SMALLEST_STIFFNESS_RATIO * largest)) {
            break;
        }
        double inverse = 1.0 / found;
        scale[rank] = found;
        iso_six row = iso_six_load(k + ISO_SIX_STRIDE * pivot);
        iso_six row_e = iso_six_load(e + ISO_SIX_STRIDE * pivot);
        iso_six_store(r + ISO_SIX_STRIDE * rank, row);
        iso_six_store(b_t + ISO_SIX_STRIDE * rank, row_e);
        for (int i = 0; i < 6; ++i) {
            double *k_i = k + ISO_SIX_STRIDE * i, *e_i = e + ISO_SIX_STRIDE * i;
            double share = -inverse * k_i[pivot];
            iso_six_store(k_i, iso_six_add_scaled(iso_six_load(k_i), share, row));
            iso_six_store(e_i, iso_six_add_scaled(iso_six_load(e_i), share, row_e));
        }
        iso_six_store(k + ISO_SIX_STRIDE * pivot, iso_six_zero());
    }
    for (int i = 0; i < rank; ++i) {
        double *r_i = r + ISO_SIX_STRIDE * i, *b_i = b_t + ISO_SIX_STRIDE * i;
        double inverse = 1.0 / sqrt(scale[i]);
        iso_six_store(r_i, iso_six_scale(iso_six_load(r_i), inverse));
        iso_six_store(b_i, iso_six_scale(iso_six_load(b_i), inverse));
    }
    return rank;
}

// Six rows of six, padded.
static void transpose(const double* a, double* out) {
    iso_wide zero = iso_wide_set(0.0);
    for (int half = 0; half < 2; ++half) { // of the columns of a
        const double* from = a + ISO_WIDE_LANES * half;
        double* to = out + ISO_SIX_STRIDE * ISO_WIDE_LANES * half;
        iso_wide first[4], last[4] = {iso_wide_load(from + 4 * ISO_SIX_STRIDE),
                                      iso_wide_load(from + 5 * ISO_SIX_STRIDE), zero, zero};
        for (int i = 0; i < 4; ++i) {
            first[i] = iso_wide_load(from + ISO_SIX_STRIDE * i);
        }
        iso_wide_transpose(first);
        iso_wide_transpose(last);
        for (int j = 0; j < (half == 0 ? 4 : 2); ++j) {
            iso_wide_store(to + ISO_SIX_STRIDE * j, first[j]);
            iso_wide_store(to + ISO_SIX_STRIDE * j + ISO_WIDE_LANES, last[j]);
        }
    }
}

// B^T = (R R^T)^-1 R in units of the metric, n rows: at least the rank.
ISO_SIX_INLINE void find_inverse(const double* r, int rank, int n, double* b_t) {
    double r_t[6 * ISO_SIX_STRIDE], gram[6 * ISO_SIX_STRIDE];
    transpose(r, r_t);
    // About 1 for its inverse; rows beyond the rank are those of the identity.
    double unit = rank > 0 ? dot(r, r, 6) : 1.0;
    for (int i = 0; i < n; ++i) {
        iso_six row = iso_six_combine(r_t, r + ISO_SIX_STRIDE * i, 6);
        iso_six_store(gram + ISO_SIX_STRIDE * i, iso_six_scale(row, 1.0 / unit));
        gram[(ISO_SIX_STRIDE + 1) * i] += i < rank ? 0.0 : 1.0;
    }
    invert_small(gram, n);
    for (int i = 0; i < n; ++i) {
        iso_six row = iso_six_combine(r, gram + ISO_SIX_STRIDE * i, n);
        iso_six_store(b_t + ISO_SIX_STRIDE * i, iso_six_scale(row, 1.0 / unit));
    }
}

void iso_stick_find_coordinates(const double k[36], iso_stick* stick) {
    double scaled[6 * ISO_SIX_STRIDE], r[6 * ISO_SIX_STRIDE], b_t[6 * ISO_SIX_STRIDE];
    double e[6 * ISO_SIX_STRIDE];
    for (int i = 0; i < 6; ++i) {
        iso_six_store(e + ISO_SIX_STRIDE * i, iso_six_unit(i));
        iso_six_store(r + ISO_SIX_STRIDE * i, iso_six_zero());
        iso_six_store(b_t + ISO_SIX_STRIDE * i, iso_six_zero());
    }
    find_metric(k, stick->metric);
    double length = stick->metric[0], shorter = 1.0 / length;
    iso_wide ones = iso_wide_make(1.0, 1.0, 0.0, 0.0);
    iso_six grow = iso_six_make(iso_wide_make(length, length, length, 1.0), ones);
    iso_six shrink = iso_six_make(iso_wide_make(shorter, shorter, shorter, 1.0), ones);
    for (int i = 0; i < 6; ++i) {
        iso_six product = iso_six_multiply(iso_six_load_bare(k + 6 * i), shrink);
        iso_six_store(scaled + ISO_SIX_STRIDE * i, iso_six_scale(product, i < 3 ? shorter : 1.0));
    }
    stick->rank = factor_stiffness(scaled, e, r, b_t);
    // A flat patch has rank 3, a curved one mostly 6.
    if (stick->rank <= 3) {
        find_inverse(r, stick->rank, 3, b_t);
    } else if (stick->rank < 6) {
        find_inverse(r, stick->rank, 6, b_t);
    }
    // In the layouts that evaluations stream through; beyond the rank all is zero.
    for (int i = 0; i < 6; ++i) {
        int at = ISO_SIX_STRIDE * i;
        iso_six_store(stick->r + at, iso_six_multiply(iso_six_load(r + at), grow));
        iso_six_store(stick->b_t + at, iso_six_multiply(iso_six_load(b_t + at), shrink));
    }
    transpose(stick->r, stick->r_t);
    transpose(stick->b_t, stick->b);
}
