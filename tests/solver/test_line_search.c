// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/line_search.h"
#include "support/check.h"
#include "support/random.h"

#include <math.h>

// A parabola with its minimum at `minimum`, plus a kink in the slope there; relative to 0.
typedef struct line_case {
    double minimum, curvature, jump;
} line_case;

static iso_line_point parabola(const void* user, double alpha) {
    const line_case* c = user;
    double x = alpha - c->minimum, start = c->minimum;
    double side = x > 0.0 ? 1.0 : -1.0;
    double change = 0.5 * c->curvature * (x * x - start * start);
    return (iso_line_point){alpha, change + c->jump * (fabs(x) - fabs(start)),
                            c->curvature * x + c->jump * side, c->curvature};
}

static double slope_at_zero(const line_case* c) {
    return parabola(c, 0.0).slope;
}

static void newtons_own_step_needs_one_evaluation(void** state) {
    (void)state;
    line_case c = {1.0, 3.0, 0.0};
    int count = 0;
    iso_line_point end =
        iso_line_search(&(iso_line){parabola, NULL, &c}, slope_at_zero(&c), 0.0, 1e-8, 100, &count);
    CHECK_BITS(end.alpha, 1.0);
    assert_int_equal(count, 1);
}

static void minimum_beyond_the_longest_step_gives_the_longest_step(void** state) {
    (void)state;
    line_case c = {4.0, 1.0, 0.0};
    int count = 0;
    iso_line_point end =
        iso_line_search(&(iso_line){parabola, NULL, &c}, slope_at_zero(&c), 0.0, 1e-8, 100, &count);
    CHECK_BITS(end.alpha, ISO_LINE_LONGEST);
    assert_int_equal(count, 2);
}

static void parabola_is_minimised_in_three_evaluations(void** state) {
    (void)state;
    const double minima[] = {1e-3, 0.25, 0.9, 1.1, 1.45};
    for (int i = 0; i < 5; ++i) {
        line_case c = {minima[i], 2.0, 0.0};
        int count = 0;
        iso_line_point end = iso_line_search(&(iso_line){parabola, NULL, &c}, slope_at_zero(&c),
                                             0.0, 1e-8, 100, &count);
        CHECK_NEAR(end.alpha, minima[i], 1e-12); // measured 1e-16
        CHECK(count <= 3, "%d evaluations for a minimum at %g", count, minima[i]);
    }
}

/// A kink 10^6 times as steep as the parabola: bisection has to find it.
static void kink_is_found_by_bisection(void** state) {
    (void)state;
    const double minima[] = {0.1, 0.377, 0.99, 1.3};
    for (int i = 0; i < 4; ++i) {
        line_case c = {minima[i], 1.0, 1e6};
        int count = 0;
        iso_line_point end = iso_line_search(&(iso_line){parabola, NULL, &c}, slope_at_zero(&c),
                                             0.0, 1e-8, 100, &count);
        CHECK_NEAR(end.alpha, minima[i], 1.1e-12); // bracket of 1e-12; measured 4e-13
        CHECK(count <= 60, "%d evaluations for a kink at %g", count, minima[i]);
    }
}

/// Slope (alpha - a)^3 + tiny linear part: Newton converges linearly by 2/3, bisection helps.
static iso_line_point quartic(const void* user, double alpha) {
    const line_case* c = user;
    double x = alpha - c->minimum;
    double start = c->minimum * c->minimum;
    return (iso_line_point){alpha, 0.25 * (x * x * x * x - start * start), x * x * x, 3.0 * x * x};
}

static void flat_minimum_is_found_to_the_tolerance_of_the_slope(void** state) {
    (void)state;
    line_case c = {0.7, 0.0, 0.0};
    int count = 0;
    double slope0 = quartic(&c, 0.0).slope;
    iso_line_point end =
        iso_line_search(&(iso_line){quartic, NULL, &c}, slope0, 0.0, 1e-8, 100, &count);
    CHECK_AT_MOST(fabs(end.slope), 1e-8 * fabs(slope0));
    CHECK(count <= 30, "%d evaluations", count);
}

static iso_line_point broken(const void* user, double alpha) {
    (void)user;
    return (iso_line_point){alpha, NAN, NAN, NAN};
}

static void function_that_is_not_finite_ends_the_search(void** state) {
    (void)state;
    int count = 0;
    iso_line_point end =
        iso_line_search(&(iso_line){broken, NULL, NULL}, -1.0, 0.0, 1e-8, 100, &count);
    assert_true(isnan(end.slope));
    assert_int_equal(count, 1);
}

// Goes down with slope 1 to the kink at `minimum` and up with `curvature` beyond.
static iso_line_point bend(const void* user, double alpha) {
    const line_case* c = user;
    double beyond = fmax(alpha - c->minimum, 0.0);
    return (iso_line_point){alpha, (c->curvature + 1.0) * beyond - alpha,
                            beyond > 0.0 ? c->curvature : -1.0, 0.0};
}

/// A slope within the tolerance is not enough beyond a kink: all that went down may be lost again.
static void search_does_not_end_above_its_start(void** state) {
    (void)state;
    const double kinks[] = {1e-6, 1e-4, 0.01, 0.03};
    for (int i = 0; i < 4; ++i) {
        line_case c = {kinks[i], 0.05, 0.0};
        int count = 0;
        iso_line_point end =
            iso_line_search(&(iso_line){bend, NULL, &c}, -1.0, 0.25, 0.1, 100, &count);
        CHECK(end.value <= 0.0 && end.alpha > 0.0, "value %g at %g", end.value, end.alpha);
        CHECK(count <= 20, "%d evaluations for a kink at %g", count, kinks[i]);
    }
}

