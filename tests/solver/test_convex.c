// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/dense.h"
#include "solver/convex.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TREES = 12, MAX_DOFS = 120, MAX_POTENTIALS = 60 };

// l(u) = 1/2 |K (u - u0)|^2 + friction sqrt(|u|^2 + eps^2) - eps: smooth, with a stiff bend.
typedef struct bowl {
    int rows;
    double stiffness[36]; // K^T K
    double center[6];
    double friction, eps;
} bowl;

static double eval_bowl(const void* user, const double* u, double* g, double* h) {
    const bowl* b = user;
    double value = 0.0, speed2 = b->eps * b->eps;
    for (int i = 0; i < b->rows; ++i) {
        g[i] = 0.0;
        for (int j = 0; j < b->rows; ++j) {
            g[i] += b->stiffness[i * b->rows + j] * (u[j] - b->center[j]);
            h[i * b->rows + j] = b->stiffness[i * b->rows + j];
        }
        value += 0.5 * g[i] * (u[i] - b->center[i]);
        speed2 += u[i] * u[i];
    }
    double speed = sqrt(speed2);
    for (int i = 0; i < b->rows; ++i) {
        g[i] += b->friction * u[i] / speed;
        h[i * b->rows + i] += b->friction / speed;
        for (int j = 0; j < b->rows; ++j) {
            h[i * b->rows + j] -= b->friction * u[i] * u[j] / (speed * speed2);
        }
    }
    return value + b->friction * (speed - b->eps);
}

static void line_bowl(const void* user, const double* u, const double* du, double alpha,
                      double* value, double* slope, double* curvature) {
    const bowl* b = user;
    double x[6], g[6], h[36];
    for (int i = 0; i < b->rows; ++i) {
        x[i] = u[i] + alpha * du[i];
    }
    *value = eval_bowl(user, x, g, h);
    *slope = iso_dense_dot(g, du, b->rows);
    *curvature = 0.0;
    for (int i = 0; i < b->rows; ++i) {
        *curvature += du[i] * iso_dense_dot(h + i * b->rows, du, b->rows);
    }
}

static const iso_potential_ops bowl_ops = {eval_bowl, line_bowl, NULL};

typedef struct scene {
    iso_context* ctx;
    iso_convex_solver solver;
    iso_arena arena;
    iso_convex_problem problem;
    int v_index[MAX_TREES + 1], a_index[MAX_TREES + 1];
    double a[MAX_TREES * 10 * 10], v_star[MAX_DOFS], v[MAX_DOFS];
    iso_potential potentials[MAX_POTENTIALS];
    bowl bowls[MAX_POTENTIALS];
    double jacobians[MAX_POTENTIALS][2][60];
    iso_convex_report report;
} scene;

static int dofs_of(const scene* s, int tree) {
    return s->v_index[tree + 1] - s->v_index[tree];
}

static void fill_spd(double* a, int n, double floor, test_random* random) {
    for (int i = 0; i < n * n; ++i) {
        a[i] = i % (n + 1) == 0 ? floor : 0.0;
    }
    for (int r = 0; r < n; ++r) {
        double g[10];
        for (int i = 0; i < n; ++i) {
            g[i] = test_random_normal(random);
        }
        for (int i = 0; i < n * n; ++i) {
            a[i] += g[i / n] * g[i % n];
        }
    }
}

// Trees of 1 to 9 degrees of freedom and bowls between random ones of them; the last tree idles.
static scene* scene_make(uint64_t seed, int trees, int potentials, double friction) {
    test_random random = test_random_make(seed);
    scene* s = calloc(1, sizeof *s);
    s->ctx = test_context();
    s->solver.matrix.ctx = s->ctx;
    CHECK_OK(s->ctx, iso_arena_init(&s->arena, s->ctx, (size_t)1 << 16));
    for (int t = 0; t < trees; ++t) {
        int dofs = test_random_int(&random, 1, 9);
        s->v_index[t + 1] = s->v_index[t] + dofs;
        s->a_index[t + 1] = s->a_index[t] + dofs * dofs;
        fill_spd(s->a + s->a_index[t], dofs, 1.0, &random);
    }
    for (int d = 0; d < s->v_index[trees]; ++d) {
        s->v_star[d] = test_random_normal(&random);
        s->v[d] = test_random_normal(&random);
    }
    for (int k = 0; k < potentials; ++k) {
        iso_potential* p = &s->potentials[k];
        bowl* b = &s->bowls[k];
        *p = (iso_potential){&bowl_ops,          b, k % 3 == 0 ? 1 : 6, 0, -1, s->jacobians[k][0],
                             s->jacobians[k][1], 0};
        p->tree_a = test_random_int(&random, 0, trees - 2);
        int other = test_random_int(&random, 0, trees - 2);
        p->tree_b = other == p->tree_a ? -1 : other;
        if (k % 9 == 0) {
            p->jacobian_a = NULL;
            p->tree_b = -1;
            p->dof = s->v_index[p->tree_a];
        }
        for (int i = 0; i < 60; ++i) {
            s->jacobians[k][0][i] = test_random_normal(&random);
            s->jacobians[k][1][i] = test_random_normal(&random);
        }
        b->rows = p->rows;
        fill_spd(b->stiffness, b->rows, 0.0, &random);
        for (int i = 0; i < 6; ++i) {
            b->center[i] = test_random_normal(&random);
        }
        b->friction = friction;
        b->eps = 0.1;
    }
    s->problem = (iso_convex_problem){trees,      s->v_index,    s->a_index, s->a, s->v_star,
                                      potentials, s->potentials, NULL,       NULL, NULL};
    return s;
}

