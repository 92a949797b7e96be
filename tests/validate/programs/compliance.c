// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Tangential compliance of [Elandt2022] chapter 6, as JSON lines: dragging in one and two
// dimensions (figures 6.2, 6.3), rigid sliding (6.4), a spinning cylinder (6.5), table 6.1.

#include "friction/shell/slider.h"
#include "friction/shell/stretch.h"
#include "support/brush_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const iso_shell k_shell = {1e4, 0.01};
static const double k_mu = 0.5;

static iso_vec3 slider_rate(iso_vec3 stretch, iso_vec3 v) {
    iso_vec3 t = iso_slider_traction(&k_shell, k_mu, stretch, v);
    return iso_slider_rate(&k_shell, stretch, t);
}

static void print_slider(const char* kind, double t, iso_vec3 stretch, iso_vec3 v) {
    iso_vec3 f = iso_slider_traction(&k_shell, k_mu, stretch, v);
    iso_vec3 rate = slider_rate(stretch, v);
    printf(
        "{\"kind\": \"%s\", \"t\": %.17g, \"stretch\": [%.17g, %.17g], \"rate\": [%.17g, %.17g], "
        "\"friction\": [%.17g, %.17g], \"v\": [%.17g, %.17g]}\n",
        kind, t, stretch.x, stretch.y, rate.x, rate.y, f.x, f.y, v.x, v.y);
}

// The classical method, which has no step across a corner of the motion: times are multiples of h.
static iso_vec3 slider_step(iso_vec3 s, iso_vec3 v, double h) {
    iso_vec3 a = slider_rate(s, v);
    iso_vec3 b = slider_rate(iso_vec3_add_scaled(s, a, 0.5 * h), v);
    iso_vec3 c = slider_rate(iso_vec3_add_scaled(s, b, 0.5 * h), v);
    iso_vec3 d = slider_rate(iso_vec3_add_scaled(s, c, h), v);
    iso_vec3 sum = iso_vec3_add(iso_vec3_add(a, d), iso_vec3_scale(iso_vec3_add(b, c), 2.0));
    return iso_vec3_add_scaled(s, sum, h / 6.0);
}

static void drag(const char* kind, iso_vec3 stretch, iso_vec3 v, int moving, int steps) {
    const int fine = 100;
    double h = 1e-4 / fine;
    for (int i = 0; i <= steps; ++i) {
        iso_vec3 now = i < moving ? v : iso_vec3_zero();
        print_slider(kind, i * 1e-4, stretch, now);
        for (int k = 0; k < fine; ++k) {
            stretch = slider_step(stretch, now, h);
        }
    }
}

typedef struct patch {
    iso_press* at;
    int count;
} patch;

// Rings of a disc of radius 1 m under a profile of pressure; the force of each is exact.
static patch make_disc(const char* profile, int rings, int around) {
    patch p = {malloc((size_t)(rings * around) * sizeof *p.at), 0};
    for (int i = 0; i < rings && p.at; ++i) {
        double r = (i + 0.5) / rings, pressure = 1.0;
        pressure = profile[0] == 'h' ? sqrt(1.0 - r * r) : pressure;
        pressure = profile[0] == 'c' ? 1.0 - r : pressure;
        pressure = profile[0] == 'r' ? (i == rings - 1) : pressure;
        for (int k = 0; k < around; ++k) {
            double angle = 2.0 * ISO_PI * k / around;
            double area = 2.0 * ISO_PI * r / rings / around;
            p.at[p.count++] = (iso_press){iso_vec3_make(r * cos(angle), r * sin(angle), 0.0),
                                          iso_vec3_make(0.0, 0.0, 1.0), pressure * area, -1};
        }
    }
    return p;
}

