// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/hash.h"
#include "math/dense.h"
#include "support/check.h"
#include "support/random.h"

#include <string.h>

#define MAX_SIZE 40
#define STRIDE 43 // more than any column count here, and odd
#define AREA (MAX_SIZE * STRIDE)
#define MARK -7.5 // what lies between the rows and must not be touched

static void fill(test_random* random, double* a, int rows, int cols) {
    for (int i = 0; i < AREA; ++i) {
        a[i] = MARK;
    }
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
            a[i * STRIDE + j] = test_random_uniform(random, -1.0, 1.0);
        }
    }
}

static void fill_spd(test_random* random, double* a, int n) {
    double* g = test_malloc(sizeof(double) * AREA);
    fill(random, g, n, n);
    fill(random, a, n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            a[i * STRIDE + j] = i == j ? 0.1 : 0.0;
            for (int k = 0; k < n; ++k) {
                a[i * STRIDE + j] += g[i * STRIDE + k] * g[j * STRIDE + k];
            }
        }
    }
    test_free(g);
}

static void check_untouched(const double* a, int rows, int cols) {
    for (int i = 0; i < AREA; ++i) {
        if (i / STRIDE >= rows || i % STRIDE >= cols) {
            CHECK_BITS(a[i], MARK);
        }
    }
}

// C after the product, each entry summed term by term in the order of inner, each rounded once.
static void products_are_sums_in_the_stated_order(void** state) {
    (void)state;
    static double a[AREA], b[AREA], c[AREA], expected[AREA];
    test_random random = test_random_make(1);
    for (int trial = 0; trial < 200; ++trial) {
        int rows = test_random_int(&random, 0, MAX_SIZE);
        int inner = test_random_int(&random, 0, MAX_SIZE);
        int cols = test_random_int(&random, 0, MAX_SIZE);
        double scale = trial % 2 == 0 ? -1.0 : 1.0;
        bool is_transposed = trial % 4 < 2;
        fill(&random, a, is_transposed ? inner : rows, is_transposed ? rows : inner);
        fill(&random, b, inner, cols);
        fill(&random, c, rows, cols);
        memcpy(expected, c, sizeof c);
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < cols; ++j) {
                for (int k = 0; k < inner; ++k) {
                    double a_ik = is_transposed ? a[k * STRIDE + i] : a[i * STRIDE + k];
                    double* sum = &expected[i * STRIDE + j];
                    *sum = fma(scale * a_ik, b[k * STRIDE + j], *sum);
                }
            }
        }
        if (is_transposed) {
            iso_dense_add_atb(c, STRIDE, scale, a, STRIDE, b, STRIDE, rows, inner, cols);
        } else {
            iso_dense_add_ab(c, STRIDE, scale, a, STRIDE, b, STRIDE, rows, inner, cols);
        }
        CHECK_ARRAY_BITS(c, expected, AREA);
    }
}

static void symmetric_product_writes_the_upper_triangle_only(void** state) {
    (void)state;
    static double a[AREA], c[AREA], whole[AREA];
    test_random random = test_random_make(2);
    for (int n = 0; n <= MAX_SIZE; ++n) {
        fill(&random, a, 7, n);
        fill(&random, c, n, n);
        memcpy(whole, c, sizeof c);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) {
                c[i * STRIDE + j] = whole[i * STRIDE + j] = MARK;
            }
        }
        iso_dense_add_atb_upper(c, STRIDE, 2.0, a, STRIDE, a, STRIDE, 7, n);
        iso_dense_add_atb(whole, STRIDE, 2.0, a, STRIDE, a, STRIDE, n, 7, n);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                CHECK_BITS(c[i * STRIDE + j], j < i ? MARK : whole[i * STRIDE + j]);
            }
        }
        iso_dense_mirror_upper(c, n, STRIDE);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) {
                CHECK_BITS(c[i * STRIDE + j], c[j * STRIDE + i]);
            }
        }
        check_untouched(c, n, n);
    }
}

