// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Where a body would hang unstretched, and how far it is from there.

#include "contact/stick/rest_place.h"

#include "support/check.h"
#include "support/random.h"

static iso_pose any_pose(test_random* random, double angle, double way) {
    iso_quat turn = iso_quat_from_rotation_vector(test_random_vec3(random, -angle, angle));
    return iso_pose_from_quat(turn, test_random_vec3(random, -way, way));
}

static void body_has_the_displacement_from_the_place_that_was_asked_for(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    double worst = 0.0;
    for (int n = 0; n < 200; ++n) {
        iso_pose x_wb = any_pose(&random, 2.0, 1.0);
        iso_vec3 p_wc = iso_vec3_add(x_wb.p, test_random_vec3(&random, -0.2, 0.2));
        double size = n % 3 == 0 ? 0.0 : pow(10.0, -(n % 7)), asked[6], found[6];
        for (int i = 0; i < 6; ++i) {
            asked[i] = test_random_uniform(&random, -0.5, 0.5) * (i < 3 ? size : 1e-3);
        }
        iso_pose x_wr = iso_rest_place_before(asked, &x_wb, p_wc);
        iso_rest_place_displacement(&x_wr, &x_wb, p_wc, found);
        for (int i = 0; i < 6; ++i) {
            worst = fmax(worst, fabs(found[i] - asked[i]));
        }
    }
    CHECK_AT_MOST(worst, 1e-14); // measured
}

/// R is where B would hang on A; A would hang on B where A is in the frame of R, put to B.
static void swapped_bodies_have_the_opposite_displacement(void** state) {
    (void)state;
    test_random random = test_random_make(4);
    double worst = 0.0, largest = 0.0;
    for (int n = 0; n < 200; ++n) {
        iso_pose x_wa = any_pose(&random, 2.0, 1.0), x_wb = any_pose(&random, 2.0, 1.0);
        iso_pose moved = any_pose(&random, 0.3, 0.1);
        iso_pose x_wr = iso_pose_mul(&moved, &x_wb);
        iso_vec3 p_wc = test_random_vec3(&random, -1.0, 1.0);
        iso_pose x_ra = iso_pose_inverse_mul(&x_wr, &x_wa), x_ws = iso_pose_mul(&x_wb, &x_ra);
        double of_b[6], of_a[6];
        iso_rest_place_displacement(&x_wr, &x_wb, p_wc, of_b);
        iso_rest_place_displacement(&x_ws, &x_wa, p_wc, of_a);
        for (int i = 0; i < 6; ++i) {
            worst = fmax(worst, fabs(of_b[i] + of_a[i]));
            largest = fmax(largest, fabs(of_b[i]));
        }
    }
    CHECK(largest > 0.1, "displacements of %g", largest);
    CHECK_AT_MOST(worst, 1e-14); // measured
}

static void remembered_place_is_found_back(void** state) {
    (void)state;
    test_random random = test_random_make(5);
    for (int n = 0; n < 50; ++n) {
        iso_pose x_wa = any_pose(&random, 2.0, 1.0), x_wr = any_pose(&random, 2.0, 1.0);
        iso_stick_memory memory = {0};
        iso_rest_place_keep(&x_wr, &x_wa, &memory);
        iso_pose found = iso_rest_place(&memory, &x_wa);
        CHECK_AT_MOST(iso_vec3_norm(iso_vec3_sub(found.p, x_wr.p)), 1e-14); // measured
        iso_mat3 rest = iso_mat3_mul(found.r, iso_mat3_transpose(x_wr.r));
        CHECK_AT_MOST(fabs(rest.m[0][1]) + fabs(rest.m[0][2]) + fabs(rest.m[1][2]), 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_has_the_displacement_from_the_place_that_was_asked_for),
        cmocka_unit_test(swapped_bodies_have_the_opposite_displacement),
        cmocka_unit_test(remembered_place_is_found_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
