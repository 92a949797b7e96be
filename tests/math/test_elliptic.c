// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "math/elliptic.h"
#include "support/check.h"
#include "support/random.h"

// K and E of the complement by the arithmetic-geometric mean: another algorithm.
static void by_means(double complement, double* out_k, double* out_e) {
    double a = 1.0, g = complement, c = sqrt(1.0 - complement * complement);
    double sum = 0.5 * c * c, weight = 0.5;
    for (int i = 0; i < 60 && fabs(a - g) > 1e-16 * a; ++i) {
        double mean = 0.5 * (a + g);
        c = 0.5 * (a - g);
        g = sqrt(a * g);
        a = mean;
        weight *= 2.0;
        sum += weight * c * c;
    }
    *out_k = ISO_PI / (2.0 * a);
    *out_e = *out_k * (1.0 - sum);
}

static void complete_integrals_equal_those_by_means(void** state) {
    (void)state;
    test_random random = test_random_make(30);
    for (int i = 0; i < 2000; ++i) {
        double q = exp(test_random_uniform(&random, log(1e-6), 0.0));
        double k = 0.0, e = 0.0;
        by_means(q, &k, &e);
        CHECK_REL(iso_elliptic_k(q), k, 2e-15); // measured 6.1e-16
        // E by means is a difference that loses k / e of its digits.
        CHECK_REL(iso_elliptic_e(q), e, 1e-15 * (1.0 + 4.0 * k * k));
    }
    CHECK_REL(iso_elliptic_k(1.0), 0.5 * ISO_PI, 1e-15);
    CHECK_REL(iso_elliptic_e(1.0), 0.5 * ISO_PI, 1e-15);
}

// Legendre: E K' + E' K - K K' = pi / 2, for any modulus.
static void legendre_relation_holds(void** state) {
    (void)state;
    test_random random = test_random_make(31);
    for (int i = 0; i < 2000; ++i) {
        double k = test_random_uniform(&random, 1e-3, 0.999), q = sqrt(1.0 - k * k);
        double value = iso_elliptic_e(q) * iso_elliptic_k(k) +
                       iso_elliptic_e(k) * iso_elliptic_k(q) -
                       iso_elliptic_k(k) * iso_elliptic_k(q);
        CHECK_NEAR(value, 0.5 * ISO_PI, 4e-14);
    }
}

// R_F(x, x, x) = x^(-1/2), R_D(x, x, x) = x^(-3/2); both are homogeneous and R_F symmetric; and
// the sum of R_D over its arguments is 3 / sqrt(x y z).
static void carlson_integrals_keep_their_identities(void** state) {
    (void)state;
    test_random random = test_random_make(32);
    for (int i = 0; i < 2000; ++i) {
        double x = exp(test_random_uniform(&random, -12.0, 12.0));
        double y = exp(test_random_uniform(&random, -12.0, 12.0));
        double z = exp(test_random_uniform(&random, -12.0, 12.0));
        CHECK_REL(iso_carlson_rf(x, x, x), 1.0 / sqrt(x), 2e-15);
        CHECK_REL(iso_carlson_rd(x, x, x), 1.0 / (x * sqrt(x)), 2e-15);
        CHECK_REL(iso_carlson_rf(x, y, z), iso_carlson_rf(z, x, y), 2e-15);
        CHECK_REL(iso_carlson_rf(4.0 * x, 4.0 * y, 4.0 * z), 0.5 * iso_carlson_rf(x, y, z), 2e-15);
        double sum = iso_carlson_rd(x, y, z) + iso_carlson_rd(y, z, x) + iso_carlson_rd(z, x, y);
        CHECK_REL(sum, 3.0 / sqrt(x * y * z), 4e-15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_integrals_equal_those_by_means),
        cmocka_unit_test(legendre_relation_holds),
        cmocka_unit_test(carlson_integrals_keep_their_identities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
