// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Acceptance numbers of the rigid formulations of [Datta2018], worst of drawn cases: a JSON line.

#include "asperity/rigid/system.h"
#include "base/values/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 200, STEPS = 5, MOST = 4, ROWS = 3 * MOST };

#define GRAVITY 9.81

static double between(iso_draw* draw, double low, double high) {
    return low + (high - low) * iso_draw_uniform(draw);
}

// Speed of a block after some steps, over their time.
static double acceleration(iso_context* ctx, iso_rigid_law law, double friction, iso_vec3 gravity,
                           double* residual) {
    static iso_rigid_system s;
    iso_rigid_begin(ISO_RIGID_SLIDE, &s);
    s.gravity = gravity;
    for (int i = 0; i < s.contact_count; ++i) {
        s.friction[i] = friction;
    }
    for (int i = 0; i < STEPS; ++i) {
        iso_rigid_step step = {.residual = INFINITY};
        iso_rigid_assemble(&s);
        iso_status status = iso_rigid_solve(ctx, law, &s, &step);
        *residual = fmax(*residual, status == ISO_OK ? step.residual : (double)INFINITY);
        iso_rigid_advance(&s);
    }
    return hypot(s.bodies[0].v_wb.x, s.bodies[0].v_wb.y) / (STEPS * s.time_step);
}

// On a slope at most a hundredth below or above the angle of friction: whether it sticks there, and
// how far it is from g (sin - mu cos).
static double slope_error(iso_context* ctx, iso_draw* draw, iso_rigid_law law, double* residual) {
    double mu = between(draw, 0.1, 0.9);
    double angle = atan(mu * between(draw, 0.99, 1.01));
    double wanted = fmax(GRAVITY * (sin(angle) - mu * cos(angle)), 0.0);
    iso_vec3 g = iso_vec3_make(GRAVITY * sin(angle), 0.0, -GRAVITY * cos(angle));
    return fabs(acceleration(ctx, law, mu, g, residual) - wanted);
}

// The largest push along a direction that a block withstands, over mu m g.
static double strength(iso_context* ctx, iso_rigid_law law, double way) {
    double low = 0.5, high = 2.0, mu = 0.5, residual = 0.0;
    for (int i = 0; i < 30; ++i) {
        double middle = 0.5 * (low + high), push = middle * mu * GRAVITY;
        iso_vec3 g = iso_vec3_make(push * cos(way), push * sin(way), -GRAVITY);
        if (acceleration(ctx, law, mu, g, &residual) < 1e-5) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// What the root of (2.70) misses of the three modes of a contact; how often each was met.
typedef struct modes {
    double missed[3]; ///< separating, sticking, sliding
    int count[3];
    double residual;
} modes;

// A drawn problem: W = J J^T of more numbers than rows, so that it is positive definite.
static void draw_problem(iso_draw* draw, int count, double* w, double* b, double* friction) {
    double j[ROWS][ROWS + 4];
    int rows = 3 * count;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < rows + 4; ++c) {
            j[r][c] = between(draw, -1.0, 1.0);
        }
        b[r] = between(draw, -1.0, 1.0);
        friction[r / 3] = between(draw, 0.0, 1.0);
    }
    for (int i = 0; i < rows * rows; ++i) {
        w[i] = 0.0;
        for (int c = 0; c < rows + 4; ++c) {
            w[i] += j[i / rows][c] * j[i % rows][c];
        }
    }
}

static void meet(const double* f, const double* u, double mu, modes* m) {
    double pull = hypot(f[1], f[2]), slip = hypot(u[1], u[2]);
    int mode = f[0] < 1e-7 ? 0 : (slip < 1e-7 ? 1 : 2);
    double missed = 0.0;
    if (mode == 0) { // u_N >= 0, f = 0
        missed = fmax(fmax(-u[0], 0.0), fmax(fabs(f[0]), pull));
    } else if (mode == 1) { // u = 0, |f_T| <= mu f_N
        missed = fmax(fmax(fabs(u[0]), slip), fmax(pull - mu * f[0], 0.0));
    } else { // u_N = 0, f_T against u_T, |f_T| = mu f_N
        missed = fmax(fabs(u[0]), fabs(pull - mu * f[0]));
        missed = fmax(missed, fabs(f[1] * u[1] + f[2] * u[2] + pull * slip));
    }
    m->missed[mode] = fmax(m->missed[mode], missed);
    ++m->count[mode];
}

static void find_modes(iso_context* ctx, iso_draw* draw, modes* m) {
    const iso_cone_options options = {1e-11, 200};
    for (int i = 0; i < CASES; ++i) {
        int count = 1 + (int)(iso_draw_bits(draw) % MOST);
        double w[ROWS * ROWS], b[ROWS], friction[MOST], f[ROWS] = {0.0}, u[ROWS];
        draw_problem(draw, count, w, b, friction);
        iso_cone_problem p = {count, w, b, friction};
        iso_cone_report report = {.residual = INFINITY};
        if (iso_cone_newton(ctx, &p, &options, f, &report) != ISO_OK) {
            report.residual = INFINITY;
        }
        m->residual = fmax(m->residual, report.residual);
        iso_cone_velocities(&p, f, u);
        for (int k = 0; k < count; ++k) {
            meet(f + 3 * k, u + 3 * k, friction[k], m);
        }
    }
}

int main(void) {
    static const iso_rigid_law laws[3] = {ISO_RIGID_ACCELERATION, ISO_RIGID_POLYGON,
                                          ISO_RIGID_NEWTON};
    static const iso_rigid_law pyramids[2] = {ISO_RIGID_PYRAMID, ISO_RIGID_PYRAMID_LEMKE};
    iso_context* ctx = NULL;
    iso_draw draw = {20181217};
    double slope = 0.0, residuals[3] = {0.0}, diagonal[2];
    modes m = {0};
    if (iso_context_create(NULL, &ctx) != ISO_OK) {
        return 1;
    }
    for (int i = 0; i < CASES; ++i) {
        slope = fmax(slope, slope_error(ctx, &draw, laws[i % 3], &residuals[i % 3]));
    }
    for (int i = 0; i < 2; ++i) {
        diagonal[i] = strength(ctx, pyramids[i], 0.25 * ISO_PI);
    }
    double weakest = strength(ctx, ISO_RIGID_POLYGON, ISO_PI / 8.0);
    find_modes(ctx, &draw, &m);
    printf("{\"slope\": %.17g, \"acceleration\": %.17g, \"polygon\": %.17g, \"newton\": %.17g, "
           "\"diagonal\": [%.17g, %.17g], \"weakest\": %.17g, \"missed\": [%.17g, %.17g, %.17g], "
           "\"count\": [%d, %d, %d], \"root\": %.17g}\n",
           slope, residuals[0], residuals[1], residuals[2], diagonal[0], diagonal[1], weakest,
           m.missed[0], m.missed[1], m.missed[2], m.count[0], m.count[1], m.count[2], m.residual);
    iso_context_destroy(ctx);
    return 0;
}