static void dot_products_agree_with_plain_sums(void** state) {
    (void)state;
    static double a[AREA], b[AREA], c[AREA];
    test_random random = test_random_make(3);
    for (int n = 0; n <= MAX_SIZE; ++n) {
        fill(&random, a, n, n);
        fill(&random, b, n, n);
        fill(&random, c, n, n);
        double x[MAX_SIZE], y[MAX_SIZE] = {0.0}, z[MAX_SIZE] = {0.0};
        for (int i = 0; i < n; ++i) {
            x[i] = b[i * STRIDE];
        }
        iso_dense_add_ax(y, 3.0, a, STRIDE, x, n, n);
        iso_dense_add_atx(z, 3.0, a, STRIDE, x, n, n);
        static double product[AREA];
        memcpy(product, c, sizeof c);
        iso_dense_add_abt(product, STRIDE, -1.0, a, STRIDE, b, STRIDE, n, n, n);
        for (int i = 0; i < n; ++i) {
            double row = 0.0, column = 0.0;
            for (int k = 0; k < n; ++k) {
                row += 3.0 * a[i * STRIDE + k] * x[k];
                column += 3.0 * a[k * STRIDE + i] * x[k];
            }
            CHECK_NEAR(y[i], row, 5e-14);    // measured 5.4e-15
            CHECK_NEAR(z[i], column, 5e-14); // measured 3.6e-15
            for (int j = 0; j < n; ++j) {
                double dot = 0.0;
                for (int k = 0; k < n; ++k) {
                    dot += a[i * STRIDE + k] * b[j * STRIDE + k];
                }
                CHECK_NEAR(product[i * STRIDE + j], c[i * STRIDE + j] - dot,
                           2e-14); // measured 3.6e-15
            }
        }
        check_untouched(product, n, n);
    }
}

// Textbook right-looking Cholesky of the upper triangle; iso_cholesky_factor must give its bits
// whatever the width of its panels.
static void plain_cholesky(double* a, int n, int stride) {
    for (int k = 0; k < n; ++k) {
        double root = sqrt(a[k * stride + k]);
        double inverse = 1.0 / root;
        a[k * stride + k] = root;
        for (int j = k + 1; j < n; ++j) {
            a[k * stride + j] *= inverse;
        }
        for (int i = k + 1; i < n; ++i) {
            for (int j = i; j < n; ++j) {
                double* entry = &a[i * stride + j];
                *entry = fma(-a[k * stride + i], a[k * stride + j], *entry);
            }
        }
    }
}

static void cholesky_has_the_bits_of_the_textbook(void** state) {
    (void)state;
    static double a[AREA], plain[AREA];
    test_random random = test_random_make(4);
    for (int n = 0; n <= MAX_SIZE; ++n) {
        fill_spd(&random, a, n);
        memcpy(plain, a, sizeof a);
        plain_cholesky(plain, n, STRIDE);
        assert_true(iso_cholesky_factor(a, n, STRIDE));
        CHECK_ARRAY_BITS(a, plain, AREA); // the lower triangle and the gaps are as they were
    }
}

// Of many rows, whose panels are larger; every third row acts on few others.
static void cholesky_of_large_matrices_has_the_bits_of_the_textbook(void** state) {
    (void)state;
    const int sizes[] = {541, 511, 512};
    test_random random = test_random_make(14);
    for (int s = 0; s < TEST_ROUNDS(3, 1); ++s) {
        int n = sizes[s];
        size_t bytes = (size_t)n * (size_t)n * sizeof(double);
        double *a = test_calloc(1, bytes), *plain = test_calloc(1, bytes);
        for (int i = 0; i < n; ++i) {
            for (int j = i + 1; j < n; ++j) {
                bool is_kept = i % 3 > 0 || j % 7 == 0;
                a[i * n + j] = is_kept ? test_random_uniform(&random, -1.0, 1.0) : 0.0;
            }
            a[i * n + i] = n;
        }
        memcpy(plain, a, bytes);
        plain_cholesky(plain, n, n);
        assert_true(iso_cholesky_factor(a, n, n));
        CHECK_ARRAY_BITS(a, plain, n * n);
        test_free(a);
        test_free(plain);
    }
}

