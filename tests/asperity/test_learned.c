// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/learned/model.h"
#include "math/lu.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef ISO_HAS_LIBSVM
// Values of another solver (sequential minimal optimisation, gap below 1e-6) on the same rows.
static void support_vectors_of_the_table_are_those_of_another_solver(void** state) {
    static const struct {
        iso_learned_features features;
        int count, bound;
        double bias, mae, rmse, r2, loo_rmse, loo_mae;
    } known[] = {
        {ISO_LEARNED_RAW, 26, 1, 0.5820, 0.0851, 0.0902, 0.914, 0.2946, 0.2382},
        {ISO_LEARNED_STANDARD, 27, 15, 0.4074, 0.1473, 0.1791, 0.662, 0.3053, 0.2578},
        {ISO_LEARNED_LOG, 27, 15, 0.4472, 0.1599, 0.2008, 0.575, 0.3261, 0.2720},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        iso_learned_desc d = iso_learned_desc_default();
        iso_learned_report r;
        d.features = known[i].features;
        d.is_symmetric = false;
        CHECK_OK(*state, iso_learned_evaluate(*state, &d, &r, NULL, NULL));
        CHECK((r.support_count) == (known[i].count), "%d", r.support_count);
        CHECK((r.bound_count) == (known[i].bound), "%d", r.bound_count);
        CHECK_NEAR(r.bias, known[i].bias, 1e-4); // of rounding: measured 4.3e-5
        CHECK_NEAR(r.train_mae, known[i].mae, 1e-4);
        CHECK_NEAR(r.train_rmse, known[i].rmse, 1e-4);
        CHECK_NEAR(r.train_r2, known[i].r2, 1e-3);
        CHECK_NEAR(r.loo_rmse, known[i].loo_rmse, 1e-3); // measured 7.1e-4
        CHECK_NEAR(r.loo_mae, known[i].loo_mae, 1e-3);
        CHECK_NEAR(r.mean_rmse, 0.3168, 1e-4);
    }
}

// The optimum of the dual: bounded coefficients of sum 0, residuals at most epsilon but at a bound.
static void support_vectors_are_optimal(void** state) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        test_random random = test_random_make(seed);
        iso_learned_desc d = iso_learned_desc_default();
        iso_learned* m = NULL;
        d.features = (iso_learned_features)test_random_int(&random, 0, 2);
        d.is_symmetric = false;
        d.epsilon = test_random_uniform(&random, 0.0, 0.3);
        d.penalty = exp(test_random_uniform(&random, -3.0, 3.0));
        d.gamma = exp(test_random_uniform(&random, -4.0, 1.0));
        CHECK_OK(*state, iso_learned_fit(*state, &d, &m));
        double sum = 0.0, worst = 0.0;
        for (int i = 0; i < m->row_count; ++i) {
            double mean = 0.0, deviation = 0.0, b = m->coefficients[i];
            iso_learned_at(m, m->points + i * ISO_LEARNED_SIZE, &mean, &deviation);
            double miss = m->rows[i].friction - mean;
            bool is_free = fabs(b) < d.penalty * (1.0 - 1e-9);
            sum += b;
            CHECK(fabs(b) <= d.penalty * (1.0 + 1e-12), "coefficient %g", b);
            worst = fmax(worst, is_free ? fabs(miss) - d.epsilon : 0.0);
            worst = fmax(worst, b > 0.0 ? d.epsilon - miss : 0.0);
            worst = fmax(worst, b < 0.0 ? d.epsilon + miss : 0.0);
        }
        CHECK_AT_MOST(fabs(sum), 1e-12); // measured 1.6e-14
        CHECK_AT_MOST(worst, 2e-5);      // measured 1.1e-6
        iso_learned_destroy(m);
    }
}

