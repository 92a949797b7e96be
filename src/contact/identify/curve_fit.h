// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Least squares of a curve with few parameters: Levenberg-Marquardt with central differences.
// Nothing allocates. Theory: [Nocedal2006] chapter 10.

#include "isobar/base.h"
#include "isobar/identify.h"

/// The curve at x. Parameters should be of order 1: logarithms of what is positive.
typedef double (*iso_fit_curve_fn)(const void* data, const double* p, double x);

/// Samples: y of x, each of count, `stride` doubles apart.
typedef struct iso_fit_problem {
    iso_fit_curve_fn curve;
    const void* data;
    const double *x, *y;
    const double* divisor; ///< y is divided by this; NULL: by 1
    int stride, count;
    int parameter_count; ///< 1 to ISO_IDENTIFIED_MAX
} iso_fit_problem;

typedef struct iso_fit_result {
    double residual; ///< root mean square of what is left
    int parameter_count;
    double covariance[ISO_IDENTIFIED_MAX][ISO_IDENTIFIED_MAX]; ///< of the parameters
    double student; ///< half the 95 % interval over the standard deviation
} iso_fit_result;

/// Half the 95 % interval of a sum of parameters with weights, [ISO_IDENTIFIED_MAX]; of one
/// parameter.
double iso_fit_width_of(const iso_fit_result* result, const double* weights);
double iso_fit_width(const iso_fit_result* result, int parameter);

static inline double iso_fit_y(const iso_fit_problem* problem, int sample) {
    long i = (long)sample * problem->stride;
    return problem->divisor ? problem->y[i] / problem->divisor[i] : problem->y[i];
}

/// Refine parameters from a start.
/// @return ISO_ERR_RANGE (no more samples than parameters), ISO_ERR_NO_CONVERGENCE (the samples do
///         not determine the parameters)
iso_status iso_fit_refine(iso_context* ctx, const iso_fit_problem* problem, double* p,
                          iso_fit_result* out_result);

/// Sum of squares at parameters.
double iso_fit_cost(const iso_fit_problem* problem, const double* p);

/// Best weights of a sum of `term_count` <= 4 known curves, by normal equations.
/// @param terms  fills the curves at x
/// @return sum of squares; INFINITY where the curves are not independent on these samples
double iso_fit_linear(const iso_fit_problem* problem,
                      void (*terms)(const void* data, double x, double* out), const void* data,
                      int term_count, double* out_weights);

/// t with P(|T| < t) = 0.95 of Student's distribution.
double iso_student_95(int freedom);
