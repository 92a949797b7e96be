// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Complete elliptic integrals by Carlson's duplication, to rounding for all arguments;
// [Carlson1995].

/// R_F(x, y, z) = 1/2 int_0^inf dt / sqrt((t + x)(t + y)(t + z)).
/// @param x, y, z  >= 0, at most one of them 0
double iso_carlson_rf(double x, double y, double z);

/// R_D(x, y, z) = 3/2 int_0^inf dt / (sqrt((t + x)(t + y)) (t + z)^(3/2)).
/// @param x, y  >= 0, not both 0   @param z  > 0
double iso_carlson_rd(double x, double y, double z);

/// K and E of the modulus k by its complement k' = sqrt(1 - k^2), which keeps its digits near k
/// = 1.
/// @param complement  0 < k' <= 1
double iso_elliptic_k(double complement);
double iso_elliptic_e(double complement);
