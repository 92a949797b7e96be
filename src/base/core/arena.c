// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/arena.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#define ARENA_SMALLEST_BLOCK ((size_t)4096)

// Every caller keeps capacity below SIZE_MAX / 2, so the sum does not overflow.
static iso_arena_block* block_create(iso_context* ctx, size_t capacity, iso_arena_block* older) {
    iso_arena_block* block = iso_alloc(ctx, sizeof *block + ISO_ARENA_ALIGNMENT + capacity);
    if (block) {
        block->older = older;
        block->capacity = capacity;
        block->bytes = (char*)iso_arena_rounded((size_t)(block + 1));
        iso_poison(block->bytes, capacity);
    }
    return block;
}

static void blocks_destroy(iso_context* ctx, iso_arena_block* newest) {
    while (newest) {
        iso_arena_block* older = newest->older;
        iso_unpoison(newest->bytes, newest->capacity);
        iso_free(ctx, newest);
        newest = older;
    }
}

iso_status iso_arena_init(iso_arena* arena, iso_context* ctx, size_t initial_size) {
    *arena = (iso_arena){.ctx = ctx};
    if (initial_size == 0) {
        return ISO_OK;
    }
    ISO_REQUIRE(ctx, initial_size <= SIZE_MAX / 2, ISO_ERR_MEMORY, "arena of %zu bytes",
                initial_size);
    arena->block = block_create(ctx, iso_arena_rounded(initial_size), NULL);
    ISO_REQUIRE(ctx, arena->block, ISO_ERR_MEMORY, "arena of %zu bytes", initial_size);
    return ISO_OK;
}

void iso_arena_destroy(iso_arena* arena) {
    blocks_destroy(arena->ctx, arena->block);
    *arena = (iso_arena){.ctx = arena->ctx};
}

bool iso_arena_chain(iso_arena* arena, size_t rounded) {
    size_t capacity = arena->block ? arena->block->capacity : ARENA_SMALLEST_BLOCK;
    capacity = capacity > SIZE_MAX / 4 ? capacity : capacity * 2;
    iso_arena_block* block =
        block_create(arena->ctx, capacity < rounded ? rounded : capacity, arena->block);
    if (!block) {
        return false;
    }
    arena->block = block;
    arena->used = 0;
    return true;
}

bool iso_arena_resize_last(iso_arena* arena, void* ptr, size_t old_size, size_t new_size) {
    size_t old_rounded = iso_arena_rounded(old_size);
    size_t new_rounded = iso_arena_rounded(new_size);
    if (new_size > SIZE_MAX / 2 || !arena->block || arena->used < old_rounded) {
        return false;
    }
    size_t start = arena->used - old_rounded;
    if (arena->block->bytes + start != (char*)ptr || arena->block->capacity - start < new_rounded) {
        return false;
    }
    iso_poison(ptr, old_rounded);
    iso_unpoison(ptr, new_size);
    arena->used = start + new_rounded;
    arena->total = arena->total - old_rounded + new_rounded;
    arena->peak = arena->peak > arena->total ? arena->peak : arena->total;
    return true;
}

// What is not pushed, of the newest block.
static void poison_rest(const iso_arena* arena) {
    if (arena->block) {
        iso_poison(arena->block->bytes + arena->used, arena->block->capacity - arena->used);
    }
}

iso_arena_mark iso_arena_get_mark(const iso_arena* arena) {
    return (iso_arena_mark){arena->block, arena->used, arena->total};
}

void iso_arena_release(iso_arena* arena, iso_arena_mark mark) {
    // A block chained after the mark holds nothing that is still alive: go on at its start. What
    // was pushed before the mark lies in older blocks, untouched.
    arena->used = arena->block == mark.block ? mark.used : 0;
    arena->total = mark.total;
    poison_rest(arena);
}

iso_status iso_arena_reset(iso_arena* arena) {
    arena->used = 0;
    arena->total = 0;
    arena->peak = 0;
    poison_rest(arena);
    if (!arena->block || !arena->block->older) {
        return ISO_OK;
    }
    // The chain held the peak, so one block of its whole capacity holds it without an overflow.
    size_t capacity = 0;
    for (const iso_arena_block* block = arena->block; block; block = block->older) {
        capacity += block->capacity;
    }
    iso_arena_block* single = block_create(arena->ctx, capacity, NULL);
    ISO_REQUIRE(arena->ctx, single, ISO_ERR_MEMORY, "arena of %zu bytes", capacity);
    blocks_destroy(arena->ctx, arena->block);
    arena->block = single;
    return ISO_OK;
}

iso_status iso_arena_reset_to(iso_arena* arena, size_t bytes) {
    iso_status status = ISO_OK;
    ISO_TRY(iso_arena_reset(arena));
    if (bytes > 0) {
        ISO_CHECK(arena->ctx, iso_arena_push(arena, bytes), ISO_ERR_MEMORY, "%zu bytes of scratch",
                  bytes);
        ISO_TRY(iso_arena_reset(arena));
    }

done:
    return status;
}
