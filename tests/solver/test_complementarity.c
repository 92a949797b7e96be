// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/lu.h"
#include "solver/complementarity/cone.h"
#include "solver/complementarity/lcp.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

#ifdef ISO_HAS_SICONOS
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/fc3d_compute_error.h>
#include <siconos/numerics/lcp_cst.h>
#endif

enum { MOST = 24 };

// A = G^T G (rank at most `rank`) + skew, of size n.
static void draw_matrix(test_random* random, int n, int rank, double skew, double* a) {
    double g[(MOST + 2) * MOST];
    for (int i = 0; i < rank * n; ++i) {
        g[i] = test_random_normal(random);
    }
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            a[r * n + c] = 0.0;
            for (int k = 0; k < rank; ++k) {
                a[r * n + c] += g[k * n + r] * g[k * n + c];
            }
        }
    }
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < r; ++c) {
            double s = skew * test_random_normal(random);
            a[r * n + c] += s;
            a[c * n + r] -= s;
        }
    }
}

// All 2^n choices of which rows have z > 0, each a linear system; the matrix is positive definite,
// so that exactly one choice solves the problem.
static bool enumerate(const iso_lcp* p, double* z) {
    int n = p->count, pivots[8];
    for (int choice = 0; choice < 1 << n; ++choice) {
        double a[64], x[8];
        for (int r = 0; r < n; ++r) {
            bool is_in = (choice >> r & 1) != 0;
            x[r] = is_in ? -p->q[r] : 0.0;
            for (int c = 0; c < n; ++c) {
                a[r * n + c] = is_in ? p->m[r * n + c] : (r == c ? 1.0 : 0.0);
            }
        }
        if (!iso_lu_factor(a, n, pivots)) {
            continue;
        }
        iso_lu_solve(a, pivots, n, x);
        if (iso_lcp_residual(p, x) < 1e-9) {
            memcpy(z, x, (size_t)n * sizeof *z);
            return true;
        }
    }
    return false;
}

static void lemke_finds_what_enumeration_finds(void** state) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        test_random random = test_random_make(seed);
        int n = test_random_int(&random, 1, 7);
        double m[64], q[8], z[8], known[8];
        draw_matrix(&random, n, n + 1, test_random_uniform(&random, 0.0, 2.0), m);
        for (int i = 0; i < n; ++i) {
            q[i] = test_random_normal(&random);
        }
        iso_lcp p = {n, m, q};
        iso_lcp_report r;
        CHECK_OK(*state, iso_lcp_lemke(*state, &p, 200, z, &r));
        CHECK(r.is_solved, "seed %d", (int)seed);
        CHECK(enumerate(&p, known), "seed %d", (int)seed);
        double size = 1.0;
        for (int i = 0; i < n; ++i) {
            size = fmax(size, known[i]);
        }
        CHECK_ARRAY_NEAR(z, known, n, 1e-11 * size); // measured 3.9e-14
    }
}

// Degenerate problems of rank-deficient matrices with many equal entries, as of stacks and tables.
static void lemke_does_not_cycle(void** state) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        test_random random = test_random_make(seed);
        int n = test_random_int(&random, 4, MOST), rank = test_random_int(&random, 1, 4);
        double m[MOST * MOST], q[MOST], z[MOST], g[4 * MOST], start[4];
        for (int k = 0; k < rank; ++k) {
            start[k] = test_random_int(&random, -2, 2);
            for (int i = 0; i < n; ++i) {
                g[k * n + i] = test_random_int(&random, -1, 1);
            }
        }
        for (int r = 0; r < n; ++r) {
            q[r] = 0.0;
            for (int k = 0; k < rank; ++k) {
                q[r] += g[k * n + r] * start[k];
            }
            q[r] += test_random_int(&random, 0, 1); // feasible: velocities 0 are
            for (int c = 0; c < n; ++c) {
                m[r * n + c] = 0.0;
                for (int k = 0; k < rank; ++k) {
                    m[r * n + c] += g[k * n + r] * g[k * n + c];
                }
            }
        }
        iso_lcp p = {n, m, q};
        iso_lcp_report r;
        CHECK_OK(*state, iso_lcp_lemke(*state, &p, 2000, z, &r));
        CHECK(r.is_solved, "seed %d: %d pivots, ray %d", (int)seed, r.pivots, r.is_ray);
        CHECK_AT_MOST(r.residual, 1e-11); // measured 1.8e-15
    }
}

static void a_problem_without_solution_ends_on_a_ray(void** state) {
    const double m[4] = {0.0, 0.0, 0.0, 1.0}, q[2] = {-1.0, 1.0};
    double z[2];
    iso_lcp p = {2, m, q};
    iso_lcp_report r;
    CHECK_OK(*state, iso_lcp_lemke(*state, &p, 100, z, &r));
    CHECK(!r.is_solved && r.is_ray, "solved %d", r.is_solved);
}

