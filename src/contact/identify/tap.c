// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A small tap on a body at rest: x'' + g sigma_1 x' + g sigma_0 x = 0 about its place of rest.
// [Gonthier2007] (3.47-3.50). Under-, over- and critically damped alike.

#include "contact/identify/kinds.h"

#include <math.h>

typedef struct tap {
    double load, begin, size; ///< acceleration g, first time, size of the motion
    double rate, damping;     ///< w, zeta of the linear search
} tap;

// Solutions that start with (1, 0) and with (0, w): what they are after t.
static void responses(double w, double zeta, double t, double* out_place, double* out_push) {
    double a = zeta * w, square = a * a - w * w, b = sqrt(fabs(square));
    double decay = exp(-a * t), even = decay, odd = decay * t;
    if (square < 0.0) {
        even *= cos(b * t);
        odd = b * t > 1e-8 ? decay * sin(b * t) / b : odd;
    } else if (square > 0.0) {
        double slow = exp((b - a) * t), fast = exp(-(b + a) * t);
        even = 0.5 * (slow + fast);
        odd = b * t > 1e-8 ? 0.5 * (slow - fast) / b : odd;
    }
    *out_place = even + a * odd;
    *out_push = w * odd;
}

// p: ln sigma_0, ln sigma_1, rest, place and push over the size.
static double curve(const void* data, const double* p, double x) {
    const tap* d = data;
    double w = sqrt(d->load * exp(p[0])), zeta = 0.5 * d->load * exp(p[1]) / w, place, push;
    responses(w, zeta, x - d->begin, &place, &push);
    return d->size * (p[2] + p[3] * place + p[4] * push);
}

static void terms(const void* data, double x, double* out) {
    const tap* d = data;
    out[0] = d->size;
    responses(d->rate, d->damping, x - d->begin, &out[1], &out[2]);
    out[1] *= d->size;
    out[2] *= d->size;
}

double iso_tap_curve(const double* fit, double x) {
    double place, push; // fit: w, zeta, begin, rest, place, push
    responses(fit[0], fit[1], x - fit[2], &place, &push);
    return fit[3] + fit[4] * place + fit[5] * push;
}

// The best of a grid of rates and dampings; what is linear is solved for.
static double search(const iso_fit_problem* problem, tap* d, double lowest, double highest,
                     double* p) {
    static const double dampings[] = {0.01, 0.05, 0.15, 0.4, 0.8, 1.0, 1.3, 3.0, 10.0};
    double best = INFINITY;
    for (double w = lowest; w <= highest; w *= 1.08) {
        for (size_t k = 0; k < sizeof dampings / sizeof dampings[0]; ++k) {
            double weights[4];
            d->rate = w;
            d->damping = dampings[k];
            double cost = iso_fit_linear(problem, terms, d, 3, weights);
            if (cost < best) {
                best = cost;
                p[0] = log(w * w / d->load);
                p[1] = log(2.0 * d->damping * w / d->load);
                p[2] = weights[0], p[3] = weights[1], p[4] = weights[2];
            }
        }
    }
    return best;
}

iso_status iso_identify_tap(iso_context* ctx, const iso_samples* s,
                            const iso_identify_options* options, iso_identified* out) {
    tap d = {.load = options->load_acceleration > 0.0 ? options->load_acceleration : 9.81,
             .begin = iso_sample(s, 0, 0)};
    double lowest = iso_sample(s, 1, 0), highest = lowest;
    for (int i = 0; i < s->count; ++i) {
        lowest = fmin(lowest, iso_sample(s, 1, i));
        highest = fmax(highest, iso_sample(s, 1, i));
    }
    d.size = fmax(highest - lowest, 1e-300);
    double duration = iso_sample(s, 0, s->count - 1) - d.begin, p[5] = {0.0};
    iso_fit_problem problem = {.curve = curve,
                               .data = &d,
                               .x = s->column[0],
                               .y = s->column[1],
                               .stride = s->stride,
                               .count = s->count,
                               .parameter_count = 5};
    search(&problem, &d, 1.0 / duration, 3.2 * s->count / duration, p);
    iso_fit_result r;
    iso_status status = iso_fit_refine(ctx, &problem, p, &r);
    if (status != ISO_OK) {
        return status;
    }
    double stiffness = exp(p[0]), damping = exp(p[1]), w = sqrt(d.load * stiffness);
    double zeta = 0.5 * d.load * damping / w;
    iso_identified_add(out, "bristle_stiffness", "1/m", stiffness,
                       stiffness * exp(-iso_fit_width(&r, 0)),
                       stiffness * exp(iso_fit_width(&r, 0)));
    iso_identified_add(out, "bristle_damping", "s/m", damping, damping * exp(-iso_fit_width(&r, 1)),
                       damping * exp(iso_fit_width(&r, 1)));
    out->fit[0] = w, out->fit[1] = zeta, out->fit[2] = d.begin;
    for (int k = 0; k < 3; ++k) {
        out->fit[3 + k] = d.size * p[2 + k];
    }
    out->residual = r.residual;
    return ISO_OK;
}
