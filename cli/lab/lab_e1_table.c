// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab.h"
#include "cli/lab/lab_e1.h"

#include <math.h>

// [Datta2018] table 4.1 without its repetitions. Of two repeated sets it gives two deviations: the
// first one is here.
const e1_set k_e1_sets[E1_SETS] = {
    {5e4, 0.25, 0.2, 0.5, 0.700, 0.076},   {1e5, 0.25, 0.2, 0.5, 0.767, 0.062},
    {2.5e5, 0.25, 0.2, 0.5, 0.893, 0.093}, {5e5, 0.25, 0.2, 0.5, 0.935, 0.110},
    {1e6, 0.25, 0.2, 0.5, 1.005, 0.134},   {1e5, 0.48, 0.1, 0.25, 0.892, 0.150},
    {1e5, 0.25, 0.1, 0.25, 0.875, 0.155},  {1e5, 0.1, 0.1, 0.25, 0.864, 0.163},
    {1e5, 0.05, 0.1, 0.25, 0.858, 0.159},  {1e5, 0.48, 0.1, 0.5, 0.790, 0.106},
    {1e5, 0.25, 0.1, 0.5, 0.751, 0.089},   {1e5, 0.1, 0.1, 0.5, 0.722, 0.080},
    {1e5, 0.05, 0.1, 0.5, 0.701, 0.073},   {1e5, 0.48, 0.1, 1.0, 0.690, 0.061},
    {1e5, 0.25, 0.1, 1.0, 0.668, 0.053},   {1e5, 0.1, 0.1, 1.0, 0.661, 0.071},
    {1e5, 0.05, 0.1, 1.0, 0.654, 0.051},   {1e5, 0.25, 0.3, 0.25, 0.933, 0.144},
    {1e5, 0.25, 0.2, 0.25, 0.914, 0.168},  {1e5, 0.25, 0.05, 0.25, 0.842, 0.185},
    {1e5, 0.25, 0.3, 0.5, 0.776, 0.080},   {1e5, 0.25, 0.05, 0.5, 0.743, 0.087},
    {1e5, 0.25, 0.3, 1.0, 0.717, 0.090},   {1e5, 0.25, 0.2, 1.0, 0.699, 0.044},
    {1e5, 0.25, 0.05, 1.0, 0.643, 0.066},  {1e5, 0.48, 0.1, 0.125, 0.983, 0.189},
    {1e5, 0.25, 0.1, 0.125, 0.969, 0.176}, {1e5, 0.1, 0.1, 0.125, 0.958, 0.169},
};

const e1_series k_e1_series[E1_SERIES] = {
    {"young", 0, 5, {0, 1, 2, 3, 4}},        {"poisson-0.25", 1, 4, {8, 7, 6, 5}},
    {"poisson-0.5", 1, 4, {12, 11, 10, 9}},  {"poisson-1", 1, 4, {16, 15, 14, 13}},
    {"beta-0.25", 2, 4, {19, 6, 18, 17}},    {"beta-0.5", 2, 4, {21, 10, 1, 20}},
    {"beta-1", 2, 4, {24, 14, 23, 22}},      {"density-0.48", 3, 4, {25, 5, 9, 13}},
    {"density-0.25", 3, 4, {26, 6, 10, 14}}, {"density-0.1", 3, 4, {27, 7, 11, 15}},
};

const char* const k_e1_measures[E1_MEASURES] = {
    "static_friction", "kinetic_friction", "slope", "onset", "steps", "newton_steps"};

double e1_parameter(const e1_set* set, int parameter) {
    const double values[4] = {set->young, set->poisson, set->beta, set->density};
    return values[parameter];
}

// What slopes are taken over: the logarithm, of Poisson's ratio itself.
static double scale_of(const e1_set* set, int parameter) {
    double value = e1_parameter(set, parameter);
    return parameter == 1 ? value : log(value);
}

// Student's t of 97.5 %.
static double quantile(int freedoms) {
    static const double t[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646,
                               2.3060,  2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448,
                               2.1314,  2.1199, 2.1098, 2.1009, 2.0930, 2.0860};
    int last = (int)(sizeof t / sizeof t[0]);
    return freedoms < 1 ? INFINITY : freedoms <= last ? t[freedoms - 1] : 1.96 + 2.5 / freedoms;
}

