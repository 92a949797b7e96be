// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels/crew.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#define FIRST_SLOTS ((size_t)1 << 13)
// Scratch that a thread may need whatever its share of the work is: its first tables.
#define COMMON_BYTES ((size_t)1 << 19)

iso_status iso_crew_join(iso_crew* crew, iso_context* ctx, iso_task_pool* pool) {
    int count = iso_task_pool_thread_count(pool);
    iso_status status = ISO_OK;
    if (crew->count < count) {
        size_t bytes = crew->bytes, slot_count = crew->slot_count;
        iso_crew_destroy(crew);
        crew->ctx = ctx;
        crew->bytes = bytes;
        crew->slot_count = slot_count > 0 ? slot_count : FIRST_SLOTS;
        crew->arenas = iso_alloc_array(ctx, count, sizeof *crew->arenas);
        ISO_REQUIRE(ctx, crew->arenas, ISO_ERR_MEMORY, "scratch of %d threads", count);
        while (crew->count < count) {
            ISO_TRY(iso_arena_init(&crew->arenas[crew->count], ctx, 0));
            ++crew->count;
        }
    }
    crew->pool = pool;

done:
    return status;
}

iso_status iso_crew_reset(iso_crew* crew) {
    iso_status status = ISO_OK;
    for (int i = 0; i < crew->count && status == ISO_OK; ++i) {
        status = iso_arena_reset_to(&crew->arenas[i], crew->bytes);
    }
    return status;
}

void iso_crew_remember(iso_crew* crew) {
    // Tables that grow by doubling may need twice as much in the hands of one thread.
    size_t bytes = COMMON_BYTES;
    for (int i = 0; i < crew->count; ++i) {
        size_t peak = crew->arenas[i].peak;
        bytes += peak > COMMON_BYTES ? peak - COMMON_BYTES : 0;
    }
    if (bytes > crew->bytes) {
        crew->bytes = 2 * bytes;
    }
}

void iso_crew_destroy(iso_crew* crew) {
    for (int i = 0; i < crew->count; ++i) {
        iso_arena_destroy(&crew->arenas[i]);
    }
    iso_free(crew->ctx, crew->arenas);
    *crew = (iso_crew){0};
}
