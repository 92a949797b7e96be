// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/lu.h"

#include "support/check.h"
#include "support/random.h"

#include <string.h>

enum { MOST = 24 };

static void draw(test_random* random, double* values, int count) {
    for (int i = 0; i < count; ++i) {
        values[i] = test_random_normal(random);
    }
}

// |A x - b| relative to |A| |x|, which pivoting keeps at rounding whatever the condition.
static void real_systems_are_solved(void** state) {
    (void)state;
    double worst = 0.0;
    for (int seed = 0; seed < 200; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        int n = test_random_int(&random, 1, MOST), pivots[MOST];
        double a[MOST * MOST] = {0.0}, factors[MOST * MOST], b[MOST] = {0.0}, x[MOST];
        draw(&random, a, n * n);
        draw(&random, b, n);
        a[0] = seed % 3 == 0 ? 0.0 : a[0]; // needs an exchange of rows
        if (n == 1 && seed % 3 == 0) {
            continue;
        }
        memcpy(factors, a, sizeof a);
        memcpy(x, b, sizeof b);
        assert_true(iso_lu_factor(factors, n, pivots));
        iso_lu_solve(factors, pivots, n, x);
        for (int i = 0; i < n; ++i) {
            double sum = -b[i], size = fabs(b[i]);
            for (int j = 0; j < n; ++j) {
                sum += a[i * n + j] * x[j];
                size += fabs(a[i * n + j] * x[j]);
            }
            worst = fmax(worst, fabs(sum) / size);
        }
    }
    CHECK_AT_MOST(worst, 2e-14); // measured 9.8e-16
}

static void complex_systems_are_solved(void** state) {
    (void)state;
    double worst = 0.0;
    for (int seed = 0; seed < 200; ++seed) {
        test_random random = test_random_make(1000 + (uint64_t)seed);
        int n = test_random_int(&random, 1, MOST), pivots[MOST];
        double re[MOST * MOST] = {0.0}, im[MOST * MOST] = {0.0};
        double f_re[MOST * MOST], f_im[MOST * MOST];
        double b_re[MOST] = {0.0}, b_im[MOST] = {0.0}, x_re[MOST], x_im[MOST];
        draw(&random, re, n * n);
        draw(&random, im, n * n);
        draw(&random, b_re, n);
        draw(&random, b_im, n);
        re[0] = seed % 3 == 0 ? 0.0 : re[0];
        memcpy(f_re, re, sizeof re);
        memcpy(f_im, im, sizeof im);
        memcpy(x_re, b_re, sizeof b_re);
        memcpy(x_im, b_im, sizeof b_im);
        assert_true(iso_complex_lu_factor(f_re, f_im, n, pivots));
        iso_complex_lu_solve(f_re, f_im, pivots, n, x_re, x_im);
        for (int i = 0; i < n; ++i) {
            double s_re = -b_re[i], s_im = -b_im[i], size = fabs(b_re[i]) + fabs(b_im[i]);
            for (int j = 0; j < n; ++j) {
                double p = re[i * n + j], q = im[i * n + j];
                s_re += p * x_re[j] - q * x_im[j];
                s_im += p * x_im[j] + q * x_re[j];
                size += (fabs(p) + fabs(q)) * (fabs(x_re[j]) + fabs(x_im[j]));
            }
            worst = fmax(worst, (fabs(s_re) + fabs(s_im)) / size);
        }
    }
    CHECK_AT_MOST(worst, 2e-14); // measured 4.3e-16
}

static void singular_matrices_are_refused(void** state) {
    (void)state;
    int pivots[3];
    double zero_column[9] = {1, 0, 2, 3, 0, 4, 5, 0, 6}, im[9] = {0.0};
    double copy[9];
    memcpy(copy, zero_column, sizeof copy);
    assert_false(iso_lu_factor(copy, 3, pivots));
    memcpy(copy, zero_column, sizeof copy);
    assert_false(iso_complex_lu_factor(copy, im, 3, pivots));
    double nan[1] = {NAN}, none[1] = {0.0};
    assert_false(iso_lu_factor(nan, 1, pivots));
    assert_false(iso_complex_lu_factor(nan, none, 1, pivots));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_systems_are_solved),
        cmocka_unit_test(complex_systems_are_solved),
        cmocka_unit_test(singular_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
