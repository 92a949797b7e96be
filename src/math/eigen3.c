// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/eigen3.h"

/// Rotate rows and columns p, q so that the entry (p, q) becomes zero.
static void jacobi_rotate(double a[3][3], int p, int q) {
    if (a[p][q] == 0.0) {
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0);
    double s = t * c;
    for (int k = 0; k < 3; ++k) {
        double akp = a[k][p], akq = a[k][q];
        a[k][p] = c * akp - s * akq;
        a[k][q] = s * akp + c * akq;
    }
    for (int k = 0; k < 3; ++k) {
        double apk = a[p][k], aqk = a[q][k];
        a[p][k] = c * apk - s * aqk;
        a[q][k] = s * apk + c * aqk;
    }
}

iso_vec3 iso_sym3_eigenvalues(const iso_mat3* a) {
    double m[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m[i][j] = i <= j ? a->m[i][j] : a->m[j][i];
        }
    }
    // Cyclic Jacobi converges quadratically; 12 sweeps are far beyond what doubles can resolve.
    for (int sweep = 0; sweep < 12; ++sweep) {
        jacobi_rotate(m, 0, 1);
        jacobi_rotate(m, 0, 2);
        jacobi_rotate(m, 1, 2);
    }
    double lo = fmin(m[0][0], fmin(m[1][1], m[2][2]));
    double hi = fmax(m[0][0], fmax(m[1][1], m[2][2]));
    return iso_vec3_make(lo, m[0][0] + m[1][1] + m[2][2] - lo - hi, hi);
}