// Blocks with a pressure that varies, and the wall of a bore, radius 1 m.
static patch make_block(void) {
    patch p = {malloc(400 * sizeof *p.at), 0};
    for (int i = 0; i < 400 && p.at; ++i) {
        double x = (i % 20) / 20.0, y = (i / 20) / 20.0;
        p.at[p.count++] = (iso_press){iso_vec3_make(x, y, 0.0), iso_vec3_make(0.0, 0.0, 1.0),
                                      1e-3 * (1.0 + x + 3.0 * y * y), -1};
    }
    return p;
}

static patch make_bore(void) {
    patch p = {malloc(400 * sizeof *p.at), 0};
    for (int i = 0; i < 400 && p.at; ++i) {
        double angle = 2.0 * ISO_PI * (i % 40) / 40.0, z = i / 40 / 10.0;
        iso_vec3 out = iso_vec3_make(cos(angle), sin(angle), 0.0);
        p.at[p.count++] =
            (iso_press){iso_vec3_make(out.x, out.y, z), iso_vec3_neg(out), 1e-3 * (1.0 + z), -1};
    }
    return p;
}

static double total_of(const patch* p) {
    double sum = 0.0;
    for (int i = 0; i < p->count; ++i) {
        sum += p->at[i].force;
    }
    return sum;
}

static iso_stretch_result reduced_step(const patch* p, iso_spatial v, double h, iso_stretch* s) {
    iso_stretch_result r, first;
    iso_stretch_eval(&k_shell, k_mu, p->at, p->count, v, s, NULL, &first);
    iso_stretch middle = *s;
    for (int k = 0; k < ISO_STRETCH_COUNT; ++k) {
        middle.s[k] += 0.5 * h * first.rate.s[k];
    }
    iso_stretch_eval(&k_shell, k_mu, p->at, p->count, v, &middle, NULL, &r);
    for (int k = 0; k < ISO_STRETCH_COUNT; ++k) {
        s->s[k] += h * r.rate.s[k];
    }
    return first;
}

// Reduced against the motion of a point, by midpoints both.
static void slide(const char* name, patch p, iso_spatial v, bool turns) {
    iso_stretch s = {{0.0}};
    iso_vec3 point = iso_vec3_zero(), speed = v.translational;
    speed = turns ? iso_vec3_make(v.rotational.z, 0.0, 0.0) : speed; // at radius 1 m
    double h = 1e-4, worst = 0.0, total = total_of(&p);
    for (int i = 0; i < 500; ++i) {
        double friction = iso_vec3_norm(iso_slider_traction(&k_shell, k_mu, point, speed));
        iso_stretch_result r = reduced_step(&p, v, h, &s);
        double found = turns ? fabs(r.wrench.rotational.z) : iso_vec3_norm(r.wrench.translational);
        worst = fmax(worst, fabs(found - friction * total) / (k_mu * total));
        iso_vec3 middle = iso_vec3_add_scaled(point, slider_rate(point, speed), 0.5 * h);
        point = iso_vec3_add_scaled(point, slider_rate(middle, speed), h);
    }
    printf("{\"kind\": \"rigid\", \"name\": \"%s\", \"worst\": %.17g}\n", name, worst);
    free(p.at);
}