static void trends_are_those_of_another_solver(void** state) {
    static const double known[3][6] = {{.628, .784, .921, .968, .890, .717},
                                       {.549, .791, .945, .903, .704, .483},
                                       {.898, .985, .975, .880, .749, .630}};
    static const double ranges[3][2] = {{5e9, 200e9}, {0.2, 0.45}, {1e3, 9e3}};
    iso_learned_desc d = iso_learned_desc_default();
    iso_learned* m = NULL;
    d.is_symmetric = false;
    CHECK_OK(*state, iso_learned_fit(*state, &d, &m));
    for (int which = 0; which < 3; ++which) {
        for (int i = 0; i < 6; ++i) {
            iso_learned_material both[2];
            iso_learned_value value;
            for (int k = 0; k < 2; ++k) {
                double at = ranges[which][0] + (ranges[which][1] - ranges[which][0]) * i / 5.0;
                both[k] = (iso_learned_material){"", 1e9 * m->centre[3 * k], m->centre[3 * k + 1],
                                                 m->centre[3 * k + 2]};
                *(which == 0   ? &both[k].young_modulus
                  : which == 1 ? &both[k].poisson
                               : &both[k].density) = at;
            }
            CHECK_OK(*state, iso_learned_predict(m, &both[0], &both[1], &value));
            CHECK_NEAR(value.friction, known[which][i], 1e-3); // measured 5.0e-4
        }
    }
    iso_learned_destroy(m);
}
#endif

static iso_learned_desc draw_rows(test_random* random, iso_learned_row* rows, int count) {
    iso_learned_desc d = iso_learned_desc_default();
    for (int i = 0; i < count; ++i) {
        iso_learned_material* both[2] = {&rows[i].a, &rows[i].b};
        for (int k = 0; k < 2; ++k) {
            *both[k] = (iso_learned_material){"", 1e9 * exp(test_random_uniform(random, -4.0, 6.0)),
                                              test_random_uniform(random, 0.0, 0.49),
                                              exp(test_random_uniform(random, 6.0, 9.2))};
            (void)snprintf(both[k]->name, sizeof both[k]->name, "m%d", 2 * i + k);
        }
        rows[i].friction = test_random_uniform(random, 0.0, 1.3);
    }
    d.kind = ISO_LEARNED_GP;
    d.rows = rows;
    d.row_count = count;
    d.features = (iso_learned_features)test_random_int(random, 1, 2);
    d.is_symmetric = test_random_int(random, 0, 1) == 1;
    return d;
}

// Mean and deviation against the formulas with the covariance solved by elimination.
static void a_gaussian_process_is_what_its_covariance_says(void** state) {
    enum { N = 12 };
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        test_random random = test_random_make(seed);
        iso_learned_row rows[N];
        iso_learned_desc d = draw_rows(&random, rows, N);
        iso_learned* m = NULL;
        CHECK_OK(*state, iso_learned_fit(*state, &d, &m));
        double c[N * N], k[N], solved[N], x[ISO_LEARNED_SIZE], mean = 0.0, deviation = 0.0;
        int pivots[N];
        for (int i = 0; i < ISO_LEARNED_SIZE; ++i) {
            x[i] = test_random_normal(&random);
        }
        for (int i = 0; i < N; ++i) {
            const double* p = m->points + i * ISO_LEARNED_SIZE;
            k[i] = solved[i] = m->variance * iso_learned_kernel(m, p, x) + m->mean_variance;
            for (int j = 0; j < N; ++j) {
                c[i * N + j] =
                    m->variance * iso_learned_kernel(m, p, m->points + j * ISO_LEARNED_SIZE) +
                    m->mean_variance + (i == j ? m->noise_variance : 0.0);
            }
        }
        CHECK(iso_lu_factor(c, N, pivots), "singular");
        iso_lu_solve(c, pivots, N, solved);
        double expected = 0.0, variance = m->variance * iso_learned_kernel(m, x, x) +
                                          m->mean_variance + m->noise_variance;
        for (int i = 0; i < N; ++i) {
            expected += solved[i] * rows[i].friction;
            variance -= solved[i] * k[i];
        }
        iso_learned_at(m, x, &mean, &deviation);
        CHECK_NEAR(mean, expected, 1e-9);            // measured 2e-12
        CHECK_NEAR(deviation, sqrt(variance), 1e-9); // measured 1e-12
        iso_learned_destroy(m);
    }
}

