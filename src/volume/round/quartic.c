// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/round/quartic.h"

#include "isobar/math.h"

#include <math.h>

enum { k_degree = 4, k_steps = 60 };

// Roots of symmetric sums lie at quarters of a turn; the halves begin elsewhere.
#define FIRST_ANGLE 0.3
// Second harmonics that are rounding of the first.
#define NO_SECOND 1e-15

static double polynomial(const double* c, int degree, double x, double* out_slope) {
    double value = c[degree], slope = 0.0;
    for (int i = degree - 1; i >= 0; --i) {
        slope = slope * x + value;
        value = value * x + c[i];
    }
    *out_slope = slope;
    return value;
}

// The root between places where the signs differ: Newton's method, or half of what is left.
static double between(const double* c, int degree, double low, double high, double at_low) {
    double x = 0.5 * (low + high), slope;
    for (int i = 0; i < k_steps; ++i) {
        double value = polynomial(c, degree, x, &slope);
        if (value == 0.0) {
            return x;
        }
        if ((value > 0.0) == (at_low > 0.0)) {
            low = x;
        } else {
            high = x;
        }
        double next = x - value / slope;
        next = next > low && next < high ? next : 0.5 * (low + high);
        if (fabs(next - x) <= 1e-16 || !(low < high)) {
            return next;
        }
        x = next;
    }
    return x;
}

// Those of a + b x + c x^2 in [-1, 1], in order.
static int square_roots(const double* c, double* out) {
    double b = 0.5 * c[1], square = b * b - c[0] * c[2];
    if (!(square > 0.0)) {
        return 0;
    }
    double sum = b > 0.0 ? -b - sqrt(square) : -b + sqrt(square);
    double first = c[0] / sum, second = c[2] != 0.0 ? sum / c[2] : INFINITY;
    double low = first < second ? first : second, high = first < second ? second : first;
    int count = 0;
    if (fabs(low) <= 1.0) {
        out[count++] = low;
    }
    if (fabs(high) <= 1.0) {
        out[count++] = high;
    }
    return count;
}

// Roots in [-1, 1] from those of the derivative, between which a polynomial is monotone.
static int roots(const double* c, int degree, double* out) {
    double slopes[k_degree] = {0.0}, turns[k_degree + 1], slope;
    int turn_count = 0, count = 0;
    if (degree == 2) {
        return square_roots(c, out);
    }
    for (int i = 0; i < degree; ++i) {
        slopes[i] = (i + 1) * c[i + 1];
    }
    turn_count = roots(slopes, degree - 1, turns);
    turns[turn_count++] = 1.0;
    double low = -1.0, at_low = polynomial(c, degree, low, &slope);
    for (int i = 0; i < turn_count; ++i) {
        double high = turns[i], at_high = polynomial(c, degree, high, &slope);
        if ((at_low > 0.0) != (at_high > 0.0) && high > low) {
            out[count++] = between(c, degree, low, high, at_low);
        }
        low = high;
        at_low = at_high;
    }
    return count;
}

// Of f[0] + size cos(angle - first).
static int cosine_roots(const double f[5], double size, double* out_angles) {
    double first = atan2(f[2], f[1]), half = acos(-f[0] / size);
    out_angles[0] = remainder(first - half, 2.0 * ISO_PI);
    out_angles[1] = remainder(first + half, 2.0 * ISO_PI);
    return 2;
}

// With t = tan(angle / 2) in [-1, 1] half of all angles; the other half is turned by pi.
int iso_trigonometric_roots(const double f[5], double* out_angles) {
    double size = hypot(f[1], f[2]), size2 = fabs(f[3]) + fabs(f[4]);
    if (fabs(f[0]) >= size + size2) {
        return 0;
    }
    if (size2 <= NO_SECOND * size) {
        return cosine_roots(f, size, out_angles);
    }
    double cos1 = cos(FIRST_ANGLE), sin1 = sin(FIRST_ANGLE);
    double cos2 = cos(2.0 * FIRST_ANGLE), sin2 = sin(2.0 * FIRST_ANGLE);
    double a = f[1] * cos1 + f[2] * sin1, b = f[2] * cos1 - f[1] * sin1;
    double a2 = f[3] * cos2 + f[4] * sin2, b2 = f[4] * cos2 - f[3] * sin2;
    int count = 0;
    for (int half = 0; half < 2; ++half) {
        double sign = half ? -1.0 : 1.0, c1 = sign * a, s1 = sign * b, t[k_degree];
        const double c[k_degree + 1] = {f[0] + c1 + a2, 2.0 * s1 + 4.0 * b2, 2.0 * f[0] - 6.0 * a2,
                                        2.0 * s1 - 4.0 * b2, f[0] - c1 + a2};
        int found = roots(c, k_degree, t);
        for (int i = 0; i < found && count < k_degree; ++i) {
            double angle = FIRST_ANGLE + 2.0 * atan(t[i]) + (half ? ISO_PI : 0.0);
            out_angles[count++] = angle > ISO_PI ? angle - 2.0 * ISO_PI : angle;
        }
    }
    return count;
}
