// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/identify/curve_fit.h"

/// Samples of one kind as they came: columns with a stride.
typedef struct iso_samples {
    const double* column[3];
    int stride, count;
} iso_samples;

static inline double iso_sample(const iso_samples* s, int column, int row) {
    return s->column[column][(long)row * s->stride];
}

/// Fit and fill in parameters, fit and residual. The samples are in range.
typedef iso_status (*iso_identify_fn)(iso_context* ctx, const iso_samples* samples,
                                      const iso_identify_options* options, iso_identified* out);
/// What is fitted at x.
typedef double (*iso_identified_curve_fn)(const double* fit, double x);

iso_status iso_identify_indentation(iso_context* ctx, const iso_samples* samples,
                                    const iso_identify_options* options, iso_identified* out);
iso_status iso_identify_tap(iso_context* ctx, const iso_samples* samples,
                            const iso_identify_options* options, iso_identified* out);
iso_status iso_identify_sliding(iso_context* ctx, const iso_samples* samples,
                                const iso_identify_options* options, iso_identified* out);
iso_status iso_identify_impacts(iso_context* ctx, const iso_samples* samples,
                                const iso_identify_options* options, iso_identified* out);
iso_status iso_identify_presses(iso_context* ctx, const iso_samples* samples,
                                const iso_identify_options* options, iso_identified* out);
double iso_indentation_curve(const double* fit, double x);
double iso_tap_curve(const double* fit, double x);
double iso_sliding_curve(const double* fit, double x);
double iso_impacts_curve(const double* fit, double x);
double iso_presses_curve(const double* fit, double x);

/// Add a parameter to a result.
static inline void iso_identified_add(iso_identified* out, const char* name, const char* unit,
                                      double value, double low, double high) {
    out->parameters[out->count++] = (iso_parameter){name, unit, value, low, high};
}

/// The play operator: where it follows x from `followed`.
double iso_play(double followed, double x, double half_width);

/// Index of a column by its name, a unit behind it or none; -1: there is none.
/// @param out_factor  SI's unit in one of the column's; 0: its unit is not known
int iso_identify_find_column(const iso_table* table, iso_identify_kind kind, int column,
                             double* out_factor);