static void models_come_back_from_their_file(void** state) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        enum { N = 9 };
        test_random random = test_random_make(seed);
        iso_learned_row rows[N];
        iso_learned_desc d = draw_rows(&random, rows, N);
        iso_learned *m = NULL, *read = NULL;
        iso_learned_value x, y, z;
        char path[] = "/tmp/isobar_learnedXXXXXX";
        int file = mkstemp(path);
        CHECK(file >= 0, "no temporary file");
        close(file);
#ifdef ISO_HAS_LIBSVM
        d.kind = seed % 2 ? ISO_LEARNED_SVR : d.kind;
#endif
        CHECK_OK(*state, iso_learned_train(*state, &d, &m));
        CHECK_OK(*state, iso_learned_write(m, path));
        CHECK_OK(*state, iso_learned_read(*state, path, &read));
        for (int i = 0; i < N; ++i) {
            const iso_learned_material *a = &rows[i].a, *b = &rows[(i + 3) % N].b;
            CHECK_OK(*state, iso_learned_predict(m, a, b, &x));
            CHECK_OK(*state, iso_learned_predict(read, a, b, &y));
            CHECK_OK(*state, iso_learned_predict(read, b, a, &z));
            CHECK_NEAR(y.friction, x.friction, 1e-9); // of widths through a root; measured 1e-15
            CHECK_NEAR(y.high, x.high, 1e-9);
            if (d.is_symmetric) {
                CHECK_NEAR(z.friction, y.friction, 1e-13);
            }
            CHECK(iso_learned_find(read, rows[i].a.name) != NULL, "material %d", i);
        }
        remove(path);
        iso_learned_destroy(m);
        iso_learned_destroy(read);
    }
}

// Combinations of rows lie within; a support plane bounds the distance of others from below, and
// the distance to any combination from above.
static void what_is_outside_of_the_rows_is_found(void** state) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        enum { N = 10 };
        test_random random = test_random_make(seed);
        iso_learned_row rows[N];
        iso_learned_desc d = draw_rows(&random, rows, N);
        iso_learned* m = NULL;
        double x[ISO_LEARNED_SIZE] = {0}, y[ISO_LEARNED_SIZE], way[ISO_LEARNED_SIZE], sum = 0.0;
        CHECK_OK(*state, iso_learned_begin(*state, &d, &m));
        double weights[N];
        for (int i = 0; i < N; ++i) {
            weights[i] = -log(test_random_uniform(&random, 1e-9, 1.0));
            sum += weights[i];
        }
        for (int i = 0; i < N; ++i) {
            double f[ISO_LEARNED_SIZE];
            iso_learned_features_of(d.features, &rows[i].a, &rows[i].b, f);
            for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
                x[k] += weights[i] / sum * f[k];
            }
        }
        CHECK_AT_MOST(iso_learned_outside(m, x), 0.0);
        double length = 0.0, reach = -INFINITY;
        for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
            way[k] = test_random_normal(&random);
            length += way[k] * way[k];
        }
        for (int i = 0; i < 2 * N; ++i) {
            double f[ISO_LEARNED_SIZE], along = 0.0;
            bool is_swapped = i >= N && d.is_symmetric;
            const iso_learned_row* r = &rows[i % N];
            iso_learned_features_of(d.features, is_swapped ? &r->b : &r->a,
                                    is_swapped ? &r->a : &r->b, f);
            for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
                along += way[k] * (f[k] - x[k]) / m->spread[k] / sqrt(length);
            }
            reach = fmax(reach, along);
        }
        double beyond = reach + test_random_uniform(&random, 0.1, 3.0);
        for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
            y[k] = x[k] + m->spread[k] * beyond * way[k] / sqrt(length);
        }
        double outside = iso_learned_outside(m, y);
        CHECK(outside >= beyond - reach - 1e-6, "%g, at least %g", outside, beyond - reach);
        CHECK(outside <= beyond + 1e-6, "%g, at most %g", outside, beyond);
        iso_learned_destroy(m);
    }
}

