// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>

// Principal axes of inertia in the order and with the signs that MuJoCo gives them, which places
// frames of bodies and of fitted shapes: Jacobi's turns from the given axes on, then quarter turns
// that sort the moments.

#define ENOUGH 1e-12
#define MOST_TURNS 500

static iso_mat3 turn_into(const iso_mat3* inertia, iso_quat q) {
    iso_mat3 r = iso_mat3_from_quat(q);
    iso_mat3 turned = iso_mat3_mul(iso_mat3_transpose(r), *inertia);
    return iso_mat3_mul(turned, r);
}

// The largest entry beside the diagonal; of equal ones the last.
static void find_largest(const iso_mat3* d, int* row, int* column, int* axis) {
    double a = fabs(d->m[0][1]), b = fabs(d->m[0][2]), c = fabs(d->m[1][2]);
    *row = a > b && a > c ? 0 : b > c ? 0 : 1;
    *column = a > b && a > c ? 1 : 2;
    *axis = 3 - *row - *column;
}

static iso_quat quat_about(int axis, double cosine, double sine) {
    return iso_quat_normalized(iso_quat_make(cosine, axis == 0 ? sine : 0.0, axis == 1 ? sine : 0.0,
                                             axis == 2 ? sine : 0.0));
}

// One turn that makes the largest entry 0; false when there is nothing left to do.
static bool turn_once(const iso_mat3* d, iso_quat* q) {
    int row, column, axis;
    find_largest(d, &row, &column, &axis);
    double off = d->m[row][column];
    if (fabs(off) < ENOUGH) {
        return false;
    }
    double tau = (d->m[column][column] - d->m[row][row]) / (2.0 * off);
    double root = sqrt(1.0 + tau * tau);
    double t = tau >= 0.0 ? 1.0 / (tau + root) : -1.0 / (root - tau);
    double secant = sqrt(1.0 + t * t), half = fabs(t) / sqrt(2.0 * secant * (secant + 1.0));
    half = (tau >= 0.0) == (axis == 1) ? half : -half; // the sine of half the turn
    *q = iso_quat_normalized(iso_quat_mul(*q, quat_about(axis, sqrt(1.0 - half * half), half)));
    return true;
}

iso_mat3 iso_mjcf_principal_axes(const iso_mat3* inertia, double* out_moments) {
    iso_quat q = iso_quat_identity();
    iso_mat3 d = *inertia;
    for (int i = 0; i < MOST_TURNS; ++i) {
        d = turn_into(inertia, q);
        if (!turn_once(&d, &q)) {
            break;
        }
    }
    for (int i = 0; i < 3; ++i) {
        out_moments[i] = d.m[i][i];
    }
    for (int i = 0; i < 3; ++i) { // falling
        int first = i % 2;
        double a = out_moments[first], b = out_moments[first + 1];
        if (a + ENOUGH < b) {
            out_moments[first] = b;
            out_moments[first + 1] = a;
            q = iso_quat_normalized(
                iso_quat_mul(q, quat_about((first + 2) % 3, sqrt(0.5), sqrt(0.5))));
        }
    }
    return iso_mat3_from_quat(q);
}
