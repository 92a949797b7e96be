// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/lab.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

static iso_lab_contact solve(iso_context* ctx, const iso_lab_surface* s, double modulus,
                             double pressure, bool is_free) {
    iso_lab_contact_desc d = iso_lab_contact_desc_default();
    iso_lab_contact c;
    d.surface = s;
    d.modulus = modulus;
    d.mean_pressure = pressure;
    d.is_free = is_free;
    CHECK_OK(ctx, iso_lab_contact_solve(ctx, &d, &c));
    return c;
}

static void a_sphere_presses_as_hertz_says(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= TEST_ROUNDS(10, 1); ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface_desc d = iso_lab_surface_desc_default();
        iso_lab_surface s;
        d.kind = ISO_LAB_KIND_SPHERE;
        d.rows = test_random_int(&random, 60, 96);
        d.columns = test_random_int(&random, 60, 96);
        d.radius = pow(10.0, test_random_uniform(&random, -6.0, 1.0));
        double modulus = pow(10.0, test_random_uniform(&random, 3.0, 12.0));
        double a = d.radius * test_random_uniform(&random, 0.01, 0.2);
        d.pitch = a / test_random_uniform(&random, 18.0, 25.0);
        double force = 4.0 * modulus * a * a * a / (3.0 * d.radius);
        double area = d.rows * d.columns * d.pitch * d.pitch;
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
        iso_lab_contact c = solve(ctx, &s, modulus, force / area, true);
        double p0 = 3.0 * force / (2.0 * ISO_PI * a * a);
        CHECK_REL(c.contact_share * area, ISO_PI * a * a, 0.025); // of cells; measured 0.018
        CHECK_REL(c.max_pressure, p0, 1e-3);                      // measured 4.4e-4
        CHECK_REL(c.approach, a * a / d.radius, 5e-4);            // measured 1.2e-4
        CHECK_REL(c.energy * area, 0.4 * force * a * a / d.radius, 5e-4); // measured 1.4e-4
        double worst = 0.0, sum = 0.0;
        for (int i = 0; i < d.rows * d.columns; ++i) {
            double x = (i % d.columns - 0.5 * (d.columns - 1)) * d.pitch;
            double y = (i / d.columns - 0.5 * (d.rows - 1)) * d.pitch, r = hypot(x, y);
            if (r < 0.9 * a) {
                worst =
                    fmax(worst, fabs(c.pressures[i] / (p0 * sqrt(1.0 - r * r / (a * a))) - 1.0));
            }
            sum += c.pressures[i];
        }
        CHECK_AT_MOST(worst, 0.01);                       // measured 0.0031
        CHECK_REL(sum * d.pitch * d.pitch, force, 1e-13); // measured 1.6e-15
        iso_lab_contact_free(ctx, &c);
        iso_lab_surface_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

static void a_sine_touches_as_westergaard_says(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface_desc d = iso_lab_surface_desc_default();
        iso_lab_surface s;
        d.kind = ISO_LAB_KIND_SINE;
        d.rows = 4;
        d.columns = 512;
        d.longest = 0.0;
        d.pitch = pow(10.0, test_random_uniform(&random, -7.0, 0.0));
        double wave = d.columns * d.pitch;
        d.rms_height = wave * test_random_uniform(&random, 1e-4, 1e-2);
        d.longest = 4.0 * d.pitch; // what a grid of 4 rows spans
        double modulus = pow(10.0, test_random_uniform(&random, 3.0, 12.0));
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
        for (int i = 0; i < d.rows * d.columns; ++i) {
            s.heights[i] =
                sqrt(2.0) * d.rms_height * cos(2.0 * ISO_PI * (i % d.columns) / d.columns);
        }
        double full = ISO_PI * modulus * sqrt(2.0) * d.rms_height / wave;
        double load = full * test_random_uniform(&random, 0.05, 0.9);
        iso_lab_contact c = solve(ctx, &s, modulus, load, false);
        double half = asin(sqrt(load / full)) / ISO_PI; // of a wave
        CHECK_NEAR(c.contact_share, 2.0 * half, 2.0 / d.columns);
        double sine = sin(ISO_PI * half), worst = 0.0;
        for (int i = 0; i < d.columns; ++i) {
            double x = (i <= d.columns / 2 ? i : i - d.columns) / (double)d.columns;
            double at = sin(ISO_PI * x);
            if (fabs(x) < half) {
                double p =
                    2.0 * load * cos(ISO_PI * x) / (sine * sine) * sqrt(sine * sine - at * at);
                worst = fmax(worst, fabs(c.pressures[i] - p) / c.max_pressure);
            }
        }
        CHECK_AT_MOST(worst, 0.03);                         // at the edge; measured 0.012
        CHECK_REL(c.max_pressure, 2.0 * load / sine, 3e-5); // measured 7.3e-6
        iso_lab_contact_free(ctx, &c);
        iso_lab_surface_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

static void pressures_complement_gaps_and_carry_the_load(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= TEST_ROUNDS(30, 4); ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface_desc d = iso_lab_surface_desc_default();
        iso_lab_surface s;
        iso_lab_statistics m;
        d.rows = test_random_int(&random, 12, 70);
        d.columns = test_random_int(&random, 12, 70);
        d.hurst = test_random_uniform(&random, 0.2, 1.0);
        d.seed = seed;
        bool is_free = seed % 2 == 0;
        double modulus = pow(10.0, test_random_uniform(&random, 3.0, 12.0));
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
        CHECK_OK(ctx, iso_lab_surface_measure(ctx, &s, &m));
        double low = modulus * m.rms_slope * test_random_uniform(&random, 0.005, 0.1);
        iso_lab_contact one = solve(ctx, &s, modulus, low, is_free);
        iso_lab_contact two = solve(ctx, &s, modulus, 2.0 * low, is_free);
        double sum = 0.0, work = 0.0;
        for (int i = 0; i < d.rows * d.columns; ++i) {
            CHECK(one.pressures[i] >= 0.0 && one.gaps[i] >= 0.0, "%d", i);
            sum += one.pressures[i];
            work += one.pressures[i] * one.gaps[i];
        }
        CHECK_REL(sum / (d.rows * d.columns), low, 1e-13); // measured 7e-16
        CHECK_NEAR(work, 0.0, 0.0);
        CHECK_AT_MOST(one.error, 1e-8);
        CHECK(two.contact_share >= one.contact_share, "%g", two.contact_share);
        CHECK(two.mean_gap < one.mean_gap && two.approach > one.approach, "%g", two.mean_gap);
        // All lengths twice, and stiffness and pressure twice: nothing else changes.
        for (int i = 0; i < d.rows * d.columns; ++i) {
            s.heights[i] *= 2.0;
        }
        s.pitch *= 2.0;
        iso_lab_contact same = solve(ctx, &s, 2.0 * modulus, 2.0 * low, is_free);
        assert_int_equal(same.contact_count, one.contact_count);
        CHECK_REL(same.max_pressure, 2.0 * one.max_pressure, 1e-12); // measured 0: powers of two
        CHECK_REL(same.mean_gap, 2.0 * one.mean_gap, 1e-12);
        iso_lab_contact_free(ctx, &same);
        iso_lab_contact_free(ctx, &one);
        iso_lab_contact_free(ctx, &two);
        iso_lab_surface_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

static void energy_is_the_work_of_the_load(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface_desc d = iso_lab_surface_desc_default();
        iso_lab_surface s;
        d.rows = d.columns = 32;
        d.seed = seed;
        bool is_free = seed % 2 == 0;
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
        double load = 1e7 * test_random_uniform(&random, 0.5, 3.0), step = 1e-3 * load;
        iso_lab_contact a = solve(ctx, &s, 1e9, load - step, is_free);
        iso_lab_contact b = solve(ctx, &s, 1e9, load + step, is_free);
        double work = load * (b.approach - a.approach);
        CHECK_REL(b.energy - a.energy, work, 1e-5); // measured 1.3e-6
        iso_lab_contact_free(ctx, &a);
        iso_lab_contact_free(ctx, &b);
        iso_lab_surface_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

// What tamaas 2.9.0 (PolonskyKeerRey, error 1e-12) finds of the same heights.
static void a_rough_surface_touches_as_tamaas_says(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    iso_lab_surface_desc d = iso_lab_surface_desc_default();
    iso_lab_surface s;
    d.rows = d.columns = 128;
    d.seed = 5;
    CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
    iso_lab_contact c = solve(ctx, &s, 1e9, 1e6, false);
    CHECK_NEAR(c.contact_share, 0.18450927734375, 0.0);
    CHECK_REL(c.max_pressure, 22160322.11662478, 1e-6); // measured 1.5e-8
    iso_lab_contact_free(ctx, &c);
    iso_lab_surface_free(ctx, &s);
    test_context_destroy(ctx);
}

// Small grids under all loads: one point may carry alone at first, which gives no direction.
static void few_points_find_their_contact(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface_desc d = iso_lab_surface_desc_default();
        iso_lab_surface s;
        d.rows = test_random_int(&random, 4, 12);
        d.columns = test_random_int(&random, 4, 12);
        d.seed = seed;
        CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
        double load = pow(10.0, test_random_uniform(&random, -3.0, 10.0));
        iso_lab_contact c = solve(ctx, &s, 1e9, load, seed % 2 == 0);
        CHECK_AT_MOST(c.error, 1e-8);
        double sum = 0.0;
        for (int i = 0; i < d.rows * d.columns; ++i) {
            sum += c.pressures[i];
        }
        CHECK_REL(sum / (d.rows * d.columns), load, 1e-13); // measured 4e-16
        iso_lab_contact_free(ctx, &c);
        iso_lab_surface_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

static iso_status attempt_contact(iso_context* ctx, void* user) {
    iso_lab_contact_desc d = *(const iso_lab_contact_desc*)user;
    iso_lab_contact c;
    iso_status status = iso_lab_contact_solve(ctx, &d, &c);
    iso_lab_contact_free(ctx, &c);
    return status;
}

static void bad_input_and_failed_allocations_are_reported(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    iso_lab_surface_desc sd = iso_lab_surface_desc_default();
    iso_lab_surface s;
    sd.rows = sd.columns = 16;
    CHECK_OK(ctx, iso_lab_surface_make(ctx, &sd, &s));
    iso_lab_contact_desc good = iso_lab_contact_desc_default(), d = good;
    iso_lab_contact c;
    good.surface = &s;
    good.modulus = 1e9;
    good.mean_pressure = 1e6;
    good.is_free = true;
    assert_true(check_every_allocation_failure(attempt_contact, &good) >= 7);
    CHECK_STATUS(ctx, iso_lab_contact_solve(ctx, &d, &c), ISO_ERR_ARGUMENT);
    d = good;
    d.modulus = -1.0;
    CHECK_STATUS(ctx, iso_lab_contact_solve(ctx, &d, &c), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the contact modulus is -1 Pa, expected in [1e-100, 1e+100]");
    d = good;
    d.mean_pressure = NAN;
    CHECK_STATUS(ctx, iso_lab_contact_solve(ctx, &d, &c), ISO_ERR_RANGE);
    const double tolerances[] = {0.0, 1e-30, 5.0, NAN};
    for (int i = 0; i < 4; ++i) {
        d = good;
        d.tolerance = tolerances[i];
        CHECK_STATUS(ctx, iso_lab_contact_solve(ctx, &d, &c), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "expected in [1e-14, 0.1]");
    }
    d = good;
    d.max_iterations = 1;
    CHECK_STATUS(ctx, iso_lab_contact_solve(ctx, &d, &c), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "after 1 iterations, expected at most 1e-08");
    assert_null(c.pressures);
    memset(s.heights, 0, 256 * sizeof(double));
    CHECK_STATUS(ctx, iso_lab_contact_solve(ctx, &good, &c), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the surface is flat");
    s.heights[17] = INFINITY;
    CHECK_STATUS(ctx, iso_lab_contact_solve(ctx, &good, &c), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "height 1 of row 1 is inf");
    iso_lab_surface_free(ctx, &s);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_presses_as_hertz_says),
        cmocka_unit_test(a_sine_touches_as_westergaard_says),
        cmocka_unit_test(pressures_complement_gaps_and_carry_the_load),
        cmocka_unit_test(few_points_find_their_contact),
        cmocka_unit_test(a_rough_surface_touches_as_tamaas_says),
        cmocka_unit_test(energy_is_the_work_of_the_load),
        cmocka_unit_test(bad_input_and_failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
