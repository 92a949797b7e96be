// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Unknowns of a potential's own, which a solve steps, eliminates and refines.

#include "solver/convex.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

enum { DOFS = 6, MANY = 100 };

// l(u) = min over s of  c / 2 (u - s)^2 + friction (sqrt(s^2 + eps^2) - eps).
typedef struct slider {
    double c, friction, eps;
    double u, s, s0, ds;
    double gradient_s, curvature_s; // at the last evaluation
    double residual, slope;
    int eliminations, refinements;
    bool may_follow;
    double next_friction;         // once it has followed; NAN: nothing to solve
    double kept_friction, kept_s; // before that
    int first_iterations, follows, backs;
} slider;

static double value_at(const slider* p, double u, double s) {
    return 0.5 * p->c * (u - s) * (u - s) + p->friction * (sqrt(s * s + p->eps * p->eps) - p->eps);
}

static double slope_by_s(const slider* p, double u, double s) {
    return p->friction * s / sqrt(s * s + p->eps * p->eps) - p->c * (u - s);
}

static double eval_slider(const void* user, const double* u, double* g, double* h) {
    slider* p = *(slider* const*)user;
    (void)h;
    double speed = sqrt(p->s * p->s + p->eps * p->eps);
    p->u = u[0];
    g[0] = p->c * (u[0] - p->s);
    p->gradient_s = slope_by_s(p, u[0], p->s);
    p->curvature_s = p->c + p->friction * p->eps * p->eps / (speed * speed * speed);
    p->residual = p->gradient_s * p->gradient_s / p->c;
    p->slope = p->gradient_s * p->ds;
    return value_at(p, u[0], p->s);
}

static void line_slider(const void* user, const double* u, const double* du, double alpha,
                        double* value, double* slope, double* curvature) {
    const slider* p = *(slider* const*)user;
    double at = u[0] + alpha * du[0], s = p->s0 + alpha * p->ds;
    double speed = sqrt(s * s + p->eps * p->eps);
    *value = value_at(p, at, s);
    *slope = p->c * (at - s) * du[0] + slope_by_s(p, at, s) * p->ds;
    *curvature = p->c * (du[0] - p->ds) * (du[0] - p->ds) +
                 p->friction * p->eps * p->eps / (speed * speed * speed) * p->ds * p->ds;
}

static const iso_potential_ops slider_ops = {eval_slider, line_slider, NULL};

static bool eliminate_slider(void* user, double* correction, double* h) {
    slider* p = *(slider**)user;
    ++p->eliminations;
    correction[0] = p->c / p->curvature_s * p->gradient_s;
    h[0] = p->c - p->c * p->c / p->curvature_s;
    return true;
}
static void direct_slider(void* user, const double* du) {
    slider* p = *(slider**)user;
    p->s0 = p->s;
    p->ds = (p->c * du[0] - p->gradient_s) / p->curvature_s;
    p->slope = p->gradient_s * p->ds;
}
static void advance_slider(void* user, double alpha) {
    slider* p = *(slider**)user;
    p->s = p->s0 + alpha * p->ds;
}
static double refine_slider(void* user, double value, double* g) {
    slider* p = *(slider**)user;
    const double still = 0.0;
    ++p->refinements;
    direct_slider(user, &still);
    advance_slider(user, 1.0);
    double new_value = eval_slider(user, &p->u, g, NULL);
    if (new_value <= value) {
        return new_value;
    }
    advance_slider(user, 0.0);
    return eval_slider(user, &p->u, g, NULL);
}

static const iso_inner_ops slider_inner = {
    eliminate_slider, direct_slider, advance_slider, refine_slider, NULL, NULL, NULL};

// Becomes another slider at its first minimum.
static bool follow_slider(void* user, const double* u, const double* gradient, int round) {
    (void)gradient;
    (void)round;
    slider* p = *(slider**)user;
    (void)u;
    if (!p->may_follow) {
        return false;
    }
    p->may_follow = false;
    p->kept_friction = p->friction;
    p->kept_s = p->s;
    p->first_iterations = p->eliminations;
    p->friction = p->next_friction;
    p->s = 0.0;
    ++p->follows;
    return true;
}
static void go_back_slider(void* user) {
    slider* p = *(slider**)user;
    p->friction = p->kept_friction;
    p->s = p->kept_s;
    ++p->backs;
}

