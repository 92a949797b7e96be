// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/learned.h"

enum {
    ISO_LEARNED_SIZE = 6, ///< features of a pair: E, nu, rho of one, then of the other
    ISO_LEARNED_ROWS_MAX = 1000
};

/// f(x) = bias + sum of coefficients[i] K(x_i, x), K(x, y) = exp(-sum of weights (x - y)^2); of a
/// symmetric model the mean of K(x, y) and of K(x, y with both bodies exchanged).
struct iso_learned {
    iso_context* ctx;
    iso_learned_kind kind;
    iso_learned_features features;
    bool is_symmetric;
    int row_count;
    iso_learned_row* rows; ///< [row_count]
    double* points;        ///< [row_count * 6] as the kernel takes them
    double* coefficients;  ///< [row_count]
    double centre[ISO_LEARNED_SIZE], spread[ISO_LEARNED_SIZE]; ///< of the features
    double weights[ISO_LEARNED_SIZE];
    double bias;
    double interval; ///< half of the 90 % interval, in standard deviations; support vectors: in mu
    // Support vectors
    double epsilon, penalty, gamma;
    int support_count, bound_count;
    // Gaussian process: covariance variance K + mean_variance, measurements with noise_variance
    double variance, mean_variance, noise_variance;
    double* factor; ///< [row_count * row_count] iso_cholesky_factor() of the rows' covariance
    int material_count;
    iso_learned_material* materials; ///< [material_count]
};

/// Whether a material's values are possible.
/// @param what  begins the message: "row 3", "file: material 'x'"
iso_status iso_learned_check(iso_context* ctx, const iso_learned_material* m, const char* what);
/// Features of a pair before centre and spread.
void iso_learned_features_of(iso_learned_features kind, const iso_learned_material* a,
                             const iso_learned_material* b, double* out);
/// The point that the kernel takes, from the features.
void iso_learned_point_of(const iso_learned* m, const double* features, double* out);
/// K as above.
double iso_learned_kernel(const iso_learned* m, const double* x, const double* y);
/// An empty model of these rows, with centre, spread and points, and its materials.
/// @return ISO_ERR_RANGE, ISO_ERR_MEMORY; *out is NULL on error
iso_status iso_learned_begin(iso_context* ctx, const iso_learned_desc* desc, iso_learned** out);
/// Coefficients of support vectors.
iso_status iso_learned_fit_svr(iso_learned* m);
/// Widths, variances, coefficients and factor of a Gaussian process.
iso_status iso_learned_fit_gp(iso_learned* m);
/// Coefficients and factor from the rest. @return ISO_ERR_NUMERIC (not positive definite)
iso_status iso_learned_factor(iso_learned* m);
/// Mean and standard deviation of a measurement at a point; that of support vectors is 1.
void iso_learned_at(const iso_learned* m, const double* point, double* out_mean,
                    double* out_deviation);
/// A model without its 90 % interval, which only leaving rows out gives.
iso_status iso_learned_fit(iso_context* ctx, const iso_learned_desc* desc, iso_learned** out);
/// Distance of features from the hull of those of the rows (of both orders, if symmetric) [1].
double iso_learned_outside(const iso_learned* m, const double* features);
