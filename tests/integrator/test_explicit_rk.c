// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "integrator/explicit_rk.h"

#include "support/check.h"
#include "support/failing_context.h"

#include <string.h>

// A problem with what the callbacks saw.
typedef struct probe {
    iso_context* ctx;
    int rhs_count;
    int fail_at; // this evaluation fails (counted from 1); 0: none
    int project_count;
    double last_project_time;
    int power; // of t, for quadrature
} probe;

static iso_status count_call(probe* p) {
    ++p->rhs_count;
    return p->rhs_count == p->fail_at ? ISO_ERR_GEOMETRY : ISO_OK;
}

// Kepler's problem, period 2 pi: exact solution after whole periods is the start.
static iso_status kepler(void* user, double t, const double* y, double* out) {
    (void)t;
    double r2 = y[0] * y[0] + y[1] * y[1];
    double g = -1.0 / (r2 * sqrt(r2));
    out[0] = y[2];
    out[1] = y[3];
    out[2] = g * y[0];
    out[3] = g * y[1];
    return count_call(user);
}

static void kepler_start(double e, double* y) {
    y[0] = 1.0 - e;
    y[1] = 0.0;
    y[2] = 0.0;
    y[3] = sqrt((1.0 + e) / (1.0 - e));
}

static iso_status power_of_time(void* user, double t, const double* y, double* out) {
    (void)y;
    probe* p = user;
    out[0] = (p->power + 1) * pow(t, p->power);
    return count_call(p);
}

static iso_status blow_up(void* user, double t, const double* y, double* out) {
    (void)t;
    out[0] = y[0] * y[0]; // y = 1/(1 - t) from y(0) = 1
    return count_call(user);
}

static iso_status not_a_number(void* user, double t, const double* y, double* out) {
    (void)y;
    out[0] = t > 0.5 ? NAN : 1.0;
    return count_call(user);
}

static iso_status fast_and_slow(void* user, double t, const double* y, double* out) {
    out[0] = -y[0];
    out[1] = 1e3 * cos(1e3 * t);
    return count_call(user);
}

static void record_projection(void* user, double t, double* y) {
    probe* p = user;
    ++p->project_count;
    p->last_project_time = t;
    y[1] = floor(y[1]); // leaves a trace
}

static iso_status very_stiff(void* user, double t, const double* y, double* out) {
    (void)t;
    out[0] = -1e9 * (y[0] - 1.0);
    return count_call(user);
}

#define WORK_SIZE 64

// Everything one call needs.
typedef struct run {
    probe probe;
    iso_rk_problem problem;
    iso_rk_state state;
    iso_rk_report report;
    double work[WORK_SIZE];
    double t;
    double y[4];
} run;

static run* run_make(run* r, iso_rk_rhs_fn rhs, int dimension) {
    memset(r, 0, sizeof *r);
    r->probe.ctx = test_context();
    r->problem = (iso_rk_problem){.dimension = dimension, .rhs = rhs, .user = &r->probe};
    r->state.work = r->work;
    return r;
}

static iso_status run_to(run* r, const iso_rk_table* table, double t_end, double accuracy) {
    assert_true(iso_rk_work_count(table, r->problem.dimension) <= WORK_SIZE);
    iso_status status = iso_rk_advance(r->probe.ctx, table, &r->problem, &r->t, r->y, t_end,
                                       accuracy, &r->state, &r->report);
    assert_int_equal(r->report.rhs_count, r->probe.rhs_count);
    return status;
}

static void run_destroy(run* r) {
    test_context_destroy(r->probe.ctx);
}

static double kepler_error(const iso_rk_table* table, int step_count) {
    run r;
    run_make(&r, kepler, 4);
    kepler_start(0.3, r.y);
    double t_end = 2.0 * ISO_PI;
    r.state.h = t_end / step_count;
    CHECK_OK(r.probe.ctx, run_to(&r, table, t_end, 0.0));
    assert_int_equal(r.report.accepted_count, step_count);
    double start[4], sum = 0.0;
    kepler_start(0.3, start);
    for (int i = 0; i < 4; ++i) {
        sum += (r.y[i] - start[i]) * (r.y[i] - start[i]);
    }
    run_destroy(&r);
    return sqrt(sum);
}

static void check_slope(const iso_rk_table* table, int coarse, double order, double tolerance) {
    double slope = log2(kepler_error(table, coarse) / kepler_error(table, 2 * coarse));
    CHECK_NEAR(slope, order, tolerance);
}