// Few degrees of freedom act on each other: what is skipped would have changed nothing.
static void cholesky_of_sparse_matrices_has_the_bits_of_the_textbook(void** state) {
    (void)state;
    static double a[AREA], plain[AREA];
    test_random random = test_random_make(12);
    for (int round = 0; round < 3 * MAX_SIZE; ++round) {
        int n = 1 + round % MAX_SIZE;
        fill_spd(&random, a, n);
        double share = test_random_uniform(&random, 0.0, 0.3);
        for (int i = 0; i < n; ++i) {
            for (int j = i + 1; j < n; ++j) {
                bool is_kept = test_random_uniform(&random, 0.0, 1.0) < share;
                a[i * STRIDE + j] = is_kept ? test_random_uniform(&random, -1.0, 1.0) : 0.0;
            }
            a[i * STRIDE + i] += n;
        }
        memcpy(plain, a, sizeof a);
        plain_cholesky(plain, n, STRIDE);
        assert_true(iso_cholesky_factor(a, n, STRIDE));
        CHECK_ARRAY_BITS(a, plain, AREA);
    }
}

static void cholesky_solves(void** state) {
    (void)state;
    static double a[AREA], factor[AREA], x[AREA], b[AREA];
    test_random random = test_random_make(5);
    for (int n = 1; n <= MAX_SIZE; ++n) {
        fill_spd(&random, a, n);
        fill(&random, x, n, 5);
        memcpy(factor, a, sizeof a);
        assert_true(iso_cholesky_factor(factor, n, STRIDE));
        for (int i = 0; i < AREA; ++i) {
            b[i] = MARK;
        }
        double vector[MAX_SIZE];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < 5; ++j) {
                b[i * STRIDE + j] = 0.0;
                for (int k = 0; k < n; ++k) {
                    b[i * STRIDE + j] += a[i * STRIDE + k] * x[k * STRIDE + j];
                }
            }
            vector[i] = b[i * STRIDE];
        }
        iso_cholesky_solve(factor, n, STRIDE, vector);
        iso_cholesky_solve_block(factor, n, STRIDE, b, STRIDE, 5);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(vector[i], x[i * STRIDE], 1e-12); // measured 2.8e-14
            for (int j = 0; j < 5; ++j) {
                CHECK_NEAR(b[i * STRIDE + j], x[i * STRIDE + j], 1e-12); // measured 4.5e-14
            }
        }
        check_untouched(b, n, 5);
    }
}

// At once as one after the other, below and above the size where the way changes.
static void factoring_and_solving_at_once_gives_the_factor_and_the_solution(void** state) {
    (void)state;
    static double a[AREA], at_once[AREA], factor[AREA];
    test_random random = test_random_make(8);
    for (int n = 0; n <= MAX_SIZE; ++n) {
        double x[MAX_SIZE], y[MAX_SIZE];
        fill_spd(&random, a, n);
        for (int i = 0; i < n; ++i) {
            x[i] = y[i] = test_random_uniform(&random, -1.0, 1.0);
        }
        memcpy(at_once, a, sizeof a);
        memcpy(factor, a, sizeof a);
        assert_true(iso_cholesky_factor_solve(at_once, n, STRIDE, x));
        assert_true(iso_cholesky_factor(factor, n, STRIDE));
        iso_cholesky_solve(factor, n, STRIDE, y);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(x[i], y[i], 1e-13); // measured 8.2e-15
            for (int j = i; j < n; ++j) {
                CHECK_NEAR(at_once[i * STRIDE + j], factor[i * STRIDE + j],
                           2e-14); // measured 1.7e-15
                at_once[i * STRIDE + j] = a[i * STRIDE + j];
            }
        }
        CHECK_ARRAY_BITS(at_once, a, AREA); // the lower triangle and the gaps are as they were
    }
}

