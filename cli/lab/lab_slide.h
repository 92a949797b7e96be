// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/options.h"
#include "isobar/slide.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/// Whether it takes place in space.
bool cli_slide_is_in_space(const cli_slide_options* slide);
/// Pitches across, in space. points: --points of the lower block.
int cli_slide_across(const cli_slide_options* slide, int points);
/// Pitches along the upper block.
int cli_slide_upper(const cli_slide_options* slide, int points);

/// Take one of them. @return 1 taken, 0 not one of them, -1 the value is unusable
int cli_slide_take(cli_slide_options* slide, const char* name, const char* value);

/// An option that was given and does nothing for what is run; NULL: none.
/// @param filled  the same with what a preset adds
const char* cli_slide_find_useless(const cli_slide_options* given, const cli_slide_options* filled);

/// Rows of a run, in memory and, with a state, in a file beside it.
typedef struct slide_rows {
    iso_lab_slide_sample* data;
    int count, capacity;
} slide_rows;

/// One more row. @return false: no memory
bool slide_rows_add(slide_rows* rows, const iso_lab_slide_sample* sample);
/// Names of the columns, and one row in full, as CSV.
void slide_rows_print_head(FILE* file);
void slide_rows_print(FILE* file, const iso_lab_slide_sample* sample);
/// Read back what was printed. @return false: not such rows
bool slide_rows_parse(slide_rows* rows, const double* values, int row_count, int column_count);
/// Columns of doubles, [count] each, one after the other: names by slide_rows_column().
double* slide_rows_columns(const slide_rows* rows);
enum { SLIDE_COLUMNS = 14 };
const char* slide_rows_column(int column);

/// What a run says of friction.
typedef struct slide_summary {
    double mu_static; ///< largest tangential over normal force, of a force before the block slides;
                      ///< where less than half of the normal force is borne nothing counts
    double mu_kinetic; ///< integral of the tangential over that of the normal force (eq. 4.1), of a
                       ///< force after the block began to slide
    double spread;     ///< standard error of that, of its four parts of equal length
    double slope;  ///< part of it that was spent on height, or gained from it: of those rows the
                   ///< work against the normal force over that force and the travel
    double onset;  ///< when that was met [s]; NAN: a force did not move the block
    double travel; ///< [m]
    double transverse;        ///< integral of the force across over that of the normal force
    double transverse_spread; ///< standard error of that, of four parts of equal length
    double held;      ///< share of steps whose normal force is within 5 % of what it should be
    double mu_peak;   ///< largest tangential over normal force at a mean speed of 0.01 m/s at most:
                      ///< E3 of the thesis
    double peak_time; ///< [s]
    int newton_count;
} slide_summary;
/// @param normal_force  that there should be
slide_summary slide_rows_summary(const slide_rows* rows, bool is_force, double normal_force);

/// Room for a number of a summary.
typedef struct slide_number {
    char text[24];
} slide_number;

/// How a summary writes a number: a run that was too short leaves some unknown.
static inline slide_number slide_number_of(double value) {
    slide_number n = {"unknown"};
    if (isfinite(value)) {
        (void)snprintf(n.text, sizeof n.text, "%.4g", value);
    }
    return n;
}
