// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Compressible Neo-Hookean material ([Datta2018] 3.7 to 3.9, 3.17, 3.28), in d = 3 dimensions, or
// in d = 2 as plane strain: the third stretch is 1. Matrices are d x d, row major. Inlined with a
// constant d, so that loops unroll.

#include <math.h>
#include <stdbool.h>

/// Lame's parameters [Pa].
typedef struct iso_lame {
    double mu, lambda;
} iso_lame;

/// Of Young's modulus [Pa] and Poisson's ratio (3.8).
static inline iso_lame iso_lame_make(double young, double poisson) {
    return (iso_lame){young / (2.0 * (1.0 + poisson)),
                      young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))};
}

/// Determinant J of f, and the transposed inverse g = f^-T. With J <= 0 g is not written.
static inline double iso_inverse_transposed(int d, const double* f, double* g) {
    if (d == 2) {
        double j = f[0] * f[3] - f[1] * f[2];
        if (j > 0.0) {
            g[0] = f[3] / j;
            g[1] = -f[2] / j;
            g[2] = -f[1] / j;
            g[3] = f[0] / j;
        }
        return j;
    }
    double a = f[4] * f[8] - f[5] * f[7], b = f[5] * f[6] - f[3] * f[8];
    double c = f[3] * f[7] - f[4] * f[6], j = f[0] * a + f[1] * b + f[2] * c;
    if (j > 0.0) {
        double s = 1.0 / j;
        g[0] = s * a;
        g[1] = s * b;
        g[2] = s * c;
        g[3] = s * (f[2] * f[7] - f[1] * f[8]);
        g[4] = s * (f[0] * f[8] - f[2] * f[6]);
        g[5] = s * (f[1] * f[6] - f[0] * f[7]);
        g[6] = s * (f[1] * f[5] - f[2] * f[4]);
        g[7] = s * (f[2] * f[3] - f[0] * f[5]);
        g[8] = s * (f[0] * f[4] - f[1] * f[3]);
    }
    return j;
}

/// Energy density [J/m^3]; j = det f > 0. From e = f^T f - 1 and j^2 = det(1 + e), so that rounding
/// costs about the strain times that of the modulus, and not all of it.
static inline double iso_neo_hookean_energy(int d, iso_lame m, const double* f, double j) {
    double e[9], trace = 0.0, rest = 0.0;
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < d; ++b) {
            double sum = a == b ? -1.0 : 0.0;
            for (int k = 0; k < d; ++k) {
                sum += f[k * d + a] * f[k * d + b];
            }
            e[a * d + b] = sum;
        }
        trace += e[a * d + a];
    }
    if (d == 2) {
        rest = e[0] * e[3] - e[1] * e[1];
    } else {
        rest = e[0] * e[4] - e[1] * e[1] + e[4] * e[8] - e[5] * e[5] + e[8] * e[0] - e[2] * e[2] +
               e[0] * (e[4] * e[8] - e[5] * e[5]) - e[1] * (e[1] * e[8] - e[5] * e[2]) +
               e[2] * (e[1] * e[5] - e[4] * e[2]);
    }
    double twice = trace + rest > -0.5 ? log1p(trace + rest) : 2.0 * log(j);
    return 0.5 * m.mu * (trace - twice) + 0.125 * m.lambda * twice * twice;
}

/// First Piola-Kirchhoff stress [Pa] (3.17). g = f^-T.
static inline void iso_neo_hookean_stress(int d, iso_lame m, const double* f, const double* g,
                                          double j, double* out) {
    double log_j = log(j), on_g = m.lambda * log_j - m.mu;
    for (int i = 0; i < d * d; ++i) {
        out[i] = m.mu * f[i] + on_g * g[i];
    }
}

/// Its change with a change df of f (3.28).
static inline void iso_neo_hookean_stress_change(int d, iso_lame m, const double* g, double j,
                                                 const double* df, double* out) {
    double on_pair = m.mu - m.lambda * log(j), trace = 0.0, gdt[9];
    for (int i = 0; i < d * d; ++i) {
        trace += g[i] * df[i];
    }
    for (int i = 0; i < d; ++i) { // g df^T
        for (int k = 0; k < d; ++k) {
            double sum = 0.0;
            for (int l = 0; l < d; ++l) {
                sum += g[i * d + l] * df[k * d + l];
            }
            gdt[i * d + k] = sum;
        }
    }
    for (int i = 0; i < d; ++i) {
        for (int k = 0; k < d; ++k) {
            double sum = 0.0;
            for (int l = 0; l < d; ++l) {
                sum += gdt[i * d + l] * g[l * d + k];
            }
            out[i * d + k] = m.mu * df[i * d + k] + on_pair * sum + m.lambda * trace * g[i * d + k];
        }
    }
}
