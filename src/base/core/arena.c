// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/arena.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#define ARENA_SMALLEST_BLOCK ((size_t)4096)
// Chains of more bytes are kept: to ask the system for new memory takes longer than a step.
#define ARENA_MOST_MERGED ((size_t)2 << 20)
// A block of so many bytes soon is one of many: it gets so many that it lies on huge pages, of
// which only what is used is taken.
#define ARENA_LARGE_BLOCK ((size_t)1 << 20)
#define ARENA_HUGE_BLOCK ((size_t)8 << 20)

// Every caller keeps capacity below SIZE_MAX / 2, so the sum does not overflow.
static iso_arena_block* block_create(iso_context* ctx, size_t capacity, iso_arena_block* older) {
    iso_arena_block* block = iso_alloc(ctx, sizeof *block + ISO_ARENA_ALIGNMENT + capacity);
    if (block) {
        block->older = older;
        block->newer = NULL;
        if (older) {
            older->newer = block;
        }
        block->capacity = capacity;
        block->bytes = (char*)iso_arena_rounded((size_t)(block + 1));
        iso_poison(block->bytes, capacity);
    }
    return block;
}

static iso_arena_block* find_oldest(iso_arena_block* block) {
    while (block && block->older) {
        block = block->older;
    }
    return block;
}

// All of a chain.
static void blocks_destroy(iso_context* ctx, iso_arena_block* any) {
    for (iso_arena_block *block = find_oldest(any), *newer; block; block = newer) {
        newer = block->newer;
        iso_unpoison(block->bytes, block->capacity);
        iso_free(ctx, block);
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

// How large a block is that follows another one.
static size_t next_capacity(const iso_arena_block* last, size_t rounded) {
    size_t capacity = last ? last->capacity : ARENA_SMALLEST_BLOCK;
    capacity = capacity > SIZE_MAX / 4 ? capacity : capacity * 2;
    capacity = capacity < rounded ? rounded : capacity;
    bool is_large = capacity >= ARENA_LARGE_BLOCK && capacity < ARENA_HUGE_BLOCK;
    return is_large ? ARENA_HUGE_BLOCK : capacity;
}

bool iso_arena_chain(iso_arena* arena, size_t rounded) {
    iso_arena_block* block = arena->block;
    bool has_room = false;
    while (!has_room && block && block->newer) {
        block = block->newer;
        has_room = block->capacity >= rounded;
    }
    block = has_room ? block : block_create(arena->ctx, next_capacity(block, rounded), block);
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

// What is not pushed, of the block at hand.
static void poison_rest(const iso_arena* arena) {
    if (arena->block) {
        iso_poison(arena->block->bytes + arena->used, arena->block->capacity - arena->used);
    }
}

iso_arena_mark iso_arena_get_mark(const iso_arena* arena) {
    return (iso_arena_mark){arena->block, arena->used, arena->total};
}

void iso_arena_release(iso_arena* arena, iso_arena_mark mark) {
    // Blocks that came after the mark hold nothing that is still alive; they stay for what follows.
    iso_arena_block* to = mark.block ? mark.block : find_oldest(arena->block);
    for (iso_arena_block* block = arena->block; block != to; block = block->older) {
        iso_poison(block->bytes, block->capacity);
    }
    arena->block = to;
    arena->used = mark.block ? mark.used : 0;
    arena->total = mark.total;
    poison_rest(arena);
}

// One block in the place of all; on failure they stay.
static iso_status merge(iso_arena* arena, size_t capacity) {
    iso_arena_block* single = block_create(arena->ctx, capacity, NULL);
    ISO_REQUIRE(arena->ctx, single, ISO_ERR_MEMORY, "arena of %zu bytes", capacity);
    blocks_destroy(arena->ctx, arena->block);
    arena->block = single;
    return ISO_OK;
}

iso_status iso_arena_reset(iso_arena* arena) {
    arena->block = find_oldest(arena->block);
    arena->used = 0;
    arena->total = 0;
    arena->peak = 0;
    // The chain held the peak, so one block of its whole capacity holds it without an overflow.
    size_t capacity = 0;
    for (const iso_arena_block* block = arena->block; block; block = block->newer) {
        iso_poison(block->bytes, block->capacity);
        capacity += block->capacity;
    }
    bool is_merged = arena->block && arena->block->newer && capacity <= ARENA_MOST_MERGED;
    return is_merged ? merge(arena, capacity) : ISO_OK;
}

iso_status iso_arena_reset_to(iso_arena* arena, size_t bytes) {
    ISO_REQUIRE(arena->ctx, bytes <= SIZE_MAX / 2, ISO_ERR_MEMORY, "%zu bytes of scratch", bytes);
    iso_status status = iso_arena_reset(arena);
    bool has_one = arena->block && arena->block->capacity >= bytes;
    return status != ISO_OK || bytes == 0 || has_one ? status
                                                     : merge(arena, iso_arena_rounded(bytes));
}
