// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Acceptance numbers of elastic bodies and of the thesis' impulses, worst of drawn cases: a JSON
// line.

#include "asperity/contact/penalty.h"
#include "asperity/elastic/modes.h"
#include "base/values/draw.h"
#include "isobar/tribology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 400 };

static double between(iso_draw* draw, double low, double high) {
    return low + (high - low) * iso_draw_uniform(draw);
}

// One element with drawn corners.
static iso_elastic* element_make(iso_context* ctx, iso_draw* draw, int d, double* out_poisson) {
    double vertices[12];
    int corners[4] = {0, 1, 2, 3};
    iso_elastic_material m = {1.0, between(draw, -0.3, 0.48), 1.0, 0.0, 0.0};
    iso_elastic_desc desc = {d, vertices, d + 1, corners, 1, NULL, &m, 1};
    iso_elastic* e = NULL;
    *out_poisson = m.poisson;
    do {
        for (int i = 0; i < d * (d + 1); ++i) {
            vertices[i] = (i / d == i % d ? 1.0 : 0.0) + between(draw, -0.4, 0.4);
        }
    } while (iso_elastic_create(ctx, &desc, &e) != ISO_OK);
    return e;
}

static double slope_error(const iso_elastic* e, iso_draw* draw) {
    int n = e->vertex_count * e->dimension;
    double x[12], y[12], force[12] = {0}, worst = 0.0, scale = 1e-300, h = 1e-6;
    do {
        for (int i = 0; i < n; ++i) {
            x[i] = e->rest[i] + between(draw, -0.2, 0.2);
        }
    } while (!(iso_elastic_energy(e, x) < 10.0));
    iso_elastic_add_forces(e, x, force);
    for (int i = 0; i < n; ++i) {
        scale = fmax(scale, fabs(force[i]));
    }
    for (int i = 0; i < n; ++i) {
        memcpy(y, x, sizeof y);
        y[i] = x[i] + h;
        double high = iso_elastic_energy(e, y);
        y[i] = x[i] - h;
        worst = fmax(worst, fabs(force[i] + (high - iso_elastic_energy(e, y)) / (2.0 * h)) / scale);
    }
    return worst;
}

// Young's modulus along the first axis with free sides, over the closed form.
static double modulus_error(const iso_elastic* e, double poisson) {
    int d = e->dimension, n = e->vertex_count * d;
    double x[12], f[9], g[9], stress[9], strain = 1e-6;
    double side = d == 3 ? -poisson : -poisson / (1.0 - poisson);
    for (int i = 0; i < n; ++i) {
        x[i] = e->rest[i] * (1.0 + strain * (i % d == 0 ? 1.0 : side));
    }
    iso_elastic_gradient(e, 0, x, f);
    double j = iso_inverse_transposed(d, f, g);
    iso_neo_hookean_stress(d, e->lame[0], f, g, j, stress);
    return fabs(stress[0] / strain * (d == 3 ? 1.0 : 1.0 - poisson * poisson) - 1.0);
}

// How far the highest mode, critically damped, overshoots from rest, over its first way.
static double overshoot(iso_draw* draw) {
    double high[2] = {pow(10.0, between(draw, 0.0, 10.0)), 0.0}, alpha, beta, q = 1.0, v = 0.0;
    high[1] = high[0] * between(draw, 0.5, 1.0);
    iso_elastic_critical_damping(high, &alpha, &beta);
    double step = 1e-3 / sqrt(high[0]), least = 0.0;
    for (int i = 0; i < 20000; ++i) {
        v -= step * (high[0] * q + (alpha + beta * high[0]) * v);
        q += step * v;
        least = fmin(least, q);
    }
    return -least;
}

// Whether the highest mode stays bounded at a share of the longest step, with drawn damping.
static bool is_bounded(iso_draw* draw, double share) {
    double high = pow(10.0, between(draw, 0.0, 10.0)), zeta = between(draw, 0.0, 2.0);
    double beta = zeta * 2.0 / sqrt(high), q = 1.0, v = 0.0;
    double step = share * iso_elastic_longest_step(high, 0.0, beta);
    for (int i = 0; i < 5000; ++i) {
        v -= step * (high * q + beta * high * v);
        q += step * v;
    }
    return fabs(q) < 100.0;
}

// Of one encounter: how far it ends short of H, over H, and what energy is not accounted for.
static void encounter(iso_draw* draw, double* short_of, double* energy) {
    iso_impulse_law law = {between(draw, 0.01, 1.0), pow(10.0, between(draw, -6.0, 2.0)), 1e3,
                           false};
    double x = law.least * (1.0 + pow(10.0, between(draw, -3.0, 1.0)));
    double v = law.least * pow(10.0, between(draw, -2.0, 4.0)) * (iso_draw_bits(draw) % 2 ? 1 : -1);
    double step = pow(10.0, between(draw, -5.0, 0.0)), mass = pow(10.0, between(draw, -4.0, 2.0));
    iso_encounter found = iso_impulse_meet(&law, v, x, 1.0 / mass, step);
    double after = v + found.impulse / mass, from = x - law.least;
    *short_of = fmax(*short_of, (law.least - x - after * step) / law.least);
    if (!found.is_killed) {
        double work = law.stiffness * v * step / (from * (from + v * step));
        double kept = 0.5 * mass * v * v, gain = 0.5 * mass * after * after - kept;
        *energy = fmax(*energy, fabs(gain - work) / (fabs(work) + kept));
    }
}

