// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What cannot be integrated ends with an error after bounded work, and with the last good state.

#include "integrator/stiff_problems.h"

static const char* const k_names[] = {"rk23",    "rk45",     "radau",    "radau_1",  "radau_5",
                                      "radau_9", "radau_13", "radau_17", "radau_21", "cvode"};
enum { NAME_COUNT = sizeof k_names / sizeof *k_names };

static iso_status decay(void* user, double t, const double* y, double* out) {
    (void)user;
    (void)t;
    out[0] = -y[0];
    return ISO_OK;
}

static iso_status nan_after_half(void* user, double t, const double* y, double* out) {
    (void)user;
    (void)y;
    out[0] = t > 0.5 ? NAN : 1.0;
    return ISO_OK;
}

static iso_status blow_up(void* user, double t, const double* y, double* out) {
    (void)user;
    (void)t;
    out[0] = y[0] * y[0]; // y = 1/(1 - t)
    return ISO_OK;
}

// Both sides of 0 push back to it: no solution goes on from there.
static iso_status push_back(void* user, double t, const double* y, double* out) {
    (void)user;
    (void)t;
    out[0] = y[0] > 0.0 ? -1.0 : 1.0;
    return ISO_OK;
}

// No smooth solution: the sign flips faster than any step can follow.
static iso_status noise(void* user, double t, const double* y, double* out) {
    (void)user;
    (void)y;
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    bits = (bits ^ (bits >> 31)) * 0x9e3779b97f4a7c15u;
    out[0] = bits >> 63 ? 1e6 : -1e6;
    return ISO_OK;
}

static iso_status broken(void* user, double t, const double* y, double* out) {
    (void)y;
    out[0] = 1.0;
    return t > *(const double*)user ? ISO_ERR_GEOMETRY : ISO_OK;
}

static void bad_arguments_are_refused_by_all(void** state) {
    (void)state;
    for (int m = 0; m < NAME_COUNT && iso_ode_find_method(k_names[m]); ++m) {
        const double bad[] = {0.0, -1.0, NAN, INFINITY, 1e-20};
        ode_run r;
        ode_make(&r, k_names[m], decay, 1, (const double[]){1.0}, NULL);
        for (int i = 0; i < 5; ++i) {
            CHECK_STATUS(r.ctx, ode_go(&r, 1.0, bad[i]), ISO_ERR_RANGE);
            CHECK_ERROR(r.ctx, "accuracy is ");
        }
        CHECK_STATUS(r.ctx, ode_go(&r, -1.0, 1e-3), ISO_ERR_RANGE);
        CHECK_ERROR(r.ctx, "expected finite and forward");
        r.scales[0] = 0.0;
        r.problem.scales = r.scales;
        CHECK_STATUS(r.ctx, ode_go(&r, 1.0, 1e-3), ISO_ERR_RANGE);
        CHECK_ERROR(r.ctx, "scale of component 0 is 0");
        r.problem.scales = NULL;
        r.problem.feedback_count = 2;
        CHECK_STATUS(r.ctx, ode_go(&r, 1.0, 1e-3), ISO_ERR_RANGE);
        r.problem.feedback_count = 0;
        r.problem.event_count = 1;
        CHECK_STATUS(r.ctx, ode_go(&r, 1.0, 1e-3), ISO_ERR_RANGE);
        CHECK_ERROR(r.ctx, "event functions");
        r.problem.event_count = 0;
        r.y[0] = NAN;
        CHECK_STATUS(r.ctx, ode_go(&r, 1.0, 1e-3), ISO_ERR_NUMERIC);
        CHECK_ERROR(r.ctx, "component 0 starts as nan");
        CHECK_BITS(r.t, 0.0);
        ode_destroy(&r);
    }
}