// Moments of a spinning disc: reduced, full (a point each ring), and the field on a grid.
static void spin(double rate, int around, int samples, double h, bool has_field) {
    iso_context* ctx = NULL;
    if (iso_context_create(NULL, &ctx) != ISO_OK) {
        return;
    }
    const int rings = 100;
    patch p = make_disc("disc", rings, around), line = make_disc("disc", rings, 1);
    iso_vec3* springs = calloc((size_t)rings, sizeof *springs);
    iso_stretch s = {{0.0}};
    test_brush brush;
    if (test_brush_init(ctx, 0.05, &brush) != ISO_OK) {
        return;
    }
    iso_spatial v = iso_spatial_make(iso_vec3_make(0.0, 0.0, rate), iso_vec3_zero());
    for (int i = 0; i <= samples; ++i) {
        double full = 0.0, field = 0.0, full_sliding = 0.0;
        for (int k = 0; k < rings; ++k) {
            double r = line.at[k].place.x;
            iso_vec3 w = iso_vec3_make(rate * r, 0.0, 0.0);
            iso_vec3 t = iso_slider_traction(&k_shell, k_mu, springs[k], w);
            full += iso_vec3_norm(t) * r * line.at[k].force;
            full_sliding += iso_vec3_norm(t) > (1.0 - 1e-12) * k_mu ? line.at[k].force : 0.0;
            springs[k] = slider_step(springs[k], w, h);
        }
        iso_stretch_result r = reduced_step(&p, v, h, &s);
        if (has_field) {
            iso_brush_result b;
            if (test_brush_step(&brush, &k_shell, k_mu, p.at, p.count, v, h, &b) != ISO_OK) {
                break;
            }
            field = -b.wrench.rotational.z;
        }
        if (!has_field && i < samples) {
            continue;
        }
        printf("{\"kind\": \"spin\", \"rate\": %.17g, \"t\": %.17g, \"reduced\": %.17g, \"full\": "
               "%.17g, \"field\": %.17g, \"angle\": %.17g, \"sliding\": %.17g, \"full_sliding\": "
               "%.17g}\n",
               rate, i * h, -r.wrench.rotational.z, full, field, r.motion.rotational.z, r.sliding,
               full_sliding / ISO_PI);
    }
    test_brush_free(&brush);
    free(springs);
    free(p.at);
    free(line.at);
    iso_context_destroy(ctx);
}

// The moment where the first place of a reduced patch slides, over that of all sliding.
static void resist(const char* profile) {
    patch p = make_disc(profile, 2000, 8);
    iso_spatial still = iso_spatial_zero();
    iso_spatial fast = iso_spatial_make(iso_vec3_make(0.0, 0.0, 1e9), iso_vec3_zero());
    iso_stretch none = {{0.0}};
    iso_stretch_result r;
    double low = 0.0, high = 10.0, sticking = 0.0;
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high);
        iso_stretch s = {{0.0, 0.0, middle, 0.0, 0.0, 0.0}};
        iso_stretch_eval(&k_shell, k_mu, p.at, p.count, still, &s, NULL, &r);
        sticking = r.sliding > 0.0 ? sticking : -r.wrench.rotational.z;
        *(r.sliding > 0.0 ? &high : &low) = middle;
    }
    iso_stretch_eval(&k_shell, k_mu, p.at, p.count, fast, &none, NULL, &r);
    printf("{\"kind\": \"resist\", \"profile\": \"%s\", \"reduced\": %.17g, \"cont\": %.17g, "
           "\"force\": %.17g}\n",
           profile, sticking, -r.wrench.rotational.z, total_of(&p));
    free(p.at);
}

int main(void) {
    double length = k_mu / k_shell.stiffness, speed = 0.6 * length / k_shell.time;
    drag("drag1", iso_vec3_zero(), iso_vec3_make(speed, 0.0, 0.0), 300, 400);
    drag("drag2", iso_vec3_make(0.0, length, 0.0), iso_vec3_make(speed, 0.0, 0.0), 3000, 2000);
    iso_spatial along = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(speed, 0.0, 0.0));
    iso_spatial about = iso_spatial_make(iso_vec3_make(0.0, 0.0, speed), iso_vec3_zero());
    slide("block", make_block(), along, false);
    slide("bore", make_bore(), about, true);
    spin(0.2 * length / k_shell.time, 48, 2000, k_shell.time / 40.0, true);
    const double rates[] = {0.1, 0.3, 1.0, 3.0, 10.0, 100.0};
    for (int i = 0; i < 6; ++i) { // each for five of its times
        int samples = (int)(5.0 * (1.0 + 1.0 / rates[i]) * 50.0);
        spin(rates[i] * length / k_shell.time, 12, samples, k_shell.time / 50.0, false);
    }
    resist("ring");
    resist("disc");
    resist("half-sphere");
    resist("cone");
    return 0;
}