static void scene_destroy(scene* s) {
    iso_convex_solver_destroy(&s->solver);
    iso_arena_destroy(&s->arena);
    test_context_destroy(s->ctx);
    free(s);
}

static iso_status solve(scene* s, const iso_convex_options* options) {
    return iso_convex_solve(&s->solver, &s->problem, options, &s->arena, s->v, &s->report);
}

// Cost at v by textbook loops.
static double plain_cost(const scene* s, const double* v) {
    double cost = 0.0;
    for (int t = 0; t < s->problem.tree_count; ++t) {
        int n = dofs_of(s, t), first = s->v_index[t];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                cost += 0.5 * s->a[s->a_index[t] + i * n + j] *
                        (v[first + i] - s->v_star[first + i]) *
                        (v[first + j] - s->v_star[first + j]);
            }
        }
    }
    for (int k = 0; k < s->problem.potential_count; ++k) {
        double u[6], g[6], h[36];
        iso_potential_velocity(&s->problem, &s->potentials[k], v, u);
        cost += eval_bowl(&s->bowls[k], u, g, h);
    }
    return cost;
}

/// No potential is curved, so the cost is quadratic: one step of length one.
static void quadratic_problem_takes_one_newton_step(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        scene* s = scene_make(seed, 8, 20, 0.0);
        iso_convex_options options = iso_convex_options_default();
        CHECK_OK(s->ctx, solve(s, &options));
        assert_int_equal(s->report.iterations, 1);
        assert_int_equal(s->report.line_search_iterations, 1);
        CHECK_AT_MOST(s->report.residual, 1e-12); // measured 2e-14
        scene_destroy(s);
    }
}

static void gradient_of_the_cost_vanishes_at_the_solution(void** state) {
    (void)state;
    double worst = 0.0, slope_before = 0.0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        scene* s = scene_make(seed + 50, 8, 30, 5.0);
        iso_convex_options options = iso_convex_options_default();
        options.relative_tolerance = 1e-12;
        int n = s->v_index[8];
        for (int round = 0; round < 2; ++round) {
            for (int d = 0; d < n; ++d) {
                double h = 1e-5, v = s->v[d];
                s->v[d] = v + h;
                double above = plain_cost(s, s->v);
                s->v[d] = v - h;
                double below = plain_cost(s, s->v);
                s->v[d] = v;
                double slope = fabs(above - below) / (2.0 * h);
                *(round == 0 ? &slope_before : &worst) =
                    fmax(slope, round == 0 ? slope_before : worst);
            }
            if (round == 0) {
                CHECK_OK(s->ctx, solve(s, &options));
            }
        }
        CHECK_REL(s->report.cost, plain_cost(s, s->v), 1e-12); // measured 6e-16
        scene_destroy(s);
    }
    CHECK(slope_before > 10.0, "largest slope at the guess %g", slope_before);
    CHECK_AT_MOST(worst, 1e-5); // differences, h^2; measured 4e-7
}

static void solution_does_not_depend_on_the_guess(void** state) {
    (void)state;
    scene* s = scene_make(99, 10, 40, 20.0);
    iso_convex_options options = iso_convex_options_default();
    options.relative_tolerance = 1e-12;
    double first[MAX_DOFS];
    CHECK_OK(s->ctx, solve(s, &options));
    memcpy(first, s->v, sizeof first);
    for (int d = 0; d < s->v_index[10]; ++d) {
        s->v[d] = 100.0 * sin(d);
    }
    CHECK_OK(s->ctx, solve(s, &options));
    CHECK_ARRAY_NEAR(s->v, first, s->v_index[10], 1e-9); // measured 5e-14
    scene_destroy(s);
}

