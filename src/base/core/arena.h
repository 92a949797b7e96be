// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/poison.h"
#include "isobar/base.h"

#include <stdint.h>

#define ISO_ARENA_ALIGNMENT 64

/// Bump allocator for the scratch of one step. Everything pushed lives until iso_arena_reset() or
/// iso_arena_release(). When a block overflows, another is chained; the next reset replaces a short
/// chain by one block of the total size and starts anew on a long one, whose memory the system has
/// given already. So a steady step allocates nothing. Beyond what was pushed AddressSanitizer finds
/// memory poisoned.
typedef struct iso_arena_block {
    struct iso_arena_block *older, *newer;
    size_t capacity; ///< bytes that can be pushed
    char* bytes;     ///< 64-byte aligned, inside this block's own allocation
} iso_arena_block;
typedef struct iso_arena {
    iso_context* ctx;
    iso_arena_block* block; ///< at hand; what is newer holds nothing, what is older may
    size_t used;            ///< bytes used in that block
    size_t total;           ///< bytes pushed since the last reset, over all blocks
    size_t peak;            ///< largest total since the last reset; a caller may lower it to total
} iso_arena;

typedef struct iso_arena_mark {
    iso_arena_block* block;
    size_t used;
    size_t total;
} iso_arena_mark;

/// Prepare an arena with one block of initial_size bytes (0: the first push allocates).
iso_status iso_arena_init(iso_arena* arena, iso_context* ctx, size_t initial_size);
void iso_arena_destroy(iso_arena* arena);

/// Go on to a chained block with room for so many bytes, or chain one; false when out of memory.
bool iso_arena_chain(iso_arena* arena, size_t rounded);

/// What a push of so many bytes takes: whole units, at least one, so that every push has an address
/// of its own. @param size  at most SIZE_MAX / 2
static inline size_t iso_arena_rounded(size_t size) {
    return (size + (size == 0) + (ISO_ARENA_ALIGNMENT - 1)) & ~(size_t)(ISO_ARENA_ALIGNMENT - 1);
}

/// size bytes, 64-byte aligned, uninitialised; NULL when out of memory. Inline: a step pushes some
/// fifty times.
static inline void* iso_arena_push(iso_arena* arena, size_t size) {
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size_t rounded = iso_arena_rounded(size);
    bool has_room = arena->block && arena->block->capacity - arena->used >= rounded;
    if (!has_room && !iso_arena_chain(arena, rounded)) {
        return NULL;
    }
    void* ptr = arena->block->bytes + arena->used;
    iso_unpoison(ptr, size);
    arena->used += rounded;
    arena->total += rounded;
    arena->peak = arena->peak > arena->total ? arena->peak : arena->total;
    return ptr;
}

/// count * size bytes, uninitialised; NULL on negative count, overflow or out of memory.
static inline void* iso_arena_push_array(iso_arena* arena, int count, size_t size) {
    if (count < 0 || (size != 0 && (size_t)count > SIZE_MAX / size)) {
        return NULL;
    }
    return iso_arena_push(arena, (size_t)count * size);
}

/// Shrink or extend the newest allocation in place: `ptr` must be the last push. Returns false when
/// it does not fit in place (extension only; then push anew and copy).
bool iso_arena_resize_last(iso_arena* arena, void* ptr, size_t old_size, size_t new_size);

iso_arena_mark iso_arena_get_mark(const iso_arena* arena);
/// Give back everything pushed since the mark; chained blocks are kept for what follows.
void iso_arena_release(iso_arena* arena, iso_arena_mark mark);
/// Forget everything; coalesce few chained bytes into one block (the only place that may allocate
/// in a steady loop, and then only after an overflow).
iso_status iso_arena_reset(iso_arena* arena);
/// Forget everything and have one block of at least so many bytes.
iso_status iso_arena_reset_to(iso_arena* arena, size_t bytes);
