// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Coulomb friction behind springs and dampers: at a point, and reduced to six numbers on patches.

#include "friction/shell/slider.h"
#include "friction/shell/stretch.h"
#include "support/check.h"
#include "support/random.h"

#define MOST 200

typedef struct patch {
    iso_press at[MOST];
    int count;
    iso_shell shell;
    double mu;
    iso_spatial v_c;
    iso_stretch stretch;
} patch;

static iso_spatial random_twist(test_random* random, double size) {
    return iso_spatial_make(test_random_vec3(random, -size, size),
                            test_random_vec3(random, -size, size));
}

// Places on a bowl, a plane or a line, with forces over four decades.
static patch random_patch(test_random* random) {
    patch p = {.count = 5 + (int)test_random_uniform(random, 0.0, 100.0)};
    double bend = test_random_uniform(random, -1.0, 2.0), radius = 0.02;
    bend = fmax(bend, 0.0);
    for (int i = 0; i < p.count; ++i) {
        double x = test_random_uniform(random, -radius, radius);
        double y = test_random_uniform(random, -radius, radius);
        iso_vec3 n = iso_vec3_make(-bend * x / radius, -bend * y / radius, 1.0);
        double z = bend * (x * x + y * y) / (2.0 * radius);
        p.at[i] = (iso_press){iso_vec3_make(x + 0.01, y, z), iso_vec3_normalized(n),
                              pow(10.0, test_random_uniform(random, -3.0, 1.0)), -1};
    }
    p.shell = (iso_shell){pow(10.0, test_random_uniform(random, 2.0, 5.0)),
                          pow(10.0, test_random_uniform(random, -3.0, -1.0))};
    p.mu = test_random_uniform(random, 0.1, 1.5);
    p.v_c = random_twist(random, p.mu / p.shell.stiffness / p.shell.time);
    for (int i = 0; i < ISO_STRETCH_COUNT; ++i) {
        p.stretch.s[i] = test_random_uniform(random, -1.0, 1.0) * p.mu / sqrt(p.shell.stiffness);
    }
    return p;
}

static iso_stretch_result eval(const patch* p) {
    iso_stretch_result result;
    iso_stretch_eval(&p->shell, p->mu, p->at, p->count, p->v_c, &p->stretch, NULL, &result);
    return result;
}

static iso_vec3 half(const iso_stretch* s, int first) {
    return iso_vec3_make(s->s[first], s->s[first + 1], s->s[first + 2]);
}

static double distance(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_norm(iso_vec3_sub(a, b));
}

// [Elandt2022] figure 6.2: it sticks until t*, where spring and damper reach the bound.
static void dragging_follows_the_closed_form(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    for (int k = 0; k < 50; ++k) {
        double mu = test_random_uniform(&random, 0.1, 1.0);
        iso_shell shell = {pow(10.0, test_random_uniform(&random, 2.0, 5.0)),
                           pow(10.0, test_random_uniform(&random, -3.0, -1.0))};
        double length = mu / shell.stiffness;
        double speed = test_random_uniform(&random, 0.05, 0.9) * length / shell.time;
        double start = length / speed - shell.time, end = start + 4.0 * shell.time;
        iso_vec3 v = iso_vec3_make(speed, 0.0, 0.0), stretch = iso_vec3_zero();
        int steps = 2000;
        for (int i = 0; i < steps; ++i) { // midpoints
            double h = end / steps;
            iso_vec3 t = iso_slider_traction(&shell, mu, stretch, v);
            iso_vec3 middle =
                iso_vec3_add_scaled(stretch, iso_slider_rate(&shell, stretch, t), 0.5 * h);
            t = iso_slider_traction(&shell, mu, middle, v);
            stretch = iso_vec3_add_scaled(stretch, iso_slider_rate(&shell, middle, t), h);
        }
        double exact = length - (length - speed * start) * exp(-(end - start) / shell.time);
        CHECK_REL(stretch.x, exact, 1e-6); // measured 6.6e-8
    }
}

