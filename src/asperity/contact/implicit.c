// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/barrier.h"
#include "asperity/contact/system.h"

#include <string.h>

/// Share of a distance that a move leaves at least.
#define KEEP 0.2
/// Share of the linear decrease that a move must bring.
#define ARMIJO 1e-4
/// Rounding of the potential, over the sum of its parts' sizes: differences below are noise.
#define ROUNDING 1e-14

/// Newton steps for which a Hessian that was not positive definite is not tried again.
#define EXACT_RESTS 2

static double largest(const double* a, int n) {
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i]));
    }
    return most;
}

// Sum up the Hessian at s->x and factor it.
static iso_status factor(iso_elastic_system* s, bool project) {
    iso_status status = iso_elastic_system_hessian(s, s->x, project);
    return status == ISO_OK ? iso_sparse_factor(&s->sparse, s->fixed) : status;
}

// The Newton direction at s->x. Projection makes soft directions stiff, and convergence slow just
// before the bodies snap, so the exact Hessian is tried first; where it was not positive definite
// it rests for a while.
// @param out_slope  derivative of the potential along the direction
static iso_status find_direction(iso_elastic_system* s, int* rest, double* out_slope) {
    iso_status status = *rest > 0 ? ISO_ERR_NO_CONVERGENCE : factor(s, false);
    if (status == ISO_ERR_NO_CONVERGENCE) {
        *rest = *rest > 0 ? *rest - 1 : EXACT_RESTS;
        status = factor(s, true);
    }
    if (status != ISO_OK) {
        return iso_fail(s->ctx, status, __func__, "the matrix of a Newton step has no factor");
    }
    iso_elastic_system_gradient(s, s->x, s->gradient);
    for (int i = 0; i < s->size; ++i) {
        s->direction[i] = -s->gradient[i];
    }
    iso_sparse_solve(&s->sparse, s->direction);
    *out_slope = 0.0;
    for (int i = 0; i < s->size; ++i) {
        *out_slope += s->gradient[i] * s->direction[i];
    }
    return ISO_OK;
}

// Move along the direction as far as nothing collides and the potential falls.
static iso_status move(iso_elastic_system* s, double slope, bool* out_stuck) {
    iso_status status = iso_skin_find_pairs(&s->skin, s->x, s->direction, s->law.reach);
    if (status != ISO_OK) {
        return iso_fail(s->ctx, status, __func__, "pairs");
    }
    double share = iso_skin_free_share(&s->skin, s->x, s->direction, KEEP);
    double before = iso_elastic_system_value(s, s->x), noise = ROUNDING * s->parts;
    for (int i = 0; i < 60; ++i, share *= 0.5) {
        for (int k = 0; k < s->size; ++k) {
            s->trial[k] = s->x[k] + share * s->direction[k];
        }
        double after = iso_elastic_system_value(s, s->trial);
        if (after <= before + ARMIJO * share * slope + noise) {
            memcpy(s->x, s->trial, (size_t)s->size * sizeof(double));
            *out_stuck = false;
            return ISO_OK;
        }
    }
    *out_stuck = true;
    return ISO_OK;
}

// Minimum for the friction as it is held. The last, short direction is taken too.
static iso_status minimise(iso_elastic_system* s, const iso_implicit_options* o,
                           iso_implicit_report* report) {
    double most = INFINITY;
    int rest = 0;
    for (int i = 0; i < o->max_newton; ++i) {
        double slope = 0.0;
        bool is_stuck = false;
        iso_status status = find_direction(s, &rest, &slope);
        if (status != ISO_OK) {
            return status;
        }
        ++report->newton_count;
        most = largest(s->direction, s->size);
        ISO_REQUIRE(s->ctx, isfinite(most), ISO_ERR_NO_CONVERGENCE,
                    "a Newton direction is not finite after %d steps", i);
        status = move(s, slope, &is_stuck);
        if (status != ISO_OK) {
            return status;
        }
        if (most <= o->tolerance) {
            return ISO_OK;
        }
        ISO_REQUIRE(s->ctx, !is_stuck, ISO_ERR_NO_CONVERGENCE,
                    "no descent along a Newton direction of %g m, expected at most %g m", most,
                    o->tolerance);
    }
    return iso_fail(s->ctx, ISO_ERR_NO_CONVERGENCE, __func__,
                    "the last Newton direction is %g m after %d steps, expected at most %g m", most,
                    o->max_newton, o->tolerance);
}

// Brings friction up to date and tells how far out of balance that is.
static iso_status renew_friction(iso_elastic_system* s, double* out_error) {
    iso_status status = iso_elastic_system_lag(s, s->x);
    if (status != ISO_OK) {
        return iso_fail(s->ctx, status, __func__, "friction of %d pairs", s->skin.pairs.count);
    }
    double limits = 0.0;
    for (int i = 0; i < s->lagged.count; ++i) {
        limits += s->lagged.data[i].limit;
    }
    iso_elastic_system_gradient(s, s->x, s->gradient);
    double off = largest(s->gradient, s->size);
    *out_error = limits > 0.0 ? off / limits : 0.0;
    return ISO_OK;
}

static void fill_report(iso_elastic_system* s, iso_implicit_report* report) {
    int d = s->e->dimension;
    double reach = s->law.reach * s->law.reach, least = INFINITY;
    for (int i = 0; i < s->skin.pairs.count; ++i) {
        double squared = iso_gap_measure(d, &s->skin.pairs.data[i], s->x).squared;
        report->pair_count += squared < reach;
        least = squared < reach ? fmin(least, squared) : least;
    }
    report->least_gap = sqrt(least);
    for (int part = 0; part < 2; ++part) {
        double* sums = part ? report->tangential : report->normal;
        iso_elastic_system_contact_gradient(s, s->x, part == 1, s->trial);
        for (int i = 0; i < s->size; ++i) {
            sums[i % d] -= s->skin.body_of.data[i / d] > 0 ? s->trial[i] : 0.0;
        }
    }
}

static iso_status solve(iso_elastic_system* s, const iso_implicit_options* o,
                        iso_implicit_report* report) {
    iso_status status = ISO_OK;
    ISO_TRY(iso_elastic_system_begin(s, o->step));
    ISO_TRY(iso_skin_find_pairs(&s->skin, s->x, NULL, s->law.reach));
    ISO_TRY(iso_elastic_system_lag(s, s->x));
    for (int i = 0; i < o->max_lags; ++i) {
        ISO_TRY(minimise(s, o, report));
        report->lag_count = i + 1;
        ISO_TRY(renew_friction(s, &report->lag_error));
        if (report->lag_error <= o->lag_tolerance) {
            break;
        }
    }

done:
    return status;
}

iso_status iso_elastic_system_step(iso_elastic_system* s, const iso_implicit_options* o,
                                   iso_implicit_report* out_report) {
    ISO_REQUIRE(s->ctx, isfinite(o->step) && o->step > 0.0, ISO_ERR_RANGE,
                "the step is %g s, expected finite and > 0", o->step);
    *out_report = (iso_implicit_report){0};
    iso_status status = solve(s, o, out_report);
    if (status != ISO_OK) {
        memcpy(s->x, s->begin, (size_t)s->size * sizeof(double));
        return status;
    }
    fill_report(s, out_report);
    for (int i = 0; i < s->size; ++i) {
        s->v[i] = (s->x[i] - s->begin[i]) / o->step;
    }
    return ISO_OK;
}