// Of forces over a motion: differences against the differential, of the largest; and the power of
// stiffness damping near rest, which must not be above zero.
static void damping(const iso_elastic* e, iso_draw* draw, double* difference, double* power) {
    int n = e->vertex_count * e->dimension;
    double u[12] = {0}, x[12] = {0}, y[12], found[12] = {0}, high[12] = {0}, low[12] = {0},
           scale = 1e-300;
    double h = 1e-6, sum = 0.0, worst = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = e->rest[i] + between(draw, -0.01, 0.01);
        u[i] = between(draw, -1.0, 1.0);
    }
    iso_elastic_add_differential(e, x, u, false, found);
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < n; ++i) {
            y[i] = x[i] + side * h * u[i];
        }
        iso_elastic_add_forces(e, y, side > 0 ? high : low);
    }
    for (int i = 0; i < n; ++i) {
        scale = fmax(scale, fabs(found[i]));
        worst = fmax(worst, fabs(found[i] - (high[i] - low[i]) / (2.0 * h)));
        sum += u[i] * found[i];
    }
    *difference = fmax(*difference, worst / scale);
    *power = fmax(*power, sum);
}

static double length_of(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// Penalty force of drawn points against (3.50) to (3.52), relative to K over the distance squared.
static double penalty_error(iso_draw* draw) {
    iso_penalty_law law = {1.0, 1000.0, 1.2, false};
    double way[3], centres[3], outward[2][3], least = between(draw, 0.1, 0.8), facing = 0.0;
    for (int a = 0; a < 3; ++a) {
        way[a] = between(draw, -1.0, 1.0);
        centres[a] = between(draw, -1.0, 1.0);
        outward[0][a] = between(draw, -1.0, 1.0);
        outward[1][a] = between(draw, -1.0, 1.0);
        facing += outward[0][a] * outward[1][a];
    }
    double x = length_of(way), c = length_of(centres), wanted = 0.0;
    iso_penalty_force found =
        iso_penalty_meet(&law, way, centres, (const double(*)[3])outward, least);
    if (c < least) {
        wanted = law.near_stiffness / (c * c);
    } else if (x > least && facing < 0.0 && x < law.reach) {
        wanted = law.far_stiffness / (x * x);
    }
    return fabs(length_of(found.force) - wanted) / fmax(wanted, 1.0);
}

// Hertz: p0 = 3 F / (2 pi a^2), and (2.13).
static double hertz_error(iso_draw* draw) {
    double load = pow(10.0, between(draw, -3.0, 3.0)), radius = pow(10.0, between(draw, -3.0, 1.0));
    double modulus = pow(10.0, between(draw, 5.0, 12.0));
    iso_trib_hertz h = iso_trib_hertz_of(load, radius, modulus);
    double pi = 3.14159265358979323846;
    double by_load = 1.5 * load / (pi * h.contact_radius * h.contact_radius);
    double by_curve = cbrt(6.0 * load * modulus * modulus / (pi * pi * pi * radius * radius));
    return fmax(fabs(h.max_pressure / by_load - 1.0), fabs(h.max_pressure / by_curve - 1.0));
}

int main(void) {
    iso_context* ctx = NULL;
    iso_draw draw = {20181217};
    double slope = 0.0, modulus = 0.0, over = 0.0, short_of = -1.0, energy = 0.0, poisson = 0.0;
    int wrong = 0;
    double difference = 0.0, power = -1.0, penalty = 0.0, hertz = 0.0;
    if (iso_context_create(NULL, &ctx) != ISO_OK) {
        return 1;
    }
    for (int i = 0; i < CASES; ++i) {
        iso_elastic* e = element_make(ctx, &draw, 2 + i % 2, &poisson);
        slope = fmax(slope, slope_error(e, &draw));
        modulus = fmax(modulus, modulus_error(e, poisson));
        damping(e, &draw, &difference, &power);
        penalty = fmax(penalty, penalty_error(&draw));
        hertz = fmax(hertz, hertz_error(&draw));
        iso_elastic_destroy(ctx, e);
        wrong += is_bounded(&draw, i % 2 ? 0.99 : 1.01) != (i % 2 == 1);
        over = i < 20 ? fmax(over, overshoot(&draw)) : over;
        encounter(&draw, &short_of, &energy);
    }
    printf("{\"slope\": %.17g, \"modulus\": %.17g, \"overshoot\": %.17g, \"short_of\": %.17g, "
           "\"energy\": %.17g, \"difference\": %.17g, \"power\": %.17g, \"penalty\": %.17g, "
           "\"hertz\": %.17g, \"wrong\": %d}\n",
           slope, modulus, over, short_of, energy, difference, power, penalty, hertz, wrong);
    iso_context_destroy(ctx);
    return 0;
}
