// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/system/task_pool.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/thread.h"

#include <stdatomic.h>
#include <string.h>

#define MAX_THREADS 1024
// Looks at what others do before a thread goes to sleep: some fifty microseconds, as to wake up
// costs the two threads together. They go to whoever else wants the core.
#define LOOKS 160

typedef struct worker {
    iso_task_pool* pool;
    iso_thread thread;
    int index;
} worker;

struct iso_task_pool {
    iso_context* ctx;
    worker* workers; ///< workers[0] is the caller, the others have threads
    int thread_count;
    int started_count; ///< threads running, for a pool that is only half built

    iso_mutex lock; ///< guards everything below but next_item
    iso_condvar work_ready;
    iso_condvar work_done;
    atomic_ulong round;    ///< number of the current run; a worker joins each round once
    bool is_open;          ///< the current round may be joined
    atomic_int busy_count; ///< threads that have joined the current round and not finished it
    bool is_closing;

    iso_task_fn fn;
    void* user;
    int item_count;
    atomic_int next_item;
};

static void work_through(iso_task_pool* pool, int worker_index) {
    for (;;) {
        int item = atomic_fetch_add(&pool->next_item, 1);
        if (item >= pool->item_count) {
            return;
        }
        pool->fn(pool->user, item, worker_index);
    }
}

static void* worker_main(void* user) {
    worker* self = user;
    iso_task_pool* pool = self->pool;
    unsigned long round = 0;
    iso_mutex_lock(&pool->lock);
    for (;;) {
        while ((pool->round == round || !pool->is_open) && !pool->is_closing) {
            iso_condvar_wait(&pool->work_ready, &pool->lock);
        }
        if (pool->is_closing) {
            break;
        }
        round = pool->round;
        ++pool->busy_count;
        iso_mutex_unlock(&pool->lock);
        work_through(pool, self->index);
        iso_mutex_lock(&pool->lock);
        if (--pool->busy_count == 0) {
            iso_condvar_signal(&pool->work_done);
        }
        iso_mutex_unlock(&pool->lock);
        for (int i = 0; i < LOOKS && atomic_load(&pool->round) == round; ++i) {
            iso_thread_yield();
        }
        iso_mutex_lock(&pool->lock);
    }
    iso_mutex_unlock(&pool->lock);
    return NULL;
}

static iso_status start_threads(iso_task_pool* pool) {
    for (int i = 1; i < pool->thread_count; ++i) {
        worker* w = &pool->workers[i];
        *w = (worker){.pool = pool, .index = i};
        int error = iso_thread_start(&w->thread, worker_main, w, true);
        ISO_REQUIRE(pool->ctx, error == 0, ISO_ERR_MEMORY, "thread %d of %d does not start: %s",
                    i + 1, pool->thread_count, strerror(error));
        pool->started_count = i;
    }
    return ISO_OK;
}

iso_status iso_task_pool_create(iso_context* ctx, int thread_count, iso_task_pool** out_pool) {
    *out_pool = NULL;
    ISO_REQUIRE(ctx, thread_count >= 1 && thread_count <= MAX_THREADS, ISO_ERR_RANGE,
                "thread count is %d, expected 1 to %d", thread_count, MAX_THREADS);
    iso_task_pool* pool = iso_alloc_zeroed(ctx, sizeof *pool);
    ISO_REQUIRE(ctx, pool, ISO_ERR_MEMORY, "task pool");
    *pool = (iso_task_pool){.ctx = ctx,
                            .thread_count = thread_count,
                            .lock = ISO_MUTEX_INITIAL,
                            .work_ready = ISO_CONDVAR_INITIAL,
                            .work_done = ISO_CONDVAR_INITIAL};

    iso_status status = ISO_OK;
    pool->workers = iso_alloc_array(ctx, thread_count, sizeof *pool->workers);
    ISO_CHECK(ctx, pool->workers, ISO_ERR_MEMORY, "task pool of %d threads", thread_count);
    ISO_TRY(start_threads(pool));
    *out_pool = pool;

done:
    if (status != ISO_OK) {
        iso_task_pool_destroy(pool);
    }
    return status;
}

void iso_task_pool_destroy(iso_task_pool* pool) {
    if (!pool) {
        return;
    }
    iso_mutex_lock(&pool->lock);
    pool->is_closing = true;
    iso_condvar_broadcast(&pool->work_ready);
    iso_mutex_unlock(&pool->lock);
    for (int i = 1; i <= pool->started_count; ++i) {
        iso_thread_join(pool->workers[i].thread);
    }
    iso_mutex_destroy(&pool->lock);
    iso_condvar_destroy(&pool->work_ready);
    iso_condvar_destroy(&pool->work_done);
    iso_free(pool->ctx, pool->workers);
    iso_free(pool->ctx, pool);
}

int iso_task_pool_thread_count(const iso_task_pool* pool) {
    return pool->thread_count;
}

void iso_task_pool_run(iso_task_pool* pool, int item_count, iso_task_fn fn, void* user) {
    if (pool->thread_count == 1 || item_count <= 1) {
        for (int item = 0; item < item_count; ++item) {
            fn(user, item, 0);
        }
        return;
    }
    iso_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->user = user;
    pool->item_count = item_count;
    atomic_store(&pool->next_item, 0);
    pool->is_open = true;
    ++pool->round;
    iso_condvar_broadcast(&pool->work_ready);
    iso_mutex_unlock(&pool->lock);

    work_through(pool, 0);

    // Nothing is left for threads that have not woken up: do not wait for them.
    iso_mutex_lock(&pool->lock);
    pool->is_open = false;
    iso_mutex_unlock(&pool->lock);
    for (int i = 0; i < LOOKS && atomic_load(&pool->busy_count) > 0; ++i) {
        iso_thread_yield();
    }
    iso_mutex_lock(&pool->lock);
    while (pool->busy_count > 0) {
        iso_condvar_wait(&pool->work_done, &pool->lock);
    }
    iso_mutex_unlock(&pool->lock);
}
