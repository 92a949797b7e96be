// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/modes.h"

#include "asperity/lab.h"
#include "base/values/draw.h"
#include "math/eigen.h"

#include <float.h>
#include <string.h>

enum { MAX_STEPS = 200, STEPS_BETWEEN = 10 };

typedef struct lanczos {
    const iso_elastic* e;
    const double* x;
    const bool* fixed;
    int size, count;
    double* basis; ///< [MAX_STEPS + 1][size]
    double *u, *f; ///< [size]
    double diagonal[MAX_STEPS], off[MAX_STEPS];
} lanczos;

// out = M^-1/2 K M^-1/2 q
static void multiply(lanczos* z, const double* q, double* out) {
    int d = z->e->dimension;
    for (int i = 0; i < z->size; ++i) {
        bool is_fixed = z->fixed && z->fixed[i];
        z->u[i] = is_fixed ? 0.0 : q[i] / sqrt(z->e->masses[i / d]);
        z->f[i] = 0.0;
    }
    iso_elastic_add_differential(z->e, z->x, z->u, false, z->f);
    for (int i = 0; i < z->size; ++i) {
        bool is_fixed = z->fixed && z->fixed[i];
        out[i] = is_fixed ? 0.0 : -z->f[i] / sqrt(z->e->masses[i / d]);
    }
}

// One further vector. @return false when the space is closed
static bool step(lanczos* z) {
    int k = z->count++, n = z->size;
    double *q = z->basis + (size_t)k * (size_t)n, *next = q + n;
    multiply(z, q, next);
    z->diagonal[k] = iso_lab_sum(q, next, n);
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j <= k; ++j) {
            const double* b = z->basis + (size_t)j * (size_t)n;
            double c = iso_lab_sum(b, next, n);
            for (int i = 0; i < n; ++i) {
                next[i] -= c * b[i];
            }
        }
    }
    z->off[k] = sqrt(iso_lab_sum(next, next, n));
    if (!(z->off[k] > 1e-13 * fabs(z->diagonal[0]) + DBL_MIN) || z->count >= n) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        next[i] /= z->off[k];
    }
    return true;
}

// Two largest eigenvalues of the tridiagonal matrix, and the error bound of the first.
static iso_status solve_small(iso_context* ctx, lanczos* z, double out[2], double* out_error) {
    int k = z->count;
    double* a = iso_alloc_array(ctx, 2 * k * k, sizeof *a);
    ISO_REQUIRE(ctx, a, ISO_ERR_MEMORY, "%d Lanczos vectors", k);
    for (int i = 0; i < k; ++i) {
        a[i * k + i] = z->diagonal[i];
        if (i + 1 < k) {
            a[i * k + i + 1] = a[(i + 1) * k + i] = z->off[i];
        }
    }
    iso_symmetric_eigen(a, k, a + k * k);
    int best = 0;
    for (int i = 1; i < k; ++i) {
        best = a[i * k + i] > a[best * k + best] ? i : best;
    }
    out[0] = a[best * k + best];
    out[1] = 0.0;
    for (int i = 0; i < k; ++i) {
        out[1] = i != best && a[i * k + i] > out[1] ? a[i * k + i] : out[1];
    }
    // the error of an eigenvalue is at most the residual squared over the gap, and at most it
    double residual = z->off[k - 1] * fabs(a[k * k + (k - 1) * k + best]);
    *out_error = fmin(residual, residual * residual / fmax(out[0] - out[1], DBL_MIN));
    iso_free(ctx, a);
    return ISO_OK;
}

static iso_status iterate(iso_context* ctx, lanczos* z, double out_high[2]) {
    bool is_open = true;
    double error = INFINITY, last = -1.0;
    while (is_open && z->count < MAX_STEPS) {
        is_open = step(z);
        if (is_open && z->count % STEPS_BETWEEN != 0) {
            continue;
        }
        iso_status status = solve_small(ctx, z, out_high, &error);
        if (status != ISO_OK) {
            return status;
        }
        error = is_open ? error : 0.0;
        bool is_steady = fabs(out_high[1] - last) <= 1e-6 * out_high[0];
        if (error <= 1e-8 * out_high[0] && (is_steady || !is_open)) {
            return ISO_OK;
        }
        last = out_high[1];
    }
    ISO_REQUIRE(ctx, error <= 1e-8 * out_high[0], ISO_ERR_NO_CONVERGENCE,
                "the highest mode is %g 1/s^2 to %g after %d Lanczos steps, expected to 1e-8 of it",
                out_high[0], error, z->count);
    return ISO_OK;
}

iso_status iso_elastic_top_modes(iso_context* ctx, const iso_elastic* e, const double* x,
                                 const bool* fixed, double out_high[2]) {
    lanczos z = {.e = e, .x = x, .fixed = fixed, .size = e->vertex_count * e->dimension};
    iso_status status = ISO_OK;
    int vectors = z.size < MAX_STEPS ? z.size : MAX_STEPS;
    z.basis = iso_alloc(ctx, (size_t)(vectors + 3) * (size_t)z.size * sizeof(double));
    ISO_REQUIRE(ctx, z.basis, ISO_ERR_MEMORY, "%d Lanczos vectors of %d numbers", vectors, z.size);
    z.u = z.basis + (size_t)(vectors + 1) * (size_t)z.size;
    z.f = z.u + z.size;
    iso_draw draw = {1};
    for (int i = 0; i < z.size; ++i) {
        z.basis[i] = fixed && fixed[i] ? 0.0 : iso_draw_uniform(&draw) - 0.5;
    }
    double norm = sqrt(iso_lab_sum(z.basis, z.basis, z.size));
    ISO_CHECK(ctx, norm > 0.0, ISO_ERR_ARGUMENT, "all places are fixed, expected a free one");
    for (int i = 0; i < z.size; ++i) {
        z.basis[i] /= norm;
    }
    ISO_TRY(iterate(ctx, &z, out_high));

done:
    iso_free(ctx, z.basis);
    return status;
}

void iso_elastic_critical_damping(const double high[2], double* out_alpha, double* out_beta) {
    double a = sqrt(high[0]), b = sqrt(high[1]);
    *out_alpha = 2.0 * a * b / (a + b);
    *out_beta = 2.0 / (a + b);
}

double iso_elastic_longest_step(double high, double alpha, double beta) {
    double w = sqrt(high), z = 0.5 * (alpha / w + beta * w);
    return z > 1e3 ? 2.0 / ((sqrt(1.0 + z * z) + z) * w) : 2.0 * (sqrt(1.0 + z * z) - z) / w;
}
