// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/lab/lab.h"

/// One of the 28 sets of parameters of table 4.1 of [Datta2018], and what that says of it.
typedef struct e1_set {
    double young, poisson, beta, density;
    double thesis_mean, thesis_deviation;
} e1_set;

enum { E1_SETS = 28, E1_SERIES = 10, E1_LEVELS = 5, E1_MEASURES = 6 };
extern const e1_set k_e1_sets[E1_SETS];

/// Sets that differ in one parameter only, in the order of its values: a block of table 4.1.
typedef struct e1_series {
    const char* name;
    int parameter; ///< 0 Young's modulus, 1 Poisson's ratio, 2 beta, 3 density
    int count;
    int sets[E1_LEVELS];
} e1_series;
extern const e1_series k_e1_series[E1_SERIES];

double e1_parameter(const e1_set* set, int parameter);

/// What was found: rows of sets, columns of surfaces.
typedef struct e1_found {
    int surface_count;
    bool is_wanted[E1_SETS];
    double* values[E1_MEASURES]; ///< [E1_SETS * surface_count] NAN: none; see k_e1_measures
    uint64_t first_seed;
    double cpu_seconds, wall_seconds; ///< of all runs, one after the other
    double longest;                   ///< run, of processor time [s]
} e1_found;
extern const char* const k_e1_measures[E1_MEASURES];

/// A mean over surfaces, half of its 95 % interval (Student), and of how many it is.
typedef struct e1_mean {
    double mean, deviation, half;
    int count;
} e1_mean;
e1_mean e1_mean_of(const double* values, int count);
/// Static friction of one set.
e1_mean e1_friction(const e1_found* found, int set);
/// Paired: of each surface how much ln mu changes with ln of the parameter (Poisson's ratio: with
/// itself), by least squares over the series.
e1_mean e1_slope(const e1_found* found, const e1_series* series);
/// Paired: mu at the last level less mu at the first one.
e1_mean e1_effect(const e1_found* found, const e1_series* series);
/// Spearman's correlation of the means over the levels; NAN where a level has none.
double e1_rank(const e1_found* found, const e1_series* series);
/// Paired joint fit ln mu = c + e ln E + p nu + b ln beta + r ln density: one after the other.
/// @return whether all 28 sets are there
bool e1_fit(const e1_found* found, e1_mean out[4]);

cli_exit e1_report(cli_session* session, const cli_options* options, const e1_found* found);