static void friction_does_not_depend_on_axes_and_origin(void** state) {
    (void)state;
    for (int seed = 0; seed < 200; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        patch p = random_patch(&random), q = p;
        iso_mat3 r = iso_mat3_from_quat(test_random_quat(&random));
        iso_vec3 shift = test_random_vec3(&random, -0.1, 0.1); // of the common point
        for (int i = 0; i < p.count; ++i) {
            q.at[i].place = iso_mat3_mul_vec3(&r, iso_vec3_sub(p.at[i].place, shift));
            q.at[i].normal = iso_mat3_mul_vec3(&r, p.at[i].normal);
        }
        iso_spatial v = iso_spatial_shift_twist(p.v_c, shift);
        q.v_c = iso_spatial_make(iso_mat3_mul_vec3(&r, v.rotational),
                                 iso_mat3_mul_vec3(&r, v.translational));
        iso_vec3 s0 = iso_mat3_mul_vec3(&r, half(&p.stretch, 0));
        iso_vec3 s3 = iso_mat3_mul_vec3(&r, half(&p.stretch, 3));
        q.stretch = (iso_stretch){{s0.x, s0.y, s0.z, s3.x, s3.y, s3.z}};
        iso_stretch_result a = eval(&p), b = eval(&q);
        double force = iso_vec3_norm(a.wrench.translational);
        CHECK_NEAR(distance(iso_mat3_mul_vec3(&r, a.wrench.translational), b.wrench.translational),
                   0.0, 3e-9 * force); // 20,000 drawn, nearly flat ones: 3.1e-10
        iso_vec3 moment =
            iso_vec3_sub(a.wrench.rotational, iso_vec3_cross(shift, a.wrench.translational));
        CHECK_NEAR(distance(iso_mat3_mul_vec3(&r, moment), b.wrench.rotational), 0.0,
                   3e-10 * force); // 2.1e-11
        double size = sqrt(2.0 * iso_stretch_energy(&a.rate));
        for (int first = 0; first < 6; first += 3) {
            iso_vec3 turned = iso_mat3_mul_vec3(&r, half(&a.rate, first));
            CHECK_NEAR(distance(turned, half(&b.rate, first)), 0.0,
                       1e-8 * size); // measured 9.7e-10
        }
    }
}

// Lengths in other units, and forces: s is a root of an energy.
static void friction_does_not_depend_on_units(void** state) {
    (void)state;
    for (int seed = 0; seed < 200; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        patch p = random_patch(&random), q = p;
        double length = 1e3, force = 0.03, time = 60.0;
        for (int i = 0; i < p.count; ++i) {
            q.at[i].place = iso_vec3_scale(p.at[i].place, length);
            q.at[i].force = force * p.at[i].force;
        }
        q.shell = (iso_shell){p.shell.stiffness / length, p.shell.time * time};
        q.v_c = iso_spatial_make(iso_vec3_scale(p.v_c.rotational, 1.0 / time),
                                 iso_vec3_scale(p.v_c.translational, length / time));
        double root = sqrt(force * length);
        for (int i = 0; i < ISO_STRETCH_COUNT; ++i) {
            q.stretch.s[i] = root * p.stretch.s[i];
        }
        iso_stretch_result a = eval(&p), b = eval(&q);
        double f = iso_vec3_norm(a.wrench.translational);
        CHECK_NEAR(distance(iso_vec3_scale(a.wrench.translational, force), b.wrench.translational),
                   0.0, 1e-11 * force * f); // measured 8.1e-13
        for (int i = 0; i < ISO_STRETCH_COUNT; ++i) {
            double size = sqrt(2.0 * iso_stretch_energy(&a.rate));
            CHECK_NEAR(b.rate.s[i] * time / root, a.rate.s[i], 1e-8 * size); // measured 5.5e-10
        }
    }
}

