// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/elastic/body.h"

/// The two highest eigenvalues of M^-1/2 K(x) M^-1/2 [1/s^2], K at places x, fixed numbers left
/// out. By Lanczos steps with full orthogonalisation, products from force differentials (3.32): no
/// matrix is made.
/// @param fixed          [vertex_count * dimension] or NULL
/// @param[out] out_high  largest first
/// @return ISO_ERR_NO_CONVERGENCE when the larger one is not known to 1e-8, ISO_ERR_MEMORY
iso_status iso_elastic_top_modes(iso_context* ctx, const iso_elastic* e, const double* x,
                                 const bool* fixed, double out_high[2]);

/// Damping that makes both highest modes critical and all lower ones over-damped: (3.38), (3.39)
/// as equalities, alpha = 2 sqrt(L0 L1) / (sqrt L0 + sqrt L1), beta = 2 / (sqrt L0 + sqrt L1).
void iso_elastic_critical_damping(const double high[2], double* out_alpha, double* out_beta);

/// Longest explicit step of (3.53) with Rayleigh damping of the old velocity: 2 (sqrt(1 + z^2) - z)
/// / w, with z = (alpha / w + beta w) / 2 of the highest mode w^2 = high [s].
double iso_elastic_longest_step(double high, double alpha, double beta);
