// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "solver/complementarity/cone.h"

#include <math.h>

// u = W f + b of one contact.
static void velocity_of(const iso_cone_problem* p, const double* f, int i, double* u) {
    int n = 3 * p->count;
    for (int k = 0; k < 3; ++k) {
        const double* row = p->w + (size_t)(3 * i + k) * (size_t)n;
        u[k] = p->b[3 * i + k];
        for (int c = 0; c < n; ++c) {
            u[k] += row[c] * f[c];
        }
    }
}

// Entry of the 3 x 3 block of a contact.
static double block(const iso_cone_problem* p, int i, int row, int column) {
    return p->w[(size_t)(3 * i + row) * (size_t)(3 * p->count) + (size_t)(3 * i + column)];
}

// The largest eigenvalue of the block of the tangents.
static double tangential(const iso_cone_problem* p, int i) {
    double a = block(p, i, 1, 1), b = block(p, i, 1, 2), c = block(p, i, 2, 2);
    double largest = 0.5 * (a + c) + hypot(0.5 * (a - c), b);
    return largest > 0.0 ? largest : 1.0;
}

// One contact with the others held: its normal force, then its tangents (2.43, 2.65, 2.66); a few
// times, so that the coupling within the contact is met.
static void relax(const iso_cone_problem* p, iso_cone_law law, int i, double* f) {
    double u[3], d[3], s[3];
    double* own = f + 3 * i;
    double wn = 1.0 / iso_cone_scale(p, i), wt = tangential(p, i), mu = p->friction[i];
    velocity_of(p, f, i, u);
    for (int round = 0; round < 4; ++round) {
        if (law == ISO_CONE_ASSOCIATED) {
            double rho = 1.0 / (wn + wt);
            for (int k = 0; k < 3; ++k) {
                s[k] = own[k] - rho * u[k];
            }
        } else {
            s[0] = fmax(own[0] - u[0] / wn, 0.0);
            double lift = s[0] - own[0];
            for (int k = 1; k < 3; ++k) {
                s[k] =
                    own[k] - (u[k] + block(p, i, k, 0) * lift) /
                                 (law == ISO_CONE_PYRAMID ? fmax(block(p, i, k, k), 1e-300) : wt);
            }
        }
        double next[3];
        iso_cone_project(law, mu, mu * fmax(s[0], 0.0), s, next);
        for (int k = 0; k < 3; ++k) {
            d[k] = next[k] - own[k];
            own[k] = next[k];
        }
        for (int k = 0; k < 3; ++k) {
            u[k] += block(p, i, k, 0) * d[0] + block(p, i, k, 1) * d[1] + block(p, i, k, 2) * d[2];
        }
    }
}

iso_status iso_cone_gauss_seidel(iso_context* ctx, const iso_cone_problem* p, iso_cone_law law,
                                 const iso_cone_options* options, double* f,
                                 iso_cone_report* out_report) {
    *out_report = (iso_cone_report){0};
    double* u = iso_alloc_array(ctx, 3 * p->count, sizeof *u);
    ISO_REQUIRE(ctx, u || p->count == 0, ISO_ERR_MEMORY, "%d contacts", p->count);
    for (int sweep = 0; sweep <= options->max_iterations; ++sweep) {
        if (sweep % 8 == 0 || sweep == options->max_iterations) { // as dear as a sweep
            out_report->iterations = sweep;
            out_report->residual = iso_cone_residual(p, law, f, u);
            out_report->is_solved = out_report->residual <= options->tolerance;
            if (out_report->is_solved) {
                break;
            }
        }
        for (int i = 0; i < p->count; ++i) {
            relax(p, law, i, f);
        }
    }
    iso_free(ctx, u);
    return ISO_OK;
}
