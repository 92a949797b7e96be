// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Several drives of one joint whose sum is bounded. docs/theory/multibody.md.

#include "stepper/constraints/joint_potential.h"

#include "math/limits.h"

#include <math.h>

static double whole_effort(const iso_drive* first, double v) {
    double effort = 0.0;
    for (const iso_drive* drive = first; drive; drive = drive->next) {
        effort += iso_drive_effort(drive, v);
    }
    return effort;
}

// Velocity at which a drive reaches an effort, one of its bounds.
static double velocity_of(const iso_drive* drive, double effort) {
    return (drive->start - effort) / drive->gain;
}

// Slope, downwards, of the sum between two velocities where no drive reaches a bound.
static double slope_between(const iso_drive* first, double from, double to) {
    double slope = 0.0;
    for (const iso_drive* drive = first; drive; drive = drive->next) {
        bool is_bounded = drive->gain == 0.0 || velocity_of(drive, drive->upper) > from ||
                          velocity_of(drive, drive->lower) < to;
        slope += is_bounded ? 0.0 : drive->gain;
    }
    return slope;
}

// Velocity at which the sum, which falls and is linear from one bound of a drive to the next,
// reaches an effort. -+INFINITY: it is below, or above, everywhere.
static double find_velocity(const iso_drive* first, double effort) {
    double from = -INFINITY, to = INFINITY;
    for (const iso_drive* drive = first; drive; drive = drive->next) {
        const double bounds[] = {drive->lower, drive->upper};
        for (int i = 0; drive->gain > 0.0 && i < 2; ++i) {
            double v = velocity_of(drive, bounds[i]);
            if (isfinite(v) && whole_effort(first, v) >= effort) {
                from = fmax(from, v);
            } else if (isfinite(v)) {
                to = fmin(to, v);
            }
        }
    }
    double at = isfinite(from) ? from : isfinite(to) ? to : 0.0;
    double above = whole_effort(first, at) - effort, slope = slope_between(first, from, to);
    if (slope > 0.0) {
        return iso_clamp(at + above / slope, from, to);
    }
    return above >= 0.0 ? to : from;
}

iso_drive_sum iso_drive_sum_make(const iso_drive* first, double lower, double upper) {
    double v_upper = find_velocity(first, upper);
    return (iso_drive_sum){.dof = first->dof,
                           .first = first,
                           .lower = lower,
                           .upper = upper,
                           .v_upper = v_upper,
                           .v_lower = fmax(find_velocity(first, lower), v_upper)};
}

double iso_drive_sum_effort(const iso_drive_sum* sum, double v) {
    return iso_clamp(whole_effort(sum->first, v), sum->lower, sum->upper);
}

// Value at one velocity relative to another, between v_upper and v_lower.
static double value_between(const iso_drive_sum* sum, double from, double to) {
    double value = 0.0;
    for (const iso_drive* drive = sum->first; drive; drive = drive->next) {
        value += iso_drive_value(drive, to) - iso_drive_value(drive, from);
    }
    return value;
}

// -dt times the integral of the effort from v = 0.
static double value_of(const iso_drive_sum* sum, double v) {
    double from = iso_clamp(0.0, sum->v_upper, sum->v_lower);
    double to = iso_clamp(v, sum->v_upper, sum->v_lower);
    double dt = sum->first->dt;
    if (from == to) {
        return -dt * iso_drive_sum_effort(sum, v) * v;
    }
    double outside = (to < v   ? sum->lower * (v - to)
                      : to > v ? sum->upper * (v - to)
                               : 0.0) -
                     (from < 0.0   ? sum->lower * -from
                      : from > 0.0 ? sum->upper * -from
                                   : 0.0);
    return value_between(sum, from, to) - dt * outside;
}

static double eval_sum(const void* user, const double* u, double* out_gradient,
                       double* out_hessian) {
    const iso_drive_sum* sum = user;
    out_gradient[0] = -sum->first->dt * iso_drive_sum_effort(sum, u[0]);
    out_hessian[0] = 0.0;
    bool is_free = u[0] > sum->v_upper && u[0] < sum->v_lower;
    for (const iso_drive* drive = sum->first; is_free && drive; drive = drive->next) {
        out_hessian[0] += iso_drive_curvature(drive, u[0]);
    }
    return value_of(sum, u[0]);
}

static void line_sum(const void* user, const double* u, const double* du, double alpha,
                     double* out_value, double* out_slope, double* out_curvature) {
    iso_potential_line_1(eval_sum, user, u, du, alpha, out_value, out_slope, out_curvature);
}

const iso_potential_ops iso_drive_sum_ops = {eval_sum, line_sum, NULL};
