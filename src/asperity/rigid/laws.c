// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/rigid/system.h"
#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "solver/complementarity/lcp.h"

#include <math.h>
#include <string.h>

enum { MOST_PIVOTS = 20000 };

// Each force also gives way by this share of the largest mobility: where many contacts hold one
// body the matrix is singular, and Lemke's pivots are then rounding alone.
#define SLOW 1e-3 // [m/s]: what is slower may rest
#define GIVE 1e-7

static const iso_cone_options k_sweeps = {1e-10, 20000};
static const iso_cone_options k_newton = {1e-10, 100};

/// Directions of friction, and how many lambdas bound their forces: one all of them, a polygonal
/// cone (2.46), or one each pair of opposite ones, a pyramid (2.43, 2.44).
typedef struct shape {
    int ways, bounds;
} shape;

static const shape k_polygon = {8, 1}, k_pyramid = {4, 2};

/// Complementarity of such a cone: unknowns are the normal forces, then of each contact that does
/// not slide the forces along the directions and the lambdas (2.54, velocities eliminated).
typedef struct polygon {
    shape cone;
    int count; ///< of unknowns
    int normals;
    int first[ISO_RIGID_CONTACTS]; ///< unknown of the first direction of a contact; -1: it slides
    double slip[ISO_RIGID_CONTACTS][2]; ///< unit vector of the slip of a contact that slides
    double unit;                        ///< of forces: 1 / unit is the largest of w
    double *m, *q, *z;
} polygon;

// What an unknown is: a force along 3 rows of a contact, or a lambda.
typedef struct unknown {
    int contact;
    int bound; // of a lambda, or of a force along a direction; -1: a normal force
    bool is_force;
    double rows[3];
} unknown;

static unknown unknown_at(const iso_rigid_system* s, const polygon* p, int index) {
    unknown u = {.contact = index, .bound = -1, .is_force = true};
    int ways = p->cone.ways;
    if (index < p->normals) {
        bool slides = p->first[index] < 0;
        u.rows[0] = 1.0;
        for (int k = 0; slides && k < 2; ++k) {
            u.rows[k + 1] = -s->friction[index] * p->slip[index][k];
        }
        return u;
    }
    int way = -1;
    for (int i = 0; i < p->normals; ++i) { // the last that begins before it
        if (p->first[i] >= 0 && p->first[i] <= index) {
            u.contact = i;
            way = index - p->first[i];
        }
    }
    u.is_force = way < ways;
    u.bound = u.is_force ? way % p->cone.bounds : way - ways;
    if (u.is_force) {
        u.rows[1] = cos(2.0 * ISO_PI * way / ways);
        u.rows[2] = sin(2.0 * ISO_PI * way / ways);
    }
    return u;
}

// The conditions: velocities along the normal and the directions, and the bound of the friction.
static void fill(const iso_rigid_system* s, const double* b, polygon* p) {
    int n = p->count, rows = 3 * s->contact_count;
    for (int r = 0; r < n; ++r) {
        unknown left = unknown_at(s, p, r);
        int i = left.contact;
        if (r < p->normals) {
            left.rows[1] = left.rows[2] = 0.0; // the condition is of the normal alone
        }
        p->q[r] =
            left.rows[0] * b[3 * i] + left.rows[1] * b[3 * i + 1] + left.rows[2] * b[3 * i + 2];
        for (int c = 0; c < n; ++c) {
            unknown right = unknown_at(s, p, c);
            int j = right.contact;
            double sum = left.is_force && r == c ? GIVE : 0.0;
            for (int k = 0; left.is_force && right.is_force && k < 9; ++k) {
                sum += p->unit * left.rows[k / 3] * s->w[(3 * i + k / 3) * rows + 3 * j + k % 3] *
                       right.rows[k % 3];
            }
            if (i == j && left.is_force != right.is_force) {
                bool is_bound = left.bound == right.bound; // + lambda, - force of its bound
                sum = left.is_force ? (is_bound ? 1.0 : 0.0)
                                    : (c < p->normals ? s->friction[i] : (is_bound ? -1.0 : 0.0));
            }
            p->m[r * n + c] = sum;
        }
    }
}

// The forces of the unknowns.
static void gather(const iso_rigid_system* s, const polygon* p, double scale, double* f) {
    memset(f, 0, (size_t)(3 * s->contact_count) * sizeof *f);
    for (int r = 0; r < p->count; ++r) {
        unknown u = unknown_at(s, p, r);
        for (int k = 0; u.is_force && k < 3; ++k) {
            f[3 * u.contact + k] += scale * p->unit * p->z[r] * u.rows[k];
        }
    }
}

// @param b      velocities or accelerations without forces
// @param slips  whether contacts that slide have the friction of their slip
// @param scale  of the forces found to impulses
static iso_status solve_polygon(iso_context* ctx, iso_rigid_system* s, shape cone, const double* b,
                                bool slips, double scale, iso_rigid_step* step) {
    polygon p = {.cone = cone, .count = s->contact_count, .normals = s->contact_count};
    for (int i = 0; i < s->contact_count; ++i) {
        double x = s->now[3 * i + 1], y = s->now[3 * i + 2], speed = hypot(x, y);
        bool slides = slips && speed > SLOW;
        p.first[i] = slides ? -1 : p.count;
        p.slip[i][0] = slides ? x / speed : 0.0;
        p.slip[i][1] = slides ? y / speed : 0.0;
        p.count += slides ? 0 : cone.ways + cone.bounds;
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
        return solve_polygon(ctx, s, k_polygon, rates, true, s->time_step, out_step);
    }
    if (law == ISO_RIGID_POLYGON || law == ISO_RIGID_PYRAMID_LEMKE) {
        shape cone = law == ISO_RIGID_POLYGON ? k_polygon : k_pyramid;
        return solve_polygon(ctx, s, cone, s->b, false, 1.0, out_step);
    }
    return solve_cone(ctx, law, s, out_step);
}