/// Contacts of one to four free bodies and the ground: W = J M^-1 J^T.
typedef struct drawn {
    double w[MOST * MOST], b[MOST], friction[MOST / 3];
    iso_cone_problem p;
} drawn;

static void draw_contacts(test_random* random, int rank, drawn* d) {
    int count = test_random_int(random, 1, 6), n = 3 * count;
    draw_matrix(random, n, rank > 0 ? rank : n + 2, 0.0, d->w);
    for (int i = 0; i < n; ++i) {
        d->b[i] = test_random_normal(random) - (i % 3 == 0 ? 1.0 : 0.0);
    }
    for (int i = 0; i < count; ++i) {
        d->friction[i] = test_random_uniform(random, 0.0, 0.8);
    }
    d->p = (iso_cone_problem){count, d->w, d->b, d->friction};
}

// What each contact does must be one of three things ([Datta2018] section 2.9).
static void check_modes(const iso_cone_problem* p, const double* f) {
    double u[MOST];
    iso_cone_velocities(p, f, u);
    for (int i = 0; i < p->count; ++i) {
        const double *fi = f + 3 * i, *ui = u + 3 * i;
        double slip = hypot(ui[1], ui[2]), pull = hypot(fi[1], fi[2]),
               bound = p->friction[i] * fi[0];
        bool parts = ui[0] >= -1e-7 && fi[0] <= 1e-7 && pull <= 1e-7;
        bool sticks = fabs(ui[0]) <= 1e-7 && slip <= 1e-6 && pull <= bound + 1e-7;
        double along = fi[1] * ui[1] + fi[2] * ui[2];
        bool slides = fabs(ui[0]) <= 1e-7 && fabs(pull - bound) <= 1e-7 &&
                      fabs(along + pull * slip) <= 1e-6 * (1.0 + slip);
        CHECK(parts || sticks || slides, "contact %d: f %g %g %g, u %g %g %g", i, fi[0], fi[1],
              fi[2], ui[0], ui[1], ui[2]);
    }
}

static void exact_cones_part_stick_or_slide(void** state) {
    iso_cone_options options = {1e-10, 200};
    int solved = 0;
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        test_random random = test_random_make(seed);
        drawn d;
        double f[MOST] = {0}, u[MOST];
        iso_cone_report r;
        draw_contacts(&random, 0, &d);
        CHECK_OK(*state, iso_cone_newton(*state, &d.p, &options, f, &r));
        solved += r.is_solved ? 1 : 0;
        if (r.is_solved) {
            CHECK_AT_MOST(iso_cone_residual(&d.p, ISO_CONE_EXACT, f, u), 1e-10);
            check_modes(&d.p, f);
        }
    }
    CHECK(solved >= 97, "%d of 100", solved); // measured 100
}

static void both_ways_to_the_exact_cone_agree(void** state) {
    iso_cone_options few = {1e-10, 200}, many = {1e-10, 20000};
    int compared = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = test_random_make(seed);
        drawn d;
        double f[MOST] = {0}, g[MOST] = {0};
        iso_cone_report r, s;
        draw_contacts(&random, 0, &d);
        CHECK_OK(*state, iso_cone_newton(*state, &d.p, &few, f, &r));
        CHECK_OK(*state, iso_cone_gauss_seidel(*state, &d.p, ISO_CONE_EXACT, &many, g, &s));
        if (r.is_solved && s.is_solved) {
            double size = 1.0;
            for (int i = 0; i < 3 * d.p.count; ++i) {
                size = fmax(size, fabs(f[i]));
            }
            compared += 1;
            CHECK_ARRAY_NEAR(g, f, 3 * d.p.count, 1e-8 * size); // measured 7.3e-11
        }
    }
    CHECK(compared >= 55, "%d of 60", compared);
}

// The relaxation is a convex problem: no drawn point of the cones is better.
static void the_relaxed_cone_is_the_least(void** state) {
    iso_cone_options options = {1e-10, 50000};
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        test_random random = test_random_make(seed);
        drawn d;
        double f[MOST] = {0}, u[MOST], cost = 0.0;
        iso_cone_report r;
        draw_contacts(&random, 0, &d);
        CHECK_OK(*state, iso_cone_gauss_seidel(*state, &d.p, ISO_CONE_ASSOCIATED, &options, f, &r));
        CHECK(r.is_solved, "residual %g", r.residual);
        iso_cone_velocities(&d.p, f, u);
        for (int i = 0; i < 3 * d.p.count; ++i) {
            cost += 0.5 * f[i] * (u[i] + d.b[i]);
        }
        for (int k = 0; k < 200; ++k) {
            double g[MOST], other = 0.0, scale = pow(10.0, test_random_uniform(&random, -4.0, 0.0));
            for (int i = 0; i < d.p.count; ++i) {
                double s[3];
                for (int l = 0; l < 3; ++l) {
                    s[l] = f[3 * i + l] + scale * test_random_normal(&random);
                }
                iso_cone_project(ISO_CONE_ASSOCIATED, d.friction[i], 0.0, s, g + 3 * i);
            }
            iso_cone_velocities(&d.p, g, u);
            for (int i = 0; i < 3 * d.p.count; ++i) {
                other += 0.5 * g[i] * (u[i] + d.b[i]);
            }
            CHECK(other >= cost - 1e-7, "%g below %g", other, cost);
        }
    }
}

