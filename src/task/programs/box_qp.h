// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#define ISO_BOX_QP_MAX 64

/// Numbers of one problem; no allocation.
typedef struct iso_box_qp {
    int count;                                           ///< unknowns, 1 to ISO_BOX_QP_MAX
    double h[ISO_BOX_QP_MAX * ISO_BOX_QP_MAX];           ///< [count * count] row major, symmetric,
                                                         ///< positive definite
    double g[ISO_BOX_QP_MAX];                            ///<
    double lower[ISO_BOX_QP_MAX], upper[ISO_BOX_QP_MAX]; ///< lower <= upper
    double factor[ISO_BOX_QP_MAX * ISO_BOX_QP_MAX];      ///< scratch
    double target[ISO_BOX_QP_MAX];                       ///< scratch
    int bound[ISO_BOX_QP_MAX];                           ///< result: -1, 1: stands at lower, upper
    double x[ISO_BOX_QP_MAX];                            ///< result
} iso_box_qp;

/// Minimise x^T h x / 2 - g^T x within the bounds, by a primal active-set method: every iterate is
/// within the bounds and none is worse than the one before. docs/theory/task.md.
/// @return the iterations it took; it stops after 10 count + 20 with what it has
int iso_box_qp_solve(iso_box_qp* qp);