static void error_falls_with_the_order_of_the_table(void** state) {
    (void)state;
    check_slope(&iso_rk_table_rk23, 2000, 3.0, 0.1); // measured within 0.003
    check_slope(&iso_rk_table_rk4, 1000, 4.0, 0.1);  // measured within 0.038
    check_slope(&iso_rk_table_rk45, 600, 5.0, 0.1);  // measured within 0.027
}

static void polynomials_up_to_the_order_are_integrated_exactly(void** state) {
    (void)state;
    const iso_rk_table* tables[] = {&iso_rk_table_rk23, &iso_rk_table_rk4, &iso_rk_table_rk45};
    for (int n = 0; n < 3; ++n) {
        for (int power = 0; power <= tables[n]->order; ++power) {
            run r;
            run_make(&r, power_of_time, 1);
            r.probe.power = power;
            r.state.h = 0.25;
            CHECK_OK(r.probe.ctx, run_to(&r, tables[n], 1.0, 0.0));
            if (power < tables[n]->order) {
                CHECK_NEAR(r.y[0], 1.0, 2e-15); // measured 3.4e-16
            } else if (tables[n] != &iso_rk_table_rk45) {
                CHECK(fabs(r.y[0] - 1.0) > 1e-9, "%s t^%d", tables[n]->name, power);
            }
            run_destroy(&r);
        }
    }
}

// Each step keeps its error below accuracy * scale: the sum over an orbit falls with it.
static void controlled_steps_keep_the_accuracy(void** state) {
    (void)state;
    const iso_rk_table* tables[] = {&iso_rk_table_rk23, &iso_rk_table_rk45};
    for (int n = 0; n < 2; ++n) {
        for (double accuracy = 1e-4; accuracy > 1e-9; accuracy *= 0.1) {
            run r;
            run_make(&r, kepler, 4);
            kepler_start(0.6, r.y);
            CHECK_OK(r.probe.ctx, run_to(&r, tables[n], 2.0 * ISO_PI, accuracy));
            CHECK_BITS(r.t, 2.0 * ISO_PI);
            CHECK_AT_MOST(r.report.largest_error, 1.0);
            // Errors of single steps grow along the orbit, by less than ten here.
            double bound = 10.0 * accuracy * r.report.accepted_count;
            CHECK_AT_MOST(fabs(r.y[1]), bound); // measured at most 0.14 of it
            CHECK(r.report.rejected_count * 4 <= r.report.accepted_count, "%d of %d rejected",
                  r.report.rejected_count, r.report.accepted_count);
            run_destroy(&r);
        }
    }
}

// The first stage is reused: 1 + (stages - 1) evaluations per attempt.
static void first_same_as_last_saves_an_evaluation(void** state) {
    (void)state;
    run r;
    run_make(&r, kepler, 4);
    kepler_start(0.6, r.y);
    CHECK_OK(r.probe.ctx, run_to(&r, &iso_rk_table_rk45, 2.0 * ISO_PI, 1e-6));
    assert_int_equal(r.report.rhs_count,
                     1 + 6 * (r.report.accepted_count + r.report.rejected_count));
    run_destroy(&r);
    run_make(&r, kepler, 4);
    kepler_start(0.1, r.y);
    r.state.h = 0.1;
    CHECK_OK(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, 1.0, 0.0));
    assert_int_equal(r.report.rhs_count, 40);
    run_destroy(&r);
}

// Many short calls (the steps of a world) cost little more than one long call.
static void the_step_carries_over_between_calls(void** state) {
    (void)state;
    run whole, parts;
    run_make(&whole, kepler, 4);
    run_make(&parts, kepler, 4);
    kepler_start(0.6, whole.y);
    kepler_start(0.6, parts.y);
    CHECK_OK(whole.probe.ctx, run_to(&whole, &iso_rk_table_rk45, 6.0, 1e-8));
    int accepted = 0;
    for (int i = 0; i < 12; ++i) {
        CHECK_OK(parts.probe.ctx,
                 iso_rk_advance(parts.probe.ctx, &iso_rk_table_rk45, &parts.problem, &parts.t,
                                parts.y, 0.5 * (i + 1), 1e-8, &parts.state, &parts.report));
        accepted += parts.report.accepted_count;
    }
    CHECK_BITS(parts.t, 6.0);
    CHECK(accepted <= whole.report.accepted_count + 15, "%d steps in parts, %d in one", accepted,
          whole.report.accepted_count);
    CHECK_ARRAY_NEAR(parts.y, whole.y, 4, 2e-7); // measured 1.4e-8
    run_destroy(&whole);
    run_destroy(&parts);
}