// What friction takes is heat, which is never negative, and what the springs get. While all sticks
// that is the power of the springs' forces. The rate is bounded, also where nothing presses.
static void energy_of_springs_comes_from_work(void** state) {
    (void)state;
    for (int seed = 0; seed < 300; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        patch p = random_patch(&random);
        iso_stretch_result r = eval(&p);
        CHECK(r.heat >= -1e-9 * fabs(r.taken), "heat %g of %g", r.heat, r.taken);
        double total = 0.0, gain = 0.0, power = 0.0;
        for (int i = 0; i < p.count; ++i) {
            total += p.at[i].force;
        }
        double most =
            sqrt(2.0 * iso_stretch_energy(&p.stretch)) + p.mu * sqrt(total / p.shell.stiffness);
        CHECK_AT_MOST(sqrt(2.0 * iso_stretch_energy(&r.rate)) * p.shell.time, 1.000001 * most);
        p.mu = 1e9;
        r = eval(&p);
        assert_true(r.sliding == 0.0);
        for (int i = 0; i < ISO_STRETCH_COUNT; ++i) {
            gain += p.stretch.s[i] * r.rate.s[i];
        }
        double relaxing = 0.0; // what has no springs: s beyond the rank of a flat patch decays
        for (int i = 0; i < p.count; ++i) {
            iso_vec3 n = p.at[i].normal, arm = iso_vec3_sub(p.at[i].place, r.center);
            iso_vec3 d =
                iso_vec3_add(r.motion.translational, iso_vec3_cross(r.motion.rotational, arm));
            iso_vec3 v =
                iso_vec3_add(p.v_c.translational, iso_vec3_cross(p.v_c.rotational, p.at[i].place));
            d = iso_vec3_add_scaled(d, n, -iso_vec3_dot(d, n));
            power += p.shell.stiffness * p.at[i].force * iso_vec3_dot(d, v);
            relaxing += p.shell.stiffness * p.at[i].force * iso_vec3_dot(d, d);
        }
        relaxing = (relaxing - 2.0 * iso_stretch_energy(&p.stretch)) / p.shell.time;
        CHECK_NEAR(gain, power + relaxing, 1e-6 * (fabs(gain) + fabs(relaxing))); // measured 1.5e-8
        p.count = 0;
        r = eval(&p);
        for (int i = 0; i < ISO_STRETCH_COUNT; ++i) {
            CHECK_REL(r.rate.s[i], -p.stretch.s[i] / p.shell.time, 1e-15);
        }
    }
}

// [Elandt2022] figure 6.4: where all places move alike six numbers are exact.
static void sliding_that_is_rigid_is_exact(void** state) {
    (void)state;
    test_random random = test_random_make(8);
    patch p = random_patch(&random);
    for (int i = 0; i < p.count; ++i) {
        p.at[i].normal = iso_vec3_make(0.0, 0.0, 1.0);
        p.at[i].place.z = 0.0;
    }
    double total = 0.0, length = p.mu / p.shell.stiffness, h = p.shell.time / 200.0;
    p.v_c = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.3 * length / p.shell.time, 0, 0));
    p.stretch = (iso_stretch){{0.0}};
    iso_vec3 point = iso_vec3_zero();
    for (int i = 0; i < p.count; ++i) {
        total += p.at[i].force;
    }
    for (int i = 0; i < 2000; ++i) {
        if (i == 1000) { // and on across
            p.v_c.translational = iso_vec3_make(0.0, 0.5 * length / p.shell.time, 0.0);
        }
        iso_vec3 t = iso_slider_traction(&p.shell, p.mu, point, p.v_c.translational);
        iso_stretch_result r = eval(&p);
        iso_vec3 expected = iso_vec3_scale(t, total);
        CHECK_NEAR(distance(r.wrench.translational, expected), 0.0,
                   1e-12 * p.mu * total); // measured 4e-15
        CHECK_NEAR(distance(r.motion.translational, point), 0.0,
                   1e-12 * length); // measured 3.3e-15
        point = iso_vec3_add_scaled(point, iso_slider_rate(&p.shell, point, t), h);
        for (int k = 0; k < ISO_STRETCH_COUNT; ++k) {
            p.stretch.s[k] += h * r.rate.s[k];
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dragging_follows_the_closed_form),
        cmocka_unit_test(friction_does_not_depend_on_axes_and_origin),
        cmocka_unit_test(friction_does_not_depend_on_units),
        cmocka_unit_test(energy_of_springs_comes_from_work),
        cmocka_unit_test(sliding_that_is_rigid_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
