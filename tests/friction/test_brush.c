// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Coulomb friction behind springs and dampers of a field on patches.

#include "friction/shell/brush.h"
#include "friction/shell/slider.h"
#include "support/brush_field.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#define MOST 100
#define MOST_CORNERS (8 * MOST)

// Places on a bowl that press, and springs under three quarters of them.
typedef struct patch {
    iso_press at[MOST];
    int count;
    iso_shell shell;
    double mu, size;
    iso_spatial v;
    iso_corner corners[MOST_CORNERS];
    double s[ISO_CORNER_NUMBERS * MOST_CORNERS];
    int corner_count;
} patch;

static iso_brush brush_of(const patch* p) {
    return (iso_brush){p->size, p->corners, p->corner_count};
}

static void random_patch(test_random* random, iso_arena* arena, patch* p) {
    double bend = fmax(test_random_uniform(random, -1.0, 2.0), 0.0), radius = 0.02;
    *p = (patch){.count = 4 + (int)test_random_uniform(random, 0.0, 90.0)};
    for (int i = 0; i < p->count; ++i) {
        double x = test_random_uniform(random, -radius, radius);
        double y = test_random_uniform(random, -radius, radius);
        double z = bend * (x * x + y * y) / (2.0 * radius);
        iso_vec3 n = iso_vec3_make(-bend * x / radius, -bend * y / radius, 1.0);
        p->at[i] = (iso_press){iso_vec3_make(x + 0.01, y, z), iso_vec3_normalized(n),
                               pow(10.0, test_random_uniform(random, -3.0, 1.0)), -1};
    }
    p->shell = (iso_shell){pow(10.0, test_random_uniform(random, 2.0, 5.0)),
                           pow(10.0, test_random_uniform(random, -3.0, -1.0))};
    p->mu = test_random_uniform(random, 0.1, 1.5);
    p->size = radius * test_random_uniform(random, 0.05, 0.6);
    double speed = p->mu / p->shell.stiffness / p->shell.time;
    p->v = iso_spatial_make(test_random_vec3(random, -20.0 * speed, 20.0 * speed),
                            test_random_vec3(random, -speed, speed));
    iso_brush none = {.size = p->size};
    iso_brush_result r;
    assert_int_equal(iso_brush_eval(arena, &p->shell, p->mu, &none, NULL, p->at, 3 * p->count / 4,
                                    p->v, NULL, NULL, &r),
                     ISO_OK);
    p->corner_count = iso_brush_merge(&none, NULL, r.missing, r.missing_count, p->corners, p->s);
    for (int i = 0; i < ISO_CORNER_NUMBERS * p->corner_count; ++i) {
        p->s[i] = test_random_uniform(random, -1.0, 1.0) * p->mu / sqrt(p->shell.stiffness);
    }
}

typedef struct found {
    iso_brush_result r;
    double rates[ISO_CORNER_NUMBERS * MOST_CORNERS];
    iso_press_felt felt[MOST];
} found;

static void eval(iso_arena* arena, const patch* p, found* out) {
    iso_brush brush = brush_of(p);
    iso_arena_reset(arena);
    assert_int_equal(iso_brush_eval(arena, &p->shell, p->mu, &brush, p->s, p->at, p->count, p->v,
                                    out->rates, out->felt, &out->r),
                     ISO_OK);
}

static double distance(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_norm(iso_vec3_sub(a, b));
}

static iso_vec3 numbers_at(const double* s, int corner) {
    const double* x = s + ISO_CORNER_NUMBERS * corner;
    return iso_vec3_make(x[0], x[1], x[2]);
}

