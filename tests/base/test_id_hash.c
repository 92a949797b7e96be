// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/hash.h"
#include "base/values/id.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <limits.h>

static void ids_are_never_null_and_differ(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_id_pool pool = {0};
    uint64_t ids[100];
    for (int i = 0; i < 100; ++i) {
        CHECK_OK(ctx, iso_id_pool_acquire(ctx, &pool, &ids[i]));
        assert_true(ids[i] != 0);
        assert_int_equal(iso_id_pool_slot(&pool, ids[i]), i);
    }
    assert_int_equal(iso_id_pool_slot(&pool, 0), -1);
    assert_int_equal(iso_id_pool_slot(&pool, 101), -1);
    iso_id_pool_free(ctx, &pool);
    test_context_destroy(ctx);
}

static void released_ids_go_stale_for_ever(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_id_pool pool = {0};
    uint64_t first = 0;
    uint64_t second = 0;
    CHECK_OK(ctx, iso_id_pool_acquire(ctx, &pool, &first));
    assert_true(iso_id_pool_release(ctx, &pool, first));
    assert_int_equal(iso_id_pool_slot(&pool, first), -1);
    assert_false(iso_id_pool_release(ctx, &pool, first));
    assert_false(iso_id_pool_release(ctx, &pool, 0));

    CHECK_OK(ctx, iso_id_pool_acquire(ctx, &pool, &second));
    assert_true(second != first);
    assert_int_equal(iso_id_pool_slot(&pool, second), 0); // the slot is used again
    assert_int_equal(iso_id_pool_slot(&pool, first), -1);
    // An id with the generation that a free slot has is not alive either.
    assert_true(iso_id_pool_release(ctx, &pool, second));
    assert_int_equal(iso_id_pool_slot(&pool, second + ((uint64_t)1 << 32)), -1);
    iso_id_pool_free(ctx, &pool);
    test_context_destroy(ctx);
}

static void slot_with_used_up_generations_is_retired(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_id_pool pool = {0};
    uint64_t id = 0;
    CHECK_OK(ctx, iso_id_pool_acquire(ctx, &pool, &id));
    pool.generations[0] = UINT32_MAX; // the last odd generation
    assert_true(iso_id_pool_release(ctx, &pool, (uint64_t)UINT32_MAX << 32 | 1));
    CHECK_OK(ctx, iso_id_pool_acquire(ctx, &pool, &id));
    assert_int_equal(iso_id_pool_slot(&pool, id), 1);
    iso_id_pool_free(ctx, &pool);
    test_context_destroy(ctx);
}

static void pool_of_the_most_ids_refuses_another(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_id_pool pool = {.slot_count = INT_MAX - 1};
    uint64_t id = 5;
    CHECK_STATUS(ctx, iso_id_pool_acquire(ctx, &pool, &id), ISO_ERR_RANGE);
    assert_true(id == 0);
    test_context_destroy(ctx);
}

static iso_status acquire_twenty(iso_context* ctx, void* user) {
    (void)user;
    iso_id_pool pool = {0};
    iso_status status = ISO_OK;
    uint64_t id = 0;
    for (int i = 0; i < 20 && status == ISO_OK; ++i) {
        status = iso_id_pool_acquire(ctx, &pool, &id);
        assert_true((status == ISO_OK) == (id != 0));
    }
    iso_id_pool_free(ctx, &pool);
    return status;
}

static void id_pool_survives_every_allocation_failure(void** state) {
    (void)state;
    // Two arrays of 8, 16 and 32 slots.
    assert_int_equal(check_every_allocation_failure(acquire_twenty, NULL), 6);
}

static void hash_matches_published_fnv_1a_values(void** state) {
    (void)state;
    // draft-eastlake-fnv-17, appendix C, 64-bit FNV-1a of "", "a", "foobar".
    assert_true(iso_hash_text(ISO_HASH_SEED, "") == 0xcbf29ce484222325ULL);
    assert_true(iso_hash_text(ISO_HASH_SEED, "a") == 0xaf63dc4c8601ec8cULL);
    assert_true(iso_hash_text(ISO_HASH_SEED, "foobar") == 0x85944171f73967e8ULL);
}

static void hash_of_parts_is_hash_of_whole(void** state) {
    (void)state;
    uint64_t part = iso_hash_bytes(ISO_HASH_SEED, "foo", 3);
    assert_true(iso_hash_bytes(part, "bar", 3) == iso_hash_text(ISO_HASH_SEED, "foobar"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_never_null_and_differ),
        cmocka_unit_test(released_ids_go_stale_for_ever),
        cmocka_unit_test(slot_with_used_up_generations_is_retired),
        cmocka_unit_test(pool_of_the_most_ids_refuses_another),
        cmocka_unit_test(id_pool_survives_every_allocation_failure),
        cmocka_unit_test(hash_matches_published_fnv_1a_values),
        cmocka_unit_test(hash_of_parts_is_hash_of_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
