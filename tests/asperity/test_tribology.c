// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/tribology.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>

static double draw(test_random* random, double low, double high) {
    return pow(10.0, test_random_uniform(random, low, high));
}

static void formulas_of_hertz_agree_with_each_other(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        test_random random = test_random_make(seed);
        double e1 = draw(&random, 5, 12), e2 = draw(&random, 5, 12), force = draw(&random, -6, 4);
        double nu = test_random_uniform(&random, 0.0, 0.5), r1 = draw(&random, -6, 1);
        double modulus = iso_trib_contact_modulus(e1, nu, e2, 0.3);
        double radius = iso_trib_radius(r1, draw(&random, -6, 1));
        iso_trib_hertz h = iso_trib_hertz_of(force, radius, modulus);
        CHECK_REL(h.max_pressure, 1.5 * force / h.area, 1e-13);
        CHECK_REL(h.max_pressure, 2.0 * modulus * h.contact_radius / (ISO_PI * radius), 1e-13);
        CHECK_REL(iso_trib_hertz_of(8.0 * force, radius, modulus).area, 4.0 * h.area, 1e-13);
        CHECK_REL(iso_trib_contact_modulus(e2, 0.3, e1, nu), modulus, 1e-14);
        CHECK_REL(iso_trib_contact_modulus(e1, nu, INFINITY, 0.3), e1 / (1.0 - nu * nu), 1e-14);
        CHECK_REL(iso_trib_radius(r1, INFINITY), r1, 1e-15);
        double sum = 0.0; // of the pressure over the disc, s = sqrt(1 - r^2 / a^2): 2 pi a^2 p s ds
        for (int i = 0; i < 1000; ++i) {
            double s = (i + 0.5) / 1000.0;
            double r = h.contact_radius * sqrt(1.0 - s * s);
            sum += 2.0 * h.area * iso_trib_hertz_pressure(&h, r) * s / 1000.0;
        }
        CHECK_REL(sum, force, 1e-6); // measured 2.5e-7, of the midpoint rule
        CHECK_NEAR(iso_trib_hertz_pressure(&h, 1.01 * h.contact_radius), 0.0, 0.0);
    }
}

static void areas_of_archard_grow_as_he_says(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        test_random random = test_random_make(seed);
        double force = draw(&random, -3, 3), each = draw(&random, -6, -3);
        double radius = draw(&random, -6, -3), modulus = draw(&random, 6, 11);
        int count = test_random_int(&random, 1, 1000);
        double f = draw(&random, 0, 2);
        CHECK_REL(iso_trib_archard_growing(f * force, count, radius, modulus),
                  pow(f, 2.0 / 3.0) * iso_trib_archard_growing(force, count, radius, modulus),
                  1e-12);
        CHECK_REL(iso_trib_archard_multiplying(f * force, each, radius, modulus),
                  f * iso_trib_archard_multiplying(force, each, radius, modulus), 1e-12);
        // n contacts of the same load are the same by both.
        CHECK_REL(iso_trib_archard_multiplying(count * each, each, radius, modulus),
                  iso_trib_archard_growing(count * each, count, radius, modulus), 1e-12);
        double radii[3] = {radius, 2.0 * radius, 3.0 * radius}, loads[3] = {each, each, each};
        double area = iso_trib_archard_growing(each, 1, radius, modulus);
        CHECK_REL(iso_trib_summit_friction(1e6, radii, loads, 3, modulus),
                  1e6 * area * (1.0 + pow(2.0, 2.0 / 3.0) + pow(3.0, 2.0 / 3.0)), 1e-12);
        CHECK_REL(iso_trib_adhesion(radii, 3, iso_trib_work_of_adhesion(0.3, 0.2, 0.1)),
                  12.0 * ISO_PI * radius * 0.4, 1e-12);
        CHECK_REL(iso_trib_bowden_tabor(force, 2.8, modulus), force / (2.8 * modulus), 1e-15);
        CHECK_REL(iso_trib_atomic_friction(1e-6, 1e-9, 2.0, area), 2e3 * area, 1e-12);
    }
}

// Flat: N = p A and F = (a + b p) A. Tilted by theta: the same law turned by the angle.
static void the_local_law_of_a_plane_turns_with_it(void** state) {
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        enum { ROWS = 5, COLUMNS = 7 };
        test_random random = test_random_make(seed);
        double heights[ROWS * COLUMNS], p[ROWS * COLUMNS], n = 0.0, f = 0.0;
        double pitch = draw(&random, -6, 0), pressure = draw(&random, 3, 9);
        double x = seed % 2 ? 0.0 : test_random_uniform(&random, -0.7, 0.7);
        double y = seed % 2 ? 0.0 : test_random_uniform(&random, -0.7, 0.7);
        iso_trib_binomial law = {draw(&random, 3, 7), test_random_uniform(&random, 0.02, 0.25)};
        for (int i = 0; i < ROWS * COLUMNS; ++i) {
            heights[i] = pitch * (i % COLUMNS * tan(x) + i / COLUMNS * tan(y));
            p[i] = pressure;
        }
        iso_lab_surface s = {ROWS, COLUMNS, pitch, false, heights};
        CHECK_OK(*state, iso_trib_rough_friction(*state, &s, p, law, &n, &f));
        double area = ROWS * COLUMNS * pitch * pitch, shear = law.a + law.b * pressure;
        CHECK_NEAR(n, area * (pressure * cos(x) - shear * sin(x)) * cos(y),
                   1e-12 * area * (pressure + shear));
        CHECK_NEAR(f, area * (pressure * sin(x) + shear * cos(x)) * cos(y),
                   1e-12 * area * (pressure + shear));
        law.b = -1.0;
        CHECK_STATUS(*state, iso_trib_rough_friction(*state, &s, p, law, &n, &f), ISO_ERR_RANGE);
    }
}

// A periodic surface neither climbs nor falls: what its slopes do to the load alone evens out, so
// that a = 0 leaves about b, and a adds a times the real area over the load.
static void friction_of_a_rough_contact_is_that_of_its_area(void** state) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        iso_lab_surface_desc d = iso_lab_surface_desc_default();
        iso_lab_surface s;
        iso_lab_contact c;
        double n = 0.0, f = 0.0;
        d.rows = d.columns = 64;
        d.seed = seed;
        d.shortest = 8.0 * d.pitch;
        CHECK_OK(*state, iso_lab_surface_make(*state, &d, &s));
        iso_lab_contact_desc cd = iso_lab_contact_desc_default();
        cd.surface = &s;
        cd.modulus = 1e9;
        cd.mean_pressure = 1e6;
        CHECK_OK(*state, iso_lab_contact_solve(*state, &cd, &c));
        iso_trib_binomial law = {1e6, 0.1};
        CHECK_OK(*state, iso_trib_rough_friction(*state, &s, c.pressures, law, &n, &f));
        CHECK_NEAR(f / n, 0.1 + 1e6 * c.contact_share / cd.mean_pressure, 2e-4); // measured 5.3e-5
        iso_lab_contact_free(*state, &c);
        iso_lab_surface_free(*state, &s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_of_hertz_agree_with_each_other),
        cmocka_unit_test(areas_of_archard_grow_as_he_says),
        cmocka_unit_test_setup_teardown(the_local_law_of_a_plane_turns_with_it, test_set_up,
                                        test_tear_down),
        cmocka_unit_test_setup_teardown(friction_of_a_rough_contact_is_that_of_its_area,
                                        test_set_up, test_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
