// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

// Convergence is quadratic: far fewer sweeps are needed.
#define MAX_SWEEPS 30

// Columns p and q of a matrix turned.
static void turn_columns(double* a, int n, int p, int q, double c, double s) {
    for (int k = 0; k < n; ++k) {
        double kp = a[k * n + p], kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
}

static void turn_rows(double* a, int n, int p, int q, double c, double s) {
    for (int k = 0; k < n; ++k) {
        double pk = a[p * n + k], qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
}

// One sweep over all pairs. @return whether an entry off the diagonal was worth it
static bool sweep(double* a, int n, double least, double* vectors) {
    bool has_turned = false;
    for (int p = 0; p < n; ++p) {
        for (int q = p + 1; q < n; ++q) {
            double off = a[p * n + q];
            if (!(fabs(off) > least)) {
                continue;
            }
            double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
            // A zero has the sign of the entry: what is seen in a mirror turns the other way.
            double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
            double c = 1.0 / sqrt(t * t + 1.0);
            turn_columns(a, n, p, q, c, t * c);
            turn_rows(a, n, p, q, c, t * c);
            turn_columns(vectors, n, p, q, c, t * c);
            has_turned = true;
        }
    }
    return has_turned;
}

void iso_symmetric_eigen(double* a, int n, double* vectors) {
    double trace = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            vectors[i * n + j] = i == j ? 1.0 : 0.0;
        }
        trace += fabs(a[i * (n + 1)]);
    }
    for (int i = 0; i < MAX_SWEEPS && sweep(a, n, 0.1 * DBL_EPSILON * trace, vectors); ++i) {
    }
}
