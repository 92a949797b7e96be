// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The interface of ODE methods: orders, curves, events, statistics, and how a run ends that cannot
// go on.

#include "integrator/stiff_problems.h"
#include "support/random.h"

#include <stdio.h>

static const char* const k_curved[] = {"radau",    "radau_5",  "radau_9", "radau_13",
                                       "radau_17", "radau_21", "cvode"};
enum { CURVED_COUNT = sizeof k_curved / sizeof *k_curved };

// y turns about a moving point: linear, so that Newton's method is exact and steps of any length
// can be asked for.
#define TURN 3.0
static iso_status turning(void* user, double t, const double* y, double* out) {
    (void)user;
    out[0] = TURN * (y[1] - cos(t)) + cos(t);
    out[1] = -TURN * (y[0] - sin(t)) - sin(t);
    return ISO_OK;
}

static void turning_at(double t, double* out) {
    out[0] = sin(t) + sin(TURN * t);
    out[1] = cos(t) + cos(TURN * t);
}

static iso_status turning_jacobian(void* user, double t, const double* y, const double* f,
                                   double* out) {
    (void)user;
    (void)t;
    (void)y;
    (void)f;
    memcpy(out, (const double[4]){0.0, TURN, -TURN, 0.0}, 4 * sizeof *out);
    return ISO_OK;
}

// Error at the end of equal steps, as many as said.
static double error_of_steps(const char* method, int count, double t_end) {
    double start[2], end[2];
    turning_at(0.0, start);
    turning_at(t_end, end);
    ode_run r;
    ode_make(&r, method, turning, 2, start, NULL);
    r.problem.jacobian = turning_jacobian;
    r.scales[0] = r.scales[1] = 1e12; // no step is too long
    r.problem.scales = r.scales;
    r.problem.max_step = t_end / count;
    r.state.h = t_end / count;
    CHECK_OK(r.ctx, ode_go(&r, t_end, 1.0));
    // Rounding of the sum of steps may make two of the last.
    assert_in_range(r.report.accepted_count, count, count + 1);
    double error = hypot(r.y[0] - end[0], r.y[1] - end[1]);
    ode_destroy(&r);
    return error;
}

// Slope of log error over log step, down to rounding, which grows with the transformation.
static void equal_steps_have_the_order_of_the_method(void** state) {
    (void)state;
    static const int orders[] = {1, 5, 9, 13, 17, 21};
    for (int m = 0; m < 6; ++m) {
        char name[16];
        snprintf(name, sizeof name, "radau_%d", orders[m]);
        double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, n = 0.0;
        double factor = orders[m] > 10 ? 1.12 : 1.4;
        int last = 0;
        double t_end = orders[m] > 13 ? 24.0 : 6.0, rounding = orders[m] > 13 ? 3e-10 : 1e-12;
        for (double steps = orders[m] > 1 ? 3.0 : 300.0; steps < 20000.0; steps *= factor) {
            int count = (int)steps;
            double error = count > last ? error_of_steps(name, count, t_end) : 1.0;
            last = count;
            if (error < rounding) {
                break;
            }
            if (error < (orders[m] == 1 ? 0.2 : 1e-2)) {
                double x = -log(count), y = log(error);
                sx += x, sy += y, sxx += x * x, sxy += x * y, n += 1.0;
            }
        }
        double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
        CHECK(n >= 3.0, "%g points of %s", n, name);
        CHECK_NEAR(slope / orders[m], 1.0, 0.12); // measured below 0.1
    }
}

// Kepler's problem, e = 0.5: a nonlinear one, where Newton's method decides about the error, too.
static iso_status kepler(void* user, double t, const double* y, double* out) {
    (void)t;
    if (user) {
        ++*(int*)user;
    }
    double r2 = y[0] * y[0] + y[1] * y[1];
    double g = -1.0 / (r2 * sqrt(r2));
    out[0] = y[2];
    out[1] = y[3];
    out[2] = g * y[0];
    out[3] = g * y[1];
    return ISO_OK;
}

static const double k_kepler[] = {0.5, 0.0, 0.0, 1.7320508075688772};

static double kepler_error(const char* method, double accuracy, double* out_steps) {
    ode_run r;
    ode_make(&r, method, kepler, 4, k_kepler, NULL);
    CHECK_OK(r.ctx, ode_go(&r, 2.0 * ISO_PI, accuracy));
    double error = 0.0;
    for (int i = 0; i < 4; ++i) {
        error = fmax(error, fabs(r.y[i] - k_kepler[i]));
    }
    *out_steps = r.report.accepted_count;
    ode_destroy(&r);
    return error;
}

