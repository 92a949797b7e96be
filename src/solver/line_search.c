// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/line_search.h"

#include <math.h>

// A bracket no wider than this is a point. What dry friction of a joint holds is 1e-6 of what it
// slows in a step, and may be 1e-10 of a line.
#define SMALLEST_BRACKET 1e-12
// A bend is found to a part of that, so that both its sides make a point; and what is smooth to
// such a share of the slope that is enough.
#define BEND_WIDTH 0.25e-12
#define BEND_SHARE 0.1

// A search for where the slope vanishes.
typedef struct search {
    const iso_line* line;
    double slope_at_zero, enough;
    double low, high; // the slope is negative at one, not so at the other
} search;

// A line whose smooth part is a parabola: its slope at alpha.
typedef struct parabola {
    double alpha, slope, curvature;
} parabola;

// What is not bent, as at a point; by the secant from zero where its curvature is not known.
static parabola find_smooth(const search* s, const iso_line_point* at) {
    iso_line_point bent = s->line->bent(s->line->user, at->alpha);
    parabola smooth = {at->alpha, at->slope - bent.slope, at->curvature - bent.curvature};
    if (at->curvature <= 0.0) {
        double first = s->slope_at_zero - s->line->bent(s->line->user, 0.0).slope;
        smooth.curvature = (smooth.slope - first) / at->alpha;
    }
    smooth.curvature = fmax(smooth.curvature, 0.0);
    return smooth;
}

// Where a parabola and the bent part are least together. At a bend that is the side of it where
// nothing was evaluated yet.
static double follow_bends(const search* s, const iso_line_point* at) {
    parabola smooth = find_smooth(s, at);
    double low = s->low, high = s->high;
    while (high - low > BEND_WIDTH) {
        double alpha = 0.5 * (low + high);
        double slope = smooth.slope + smooth.curvature * (alpha - smooth.alpha) +
                       s->line->bent(s->line->user, alpha).slope;
        if (fabs(slope) <= BEND_SHARE * s->enough || !(low < alpha && alpha < high)) {
            return alpha;
        }
        low = slope < 0.0 ? alpha : low;
        high = slope < 0.0 ? high : alpha;
    }
    bool is_low_seen = at->slope < 0.0 || low == s->low;
    return is_low_seen ? high : low;
}

// Where Newton's method goes from a point, or the secant from zero where it has no curvature; the
// middle when that leaves the bracket.
static double next_alpha(const search* s, const iso_line_point* at) {
    double alpha = s->line->bent ? follow_bends(s, at)
                   : at->curvature > 0.0
                       ? at->alpha - at->slope / at->curvature
                       : at->alpha * s->slope_at_zero / (s->slope_at_zero - at->slope);
    bool is_inside = alpha > s->low && alpha < s->high;
    return is_inside ? alpha : 0.5 * (s->low + s->high);
}

// Beyond a kink the slope may be small and yet all that went down be lost again.
static bool is_open(const iso_line_point* at, double enough) {
    return fabs(at->slope) > enough || (at->slope > 0.0 && at->value > 0.0);
}

iso_line_point iso_line_search(const iso_line* line, double slope_at_zero, double descent,
                               double tolerance, int max_evaluations, int* out_evaluations) {
    search s = {line, slope_at_zero, tolerance * fabs(slope_at_zero), 0.0, 1.0};
    double last_slope = fabs(slope_at_zero), last_width = 1.0;
    iso_line_point at = line->fn(line->user, 1.0);
    int count = 1;
    bool is_descent = at.slope < 0.0 || at.value <= descent * slope_at_zero;
    if (descent > 0.0 && is_descent) {
        *out_evaluations += count;
        return at;
    }
    if (at.slope < -s.enough) {
        s.low = 1.0;
        s.high = ISO_LINE_LONGEST;
        at = line->fn(line->user, ISO_LINE_LONGEST);
        ++count;
        if (at.slope <= 0.0) {
            s.high = s.low;
        }
    }
    while (is_open(&at, s.enough) && s.high - s.low > SMALLEST_BRACKET && count < max_evaluations) {
        // A step must halve the slope, or the bracket where it followed bends, else bisect: kinks
        // could make it crawl.
        double width = s.high - s.low;
        bool is_slow =
            fabs(at.slope) > 0.5 * last_slope && (!line->bent || width > 0.5 * last_width);
        last_slope = fabs(at.slope);
        last_width = width;
        double alpha = is_slow && count > 2 ? 0.5 * (s.low + s.high) : next_alpha(&s, &at);
        at = line->fn(line->user, alpha);
        ++count;
        if (at.slope < 0.0) {
            s.low = alpha;
        } else {
            s.high = alpha;
        }
    }
    *out_evaluations += count;
    return at;
}