static iso_status train_and_write(iso_context* ctx, void* user) {
    enum { N = 5 };
    test_random random = test_random_make(1);
    iso_learned_row rows[N];
    iso_learned_desc d = draw_rows(&random, rows, N);
    iso_learned *m = NULL, *read = NULL;
    iso_status status = iso_learned_train(ctx, &d, &m);
    status = status == ISO_OK ? iso_learned_write(m, user) : status;
    status = status == ISO_OK ? iso_learned_read(ctx, user, &read) : status;
    iso_learned_destroy(m);
    iso_learned_destroy(read);
    return status;
}

static void learning_survives_every_allocation_failure(void** state) {
    char path[] = "/tmp/isobar_learnedXXXXXX";
    int file = mkstemp(path);
    (void)state;
    CHECK(file >= 0, "no temporary file");
    close(file);
    CHECK(check_every_allocation_failure(train_and_write, path) > 10, "few allocations");
    remove(path);
}

static void what_cannot_be_learned_is_refused(void** state) {
    iso_learned_desc d = iso_learned_desc_default();
    iso_learned_row rows[4];
    iso_learned* m = NULL;
    memcpy(rows, d.rows, sizeof rows);
    d.rows = rows;
    d.row_count = 3;
    CHECK_STATUS(*state, iso_learned_train(*state, &d, &m), ISO_ERR_RANGE);
    d.row_count = 4;
    d.kind = ISO_LEARNED_GP;
    d.features = ISO_LEARNED_RAW;
    CHECK_STATUS(*state, iso_learned_train(*state, &d, &m), ISO_ERR_ARGUMENT);
    d.features = ISO_LEARNED_LOG;
    double* const values[] = {&rows[2].b.young_modulus, &rows[2].b.poisson, &rows[2].b.density,
                              &rows[2].friction};
    for (int i = 0; i < 4; ++i) {
        double kept = *values[i];
        *values[i] = i == 1 ? 0.6 : -1.0;
        CHECK_STATUS(*state, iso_learned_train(*state, &d, &m), ISO_ERR_RANGE);
        CHECK(strstr(iso_context_error(*state), "row 3") != NULL, "%s", iso_context_error(*state));
        *values[i] = kept;
    }
    CHECK_OK(*state, iso_learned_train(*state, &d, &m));
    iso_learned_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef ISO_HAS_LIBSVM
        cmocka_unit_test_setup_teardown(support_vectors_of_the_table_are_those_of_another_solver,
                                        test_set_up, test_tear_down),
        cmocka_unit_test_setup_teardown(support_vectors_are_optimal, test_set_up, test_tear_down),
        cmocka_unit_test_setup_teardown(trends_are_those_of_another_solver, test_set_up,
                                        test_tear_down),
#endif
        cmocka_unit_test_setup_teardown(a_gaussian_process_is_what_its_covariance_says, test_set_up,
                                        test_tear_down),
        cmocka_unit_test_setup_teardown(models_come_back_from_their_file, test_set_up,
                                        test_tear_down),
        cmocka_unit_test_setup_teardown(what_is_outside_of_the_rows_is_found, test_set_up,
                                        test_tear_down),
        cmocka_unit_test(learning_survives_every_allocation_failure),
        cmocka_unit_test_setup_teardown(what_cannot_be_learned_is_refused, test_set_up,
                                        test_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
