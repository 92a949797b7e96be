// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/eigen.h"
#include "support/check.h"
#include "support/random.h"

#include <string.h>

// V diag(w) V^T is the matrix and V^T V is 1, from 1 to 6 rows, entries of 1e-6 to 1e6.
static void values_and_vectors_make_the_matrix(void** state) {
    (void)state;
    test_random random = test_random_make(7);
    for (int trial = 0; trial < 600; ++trial) {
        int n = 1 + trial % 6;
        double a[36], d[36], v[36], scale = pow(10.0, test_random_uniform(&random, -6.0, 6.0));
        for (int i = 0; i < n; ++i) {
            for (int j = i; j < n; ++j) {
                bool is_off = i != j && trial % 3 == 0; // some have entries on the diagonal alone
                a[i * n + j] = a[j * n + i] =
                    is_off ? 0.0 : scale * test_random_uniform(&random, -1.0, 1.0);
            }
        }
        memcpy(d, a, sizeof a);
        iso_symmetric_eigen(d, n, v);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double again = 0.0, unit = 0.0;
                for (int k = 0; k < n; ++k) {
                    again += v[i * n + k] * d[k * (n + 1)] * v[j * n + k];
                    unit += v[k * n + i] * v[k * n + j];
                }
                CHECK_NEAR(again, a[i * n + j], 1e-14 * scale); // measured 6e-15
                CHECK_NEAR(unit, i == j ? 1.0 : 0.0, 1e-14);    // measured 2e-15
            }
        }
    }
}

static void small_values_beside_large_ones_are_good_to_rounding_of_these(void** state) {
    (void)state;
    double a[9] = {1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1e-12}, v[9];
    iso_symmetric_eigen(a, 3, v);
    double least = fmin(a[0], fmin(a[4], a[8])), most = fmax(a[0], fmax(a[4], a[8]));
    CHECK_NEAR(most, 2.0, 1e-15);
    CHECK_NEAR(least, 0.0, 1e-15);
    CHECK_NEAR(a[0] + a[4] + a[8], 2.0 + 1e-12, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_vectors_make_the_matrix),
        cmocka_unit_test(small_values_beside_large_ones_are_good_to_rounding_of_these),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
