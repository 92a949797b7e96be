// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// Linear complementarity: find z >= 0 with w = M z + q >= 0 and z w = 0 in each row.
typedef struct iso_lcp {
    int count;
    const double* m; ///< [count * count] row major, of any kind
    const double* q; ///< [count]
} iso_lcp;

typedef struct iso_lcp_report {
    bool is_solved;
    bool is_ray; ///< ended on a ray: of a matrix that is copositive plus there is no solution
    int pivots;
    double residual; ///< iso_lcp_residual() of what was found
} iso_lcp_report;

/// Lemke's method ([Cottle1992] algorithm 4.4.5) with q disturbed by 1e-11 of its size while a
/// basis is sought, so that rows that are equal do not make it cycle. Dense: a pivot costs 2
/// count^2.
/// @param[out] out_z  [count]; zero where nothing was found
/// @return ISO_OK also when there is no solution (report); ISO_ERR_MEMORY
iso_status iso_lcp_lemke(iso_context* ctx, const iso_lcp* problem, int max_pivots, double* out_z,
                         iso_lcp_report* out_report);

/// Largest |min(z, w)|: 0 of a solution. In units of w where z has the same.
double iso_lcp_residual(const iso_lcp* problem, const double* z);
