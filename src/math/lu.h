// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Dense LU factors with partial pivoting, for matrices without symmetry: real ones, and complex
// ones with real and imaginary parts in arrays of their own. Row major, n x n, without gaps. Every
// entry is a sum in a stated order, so all back ends give the same bits. Nothing allocates.

#include "isobar/math.h"

/// P A = L U in place; L has a unit diagonal.
/// @param[out] pivots  [n] row k was swapped with row pivots[k]
/// @return false when a pivot is 0 or not finite (A is singular)
bool iso_lu_factor(double* a, int n, int* pivots);
/// A x = b in place.
void iso_lu_solve(const double* factors, const int* pivots, int n, double* x);

/// The same for re + i im.
bool iso_complex_lu_factor(double* re, double* im, int n, int* pivots);
void iso_complex_lu_solve(const double* re, const double* im, const int* pivots, int n,
                          double* x_re, double* x_im);
