// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Friction over normal force of steady slides: mu_C + (mu_S - mu_C) exp(-v^2 / v_s^2) + sigma_2 v.

#include "contact/identify/kinds.h"

#include <math.h>

static double falling(double speed, double stribeck) {
    double ratio = speed / stribeck;
    return exp(-ratio * ratio);
}

// p: mu_C, mu_S - mu_C, ln of v_s over the largest speed, sigma_2 times it.
static double curve(const void* data, const double* p, double x) {
    double largest = *(const double*)data, speed = fabs(x);
    return p[0] + p[1] * falling(speed, largest * exp(p[2])) + p[3] * speed / largest;
}

typedef struct basis {
    double largest, stribeck;
} basis;

static void terms(const void* data, double x, double* out) {
    const basis* b = data;
    out[0] = 1.0;
    out[1] = falling(fabs(x), b->stribeck);
    out[2] = fabs(x) / b->largest;
}

double iso_sliding_curve(const double* fit, double x) {
    return fit[0] + fit[1] * falling(fabs(x), fit[2]) + fit[3] * fabs(x);
}

iso_status iso_identify_sliding(iso_context* ctx, const iso_samples* s,
                                const iso_identify_options* options, iso_identified* out) {
    (void)options;
    double largest = 0.0, p[4] = {0.0}, best = INFINITY;
    for (int i = 0; i < s->count; ++i) {
        largest = fmax(largest, fabs(iso_sample(s, 0, i)));
    }
    iso_fit_problem problem = {.curve = curve,
                               .data = &largest,
                               .x = s->column[0],
                               .y = s->column[1],
                               .divisor = s->column[2],
                               .stride = s->stride,
                               .count = s->count,
                               .parameter_count = 4};
    for (double scale = 1.0; scale > 1e-4; scale *= 0.9) {
        basis b = {largest, largest * scale};
        double weights[4], cost = iso_fit_linear(&problem, terms, &b, 3, weights);
        if (cost < best) {
            best = cost;
            p[0] = weights[0], p[1] = weights[1], p[2] = log(scale), p[3] = weights[2];
        }
    }
    iso_fit_result r;
    iso_status status = iso_fit_refine(ctx, &problem, p, &r);
    if (status != ISO_OK) {
        return status;
    }
    double stribeck = largest * exp(p[2]), viscous = p[3] / largest;
    double wide = iso_fit_width(&r, 3) / largest, sum = p[0] + p[1];
    iso_identified_add(out, "friction_dynamic", "", p[0], p[0] - iso_fit_width(&r, 0),
                       p[0] + iso_fit_width(&r, 0));
    double both = iso_fit_width_of(&r, (const double[ISO_IDENTIFIED_MAX]){1.0, 1.0});
    iso_identified_add(out, "friction_static", "", sum, sum - both, sum + both);
    iso_identified_add(out, "stribeck_speed", "m/s", stribeck,
                       stribeck * exp(-iso_fit_width(&r, 2)), stribeck * exp(iso_fit_width(&r, 2)));
    iso_identified_add(out, "viscous", "s/m", viscous, viscous - wide, viscous + wide);
    out->fit[0] = p[0], out->fit[1] = p[1], out->fit[2] = stribeck, out->fit[3] = viscous;
    out->residual = r.residual;
    return ISO_OK;
}
