// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/lu.h"

#include <math.h>

static void swap(double* a, double* b, int count) {
    for (int j = 0; j < count; ++j) {
        double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

bool iso_lu_factor(double* a, int n, int* pivots) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        }
        pivots[k] = best;
        if (best != k) {
            swap(a + k * n, a + best * n, n);
        }
        const double* row = a + k * n;
        if (!(fabs(row[k]) > 0.0 && isfinite(row[k]))) {
            return false;
        }
        double inverse = 1.0 / row[k];
        for (int i = k + 1; i < n; ++i) {
            double* below = a + i * n;
            double factor = below[k] * inverse;
            below[k] = factor;
            for (int j = k + 1; factor != 0.0 && j < n; ++j) {
                below[j] -= factor * row[j];
            }
        }
    }
    return true;
}

void iso_lu_solve(const double* factors, const int* pivots, int n, double* x) {
    for (int k = 0; k < n; ++k) {
        swap(x + k, x + pivots[k], 1);
    }
    for (int i = 1; i < n; ++i) {
        double sum = x[i];
        for (int j = 0; j < i; ++j) {
            sum -= factors[i * n + j] * x[j];
        }
        x[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int j = i + 1; j < n; ++j) {
            sum -= factors[i * n + j] * x[j];
        }
        x[i] = sum / factors[i * n + i];
    }
}

bool iso_complex_lu_factor(double* re, double* im, int n, int* pivots) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        double largest = -1.0;
        for (int i = k; i < n; ++i) {
            double size = fabs(re[i * n + k]) + fabs(im[i * n + k]);
            best = size > largest ? i : best;
            largest = size > largest ? size : largest;
        }
        pivots[k] = best;
        if (best != k) {
            swap(re + k * n, re + best * n, n);
            swap(im + k * n, im + best * n, n);
        }
        const double* row_re = re + k * n;
        const double* row_im = im + k * n;
        double norm2 = row_re[k] * row_re[k] + row_im[k] * row_im[k];
        if (!(norm2 > 0.0 && isfinite(norm2))) {
            return false;
        }
        for (int i = k + 1; i < n; ++i) {
            double* below_re = re + i * n;
            double* below_im = im + i * n;
            double x = (below_re[k] * row_re[k] + below_im[k] * row_im[k]) / norm2;
            double y = (below_im[k] * row_re[k] - below_re[k] * row_im[k]) / norm2;
            below_re[k] = x;
            below_im[k] = y;
            for (int j = k + 1; (x != 0.0 || y != 0.0) && j < n; ++j) {
                below_re[j] -= x * row_re[j] - y * row_im[j];
                below_im[j] -= x * row_im[j] + y * row_re[j];
            }
        }
    }
    return true;
}

// x[i] -= the products of row i with x from `first` on to before `end`.
static void reduce(const double* re, const double* im, int n, int i, int first, int end,
                   double* x_re, double* x_im) {
    double sum_re = x_re[i], sum_im = x_im[i];
    for (int j = first; j < end; ++j) {
        double a = re[i * n + j], b = im[i * n + j];
        sum_re -= a * x_re[j] - b * x_im[j];
        sum_im -= a * x_im[j] + b * x_re[j];
    }
    x_re[i] = sum_re;
    x_im[i] = sum_im;
}

void iso_complex_lu_solve(const double* re, const double* im, const int* pivots, int n,
                          double* x_re, double* x_im) {
    for (int k = 0; k < n; ++k) {
        swap(x_re + k, x_re + pivots[k], 1);
        swap(x_im + k, x_im + pivots[k], 1);
    }
    for (int i = 1; i < n; ++i) {
        reduce(re, im, n, i, 0, i, x_re, x_im);
    }
    for (int i = n - 1; i >= 0; --i) {
        reduce(re, im, n, i, i + 1, n, x_re, x_im);
        double a = re[i * n + i], b = im[i * n + i];
        double norm2 = a * a + b * b;
        double x = x_re[i], y = x_im[i];
        x_re[i] = (a * x + b * y) / norm2;
        x_im[i] = (a * y - b * x) / norm2;
    }
}
