// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The derivative of a step by the implicit function theorem beside differences of whole steps:
// balls in contact with a floor and with each other, in drawn states.

#include "isobar/dynamics.h"
#include "isobar/linearize.h"
#include "isobar/state.h"
#include "support/balls.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BALLS 2
#define N (2 * 6 * BALLS)

static iso_world* make_world(iso_context* ctx, test_random* random, bool sticks) {
    iso_model* model = test_floor_model(ctx);
    iso_world* world;
    for (int i = 0; i < BALLS; ++i) {
        double mass = test_random_uniform(random, 0.1, 0.5);
        iso_pose start = test_random_pose(random, 1e-3);
        start.p = iso_vec3_add(start.p, iso_vec3_make(0.096 * i, 0.0, 0.0475));
        test_add_ball(ctx, model, i == 0 ? "a::ball" : "b::ball", mass, 2e-4, &start);
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.contact.friction = sticks ? ISO_FRICTION_MODEL_STICK : ISO_FRICTION_MODEL_REGULARIZED;
    desc.contact.regularization = ISO_REGULARIZATION_DRAKE; // whose friction does not follow
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    double v[6 * BALLS];
    for (int i = 0; i < 6 * BALLS; ++i) {
        v[i] = test_random_uniform(random, -0.2, 0.2);
    }
    CHECK_OK(ctx, iso_world_set_state(world, NULL, v));
    for (int i = 0; i < 5; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
    }
    return world;
}

static double size_of_column(const double* a, int column) {
    double size = 1.0;
    for (int i = 0; i < N; ++i) {
        size = fmax(size, fabs(a[i * N + column]));
    }
    return size;
}

static void the_derivative_of_a_step_is_that_of_whole_steps(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(11);
    double a[N * N], whole[N * N], errors[N], whole_errors[N];
    int compared = 0;
    for (int i = 0; i < 6; ++i) {
        iso_world* world = make_world(ctx, &random, i % 2 == 0);
        uint64_t before = iso_world_state_hash(world);
        const char* reason = "";
        iso_linearize_desc desc = iso_linearize_desc_default();
        desc.reason = &reason;
        CHECK_OK(ctx, iso_world_linearize(world, &desc, a, NULL, errors));
        assert_null(reason);
        desc.differences = true;
        CHECK_OK(ctx, iso_world_linearize(world, &desc, whole, NULL, whole_errors));
        assert_string_equal(reason, "differences are asked for");
        assert_true(iso_world_state_hash(world) == before);
        for (int c = 0; c < N; ++c) {
            bool is_smooth = errors[c] < 1e-6 && whole_errors[c] < 1e-7;
            double size = size_of_column(whole, c);
            compared += is_smooth;
            for (int k = 0; is_smooth && k < N; ++k) {
                // Measured 1.3e-5: steps stop at a residual of 1e-8, which differences take for a
                // change. With 1e-13 it is 9.3e-8.
                CHECK_NEAR(a[k * N + c] / size, whole[k * N + c] / size, 5e-5);
            }
        }
        iso_world_destroy(world);
    }
    // Measured 129.
    CHECK(compared >= 100, "%d columns of %d are smooth", compared, 6 * N);
    test_context_destroy(ctx);
}

static void steps_without_such_a_derivative_say_why(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(3);
    iso_world* world = make_world(ctx, &random, true);
    double columns[N * N], errors[N];
    const char* reason = NULL;
    iso_linearize_desc desc = iso_linearize_desc_default();
    desc.reason = &reason;
    desc.step_count = 2;
    CHECK_OK(ctx, iso_world_linearize(world, &desc, columns, NULL, NULL));
    assert_non_null(strstr(reason, "several steps"));
    CHECK_STATUS(ctx, iso_world_differentiate_step(world, NULL, columns, errors, NULL),
                 ISO_ERR_ARGUMENT);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_parameter_is_varied_and_restored_in_place(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(5);
    iso_world* world = make_world(ctx, &random, false);
    iso_world *clone = NULL, *refused = NULL;
    CHECK_OK(ctx, iso_world_clone(world, &clone));
    iso_world_parameter soft = {.kind = ISO_PARAMETER_MODULUS, .name = "a::ball::skin"};
    iso_world_parameter heavy = {.kind = ISO_PARAMETER_MASS, .name = "b::ball"};
    CHECK_OK(ctx, iso_world_vary(clone, &soft, 0.1));
    CHECK_STATUS(ctx, iso_world_clone(clone, &refused), ISO_ERR_ARGUMENT);
    CHECK_OK(ctx, iso_world_vary(clone, &heavy, 0.1)); // and of the first one no more
    double mass = iso_world_body_mass(world, iso_world_find_body(world, "b::ball"));
    CHECK_NEAR(iso_world_body_mass(clone, iso_world_find_body(clone, "b::ball")), mass * exp(0.1),
               1e-15);
    CHECK_STATUS(ctx, iso_world_vary(clone, &soft, 2.0), ISO_ERR_RANGE);
    CHECK_OK(ctx, iso_world_vary(clone, &heavy, 0.0));
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_OK(ctx, iso_world_step(clone));
    }
    assert_true(iso_world_state_hash(world) == iso_world_state_hash(clone));
    soft.name = "a::ball";
    CHECK_STATUS(ctx, iso_world_vary(clone, &soft, 0.1), ISO_ERR_NOT_FOUND);
    soft.name = "a::ball::skin";
    soft.axis = 1;
    CHECK_STATUS(ctx, iso_world_vary(clone, &soft, 0.1), ISO_ERR_RANGE);
    CHECK_OK(ctx, iso_world_vary(clone, &heavy, 0.1)); // destroyed as it is
    iso_world_destroy(clone);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_derivative_of_a_step_is_that_of_whole_steps),
        cmocka_unit_test(steps_without_such_a_derivative_say_why),
        cmocka_unit_test(a_parameter_is_varied_and_restored_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
