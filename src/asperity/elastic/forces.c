// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/body.h"

#include "math/eigen.h"

#include <string.h>

// Sum of places (or velocities) times slopes: their gradient.
static inline void gradient(int d, const int* v, const double* slopes, const double* x,
                            double* out) {
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            double sum = 0.0;
            for (int k = 0; k <= d; ++k) {
                sum += x[v[k] * d + i] * slopes[k * d + j];
            }
            out[i * d + j] = sum;
        }
    }
}

// forces -= scale P slope of each vertex (3.20).
static inline void spread(int d, const int* v, const double* slopes, const double* p, double scale,
                          double* forces) {
    for (int k = 0; k <= d; ++k) {
        for (int i = 0; i < d; ++i) {
            double sum = 0.0;
            for (int j = 0; j < d; ++j) {
                sum += p[i * d + j] * slopes[k * d + j];
            }
            forces[v[k] * d + i] -= scale * sum;
        }
    }
}

void iso_elastic_gradient(const iso_elastic* e, int element, const double* x, double* out_f) {
    int d = e->dimension;
    gradient(d, e->elements + element * (d + 1), e->slopes + element * (d + 1) * d, x, out_f);
}

static inline double energy(const iso_elastic* e, int d, const double* x) {
    double total = 0.0;
    for (int i = 0; i < e->element_count; ++i) {
        double f[9], g[9];
        gradient(d, e->elements + i * (d + 1), e->slopes + i * (d + 1) * d, x, f);
        double j = iso_inverse_transposed(d, f, g);
        if (!(j > 0.0)) {
            return INFINITY;
        }
        total += e->volumes[i] * iso_neo_hookean_energy(d, e->lame[i], f, j);
    }
    return total;
}

double iso_elastic_energy(const iso_elastic* e, const double* x) {
    return e->dimension == 2 ? energy(e, 2, x) : energy(e, 3, x);
}

static inline int add_forces(const iso_elastic* e, int d, const double* x, double* forces) {
    int inverted = -1;
    for (int i = 0; i < e->element_count; ++i) {
        const int* v = e->elements + i * (d + 1);
        const double* slopes = e->slopes + i * (d + 1) * d;
        double f[9], g[9], p[9];
        gradient(d, v, slopes, x, f);
        double j = iso_inverse_transposed(d, f, g);
        if (!(j > 0.0)) {
            inverted = inverted < 0 ? i : inverted;
            continue;
        }
        iso_neo_hookean_stress(d, e->lame[i], f, g, j, p);
        spread(d, v, slopes, p, e->volumes[i], forces);
    }
    return inverted;
}

int iso_elastic_add_forces(const iso_elastic* e, const double* x, double* forces) {
    return e->dimension == 2 ? add_forces(e, 2, x, forces) : add_forces(e, 3, x, forces);
}

static inline void add_differential(const iso_elastic* e, int d, const double* x, const double* u,
                                    bool with_beta, double* forces) {
    for (int i = 0; i < e->element_count; ++i) {
        const int* v = e->elements + i * (d + 1);
        const double* slopes = e->slopes + i * (d + 1) * d;
        double scale = e->volumes[i] * (with_beta ? e->damping[i] : 1.0);
        double f[9], g[9], df[9], dp[9];
        gradient(d, v, slopes, x, f);
        double j = iso_inverse_transposed(d, f, g);
        if (scale == 0.0 || !(j > 0.0)) {
            continue;
        }
        gradient(d, v, slopes, u, df);
        iso_neo_hookean_stress_change(d, e->lame[i], g, j, df, dp);
        spread(d, v, slopes, dp, scale, forces);
    }
}

void iso_elastic_add_differential(const iso_elastic* e, const double* x, const double* u,
                                  bool with_beta, double* forces) {
    if (e->dimension == 2) {
        add_differential(e, 2, x, u, with_beta, forces);
    } else {
        add_differential(e, 3, x, u, with_beta, forces);
    }
}

void iso_elastic_add_damping(const iso_elastic* e, const double* x, const double* v,
                             double* forces) {
    for (int i = 0; i < e->vertex_count; ++i) {
        for (int k = 0; k < e->dimension; ++k) {
            forces[i * e->dimension + k] -= e->drag[i] * v[i * e->dimension + k];
        }
    }
    iso_elastic_add_differential(e, x, v, true, forces);
}

// h += weight m m^T of a matrix m, as a vector of its rows.
static void add_square(double* h, int n, double weight, const double* m) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            h[i * n + j] += weight * m[i] * m[j];
        }
    }
}

// Second derivatives of the density: mu I + (mu - lambda log J) G_il G_kj + lambda G_ij G_kl.
static void density_hessian(int d, iso_lame m, const double* g, double log_j, double* h) {
    double on_pair = m.mu - m.lambda * log_j;
    int n = d * d;
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            for (int k = 0; k < d; ++k) {
                for (int l = 0; l < d; ++l) {
                    h[(i * d + j) * n + k * d + l] = (i == k && j == l ? m.mu : 0.0) +
                                                     on_pair * g[i * d + l] * g[k * d + j] +
                                                     m.lambda * g[i * d + j] * g[k * d + l];
                }
            }
        }
    }
}

