// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The logarithmic barrier and the smoothed friction of incremental potential contact ([Li2020]).

#include <math.h>

// With t = (C - D) / D no term cancels: the numbers are exact to rounding up to the reach.

/// b(D) = -(D - C)^2 ln(D / C) of a squared distance D below C, the square of the barrier's reach;
/// else 0 ([Li2020] 6). D > 0.
static inline double iso_barrier(double squared, double reach_squared) {
    double short_of = reach_squared - squared;
    return short_of > 0.0 ? short_of * short_of * log1p(short_of / squared) : 0.0;
}

/// db / dD, <= 0.
static inline double iso_barrier_slope(double squared, double reach_squared) {
    if (!(squared < reach_squared)) {
        return 0.0;
    }
    double short_of = reach_squared - squared, t = short_of / squared;
    return -short_of * (t + 2.0 * log1p(t));
}

/// d^2 b / dD^2, >= 0.
static inline double iso_barrier_curvature(double squared, double reach_squared) {
    if (!(squared < reach_squared)) {
        return 0.0;
    }
    double t = (reach_squared - squared) / squared;
    return t * (t + 4.0) + 2.0 * log1p(t);
}

/// Work of friction per unit of its limit over a slip y >= 0, smoothed below a slip e ([Li2020]
/// 14 to 16): its slope is iso_slip_share().
static inline double iso_slip_work(double y, double e) {
    return y < e ? y * y / e - y * y * y / (3.0 * e * e) + e / 3.0 : y;
}

/// Share of the limit that a slip y mobilises: 1 from e on.
static inline double iso_slip_share(double y, double e) {
    return y < e ? (2.0 - y / e) * y / e : 1.0;
}

/// iso_slip_share() over y, finite at zero.
static inline double iso_slip_share_over(double y, double e) {
    return y < e ? (2.0 - y / e) / e : 1.0 / y;
}

/// Slope of iso_slip_share().
static inline double iso_slip_share_slope(double y, double e) {
    return y < e ? 2.0 * (1.0 - y / e) / e : 0.0;
}
