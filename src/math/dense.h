// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Small dense algebra for mass matrices and solver blocks. Matrices are row major with a stride
// (entries from one row to the next, >= columns). Every entry of a result is a sum in a stated
// order and SIMD lanes lie across entries, so all back ends give the same bits. Nothing allocates.
// Arguments must not overlap unless stated.

#include "isobar/math.h"

/// Sum of a[i] b[i]: lane l of four takes i = l, l + 4, ...; then iso_double4_sum.
double iso_dense_dot(const double* a, const double* b, int n);

/// y += s x
void iso_dense_add_scaled(double* y, const double* x, double s, int n);

/// y += scale A x; A is rows x cols.
void iso_dense_add_ax(double* y, double scale, const double* a, int a_stride, const double* x,
                      int rows, int cols);
/// y += scale A^T x; A is rows x cols, x has rows entries, y has cols.
void iso_dense_add_atx(double* y, double scale, const double* a, int a_stride, const double* x,
                       int rows, int cols);

/// C += scale A B; A is rows x inner, B inner x cols. Terms are added in the order of inner.
void iso_dense_add_ab(double* c, int c_stride, double scale, const double* a, int a_stride,
                      const double* b, int b_stride, int rows, int inner, int cols);
/// C += scale A^T B; A is inner x rows, B inner x cols. Terms are added in the order of inner.
void iso_dense_add_atb(double* c, int c_stride, double scale, const double* a, int a_stride,
                       const double* b, int b_stride, int rows, int inner, int cols);
/// Upper triangle (diagonal included) of C += scale A^T B, for products known to be symmetric:
/// A, B inner x n.
void iso_dense_add_atb_upper(double* c, int c_stride, double scale, const double* a, int a_stride,
                             const double* b, int b_stride, int inner, int n);
/// C += scale A B^T; A is rows x inner, B cols x inner. Each entry gets scale * iso_dense_dot().
void iso_dense_add_abt(double* c, int c_stride, double scale, const double* a, int a_stride,
                       const double* b, int b_stride, int rows, int inner, int cols);

/// Copy the upper triangle onto the lower one.
void iso_dense_mirror_upper(double* a, int n, int stride);

/// A = L L^T in place. Reads and writes the UPPER triangle only: afterwards entry (i, j), j >= i,
/// holds L_ji (that is U = L^T row by row, the order in which all loops below stream through it).
/// @return false when a pivot is not positive and finite (A is not positive definite); the
///         triangle is then half overwritten
bool iso_cholesky_factor(double* a, int n, int stride);

/// The factor, and A x = b in place: for the trees of robots in a third less time than the two
/// after each other, as roots and the first half of the solution do not wait for each other.
/// @return as iso_cholesky_factor(), but for n <= 15 the triangle is then as it was
bool iso_cholesky_factor_solve(double* a, int n, int stride, double* x);

/// Solve A x = b in place, with the factor of iso_cholesky_factor.
void iso_cholesky_solve(const double* factor, int n, int stride, double* x);
/// L y = b in place.
void iso_cholesky_forward(const double* factor, int n, int stride, double* x);
/// L^T x = y in place.
void iso_cholesky_backward(const double* factor, int n, int stride, double* x);

/// The same for a block of right-hand sides X, n x cols, row major.
void iso_cholesky_solve_block(const double* factor, int n, int stride, double* x, int x_stride,
                              int cols);
void iso_cholesky_forward_block(const double* factor, int n, int stride, double* x, int x_stride,
                                int cols);
void iso_cholesky_backward_block(const double* factor, int n, int stride, double* x, int x_stride,
                                 int cols);