// An accuracy below rounding is refused at once by implicit methods; all end in bounded work.
static void an_accuracy_below_rounding_is_refused(void** state) {
    (void)state;
    for (int m = 0; m < NAME_COUNT && iso_ode_find_method(k_names[m]); ++m) {
        ode_run r;
        ode_make(&r, k_names[m], decay, 1, (const double[]){1.0}, NULL);
        r.problem.max_step_count = 1000;
        r.scales[0] = 1e-20;
        r.problem.scales = r.scales;
        CHECK_STATUS(r.ctx, ode_go(&r, 1.0, 1e-14), ISO_ERR_NO_CONVERGENCE);
        if (r.method->is_stiff) {
            CHECK_ERROR(r.ctx, "below its rounding: expected a larger accuracy");
        }
        ode_destroy(&r);
    }
}

static void a_right_hand_side_that_is_not_finite_is_named(void** state) {
    (void)state;
    for (int m = 2; m < NAME_COUNT && iso_ode_find_method(k_names[m]); ++m) {
        ode_run r;
        ode_make(&r, k_names[m], nan_after_half, 1, (const double[]){0.0}, NULL);
        iso_status status = ode_go(&r, 1.0, 1e-6);
        CHECK(status == ISO_ERR_NUMERIC || status == ISO_ERR_NO_CONVERGENCE, "%s: status %d",
              k_names[m], (int)status);
        CHECK_ERROR(r.ctx, "at t = 0.");
        // The last good state: y = t there.
        CHECK(r.t > 0.2 && r.t <= 0.5, "%s stops at %g", k_names[m], r.t);
        CHECK_NEAR(r.y[0], r.t, 1e-6);
        // Radau: at most 938. CVODE creeps up to the place with all steps that it may take.
        CHECK_AT_MOST((double)r.report.rhs_count, strcmp(k_names[m], "cvode") == 0 ? 5e5 : 2000.0);
        ode_destroy(&r);
    }
}

static void a_state_that_leaves_all_bounds_is_an_error(void** state) {
    (void)state;
    for (int m = 0; m < NAME_COUNT && iso_ode_find_method(k_names[m]); ++m) {
        ode_run r;
        ode_make(&r, k_names[m], blow_up, 1, (const double[]){1.0}, NULL);
        r.problem.relative = r.method->is_stiff ? 1.0 : 0.0;
        r.problem.max_step_count = 20000;
        iso_status status = ode_go(&r, 2.0, 1e-4);
        CHECK(status == ISO_ERR_NUMERIC || status == ISO_ERR_NO_CONVERGENCE, "%s: status %d, t %g",
              k_names[m], (int)status, r.t);
        CHECK(r.t > 0.9 && r.t < 1.1, "%s stops at %.17g", k_names[m], r.t);
        ode_destroy(&r);
    }
}

// Discontinuities either are crossed or are an error; nothing loops.
static void discontinuous_forces_end_in_bounded_work(void** state) {
    (void)state;
    iso_ode_rhs_fn functions[] = {push_back, noise};
    for (int k = 0; k < 2; ++k) {
        for (int m = 0; m < NAME_COUNT && iso_ode_find_method(k_names[m]); ++m) {
            ode_run r;
            ode_make(&r, k_names[m], functions[k], 1, (const double[]){0.3}, NULL);
            r.problem.max_step_count = 2000;
            r.problem.min_step = 1e-9;
            iso_status status = ode_go(&r, 1.0, 1e-6);
            CHECK(status == ISO_OK || status == ISO_ERR_NO_CONVERGENCE, "%s: status %d", k_names[m],
                  (int)status);
            int steps = r.report.accepted_count + r.report.rejected_count + r.report.unsolved_count;
            CHECK_AT_MOST((double)steps, 2000.0);
            CHECK_AT_MOST((double)r.report.rhs_count, 2000.0 * 27 * 11);
            if (status != ISO_OK) {
                CHECK_ERROR(r.ctx, "at t = ");
            }
            if (k == 0) {
                CHECK_AT_MOST(fabs(r.y[0] - fmax(0.3 - r.t, 0.0)), 1e-3);
            } else {
                CHECK_STATUS(r.ctx, status, ISO_ERR_NO_CONVERGENCE);
            }
            ode_destroy(&r);
        }
    }
}