// Singular values s and vectors of f = u s v^T, columns of u and v; det f > 0.
static void decompose(int d, const double* f, double* u, double* s, double* v) {
    double square[9];
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            double sum = 0.0;
            for (int k = 0; k < d; ++k) {
                sum += f[k * d + i] * f[k * d + j];
            }
            square[i * d + j] = sum;
        }
    }
    iso_symmetric_eigen(square, d, v);
    for (int a = 0; a < d; ++a) {
        double norm = 0.0;
        for (int i = 0; i < d; ++i) {
            double sum = 0.0;
            for (int k = 0; k < d; ++k) {
                sum += f[i * d + k] * v[k * d + a];
            }
            u[i * d + a] = sum;
            norm += sum * sum;
        }
        s[a] = sqrt(norm);
        for (int i = 0; i < d; ++i) {
            u[i * d + a] /= s[a];
        }
    }
}

// The matrix with weights w [d * d] on u_a v_b^T.
static void combine(int d, const double* u, const double* v, const double* w, double* out) {
    memset(out, 0, (size_t)(d * d) * sizeof *out);
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < d; ++b) {
            for (int i = 0; i < d * d; ++i) {
                out[i] += w[a * d + b] * u[i / d * d + a] * v[i % d * d + b];
            }
        }
    }
}

// Negative eigenvalues become zero. The eigenvectors are known in the axes of the singular value
// decomposition: pairs of axes turn (mu - c / (s_a s_b)) or shear (mu + c / (s_a s_b)), and the
// stretches have a matrix of their own ([Smith2019]).
static void lift(int d, iso_lame m, const double* f, double log_j, double* h) {
    double u[9], s[3], v[9], stretch[9], axes[9], w[9], mode[9];
    double c = m.mu - m.lambda * log_j;
    decompose(d, f, u, s, v);
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < a; ++b) {
            for (int sign = -1; sign <= 1; sign += 2) {
                double value = m.mu + sign * c / (s[a] * s[b]);
                if (value < 0.0) {
                    memset(w, 0, sizeof w);
                    w[a * d + b] = sqrt(0.5);
                    w[b * d + a] = sign * sqrt(0.5);
                    combine(d, u, v, w, mode);
                    add_square(h, d * d, -value, mode);
                }
            }
        }
    }
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < d; ++b) {
            stretch[a * d + b] =
                m.lambda / (s[a] * s[b]) + (a == b ? m.mu + c / (s[a] * s[a]) : 0.0);
        }
    }
    iso_symmetric_eigen(stretch, d, axes);
    for (int k = 0; k < d; ++k) {
        if (stretch[k * d + k] < 0.0) {
            memset(w, 0, sizeof w);
            for (int a = 0; a < d; ++a) {
                w[a * d + a] = axes[a * d + k];
            }
            combine(d, u, v, w, mode);
            add_square(h, d * d, -stretch[k * d + k], mode);
        }
    }
}

// The same in the plane where only the turn has a negative eigenvalue, or nothing: without singular
// values. @return false when the stretches have one too
static bool lift_plane(iso_lame m, const double* f, double log_j, double* h) {
    double c = m.mu - m.lambda * log_j, j = exp(log_j), both = c + m.lambda;
    double squares = f[0] * f[0] + f[1] * f[1] + f[2] * f[2] + f[3] * f[3];
    double sum = 2.0 * m.mu + both * squares / (j * j);
    double det =
        m.mu * m.mu + (m.mu * both * squares + both * both - m.lambda * m.lambda) / (j * j);
    if (!(sum > 0.0 && det > 0.0 && m.mu + c / j >= 0.0)) {
        return false;
    }
    double turn = m.mu - c / j;
    if (turn < 0.0) { // of the rotation r of f: r (0 1; -1 0) / sqrt 2
        double a = f[0] + f[3], b = f[2] - f[1], scale = sqrt(0.5) / sqrt(a * a + b * b);
        double mode[4] = {scale * b, scale * a, -scale * a, scale * b};
        add_square(h, 4, -turn, mode);
    }
    return true;
}

static inline void element_hessian(const iso_elastic* e, int d, int element, const double* x,
                                   bool project, double* out) {
    const double* slopes = e->slopes + element * (d + 1) * d;
    double f[9], g[9] = {0.0}, h[81], half[81];
    int n = d * d, size = (d + 1) * d;
    gradient(d, e->elements + element * (d + 1), slopes, x, f);
    double log_j = log(iso_inverse_transposed(d, f, g));
    density_hessian(d, e->lame[element], g, log_j, h);
    if (project && !(d == 2 && lift_plane(e->lame[element], f, log_j, h))) {
        lift(d, e->lame[element], f, log_j, h);
    }
    for (int b = 0; b <= d; ++b) {
        for (int r = 0; r < n; ++r) { // h times the slope of vertex b: [d * d] x [d]
            for (int k = 0; k < d; ++k) {
                double sum = 0.0;
                for (int l = 0; l < d; ++l) {
                    sum += h[r * n + k * d + l] * slopes[b * d + l];
                }
                half[r * d + k] = sum;
            }
        }
        for (int a = 0; a <= d; ++a) {
            for (int i = 0; i < d; ++i) {
                for (int k = 0; k < d; ++k) {
                    double sum = 0.0;
                    for (int j = 0; j < d; ++j) {
                        sum += slopes[a * d + j] * half[(i * d + j) * d + k];
                    }
                    out[(a * d + i) * size + b * d + k] = e->volumes[element] * sum;
                }
            }
        }
    }
}

void iso_elastic_element_hessian(const iso_elastic* e, int element, const double* x, bool project,
                                 double* out) {
    if (e->dimension == 2) {
        element_hessian(e, 2, element, x, project, out);
    } else {
        element_hessian(e, 3, element, x, project, out);
    }
}
