// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/contact/gap.h"

/// What makes the barrier between two edges smooth where they become parallel ([Li2020] section
/// 5.2): a factor m(c) of it, c = |u x v|^2 of the edges' vectors. Other pairs have the factor 1.
typedef struct iso_parallel {
    double factor;    ///< m, in [0, 1]
    double slope;     ///< dm / dc
    double curvature; ///< d^2 m / dc^2
} iso_parallel;

/// @param rest  places at rest: m is 1 from c = 1e-3 |u|^2 |v|^2 of the edges there on
iso_parallel iso_parallel_measure(const iso_pair* pair, const double* rest, const double* x);

/// Derivatives of c: out_slope [12], out_curvature [144] row major.
void iso_parallel_derivatives(const iso_pair* pair, const double* x, double* out_slope,
                              double* out_curvature);
