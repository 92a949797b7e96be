// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/rigid/system.h"
#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "solver/complementarity/lcp.h"

#include <math.h>
#include <string.h>

enum { WAYS = 8, MOST_PIVOTS = 20000 }; // directions of the polygonal cone

// Each force also gives way by this share of the largest mobility: where many contacts hold one
// body the matrix is singular, and Lemke's pivots are then rounding alone.
#define SLOW 1e-3 // [m/s]: what is slower may rest
#define GIVE 1e-7

static const iso_cone_options k_sweeps = {1e-10, 20000};
static const iso_cone_options k_newton = {1e-10, 100};

/// Complementarity of a polygonal cone: unknowns are the normal forces, then of each contact that
/// does not slide the forces along the directions and lambda (2.54, velocities eliminated).
typedef struct polygon {
    int count; ///< of unknowns
    int normals;
    int first[ISO_RIGID_CONTACTS]; ///< unknown of the first direction of a contact; -1: it slides
    double slip[ISO_RIGID_CONTACTS][2]; ///< unit vector of the slip of a contact that slides
    double unit;                        ///< of forces: 1 / unit is the largest of w
    double *m, *q, *z;
} polygon;

// The 3 rows of an unknown that is a force, and its contact; false: it is a lambda.
static bool force_of(const iso_rigid_system* s, const polygon* p, int unknown, int* out_contact,
                     double* out) {
    out[0] = out[1] = out[2] = 0.0;
    if (unknown < p->normals) {
        bool slides = p->first[unknown] < 0;
        *out_contact = unknown;
        out[0] = 1.0;
        for (int k = 0; slides && k < 2; ++k) {
            out[k + 1] = -s->friction[unknown] * p->slip[unknown][k];
        }
        return true;
    }
    for (int i = 0; i < p->normals; ++i) {
        int way = unknown - p->first[i];
        if (p->first[i] >= 0 && way >= 0 && way < WAYS) {
            *out_contact = i;
            out[1] = cos(2.0 * ISO_PI * way / WAYS);
            out[2] = sin(2.0 * ISO_PI * way / WAYS);
            return true;
        }
        if (p->first[i] >= 0 && way == WAYS) {
            *out_contact = i;
            return false;
        }
    }
    return false;
}

// The conditions: velocities along the normal and the directions, and the bound of the friction.
static void fill(const iso_rigid_system* s, const double* b, polygon* p) {
    int n = p->count, rows = 3 * s->contact_count;
    for (int r = 0; r < n; ++r) {
        double left[3], right[3];
        int i = 0, j = 0;
        bool is_force = force_of(s, p, r, &i, left);
        if (r < p->normals) {
            left[1] = left[2] = 0.0; // the condition is of the normal alone
        }
        p->q[r] =
            is_force ? left[0] * b[3 * i] + left[1] * b[3 * i + 1] + left[2] * b[3 * i + 2] : 0.0;
        for (int c = 0; c < n; ++c) {
            bool is_column = force_of(s, p, c, &j, right);
            double sum = 0.0;
            for (int k = 0; is_force && is_column && k < 9; ++k) {
                sum += p->unit * left[k / 3] * s->w[(3 * i + k / 3) * rows + 3 * j + k % 3] *
                       right[k % 3];
            }
            sum += is_force && r == c ? GIVE : 0.0;
            if (is_force && !is_column && i == j && r >= p->normals) {
                sum = 1.0; // + lambda
            } else if (!is_force && i == j) {
                sum = c < p->normals ? s->friction[i] : (is_column ? -1.0 : 0.0);
            }
            p->m[r * n + c] = sum;
        }
    }
}

// The forces of the unknowns.
static void gather(const iso_rigid_system* s, const polygon* p, double scale, double* f) {
    memset(f, 0, (size_t)(3 * s->contact_count) * sizeof *f);
    for (int r = 0; r < p->count; ++r) {
        double way[3];
        int i = 0;
        if (force_of(s, p, r, &i, way)) {
            for (int k = 0; k < 3; ++k) {
                f[3 * i + k] += scale * p->unit * p->z[r] * way[k];
            }
        }
    }
}

