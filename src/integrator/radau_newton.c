// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The equations of a Radau step: Z = h (A x I) F(y + Z). With W = (T^-1 x I) Z a simplified Newton
// iteration falls apart into one real and (s - 1)/2 complex systems.

#include "integrator/radau_parts.h"

#include "math/lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Iterations contract by less than this, or they will not end.
#define SLOWEST 0.99
// What equations may lack before the last correction, in allowed errors.
#define MOST_LACK 1.0
// Errors of stages half solved that reject a step.
#define HOPELESS 10.0
// The first iteration has nothing to compare with; the contraction of the step before stands in,
// raised to this power as a caution.
#define CAUTION 0.8

void iso_radau_weights(const iso_radau_table* table, double x, double* out_weights) {
    for (int i = 0; i < table->stage_count; ++i) {
        double c = table->c[i];
        double weight = x / c; // the node 0
        for (int k = 0; k < table->stage_count; ++k) {
            weight *= k == i ? 1.0 : (x - table->c[k]) / (c - table->c[k]);
        }
        out_weights[i] = weight;
    }
}

bool iso_radau_factor(iso_radau* r, double h) {
    int n = r->n, pairs = (r->table->stage_count - 1) / 2;
    size_t square = (size_t)n * (size_t)n;
    ++r->report->factor_count;
    r->factored_h = 0.0;
    for (size_t k = 0; k < square; ++k) {
        r->real[k] = -r->jacobian[k];
    }
    for (int i = 0; i < n; ++i) {
        r->real[i * n + i] += r->table->gamma / h;
    }
    bool is_regular = iso_lu_factor(r->real, n, r->pivots);
    for (int p = 0; p < pairs && is_regular; ++p) {
        double* re = r->re + (size_t)p * square;
        double* im = r->im + (size_t)p * square;
        for (size_t k = 0; k < square; ++k) {
            re[k] = -r->jacobian[k];
            im[k] = 0.0;
        }
        for (int i = 0; i < n; ++i) {
            re[i * n + i] += r->table->alpha[p] / h;
            im[i * n + i] = -r->table->beta[p] / h;
        }
        is_regular = iso_complex_lu_factor(re, im, n, r->pivots + (size_t)(p + 1) * (size_t)n);
    }
    r->factored_h = is_regular ? h : 0.0;
    return is_regular;
}

// out = (matrix x I) rows, the first n entries of each.
static void transform(const double matrix[][ISO_RADAU_MOST_STAGES], int s, int n, double* rows,
                      int length, double* out, int out_length) {
    for (int i = 0; i < s; ++i) {
        double* sum = iso_radau_row(out, out_length, i);
        memset(sum, 0, (size_t)n * sizeof *sum);
        for (int j = 0; j < s; ++j) {
            const double* row = iso_radau_row(rows, length, j);
            double factor = matrix[i][j];
            for (int k = 0; k < n; ++k) {
                sum[k] += factor * row[k];
            }
        }
    }
}

// The polynomial of the step before, continued; it is wrong by what y was projected.
static void start(iso_radau* r, double h) {
    int s = r->table->stage_count, d = r->dimension;
    memset(r->z, 0, (size_t)s * (size_t)d * sizeof *r->z);
    if (r->kept_table) {
        double weights[ISO_RADAU_MOST_STAGES];
        const double* end = iso_radau_row(r->kept_z, d, r->kept_table->stage_count - 1);
        for (int i = 0; i < s; ++i) {
            double* z = iso_radau_row(r->z, d, i);
            double x = (*r->t - r->kept_t + r->table->c[i] * h) / r->kept_h;
            iso_radau_weights(r->kept_table, x, weights);
            for (int j = 0; j < r->kept_table->stage_count; ++j) {
                const double* kept = iso_radau_row(r->kept_z, d, j);
                for (int k = 0; k < r->n; ++k) {
                    z[k] += weights[j] * kept[k];
                }
            }
            for (int k = 0; k < r->n; ++k) {
                z[k] -= end[k];
            }
        }
    }
    transform(r->table->t_inverse, s, r->n, r->z, d, r->w, r->n);
}