/// What goes down far enough, or could go on, is taken at once; what does not is searched.
static void whole_step_that_goes_down_is_taken_where_asked_for(void** state) {
    (void)state;
    // Value at 1 over the slope at 0: 1 - 1 / (2 m) for the minimum m.
    const double minima[] = {0.4, 0.6, 0.7, 1.0, 1.3, 9.0};
    for (int i = 0; i < 6; ++i) {
        line_case c = {minima[i], 2.0, 0.0};
        int count = 0;
        iso_line_point end = iso_line_search(&(iso_line){parabola, NULL, &c}, slope_at_zero(&c),
                                             0.25, 1e-8, 100, &count);
        if (minima[i] < 0.65) {
            CHECK_NEAR(end.alpha, minima[i], 1e-12);
        } else {
            CHECK_BITS(end.alpha, 1.0);
            CHECK(count == 1, "%d evaluations", count);
        }
    }
}

// A parabola, what grows as a contact closes, and kinks, as of dry friction and limits of joints.
enum { KINKS = 12 };
typedef struct bent_case {
    double minimum, curvature, closing, stiffness;
    double places[KINKS], jumps[KINKS];
} bent_case;

static iso_line_point kinks(const void* user, double alpha) {
    const bent_case* c = user;
    iso_line_point sum = {.alpha = alpha};
    for (int i = 0; i < KINKS; ++i) {
        double x = alpha - c->places[i];
        sum.value += c->jumps[i] * (fabs(x) - fabs(c->places[i]));
        sum.slope += x < 0.0 ? -c->jumps[i] : c->jumps[i];
    }
    return sum;
}

static iso_line_point with_kinks(const void* user, double alpha) {
    const bent_case* c = user;
    iso_line_point sum = kinks(user, alpha);
    double x = alpha - c->minimum, pressed = fmax(alpha - c->closing, 0.0);
    double start = fmax(-c->closing, 0.0);
    sum.value += 0.5 * c->curvature * (x * x - c->minimum * c->minimum) +
                 c->stiffness * (pressed * pressed * pressed - start * start * start);
    sum.slope += c->curvature * x + 3.0 * c->stiffness * pressed * pressed;
    sum.curvature += c->curvature + 6.0 * c->stiffness * pressed;
    return sum;
}

static bent_case draw_bends(test_random* random) {
    bent_case c = {.minimum = test_random_uniform(random, 0.3, 1.2),
                   .curvature = 1.0,
                   .closing = test_random_uniform(random, 0.0, 1.0),
                   .stiffness = test_random_uniform(random, 0.0, 3.0)};
    for (int i = 0; i < KINKS; ++i) {
        c.places[i] = test_random_uniform(random, 0.0, 1.0);
        c.jumps[i] = pow(10.0, test_random_uniform(random, -3.0, 0.5));
    }
    return c;
}

/// Kinks that are told apart cost few evaluations of all the rest; without that, bisection.
static void bent_part_is_followed_with_few_evaluations_of_the_rest(void** state) {
    (void)state;
    test_random random = test_random_make(7);
    int most = 0, sum = 0, plain_sum = 0, searched = 0;
    for (int i = 0; i < 2000; ++i) {
        bent_case c = draw_bends(&random);
        double slope0 = with_kinks(&c, 0.0).slope;
        if (slope0 >= 0.0 || with_kinks(&c, 1.5).slope <= 0.0) {
            continue;
        }
        int count = 0, plain_count = 0;
        iso_line line = {with_kinks, kinks, &c}, plain = {with_kinks, NULL, &c};
        iso_line_point end = iso_line_search(&line, slope0, 0.0, 1e-8, 100, &count);
        iso_line_point same = iso_line_search(&plain, slope0, 0.0, 1e-8, 100, &plain_count);
        CHECK_NEAR(end.alpha, same.alpha, 1e-7); // measured 7.3e-9
        CHECK_NEAR(end.value, same.value, 1e-10);
        most = count > most ? count : most;
        sum += count;
        plain_sum += plain_count;
        ++searched;
    }
    print_message("%d lines: %.1f evaluations, at most %d; %.1f without the bends\n", searched,
                  (double)sum / searched, most, (double)plain_sum / searched);
    assert_true(searched > 1000 && most <= 12 && 6 * sum < plain_sum);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_part_is_followed_with_few_evaluations_of_the_rest),
        cmocka_unit_test(whole_step_that_goes_down_is_taken_where_asked_for),
        cmocka_unit_test(newtons_own_step_needs_one_evaluation),
        cmocka_unit_test(minimum_beyond_the_longest_step_gives_the_longest_step),
        cmocka_unit_test(parabola_is_minimised_in_three_evaluations),
        cmocka_unit_test(kink_is_found_by_bisection),
        cmocka_unit_test(flat_minimum_is_found_to_the_tolerance_of_the_slope),
        cmocka_unit_test(search_does_not_end_above_its_start),
        cmocka_unit_test(function_that_is_not_finite_ends_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
