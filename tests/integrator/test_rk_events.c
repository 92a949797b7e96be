// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Events of explicit Runge-Kutta methods: a point that moves in the plane and turns back each time
// it meets a wall, whose speed changes there. Walls, steps and guesses of the moment are drawn.

#include "integrator/explicit_rk.h"

#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

typedef struct walk {
    double speed, wall; // y' = speed until y reaches the wall
    double guess;       // of how long ago that was: so many times the truth
    int met;
} walk;

static iso_status rhs(void* user, double t, const double* y, double* out) {
    (void)t, (void)y;
    out[0] = ((walk*)user)->speed;
    return ISO_OK;
}

static double event(void* user, double t, const double* y, double h, const double* y_new) {
    const walk* w = user;
    (void)t, (void)y, (void)h;
    double past = (y_new[0] - w->wall) / w->speed;
    return past < 0.0 ? -1.0 : past * w->guess;
}

// The next wall is behind, and the way there slower.
static void turn(void* user, double t, double* y) {
    walk* w = user;
    (void)t;
    if ((y[0] - w->wall) / w->speed >= 0.0) {
        w->speed *= -0.7;
        w->wall = w->speed > 0.0 ? 0.3 : -0.2;
        ++w->met;
    }
}

static double exact_place(double t_end) {
    walk w = {.speed = 1.0, .wall = 0.3};
    double t = 0.0, y = 0.0;
    while (t + (w.wall - y) / w.speed < t_end) {
        t += (w.wall - y) / w.speed;
        y = w.wall;
        turn(&w, t, &y);
    }
    return y + w.speed * (t_end - t);
}

static void the_right_hand_side_changes_at_an_event_and_not_before(void** state) {
    (void)state;
    const iso_rk_table* tables[] = {&iso_rk_table_rk4, &iso_rk_table_rk23, &iso_rk_table_rk45};
    iso_context* ctx = test_context();
    for (int seed = 0; seed < 60; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        const iso_rk_table* table = tables[seed % 3];
        walk w = {.speed = 1.0, .wall = 0.3, .guess = test_random_uniform(&random, 0.2, 2.0)};
        double y = 0.0, t = 0.0, end = test_random_uniform(&random, 1.5, 3.0);
        iso_rk_problem problem = {
            .dimension = 1, .rhs = rhs, .project = turn, .event = event, .user = &w};
        double work[ISO_RK_MAX_STAGES + 1];
        iso_rk_state kept = {.h = test_random_uniform(&random, 0.01, 0.2), .work = work};
        iso_rk_report report;
        bool is_controlled = seed % 2 == 0;
        problem.max_step = kept.h;
        CHECK_OK(ctx, iso_rk_advance(ctx, table, &problem, &t, &y, end, is_controlled ? 1e-6 : 0.0,
                                     &kept, &report));
        CHECK_BITS(t, end);
        assert_true(w.met >= 2);
        CHECK_NEAR(y, exact_place(end), 1e-6); // measured 6e-8: a touch of 1e-7 of a step
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_hand_side_changes_at_an_event_and_not_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
