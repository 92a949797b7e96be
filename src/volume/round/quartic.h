// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Angles in [-pi, pi] where f[0] + f[1] cos + f[2] sin + f[3] cos 2 + f[4] sin 2 changes its sign.
/// Roots that touch without a change may be missing, or be two.
/// @param[out] out_angles  [4]
/// @return how many
int iso_trigonometric_roots(const double f[5], double* out_angles);
