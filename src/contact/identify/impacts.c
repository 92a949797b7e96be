// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Rebound over approach: a constant, and a line e = base - slope v where the speeds differ.

#include "contact/identify/kinds.h"
#include "contact/point/impact.h"

static double constant(const void* data, const double* p, double x) {
    (void)data;
    (void)x;
    return p[0];
}

static double line(const void* data, const double* p, double x) {
    return p[0] - p[1] * x / *(const double*)data;
}

double iso_impacts_curve(const double* fit, double x) {
    return fit[0] - fit[1] * x;
}

iso_status iso_identify_impacts(iso_context* ctx, const iso_samples* s,
                                const iso_identify_options* options, iso_identified* out) {
    (void)options;
    double slowest = INFINITY, fastest = 0.0, p[2] = {0.5, 0.0};
    for (int i = 0; i < s->count; ++i) {
        slowest = fmin(slowest, iso_sample(s, 0, i));
        fastest = fmax(fastest, iso_sample(s, 0, i));
    }
    iso_fit_problem problem = {.curve = constant,
                               .data = &fastest,
                               .x = s->column[0],
                               .y = s->column[1],
                               .divisor = s->column[0],
                               .stride = s->stride,
                               .count = s->count,
                               .parameter_count = 1};
    iso_fit_result r;
    iso_status status = iso_fit_refine(ctx, &problem, p, &r);
    if (status != ISO_OK) {
        return status;
    }
    double mean = p[0], e = fmin(fmax(mean, ISO_LEAST_RESTITUTION), 1.0);
    iso_identified_add(out, "restitution", "", mean, mean - iso_fit_width(&r, 0),
                       mean + iso_fit_width(&r, 0));
    double low = fmin(fmax(mean + iso_fit_width(&r, 0), ISO_LEAST_RESTITUTION), 1.0);
    double high = fmin(fmax(mean - iso_fit_width(&r, 0), ISO_LEAST_RESTITUTION), 1.0);
    iso_identified_add(out, "damping_factor", "", iso_damping_factor(e, NULL),
                       iso_damping_factor(low, NULL), iso_damping_factor(high, NULL));
    out->fit[0] = mean;
    out->residual = r.residual;
    if (s->count < 3 || fastest - slowest < 0.01 * fastest) {
        return ISO_OK; // one speed says nothing of a slope
    }
    problem.curve = line;
    problem.parameter_count = 2;
    status = iso_fit_refine(ctx, &problem, p, &r);
    if (status != ISO_OK) {
        return status;
    }
    double slope = p[1] / fastest, wide = iso_fit_width(&r, 1) / fastest;
    iso_identified_add(out, "restitution_at_rest", "", p[0], p[0] - iso_fit_width(&r, 0),
                       p[0] + iso_fit_width(&r, 0));
    iso_identified_add(out, "restitution_loss", "s/m", slope, slope - wide, slope + wide);
    out->fit[0] = p[0], out->fit[1] = slope;
    out->residual = r.residual;
    return ISO_OK;
}