static const iso_inner_ops following_inner = {eliminate_slider, direct_slider, advance_slider,
                                              refine_slider,    NULL,          follow_slider,
                                              go_back_slider};

static double eval_spring(const void* user, const double* u, double* g, double* h) {
    double k = *(const double*)user;
    g[0] = k * u[0];
    h[0] = k;
    return 0.5 * k * u[0] * u[0];
}
static void line_spring(const void* user, const double* u, const double* du, double alpha,
                        double* value, double* slope, double* curvature) {
    double k = *(const double*)user, at = u[0] + alpha * du[0];
    *value = 0.5 * k * at * at;
    *slope = k * at * du[0];
    *curvature = k * du[0] * du[0];
}

static const iso_potential_ops spring_ops = {eval_spring, line_spring, NULL};

// Unit masses in a row, a spring between neighbours, the first one on the slider. The springs are
// potentials, or a part of A: the same problem, in which the slider is one potential of many, or
// the only one.
static iso_convex_report solve_row(bool has_spring_potentials, int max_iterations, slider* p,
                                   double v[DOFS]) {
    const double stiffness = 3.0, x[DOFS] = {1.0, 0.2, -0.4, 0.3, 0.0, 0.6};
    const int v_index[2] = {0, DOFS}, a_index[2] = {0, DOFS * DOFS};
    double a[DOFS * DOFS] = {0.0}, v_star[DOFS], jacobians[DOFS][DOFS] = {{1.0}};
    iso_potential potentials[DOFS] = {{&slider_ops, &p, 1, 0, -1, jacobians[0], NULL, 0}};
    const iso_inner_ops* ops = p->may_follow ? &following_inner : &slider_inner;
    const iso_inner inners[DOFS] = {{ops, &p, &p->residual, &p->slope}};
    for (int i = 0; i < DOFS; ++i) {
        a[i * (DOFS + 1)] = 1.0;
    }
    memcpy(v_star, x, sizeof v_star);
    for (int i = 1; i < DOFS; ++i) {
        jacobians[i][i - 1] = -1.0;
        jacobians[i][i] = 1.0;
        potentials[i] = (iso_potential){&spring_ops, &stiffness, 1, 0, -1, jacobians[i], NULL, 0};
        // (1 + K) x, where A leaves K to the potentials.
        v_star[i - 1] += has_spring_potentials ? stiffness * (x[i - 1] - x[i]) : 0.0;
        v_star[i] += has_spring_potentials ? stiffness * (x[i] - x[i - 1]) : 0.0;
        if (!has_spring_potentials) {
            a[(i - 1) * (DOFS + 1)] += stiffness;
            a[i * (DOFS + 1)] += stiffness;
            a[i * DOFS + i - 1] = a[(i - 1) * DOFS + i] = -stiffness;
        }
    }
    int count = has_spring_potentials ? DOFS : 1;
    iso_convex_problem problem = {1,     v_index,    a_index, a,    v_star,
                                  count, potentials, inners,  NULL, NULL};
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, (size_t)1 << 16));
    iso_convex_solver solver = {.matrix.ctx = ctx};
    iso_convex_options options = iso_convex_options_default();
    options.relative_tolerance = options.start_tolerance = 1e-12;
    options.max_iterations = max_iterations;
    iso_convex_report report;
    CHECK_OK(ctx, iso_convex_solve(&solver, &problem, &options, &arena, v, &report));
    iso_convex_solver_destroy(&solver);
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
    return report;
}

