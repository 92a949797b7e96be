// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "math/lu.h"
#include "solver/complementarity/cone.h"

#include <math.h>
#include <string.h>

enum { FIRST_SWEEPS = 2, MORE_SWEEPS = 20 };

typedef struct newton {
    const iso_cone_problem* p;
    int n;                            ///< 3 count
    double *f, *u, *root, *step, *at; ///< [n]
    double* jacobian;                 ///< [n * n]
    int* pivots;                      ///< [n]
} newton;

// F(f) of (2.65) and (2.66); returns half its square.
static double evaluate(newton* s, const double* f) {
    const iso_cone_problem* p = s->p;
    double sum = 0.0;
    iso_cone_velocities(p, f, s->u);
    for (int i = 0; i < p->count; ++i) {
        double rho = iso_cone_scale(p, i), at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = f[3 * i + k] - rho * s->u[3 * i + k];
        }
        iso_cone_project(ISO_CONE_EXACT, p->friction[i], p->friction[i] * fmax(f[3 * i], 0.0), at,
                         s->root + 3 * i);
        for (int k = 0; k < 3; ++k) {
            s->root[3 * i + k] -= f[3 * i + k];
            sum += 0.5 * s->root[3 * i + k] * s->root[3 * i + k];
        }
    }
    return sum;
}

// Rows of the generalised Jacobian of one contact: dF = (dP/ds) (I - rho W) + (dP/dR) mu e_n - I.
static void fill_rows(newton* s, int i) {
    const iso_cone_problem* p = s->p;
    double rho = iso_cone_scale(p, i), mu = p->friction[i], c[3] = {0}, d[3][3] = {{0}};
    double radius = mu * fmax(s->f[3 * i], 0.0), grow[3] = {0};
    for (int k = 0; k < 3; ++k) {
        c[k] = s->f[3 * i + k] - rho * s->u[3 * i + k];
    }
    double length = hypot(c[1], c[2]);
    d[0][0] = c[0] > 0.0 ? 1.0 : 0.0;
    bool is_inside = length <= radius;
    for (int k = 1; k < 3; ++k) {
        for (int l = 1; l < 3; ++l) {
            double turn = (k == l ? 1.0 : 0.0) - c[k] * c[l] / fmax(length * length, 1e-300);
            d[k][l] = is_inside ? (k == l ? 1.0 : 0.0) : radius / length * turn;
        }
        grow[k] = is_inside || s->f[3 * i] <= 0.0 ? 0.0 : mu * c[k] / length;
    }
    for (int k = 0; k < 3; ++k) {
        double* row = s->jacobian + (size_t)(3 * i + k) * (size_t)s->n;
        for (int j = 0; j < s->n; ++j) {
            double sum = 0.0;
            for (int l = 0; l < 3; ++l) {
                sum -= d[k][l] * rho * p->w[(size_t)(3 * i + l) * (size_t)s->n + (size_t)j];
            }
            row[j] = sum;
        }
        for (int l = 0; l < 3; ++l) {
            row[3 * i + l] += d[k][l];
        }
        row[3 * i] += grow[k];
        row[3 * i + k] -= 1.0 + 1e-10;
    }
}

// Newton's step with the longest of its halves that brings the square down. False: none does.
static bool advance(newton* s, double* value) {
    for (int i = 0; i < s->p->count; ++i) {
        fill_rows(s, i);
    }
    if (!iso_lu_factor(s->jacobian, s->n, s->pivots)) {
        return false;
    }
    for (int k = 0; k < s->n; ++k) {
        s->step[k] = -s->root[k];
    }
    iso_lu_solve(s->jacobian, s->pivots, s->n, s->step);
    for (double length = 1.0; length > 1e-4; length *= 0.5) {
        for (int k = 0; k < s->n; ++k) {
            s->at[k] = s->f[k] + length * s->step[k];
        }
        double next = evaluate(s, s->at);
        if (next < (1.0 - 1e-4 * length) * *value) {
            memcpy(s->f, s->at, (size_t)s->n * sizeof *s->f);
            *value = next;
            return true;
        }
    }
    return false;
}

static iso_status run(iso_context* ctx, newton* s, const iso_cone_options* options,
                      iso_cone_report* report) {
    iso_cone_options sweeps = {options->tolerance, FIRST_SWEEPS};
    iso_cone_report found;
    iso_status status = iso_cone_gauss_seidel(ctx, s->p, ISO_CONE_EXACT, &sweeps, s->f, &found);
    double value = evaluate(s, s->f);
    sweeps.max_iterations = MORE_SWEEPS;
    for (int i = 0; status == ISO_OK; ++i) {
        report->iterations = i;
        report->residual = iso_cone_residual(s->p, ISO_CONE_EXACT, s->f, s->u);
        report->is_solved = report->residual <= options->tolerance;
        if (report->is_solved || i == options->max_iterations) {
            break;
        }
        evaluate(s, s->f);
        if (!advance(s, &value)) { // another start for the next step
            status = iso_cone_gauss_seidel(ctx, s->p, ISO_CONE_EXACT, &sweeps, s->f, &found);
            value = evaluate(s, s->f);
        }
    }
    return status;
}

iso_status iso_cone_newton(iso_context* ctx, const iso_cone_problem* p,
                           const iso_cone_options* options, double* f,
                           iso_cone_report* out_report) {
    newton s = {.p = p, .n = 3 * p->count, .f = f};
    *out_report = (iso_cone_report){.is_solved = p->count == 0};
    if (p->count == 0) {
        return ISO_OK;
    }
    size_t n = (size_t)s.n;
    s.u = iso_alloc(ctx, (n * n + 4 * n) * sizeof(double));
    s.pivots = iso_alloc_array(ctx, s.n, sizeof(int));
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, s.u && s.pivots, ISO_ERR_MEMORY, "%d contacts", p->count);
    s.root = s.u + n;
    s.step = s.root + n;
    s.at = s.step + n;
    s.jacobian = s.at + n;
    ISO_TRY(run(ctx, &s, options, out_report));

done:
    iso_free(ctx, s.u);
    iso_free(ctx, s.pivots);
    return status;
}
