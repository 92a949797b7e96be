// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Worlds that are stepped together.

#include "support/failing_context.h"
#include "world/piles.h"

enum { k_worlds = 5 };

/// Clones of one world that are pushed differently.
static void make_worlds(iso_context* ctx, iso_world* worlds[k_worlds]) {
    worlds[0] = make_pile_world(ctx, ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_STICK);
    for (int i = 1; i < k_worlds; ++i) {
        CHECK_OK(ctx, iso_world_clone(worlds[0], &worlds[i]));
    }
    for (int i = 0; i < k_worlds; ++i) {
        iso_spatial push = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(10.0 * i, 0.0, 0.0));
        CHECK_OK(ctx, iso_world_apply_wrench(worlds[i], 2, push));
    }
}

static void destroy_worlds(iso_world* worlds[k_worlds]) {
    for (int i = 0; i < k_worlds; ++i) {
        iso_world_destroy(worlds[i]);
    }
}

static void worlds_come_to_the_same_bits_as_alone(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* worlds[k_worlds];
    uint64_t alone[k_worlds];
    const int rest = TEST_ROUNDS(63, 5);
    make_worlds(ctx, worlds);
    for (int i = 0; i < k_worlds; ++i) {
        step_many(ctx, worlds[i], 37 + rest);
        alone[i] = iso_world_state_hash(worlds[i]);
        assert_true(i == 0 || alone[i] != alone[0]);
    }
    destroy_worlds(worlds);
    static const int thread_counts[] = {1, 2, 7};
    for (int t = 0; t < 3; ++t) {
        iso_world_batch* batch = NULL;
        make_worlds(ctx, worlds);
        CHECK_OK(ctx, iso_world_batch_create(ctx, worlds, k_worlds, thread_counts[t], &batch));
        CHECK_OK(ctx, iso_world_batch_step(batch, 37));
        CHECK_OK(ctx, iso_world_batch_step(batch, rest));
        assert_int_equal(iso_world_batch_count(batch), k_worlds);
        for (int i = 0; i < k_worlds; ++i) {
            assert_true(iso_world_batch_world(batch, i) == worlds[i]);
            assert_true(iso_world_state_hash(worlds[i]) == alone[i]);
            assert_int_equal(iso_world_batch_status(batch, i), ISO_OK);
        }
        iso_world_batch_destroy(batch);
        destroy_worlds(worlds);
    }
    test_context_destroy(ctx);
}

static void steady_batches_allocate_nothing(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED();
    iso_context* ctx = test_context();
    iso_world* worlds[k_worlds];
    iso_world_batch* batch = NULL;
    make_worlds(ctx, worlds);
    CHECK_OK(ctx, iso_world_batch_create(ctx, worlds, k_worlds, 2, &batch));
    CHECK_OK(ctx, iso_world_batch_step(batch, 400)); // the piles come to rest
    long before = test_heap_of(ctx)->call_count;
    CHECK_OK(ctx, iso_world_batch_step(batch, 50));
    assert_int_equal(test_heap_of(ctx)->call_count - before, 0);
    iso_world_batch_destroy(batch);
    destroy_worlds(worlds);
    test_context_destroy(ctx);
}

/// Restoring a state over and over, as learning does, allocates nothing either.
static void steady_restores_allocate_nothing(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pile_world(ctx, ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_STICK);
    static unsigned char bytes[16384];
    size_t size = 0;
    step_many(ctx, world, 50);
    CHECK_OK(ctx, iso_world_save(world, bytes, sizeof bytes, &size));
    step_many(ctx, world, 20);
    CHECK_OK(ctx, iso_world_restore(world, bytes, size));
    CHECK_OK(ctx, iso_world_restore(world, bytes, size));
    long before = test_heap_of(ctx)->call_count;
    for (int i = 0; i < 10; ++i) {
        step_many(ctx, world, 2);
        CHECK_OK(ctx, iso_world_save(world, bytes, sizeof bytes, &size));
        CHECK_OK(ctx, iso_world_restore(world, bytes, size));
    }
    assert_int_equal(test_heap_of(ctx)->call_count - before, 0);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_world_that_fails_stops_alone(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* worlds[k_worlds];
    iso_world_batch* batch = NULL;
    make_worlds(ctx, worlds);
    CHECK_OK(ctx, iso_world_batch_create(ctx, worlds, k_worlds, 2, &batch));
    CHECK_OK(ctx, iso_world_batch_step(batch, 10));
    iso_spatial huge =
        iso_spatial_make(iso_vec3_make(1e308, 0.0, 0.0), iso_vec3_make(1e308, 1e308, 0.0));
    CHECK_OK(ctx, iso_world_apply_wrench(worlds[3], 2, huge));
    uint64_t before = iso_world_state_hash(worlds[3]);
    iso_status status = iso_world_batch_step(batch, 10);
    assert_true(status == ISO_ERR_NUMERIC || status == ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "world 3 of the batch: step 11");
    for (int i = 0; i < k_worlds; ++i) {
        assert_int_equal(iso_world_batch_status(batch, i), i == 3 ? status : ISO_OK);
        assert_int_equal(iso_world_step_count(worlds[i]), i == 3 ? 10 : 20);
    }
    assert_true(iso_world_state_hash(worlds[3]) == before);
    iso_world_batch_destroy(batch);
    destroy_worlds(worlds);
    test_context_destroy(ctx);
}

static void wrong_batches_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* worlds[k_worlds];
    iso_world_batch* batch = NULL;
    make_worlds(ctx, worlds);
    iso_world* twice[] = {worlds[0], worlds[1], worlds[0]};
    iso_world* missing[] = {worlds[0], NULL};
    CHECK_STATUS(ctx, iso_world_batch_create(ctx, twice, 3, 2, &batch), ISO_ERR_ARGUMENT);
    assert_null(batch);
    CHECK_STATUS(ctx, iso_world_batch_create(ctx, missing, 2, 2, &batch), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "world 1 of the batch is missing");
    CHECK_STATUS(ctx, iso_world_batch_create(ctx, worlds, 2, 0, &batch), ISO_ERR_RANGE);
    CHECK_OK(ctx, iso_world_batch_create(ctx, NULL, 0, 2, &batch));
    CHECK_OK(ctx, iso_world_batch_step(batch, 3));
    CHECK_STATUS(ctx, iso_world_batch_step(batch, -1), ISO_ERR_RANGE);
    iso_world_batch_destroy(batch);
    destroy_worlds(worlds);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_come_to_the_same_bits_as_alone),
        cmocka_unit_test(steady_batches_allocate_nothing),
        cmocka_unit_test(steady_restores_allocate_nothing),
        cmocka_unit_test(a_world_that_fails_stops_alone),
        cmocka_unit_test(wrong_batches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
