// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/elliptic.h"

#include <math.h>

// Deviations from the mean fall by 4 a round, and the series is of sixth order: from here on its
// error is below rounding.
#define SMALL_DEVIATION 1e-3
#define MAX_ROUNDS 600

static double largest_deviation(double mean, double x, double y, double z) {
    return fmax(fabs(mean - x), fmax(fabs(mean - y), fabs(mean - z))) / mean;
}

double iso_carlson_rf(double x, double y, double z) {
    double mean = (x + y + z) / 3.0;
    for (int i = 0; i < MAX_ROUNDS && largest_deviation(mean, x, y, z) > SMALL_DEVIATION; ++i) {
        double shift = sqrt(x) * sqrt(y) + sqrt(y) * sqrt(z) + sqrt(z) * sqrt(x);
        x = 0.25 * (x + shift);
        y = 0.25 * (y + shift);
        z = 0.25 * (z + shift);
        mean = (x + y + z) / 3.0;
    }
    double u = (mean - x) / mean, v = (mean - y) / mean, w = -(u + v);
    double e2 = u * v - w * w, e3 = u * v * w;
    double series = 1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 / 44.0 * e2 * e3;
    return series / sqrt(mean);
}

double iso_carlson_rd(double x, double y, double z) {
    double sum = 0.0, weight = 1.0, mean = (x + y + 3.0 * z) / 5.0;
    for (int i = 0; i < MAX_ROUNDS && largest_deviation(mean, x, y, z) > SMALL_DEVIATION; ++i) {
        double shift = sqrt(x) * sqrt(y) + sqrt(y) * sqrt(z) + sqrt(z) * sqrt(x);
        sum += weight / (sqrt(z) * (z + shift));
        weight *= 0.25;
        x = 0.25 * (x + shift);
        y = 0.25 * (y + shift);
        z = 0.25 * (z + shift);
        mean = (x + y + 3.0 * z) / 5.0;
    }
    double u = (mean - x) / mean, v = (mean - y) / mean, w = (mean - z) / mean;
    double uv = u * v, ww = w * w;
    double e2 = uv - 6.0 * ww, e3 = (3.0 * uv - 8.0 * ww) * w, e4 = 3.0 * (uv - ww) * ww;
    double e5 = uv * w * ww;
    double series = 1.0 - 3.0 / 14.0 * e2 + e3 / 6.0 + 9.0 / 88.0 * e2 * e2 - 3.0 / 22.0 * e4 -
                    9.0 / 52.0 * e2 * e3 + 3.0 / 26.0 * e5;
    return 3.0 * sum + weight * series / (mean * sqrt(mean));
}

double iso_elliptic_k(double complement) {
    return iso_carlson_rf(0.0, complement * complement, 1.0);
}

double iso_elliptic_e(double complement) {
    double square = complement * complement;
    // E = k'^2 (K + k^2 R_D(0, 1, k'^2) / 3), a sum of positive terms.
    return square * (iso_carlson_rf(0.0, square, 1.0) +
                     (1.0 - square) / 3.0 * iso_carlson_rd(0.0, 1.0, square));
}
