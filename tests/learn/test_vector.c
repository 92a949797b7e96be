// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Many worlds through arrays, and the derivative of a step.

#include "isobar/linearize.h"
#include "isobar/state.h"
#include "isobar/vector.h"
#include "learn/tangent.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "world/piles.h"

#include <stdlib.h>
#include <string.h>

enum { k_worlds = 6, k_most = 64 };

static iso_world* make_variant(iso_context* ctx, double friction) {
    iso_model* model = make_pile_model(ctx, 2, friction);
    iso_world_desc desc = iso_world_desc_default();
    desc.time_step = 2e-3;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

static void rows_have_the_bits_of_worlds_stepped_alone(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* variants[] = {make_variant(ctx, 0.2), make_variant(ctx, 0.8)};
    const int kinds[k_worlds] = {0, 1, 1, 0, 1, 0}, steps = TEST_ROUNDS(150, 40);
    iso_actuation commands[k_worlds];
    for (int i = 0; i < k_worlds; ++i) {
        commands[i] = (iso_actuation){.position = 0.3 * i - 0.8};
    }
    static const int thread_counts[] = {1, 3};
    for (int t = 0; t < 2; ++t) {
        iso_vector_desc desc = {.variants = variants,
                                .variant_count = 2,
                                .world_count = k_worlds,
                                .thread_count = thread_counts[t]};
        iso_vector* vector = NULL;
        double q[k_worlds * k_most];
        CHECK_OK(ctx, iso_vector_create(ctx, &desc, &vector));
        CHECK_OK(ctx, iso_vector_reset(vector, NULL, kinds, NULL, NULL));
        CHECK_OK(ctx, iso_vector_step(vector, commands, steps));
        int width = iso_vector_width(vector, ISO_VECTOR_Q);
        CHECK_OK(ctx, iso_vector_read(vector, ISO_VECTOR_Q, q));
        for (int i = 0; i < k_worlds; ++i) {
            iso_world* alone = NULL;
            double expected[k_most];
            CHECK_OK(ctx, iso_world_clone(variants[kinds[i]], &alone));
            CHECK_OK(ctx, iso_world_set_actuation(alone, 0, &commands[i]));
            step_many(ctx, alone, steps);
            CHECK_OK(ctx, iso_world_get_state(alone, expected, NULL));
            CHECK_ARRAY_BITS(q + i * width, expected, width);
            iso_world_destroy(alone);
        }
        iso_vector_destroy(vector);
    }
    iso_world_destroy(variants[0]);
    iso_world_destroy(variants[1]);
    test_context_destroy(ctx);
}

/// User: a variant in another context.
static iso_status make_vector(iso_context* ctx, void* user) {
    iso_world* variants[] = {user};
    iso_sensor_desc sensor = iso_sensor_desc_default();
    sensor.name = "imu";
    sensor.kind = ISO_SENSOR_IMU;
    sensor.body = "arm";
    iso_vector_desc desc = {.variants = variants,
                            .variant_count = 1,
                            .world_count = 3,
                            .thread_count = 2,
                            .sensors = &sensor,
                            .sensor_count = 1};
    iso_vector* vector = NULL;
    iso_status status = iso_vector_create(ctx, &desc, &vector);
    assert_true((status == ISO_OK) == (vector != NULL));
    iso_vector_destroy(vector);
    return status;
}

static void a_vector_survives_every_allocation_failure(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* variant = make_variant(ctx, 0.5);
    assert_true(check_every_allocation_failure(make_vector, variant) > 2);
    iso_world_destroy(variant);
    test_context_destroy(ctx);
}

static void wrong_vectors_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* variants[] = {make_variant(ctx, 0.5),
                             make_pile_world(ctx, ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_STICK)};
    iso_vector_desc desc = {
        .variants = variants, .variant_count = 2, .world_count = 2, .thread_count = 1};
    iso_vector* vector = NULL;
    CHECK_STATUS(ctx, iso_vector_create(ctx, &desc, &vector), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "variant 1 is of another structure: its body count is 5, expected 4");
    desc.variant_count = 1;
    desc.world_count = 0;
    CHECK_STATUS(ctx, iso_vector_create(ctx, &desc, &vector), ISO_ERR_RANGE);
    desc.world_count = 2;
    desc.thread_count = 0;
    CHECK_STATUS(ctx, iso_vector_create(ctx, &desc, &vector), ISO_ERR_RANGE);
    desc.thread_count = 1;
    CHECK_OK(ctx, iso_vector_create(ctx, &desc, &vector));
    CHECK_STATUS(ctx, iso_vector_step(vector, NULL, -1), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_vector_read(vector, (iso_vector_field)99, &(double){0.0}), ISO_ERR_RANGE);
    assert_null(iso_vector_world(vector, 2));
    assert_int_equal(iso_vector_variant(vector, -1), -1);
    iso_vector_destroy(vector);
    iso_vector_destroy(NULL);
    iso_world_destroy(variants[0]);
    iso_world_destroy(variants[1]);
    test_context_destroy(ctx);
}

/// Drawn positions of free joints and hinges.
static void a_change_of_positions_is_found_again(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_variant(ctx, 0.5);
    test_random random = test_random_make(5);
    int q_count = iso_world_q_count(world), v_count = iso_world_v_count(world);
    for (int round = 0; round < 50; ++round) {
        double delta[k_most], found[k_most], q[k_most], moved[k_most];
        for (int i = 0; i < v_count; ++i) {
            delta[i] = test_random_uniform(&random, -1.0, 1.0);
        }
        CHECK_OK(ctx, iso_world_get_state(world, q, NULL));
        memcpy(moved, q, sizeof q);
        iso_tangent_move(world, delta, moved);
        iso_tangent_difference(world, q, moved, found);
        CHECK_ARRAY_NEAR(found, delta, v_count, 4e-15); // measured 8e-16
        CHECK_OK(ctx, iso_world_set_state(world, moved, NULL));
        assert_true(q_count > v_count);
    }
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

/// User: a world. Those of its context do not fail; the call's own allocations are of it too.
static void a_linearisation_leaves_nothing_behind(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_variant(ctx, 0.5);
    int n = 2 * iso_world_v_count(world);
    double* a = calloc((size_t)n * (size_t)n, sizeof *a);
    double* b = calloc((size_t)n * 3, sizeof *b);
    iso_linearize_desc desc = iso_linearize_desc_default();
    desc.thread_count = 3;
    step_many(ctx, world, 20);
    uint64_t before = iso_world_state_hash(world);
    long live = test_heap_of(ctx)->live_count;
    CHECK_OK(ctx, iso_world_linearize(world, &desc, a, b, NULL));
    assert_int_equal(test_heap_of(ctx)->live_count, live);
    assert_true(iso_world_state_hash(world) == before);
    // Every allocation of it fails once.
    iso_status status = ISO_ERR_MEMORY;
    int failures = 0;
    while (status != ISO_OK && failures < 2000) {
        test_heap_of(ctx)->fail_index = test_heap_of(ctx)->call_count + failures;
        status = iso_world_linearize(world, &desc, a, b, NULL);
        test_heap_of(ctx)->fail_index = -1;
        assert_int_equal(test_heap_of(ctx)->live_count, live);
        failures += 7;
    }
    assert_int_equal(status, ISO_OK);
    free(a);
    free(b);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_bits_of_worlds_stepped_alone),
        cmocka_unit_test(a_vector_survives_every_allocation_failure),
        cmocka_unit_test(wrong_vectors_are_refused),
        cmocka_unit_test(a_change_of_positions_is_found_again),
        cmocka_unit_test(a_linearisation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