// Error over accuracy, and how it falls with the number of steps.
static void controlled_steps_keep_accuracy_and_order(void** state) {
    (void)state;
    static const char* const names[] = {"radau_5", "radau_9", "radau_13"};
    static const double orders[] = {5.0, 9.0, 13.0};
    for (int m = 0; m < 3; ++m) {
        double coarse_steps, fine_steps;
        double coarse = kepler_error(names[m], 1e-6, &coarse_steps);
        double fine = kepler_error(names[m], 1e-10, &fine_steps);
        double slope = log(coarse / fine) / log(fine_steps / coarse_steps);
        CHECK_AT_MOST(coarse / 1e-6, 150.0);
        CHECK_AT_MOST(fine / 1e-10, 150.0);
        CHECK(slope > orders[m] - 2.5 && slope < 2.2 * orders[m], "%s falls with the power %g",
              names[m], slope);
    }
}

// Curve against the closed form at drawn times of every step.
typedef struct curve_probe {
    test_random random;
    double worst, last_end;
    int count;
} curve_probe;

static iso_status look_at_curve(void* user, const iso_ode_curve* curve) {
    curve_probe* p = user;
    assert_true(curve->t_start == p->last_end && curve->t_end > curve->t_start);
    p->last_end = curve->t_end;
    ++p->count;
    for (int i = 0; i < 5; ++i) {
        double t = test_random_uniform(&p->random, curve->t_start, curve->t_end);
        double y[2], expected[2];
        curve->evaluate(curve, t, y);
        turning_at(t, expected);
        p->worst = fmax(p->worst, hypot(y[0] - expected[0], y[1] - expected[1]));
    }
    return ISO_OK;
}

static void states_within_steps_are_known(void** state) {
    (void)state;
    for (int m = 0; m < CURVED_COUNT && iso_ode_find_method(k_curved[m]); ++m) {
        curve_probe probe = {.random = test_random_make(7)};
        double start[2];
        turning_at(0.0, start);
        ode_run r;
        ode_make(&r, k_curved[m], turning, 2, start, &probe);
        r.problem.step_done = look_at_curve;
        CHECK_OK(r.ctx, ode_go(&r, 6.0, 1e-8));
        assert_int_equal(probe.count, r.report.accepted_count);
        CHECK_BITS(probe.last_end, 6.0);
        // That of the curve is of order s only: accuracy^((s + 1) / 2 s), 1e-5 at 3 stages.
        CHECK_AT_MOST(probe.worst, 1e-6); // measured 2.2e-7
        ode_destroy(&r);
    }
}

static void two_levels(void* user, double t, const double* y, double* out_values) {
    (void)user;
    (void)t;
    out_values[0] = y[0] - 1.0;
    out_values[1] = y[0] + 5.0; // never comes
}

// y0 = sin t + sin 3 t passes 1 at times known from bisection of the closed form.
static void events_are_found_to_the_accuracy(void** state) {
    (void)state;
    for (int m = 0; m < CURVED_COUNT && iso_ode_find_method(k_curved[m]); ++m) {
        double start[2];
        turning_at(0.0, start);
        ode_run r;
        ode_make(&r, k_curved[m], turning, 2, start, NULL);
        r.problem.events = two_levels;
        r.problem.event_count = 2;
        int count = 0;
        while (r.t < 12.0) {
            CHECK_OK(r.ctx, ode_go(&r, 12.0, 1e-9));
            if (r.report.event >= 0) {
                assert_int_equal(r.report.event, 0);
                double y[2];
                turning_at(r.t, y);
                CHECK_NEAR(y[0], 1.0, 1e-6); // measured 1.3e-7
                CHECK_NEAR(r.y[0], 1.0, 1e-12);
                ++count;
                assert_true(count < 100);
            }
        }
        assert_int_equal(r.report.event, -1);
        assert_int_equal(count, 8); // four a period of 2 pi, not quite two of them
        CHECK_BITS(r.t, 12.0);
        ode_destroy(&r);
    }
}

// f of the second component does not depend on it: the work of a decay.
static iso_status decay_and_work(void* user, double t, const double* y, double* out) {
    (void)user;
    (void)t;
    out[0] = -1e3 * y[0];
    out[1] = y[0] * y[0];
    return ISO_OK;
}

static void integrals_along_the_way_are_as_accurate(void** state) {
    (void)state;
    for (int m = 0; m < CURVED_COUNT && iso_ode_find_method(k_curved[m]); ++m) {
        ode_run r;
        ode_make(&r, k_curved[m], decay_and_work, 2, (const double[]){1.0, 0.0}, NULL);
        r.problem.feedback_count = 1;
        r.scales[0] = r.scales[1] = 1e-3;
        r.problem.scales = r.scales;
        CHECK_OK(r.ctx, ode_go(&r, 1.0, 1e-6));
        CHECK_NEAR(r.y[1], 5e-4, 1e-7);
        ode_destroy(&r);
    }
}

// (cos, sin) of an angle that turns evenly, put back on the circle.
static iso_status circle(void* user, double t, const double* y, double* out) {
    (void)user;
    (void)t;
    out[0] = -y[1];
    out[1] = y[0];
    return ISO_OK;
}

static void to_circle(void* user, double t, double* y) {
    (void)t;
    double size = hypot(y[0], y[1]);
    y[0] /= size;
    y[1] /= size;
    if (user) {
        ++*(int*)user;
    }
}

