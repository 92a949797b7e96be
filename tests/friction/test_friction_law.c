// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/friction_law.h"
#include "support/check.h"
#include "support/random.h"

static double rational(void* user, const iso_friction_params* pair, double speed) {
    double size = *(double*)user; // of v_c at which it is half as large
    return pair->friction_dynamic * speed / (speed + size * pair->velocity);
}

static double rational_slope(void* user, const iso_friction_params* pair, double speed) {
    double half = *(double*)user * pair->velocity, sum = speed + half;
    return pair->friction_dynamic * half / (sum * sum);
}

static double k_size = 0.3;
static const iso_own_friction k_own = {rational, rational_slope, &k_size};

static iso_friction of(iso_friction_law law) {
    return (iso_friction){
        .law = law,
        .own = &k_own,
        .params = {
            .friction_static = 0.8, .friction_dynamic = 0.5, .velocity = 1e-3, .damping = 200.0}};
}

static double ratio(iso_friction_law law, double speed) {
    const iso_friction friction = of(law);
    return iso_friction_law_ratio(&friction, speed);
}

static double ratio_slope(iso_friction_law law, double speed) {
    const iso_friction friction = of(law);
    return iso_friction_law_ratio_slope(&friction, speed);
}

static double coefficient(iso_friction_law law, double speed) {
    return ratio(law, speed) * speed;
}

static void viscous_law_is_linear_then_constant(void** state) {
    (void)state;
    CHECK_NEAR(coefficient(ISO_FRICTION_VISCOUS, 0.0), 0.0, 0.0);    // measured 0
    CHECK_NEAR(coefficient(ISO_FRICTION_VISCOUS, 5e-4), 0.25, 0.0);  // measured 0
    CHECK_NEAR(coefficient(ISO_FRICTION_VISCOUS, 1e-3), 0.5, 0.0);   // measured 0
    CHECK_NEAR(coefficient(ISO_FRICTION_VISCOUS, 10.0), 0.5, 1e-15); // measured 0
}

static void every_law_reaches_the_dynamic_coefficient(void** state) {
    (void)state;
    for (int law = 0; law < ISO_FRICTION_LAW_COUNT; ++law) {
        // measured 3.2e-11, atan's tail 2 / (pi x) at x = 1e10
        CHECK_NEAR(coefficient((iso_friction_law)law, 1e7), 0.5, 1e-10);
    }
}

static void no_law_exceeds_its_coulomb_bound(void** state) {
    (void)state;
    for (int law = 0; law < ISO_FRICTION_LAW_COUNT; ++law) {
        bool is_static = law == ISO_FRICTION_STRIBECK || law == ISO_FRICTION_THREE_PIECE;
        double bound = is_static ? 0.8 : 0.5;
        for (double speed = 0.0; speed < 0.01; speed += 1e-5) {
            double mu = coefficient((iso_friction_law)law, speed);
            CHECK_AT_MOST(mu, bound * (1.0 + 1e-15)); // measured excess 0
            CHECK_AT_MOST(-mu, 0.0);
        }
    }
}

static void stribeck_law_peaks_at_the_static_coefficient(void** state) {
    (void)state;
    CHECK_NEAR(coefficient(ISO_FRICTION_STRIBECK, 1e-3), 0.8, 1e-15);  // measured 0
    CHECK_NEAR(coefficient(ISO_FRICTION_STRIBECK, 2e-3), 0.65, 1e-15); // measured 0
    CHECK_NEAR(coefficient(ISO_FRICTION_STRIBECK, 3e-3), 0.5, 1e-15);  // measured 0
    CHECK_NEAR(coefficient(ISO_FRICTION_STRIBECK, 5e-4), 0.4, 1e-15);  // measured 0
}

static void three_piece_law_has_three_pieces(void** state) {
    (void)state;
    const double expected[][2] = {{0.0, 0.0},     {5e-4, 0.4},      {1e-3, 0.8}, {2e-3, 0.8},
                                  {2.5e-3, 0.65}, {2.75e-3, 0.575}, {3e-3, 0.5}, {1.0, 0.5}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        double mu = coefficient(ISO_FRICTION_THREE_PIECE, expected[i][0]);
        CHECK_NEAR(mu, expected[i][1], 2e-16); // measured 1.1e-16
    }
}

// A law of the caller's own: its value, its slope, and that slope by differences.
static void own_law_is_the_callers(void** state) {
    (void)state;
    double size = 0.7;
    iso_friction friction = of(ISO_FRICTION_OWN);
    iso_own_friction own = {rational, rational_slope, &size};
    friction.own = &own;
    const iso_friction_params* p = &friction.params;
    for (double v = 1e-8; v < 1.0; v *= 1.7) {
        double mu = iso_friction_coefficient(ISO_FRICTION_OWN, &own, p, v);
        CHECK_REL(mu, rational(&size, p, v), 4e-16); // measured 2.4e-16
        own.slope = rational_slope;
        double slope = iso_friction_law_ratio_slope(&friction, v);
        own.slope = NULL;
        double by_differences = iso_friction_law_ratio_slope(&friction, v);
        double sum = v + size * p->velocity, exact = -p->friction_dynamic / (sum * sum);
        CHECK_REL(slope, exact, 2e-9);          // measured 6.1e-12
        CHECK_REL(by_differences, exact, 1e-5); // measured 5.2e-7
    }
}

