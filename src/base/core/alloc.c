// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#define _DEFAULT_SOURCE // madvise()

#include "base/core/alloc.h"

#include "base/core/context.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32)
#include <sys/mman.h>
#endif

// Large blocks are worth huge pages: polygons and cells of many megabytes are read from more pages
// than a processor has addresses at hand. Smaller blocks are not: a huge page is cleared when it is
// first touched, which costs a first step more than it gains.
#define HUGE_PAGE ((uintptr_t)2 << 20)
#define LEAST_HUGE_PAGES 16

// Every block starts with its own size, which the hook wants back; 16 bytes keep the alignment.
typedef struct block_header {
    size_t size; ///< payload bytes
    size_t pad;
} block_header;

_Static_assert(sizeof(block_header) == 16, "the payload must stay 16-byte aligned");

static void* call_hook(iso_context* ctx, void* old_ptr, size_t old_size, size_t new_size) {
    if (!ctx || !ctx->desc.realloc_fn) {
        if (new_size == 0) {
            free(old_ptr);
            return NULL;
        }
        return realloc(old_ptr, new_size);
    }
    iso_mutex_lock(&ctx->alloc_lock);
    void* ptr = ctx->desc.realloc_fn(ctx->desc.realloc_user, old_ptr, old_size, new_size);
    iso_mutex_unlock(&ctx->alloc_lock);
    return ptr;
}

// A hint, which not every system takes; it holds for memory of a hook as well.
static void advise_huge_pages(void* block, size_t size) {
#if defined(MADV_HUGEPAGE)
    uintptr_t begin = ((uintptr_t)block + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)block + size) & ~(HUGE_PAGE - 1);
    if (size >= LEAST_HUGE_PAGES * HUGE_PAGE && end > begin) {
        madvise((char*)block + (begin - (uintptr_t)block), end - begin, MADV_HUGEPAGE);
    }
#else
    (void)block;
    (void)size;
#endif
}

void* iso_realloc(iso_context* ctx, void* ptr, size_t new_size) {
    if (new_size > SIZE_MAX - sizeof(block_header)) {
        return NULL;
    }
    block_header* old_block = ptr ? (block_header*)ptr - 1 : NULL;
    size_t old_size = old_block ? old_block->size + sizeof *old_block : 0;
    block_header* block = call_hook(ctx, old_block, old_size, new_size + sizeof *block);
    if (!block) {
        return NULL;
    }
    block->size = new_size;
    advise_huge_pages(block, new_size + sizeof *block);
    return block + 1;
}

void* iso_alloc(iso_context* ctx, size_t size) {
    return iso_realloc(ctx, NULL, size);
}

void* iso_alloc_zeroed(iso_context* ctx, size_t size) {
    bool is_hooked = ctx && ctx->desc.realloc_fn;
    if (!is_hooked && size <= SIZE_MAX - sizeof(block_header)) {
        block_header* block = calloc(1, size + sizeof *block); // the system's pages are zero
        if (!block) {
            return NULL;
        }
        block->size = size;
        advise_huge_pages(block, size + sizeof *block);
        return block + 1;
    }
    void* ptr = iso_alloc(ctx, size);
    if (ptr) {
        memset(ptr, 0, size);
    }
    return ptr;
}

void* iso_alloc_array(iso_context* ctx, int count, size_t size) {
    if (count < 0 || (size != 0 && (size_t)count > SIZE_MAX / size)) {
        return NULL;
    }
    return iso_alloc_zeroed(ctx, (size_t)count * size);
}

void iso_free(iso_context* ctx, void* ptr) {
    if (ptr) {
        block_header* block = (block_header*)ptr - 1;
        call_hook(ctx, block, block->size + sizeof *block, 0);
    }
}

char* iso_strndup(iso_context* ctx, const char* text, size_t length) {
    if (length == SIZE_MAX) {
        return NULL;
    }
    char* copy = iso_alloc(ctx, length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char* iso_strdup(iso_context* ctx, const char* text) {
    return iso_strndup(ctx, text, strlen(text));
}