// F at all stages. @return false in out_is_finite when one is not finite
static iso_status evaluate(iso_radau* r, double h, bool* out_is_finite) {
    int s = r->table->stage_count, d = r->dimension;
    memcpy(r->y_stage, r->y, (size_t)d * sizeof *r->y);
    *out_is_finite = true;
    for (int i = 0; i < s && *out_is_finite; ++i) {
        const double* z = iso_radau_row(r->z, d, i);
        double* f = iso_radau_row(r->f, d, i);
        for (int k = 0; k < r->n; ++k) {
            r->y_stage[k] = r->y[k] + z[k];
        }
        *out_is_finite = iso_ode_is_finite(r->y_stage, r->n, &r->bad);
        if (*out_is_finite) {
            ++r->report->rhs_count;
            iso_status status =
                r->problem->rhs(r->problem->user, *r->t + r->table->c[i] * h, r->y_stage, f);
            if (status != ISO_OK) {
                return status;
            }
            *out_is_finite = iso_ode_is_finite(f, d, &r->bad);
        }
    }
    return ISO_OK;
}

// dw = T^-1 F - L w / h, then solved by the factors.
static void correct(iso_radau* r, double h) {
    const iso_radau_table* table = r->table;
    int s = table->stage_count, n = r->n;
    size_t square = (size_t)n * (size_t)n;
    transform(table->t_inverse, s, n, r->f, r->dimension, r->dw, n);
    for (int k = 0; k < n; ++k) {
        r->dw[k] -= table->gamma / h * r->w[k];
    }
    iso_lu_solve(r->real, r->pivots, n, r->dw);
    for (int p = 0; p < (s - 1) / 2; ++p) {
        const double* w1 = iso_radau_row(r->w, n, 2 * p + 1);
        const double* w2 = iso_radau_row(r->w, n, 2 * p + 2);
        double* x1 = iso_radau_row(r->dw, n, 2 * p + 1);
        double* x2 = iso_radau_row(r->dw, n, 2 * p + 2);
        double alpha = table->alpha[p] / h, beta = table->beta[p] / h;
        for (int k = 0; k < n; ++k) {
            x1[k] -= alpha * w1[k] + beta * w2[k];
            x2[k] -= alpha * w2[k] - beta * w1[k];
        }
        iso_complex_lu_solve(r->re + (size_t)p * square, r->im + (size_t)p * square,
                             r->pivots + (size_t)(p + 1) * (size_t)n, n, x1, x2);
    }
}

// Add dw to w. @return its largest component in units of the allowed error
static double add_correction(iso_radau* r) {
    int s = r->table->stage_count;
    double largest = 0.0;
    for (int i = 0; i < s; ++i) {
        double* w = iso_radau_row(r->w, r->n, i);
        const double* dw = iso_radau_row(r->dw, r->n, i);
        for (int k = 0; k < r->n; ++k) {
            double size = fabs(dw[k]) / r->weights[k];
            if (!(size <= largest)) {
                largest = size;
                r->bad = k;
            }
            w[k] += dw[k];
        }
    }
    transform(r->table->t, s, r->n, r->w, r->n, r->z, r->dimension);
    return largest;
}

// Integrals along the way need no solution, but rates at the solution: those of before the last
// correction do when that was small.
static iso_status integrate_others(iso_radau* r, double h, bool is_small,
                                   iso_radau_outcome* out_outcome) {
    int s = r->table->stage_count, d = r->dimension;
    bool is_finite = true;
    *out_outcome = ISO_RADAU_SOLVED;
    if (d > r->n && !is_small) {
        iso_status status = evaluate(r, h, &is_finite);
        if (status != ISO_OK || !is_finite) {
            *out_outcome = ISO_RADAU_NOT_FINITE;
            return status;
        }
    }
    for (int i = 0; i < s; ++i) {
        double* z = iso_radau_row(r->z, d, i);
        for (int k = r->n; k < d; ++k) {
            double sum = 0.0;
            for (int j = 0; j < s; ++j) {
                sum += r->table->a[i][j] * iso_radau_row(r->f, d, j)[k];
            }
            z[k] = h * sum;
        }
    }
    return ISO_OK;
}

