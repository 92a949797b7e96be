// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Shared by the parts of sticking friction: coordinates, potential, memory.

#include "contact/stick/stick.h"

/// Motion without stiffness (pressing, tilting, rolling of a flat patch) is remembered up to this
/// share of the radius, so that what moves to and fro comes back to the same stretch.
#define ISO_STICK_REACH_RATIO 0.02

/// Hessians are kept in so many Newton steps of a time step: a trace is that of the largest parts,
/// of which 5e-4 may be more than all of the smallest, and then Newton's method needs the Hessian
/// itself to end.
#define ISO_STICK_KEPT_STEPS 8

/// Sum of x[i] times row i, rows of four.
ISO_SIX_INLINE iso_double4 iso_stick_combine_four(const double* rows, const double* x, int count) {
    iso_double4 sum = iso_double4_set(0.0);
    for (int i = 0; i < count; ++i) {
        iso_double4 row = iso_double4_load(rows + ISO_DOUBLE4_LANES * i);
        sum = iso_double4_mul_add(row, iso_double4_set(x[i]), sum);
    }
    return sum;
}

// Products with R, its inverse B and the stiffness in the coordinates, whose number n callers pass
// as a constant.

/// R x of six bare numbers.
ISO_SIX_INLINE iso_six iso_stick_to_sigma(const iso_stick* stick, const double x[6], int n) {
    return n == 3 ? iso_six_make(iso_stick_combine_four(stick->r_t, x, 6), iso_double4_set(0.0))
                  : iso_six_make(iso_double4_make(x[0], x[1], x[2], x[3]),
                                 iso_double4_make(x[4], x[5], 0.0, 0.0));
}
/// B sigma
ISO_SIX_INLINE iso_six iso_stick_to_twist(const iso_stick* stick, const double* sigma, int n) {
    return n == 3 ? iso_six_combine(stick->b_t, sigma, 3) : iso_six_load(sigma);
}
/// B^T g of six bare numbers.
ISO_SIX_INLINE iso_six iso_stick_of_gradient(const iso_stick* stick, const double g[6], int n) {
    return n == 3 ? iso_six_make(iso_stick_combine_four(stick->b, g, 6), iso_double4_set(0.0))
                  : iso_six_load_bare(g);
}
/// K sigma
ISO_SIX_INLINE iso_six iso_stick_stiffen(const iso_stick* stick, const double* sigma, int n) {
    return n == 3 ? iso_six_load(sigma) : iso_six_combine(stick->k, sigma, 6);
}
/// K R x of six bare numbers.
ISO_SIX_INLINE iso_six iso_stick_stiffen_twist(const iso_stick* stick, const double x[6], int n) {
    return n == 3 ? iso_stick_to_sigma(stick, x, 3) : iso_six_combine(stick->k, x, 6);
}
/// R^T f
ISO_SIX_INLINE iso_six iso_stick_to_wrench(const iso_stick* stick, const double* f, int n) {
    return n == 3 ? iso_six_combine(stick->r, f, 3) : iso_six_load(f);
}

/// sigma and its change along the search line.
ISO_SIX_INLINE double* iso_stick_sigma(iso_stick_inner* inner, int n) {
    return n == 3 ? inner->sigma : inner->slip;
}
ISO_SIX_INLINE double* iso_stick_step(iso_stick_inner* inner, int n) {
    return n == 3 ? inner->step : inner->slip_step;
}

/// Stiffness against translations of K in the order of iso_six_upper_at.
static inline double iso_stick_translational(const double k[ISO_SIX_UPPER]) {
    return k[16] + k[19] + k[20];
}
/// Coordinates for the stiffness k, in the order of iso_six_upper_at: size, metric, weight, and K
/// or R and B. The reach is known.
void iso_stick_find_coordinates(const double k[ISO_SIX_UPPER], iso_stick* stick);
/// The same for no stiffness and no stretch.
void iso_stick_find_no_coordinates(iso_stick* stick);
/// Memory, stretch and slip at the start of the step; memory: as in iso_stick_init().
void iso_stick_recall(const iso_contact_pair* pair, const iso_pose* x_wa, const iso_pose* x_wb,
                      const iso_stick_memory* memory, iso_spatial v_c0, iso_stick* stick);
/// Inverse (6 x ISO_SIX_STRIDE, padded with zero) of a positive definite matrix in the order of
/// iso_six_upper_at, by the factor of what has ones on its diagonal: for matrices whose condition
/// leaves nothing of cofactors. What rounding makes indefinite gets a little more on its diagonal.
void iso_stick_invert_stably(const double m[ISO_SIX_UPPER], double* out);
