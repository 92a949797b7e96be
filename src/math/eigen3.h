// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/math.h"

/// Eigenvalues of a symmetric 3x3 matrix in ascending order, by cyclic Jacobi rotations; accurate
/// to a few units of rounding of the largest one. Only the upper triangle is read.
iso_vec3 iso_sym3_eigenvalues(const iso_mat3* a);
/// The positive semidefinite matrix nearest to a symmetric one, by the sum of squares of all
/// entries: negative eigenvalues become 0. Only the upper triangle is read.
iso_mat3 iso_sym3_clip_negative(const iso_mat3* a);
/// share times the trace on the diagonal, minus the matrix: the inertia from the second moments of
/// a mass with share 1, these from the inertia with 1/2.
iso_mat3 iso_sym3_complement(const iso_mat3* a, double share);
