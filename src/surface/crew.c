// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/crew.h"

#include "base/alloc.h"
#include "base/fail.h"

#define FIRST_SLOTS ((size_t)1 << 14)

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
    for (int i = 0; i < crew->count; ++i) {
        iso_arena* arena = &crew->arenas[i];
        ISO_TRY(iso_arena_reset(arena));
        if (crew->bytes > 0) {
            ISO_CHECK(crew->ctx, iso_arena_push(arena, crew->bytes), ISO_ERR_MEMORY,
                      "%zu bytes of contact scratch", crew->bytes);
            ISO_TRY(iso_arena_reset(arena));
        }
    }

done:
    return status;
}

void iso_crew_remember(iso_crew* crew) {
    size_t bytes = 0;
    for (int i = 0; i < crew->count; ++i) {
        bytes += crew->arenas[i].peak;
    }
    if (bytes > crew->bytes) {
        crew->bytes = bytes + bytes / 2;
    }
}

void iso_crew_destroy(iso_crew* crew) {
    for (int i = 0; i < crew->count; ++i) {
        iso_arena_destroy(&crew->arenas[i]);
    }
    iso_free(crew->ctx, crew->arenas);
    *crew = (iso_crew){0};
}