// The smooth laws change branch near zero; the quotient must not jump there. Compared with the
// series of atan(x) / x around the place where Drake changes branch, too.
static void atan_ratio_equals_its_series(void** state) {
    (void)state;
    for (double x = 0.0; x < 0.2; x = x < 1e-7 ? x + 1e-8 : 1.3 * x) {
        double term = 1.0, series = 0.0;
        for (int i = 0; i < 24; ++i) {
            series += term / (2 * i + 1);
            term *= -x * x;
        }
        double value = ratio(ISO_FRICTION_ATAN, x * 1e-3);
        CHECK_REL(value, 0.5 * 2.0 / ISO_PI / 1e-3 * series, 1e-15); // measured 3.6e-16
    }
}

static void tanh_ratio_is_continuous_at_zero(void** state) {
    (void)state;
    double at_zero = ratio(ISO_FRICTION_TANH, 0.0);
    CHECK_REL(at_zero, 0.5 / 1e-3, 1e-15); // measured 0
    for (double x = 1e-7; x < 1e-3; x *= 1.5) {
        double value = ratio(ISO_FRICTION_TANH, x * 1e-3);
        double expected = at_zero * (1.0 - x * x / 3.0 + 2.0 / 15.0 * x * x * x * x);
        CHECK_REL(value, expected, 1e-15); // measured 1.2e-16
    }
}

// First terms of the derivatives of tanh(x) / x and atan(x) / x.
static double series_slope(iso_friction_law law, double x) {
    double y = x * x;
    return law == ISO_FRICTION_TANH
               ? 0.5 * x *
                     (-2.0 / 3.0 + y * (8.0 / 15.0 + y * (-34.0 / 105.0 + y * 496.0 / 2835.0)))
               : 0.5 * (2.0 / ISO_PI) * x *
                     (-2.0 / 3.0 + y * (4.0 / 5.0 + y * (-6.0 / 7.0 + y * 8.0 / 9.0)));
}

// The quotients there lose digits to cancellation: 1e-16 / x^2 of them beyond the change of branch.
static void smooth_slopes_equal_their_series_near_zero(void** state) {
    (void)state;
    const iso_friction_law laws[] = {ISO_FRICTION_TANH, ISO_FRICTION_ATAN};
    for (int i = 0; i < 2; ++i) {
        CHECK_NEAR(ratio_slope(laws[i], 0.0), 0.0, 0.0);
        for (double x = 1e-9; x < 0.01; x *= 1.3) {
            double slope = ratio_slope(laws[i], x * 1e-3);
            CHECK_REL(slope, series_slope(laws[i], x) / 1e-6, 5e-10); // measured 5.6e-11
        }
    }
}

static void slopes_are_those_of_the_ratios(void** state) {
    (void)state;
    for (int law = 0; law < ISO_FRICTION_LAW_COUNT; ++law) {
        for (double x = 0.05; x < 5.0; x += 0.1) {
            double v = x * 1e-3, h = 1e-8;
            double above = ratio((iso_friction_law)law, v + h);
            double below = ratio((iso_friction_law)law, v - h);
            double slope = ratio_slope((iso_friction_law)law, v);
            // In units of 1 / v_c^2; measured 1.1e-9
            CHECK_NEAR(slope * 1e-6, (above - below) / (2.0 * h) * 1e-6, 1e-8);
        }
    }
}

static void traction_opposes_slip(void** state) {
    (void)state;
    test_random random = test_random_make(1);
    for (int i = 0; i < 100; ++i) {
        iso_vec3 v = test_random_vec3(&random, -2e-3, 2e-3);
        for (int law = 0; law < ISO_FRICTION_LAW_COUNT; ++law) {
            const iso_friction friction = of((iso_friction_law)law);
            iso_vec3 t = iso_friction_law_traction(&friction, v);
            double speed = iso_vec3_norm(v);
            // measured 6.6e-19
            CHECK_NEAR(iso_vec3_dot(t, v), -coefficient((iso_friction_law)law, speed) * speed,
                       1e-18);
            CHECK_AT_MOST(iso_vec3_norm(iso_vec3_cross(t, v)), 1e-18); // measured 1.7e-19
        }
    }
}

static void laws_have_distinct_names(void** state) {
    (void)state;
    for (int a = 0; a < ISO_FRICTION_LAW_COUNT; ++a) {
        for (int b = 0; b < a; ++b) {
            assert_string_not_equal(iso_friction_law_name((iso_friction_law)a),
                                    iso_friction_law_name((iso_friction_law)b));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(viscous_law_is_linear_then_constant),
        cmocka_unit_test(every_law_reaches_the_dynamic_coefficient),
        cmocka_unit_test(no_law_exceeds_its_coulomb_bound),
        cmocka_unit_test(stribeck_law_peaks_at_the_static_coefficient),
        cmocka_unit_test(three_piece_law_has_three_pieces),
        cmocka_unit_test(own_law_is_the_callers),
        cmocka_unit_test(atan_ratio_equals_its_series),
        cmocka_unit_test(tanh_ratio_is_continuous_at_zero),
        cmocka_unit_test(smooth_slopes_equal_their_series_near_zero),
        cmocka_unit_test(slopes_are_those_of_the_ratios),
        cmocka_unit_test(traction_opposes_slip),
        cmocka_unit_test(laws_have_distinct_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
