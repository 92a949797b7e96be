// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "task/programs/box_qp.h"

#include <math.h>
#include <stdbool.h>

// Cholesky factor of the free part of h, with rows and columns of 1 where a bound is met.
static bool factor_free(iso_box_qp* qp) {
    int n = qp->count;
    double* l = qp->factor;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            bool is_free = qp->bound[i] == 0 && qp->bound[j] == 0;
            double sum = is_free ? qp->h[i * n + j] : (i == j ? 1.0 : 0.0);
            for (int k = 0; k < j; ++k) {
                sum -= l[i * n + k] * l[j * n + k];
            }
            if (i == j) {
                if (!(sum > 0.0)) {
                    return false;
                }
                l[i * n + i] = sqrt(sum);
            } else {
                l[i * n + j] = sum / l[j * n + j];
            }
        }
    }
    return true;
}

// Minimum over the free unknowns, the others staying at their bounds.
static bool solve_free(iso_box_qp* qp) {
    int n = qp->count;
    double* y = qp->target;
    if (!factor_free(qp)) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        y[i] = qp->bound[i] != 0 ? qp->x[i] : qp->g[i];
        for (int k = 0; k < n && qp->bound[i] == 0; ++k) {
            y[i] -= qp->bound[k] != 0 ? qp->h[i * n + k] * qp->x[k] : 0.0;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            y[i] -= qp->factor[i * n + k] * y[k];
        }
        y[i] /= qp->factor[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            y[i] -= qp->factor[k * n + i] * y[k];
        }
        y[i] /= qp->factor[i * n + i];
    }
    return true;
}

// Go towards the target until the first bound; false when a bound was in the way.
static bool advance(iso_box_qp* qp) {
    double share = 1.0;
    int blocking = -1;
    for (int i = 0; i < qp->count; ++i) {
        double move = qp->target[i] - qp->x[i];
        bool is_out =
            qp->bound[i] == 0 && (qp->target[i] < qp->lower[i] || qp->target[i] > qp->upper[i]);
        if (!is_out) {
            continue;
        }
        double room = (move < 0.0 ? qp->lower[i] : qp->upper[i]) - qp->x[i];
        double part = fmin(fmax(room / move, 0.0), 1.0);
        if (blocking < 0 || part < share) {
            share = part;
            blocking = i;
        }
    }
    for (int i = 0; i < qp->count; ++i) {
        if (qp->bound[i] == 0) {
            double x = qp->x[i] + share * (qp->target[i] - qp->x[i]);
            qp->x[i] = fmin(fmax(x, qp->lower[i]), qp->upper[i]);
        }
    }
    if (blocking >= 0) {
        bool is_lower = qp->target[blocking] < qp->lower[blocking];
        qp->bound[blocking] = is_lower ? -1 : 1;
        qp->x[blocking] = is_lower ? qp->lower[blocking] : qp->upper[blocking];
    }
    return blocking < 0;
}

// Free the bound whose multiplier has the wrong sign most; false when there is none.
static bool let_go(iso_box_qp* qp) {
    int n = qp->count, worst = -1;
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        if (qp->bound[i] == 0 || qp->lower[i] == qp->upper[i]) {
            continue;
        }
        double slope = -qp->g[i], scale = fabs(qp->g[i]);
        for (int k = 0; k < n; ++k) {
            slope += qp->h[i * n + k] * qp->x[k];
            scale += fabs(qp->h[i * n + k] * qp->x[k]);
        }
        double wrong = (qp->bound[i] < 0 ? -slope : slope) - 1e-12 * scale;
        if (wrong > most) {
            most = wrong;
            worst = i;
        }
    }
    if (worst >= 0) {
        qp->bound[worst] = 0;
    }
    return worst >= 0;
}

int iso_box_qp_solve(iso_box_qp* qp) {
    int limit = 10 * qp->count + 20;
    for (int i = 0; i < qp->count; ++i) {
        qp->x[i] = fmin(fmax(0.0, qp->lower[i]), qp->upper[i]);
        qp->bound[i] = 0;
    }
    for (int iteration = 1; iteration <= limit; ++iteration) {
        if (!solve_free(qp)) {
            return iteration;
        }
        if (advance(qp) && !let_go(qp)) {
            return iteration;
        }
    }
    return limit;
}
