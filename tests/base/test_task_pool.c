// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/system/task_pool.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define ITEM_COUNT 5000

typedef struct job {
    double results[ITEM_COUNT];
    atomic_int visits[ITEM_COUNT];
    int thread_count;
    atomic_int bad_worker_count;
} job;

static void compute_item(void* user, int item, int worker) {
    job* j = user;
    double x = 1.0 / (item + 1);
    for (int i = 0; i < item % 50; ++i) {
        x = sqrt(x + i);
    }
    j->results[item] = x;
    atomic_fetch_add(&j->visits[item], 1);
    if (worker < 0 || worker >= j->thread_count) {
        atomic_fetch_add(&j->bad_worker_count, 1);
    }
}

static void run_job(int thread_count, int rounds, job* out_job) {
    iso_context* ctx = test_context();
    iso_task_pool* pool = NULL;
    CHECK_OK(ctx, iso_task_pool_create(ctx, thread_count, &pool));
    assert_int_equal(iso_task_pool_thread_count(pool), thread_count);
    memset(out_job, 0, sizeof *out_job);
    out_job->thread_count = thread_count;
    long calls = test_heap_of(ctx)->call_count;
    for (int round = 0; round < rounds; ++round) {
        iso_task_pool_run(pool, ITEM_COUNT, compute_item, out_job);
    }
    assert_int_equal(test_heap_of(ctx)->call_count, calls); // a run allocates nothing
    for (int i = 0; i < ITEM_COUNT; ++i) {
        assert_int_equal(atomic_load(&out_job->visits[i]), rounds);
    }
    assert_int_equal(atomic_load(&out_job->bad_worker_count), 0);
    iso_task_pool_destroy(pool);
    test_context_destroy(ctx);
}

static job k_reference, k_other;

static void results_do_not_depend_on_the_number_of_threads(void** state) {
    (void)state;
    run_job(1, 1, &k_reference);
    for (int thread_count = 2; thread_count <= 5; ++thread_count) {
        run_job(thread_count, 20, &k_other);
        assert_memory_equal(k_reference.results, k_other.results, sizeof k_reference.results);
    }
}

static void few_items_and_none_are_run_once_each(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_task_pool* pool = NULL;
    CHECK_OK(ctx, iso_task_pool_create(ctx, 4, &pool));
    memset(&k_other, 0, sizeof k_other);
    k_other.thread_count = 4;
    iso_task_pool_run(pool, 0, compute_item, &k_other);
    assert_int_equal(atomic_load(&k_other.visits[0]), 0);
    iso_task_pool_run(pool, 1, compute_item, &k_other);
    iso_task_pool_run(pool, 2, compute_item, &k_other);
    assert_int_equal(atomic_load(&k_other.visits[0]), 2);
    assert_int_equal(atomic_load(&k_other.visits[1]), 1);
    assert_int_equal(atomic_load(&k_other.visits[2]), 0);
    iso_task_pool_destroy(pool);
    iso_task_pool_destroy(NULL);
    test_context_destroy(ctx);
}

static void thread_count_out_of_range_is_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_task_pool* pool = NULL;
    CHECK_STATUS(ctx, iso_task_pool_create(ctx, 0, &pool), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "thread count is 0, expected 1 to 1024");
    assert_null(pool);
    CHECK_STATUS(ctx, iso_task_pool_create(ctx, 1025, &pool), ISO_ERR_RANGE);
    test_context_destroy(ctx);
}

static iso_status make_pool(iso_context* ctx, void* user) {
    (void)user;
    iso_task_pool* pool = NULL;
    iso_status status = iso_task_pool_create(ctx, 3, &pool);
    assert_true((status == ISO_OK) == (pool != NULL));
    iso_task_pool_destroy(pool);
    return status;
}

static void pool_survives_every_allocation_failure(void** state) {
    (void)state;
    assert_int_equal(check_every_allocation_failure(make_pool, NULL), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(few_items_and_none_are_run_once_each),
        cmocka_unit_test(thread_count_out_of_range_is_refused),
        cmocka_unit_test(pool_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