e1_mean e1_mean_of(const double* values, int count) {
    e1_mean m = {0};
    double square = 0.0;
    for (int i = 0; i < count; ++i) {
        if (isfinite(values[i])) {
            m.mean += values[i];
            ++m.count;
        }
    }
    m.mean /= m.count;
    for (int i = 0; i < count; ++i) {
        double off = values[i] - m.mean;
        square += isfinite(off) ? off * off : 0.0;
    }
    m.deviation = m.count > 1 ? sqrt(square / (m.count - 1)) : (double)NAN;
    m.half = m.count > 1 ? quantile(m.count - 1) * m.deviation / sqrt(m.count) : (double)NAN;
    return m;
}

static const double* friction_of(const e1_found* found, int set) {
    return found->values[0] + set * found->surface_count;
}

e1_mean e1_friction(const e1_found* found, int set) {
    return e1_mean_of(friction_of(found, set), found->surface_count);
}

// A number per surface, and their mean.
typedef double (*of_surface)(const e1_found*, const e1_series*, int);

static e1_mean over_surfaces(const e1_found* found, const e1_series* series, of_surface get) {
    enum { most = 4096 };
    double values[most];
    int count = found->surface_count < most ? found->surface_count : most;
    for (int i = 0; i < count; ++i) {
        values[i] = get(found, series, i);
    }
    return e1_mean_of(values, count);
}

static double slope_of(const e1_found* found, const e1_series* series, int surface) {
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, n = series->count;
    for (int i = 0; i < series->count; ++i) {
        double at = scale_of(&k_e1_sets[series->sets[i]], series->parameter);
        double value = log(friction_of(found, series->sets[i])[surface]);
        x += at / n;
        y += value / n;
        xx += at * at / n;
        xy += at * value / n;
    }
    return (xy - x * y) / (xx - x * x);
}

e1_mean e1_slope(const e1_found* found, const e1_series* series) {
    return over_surfaces(found, series, slope_of);
}

static double effect_of(const e1_found* found, const e1_series* series, int surface) {
    return friction_of(found, series->sets[series->count - 1])[surface] -
           friction_of(found, series->sets[0])[surface];
}

e1_mean e1_effect(const e1_found* found, const e1_series* series) {
    return over_surfaces(found, series, effect_of);
}

double e1_rank(const e1_found* found, const e1_series* series) {
    double sum = 0.0, n = series->count;
    for (int i = 0; i < series->count; ++i) {
        double rank = 0.0, mean = e1_friction(found, series->sets[i]).mean;
        if (!isfinite(mean)) {
            return (double)NAN;
        }
        for (int k = 0; k < series->count; ++k) {
            rank += e1_friction(found, series->sets[k]).mean < mean ? 1.0 : 0.0;
        }
        sum += (rank - i) * (rank - i);
    }
    return 1.0 - 6.0 * sum / (n * (n * n - 1.0));
}

// Least squares of one surface by the normal equations of centred columns.
static void fit_surface(const e1_found* found, int surface, double out[4]) {
    double a[4][5] = {{0.0}}, middle[5] = {0.0}, row[5];
    for (int pass = 0; pass < 2; ++pass) {
        for (int s = 0; s < E1_SETS; ++s) {
            for (int k = 0; k < 4; ++k) {
                row[k] = scale_of(&k_e1_sets[s], k) - (pass ? middle[k] : 0.0);
            }
            row[4] = log(friction_of(found, s)[surface]) - (pass ? middle[4] : 0.0);
            for (int k = 0; k < 5; ++k) {
                middle[k] += pass ? 0.0 : row[k] / E1_SETS;
                for (int i = 0; pass && i < 4; ++i) {
                    a[i][k] += row[i] * row[k];
                }
            }
        }
    }
    for (int k = 0; k < 4; ++k) { // positive definite: no pivots needed
        for (int i = 0; i < 4; ++i) {
            double factor = i == k ? 0.0 : a[i][k] / a[k][k];
            for (int j = 0; j < 5; ++j) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = a[k][4] / a[k][k];
    }
}

bool e1_fit(const e1_found* found, e1_mean out[4]) {
    enum { most = 4096 };
    static double values[4][most];
    int count = found->surface_count < most ? found->surface_count : most;
    for (int s = 0; s < E1_SETS; ++s) {
        if (!found->is_wanted[s]) {
            return false;
        }
    }
    for (int i = 0; i < count; ++i) {
        double one[4];
        fit_surface(found, i, one);
        for (int k = 0; k < 4; ++k) {
            values[k][i] = one[k];
        }
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = e1_mean_of(values[k], count);
    }
    return true;
}
