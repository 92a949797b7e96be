// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Methods for stiff problems against published values, closed forms and each other.

#include "integrator/stiff_problems.h"

static const char* const k_high[] = {"radau",    "radau_5",  "radau_9", "radau_13",
                                     "radau_17", "radau_21", "cvode"};
enum { HIGH_COUNT = sizeof k_high / sizeof *k_high };

static double worst_relative(const double* y, const double* expected, int count) {
    double worst = 0.0;
    for (int i = 0; i < count; ++i) {
        worst = fmax(worst, fabs(y[i] / expected[i] - 1.0));
    }
    return worst;
}

// Error of a run, in units of the accuracy. 0 where this build has no such method.
static double error_over_accuracy(const char* method, iso_ode_rhs_fn rhs, int dimension,
                                  const double* start, void* user, double t_end, double accuracy,
                                  double scale, const double* expected) {
    if (!iso_ode_find_method(method)) {
        return 0.0;
    }
    ode_run r;
    ode_make(&r, method, rhs, dimension, start, user);
    for (int i = 0; i < dimension; ++i) {
        r.scales[i] = scale;
    }
    r.problem.scales = r.scales;
    r.problem.relative = 1.0;
    CHECK_OK(r.ctx, ode_go(&r, t_end, accuracy));
    double error = worst_relative(r.y, expected, dimension);
    ode_destroy(&r);
    return error / accuracy;
}

// Values of the IVP test set at t = 1e11, 11 digits.
static void robertson_reaches_its_published_end(void** state) {
    (void)state;
    static const double start[] = {1.0, 0.0, 0.0};
    static const double end[] = {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};
    for (int m = 0; m < HIGH_COUNT; ++m) {
        for (int k = 4; k <= 8; k += 2) {
            double error = error_over_accuracy(k_high[m], robertson, 3, start, NULL, 1e11,
                                               pow(10.0, -k), 1e-9, end);
            CHECK_AT_MOST(error, strcmp(k_high[m], "cvode") == 0 ? 40.0 : 0.5); // 8.2, 0.1
        }
    }
}

static void hires_reaches_its_published_end(void** state) {
    (void)state;
    static const double start[] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057};
    static const double end[] = {
        0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
        0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2};
    for (int m = 0; m < HIGH_COUNT; ++m) {
        for (int k = 4; k <= 8; k += 2) {
            double error = error_over_accuracy(k_high[m], hires, 8, start, NULL, 321.8122,
                                               pow(10.0, -k), 1e-4, end);
            CHECK_AT_MOST(error, 60.0); // measured 18, mostly below 1
        }
    }
}

static void van_der_pol_reaches_its_published_end(void** state) {
    (void)state;
    static const double start[] = {2.0, 0.0};
    static const double end[] = {1.706167732170483, -0.8928097010247975e-3};
    double mu = 1e3;
    for (int m = 0; m < HIGH_COUNT; ++m) {
        double error =
            error_over_accuracy(k_high[m], van_der_pol, 2, start, &mu, 2000.0, 1e-7, 1e-3, end);
        CHECK_AT_MOST(error, strcmp(k_high[m], "cvode") == 0 ? 200.0 : 2.0); // 39, 0.5
    }
}

static void crossing_of_zero(void* user, double t, const double* y, double* out_values) {
    (void)user;
    (void)t;
    out_values[0] = y[0];
}

// The period of the relaxation oscillation is (3 - 2 ln 2) mu + 3 a mu^(-1/3) + O(ln mu / mu), with
// -a the first zero of the Airy function. Events at its passages through zero measure it.
static void van_der_pol_has_its_asymptotic_period(void** state) {
    (void)state;
    static const char* const names[] = {"radau", "radau_5", "radau_9", "radau_13"};
    static const double start[] = {2.0, 0.0};
    for (int k = 3; k <= 6; ++k) {
        double mu = pow(10.0, k);
        double period = (3.0 - 2.0 * log(2.0)) * mu + 3.0 * 2.338107410459767 / cbrt(mu);
        for (int m = 0; m < 4; ++m) {
            ode_run r;
            ode_make(&r, names[m], van_der_pol, 2, start, &mu);
            r.problem.relative = 1.0;
            r.problem.events = crossing_of_zero;
            r.problem.event_count = 1;
            double crossings[3] = {0.0};
            for (int i = 0; i < 3; ++i) {
                CHECK_OK(r.ctx, ode_go(&r, 10.0 * mu, 1e-9));
                assert_int_equal(r.report.event, 0);
                crossings[i] = r.t;
                r.state.h = 0.0;
            }
            // What the expansion leaves out, measured 0.86 ln mu / mu, and what the accuracy does.
            double allowed = 1.2 * log(mu) / mu + 1e-7 * mu;
            CHECK_NEAR(crossings[2] - crossings[0], period, allowed);
            ode_destroy(&r);
        }
    }
}

// A linear system V L V^-1 with drawn blocks (decay, or decay with turning) and a drawn V.
typedef struct linear_system {
    int n;
    double a[MOST_COMPONENTS * MOST_COMPONENTS];
} linear_system;