// Whether every corner of what presses is known once: as one of the brush or as a missing one.
static void each_corner_is_known_once(void** state) {
    (void)state;
    static patch p;
    static found a;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    for (int seed = 0; seed < 200; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        random_patch(&random, &arena, &p);
        eval(&arena, &p, &a);
        static iso_corner all[2 * MOST_CORNERS];
        static double s[ISO_CORNER_NUMBERS * 2 * MOST_CORNERS];
        iso_brush brush = brush_of(&p);
        int count = iso_brush_merge(&brush, p.s, a.r.missing, a.r.missing_count, all, s);
        assert_int_equal(count, p.corner_count + a.r.missing_count);
        for (int i = 1; i < count; ++i) {
            assert_true(iso_corner_order(&all[i - 1], &all[i]) < 0);
        }
        iso_brush whole = {p.size, all, count};
        iso_brush_result r;
        CHECK_OK(ctx, iso_brush_eval(&arena, &p.shell, p.mu, &whole, s, p.at, p.count, p.v, NULL,
                                     NULL, &r));
        assert_int_equal(r.missing_count, 0); // and the new springs change nothing yet
        CHECK_NEAR(distance(r.wrench.translational, a.r.wrench.translational), 0.0,
                   1e-12 * iso_vec3_norm(r.wrench.translational)); // measured 1.6e-15
        CHECK_REL(r.taken, a.r.taken, 1e-12);                      // measured 7e-15
    }
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

// What places feel is the whole friction; what it takes is heat, never negative, and what springs
// get. The rates stay bounded.
static void energy_of_springs_comes_from_work(void** state) {
    (void)state;
    static patch p;
    static found a;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    for (int seed = 0; seed < 300; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        random_patch(&random, &arena, &p);
        eval(&arena, &p, &a);
        iso_vec3 sum = iso_vec3_zero();
        double total = 0.0, gain = 0.0;
        for (int i = 0; i < p.count; ++i) {
            sum = iso_vec3_add(sum, a.felt[i].friction);
            total += p.at[i].force;
            CHECK_AT_MOST(iso_vec3_norm(a.felt[i].friction), 1.000001 * p.mu * p.at[i].force);
            assert_true(a.felt[i].sliding >= 0.0 && a.felt[i].sliding < 1.0 + 1e-12);
        }
        CHECK_NEAR(distance(sum, a.r.wrench.translational), 0.0, 1e-12 * total); // measured 2e-14
        CHECK(a.r.heat >= -1e-12 * fabs(a.r.taken), "heat %g of %g", a.r.heat, a.r.taken);
        for (int i = 0; i < p.corner_count; ++i) {
            iso_vec3 s = numbers_at(p.s, i), rate = numbers_at(a.rates, i);
            gain += iso_vec3_dot(s, rate);
            CHECK_AT_MOST(iso_vec3_norm(rate) * p.shell.time,
                          1.000001 * (iso_vec3_norm(s) + p.mu * sqrt(total / p.shell.stiffness)));
        }
        CHECK_NEAR(a.r.heat + gain, a.r.taken, 1e-9 * (fabs(gain) + fabs(a.r.taken)));
        p.count = 0;
        eval(&arena, &p, &a);
        for (int i = 0; i < ISO_CORNER_NUMBERS * p.corner_count; ++i) {
            CHECK_REL(a.rates[i], -p.s[i] / p.shell.time, 1e-15);
        }
    }
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

// Turned by a quarter and moved by whole cubes the field is the same; lengths, forces and times may
// have other units.
static void friction_does_not_depend_on_axes_origin_and_units(void** state) {
    (void)state;
    static patch p, q;
    static found a, b;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    for (int seed = 0; seed < 200; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        random_patch(&random, &arena, &p);
        const double length = 1e3, force = 0.03, time = 60.0, root = sqrt(force * length);
        const int by[3] = {4, -7, 1000};
        q = p;
        q.size = length * p.size;
        q.shell = (iso_shell){p.shell.stiffness / length, p.shell.time * time};
        iso_vec3 shift = iso_vec3_make(by[0] * q.size, by[1] * q.size, by[2] * q.size);
        // (x, y, z) becomes (y, z, x), which keeps the hand of the axes, and moves on.
        for (int i = 0; i < p.count; ++i) {
            iso_vec3 at = p.at[i].place, n = p.at[i].normal;
            iso_vec3 turned = iso_vec3_make(length * at.y, length * at.z, length * at.x);
            q.at[i] = (iso_press){iso_vec3_add(turned, shift), iso_vec3_make(n.y, n.z, n.x),
                                  force * p.at[i].force, -1};
        }
        iso_vec3 w = p.v.rotational, v = p.v.translational;
        iso_spatial twist =
            iso_spatial_make(iso_vec3_scale(iso_vec3_make(w.y, w.z, w.x), 1.0 / time),
                             iso_vec3_scale(iso_vec3_make(v.y, v.z, v.x), length / time));
        q.v = iso_spatial_shift_twist(twist, iso_vec3_neg(shift));
        // Corners are ordered anew.
        q.corner_count = 0;
        for (int i = 0; i < p.corner_count; ++i) {
            const int* from = p.corners[i].index;
            iso_corner c = {{from[1] + by[0], from[2] + by[1], from[0] + by[2]}};
            int at = q.corner_count++;
            for (; at > 0 && iso_corner_order(&q.corners[at - 1], &c) > 0; --at) {
                q.corners[at] = q.corners[at - 1];
                memcpy(q.s + 3 * at, q.s + 3 * (at - 1), 3 * sizeof *q.s);
            }
            const double s[3] = {root * p.s[3 * i + 1], root * p.s[3 * i + 2], root * p.s[3 * i]};
            q.corners[at] = c;
            memcpy(q.s + 3 * at, s, sizeof s);
        }
        eval(&arena, &p, &a);
        eval(&arena, &q, &b);
        iso_vec3 f = iso_vec3_scale(a.r.wrench.translational, force);
        double size = iso_vec3_norm(f);
        CHECK_NEAR(distance(iso_vec3_make(f.y, f.z, f.x), b.r.wrench.translational), 0.0,
                   1e-8 * size); // rounding of places at 1000 cubes; measured 1.5e-10
        CHECK_REL(b.r.taken * time, force * length * a.r.taken, 1e-7);
        CHECK_NEAR(b.r.sliding, a.r.sliding, 1e-9);
    }
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

// A disc under uniform pressure as rings of places.
static int make_disc(double radius, double force, int rings, double turn, iso_press* out) {
    int count = 0;
    for (int i = 0; i < rings; ++i) {
        int around = 6 * i + 3;
        double inner = radius * i / rings, outer = radius * (i + 1) / rings;
        double r = 2.0 / 3.0 * (pow(outer, 3) - pow(inner, 3)) / (outer * outer - inner * inner);
        for (int k = 0; k < around; ++k) {
            double angle = 2.0 * ISO_PI * (k + turn) / around;
            double share = (outer * outer - inner * inner) / (radius * radius) / around;
            out[count++] = (iso_press){iso_vec3_make(r * cos(angle), r * sin(angle), 0.0),
                                       iso_vec3_make(0.0, 0.0, 1.0), force * share, -1};
        }
    }
    return count;
}

// [Elandt2022] eq. 6.15: a disc that spins long and steadily, found anew with other places in each
// step.
static void a_spinning_disc_reaches_the_continuous_moment(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    const iso_shell shell = {1e4, 0.01};
    double radius = 0.02, force = 7.0, mu = 0.4;
    test_brush brush;
    CHECK_OK(ctx, test_brush_init(ctx, radius / 40.0, &brush));
    static iso_press disc[8000];
    iso_brush_result r = {0};
    iso_spatial spin = iso_spatial_make(iso_vec3_make(0.0, 0.0, 0.5), iso_vec3_zero());
    for (int i = 0; i < 100; ++i) {
        int count = make_disc(radius, force, 40, 0.01 * i, disc);
        CHECK_OK(ctx, test_brush_step(&brush, &shell, mu, disc, count, spin, 2e-3, &r));
    }
    double exact = 2.0 / 3.0 * mu * force * radius;
    CHECK_REL(-r.wrench.rotational.z, exact, 2e-3);                            // measured 1.5e-4
    CHECK_NEAR(iso_vec3_norm(r.wrench.translational), 0.0, 1e-3 * mu * force); // measured 7.4e-5
    test_brush_free(&brush);
    test_context_destroy(ctx);
}

// Places in every cube of a square, where they were or anywhere in it.
static int make_square(test_random* random, bool wanders, double size, iso_press* out) {
    for (int k = 0; k < 2000; ++k) {
        double x = wanders ? test_random_uniform(random, 0.01, 0.99) : 0.3;
        double y = wanders ? test_random_uniform(random, 0.01, 0.99) : 0.8;
        out[k] = (iso_press){iso_vec3_make((k % 40 + x) * size, (k / 40 + y) * size, 0.0),
                             iso_vec3_make(0.0, 0.0, 1.0), 1e-3, -1};
    }
    return 2000;
}

// Where all moves alike the field is the point. A patch found anew elsewhere in each step keeps its
// springs: they have other loads at constant energy, so the force differs a little.
static void a_dragged_brush_is_a_point(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    const iso_shell shell = {3e3, 0.02};
    double mu = 0.7, dt = 1e-3;
    static iso_press places[2000];
    for (int wanders = 0; wanders < 2; ++wanders) {
        test_random random = test_random_make(5);
        test_brush brush;
        CHECK_OK(ctx, test_brush_init(ctx, 2e-3, &brush));
        iso_vec3 point = iso_vec3_zero();
        double worst = 0.0;
        for (int i = 0; i < 60; ++i) {
            iso_vec3 v = i < 30 ? iso_vec3_make(0.02, 0.0, 0.0) : iso_vec3_make(0.0, 0.01, 0.0);
            int count = make_square(&random, wanders == 1, 2e-3, places);
            iso_brush_result r;
            iso_spatial twist = iso_spatial_make(iso_vec3_zero(), v);
            CHECK_OK(ctx, test_brush_step(&brush, &shell, mu, places, count, twist, dt, &r));
            iso_vec3 t = iso_slider_traction(&shell, mu, point, v);
            worst = fmax(worst, distance(r.wrench.translational, iso_vec3_scale(t, 2.0)));
            iso_vec3 middle = iso_vec3_add_scaled(point, iso_slider_rate(&shell, point, t), dt / 2);
            t = iso_slider_traction(&shell, mu, middle, v);
            point = iso_vec3_add_scaled(point, iso_slider_rate(&shell, middle, t), dt);
        }
        CHECK_AT_MOST(worst, wanders ? 0.05 * 2.0 * mu : 1e-13); // measured 0.05, 5e-15
        test_brush_free(&brush);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_corner_is_known_once),
        cmocka_unit_test(energy_of_springs_comes_from_work),
        cmocka_unit_test(friction_does_not_depend_on_axes_origin_and_units),
        cmocka_unit_test(a_spinning_disc_reaches_the_continuous_moment),
        cmocka_unit_test(a_dragged_brush_is_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