/// The slip of one patch does not make all bodies of an island wait: where it is one of many
/// potentials it takes steps of its own.
static void one_potential_of_many_refines_its_own_unknowns(void** state) {
    (void)state;
    const double guesses[3] = {-0.5, 0.3, 2.0};
    for (int i = 0; i < 3; ++i) {
        slider one = {.c = 10.0, .friction = 5.0, .eps = 0.01, .s = guesses[i]}, many = one;
        double v_one[DOFS] = {0.0}, v_many[DOFS] = {0.0};
        iso_convex_report alone = solve_row(false, MANY, &one, v_one);
        iso_convex_report among = solve_row(true, MANY, &many, v_many);
        print_message("slip %g: %d Newton steps, %d of the slip; alone %d, %d\n", guesses[i],
                      among.iterations, many.refinements, alone.iterations, one.refinements);
        assert_int_equal(one.eliminations, alone.iterations);
        assert_int_equal(many.eliminations, among.iterations);
        assert_int_equal(one.refinements, 0);
        assert_true(many.refinements > 0);
        assert_true(among.iterations < alone.iterations);
        for (int d = 0; d < DOFS; ++d) {
            CHECK_NEAR(v_many[d], v_one[d], 1e-11);
        }
        CHECK_NEAR(many.s, one.s, 1e-11);
        CHECK_NEAR(slope_by_s(&many, v_many[0], many.s), 0.0, 1e-11);
    }
}

/// A potential that follows the minimum and cannot be solved then, for lack of iterations or for
/// good, does not fail the solve: the minimum that it followed is the solution, to the bit.
static void a_second_minimum_that_is_not_found_leaves_the_first(void** state) {
    (void)state;
    test_random random = test_random_make(2026);
    int count = 0;
    for (int i = 0; i < 200; ++i) {
        slider first = {.c = test_random_uniform(&random, 1.0, 100.0),
                        .friction = test_random_uniform(&random, 0.01, 5.0),
                        .eps = pow(10.0, test_random_uniform(&random, -6.0, -1.0)),
                        .s = test_random_uniform(&random, -2.0, 2.0)};
        slider other = first;
        bool is_among = i % 2 == 0, is_lost = i % 4 < 2;
        double v_first[DOFS] = {0.0}, v_other[DOFS] = {0.0};
        iso_convex_report one = solve_row(is_among, MANY, &first, v_first);
        other.may_follow = true;
        other.next_friction = is_lost ? NAN : 0.2 * other.friction;
        int most = is_lost ? MANY : one.iterations;
        iso_convex_report two = solve_row(is_among, most, &other, v_other);
        assert_int_equal(other.follows, 1);
        if (other.backs == 0) { // solved within the same number of steps
            assert_true(two.has_followed);
            continue;
        }
        ++count;
        assert_false(two.has_followed);
        assert_int_equal(other.first_iterations, one.iterations);
        assert_int_equal(two.is_at_rounding, one.is_at_rounding);
        assert_memory_equal(v_other, v_first, sizeof v_first);
        assert_true(other.s == first.s && other.friction == first.friction);
        CHECK_NEAR(two.cost, one.cost, 1e-12 * fabs(one.cost));
    }
    CHECK(count >= 150, "%d of 200 went back", count);
}

/// With steps enough the second minimum is that of the other potential alone.
static void a_second_minimum_that_is_found_is_taken(void** state) {
    (void)state;
    test_random random = test_random_make(2027);
    for (int i = 0; i < 50; ++i) {
        slider p = {.c = 10.0, .friction = test_random_uniform(&random, 0.1, 5.0), .eps = 0.01};
        slider alone = p;
        double v[DOFS] = {0.0}, v_alone[DOFS] = {0.0};
        alone.friction = p.next_friction = 0.3 * p.friction;
        p.may_follow = true;
        iso_convex_report report = solve_row(i % 2 == 0, MANY, &p, v);
        solve_row(i % 2 == 0, MANY, &alone, v_alone);
        assert_true(report.has_followed);
        assert_int_equal(p.backs, 0);
        for (int d = 0; d < DOFS; ++d) {
            CHECK_NEAR(v[d], v_alone[d], 1e-11);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_potential_of_many_refines_its_own_unknowns),
        cmocka_unit_test(a_second_minimum_that_is_not_found_leaves_the_first),
        cmocka_unit_test(a_second_minimum_that_is_found_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
