// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Rows of six numbers in two registers: small matrices of a pair. Memory is rows of eight, the last
// two zero. Lanes meet in iso_six_sum() only, in one order, so all back ends give the same bits.

#include "math/lanes_f64x4.h"

#define ISO_SIX_STRIDE 8

/// For functions whose loops have the lengths that their callers pass as constants.
#define ISO_SIX_INLINE __attribute__((always_inline)) static inline

typedef struct iso_six {
    iso_double4 low, high;
} iso_six;

static inline iso_six iso_six_make(iso_double4 low, iso_double4 high) {
    iso_six r = {low, high};
    return r;
}
static inline iso_six iso_six_set(double s) {
    return iso_six_make(iso_double4_set(s), iso_double4_set(s));
}
static inline iso_six iso_six_load(const double* p) {
    return iso_six_make(iso_double4_load(p), iso_double4_load(p + ISO_DOUBLE4_LANES));
}
static inline void iso_six_store(double* p, iso_six a) {
    iso_double4_store(p, a.low);
    iso_double4_store(p + ISO_DOUBLE4_LANES, a.high);
}
/// Six numbers without padding.
static inline iso_six iso_six_load_bare(const double* p) {
    return iso_six_make(iso_double4_load(p), iso_double4_make(p[4], p[5], 0.0, 0.0));
}
static inline void iso_six_store_bare(double* p, iso_six a) {
    double rest[ISO_DOUBLE4_LANES];
    iso_double4_store(rest, a.high);
    iso_double4_store(p, a.low);
    p[4] = rest[0];
    p[5] = rest[1];
}
static inline iso_six iso_six_add(iso_six a, iso_six b) {
    return iso_six_make(iso_double4_add(a.low, b.low), iso_double4_add(a.high, b.high));
}
static inline iso_six iso_six_sub(iso_six a, iso_six b) {
    return iso_six_make(iso_double4_sub(a.low, b.low), iso_double4_sub(a.high, b.high));
}
/// Number by number.
static inline iso_six iso_six_multiply(iso_six a, iso_six b) {
    return iso_six_make(iso_double4_mul(a.low, b.low), iso_double4_mul(a.high, b.high));
}
/// a b + c number by number, rounded once.
static inline iso_six iso_six_multiply_add(iso_six a, iso_six b, iso_six c) {
    return iso_six_make(iso_double4_mul_add(a.low, b.low, c.low),
                        iso_double4_mul_add(a.high, b.high, c.high));
}

static inline iso_six iso_six_zero(void) {
    return iso_six_set(0.0);
}
static inline iso_six iso_six_scale(iso_six a, double s) {
    return iso_six_multiply(a, iso_six_set(s));
}
/// a + s b
static inline iso_six iso_six_add_scaled(iso_six a, double s, iso_six b) {
    return iso_six_multiply_add(b, iso_six_set(s), a);
}
/// The 21 different numbers of a symmetric matrix in 24: the order in which the sums over points
/// come out of their registers, which is also that of whole rows of its blocks of three.
#define ISO_SIX_UPPER 24
static const int iso_six_upper_at[6][6] = {{0, 1, 2, 4, 5, 6},     {1, 3, 7, 8, 9, 10},
                                           {2, 7, 11, 12, 13, 14}, {4, 8, 12, 16, 17, 18},
                                           {5, 9, 13, 17, 19, 15}, {6, 10, 14, 18, 15, 20}};
/// Row i of that matrix.
ISO_SIX_INLINE iso_six iso_six_upper_row(const double* upper, int i) {
    const int* at = iso_six_upper_at[i];
    return iso_six_make(iso_double4_make(upper[at[0]], upper[at[1]], upper[at[2]], upper[at[3]]),
                        iso_double4_make(upper[at[4]], upper[at[5]], 0.0, 0.0));
}
/// Of all numbers, padding too.
static inline double iso_six_sum(iso_six a) {
    return iso_double4_sum(iso_double4_add(a.low, a.high));
}
/// Sum of x[i] times row i.
ISO_SIX_INLINE iso_six iso_six_combine(const double* rows, const double* x, int count) {
    iso_six sum = iso_six_zero();
    for (int i = 0; i < count; ++i) {
        sum = iso_six_add_scaled(sum, x[i], iso_six_load(rows + ISO_SIX_STRIDE * i));
    }
    return sum;
}