static void an_error_scale_sets_what_counts(void** state) {
    (void)state;
    int accepted[2];
    const double scales[2][2] = {{1.0, 1.0}, {1.0, 1e6}};
    for (int i = 0; i < 2; ++i) {
        run r;
        run_make(&r, fast_and_slow, 2);
        r.y[0] = 1.0;
        r.problem.scales = scales[i];
        CHECK_OK(r.probe.ctx, run_to(&r, &iso_rk_table_rk23, 1.0, 1e-4));
        CHECK_NEAR(r.y[0], exp(-1.0), 2e-4); // measured 2.3e-5
        accepted[i] = r.report.accepted_count;
        run_destroy(&r);
    }
    CHECK(accepted[0] > 20 * accepted[1], "%d and %d steps", accepted[0], accepted[1]);
}

static void max_step_is_kept(void** state) {
    (void)state;
    run r;
    run_make(&r, power_of_time, 1);
    r.problem.max_step = 0.01;
    CHECK_OK(r.probe.ctx, run_to(&r, &iso_rk_table_rk45, 1.0, 1.0));
    CHECK(r.report.accepted_count >= 100 && r.report.accepted_count <= 102, "%d steps",
          r.report.accepted_count);
    run_destroy(&r);
}

static void a_step_below_the_shortest_is_a_failure_with_its_time(void** state) {
    (void)state;
    run r;
    run_make(&r, blow_up, 1);
    r.y[0] = 1.0;
    r.problem.min_step = 1e-3;
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk45, 2.0, 1e-6), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(r.probe.ctx, "Dormand-Prince 5(4) at t = 0.9");
    CHECK_ERROR(r.probe.ctx, "at a step of 0.001 s, which is the shortest (0.001 s)");
    // y is that of the last accepted step.
    CHECK(r.t > 0.9 && r.t < 1.0, "t = %g", r.t);
    CHECK_REL(r.y[0], 1.0 / (1.0 - r.t), 2e-5); // measured 4.8e-6
    run_destroy(&r);
    run_make(&r, blow_up, 1);
    r.y[0] = 1.0;
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk45, 2.0, 1e-6), ISO_ERR_NO_CONVERGENCE);
    run_destroy(&r);
}

static void what_is_not_finite_is_reported(void** state) {
    (void)state;
    run r;
    run_make(&r, not_a_number, 1);
    r.state.h = 0.125;
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, 1.0, 0.0), ISO_ERR_NUMERIC);
    CHECK_ERROR(r.probe.ctx, "RK4 at t = 0.5 s: component 0 becomes nan in a step of 0.125 s");
    CHECK_BITS(r.t, 0.5);
    CHECK_NEAR(r.y[0], 0.5, 5e-16); // measured 5.6e-17
    run_destroy(&r);
    run_make(&r, not_a_number, 1);
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk23, 1.0, 1e-3), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(r.probe.ctx, "is nan times the allowed one");
    CHECK_NEAR(r.t, 0.5, 1e-13); // measured 1.5e-15
    run_destroy(&r);
}

static void an_error_of_the_right_hand_side_ends_the_call(void** state) {
    (void)state;
    for (int fail_at = 1; fail_at < 12; ++fail_at) {
        run r;
        run_make(&r, kepler, 4);
        kepler_start(0.6, r.y);
        r.probe.fail_at = fail_at;
        CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk45, 6.0, 1e-6), ISO_ERR_GEOMETRY);
        assert_int_equal(r.probe.rhs_count, fail_at);
        run_destroy(&r);
        run_make(&r, kepler, 4);
        kepler_start(0.6, r.y);
        r.probe.fail_at = fail_at;
        r.state.h = 0.1;
        CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, 6.0, 0.0), ISO_ERR_GEOMETRY);
        CHECK_NEAR(r.t, 0.1 * ((fail_at - 1) / 4), 1e-15); // measured 0
        run_destroy(&r);
    }
}

static void projection_follows_every_accepted_step(void** state) {
    (void)state;
    run r;
    run_make(&r, kepler, 4);
    kepler_start(0.6, r.y);
    r.problem.project = record_projection;
    r.state.h = 0.1;
    CHECK_OK(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, 1.0, 0.0));
    assert_int_equal(r.probe.project_count, 10);
    CHECK_BITS(r.probe.last_project_time, 1.0);
    CHECK_BITS(r.y[1], floor(r.y[1]));
    run_destroy(&r);
}