static void exact_guess_takes_no_iteration(void** state) {
    (void)state;
    scene* s = scene_make(4, 8, 20, 5.0);
    iso_convex_options options = iso_convex_options_default();
    options.relative_tolerance = 1e-10;
    CHECK_OK(s->ctx, solve(s, &options));
    CHECK(s->report.iterations > 0, "%d iterations", s->report.iterations);
    double first[MAX_DOFS];
    memcpy(first, s->v, sizeof first);
    CHECK_OK(s->ctx, solve(s, &options));
    assert_int_equal(s->report.iterations, 0);
    CHECK_ARRAY_BITS(s->v, first, s->v_index[7]);
    scene_destroy(s);
}

static void idle_tree_moves_freely(void** state) {
    (void)state;
    scene* s = scene_make(5, 8, 20, 5.0);
    iso_convex_options options = iso_convex_options_default();
    CHECK_OK(s->ctx, solve(s, &options));
    CHECK_ARRAY_BITS(s->v + s->v_index[7], s->v_star + s->v_index[7], dofs_of(s, 7));
    assert_int_equal(s->solver.matrix.block_count <= 7, 1);

    s->problem.potential_count = 0;
    CHECK_OK(s->ctx, solve(s, &options));
    CHECK_ARRAY_BITS(s->v, s->v_star, s->v_index[8]);
    assert_int_equal(s->report.iterations, 0);
    assert_int_equal(s->report.worst_dof, -1);
    scene_destroy(s);
}

