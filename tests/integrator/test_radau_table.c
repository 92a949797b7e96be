// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The coefficients of Radau IIA fulfil what defines them: [Hairer1996] IV.5.

#include "integrator/radau_table.h"

#include "support/check.h"

// sum b_i c_i^(q-1) = 1/q for q up to 2 s - 1, and not for 2 s.
static void quadrature_has_the_order_2s_minus_1(void** state) {
    (void)state;
    for (int k = 0; k < ISO_RADAU_TABLE_COUNT; ++k) {
        const iso_radau_table* t = &iso_radau_tables[k];
        int s = t->stage_count;
        assert_int_equal(s, 2 * k + 1);
        for (int q = 1; q <= 2 * s; ++q) {
            double sum = 0.0;
            for (int i = 0; i < s; ++i) {
                sum += t->a[s - 1][i] * pow(t->c[i], q - 1);
            }
            if (q < 2 * s) {
                CHECK_NEAR(sum, 1.0 / q, 4e-16);
            } else {
                CHECK(fabs(sum - 1.0 / q) > 1e-15 || s > 9, "order %d of %d stages", q, s);
            }
        }
    }
}

// sum_j a_ij c_j^(q-1) = c_i^q / q for q up to s.
static void stages_are_collocation(void** state) {
    (void)state;
    for (int k = 0; k < ISO_RADAU_TABLE_COUNT; ++k) {
        const iso_radau_table* t = &iso_radau_tables[k];
        for (int i = 0; i < t->stage_count; ++i) {
            for (int q = 1; q <= t->stage_count; ++q) {
                double sum = 0.0;
                for (int j = 0; j < t->stage_count; ++j) {
                    sum += t->a[i][j] * pow(t->c[j], q - 1);
                }
                CHECK_NEAR(sum, pow(t->c[i], q) / q, 4e-16);
            }
        }
    }
}

// sum_i b_i c_i^(q-1) a_ij = b_j (1 - c_j^q) / q for q up to s - 1.
static void the_adjoint_condition_holds(void** state) {
    (void)state;
    for (int k = 0; k < ISO_RADAU_TABLE_COUNT; ++k) {
        const iso_radau_table* t = &iso_radau_tables[k];
        int s = t->stage_count;
        const double* b = t->a[s - 1];
        for (int j = 0; j < s; ++j) {
            for (int q = 1; q < s; ++q) {
                double sum = 0.0;
                for (int i = 0; i < s; ++i) {
                    sum += b[i] * pow(t->c[i], q - 1) * t->a[i][j];
                }
                CHECK_NEAR(sum, b[j] * (1.0 - pow(t->c[j], q)) / q, 4e-16);
            }
        }
    }
}

// The last stage is the step: c_s = 1 and b is the last row of A, exactly.
static void methods_are_stiffly_accurate(void** state) {
    (void)state;
    for (int k = 0; k < ISO_RADAU_TABLE_COUNT; ++k) {
        const iso_radau_table* t = &iso_radau_tables[k];
        CHECK_BITS(t->c[t->stage_count - 1], 1.0);
        for (int i = 0; i + 1 < t->stage_count; ++i) {
            assert_true(t->c[i] > 0.0 && t->c[i] < t->c[i + 1]);
        }
    }
}

// A T L = T and T T^-1 = I, so that A^-1 = T L T^-1. T grows with s: so does rounding.
static void the_transformation_makes_blocks(void** state) {
    (void)state;
    for (int k = 0; k < ISO_RADAU_TABLE_COUNT; ++k) {
        const iso_radau_table* t = &iso_radau_tables[k];
        int s = t->stage_count;
        double worst = 0.0, worst_inverse = 0.0;
        for (int i = 0; i < s; ++i) {
            for (int j = 0; j < s; ++j) {
                double product = 0.0, unit = i == j ? -1.0 : 0.0;
                for (int m = 0; m < s; ++m) {
                    // Column j of T L.
                    const double* row = t->t[m];
                    int pair = (j - 1) / 2;
                    double tl = t->gamma * row[0];
                    if (j > 0 && j % 2 == 1) {
                        tl = t->alpha[pair] * row[j] - t->beta[pair] * row[j + 1];
                    } else if (j > 0) {
                        tl = t->beta[pair] * row[j - 1] + t->alpha[pair] * row[j];
                    }
                    product += t->a[i][m] * tl;
                    unit += t->t[i][m] * t->t_inverse[m][j];
                }
                worst = fmax(worst, fabs(product - t->t[i][j]));
                worst_inverse = fmax(worst_inverse, fabs(unit));
            }
        }
        CHECK_AT_MOST(worst, 1e-15);
        CHECK_AT_MOST(worst_inverse, 1e-10);
    }
}

// With f at the start as a stage of weight 1/gamma, quadrature is of order s.
static void the_estimate_compares_with_order_s(void** state) {
    (void)state;
    for (int k = 0; k < ISO_RADAU_TABLE_COUNT; ++k) {
        const iso_radau_table* t = &iso_radau_tables[k];
        int s = t->stage_count;
        for (int q = 1; q <= s; ++q) {
            // y' = q x^(q-1) from 0: Z_i = c_i^q, and the difference of the two is 0.
            double sum = q == 1 ? 1.0 / t->gamma : 0.0, size = 0.0;
            for (int i = 0; i < s; ++i) {
                sum += t->error[i] * pow(t->c[i], q);
                size += fabs(t->error[i]);
            }
            CHECK_NEAR(sum / size, 0.0, 4e-16);
        }
        assert_true(t->gamma > 0.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadrature_has_the_order_2s_minus_1),
        cmocka_unit_test(stages_are_collocation),
        cmocka_unit_test(the_adjoint_condition_holds),
        cmocka_unit_test(methods_are_stiffly_accurate),
        cmocka_unit_test(the_transformation_makes_blocks),
        cmocka_unit_test(the_estimate_compares_with_order_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
