// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Rows of six numbers in two registers: small matrices of a pair. Memory is rows of eight, the last
// two zero. Lanes never meet, so all back ends give the same bits.

#include "math/wide.h"

#define ISO_SIX_STRIDE 8

typedef struct iso_six {
    iso_wide low, high;
} iso_six;

static inline iso_six iso_six_zero(void) {
    iso_six r = {iso_wide_set(0.0), iso_wide_set(0.0)};
    return r;
}
static inline iso_six iso_six_load(const double* p) {
    iso_six r = {iso_wide_load(p), iso_wide_load(p + ISO_WIDE_LANES)};
    return r;
}
static inline void iso_six_store(double* p, iso_six a) {
    iso_wide_store(p, a.low);
    iso_wide_store(p + ISO_WIDE_LANES, a.high);
}
static inline iso_six iso_six_scale(iso_six a, double s) {
    iso_wide w = iso_wide_set(s);
    iso_six r = {iso_wide_mul(a.low, w), iso_wide_mul(a.high, w)};
    return r;
}
/// Number by number.
static inline iso_six iso_six_multiply(iso_six a, iso_six b) {
    iso_six r = {iso_wide_mul(a.low, b.low), iso_wide_mul(a.high, b.high)};
    return r;
}
static inline iso_six iso_six_add(iso_six a, iso_six b) {
    iso_six r = {iso_wide_add(a.low, b.low), iso_wide_add(a.high, b.high)};
    return r;
}
/// a + s b
static inline iso_six iso_six_add_scaled(iso_six a, double s, iso_six b) {
    iso_wide w = iso_wide_set(s);
    iso_six r = {iso_wide_mul_add(b.low, w, a.low), iso_wide_mul_add(b.high, w, a.high)};
    return r;
}
/// Sum of x[i] times row i.
static inline iso_six iso_six_combine(const double* rows, const double* x, int count) {
    iso_six sum = iso_six_zero();
    for (int i = 0; i < count; ++i) {
        sum = iso_six_add_scaled(sum, x[i], iso_six_load(rows + ISO_SIX_STRIDE * i));
    }
    return sum;
}
/// A row from six numbers without padding.
static inline void iso_six_pad(const double x[6], double out[ISO_SIX_STRIDE]) {
    for (int i = 0; i < ISO_SIX_STRIDE; ++i) {
        out[i] = i < 6 ? x[i] : 0.0;
    }
}
