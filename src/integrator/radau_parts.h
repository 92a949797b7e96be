// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// One advance by a Radau IIA method. Theory: docs/theory/integrators.md; [Hairer1996] IV.8.

#include "integrator/ode_parts.h"
#include "integrator/radau_table.h"

/// Most iterations of Newton's method at s stages.
#define ISO_RADAU_ITERATIONS(s) (7 + 5 * ((s)-3 > 0 ? (s)-3 : 0) / 2)

typedef struct iso_radau {
    iso_context* ctx;
    const char* name;
    const iso_ode_problem* problem;
    iso_ode_report* report;
    const iso_radau_table* table;
    int least, most; ///< stages
    int n, dimension;
    double* t;
    double* y;
    double accuracy;
    double tolerance; ///< accuracy of the estimate that makes the method that accurate

    double *f0, *weights, *y_stage, *error, *scratch; ///< [dimension], scratch twice
    double *z, *f, *kept_z;                           ///< [stages][dimension]
    double *w, *dw;                                   ///< [stages][n]
    double *jacobian, *real, *re, *im;                ///< [n][n]; re, im [pairs][n][n]
    int* pivots;                                      ///< [1 + pairs][n]

    double h;
    double factored_h;                 ///< 0: the factors are of something else
    const iso_radau_table* kept_table; ///< of the last accepted step; NULL: there is none
    double kept_h, kept_t;             ///< its length and its start

    // Of the last solution.
    int iterations;
    double contraction; ///< of the last two iterations
    double mean_contraction;
    double shrink; ///< of the step, for the next attempt
    int bad;       ///< component; -1: none

    bool is_doubtful; ///< an estimate that rejects the next solution is to be smoothed twice
} iso_radau;

typedef enum iso_radau_outcome {
    ISO_RADAU_SOLVED,
    ISO_RADAU_DIVERGES,
    ISO_RADAU_NOT_FINITE,
} iso_radau_outcome;

/// Row j of an array of stages.
static inline double* iso_radau_row(double* stages, int length, int j) {
    return stages + (size_t)j * (size_t)length;
}

/// Factors of gamma/h - J and (alpha - i beta)/h - J. @return false when one is singular
bool iso_radau_factor(iso_radau* r, double h);
/// Solve the equations of a step of length h by simplified Newton iterations; fills z.
/// @return what a callback returned
iso_status iso_radau_solve(iso_radau* r, double h, iso_radau_outcome* out_outcome);
/// Error of the order s that the stages z promise, in units of the allowed one, smoothed by the
/// real factors, which keeps it bounded where the system is stiff; also in r->error.
/// @param f      at the start of the step
/// @param count  leading components that are looked at, at least n
double iso_radau_estimate(iso_radau* r, double h, const double* f, int count);
/// Weights of stages z_1 ... z_s in the polynomial through (0, 0) and (c_i, z_i) at x.
void iso_radau_weights(const iso_radau_table* table, double x, double* out_weights);