static void fixed_steps_end_exactly_and_are_equal(void** state) {
    (void)state;
    run r;
    run_make(&r, power_of_time, 1);
    r.t = 0.7;
    r.state.h = 0.1;
    CHECK_OK(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, 1.0, 0.0)); // 1.0 - 0.7 is above 0.3
    assert_int_equal(r.report.accepted_count, 3);
    CHECK_BITS(r.t, 1.0);
    r.state.h = 0.0;
    r.probe.rhs_count = 0;
    CHECK_OK(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, 2.0, 0.0));
    assert_int_equal(r.report.accepted_count, 1);
    r.probe.rhs_count = 0;
    CHECK_OK(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, 2.0, 0.0)); // nothing to do
    assert_int_equal(r.report.rhs_count, 0);
    run_destroy(&r);
}

static void bad_arguments_are_refused(void** state) {
    (void)state;
    run r;
    run_make(&r, kepler, 4);
    kepler_start(0.1, r.y);
    const double scales[4] = {1.0, 1.0, 0.0, 1.0};
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, -1.0, 0.0), ISO_ERR_RANGE);
    CHECK_ERROR(r.probe.ctx, "from t = 0 s to -1 s, expected finite and forward");
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, NAN, 0.0), ISO_ERR_RANGE);
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, 1.0, NAN), ISO_ERR_RANGE);
    r.state.h = 1e-12;
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk4, 1.0, 0.0), ISO_ERR_RANGE);
    CHECK_ERROR(r.probe.ctx, "1e+12 steps of 1e-12 s");
    r.problem.scales = scales;
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk45, 1.0, 1e-3), ISO_ERR_RANGE);
    CHECK_ERROR(r.probe.ctx, "scale of component 2 is 0, expected > 0");
    r.problem.scales = NULL;
    r.problem.min_step = -1.0;
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk45, 1.0, 1e-3), ISO_ERR_RANGE);
    r.problem.min_step = 0.0;
    r.problem.dimension = -1;
    CHECK_STATUS(r.probe.ctx,
                 iso_rk_advance(r.probe.ctx, &iso_rk_table_rk4, &r.problem, &r.t, r.y, 1.0, 0.0,
                                &r.state, NULL),
                 ISO_ERR_RANGE);
    r.state.work = NULL;
    CHECK_STATUS(r.probe.ctx,
                 iso_rk_advance(r.probe.ctx, &iso_rk_table_rk4, &r.problem, &r.t, r.y, 1.0, 0.0,
                                &r.state, NULL),
                 ISO_ERR_ARGUMENT);
    assert_int_equal(r.probe.rhs_count, 0);
    CHECK_BITS(r.t, 0.0);
    run_destroy(&r);
}

// Stability keeps the steps near 3e-9 s: a second would take 3e8 of them.
static void stiffness_is_an_error_and_not_an_endless_call(void** state) {
    (void)state;
    run r;
    run_make(&r, very_stiff, 1);
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk45, 1.0, 1e-3), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(r.probe.ctx, "100000 steps made, at most that many allowed, the next would be ");
    assert_int_equal(r.report.accepted_count + r.report.rejected_count, 100000);
    run_destroy(&r);
    run_make(&r, very_stiff, 1);
    r.problem.max_step_count = 50;
    CHECK_STATUS(r.probe.ctx, run_to(&r, &iso_rk_table_rk45, 1.0, 1e-3), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(r.probe.ctx, "50 steps made, at most that many allowed, the next would be ");
    assert_int_equal(r.report.accepted_count + r.report.rejected_count, 50);
    run_destroy(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_falls_with_the_order_of_the_table),
        cmocka_unit_test(polynomials_up_to_the_order_are_integrated_exactly),
        cmocka_unit_test(controlled_steps_keep_the_accuracy),
        cmocka_unit_test(first_same_as_last_saves_an_evaluation),
        cmocka_unit_test(the_step_carries_over_between_calls),
        cmocka_unit_test(an_error_scale_sets_what_counts),
        cmocka_unit_test(max_step_is_kept),
        cmocka_unit_test(a_step_below_the_shortest_is_a_failure_with_its_time),
        cmocka_unit_test(what_is_not_finite_is_reported),
        cmocka_unit_test(an_error_of_the_right_hand_side_ends_the_call),
        cmocka_unit_test(projection_follows_every_accepted_step),
        cmocka_unit_test(fixed_steps_end_exactly_and_are_equal),
        cmocka_unit_test(stiffness_is_an_error_and_not_an_endless_call),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