static iso_status linear_rhs(void* user, double t, const double* y, double* out) {
    (void)t;
    const linear_system* s = user;
    for (int i = 0; i < s->n; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < s->n; ++j) {
            out[i] += s->a[i * s->n + j] * y[j];
        }
    }
    return ISO_OK;
}

// Products of reflections: V is orthogonal, V^-1 = V^T, so rates of 1e6 lose no digits of slow ones
// beyond rounding.
static void draw_frame(test_random* random, int n, double* v) {
    for (int i = 0; i < n * n; ++i) {
        v[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < n; ++k) {
        double u[MOST_COMPONENTS], size = 0.0;
        for (int i = 0; i < n; ++i) {
            u[i] = test_random_normal(random);
            size += u[i] * u[i];
        }
        for (int i = 0; i < n; ++i) {
            double dot = 0.0;
            for (int j = 0; j < n; ++j) {
                dot += v[i * n + j] * u[j];
            }
            for (int j = 0; j < n; ++j) {
                v[i * n + j] -= 2.0 * dot / size * u[j];
            }
        }
    }
}

// x of the frame after time t, or the rates of x when t < 0; blocks of two turn.
static void apply_blocks(int n, const double* rates, const double* turns, double t, const double* x,
                         double* out) {
    for (int i = 0; i + 1 < n; i += 2) {
        double c = t < 0.0 ? -rates[i] : exp(-rates[i] * t) * cos(turns[i] * t);
        double s = t < 0.0 ? turns[i] : exp(-rates[i] * t) * sin(turns[i] * t);
        out[i] = c * x[i] - s * x[i + 1];
        out[i + 1] = s * x[i] + c * x[i + 1];
    }
    if (n % 2 == 1) {
        out[n - 1] = (t < 0.0 ? -rates[n - 1] : exp(-rates[n - 1] * t)) * x[n - 1];
    }
}

static void to_frame(int n, const double* v, const double* x, double* out, bool is_back) {
    for (int i = 0; i < n; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < n; ++j) {
            out[i] += (is_back ? v[i * n + j] : v[j * n + i]) * x[j];
        }
    }
}

static double linear_error(const char* method, uint64_t seed, double accuracy) {
    test_random random = test_random_make(seed);
    linear_system s = {.n = test_random_int(&random, 1, 9)};
    double v[MOST_COMPONENTS * MOST_COMPONENTS], rates[MOST_COMPONENTS], turns[MOST_COMPONENTS];
    double start[MOST_COMPONENTS], x[MOST_COMPONENTS], x1[MOST_COMPONENTS], end[MOST_COMPONENTS];
    draw_frame(&random, s.n, v);
    for (int i = 0; i < s.n; ++i) {
        rates[i] = pow(10.0, test_random_uniform(&random, -1.0, 6.0));
        turns[i] = test_random_uniform(&random, 0.0, 5.0) * sqrt(rates[i]);
        start[i] = test_random_normal(&random);
    }
    for (int j = 0; j < s.n; ++j) {
        double unit[MOST_COMPONENTS] = {0.0}, column[MOST_COMPONENTS];
        unit[j] = 1.0;
        to_frame(s.n, v, unit, x, false);
        apply_blocks(s.n, rates, turns, -1.0, x, x1);
        to_frame(s.n, v, x1, column, true);
        for (int i = 0; i < s.n; ++i) {
            s.a[i * s.n + j] = column[i];
        }
    }
    double t_end = test_random_uniform(&random, 0.1, 3.0);
    to_frame(s.n, v, start, x, false);
    apply_blocks(s.n, rates, turns, t_end, x, x1);
    to_frame(s.n, v, x1, end, true);
    ode_run r;
    ode_make(&r, method, linear_rhs, s.n, start, &s);
    CHECK_OK(r.ctx, ode_go(&r, t_end, accuracy));
    double worst = 0.0;
    for (int i = 0; i < s.n; ++i) {
        worst = fmax(worst, fabs(r.y[i] - end[i]));
    }
    ode_destroy(&r);
    return worst / accuracy;
}

static void drawn_linear_systems_follow_their_exponential(void** state) {
    (void)state;
    for (int m = 0; m < HIGH_COUNT; ++m) {
        double worst = 0.0;
        for (uint64_t seed = 0; seed < 40 && iso_ode_find_method(k_high[m]); ++seed) {
            double accuracy = seed % 2 == 0 ? 1e-4 : 1e-7;
            worst = fmax(worst, linear_error(k_high[m], seed, accuracy));
        }
        CHECK_AT_MOST(worst, strcmp(k_high[m], "cvode") == 0 ? 40.0 : 1.0); // 11, 0.2
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robertson_reaches_its_published_end),
        cmocka_unit_test(hires_reaches_its_published_end),
        cmocka_unit_test(van_der_pol_reaches_its_published_end),
        cmocka_unit_test(van_der_pol_has_its_asymptotic_period),
        cmocka_unit_test(drawn_linear_systems_follow_their_exponential),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
