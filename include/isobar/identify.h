// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Parameters of contact from measurements. [Gonthier2007] sections 3.3, 5.1.4. Theory:
// docs/theory/point_contact.md, docs/theory/bristle.md.

#include "isobar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A table of numbers. Zero-initialise; release with iso_table_destroy().
typedef struct iso_table {
    const char* path; ///< of its file; NULL: none
    int column_count, row_count;
    const char* const* names; ///< [column_count]; NULL: the file names none
    const double* values;     ///< [row_count * column_count]
    const int* lines;         ///< [row_count] where a row stands in the file; NULL: no file
    void* memory;             ///< owned: all of the above
} iso_table;

/// Read a CSV file: commas, semicolons or tabs part columns, decimals may have commas unless commas
/// part columns; empty lines and lines that begin with # are passed over; the first line may name
/// the columns. Rows must fit a last column that is named row_check.
/// @return ISO_ERR_IO, ISO_ERR_PARSE (the message has file, line, value and what was expected),
///         ISO_ERR_RANGE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_table_read(iso_context* ctx, const char* path,
                                                iso_table* out_table);
/// What the column row_check of a table holds, by which damage is found.
/// @param values  [count] the columns before it
/// @return a whole number below 2^32
ISO_API double iso_table_check(const double* values, int count);
/// Release a table. Zero is allowed.
ISO_API void iso_table_destroy(iso_context* ctx, iso_table* table);

/// What was measured, with the columns that it needs.
typedef enum iso_identify_kind {
    ISO_IDENTIFY_INDENTATION, ///< depth [m], force [N], quasi-static: stiffness, exponent
    ISO_IDENTIFY_TAP,         ///< time [s], position [m], free motion in stiction: sigma_0, sigma_1
    ISO_IDENTIFY_SLIDING,     ///< speed [m/s], friction [N], normal [N]: mu_C, mu_S, v_s, sigma_2
    ISO_IDENTIFY_IMPACTS,     ///< before, after [m/s], speeds of approach and rebound: restitution
    ISO_IDENTIFY_PRESSES, ///< pressure [Pa], reading, of one taxel in the order of time, rising and
                          ///< falling: gain, offset, hysteresis, noise of iso_taxels
    ISO_IDENTIFY_AUTO     ///< by the names of the columns; also the number of kinds
} iso_identify_kind;

/// Lower-case name ("indentation"), static storage.
ISO_API const char* iso_identify_kind_name(iso_identify_kind kind);

/// What the measurement does not say itself. Zero: defaults.
typedef struct iso_identify_options {
    double exponent;          ///< of the depth, >= 1; 0: fitted, too
    double load_acceleration; ///< normal force over the tapped mass [m/s^2]; 0: 9.81
} iso_identify_options;

enum { ISO_IDENTIFIED_MAX = 6 };

/// A parameter with the interval that holds it in 95 of 100 such measurements, if the errors are
/// independent and normal.
typedef struct iso_parameter {
    const char* name; ///< static storage
    const char* unit; ///< static storage; "" for a number
    double value;
    double low, high;
} iso_parameter;

/// What a fit found.
typedef struct iso_identified {
    iso_identify_kind kind;
    int count; ///< of parameters
    iso_parameter parameters[ISO_IDENTIFIED_MAX];
    double fit[ISO_IDENTIFIED_MAX]; ///< of the curve, for iso_identified_curve()
    int sample_count;
    double residual; ///< root mean square of what the curve leaves, in the unit of what is fitted
} iso_identified;

/// Fit one kind to samples. Nothing allocates.
/// @param columns  [3] pointers to what iso_identify_kind names, in that order; each has count
///                 doubles, `stride` doubles apart
/// @param source   where samples come from, for messages (its path and lines only); NULL: none
/// @return ISO_ERR_ARGUMENT (an option of another kind), ISO_ERR_RANGE (a sample out of range:
///         place, value and range; too few samples; force that falls with depth),
///         ISO_ERR_NO_CONVERGENCE (the samples do not determine the parameters)
ISO_NODISCARD ISO_API iso_status iso_identify(iso_context* ctx, iso_identify_kind kind,
                                              const double* const* columns, int stride, int count,
                                              const iso_identify_options* options,
                                              const iso_table* source,
                                              iso_identified* out_identified);

/// The same from a table: columns by the names above. A unit behind a name, as in "depth [mm]" or
/// "force_kN", is turned into SI's; without one values are in SI.
/// @return also ISO_ERR_NOT_FOUND (a column is missing), ISO_ERR_RANGE (a unit that is not known),
///         ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_identify_table(iso_context* ctx, const iso_table* table,
                                                    iso_identify_kind kind,
                                                    const iso_identify_options* options,
                                                    iso_identified* out_identified);

/// Column of a kind: 0 and 1 are what a plot has across and up; NULL behind the last one.
ISO_API const char* iso_identify_column(iso_identify_kind kind, int column);
/// What is fitted, as a number of the sample: force, position, friction over normal, rebound over
/// approach.
ISO_API double iso_identify_measured(iso_identify_kind kind, const double* sample);
/// The fitted curve at the first column's value.
ISO_API double iso_identified_curve(const iso_identified* identified, double x);

/// Write a picture (SVG) of the samples, the fitted curve and the parameters. The file appears
/// whole or not at all.
/// @param table  the one that was identified
/// @return ISO_ERR_ARGUMENT, ISO_ERR_NOT_FOUND, ISO_ERR_IO
ISO_NODISCARD ISO_API iso_status iso_identified_write_svg(iso_context* ctx, const iso_table* table,
                                                          const iso_identified* identified,
                                                          const char* path);

#ifdef __cplusplus
}
#endif
