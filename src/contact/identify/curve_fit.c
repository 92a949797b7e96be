// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/identify/curve_fit.h"

#include "base/core/fail.h"
#include "isobar/math.h"
#include "math/dense.h"

#include <float.h>
#include <string.h>

enum { k_most = ISO_IDENTIFIED_MAX };
#define MAX_ROUNDS 300
#define STILL 1e-11 // a step that moves no parameter by more is the last one

double iso_fit_cost(const iso_fit_problem* problem, const double* p) {
    double sum = 0.0;
    for (int i = 0; i < problem->count; ++i) {
        double left = iso_fit_y(problem, i) -
                      problem->curve(problem->data, p, problem->x[(long)i * problem->stride]);
        sum += left * left;
    }
    return isfinite(sum) ? sum : INFINITY;
}

// Upper triangle of J^T J, and J^T r, with the curve's slopes by central differences.
static void accumulate(const iso_fit_problem* problem, const double* p, double* normal,
                       double* gradient) {
    int n = problem->parameter_count;
    memset(normal, 0, sizeof(double) * k_most * k_most);
    memset(gradient, 0, sizeof(double) * k_most);
    for (int i = 0; i < problem->count; ++i) {
        double x = problem->x[(long)i * problem->stride], slope[k_most], moved[k_most];
        double left = iso_fit_y(problem, i) - problem->curve(problem->data, p, x);
        memcpy(moved, p, sizeof(double) * (size_t)n);
        for (int k = 0; k < n; ++k) {
            double h = 6e-6 * fmax(fabs(p[k]), 1e-3);
            moved[k] = p[k] + h;
            double high = problem->curve(problem->data, moved, x);
            moved[k] = p[k] - h;
            slope[k] = (high - problem->curve(problem->data, moved, x)) / (2.0 * h);
            moved[k] = p[k];
        }
        for (int a = 0; a < n; ++a) {
            gradient[a] += slope[a] * left;
            for (int b = a; b < n; ++b) {
                normal[a * k_most + b] += slope[a] * slope[b];
            }
        }
    }
}

// One damped step; false when it leads nowhere.
static bool try_step(const iso_fit_problem* problem, const double* normal, const double* gradient,
                     double damping, double* p, double* cost, double* out_move) {
    int n = problem->parameter_count;
    double factor[k_most * k_most], step[k_most], next[k_most];
    memcpy(factor, normal, sizeof factor);
    memcpy(step, gradient, sizeof step);
    for (int k = 0; k < n; ++k) {
        factor[k * k_most + k] += damping * (normal[k * k_most + k] + DBL_MIN);
    }
    if (!iso_cholesky_factor(factor, n, k_most)) {
        return false;
    }
    iso_cholesky_solve(factor, n, k_most, step);
    *out_move = 0.0;
    for (int k = 0; k < n; ++k) {
        next[k] = p[k] + step[k];
        *out_move = fmax(*out_move, fabs(step[k]) / fmax(fabs(p[k]), 1e-3));
    }
    double found = iso_fit_cost(problem, next);
    if (!(found <= *cost)) {
        return false;
    }
    memcpy(p, next, sizeof(double) * (size_t)n);
    *cost = found;
    return true;
}

// Widths from s^2 (J^T J)^-1, scaled so that a pivot is comparable with 1.
static iso_status find_widths(iso_context* ctx, const iso_fit_problem* problem, const double* p,
                              double cost, iso_fit_result* out) {
    int n = problem->parameter_count, freedom = problem->count - n;
    double normal[k_most * k_most], gradient[k_most], size[k_most];
    accumulate(problem, p, normal, gradient);
    for (int a = 0; a < n; ++a) {
        size[a] = sqrt(normal[a * k_most + a]);
        ISO_REQUIRE(
            ctx, size[a] > 0.0 && isfinite(size[a]), ISO_ERR_NO_CONVERGENCE,
            "the samples do not determine the parameters: the curve does not depend on one");
    }
    for (int a = 0; a < n; ++a) {
        for (int b = a; b < n; ++b) {
            normal[a * k_most + b] /= size[a] * size[b];
        }
    }
    bool is_regular = iso_cholesky_factor(normal, n, k_most);
    for (int a = 0; a < n && is_regular; ++a) {
        is_regular = normal[a * k_most + a] > 1e-6;
    }
    ISO_REQUIRE(ctx, is_regular, ISO_ERR_NO_CONVERGENCE,
                "the samples do not determine the parameters: several fit them as well");
    double variance = cost / freedom;
    *out = (iso_fit_result){.parameter_count = n, .student = iso_student_95(freedom)};
    for (int a = 0; a < n; ++a) {
        double column[k_most] = {0.0};
        column[a] = 1.0;
        iso_cholesky_solve(normal, n, k_most, column);
        for (int b = 0; b < n; ++b) {
            out->covariance[a][b] = variance * column[b] / (size[a] * size[b]);
        }
    }
    out->residual = sqrt(cost / problem->count);
    return ISO_OK;
}