static void iteration_limit_is_an_error_that_says_where(void** state) {
    (void)state;
    scene* s = scene_make(6, 8, 20, 5.0);
    iso_convex_options options = iso_convex_options_default();
    options.max_iterations = 1;
    CHECK_STATUS(s->ctx, solve(s, &options), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(s->ctx, "after 1 Newton iterations");
    assert_int_equal(s->report.iterations, 1);
    CHECK(s->report.residual > options.relative_tolerance, "residual %g", s->report.residual);
    assert_in_range(s->report.worst_dof, 0, s->v_index[7] - 1);
    scene_destroy(s);
}

static void number_that_is_not_finite_is_an_error(void** state) {
    (void)state;
    scene* s = scene_make(7, 8, 20, 5.0);
    iso_convex_options options = iso_convex_options_default();
    s->v_star[s->v_index[s->potentials[1].tree_a]] = NAN;
    CHECK_STATUS(s->ctx, solve(s, &options), ISO_ERR_NUMERIC);
    int tree = s->potentials[1].tree_a;
    assert_in_range(s->report.worst_dof, s->v_index[tree], s->v_index[tree + 1] - 1);
    scene_destroy(s);

    s = scene_make(7, 8, 20, 5.0);
    s->bowls[2].stiffness[0] = -1e9;
    CHECK_STATUS(s->ctx, solve(s, &options), ISO_ERR_NUMERIC);
    CHECK_ERROR(s->ctx, "not positive definite");
    scene_destroy(s);
}

static void steady_solve_allocates_nothing(void** state) {
    (void)state;
    scene* s = scene_make(8, 10, 40, 5.0);
    iso_convex_options options = iso_convex_options_default();
    long calls = 0;
    for (int round = 0; round < 4; ++round) {
        CHECK_OK(s->ctx, iso_arena_reset(&s->arena));
        for (int d = 0; d < s->v_index[10]; ++d) {
            s->v[d] = sin(d + round);
        }
        CHECK_OK(s->ctx, solve(s, &options));
        if (round == 1) {
            calls = test_heap_of(s->ctx)->call_count;
        }
    }
    assert_int_equal(test_heap_of(s->ctx)->call_count, calls);
    assert_int_equal(s->solver.matrix.analysis_count, 1);
    scene_destroy(s);
}

// Two scenes side by side in one: trees and potentials alternate, so that neither comes first.
typedef struct joined {
    scene* parts[2];
    iso_convex_solver solver;
    iso_convex_problem problem;
    int v_index[2 * MAX_TREES + 1], a_index[2 * MAX_TREES + 1];
    double a[2 * MAX_TREES * 10 * 10], v_star[2 * MAX_DOFS], v[2 * MAX_DOFS];
    iso_potential potentials[2 * MAX_POTENTIALS];
} joined;

static joined* join(scene* first, scene* second) {
    joined* j = calloc(1, sizeof *j);
    scene* parts[2] = {first, second};
    int trees = first->problem.tree_count, potentials = first->problem.potential_count;
    j->parts[0] = first;
    j->parts[1] = second;
    j->solver.matrix.ctx = first->ctx;
    for (int t = 0; t < 2 * trees; ++t) {
        const scene* s = parts[t % 2];
        int dofs = dofs_of(s, t / 2), from = s->v_index[t / 2], to = j->v_index[t];
        j->v_index[t + 1] = to + dofs;
        j->a_index[t + 1] = j->a_index[t] + dofs * dofs;
        memcpy(j->a + j->a_index[t], s->a + s->a_index[t / 2],
               (size_t)(dofs * dofs) * sizeof *j->a);
        memcpy(j->v_star + to, s->v_star + from, (size_t)dofs * sizeof *j->v_star);
        memcpy(j->v + to, s->v + from, (size_t)dofs * sizeof *j->v);
    }
    for (int k = 0; k < 2 * potentials; ++k) {
        const iso_potential* from = &parts[k % 2]->potentials[k / 2];
        iso_potential* to = &j->potentials[k];
        *to = *from;
        to->tree_a = 2 * from->tree_a + k % 2;
        to->tree_b = from->tree_b < 0 ? -1 : 2 * from->tree_b + k % 2;
        to->dof = j->v_index[to->tree_a] + from->dof - parts[k % 2]->v_index[from->tree_a];
    }
    j->problem = (iso_convex_problem){2 * trees,      j->v_index,    j->a_index, j->a, j->v_star,
                                      2 * potentials, j->potentials, NULL,       NULL, NULL};
    return j;
}

// Whether part p of a joined solution has the bits of its own.
static void check_part(const joined* j, int p) {
    const scene* s = j->parts[p];
    for (int t = 0; t < s->problem.tree_count; ++t) {
        CHECK_ARRAY_BITS(j->v + j->v_index[2 * t + p], s->v + s->v_index[t], dofs_of(s, t));
    }
}

static void scenes_side_by_side_have_the_bits_of_each_alone(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        scene* first = scene_make(2 * seed + 200, 8, 12, 5.0);
        scene* second = scene_make(2 * seed + 201, 8, 12, 20.0);
        joined* j = join(first, second);
        iso_convex_options options = iso_convex_options_default();
        iso_convex_report report;
        CHECK_OK(first->ctx, solve(first, &options));
        CHECK_OK(second->ctx, solve(second, &options));
        CHECK_OK(first->ctx,
                 iso_convex_solve(&j->solver, &j->problem, &options, &first->arena, j->v, &report));
        check_part(j, 0);
        check_part(j, 1);
        assert_int_equal(report.island_count,
                         first->report.island_count + second->report.island_count);
        assert_int_equal(report.total_iterations,
                         first->report.total_iterations + second->report.total_iterations);
        int most = first->report.iterations > second->report.iterations ? first->report.iterations
                                                                        : second->report.iterations;
        assert_int_equal(report.iterations, most);
        CHECK(report.slowest_potential >= 0, "slowest potential %d", report.slowest_potential);
        iso_convex_solver_destroy(&j->solver);
        free(j);
        scene_destroy(first);
        scene_destroy(second);
    }
}

static void islands_have_the_same_bits_on_any_number_of_threads(void** state) {
    (void)state;
    int several = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        double alone[MAX_DOFS];
        for (int threads = 1; threads <= 4; ++threads) {
            scene* s = scene_make(seed + 300, MAX_TREES, 16, 10.0);
            iso_convex_options options = iso_convex_options_default();
            if (threads > 1) {
                CHECK_OK(s->ctx, iso_task_pool_create(s->ctx, threads, &s->solver.pool));
            }
            CHECK_OK(s->ctx, solve(s, &options));
            several += s->report.island_count > 1;
            if (threads == 1) {
                memcpy(alone, s->v, sizeof alone);
            } else {
                CHECK_ARRAY_BITS(s->v, alone, s->v_index[MAX_TREES]);
                iso_task_pool_destroy(s->solver.pool);
            }
            scene_destroy(s);
        }
    }
    CHECK(several >= 8, "%d problems of several islands", several);
}

