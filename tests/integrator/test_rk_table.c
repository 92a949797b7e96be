// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "integrator/explicit_rk.h"
#include "support/check.h"

// Order conditions hold within rounding; the largest coefficient is about 12.
#define TOLERANCE 1e-14

static void tables_have_the_orders_they_claim(void** state) {
    (void)state;
    const iso_rk_table* tables[] = {&iso_rk_table_rk4, &iso_rk_table_rk23, &iso_rk_table_rk45};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(iso_rk_table_verify(tables[i], false, TOLERANCE), tables[i]->order);
        assert_int_equal(iso_rk_table_verify(tables[i], true, TOLERANCE),
                         tables[i]->embedded_order);
    }
    assert_int_equal(iso_rk_table_rk4.order, 4);
    assert_int_equal(iso_rk_table_rk23.order, 3);
    assert_int_equal(iso_rk_table_rk23.embedded_order, 2);
    assert_int_equal(iso_rk_table_rk45.order, 5);
    assert_int_equal(iso_rk_table_rk45.embedded_order, 4);
}

static void last_stage_of_a_fsal_table_is_the_step_itself(void** state) {
    (void)state;
    const iso_rk_table* tables[] = {&iso_rk_table_rk23, &iso_rk_table_rk45};
    for (int i = 0; i < 2; ++i) {
        const iso_rk_table* t = tables[i];
        assert_true(t->is_fsal);
        CHECK_ARRAY_BITS(t->a[t->stage_count - 1], t->b, t->stage_count);
        CHECK_BITS(t->c[t->stage_count - 1], 1.0);
    }
}

// A single wrong digit anywhere lowers the order that is found.
static void every_coefficient_matters(void** state) {
    (void)state;
    const iso_rk_table* tables[] = {&iso_rk_table_rk4, &iso_rk_table_rk23, &iso_rk_table_rk45};
    for (int n = 0; n < 3; ++n) {
        for (int i = 0; i < tables[n]->stage_count; ++i) {
            iso_rk_table wrong = *tables[n];
            wrong.b[i] += 1e-6;
            CHECK(iso_rk_table_verify(&wrong, false, TOLERANCE) == 0, "%s b[%d]", wrong.name, i);
            for (int j = 0; j < tables[n]->stage_count; ++j) {
                wrong = *tables[n];
                wrong.a[i][j] += 1e-6;
                CHECK(iso_rk_table_verify(&wrong, false, TOLERANCE) == 0, "%s a[%d][%d]",
                      wrong.name, i, j);
            }
        }
    }
}

// Rows of a moved along so that c stays their sum: now the order conditions themselves must notice.
static void a_consistent_but_wrong_table_loses_order(void** state) {
    (void)state;
    iso_rk_table heun = {.name = "Heun", .stage_count = 2, .order = 2};
    heun.c[1] = heun.a[1][0] = 1.0;
    heun.b[0] = heun.b[1] = 0.5;
    assert_int_equal(iso_rk_table_verify(&heun, false, TOLERANCE), 2);
    heun.b[0] = 0.25;
    heun.b[1] = 0.75;
    assert_int_equal(iso_rk_table_verify(&heun, false, TOLERANCE), 1);
    iso_rk_table rk4 = iso_rk_table_rk4;
    rk4.a[3][1] += 0.1; // both stages at c = 1/2: only the tree b A A c tells them apart
    rk4.a[3][2] -= 0.1;
    assert_int_equal(iso_rk_table_verify(&rk4, false, TOLERANCE), 3);
    rk4 = iso_rk_table_rk4;
    rk4.b[1] += 0.05; // same nodes: every condition up to order 3 with c alone still holds
    rk4.b[2] -= 0.05;
    assert_int_equal(iso_rk_table_verify(&rk4, false, TOLERANCE), 2);
    iso_rk_table dp = iso_rk_table_rk45;
    dp.a[5][3] += 1e-6;
    dp.a[5][4] -= 1e-6;
    assert_int_equal(iso_rk_table_verify(&dp, false, TOLERANCE), 2);
    dp = iso_rk_table_rk45;
    dp.a[6][6] = 1e-30; // not explicit
    assert_int_equal(iso_rk_table_verify(&dp, false, TOLERANCE), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_the_orders_they_claim),
        cmocka_unit_test(last_stage_of_a_fsal_table_is_the_step_itself),
        cmocka_unit_test(every_coefficient_matters),
        cmocka_unit_test(a_consistent_but_wrong_table_loses_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
