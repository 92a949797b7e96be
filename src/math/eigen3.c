// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/eigen3.h"

/// Rotate rows and columns p, q so that the entry (p, q) becomes zero, and columns p, q of v too.
static void jacobi_rotate(double a[3][3], double v[3][3], int p, int q) {
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
        double vkp = v[k][p], vkq = v[k][q];
        v[k][p] = c * vkp - s * vkq;
        v[k][q] = s * vkp + c * vkq;
    }
}

// a = v m v^T with m diagonal, eigenvectors in the columns of v.
static void diagonalise(const iso_mat3* a, double m[3][3], double v[3][3]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m[i][j] = i <= j ? a->m[i][j] : a->m[j][i];
            v[i][j] = i == j ? 1.0 : 0.0;
        }
    }
    // Cyclic Jacobi converges quadratically; 12 sweeps are far beyond what doubles can resolve.
    for (int sweep = 0; sweep < 12; ++sweep) {
        jacobi_rotate(m, v, 0, 1);
        jacobi_rotate(m, v, 0, 2);
        jacobi_rotate(m, v, 1, 2);
    }
}

iso_vec3 iso_sym3_eigenvalues(const iso_mat3* a) {
    double m[3][3], v[3][3];
    diagonalise(a, m, v);
    double lo = fmin(m[0][0], fmin(m[1][1], m[2][2]));
    double hi = fmax(m[0][0], fmax(m[1][1], m[2][2]));
    return iso_vec3_make(lo, m[0][0] + m[1][1] + m[2][2] - lo - hi, hi);
}

iso_mat3 iso_sym3_clip_negative(const iso_mat3* a) {
    double m[3][3], v[3][3];
    iso_mat3 out;
    diagonalise(a, m, v);
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += fmax(m[k][k], 0.0) * v[i][k] * v[j][k];
            }
            out.m[i][j] = out.m[j][i] = sum;
        }
    }
    return out;
}

iso_mat3 iso_sym3_complement(const iso_mat3* a, double share) {
    double trace = a->m[0][0] + a->m[1][1] + a->m[2][2];
    iso_mat3 out;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out.m[i][j] = (i == j ? share * trace : 0.0) - a->m[i][j];
        }
    }
    return out;
}
