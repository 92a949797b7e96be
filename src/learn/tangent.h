// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

/// Positions moved by a small change in the coordinates of v.
/// @param[in,out] q  [q_count]
/// @param delta      [v_count]
void iso_tangent_move(const iso_world* world, const double* delta, double* q);
/// The change that leads from one to the other: iso_tangent_move() of it by `from` is `to`.
/// @param[out] out_delta  [v_count]
void iso_tangent_difference(const iso_world* world, const double* from, const double* to,
                            double* out_delta);
