// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Taxels from presses in the order of time: reading = offset + gain play(pressure). For a width of
// the loop the other two are a line; the width is searched, since readings have kinks in it.

#include "base/core/fail.h"
#include "contact/identify/kinds.h"
#include "math/dense.h"

#include <string.h>

enum { LEAST_PRESSES = 8, WIDTHS = 200, ROUNDS = 5, PARAMETERS = 3 };

double iso_presses_curve(const double* fit, double x) {
    return fit[1] + fit[0] * x;
}

typedef struct press_line {
    double gain, offset, cost; // cost: sum of squares
} press_line;

// The best line of readings over play(pressure), and what it leaves.
static press_line fit_line(const iso_samples* s, double width) {
    double mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0, at = 0.0;
    for (int i = 0; i < s->count; ++i) {
        at = iso_play(at, iso_sample(s, 0, i), width);
        mean_x += at / s->count;
        mean_y += iso_sample(s, 1, i) / s->count;
    }
    at = 0.0;
    for (int i = 0; i < s->count; ++i) {
        at = iso_play(at, iso_sample(s, 0, i), width);
        xx += (at - mean_x) * (at - mean_x);
        xy += (at - mean_x) * (iso_sample(s, 1, i) - mean_y);
    }
    press_line line = {.gain = xx > 0.0 ? xy / xx : 0.0};
    line.offset = mean_y - line.gain * mean_x;
    at = 0.0;
    for (int i = 0; i < s->count; ++i) {
        at = iso_play(at, iso_sample(s, 0, i), width);
        double left = iso_sample(s, 1, i) - line.offset - line.gain * at;
        line.cost += left * left;
    }
    return line;
}

// Of 0 to `most`, each round a hundred times finer.
static double find_width(const iso_samples* s, double most) {
    double low = 0.0, high = most, best = 0.0;
    for (int round = 0; round < ROUNDS; ++round) {
        double pitch = (high - low) / WIDTHS, least = INFINITY;
        for (int i = 0; i <= WIDTHS; ++i) {
            double width = fmin(low + i * pitch, high), cost = fit_line(s, width).cost;
            best = cost < least ? width : best;
            least = fmin(least, cost);
        }
        low = fmax(best - pitch, 0.0);
        high = fmin(best + pitch, most);
    }
    return best;
}

// Variances of gain times `scale`, offset, width over `scale` times gain, over that of the noise.
// @return false where the presses do not determine them
static bool find_variances(const iso_samples* s, double width, double scale,
                           double variances[PARAMETERS]) {
    double normal[PARAMETERS * PARAMETERS] = {0}, at = 0.0, slope = 0.0;
    for (int i = 0; i < s->count; ++i) {
        double p = iso_sample(s, 0, i), next = iso_play(at, p, width);
        if (next != at || fabs(p - at) >= width) {
            slope = next < p ? -1.0 : 1.0; // it is pushed, or pulled
        }
        at = next;
        const double row[PARAMETERS] = {at / scale, 1.0, slope};
        for (int a = 0; a < PARAMETERS; ++a) {
            for (int b = a; b < PARAMETERS; ++b) {
                normal[a * PARAMETERS + b] += row[a] * row[b] / s->count;
            }
        }
    }
    if (!iso_cholesky_factor(normal, PARAMETERS, PARAMETERS)) {
        return false;
    }
    for (int k = 0; k < PARAMETERS; ++k) {
        double column[PARAMETERS] = {0};
        column[k] = 1.0;
        iso_cholesky_solve(normal, PARAMETERS, PARAMETERS, column);
        variances[k] = column[k] / s->count;
        if (!(variances[k] * s->count < 1e10)) {
            return false;
        }
    }
    return true;
}

// chi^2 over its freedom at a quantile z of the normal distribution, by Wilson and Hilferty.
static double chi_squared(int freedom, double z) {
    double share = 2.0 / (9.0 * freedom), root = fmax(1.0 - share + z * sqrt(share), 0.0);
    return root * root * root;
}

iso_status iso_identify_presses(iso_context* ctx, const iso_samples* s,
                                const iso_identify_options* options, iso_identified* out) {
    (void)options;
    ISO_REQUIRE(ctx, s->count >= LEAST_PRESSES, ISO_ERR_RANGE,
                "there are %d samples, expected at least %d", s->count, LEAST_PRESSES);
    double low = iso_sample(s, 0, 0), high = low;
    for (int i = 1; i < s->count; ++i) {
        low = fmin(low, iso_sample(s, 0, i));
        high = fmax(high, iso_sample(s, 0, i));
    }
    double width = find_width(s, 0.5 * (high - low)), variances[PARAMETERS];
    press_line line = fit_line(s, width);
    ISO_REQUIRE(ctx, line.gain != 0.0 && find_variances(s, width, high - low, variances),
                ISO_ERR_NO_CONVERGENCE, "%s",
                "the presses do not determine gain and hysteresis, expected pressures that rise "
                "and fall and readings that follow them");
    int freedom = s->count - PARAMETERS;
    double noise = sqrt(line.cost / freedom), wide = iso_student_95(freedom) * noise;
    double of_gain = wide * sqrt(variances[0]) / (high - low);
    double of_offset = wide * sqrt(variances[1]);
    double of_width = wide * sqrt(variances[2]) / fabs(line.gain);
    iso_identified_add(out, "gain", "1/Pa", line.gain, line.gain - of_gain, line.gain + of_gain);
    iso_identified_add(out, "offset", "", line.offset, line.offset - of_offset,
                       line.offset + of_offset);
    iso_identified_add(out, "hysteresis", "Pa", width, fmax(width - of_width, 0.0),
                       width + of_width);
    iso_identified_add(out, "noise", "", noise, noise / sqrt(chi_squared(freedom, 1.959964)),
                       noise / sqrt(chi_squared(freedom, -1.959964)));
    out->fit[0] = line.gain;
    out->fit[1] = line.offset;
    out->residual = sqrt(line.cost / s->count);
    return ISO_OK;
}