#ifdef ISO_HAS_SICONOS
static NumericsMatrix* dense(const double* a, int n) {
    NumericsMatrix* m = NM_create(NM_DENSE, n, n);
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            m->matrix0[r + c * n] = a[r * n + c];
        }
    }
    return m;
}

static void lemke_agrees_with_siconos(void** state) {
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        test_random random = test_random_make(seed);
        int n = test_random_int(&random, 1, MOST);
        double m[MOST * MOST], q[MOST], z[MOST], other[MOST] = {0}, w[MOST] = {0}, size = 1.0;
        draw_matrix(&random, n, n + 1, 1.0, m);
        for (int i = 0; i < n; ++i) {
            q[i] = test_random_normal(&random);
        }
        iso_lcp p = {n, m, q};
        iso_lcp_report r;
        CHECK_OK(*state, iso_lcp_lemke(*state, &p, 500, z, &r));
        LinearComplementarityProblem lcp = {n, dense(m, n), q};
        SolverOptions* options = solver_options_create(SICONOS_LCP_LEMKE);
        int failed = linearComplementarity_driver(&lcp, other, w, options);
        solver_options_delete(options);
        NM_free(lcp.M);
        CHECK(!failed && r.is_solved, "seed %d: %d %d", (int)seed, failed, r.is_solved);
        for (int i = 0; i < n; ++i) {
            size = fmax(size, z[i]);
        }
        CHECK_ARRAY_NEAR(z, other, n, 1e-11 * size); // measured 6.9e-18
    }
}

// Forces of each are a solution by the measure of the other, and the same where W is definite.
static void exact_cones_agree_with_siconos(void** state) {
    iso_cone_options few = {1e-11, 200};
    int compared = 0;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        test_random random = test_random_make(seed);
        drawn d;
        double f[MOST] = {0}, g[MOST] = {0}, u[MOST], error = 0.0, size = 1.0;
        iso_cone_report r;
        draw_contacts(&random, 0, &d);
        int n = 3 * d.p.count;
        CHECK_OK(*state, iso_cone_newton(*state, &d.p, &few, f, &r));
        FrictionContactProblem* p =
            frictionContactProblem_new_with_data(3, d.p.count, dense(d.w, n), d.b, d.friction);
        SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
        options->dparam[0] = 1e-11;
        options->iparam[0] = 20000;
        int failed = fc3d_driver(p, g, u, options);
        iso_cone_velocities(&d.p, f, u);
        fc3d_compute_error(p, f, u, 1e-8, options, 1.0, &error);
        if (r.is_solved && !failed) {
            for (int i = 0; i < n; ++i) {
                size = fmax(size, fabs(f[i]));
            }
            ++compared;
            CHECK_AT_MOST(error, 1e-8 * size); // by siconos; measured 5.8e-12
            CHECK_AT_MOST(iso_cone_residual(&d.p, ISO_CONE_EXACT, g, u), 1e-8); // measured 3.3e-11
            CHECK_ARRAY_NEAR(g, f, n, 1e-8 * size);                             // measured 1.4e-11
        }
        solver_options_delete(options);
        p->q = NULL;
        p->mu = NULL;
        frictionContactProblem_free(p);
    }
    CHECK(compared >= 45, "%d of 50", compared);
}
#endif

static iso_status solve_all(iso_context* ctx, void* user) {
    test_random random = test_random_make(3);
    drawn d;
    double f[MOST] = {0};
    iso_cone_options options = {1e-10, 50};
    iso_cone_report r;
    iso_lcp_report l;
    draw_contacts(&random, 0, &d);
    iso_lcp lcp = {3 * d.p.count, d.w, d.b};
    (void)user;
    iso_status status = iso_cone_newton(ctx, &d.p, &options, f, &r);
    return status == ISO_OK ? iso_lcp_lemke(ctx, &lcp, 100, f, &l) : status;
}

static void solvers_survive_every_allocation_failure(void** state) {
    (void)state;
    CHECK(check_every_allocation_failure(solve_all, NULL) >= 4, "few allocations");
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, test_set_up, test_tear_down)
        TEST(lemke_finds_what_enumeration_finds),
        TEST(lemke_does_not_cycle),
        TEST(a_problem_without_solution_ends_on_a_ray),
        TEST(exact_cones_part_stick_or_slide),
        TEST(both_ways_to_the_exact_cone_agree),
        TEST(the_relaxed_cone_is_the_least),
#ifdef ISO_HAS_SICONOS
        TEST(lemke_agrees_with_siconos),
        TEST(exact_cones_agree_with_siconos),
#endif
        cmocka_unit_test(solvers_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
