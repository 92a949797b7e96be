// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Force over depth: f = k (depth - zero)^p, quasi-static. The zero of the depth is fitted, too, as
// no measurement knows where touch began.

#include "contact/identify/kinds.h"

#include "base/core/fail.h"

#include <math.h>

// p: ln of the force at the scale of depth, zero over that scale, exponent - 1.
typedef struct indentation {
    double scale, exponent; ///< exponent 0: fitted
} indentation;

static double curve(const void* data, const double* p, double x) {
    const indentation* d = data;
    double exponent = d->exponent > 0.0 ? d->exponent : 1.0 + fabs(p[2]);
    double pressed = x / d->scale - p[1];
    return pressed > 0.0 ? exp(p[0]) * pow(pressed, exponent) : 0.0;
}

double iso_indentation_curve(const double* fit, double x) {
    double pressed = x - fit[1];
    return pressed > 0.0 ? fit[0] * pow(pressed, fit[2]) : 0.0;
}

// Whether force grows with depth, by and large.
static bool is_rising(const iso_samples* s) {
    double x = 0.0, y = 0.0, sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        x += iso_sample(s, 0, i) / s->count;
        y += iso_sample(s, 1, i) / s->count;
    }
    for (int i = 0; i < s->count; ++i) {
        sum += (iso_sample(s, 0, i) - x) * (iso_sample(s, 1, i) - y);
    }
    return sum > 0.0;
}

iso_status iso_identify_indentation(iso_context* ctx, const iso_samples* s,
                                    const iso_identify_options* options, iso_identified* out) {
    ISO_REQUIRE(ctx, is_rising(s), ISO_ERR_RANGE,
                "force falls where depth grows, expected depth positive into the body and force "
                "positive where it presses");
    indentation d = {.exponent = options->exponent};
    double force = 0.0, start[3] = {0.0, 0.0, 0.5}, p[3], best = INFINITY;
    for (int i = 0; i < s->count; ++i) {
        d.scale = fmax(d.scale, fabs(iso_sample(s, 0, i)));
        force = fmax(force, iso_sample(s, 1, i));
    }
    iso_fit_problem problem = {.curve = curve,
                               .data = &d,
                               .x = s->column[0],
                               .y = s->column[1],
                               .stride = s->stride,
                               .count = s->count,
                               .parameter_count = d.exponent > 0.0 ? 2 : 3};
    // A coarse search for the zero keeps the first steps out of the flat of no contact.
    for (int zero = -10; zero <= 9; ++zero) {
        for (int bend = 0; bend < (d.exponent > 0.0 ? 1 : 8); ++bend) {
            double exponent = d.exponent > 0.0 ? d.exponent : 1.0 + 0.25 * bend;
            double try_p[3] = {log(force) - exponent * log(1.0 - 0.1 * zero), 0.1 * zero,
                               0.25 * bend + 1e-3};
            double cost = iso_fit_cost(&problem, try_p);
            if (cost < best) {
                best = cost;
                start[0] = try_p[0];
                start[1] = try_p[1];
                start[2] = try_p[2];
            }
        }
    }
    p[0] = start[0], p[1] = start[1], p[2] = start[2];
    iso_fit_result r;
    iso_status status = iso_fit_refine(ctx, &problem, p, &r);
    if (status != ISO_OK) {
        return status;
    }
    double exponent = d.exponent > 0.0 ? d.exponent : 1.0 + fabs(p[2]);
    double k = exp(p[0]) / pow(d.scale, exponent), zero = p[1] * d.scale;
    // ln k = ln of the force at the scale, less the exponent times the scale's.
    double far = d.exponent > 0.0 ? 0.0 : -log(d.scale) * copysign(1.0, p[2]);
    double wide = iso_fit_width_of(&r, (const double[ISO_IDENTIFIED_MAX]){1.0, 0.0, far});
    iso_identified_add(out, "stiffness", "N/m^p", k, k * exp(-wide), k * exp(wide));
    double bend = d.exponent > 0.0 ? 0.0 : iso_fit_width(&r, 2);
    iso_identified_add(out, "exponent", "", exponent, exponent - bend, exponent + bend);
    double shift = iso_fit_width(&r, 1) * d.scale;
    iso_identified_add(out, "depth_offset", "m", zero, zero - shift, zero + shift);
    out->fit[0] = k, out->fit[1] = zero, out->fit[2] = exponent;
    out->residual = r.residual;
    return ISO_OK;
}