// L y = b and L^T x = y separately, against the factor multiplied out.
static void triangular_solves_invert_the_triangles(void** state) {
    (void)state;
    static double factor[AREA], block[AREA];
    test_random random = test_random_make(6);
    for (int n = 1; n <= MAX_SIZE; n += 3) {
        fill_spd(&random, factor, n);
        assert_true(iso_cholesky_factor(factor, n, STRIDE));
        for (int is_backward = 0; is_backward < 2; ++is_backward) {
            double y[MAX_SIZE], b[MAX_SIZE] = {0.0};
            fill(&random, block, n, 1);
            for (int i = 0; i < n; ++i) {
                y[i] = test_random_uniform(&random, -1.0, 1.0);
            }
            for (int i = 0; i < n; ++i) {
                for (int j = i; j < n; ++j) {
                    double u = factor[i * STRIDE + j];
                    b[is_backward ? i : j] += u * y[is_backward ? j : i];
                }
            }
            for (int i = 0; i < n; ++i) {
                block[i * STRIDE] = b[i];
            }
            if (is_backward) {
                iso_cholesky_backward(factor, n, STRIDE, b);
                iso_cholesky_backward_block(factor, n, STRIDE, block, STRIDE, 1);
            } else {
                iso_cholesky_forward(factor, n, STRIDE, b);
                iso_cholesky_forward_block(factor, n, STRIDE, block, STRIDE, 1);
            }
            for (int i = 0; i < n; ++i) {
                CHECK_NEAR(b[i], y[i], 2e-14);              // measured 1.4e-15
                CHECK_NEAR(block[i * STRIDE], y[i], 2e-14); // measured 1.2e-15
            }
        }
    }
}

static void what_is_not_positive_definite_is_refused(void** state) {
    (void)state;
    static const double bad[] = {0.0, -1.0, -0.0, NAN, INFINITY, -INFINITY};
    for (int n = 1; n < 12; ++n) {
        for (int k = 0; k < n; ++k) {
            for (int i = 0; i < 6; ++i) {
                double a[12 * 12] = {0.0};
                for (int d = 0; d < n; ++d) {
                    a[d * n + d] = d == k ? bad[i] : 2.0;
                }
                double x[12] = {0.0}, copy[12 * 12];
                memcpy(copy, a, sizeof a);
                assert_false(iso_cholesky_factor(a, n, n));
                assert_false(iso_cholesky_factor_solve(copy, n, n, x));
            }
        }
    }
    double indefinite[4] = {1.0, 2.0, 2.0, 1.0};
    assert_false(iso_cholesky_factor(indefinite, 2, 2));
    double broken[4] = {1.0, NAN, NAN, 1.0};
    assert_false(iso_cholesky_factor(broken, 2, 2));
}

// One number for everything above: the same on every back end and at every optimisation level.
static void results_are_the_same_bits_everywhere(void** state) {
    (void)state;
    static double a[AREA], b[AREA];
    test_random random = test_random_make(7);
    uint64_t hash = ISO_HASH_SEED;
    for (int n = 1; n <= MAX_SIZE; ++n) {
        fill_spd(&random, a, n);
        fill(&random, b, n, n);
        iso_dense_add_abt(a, STRIDE, 1.0, b, STRIDE, b, STRIDE, n, n, n);
        assert_true(iso_cholesky_factor(a, n, STRIDE));
        iso_cholesky_solve(a, n, STRIDE, b);
        hash = iso_hash_bytes(hash, a, sizeof a);
        hash = iso_hash_bytes(hash, b, sizeof b);
        fill_spd(&random, a, n);
        assert_true(iso_cholesky_factor_solve(a, n, STRIDE, b));
        hash = iso_hash_bytes(hash, a, sizeof a);
        hash = iso_hash_bytes(hash, b, sizeof b);
    }
    CHECK(hash == 0x414d93662d29e5e5ULL, "hash is 0x%llx", (unsigned long long)hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_sums_in_the_stated_order),
        cmocka_unit_test(symmetric_product_writes_the_upper_triangle_only),
        cmocka_unit_test(dot_products_agree_with_plain_sums),
        cmocka_unit_test(cholesky_has_the_bits_of_the_textbook),
        cmocka_unit_test(cholesky_of_large_matrices_has_the_bits_of_the_textbook),
        cmocka_unit_test(cholesky_of_sparse_matrices_has_the_bits_of_the_textbook),
        cmocka_unit_test(cholesky_solves),
        cmocka_unit_test(factoring_and_solving_at_once_gives_the_factor_and_the_solution),
        cmocka_unit_test(triangular_solves_invert_the_triangles),
        cmocka_unit_test(what_is_not_positive_definite_is_refused),
        cmocka_unit_test(results_are_the_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
