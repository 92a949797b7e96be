// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/line_search.h"

#include <math.h>

// A bracket no wider than this is a point. What dry friction of a joint holds is 1e-6 of what it
// slows in a step, and may be 1e-10 of a line.
#define SMALLEST_BRACKET 1e-12

// Where Newton's method goes from a point, or the secant from zero where it has no curvature; the
// middle when that leaves the bracket.
static double next_alpha(const iso_line_point* at, double slope_at_zero, double low, double high) {
    double newton = at->curvature > 0.0 ? at->alpha - at->slope / at->curvature
                                        : at->alpha * slope_at_zero / (slope_at_zero - at->slope);
    bool is_inside = newton > low && newton < high;
    return is_inside ? newton : 0.5 * (low + high);
}

// Beyond a kink the slope may be small and yet all that went down be lost again.
static bool is_open(const iso_line_point* at, double enough) {
    return fabs(at->slope) > enough || (at->slope > 0.0 && at->value > 0.0);
}

iso_line_point iso_line_search(iso_line_fn fn, const void* user, double slope_at_zero,
                               double descent, double tolerance, int max_evaluations,
                               int* out_evaluations) {
    double enough = tolerance * fabs(slope_at_zero);
    double low = 0.0, high = 1.0;
    double last_slope = fabs(slope_at_zero);
    iso_line_point at = fn(user, 1.0);
    int count = 1;
    bool is_descent = at.slope < 0.0 || at.value <= descent * slope_at_zero;
    if (descent > 0.0 && is_descent) {
        *out_evaluations += count;
        return at;
    }
    if (at.slope < -enough) {
        low = 1.0;
        high = ISO_LINE_LONGEST;
        at = fn(user, ISO_LINE_LONGEST);
        ++count;
        if (at.slope <= 0.0) {
            high = low;
        }
    }
    while (is_open(&at, enough) && high - low > SMALLEST_BRACKET && count < max_evaluations) {
        // Newton must halve the slope, else bisect: kinks could make it crawl.
        bool is_slow = fabs(at.slope) > 0.5 * last_slope;
        last_slope = fabs(at.slope);
        double alpha =
            is_slow && count > 2 ? 0.5 * (low + high) : next_alpha(&at, slope_at_zero, low, high);
        at = fn(user, alpha);
        ++count;
        if (at.slope < 0.0) {
            low = alpha;
        } else {
            high = alpha;
        }
    }
    *out_evaluations += count;
    return at;
}
