// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Coefficients of the Radau IIA methods. Theory: docs/theory/integrators.md; [Hairer1996] IV.5.

#define ISO_RADAU_MOST_STAGES 11
#define ISO_RADAU_TABLE_COUNT 6 ///< 1, 3, 5, 7, 9, 11 stages

/// s stages, order 2 s - 1: Y_i = y + h sum_j a_ij f(t + c_j h, Y_j), y_new = Y_s. A^-1 is
/// T L T^-1 with L = diag(gamma, (alpha_1, beta_1; -beta_1, alpha_1), ...).
typedef struct iso_radau_table {
    int stage_count;
    double c[ISO_RADAU_MOST_STAGES];
    double a[ISO_RADAU_MOST_STAGES][ISO_RADAU_MOST_STAGES];
    double t[ISO_RADAU_MOST_STAGES][ISO_RADAU_MOST_STAGES];
    double t_inverse[ISO_RADAU_MOST_STAGES][ISO_RADAU_MOST_STAGES];
    double gamma;                            ///< real eigenvalue of A^-1
    double alpha[ISO_RADAU_MOST_STAGES / 2]; ///< [(s - 1) / 2] of its pairs
    double beta[ISO_RADAU_MOST_STAGES / 2];  ///< > 0
    double error[ISO_RADAU_MOST_STAGES]; ///< estimate: h f(t, y) / gamma + sum error_i (Y_i - y)
} iso_radau_table;

extern const iso_radau_table iso_radau_tables[ISO_RADAU_TABLE_COUNT];
