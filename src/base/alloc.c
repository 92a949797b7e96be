// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/alloc.h"

#include "base/context.h"

#include <stdlib.h>
#include <string.h>

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
    pthread_mutex_lock(&ctx->alloc_lock);
    void* ptr = ctx->desc.realloc_fn(ctx->desc.realloc_user, old_ptr, old_size, new_size);
    pthread_mutex_unlock(&ctx->alloc_lock);
    return ptr;
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
    return block + 1;
}

void* iso_alloc(iso_context* ctx, size_t size) {
    return iso_realloc(ctx, NULL, size);
}

void* iso_alloc_zeroed(iso_context* ctx, size_t size) {
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