double iso_fit_width_of(const iso_fit_result* r, const double* weights) {
    double variance = 0.0;
    for (int a = 0; a < r->parameter_count; ++a) {
        for (int b = 0; b < r->parameter_count; ++b) {
            variance += weights[a] * weights[b] * r->covariance[a][b];
        }
    }
    return r->student * sqrt(fmax(variance, 0.0));
}

double iso_fit_width(const iso_fit_result* r, int parameter) {
    return r->student * sqrt(r->covariance[parameter][parameter]);
}

iso_status iso_fit_refine(iso_context* ctx, const iso_fit_problem* problem, double* p,
                          iso_fit_result* out) {
    ISO_REQUIRE(ctx, problem->count > problem->parameter_count, ISO_ERR_RANGE,
                "there are %d samples, expected at least %d", problem->count,
                problem->parameter_count + 1);
    double cost = iso_fit_cost(problem, p), damping = 1e-3, move = 1.0;
    double normal[k_most * k_most], gradient[k_most];
    for (int round = 0; round < MAX_ROUNDS && move > STILL && damping < 1e12; ++round) {
        accumulate(problem, p, normal, gradient);
        bool is_better = false;
        while (!is_better && damping < 1e12) {
            is_better = try_step(problem, normal, gradient, damping, p, &cost, &move);
            damping *= is_better ? 0.1 : 10.0;
        }
        damping = fmax(damping, 1e-12);
    }
    ISO_REQUIRE(ctx, isfinite(cost), ISO_ERR_NO_CONVERGENCE,
                "the samples do not determine the parameters: no curve comes near them");
    return find_widths(ctx, problem, p, cost, out);
}

double iso_fit_linear(const iso_fit_problem* problem,
                      void (*terms)(const void* data, double x, double* out), const void* data,
                      int term_count, double* out_weights) {
    double normal[16] = {0.0}, right[4] = {0.0}, term[4], total = 0.0, size[4];
    for (int i = 0; i < problem->count; ++i) {
        double y = iso_fit_y(problem, i);
        terms(data, problem->x[(long)i * problem->stride], term);
        total += y * y;
        for (int a = 0; a < term_count; ++a) {
            right[a] += term[a] * y;
            for (int b = a; b < term_count; ++b) {
                normal[a * 4 + b] += term[a] * term[b];
            }
        }
    }
    for (int a = 0; a < term_count; ++a) {
        size[a] = sqrt(normal[a * 4 + a]);
        out_weights[a] = right[a] / size[a];
    }
    for (int a = 0; a < term_count; ++a) {
        for (int b = a; b < term_count; ++b) {
            normal[a * 4 + b] /= size[a] * size[b];
        }
    }
    if (!iso_cholesky_factor(normal, term_count, 4) || !(normal[5 * (term_count - 1)] > 1e-7)) {
        return INFINITY;
    }
    iso_cholesky_solve(normal, term_count, 4, out_weights);
    for (int a = 0; a < term_count; ++a) {
        out_weights[a] /= size[a];
        total -= out_weights[a] * right[a];
    }
    return isfinite(total) ? fmax(total, 0.0) : INFINITY;
}

// P(|T| < t) by the finite sums over the freedom, cos and sin of atan(t / sqrt(n)).
static double student_within(double t, int n) {
    double angle = atan(t / sqrt(n)), c = cos(angle), s = sin(angle);
    double term = n % 2 == 0 ? s : s * c, sum = n > 1 ? term : 0.0;
    for (int k = n % 2 == 0 ? 2 : 3; k < n; k += 2) {
        term *= c * c * (k - 1.0) / k;
        sum += term;
    }
    return n % 2 == 0 ? sum : (angle + sum) * 2.0 / ISO_PI;
}

double iso_student_95(int freedom) {
    if (freedom > 2000) {
        // Cornish-Fisher from the normal distribution's 1.96; exact to 1e-9 from here on.
        double z = 1.959963984540054, z3 = z * z * z;
        return z + (z3 + z) / (4.0 * freedom) +
               (5.0 * z3 * z * z + 16.0 * z3 + 3.0 * z) / (96.0 * freedom * (double)freedom);
    }
    double low = 1.0, high = 13.0;
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high);
        if (student_within(middle, freedom) < 0.95) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}
