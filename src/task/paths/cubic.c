// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "task/paths/cubic.h"

#include <math.h>

double iso_cubic_slope(double h0, double d0, double h1, double d1) {
    if (d0 * d1 <= 0.0) {
        return 0.0;
    }
    double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

double iso_cubic_value(double t, double h, double y0, double y1, double m0, double m1) {
    double s = t / h, r = 1.0 - s;
    return y0 + (y1 - y0) * s * s * (3.0 - 2.0 * s) + h * s * r * (r * m0 - s * m1);
}

double iso_cubic_rate(double t, double h, double y0, double y1, double m0, double m1) {
    double s = t / h;
    double d = (y1 - y0) / h;
    return 6.0 * d * s * (1.0 - s) + m0 * (1.0 - s) * (1.0 - 3.0 * s) + m1 * s * (3.0 * s - 2.0);
}

double iso_cubic_peak_rate(double h, double y0, double y1, double m0, double m1) {
    double d = (y1 - y0) / h;
    double peak = fmax(fabs(m0), fabs(m1));
    // The slope is m0 + b s + a s^2: its extremum is at s = -b / 2a.
    double a = 3.0 * (m0 + m1) - 6.0 * d, b = 6.0 * d - 4.0 * m0 - 2.0 * m1;
    if (a != 0.0) {
        double s = -b / (2.0 * a);
        if (s > 0.0 && s < 1.0) {
            peak = fmax(peak, fabs(m0 + s * (b + s * a)));
        }
    }
    return peak;
}
