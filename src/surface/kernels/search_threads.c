// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels/search_threads.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#define FIRST_SLOTS ((size_t)1 << 13)
// Scratch that a thread may need whatever its share of the work is: its first tables.
#define COMMON_BYTES ((size_t)1 << 19)

iso_status iso_search_threads_join(iso_search_threads* search_threads, iso_context* ctx,
                                   iso_task_pool* pool) {
    int count = iso_task_pool_thread_count(pool);
    iso_status status = ISO_OK;
    if (search_threads->count < count) {
        size_t bytes = search_threads->bytes, slot_count = search_threads->slot_count;
        iso_search_threads_destroy(search_threads);
        search_threads->ctx = ctx;
        search_threads->bytes = bytes;
        search_threads->slot_count = slot_count > 0 ? slot_count : FIRST_SLOTS;
        search_threads->arenas = iso_alloc_array(ctx, count, sizeof *search_threads->arenas);
        ISO_REQUIRE(ctx, search_threads->arenas, ISO_ERR_MEMORY, "scratch of %d threads", count);
        while (search_threads->count < count) {
            ISO_TRY(iso_arena_init(&search_threads->arenas[search_threads->count], ctx, 0));
            ++search_threads->count;
        }
    }
    search_threads->pool = pool;

done:
    return status;
}

iso_status iso_search_threads_reset(iso_search_threads* search_threads) {
    iso_status status = ISO_OK;
    for (int i = 0; i < search_threads->count && status == ISO_OK; ++i) {
        status = iso_arena_reset_to(&search_threads->arenas[i], search_threads->bytes);
    }
    return status;
}

void iso_search_threads_remember(iso_search_threads* search_threads) {
    // Tables that grow by doubling may need twice as much in the hands of one thread.
    size_t bytes = COMMON_BYTES;
    for (int i = 0; i < search_threads->count; ++i) {
        size_t peak = search_threads->arenas[i].peak;
        bytes += peak > COMMON_BYTES ? peak - COMMON_BYTES : 0;
    }
    if (bytes > search_threads->bytes) {
        search_threads->bytes = 2 * bytes;
    }
}

void iso_search_threads_destroy(iso_search_threads* search_threads) {
    for (int i = 0; i < search_threads->count; ++i) {
        iso_arena_destroy(&search_threads->arenas[i]);
    }
    iso_free(search_threads->ctx, search_threads->arenas);
    *search_threads = (iso_search_threads){0};
}