// @param b      velocities or accelerations without forces
// @param slips  whether contacts that slide have the friction of their slip
// @param scale  of the forces found to impulses
static iso_status solve_polygon(iso_context* ctx, iso_rigid_system* s, const double* b, bool slips,
                                double scale, iso_rigid_step* step) {
    polygon p = {.count = s->contact_count, .normals = s->contact_count};
    for (int i = 0; i < s->contact_count; ++i) {
        double x = s->now[3 * i + 1], y = s->now[3 * i + 2], speed = hypot(x, y);
        bool slides = slips && speed > SLOW;
        p.first[i] = slides ? -1 : p.count;
        p.slip[i][0] = slides ? x / speed : 0.0;
        p.slip[i][1] = slides ? y / speed : 0.0;
        p.count += slides ? 0 : WAYS + 1;
    }
    double largest = 1e-300;
    for (int i = 0; i < 9 * s->contact_count * s->contact_count; ++i) {
        largest = fmax(largest, fabs(s->w[i]));
    }
    p.unit = 1.0 / largest;
    size_t n = (size_t)p.count;
    iso_lcp_report report = {0};
    p.m = iso_alloc(ctx, (n * n + 2 * n) * sizeof(double));
    ISO_REQUIRE(ctx, p.m, ISO_ERR_MEMORY, "complementarity of %d rows", p.count);
    p.q = p.m + n * n;
    p.z = p.q + n;
    fill(s, b, &p);
    iso_lcp problem = {p.count, p.m, p.q};
    iso_status status = iso_lcp_lemke(ctx, &problem, MOST_PIVOTS, p.z, &report);
    double size = 1e-300;
    for (int r = 0; r < p.count; ++r) {
        size = fmax(size, fabs(p.q[r]));
    }
    gather(s, &p, scale, s->impulses);
    double residual = report.residual / size;
    *step = (iso_rigid_step){report.is_solved && residual < 1e-6, report.is_ray, report.pivots,
                             residual};
    iso_free(ctx, p.m);
    return status;
}

static iso_status solve_cone(iso_context* ctx, iso_rigid_law law, iso_rigid_system* s,
                             iso_rigid_step* step) {
    iso_cone_problem p = iso_rigid_problem(s);
    iso_cone_report report = {0};
    iso_cone_law cone = law == ISO_RIGID_PYRAMID   ? ISO_CONE_PYRAMID
                        : law == ISO_RIGID_RELAXED ? ISO_CONE_ASSOCIATED
                                                   : ISO_CONE_EXACT;
    iso_status status = law == ISO_RIGID_NEWTON
                            ? iso_cone_newton(ctx, &p, &k_newton, s->impulses, &report)
                            : iso_cone_gauss_seidel(ctx, &p, cone, &k_sweeps, s->impulses, &report);
    *step = (iso_rigid_step){.is_solved = report.is_solved,
                             .iterations = report.iterations,
                             .residual = report.residual};
    return status;
}

iso_status iso_rigid_solve(iso_context* ctx, iso_rigid_law law, iso_rigid_system* s,
                           iso_rigid_step* out_step) {
    if (law == ISO_RIGID_ACCELERATION) {
        // What hardly moves is to come to rest within the step, so that drift does not add up.
        double rates[ISO_RIGID_ROWS];
        for (int i = 0; i < 3 * s->contact_count; ++i) {
            const double* now = s->now + 3 * (i / 3);
            double speed = i % 3 == 0 ? fabs(now[0]) : hypot(now[1], now[2]);
            rates[i] = s->rates[i] + (speed > SLOW ? 0.0 : s->now[i] / s->time_step);
        }
        return solve_polygon(ctx, s, rates, true, s->time_step, out_step);
    }
    return law == ISO_RIGID_POLYGON ? solve_polygon(ctx, s, s->b, false, 1.0, out_step)
                                    : solve_cone(ctx, law, s, out_step);
}
