// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Eigenvalues of a small symmetric matrix, by cyclic Jacobi rotations: accurate to a few units of
/// rounding of the largest one.
/// @param[in,out] a      [n * n] row major, whole; its diagonal becomes the eigenvalues, in no
/// order
/// @param[out] vectors   [n * n] unit eigenvectors, in columns
void iso_symmetric_eigen(double* a, int n, double* vectors);