// What the equations lack at the last evaluation, z - h A f, in units of the allowed error.
static double find_lack(const iso_radau* r, double h) {
    int s = r->table->stage_count, d = r->dimension;
    double largest = 0.0;
    for (int i = 0; i < s; ++i) {
        const double* z = iso_radau_row(r->z, d, i);
        for (int k = 0; k < r->n; ++k) {
            double sum = 0.0;
            for (int j = 0; j < s; ++j) {
                sum += r->table->a[i][j] * iso_radau_row(r->f, d, j)[k];
            }
            largest = fmax(largest, fabs(z[k] - h * sum) / r->weights[k]);
        }
    }
    return largest;
}

// What the contraction of iteration `made` says: whether the rest will do.
static bool will_converge(iso_radau* r, int made, int most, double size, double limit) {
    if (!(r->contraction < SLOWEST)) {
        r->shrink = 0.5;
        return false;
    }
    double left = size * pow(r->contraction, most - made) / (1.0 - r->contraction) / limit;
    if (left >= 1.0) {
        double excess = fmin(fmax(left, 1e-4), 20.0);
        r->shrink = 0.8 * pow(excess, -1.0 / (4.0 + most - made));
        return false;
    }
    return true;
}

// What is left of the equations cannot save a step of this error: more digits of it are of no use.
static bool is_hopeless(iso_radau* r, double h, double left) {
    double error = r->is_doubtful ? 0.0 : iso_radau_estimate(r, h, r->f0, r->n);
    return error > HOPELESS && left < 0.1 * error;
}

iso_status iso_radau_solve(iso_radau* r, double h, iso_radau_outcome* out_outcome) {
    int s = r->table->stage_count, most = ISO_RADAU_ITERATIONS(s);
    double order_gain = (s - 1.0) / (s + 1.0);
    double rounding = 10.0 * DBL_EPSILON / r->tolerance;
    double limit = fmax(rounding, fmin(0.03, s > 1 ? pow(r->tolerance, order_gain) : 0.03));
    double last = 0.0, last_ratio = 0.0;
    r->contraction = pow(fmax(r->contraction, DBL_EPSILON), CAUTION);
    double trust = r->contraction < 1.0 ? r->contraction / (1.0 - r->contraction) : INFINITY;
    r->shrink = 0.5;
    r->mean_contraction = 0.0;
    *out_outcome = ISO_RADAU_DIVERGES;
    start(r, h);
    for (r->iterations = 1; r->iterations <= most; ++r->iterations) {
        bool is_finite = false;
        iso_status status = evaluate(r, h, &is_finite);
        if (status != ISO_OK || !is_finite) {
            *out_outcome = ISO_RADAU_NOT_FINITE;
            return status;
        }
        ++r->report->iteration_count;
        double lack = find_lack(r, h);
        correct(r, h);
        double size = add_correction(r);
        if (r->iterations > 1) {
            double ratio = size / last;
            r->contraction = last_ratio > 0.0 ? sqrt(ratio * last_ratio) : ratio;
            r->mean_contraction = r->contraction;
            last_ratio = ratio;
            if (size > 0.0 && !will_converge(r, r->iterations, most, size, limit)) {
                return ISO_OK;
            }
            trust = r->contraction / (1.0 - r->contraction);
            if (is_hopeless(r, h, trust * size)) {
                return integrate_others(r, h, true, out_outcome);
            }
        }
        last = fmax(size, DBL_MIN);
        // A Jacobian of what is stiffer than the equations makes corrections small that solve
        // nothing, so that friction would go on as it was: what is lacking tells.
        bool is_solved = lack <= MOST_LACK || size <= rounding;
        if (size == 0.0 || (is_solved && trust * size <= limit)) {
            return integrate_others(r, h, size <= limit, out_outcome);
        }
    }
    return ISO_OK;
}
