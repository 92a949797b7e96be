// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The checks that all other tests rely on: those of the first group must fail, every one of them.

#include "base/core/alloc.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>

static void near_sees_a_difference(void** state) {
    (void)state;
    CHECK_NEAR(1.0 + 1e-3, 1.0, 1e-4);
}

static void near_sees_a_nan(void** state) {
    (void)state;
    CHECK_NEAR(NAN, 1.0, 1e6);
}

static void relative_sees_a_difference(void** state) {
    (void)state;
    CHECK_REL(101.0, 100.0, 0.009);
}

static void bits_see_a_sign(void** state) {
    (void)state;
    CHECK_BITS(-0.0, 0.0);
}

static void array_sees_a_nan(void** state) {
    (void)state;
    const double values[3] = {1.0, NAN, 3.0};
    const double expected[3] = {1.0, 2.0, 3.0};
    CHECK_ARRAY_NEAR(values, expected, 3, 1e6);
}

static void array_bits_see_the_last_element(void** state) {
    (void)state;
    const double values[3] = {1.0, 2.0, 3.0000000000000004};
    const double expected[3] = {1.0, 2.0, 3.0};
    CHECK_ARRAY_BITS(values, expected, 3);
}

static void at_most_sees_a_nan(void** state) {
    (void)state;
    CHECK_AT_MOST(NAN, 1.0);
}

static void vec3_sees_a_difference(void** state) {
    (void)state;
    CHECK_VEC3_NEAR(iso_vec3_make(1.0, 2.0, 3.1), iso_vec3_make(1.0, 2.0, 3.0), 0.09);
}

static void mat3_sees_a_nan_in_the_middle(void** state) {
    (void)state;
    iso_mat3 m = iso_mat3_identity();
    m.m[1][2] = NAN;
    CHECK_MAT3_NEAR(m, iso_mat3_identity(), 1e6);
}

static void pose_sees_a_position(void** state) {
    (void)state;
    CHECK_POSE_NEAR(iso_pose_from_position(iso_vec3_make(0.0, 0.0, 1.0)), iso_pose_identity(), 0.5);
}

static void spatial_sees_both_halves(void** state) {
    (void)state;
    iso_spatial v = {.translational = {0.0, 1.0, 0.0}};
    CHECK_SPATIAL_NEAR(v, iso_spatial_zero(), 0.5);
}

static void status_sees_another(void** state) {
    (void)state;
    CHECK_STATUS(NULL, ISO_ERR_IO, ISO_ERR_PARSE);
}

static void condition_and_text_see_a_lie(void** state) {
    (void)state;
    CHECK_TEXT("abc", "d");
}

static void leak_is_seen(void** state) {
    iso_context* ctx = test_context();
    *state = iso_alloc(ctx, 5);
    test_context_destroy(ctx);
}

// cmocka tears the state down after the failure: the leaked block is freed here.
static int free_leak(void** state) {
    free((char*)*state - 2 * 16);
    return 0;
}

static iso_status ignore_failed_allocation(iso_context* ctx, void* user) {
    (void)user;
    iso_free(ctx, iso_alloc(ctx, 8));
    return ISO_OK;
}

static void unreported_allocation_failure_is_seen(void** state) {
    (void)state;
    check_every_allocation_failure(ignore_failed_allocation, NULL);
}

static void checks_pass_what_is_right(void** state) {
    (void)state;
    CHECK_NEAR(INFINITY, INFINITY, 0.0);
    CHECK_REL(101.0, 100.0, 0.011);
    CHECK_BITS(NAN, NAN);
    CHECK(1 + 1 == 2, "unused");
    CHECK_OK(NULL, ISO_OK);
    CHECK_TEXT("abc", "bc");
    CHECK_ARRAY_NEAR(NULL, NULL, 0, 0.0);
}

static void random_rotations_are_uniform(void** state) {
    (void)state;
    test_random random = test_random_make(1);
    double w_squared = 0.0;
    iso_vec3 mean = iso_vec3_zero();
    enum { COUNT = 100000 };
    for (int i = 0; i < COUNT; ++i) {
        iso_quat q = test_random_quat(&random);
        w_squared += q.w * q.w / COUNT;
        mean = iso_vec3_add_scaled(mean, test_random_unit_vec3(&random), 1.0 / COUNT);
    }
    CHECK_NEAR(w_squared, 0.25, 2e-3);                // measured 6.6e-4
    CHECK_VEC3_NEAR(mean, iso_vec3_zero(), 1e-2);     // measured 2.0e-3
    CHECK_NEAR(test_random_normal(&random), 0.0, 10); // any value a normal number may have
    for (int i = 0; i < 1000; ++i) {
        int n = test_random_int(&random, -2, 3);
        CHECK(n >= -2 && n <= 3, "n is %d", n);
    }
}

static void random_numbers_are_splitmix64(void** state) {
    (void)state;
    // First outputs for seed 1234567, from the reference implementation of splitmix64.
    test_random random = test_random_make(1234567);
    assert_true(test_random_bits(&random) == 6457827717110365317ULL);
    assert_true(test_random_bits(&random) == 3203168211198807973ULL);
}

static void source_files_are_found(void** state) {
    (void)state;
    char path[TEST_PATH_SIZE];
    FILE* file = fopen(source_path(path, "LICENSE"), "r");
    assert_non_null(file);
    fclose(file);
}

int main(void) {
    const struct CMUnitTest must_fail[] = {
        cmocka_unit_test(near_sees_a_difference),
        cmocka_unit_test(near_sees_a_nan),
        cmocka_unit_test(relative_sees_a_difference),
        cmocka_unit_test(bits_see_a_sign),
        cmocka_unit_test(array_sees_a_nan),
        cmocka_unit_test(array_bits_see_the_last_element),
        cmocka_unit_test(at_most_sees_a_nan),
        cmocka_unit_test(vec3_sees_a_difference),
        cmocka_unit_test(mat3_sees_a_nan_in_the_middle),
        cmocka_unit_test(pose_sees_a_position),
        cmocka_unit_test(spatial_sees_both_halves),
        cmocka_unit_test(status_sees_another),
        cmocka_unit_test(condition_and_text_see_a_lie),
        cmocka_unit_test_teardown(leak_is_seen, free_leak),
        cmocka_unit_test(unreported_allocation_failure_is_seen),
    };
    const struct CMUnitTest must_pass[] = {
        cmocka_unit_test(checks_pass_what_is_right),
        cmocka_unit_test(random_rotations_are_uniform),
        cmocka_unit_test(random_numbers_are_splitmix64),
        cmocka_unit_test(source_files_are_found),
    };
    unsetenv("ISO_TOL_SCALE");
    int wanted = (int)(sizeof must_fail / sizeof must_fail[0]);
    int failed = cmocka_run_group_tests_name("every one must fail", must_fail, NULL, NULL);
    printf("%d of %d checks failed as they must\n", failed, wanted);
    int wrong = cmocka_run_group_tests_name("every one must pass", must_pass, NULL, NULL);
    return failed == wanted && wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