static void every_accepted_state_is_on_its_manifold(void** state) {
    (void)state;
    for (int m = 0; m < CURVED_COUNT && iso_ode_find_method(k_curved[m]); ++m) {
        ode_run r;
        int count = 0;
        ode_make(&r, k_curved[m], circle, 2, (const double[]){1.0, 0.0}, &count);
        r.problem.project = to_circle;
        CHECK_OK(r.ctx, ode_go(&r, 10.0, 1e-7));
        assert_int_equal(count, r.report.accepted_count);
        CHECK_NEAR(hypot(r.y[0], r.y[1]), 1.0, 1e-15);
        CHECK_NEAR(atan2(r.y[1], r.y[0]), 10.0 - 4.0 * ISO_PI, 1e-5);
        ode_destroy(&r);
    }
}

static void statistics_count_what_was_done(void** state) {
    (void)state;
    for (int m = 0; m < CURVED_COUNT && iso_ode_find_method(k_curved[m]); ++m) {
        ode_run r;
        int calls = 0;
        ode_make(&r, k_curved[m], kepler, 4, k_kepler, &calls);
        CHECK_OK(r.ctx, ode_go(&r, 6.0, 1e-7));
        assert_int_equal(calls, r.report.rhs_count);
        int steps = 0;
        for (int p = 0; p < ISO_ODE_MOST_ORDER; ++p) {
            steps += r.report.order_counts[p];
        }
        assert_int_equal(steps, r.report.accepted_count);
        assert_true(r.report.jacobian_count > 0 && r.report.factor_count > 0);
        assert_true(r.report.iteration_count >= r.report.accepted_count);
        assert_true(r.report.smallest_step > 0.0 && r.report.largest_error <= 1.0);
        ode_destroy(&r);
    }
}

// The order rises where a problem is smooth and the accuracy high, and only as far as it pays.
static void the_order_follows_the_accuracy(void** state) {
    (void)state;
    ode_run r;
    ode_make(&r, "radau", kepler, 4, k_kepler, NULL);
    CHECK_OK(r.ctx, ode_go(&r, 60.0, 1e-11));
    assert_true(r.report.order_counts[9] > 0 && r.report.order_counts[13] > 0);
    CHECK_AT_MOST((double)r.report.order_counts[5], 0.5 * r.report.accepted_count);
    ode_destroy(&r);
    ode_make(&r, "radau", kepler, 4, k_kepler, NULL);
    CHECK_OK(r.ctx, ode_go(&r, 60.0, 1e-2));
    assert_int_equal(r.report.order_counts[13], 0);
    ode_destroy(&r);
}

// An oscillator whose force bends wherever it passes one of several places, as a patch's does where
// it reaches another cell.
enum { BEND_COUNT = 12 };
typedef struct bends {
    double at[BEND_COUNT], by[BEND_COUNT];
} bends;

static iso_status bent(void* user, double t, const double* y, double* out) {
    (void)t;
    const bends* b = user;
    double force = -y[0];
    for (int i = 0; i < BEND_COUNT; ++i) {
        force -= b->by[i] * fmax(0.0, y[0] - b->at[i]);
    }
    out[0] = y[1];
    out[1] = force;
    return ISO_OK;
}

static int run_bent(uint64_t seed, double accuracy, double* out_y) {
    test_random random = test_random_make(seed);
    bends b;
    for (int i = 0; i < BEND_COUNT; ++i) {
        b.at[i] = test_random_uniform(&random, -1.0, 1.0);
        b.by[i] = test_random_uniform(&random, 0.1, 2.0);
    }
    ode_run r;
    ode_make(&r, "radau", bent, 2, (const double[]){1.0, 0.0}, &b);
    CHECK_OK(r.ctx, ode_go(&r, 10.0, accuracy));
    *out_y = r.y[0];
    int count = r.report.rhs_count;
    ode_destroy(&r);
    return count;
}

// A step that meets a corner is given up before it is solved, and the next is as short as two
// errors ask for.
static void corners_are_passed_in_few_attempts(void** state) {
    (void)state;
    double count = 0.0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        double y, fine;
        count += run_bent(seed, 1e-8, &y);
        run_bent(seed, 1e-11, &fine);
        CHECK_NEAR(y, fine, 1e-5); // measured 3e-6: some 120 corners are passed
    }
    CHECK_AT_MOST(count / 20, 1e4); // measured 8800
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_steps_have_the_order_of_the_method),
        cmocka_unit_test(controlled_steps_keep_accuracy_and_order),
        cmocka_unit_test(states_within_steps_are_known),
        cmocka_unit_test(events_are_found_to_the_accuracy),
        cmocka_unit_test(integrals_along_the_way_are_as_accurate),
        cmocka_unit_test(every_accepted_state_is_on_its_manifold),
        cmocka_unit_test(statistics_count_what_was_done),
        cmocka_unit_test(the_order_follows_the_accuracy),
        cmocka_unit_test(corners_are_passed_in_few_attempts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
