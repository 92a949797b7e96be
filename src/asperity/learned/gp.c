// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/learned/model.h"
#include "isobar/math.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// Logarithms of what is fitted: variance, noise variance, widths of E, nu and rho.
enum { PARAMETERS = 5 };

static const double k_low[PARAMETERS] = {-7.0, -9.0, -1.6, -1.6, -1.6};
static const double k_high[PARAMETERS] = {2.0, 0.0, 3.4, 3.4, 3.4};

static void set_parameters(iso_learned* m, const double* p) {
    m->variance = exp(p[0]);
    m->noise_variance = exp(p[1]);
    m->mean_variance = 1.0;
    for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
        m->weights[k] = 0.5 * exp(-2.0 * p[2 + k % 3]);
    }
}

// Cholesky factor of the covariance of the rows; false: not positive definite.
static bool factorise(iso_learned* m) {
    int n = m->row_count;
    for (int i = 0; i < n; ++i) {
        for (int j = i; j < n; ++j) {
            m->factor[(size_t)i * (size_t)n + (size_t)j] =
                m->mean_variance + (i == j ? m->noise_variance : 0.0) +
                m->variance * iso_learned_kernel(m, m->points + i * ISO_LEARNED_SIZE,
                                                 m->points + j * ISO_LEARNED_SIZE);
        }
    }
    return iso_cholesky_factor(m->factor, n, n);
}

// Coefficients are first the solution of factor y = mu. Returns minus the log likelihood.
static double likelihood(iso_learned* m) {
    int n = m->row_count;
    if (!factorise(m)) {
        return INFINITY;
    }
    double value = 0.5 * n * log(2.0 * ISO_PI);
    for (int i = 0; i < n; ++i) {
        m->coefficients[i] = m->rows[i].friction;
    }
    iso_cholesky_forward(m->factor, n, n, m->coefficients);
    for (int i = 0; i < n; ++i) {
        value += 0.5 * m->coefficients[i] * m->coefficients[i] +
                 log(m->factor[(size_t)i * (size_t)(n + 1)]);
    }
    return value;
}

iso_status iso_learned_factor(iso_learned* m) {
    ISO_REQUIRE(m->ctx, isfinite(likelihood(m)), ISO_ERR_NUMERIC,
                "the covariance of the rows is not positive definite");
    double sum = 0.0;
    iso_cholesky_backward(m->factor, m->row_count, m->row_count, m->coefficients);
    for (int i = 0; i < m->row_count; ++i) {
        sum += m->coefficients[i];
        m->coefficients[i] *= m->variance;
    }
    m->bias = m->mean_variance * sum;
    m->support_count = m->row_count;
    return ISO_OK;
}

// Coordinates in turn, steps halved where none gains: few unknowns, a smooth function of them.
static double descend(iso_learned* m, double* p) {
    set_parameters(m, p);
    double best = likelihood(m);
    for (double step = 1.0; step > 0.01;) {
        bool has_gained = false;
        for (int i = 0; i < 2 * PARAMETERS; ++i) {
            double before = p[i / 2];
            p[i / 2] = fmin(fmax(before + (i % 2 ? -step : step), k_low[i / 2]), k_high[i / 2]);
            set_parameters(m, p);
            double value = likelihood(m);
            if (value < best - 1e-10) {
                best = value;
                has_gained = true;
            } else {
                p[i / 2] = before;
            }
        }
        step = has_gained ? step : 0.5 * step;
    }
    return best;
}

iso_status iso_learned_fit_gp(iso_learned* m) {
    static const double starts[][PARAMETERS] = {
        {-2.5, -3.0, 0.0, 0.0, 0.0}, {-2.5, -5.0, -0.7, -0.7, -0.7}, {-1.0, -2.5, 1.2, 1.2, 1.2}};
    double best[PARAMETERS] = {0}, least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        double p[PARAMETERS];
        memcpy(p, starts[i], sizeof p);
        double value = descend(m, p);
        if (value < least) {
            least = value;
            memcpy(best, p, sizeof best);
        }
    }
    set_parameters(m, best);
    return iso_learned_factor(m);
}