/// Islands that are known count in the report as those that are solved, and keep their velocities.
static void known_islands_report_as_solved_ones(void** state) {
    (void)state;
    int known_count = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        scene* s = scene_make(seed + 500, MAX_TREES, 9, 10.0);
        iso_convex_options options = iso_convex_options_default();
        iso_island_note notes[MAX_TREES] = {{0}};
        bool is_known[MAX_TREES] = {false};
        int leaders[MAX_TREES];
        double solved[MAX_DOFS];
        s->problem.notes = notes;
        CHECK_OK(s->ctx, solve(s, &options));
        iso_convex_report whole = s->report;
        memcpy(solved, s->v, sizeof solved);
        for (int t = 0; t < MAX_TREES; ++t) {
            leaders[t] = t;
        }
        for (int k = 0; k < s->problem.potential_count; ++k) {
            iso_island_join(leaders, s->potentials[k].tree_a, s->potentials[k].tree_b);
        }
        for (int t = 0; t < MAX_TREES; ++t) { // every second tree's island
            is_known[t] = notes[iso_island_leader(leaders, t)].tree_count > 0 &&
                          iso_island_leader(leaders, t) % 2 == 0;
            known_count += is_known[t];
        }
        int kept = 0;
        for (int k = 0; k < s->problem.potential_count; ++k) {
            if (!is_known[s->potentials[k].tree_a]) {
                s->potentials[kept++] = s->potentials[k];
            }
        }
        s->problem.potential_count = kept;
        s->problem.is_known = is_known;
        scene* again = scene_make(seed + 500, MAX_TREES, 9, 10.0); // the same guess
        for (int t = 0; t < MAX_TREES; ++t) {
            const double* from = is_known[t] ? solved : again->v;
            size_t bytes = (size_t)dofs_of(s, t) * sizeof(double);
            memcpy(s->v + s->v_index[t], from + s->v_index[t], bytes);
            notes[t].tree_count = is_known[t] ? notes[t].tree_count : 0;
        }
        CHECK_OK(s->ctx, solve(s, &options));
        CHECK_ARRAY_BITS(s->v, solved, s->v_index[MAX_TREES]);
        assert_int_equal(s->report.island_count, whole.island_count);
        assert_int_equal(s->report.largest_island, whole.largest_island);
        assert_int_equal(s->report.iterations, whole.iterations);
        assert_int_equal(s->report.total_iterations, whole.total_iterations);
        assert_int_equal(s->report.slowest_dof, whole.slowest_dof);
        assert_int_equal(s->report.worst_dof, whole.worst_dof);
        CHECK_ARRAY_BITS(&s->report.cost, &whole.cost, 1);
        CHECK_ARRAY_BITS(&s->report.residual, &whole.residual, 1);
        scene_destroy(again);
        scene_destroy(s);
    }
    CHECK(known_count >= 20, "%d trees of known islands", known_count);
}

static void island_that_fails_is_named_and_the_others_are_solved(void** state) {
    (void)state;
    scene* first = scene_make(400, 8, 12, 5.0);
    scene* second = scene_make(401, 8, 12, 5.0);
    second->bowls[2].stiffness[0] = -1e9;
    joined* j = join(first, second);
    iso_convex_options options = iso_convex_options_default();
    iso_convex_report report;
    CHECK_OK(first->ctx, solve(first, &options));
    CHECK_STATUS(first->ctx,
                 iso_convex_solve(&j->solver, &j->problem, &options, &first->arena, j->v, &report),
                 ISO_ERR_NUMERIC);
    check_part(j, 0);
    int tree = 0;
    while (j->v_index[tree + 1] <= report.worst_dof) {
        ++tree;
    }
    assert_int_equal(tree % 2, 1);
    iso_convex_solver_destroy(&j->solver);
    free(j);
    scene_destroy(first);
    scene_destroy(second);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_problem_takes_one_newton_step),
        cmocka_unit_test(gradient_of_the_cost_vanishes_at_the_solution),
        cmocka_unit_test(solution_does_not_depend_on_the_guess),
        cmocka_unit_test(exact_guess_takes_no_iteration),
        cmocka_unit_test(idle_tree_moves_freely),
        cmocka_unit_test(iteration_limit_is_an_error_that_says_where),
        cmocka_unit_test(number_that_is_not_finite_is_an_error),
        cmocka_unit_test(steady_solve_allocates_nothing),
        cmocka_unit_test(scenes_side_by_side_have_the_bits_of_each_alone),
        cmocka_unit_test(islands_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(known_islands_report_as_solved_ones),
        cmocka_unit_test(island_that_fails_is_named_and_the_others_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
