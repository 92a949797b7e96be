// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "sweep/quantity.h"

/// What becomes of the values of all steps.
typedef enum iso_sweep_reduction {
    ISO_SWEEP_FINAL, ///< the last one
    ISO_SWEEP_MAX,
    ISO_SWEEP_MIN,
    ISO_SWEEP_MEAN,
    ISO_SWEEP_RMS,
} iso_sweep_reduction;

/// A measure as it was written.
typedef struct iso_sweep_measure_spec {
    char* text; ///< owned
    iso_sweep_reduction reduction;
    int quantity; ///< row of the table of quantities
    char* name;   ///< what is measured, within the parentheses; "": nothing; owned
} iso_sweep_measure_spec;

/// Read "max_slip(spanner)". Zeroed on error.
/// @return ISO_ERR_PARSE, ISO_ERR_NOT_FOUND (a quantity), ISO_ERR_MEMORY
iso_status iso_sweep_measure_read(iso_context* ctx, const char* text, iso_sweep_measure_spec* out);
void iso_sweep_measure_free(iso_context* ctx, iso_sweep_measure_spec* spec);

/// A measure in a run: where to look, and what was seen so far.
typedef struct iso_sweep_gauge {
    iso_sweep_subject subject;
    double last, most, least, sum, square_sum;
    int64_t count;   ///< of values that are numbers
    double traveled; ///< of quantities that add up over time
} iso_sweep_gauge;

/// Find what a measure names.
/// @return ISO_ERR_NOT_FOUND, the message starts with the measure
iso_status iso_sweep_gauge_begin(iso_context* ctx, const iso_sweep_measure_spec* spec,
                                 const iso_sweep_site* site, iso_sweep_gauge* out);
/// Look after a step.
void iso_sweep_gauge_read(iso_sweep_gauge* gauge, const iso_sweep_measure_spec* spec,
                          const iso_sweep_site* site);
/// NAN where there was nothing to see.
double iso_sweep_gauge_value(const iso_sweep_gauge* gauge, const iso_sweep_measure_spec* spec);
