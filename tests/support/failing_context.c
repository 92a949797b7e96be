// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/failing_context.h"

#include "base/core/context.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

#define LIVE_MARK 0x150ba51500000001ULL
#define DEAD_MARK 0x150ba51500000002ULL
#define MOST_ALLOCATIONS 100000

typedef struct guarded_block {
    size_t size;
    uint64_t mark;
} guarded_block;

static void* guarded_alloc(size_t size) {
    guarded_block* block = malloc(sizeof *block + size);
    if (!block) {
        return NULL;
    }
    *block = (guarded_block){size, LIVE_MARK};
    memset(block + 1, 0xa5, size); // nobody may count on zeros
    return block + 1;
}

static void guarded_free(void* ptr, size_t told_size) {
    guarded_block* block = (guarded_block*)ptr - 1;
    if (block->mark != LIVE_MARK || block->size != told_size) {
        print_error("freed a block of %zu bytes as %zu bytes, or not a live block\n", block->size,
                    told_size);
        abort();
    }
    block->mark = DEAD_MARK;
    free(block);
}

static void* heap_realloc(void* user, void* old_ptr, size_t old_size, size_t new_size) {
    test_heap* heap = user;
    if (new_size > 0 && heap->call_count++ == heap->fail_index) {
        return NULL;
    }
    void* ptr = NULL;
    if (new_size > 0) {
        ptr = guarded_alloc(new_size);
        if (!ptr) {
            return NULL;
        }
        heap->live_count += 1;
        heap->live_bytes += (long)new_size;
        if (heap->live_bytes > heap->peak_bytes) {
            heap->peak_bytes = heap->live_bytes;
        }
    }
    if (old_ptr) {
        if (ptr) {
            memcpy(ptr, old_ptr, old_size < new_size ? old_size : new_size);
        }
        guarded_free(old_ptr, old_size); // a realloc always moves: stale pointers show
        heap->live_count -= 1;
        heap->live_bytes -= (long)old_size;
    }
    return ptr;
}

static void drop_message(void* user, iso_log_level level, const char* message) {
    (void)user;
    (void)level;
    (void)message;
}

static void fail_test(void* user, const char* condition, const char* file, int line) {
    (void)user;
    print_error("%s:%d: internal check failed: %s\n", file, line, condition);
    _fail(file, line);
}

iso_context* test_context(void) {
    test_heap* heap = calloc(1, sizeof *heap);
    assert_non_null(heap);
    heap->fail_index = -1;
    iso_context_desc desc = iso_context_desc_default();
    desc.realloc_fn = heap_realloc;
    desc.realloc_user = heap;
    desc.log_fn = drop_message;
    desc.assert_fn = fail_test;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_OK);
    *heap = (test_heap){.fail_index = -1};
    return ctx;
}

iso_context* failing_context(int n) {
    iso_context* ctx = test_context();
    test_heap_of(ctx)->fail_index = n;
    return ctx;
}

test_heap* test_heap_of(iso_context* ctx) {
    return ctx->desc.realloc_user;
}

void test_context_destroy(iso_context* ctx) {
    test_heap* heap = test_heap_of(ctx);
    long live_count = heap->live_count;
    long live_bytes = heap->live_bytes;
    iso_context_destroy(ctx);
    free(heap);
    CHECK(live_count == 0, "%ld blocks with %ld bytes are still alive", live_count, live_bytes);
}

int test_set_up(void** state) {
    *state = test_context();
    return 0;
}

int test_tear_down(void** state) {
    test_context_destroy(*state);
    return 0;
}

int check_every_allocation_failure(test_attempt_fn attempt, void* user) {
    for (int n = 0; n < MOST_ALLOCATIONS; ++n) {
        iso_context* ctx = failing_context(n);
        iso_status status = attempt(ctx, user);
        long call_count = test_heap_of(ctx)->call_count;
        bool has_message = iso_context_error(ctx)[0] != '\0';
        test_context_destroy(ctx);
        CHECK(status == ISO_OK || status == ISO_ERR_MEMORY, "allocation %d failed, status \"%s\"",
              n, iso_status_text(status));
        CHECK(status == ISO_OK || has_message, "allocation %d failed without a message", n);
        CHECK(status != ISO_OK || call_count <= n, "allocation %d failed and was not reported", n);
        if (status == ISO_OK) {
            return n;
        }
    }
    CHECK(false, "no success within %d allocations", MOST_ALLOCATIONS);
    return -1;
}