static void an_error_of_a_callback_is_returned_as_it_is(void** state) {
    (void)state;
    double when = 0.4;
    for (int m = 0; m < NAME_COUNT && iso_ode_find_method(k_names[m]); ++m) {
        ode_run r;
        ode_make(&r, k_names[m], broken, 1, (const double[]){0.0}, &when);
        CHECK_STATUS(r.ctx, ode_go(&r, 1.0, 1e-6), ISO_ERR_GEOMETRY);
        CHECK(r.t <= 0.4, "%s stops at %g", k_names[m], r.t);
        CHECK_NEAR(r.y[0], r.t, 1e-6);
        ode_destroy(&r);
    }
}

static void all_allowed_steps_are_the_limit(void** state) {
    (void)state;
    double mu = 1e4;
    for (int m = 2; m < NAME_COUNT && iso_ode_find_method(k_names[m]); ++m) {
        ode_run r;
        ode_make(&r, k_names[m], van_der_pol, 2, (const double[]){2.0, 0.0}, &mu);
        r.problem.relative = 1.0;
        r.problem.max_step_count = 5;
        CHECK_STATUS(r.ctx, ode_go(&r, 1e5, 1e-8), ISO_ERR_NO_CONVERGENCE);
        CHECK_ERROR(r.ctx, "all allowed steps are made");
        CHECK_ERROR(r.ctx, "component ");
        assert_in_range(r.report.accepted_count + r.report.rejected_count + r.report.unsolved_count,
                        5, 6);
        ode_destroy(&r);
    }
}

static void never(void* user, double t, const double* y, double* out_values) {
    (void)user;
    (void)t;
    out_values[0] = 1.0 + y[0] * y[0];
}

static void an_event_that_never_comes_ends_at_the_end(void** state) {
    (void)state;
    for (int m = 2; m < NAME_COUNT && iso_ode_find_method(k_names[m]); ++m) {
        ode_run r;
        ode_make(&r, k_names[m], decay, 1, (const double[]){1.0}, NULL);
        r.problem.events = never;
        r.problem.event_count = 1;
        CHECK_OK(r.ctx, ode_go(&r, 2.0, 1e-4));
        assert_int_equal(r.report.event, -1);
        CHECK_BITS(r.t, 2.0);
        ode_destroy(&r);
    }
}

static void explicit_methods_say_that_they_have_no_events(void** state) {
    (void)state;
    ode_run r;
    ode_make(&r, "rk45", decay, 1, (const double[]){1.0}, NULL);
    r.problem.events = never;
    r.problem.event_count = 1;
    CHECK_STATUS(r.ctx, ode_go(&r, 1.0, 1e-4), ISO_ERR_UNSUPPORTED);
    CHECK_ERROR(r.ctx, "rk45 does not know the state within a step");
    r.problem.events = NULL;
    r.problem.event_count = 0;
    CHECK_OK(r.ctx, ode_go(&r, 1.0, 1e-6));
    CHECK_NEAR(r.y[0], exp(-1.0), 1e-6);
    ode_destroy(&r);
    assert_null(iso_ode_find_method("radau_2"));
    assert_null(iso_ode_method_at(-1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments_are_refused_by_all),
        cmocka_unit_test(an_accuracy_below_rounding_is_refused),
        cmocka_unit_test(a_right_hand_side_that_is_not_finite_is_named),
        cmocka_unit_test(a_state_that_leaves_all_bounds_is_an_error),
        cmocka_unit_test(discontinuous_forces_end_in_bounded_work),
        cmocka_unit_test(an_error_of_a_callback_is_returned_as_it_is),
        cmocka_unit_test(all_allowed_steps_are_the_limit),
        cmocka_unit_test(an_event_that_never_comes_ends_at_the_end),
        cmocka_unit_test(explicit_methods_say_that_they_have_no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
