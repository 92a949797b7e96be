// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/ample.h"
#include "base/core/arena.h"
#include "base/core/array.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static bool is_aligned(const void* ptr, size_t alignment) {
    return (uintptr_t)ptr % alignment == 0;
}

static void blocks_are_aligned_sized_and_given_back(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_heap* heap = test_heap_of(ctx);
    char* a = iso_alloc(ctx, 3);
    char* b = iso_alloc(ctx, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    assert_true(is_aligned(a, 16) && is_aligned(b, 16));
    assert_int_equal(heap->live_count, 2);
    memcpy(a, "abc", 3);
    a = iso_realloc(ctx, a, 1000); // the hook checks that it is told the true old size
    assert_memory_equal(a, "abc", 3);
    a = iso_realloc(ctx, a, 2);
    assert_memory_equal(a, "ab", 2);
    iso_free(ctx, a);
    iso_free(ctx, b);
    iso_free(ctx, NULL);
    assert_int_equal(heap->live_bytes, 0);
    test_context_destroy(ctx);
}

static void zeroed_blocks_are_zero(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    unsigned char* a = iso_alloc_zeroed(ctx, 100);
    unsigned char* b = iso_alloc_array(ctx, 25, 4);
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(a[i], 0);
        assert_int_equal(b[i], 0);
    }
    iso_free(ctx, a);
    iso_free(ctx, b);
    test_context_destroy(ctx);
}

static void null_context_uses_the_c_library(void** state) {
    (void)state;
    char* text = iso_strdup(NULL, "abc");
    assert_string_equal(text, "abc");
    text = iso_realloc(NULL, text, 100);
    assert_string_equal(text, "abc");
    iso_free(NULL, text);
}

static void impossible_sizes_give_null(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    assert_null(iso_alloc(ctx, SIZE_MAX));
    assert_null(iso_alloc_array(ctx, -1, 8));
    assert_null(iso_alloc_array(ctx, INT_MAX, SIZE_MAX / 2));
    assert_null(iso_strndup(ctx, "", SIZE_MAX));
    void* empty = iso_alloc_array(ctx, INT_MAX, 0);
    assert_non_null(empty);
    iso_free(ctx, empty);
    test_context_destroy(ctx);
}

static void failed_allocations_give_null_and_keep_the_old_block(void** state) {
    (void)state;
    iso_context* ctx = failing_context(1);
    char* text = iso_strdup(ctx, "kept");
    assert_null(iso_realloc(ctx, text, 1000));
    assert_string_equal(text, "kept");
    test_heap_of(ctx)->fail_index = test_heap_of(ctx)->call_count;
    assert_null(iso_alloc_zeroed(ctx, 8));
    test_heap_of(ctx)->fail_index = test_heap_of(ctx)->call_count;
    assert_null(iso_strdup(ctx, "x"));
    iso_free(ctx, text);
    test_context_destroy(ctx);
}

static void strndup_copies_a_part(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char* part = iso_strndup(ctx, "abcdef", 3);
    assert_string_equal(part, "abc");
    iso_free(ctx, part);
    test_context_destroy(ctx);
}

static void array_grows_and_keeps_its_contents(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    ISO_ARRAY(int) numbers = {0};
    for (int i = 0; i < 1000; ++i) {
        CHECK_OK(ctx, ISO_ARRAY_GROW(ctx, &numbers));
        numbers.data[numbers.count++] = i * i;
    }
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(numbers.data[i], i * i);
    }
    // Doubling from 8: 8, 16, ..., 1024 are 8 allocations.
    assert_int_equal(test_heap_of(ctx)->call_count, 8);
    CHECK_OK(ctx, ISO_ARRAY_RESERVE(ctx, &numbers, 5000));
    assert_true(numbers.capacity >= 5000);
    ISO_ARRAY_FREE(ctx, &numbers);
    assert_null(numbers.data);
    test_context_destroy(ctx);
}

// Four times what is needed or eight for every thing, unless it fits or either is large.
static void small_arrays_that_must_grow_get_ample_room(void** state) {
    (void)state;
    assert_int_equal(iso_ample_count(0, 3, 0), 12);
    assert_int_equal(iso_ample_count(0, 3, 1), 12);
    assert_int_equal(iso_ample_count(0, 3, 2), 16);
    assert_int_equal(iso_ample_count(11, 12, 100), 800);
    assert_int_equal(iso_ample_count(12, 12, 100), 12);
    assert_int_equal(iso_ample_count(13, 12, 100), 12);
    assert_int_equal(iso_ample_count(0, 16384, 0), 65536);
    assert_int_equal(iso_ample_count(0, 16385, 0), 16385);
    assert_int_equal(iso_ample_count(0, 3, 16384), 131072);
    assert_int_equal(iso_ample_count(0, 3, 16385), 3);
}

static void array_that_cannot_grow_keeps_its_contents(void** state) {
    (void)state;
    iso_context* ctx = failing_context(1);
    ISO_ARRAY(double) numbers = {0};
    CHECK_OK(ctx, ISO_ARRAY_RESERVE(ctx, &numbers, 8));
    numbers.data[0] = 4.5;
    CHECK_STATUS(ctx, ISO_ARRAY_RESERVE(ctx, &numbers, 9), ISO_ERR_MEMORY);
    CHECK_ERROR(ctx, "16 elements of 8 bytes");
    assert_int_equal(numbers.capacity, 8);
    assert_true(numbers.data[0] == 4.5);

    void* data = NULL;
    int capacity = INT_MAX / 2 + 1;
    CHECK_STATUS(ctx, iso_array_reserve_bytes(ctx, &data, &capacity, INT_MAX, SIZE_MAX / 16),
                 ISO_ERR_MEMORY);
    CHECK_ERROR(ctx, "does not fit");
    assert_null(data);
    ISO_ARRAY_FREE(ctx, &numbers);
    test_context_destroy(ctx);
}

static void arena_pushes_are_aligned_and_apart(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 1000));
    char* a = iso_arena_push(&arena, 1);
    char* b = iso_arena_push(&arena, 0);
    char* c = iso_arena_push_array(&arena, 10, 8);
    assert_true(is_aligned(a, 64) && is_aligned(b, 64) && is_aligned(c, 64));
    assert_int_equal(b - a, 64);
    assert_int_equal(c - b, 64);
    assert_int_equal(test_heap_of(ctx)->call_count, 1);
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

static void arena_coalesces_at_reset_and_then_never_allocates(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    assert_int_equal(test_heap_of(ctx)->call_count, 0);
    long calls_before = 0;
    for (int step = 0; step < 5; ++step) {
        for (int i = 0; i < 100; ++i) {
            char* bytes = iso_arena_push(&arena, 1000);
            assert_non_null(bytes);
            memset(bytes, i, 1000);
        }
        CHECK_OK(ctx, iso_arena_reset(&arena));
        if (step == 0) {
            calls_before = test_heap_of(ctx)->call_count;
            assert_true(calls_before > 2);
            assert_int_equal(test_heap_of(ctx)->live_count, 1);
        }
    }
    assert_int_equal(test_heap_of(ctx)->call_count, calls_before);
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

/// Long chains are kept, so that a second step gets no memory that the system has to clear again.
static void arena_keeps_a_long_chain_and_its_addresses(void** state) {
    (void)state;
    enum { PUSHES = 200 };
    iso_context* ctx = test_context();
    iso_arena arena;
    char* first[PUSHES];
    long calls = 0;
    test_random random = test_random_make(3);
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    for (int step = 0; step < 40; ++step) {
        for (int i = 0; i < PUSHES; ++i) { // 20 MB; from the third step on of other sizes
            size_t size = (size_t)i << 10;
            size =
                step < 2 ? size : (size_t)(test_random_uniform(&random, 0.0, 1.0) * (double)size);
            char* bytes = iso_arena_push(&arena, size + 1);
            assert_non_null(bytes);
            bytes[0] = bytes[size] = (char)i;
            first[i] = step == 0 ? bytes : first[i];
            assert_true(step != 1 || bytes == first[i]);
        }
        calls = step == 0 ? test_heap_of(ctx)->call_count : calls;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        assert_int_equal(test_heap_of(ctx)->call_count, calls);
    }
    CHECK_OK(ctx, iso_arena_reset_to(&arena, (size_t)30 << 20));
    assert_int_equal(test_heap_of(ctx)->live_count, 1);
    assert_non_null(iso_arena_push(&arena, (size_t)30 << 20));
    assert_int_equal(test_heap_of(ctx)->live_count, 1);
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

static void arena_release_keeps_what_was_pushed_before_the_mark(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 256));
    char* kept = iso_arena_push(&arena, 64);
    memset(kept, 'k', 64);
    iso_arena_mark mark = iso_arena_get_mark(&arena);
    char* first = iso_arena_push(&arena, 64);
    iso_arena_release(&arena, mark);
    assert_ptr_equal(iso_arena_push(&arena, 64), first); // same block: the space is used again
    iso_arena_release(&arena, mark);

    for (int round = 0; round < 3; ++round) {
        char* far = iso_arena_push(&arena, 10000); // another block
        memset(far, 'x', 10000);
        iso_arena_release(&arena, mark);
        char* next = iso_arena_push(&arena, 192);
        memset(next, 'y', 192);
        iso_arena_release(&arena, mark);
    }
    assert_int_equal(test_heap_of(ctx)->live_count, 2);
    assert_int_equal(arena.total, 64);
    for (int i = 0; i < 64; ++i) {
        assert_int_equal(kept[i], 'k');
    }
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

// Capacity of a whole chain.
static size_t find_capacity(const iso_arena* arena) {
    const iso_arena_block* block = arena->block;
    size_t capacity = 0;
    while (block && block->older) {
        block = block->older;
    }
    for (; block; block = block->newer) {
        capacity += block->capacity;
    }
    return capacity;
}

/// Drawn pushes, marks, releases and resets: what lives stays as it is, and chains that are kept
/// stay in proportion to what was ever pushed at once. Each block has at least twice the last
/// one's bytes, and comes when what is pushed exceeds that one: at most four times the peak, and
/// twice the least block on huge pages.
static void arena_keeps_what_lives_and_grows_with_its_peak(void** state) {
    (void)state;
    enum { MOST = 64 };
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        iso_context* ctx = test_context();
        iso_arena arena;
        test_random random = test_random_make(seed);
        iso_arena_mark marks[MOST];
        char* bytes[MOST];
        size_t sizes[MOST], peak = 0;
        int count = 0;
        CHECK_OK(ctx, iso_arena_init(&arena, ctx, seed % 2 == 0 ? 0 : 1000));
        for (int i = 0; i < 2000; ++i) {
            double way = test_random_uniform(&random, 0.0, 1.0);
            if (way < 0.6 && count < MOST) {
                double most = seed % 4 < 2 ? 22.0 : 14.0;
                marks[count] = iso_arena_get_mark(&arena);
                sizes[count] = (size_t)exp2(test_random_uniform(&random, 0.0, most));
                bytes[count] = iso_arena_push(&arena, sizes[count]);
                assert_non_null(bytes[count]);
                bytes[count][0] = bytes[count][sizes[count] - 1] = (char)count;
                ++count;
            } else if (way < 0.99) {
                count = count > 0 ? test_random_int(&random, 0, count - 1) : 0;
                iso_arena_release(&arena, count > 0 ? marks[count] : (iso_arena_mark){0});
            } else {
                CHECK_OK(ctx, iso_arena_reset(&arena));
                count = 0;
            }
            for (int k = 0; k < count; ++k) {
                assert_true(bytes[k][0] == (char)k && bytes[k][sizes[k] - 1] == (char)k);
            }
            peak = arena.total > peak ? arena.total : peak;
            CHECK(find_capacity(&arena) <= 4 * peak + ((size_t)16 << 20),
                  "seed %d: %zu bytes for %zu", (int)seed, find_capacity(&arena), peak);
        }
        iso_arena_destroy(&arena);
        assert_int_equal(test_heap_of(ctx)->live_count, 0);
        test_context_destroy(ctx);
    }
}

// Where AddressSanitizer looks on: it finds what goes beyond a push, though the arena has it.
static void arena_poisons_what_is_not_pushed(void** state) {
    (void)state;
#ifdef ISO_HAS_ADDRESS_SANITIZER
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 1024));
    iso_arena_mark start = iso_arena_get_mark(&arena);
    char* a = iso_arena_push(&arena, 100);
    assert_true(!__asan_address_is_poisoned(a + 99) && __asan_address_is_poisoned(a + 100));
    assert_true(iso_arena_resize_last(&arena, a, 100, 300));
    assert_true(!__asan_address_is_poisoned(a + 299) && __asan_address_is_poisoned(a + 300));
    assert_true(iso_arena_resize_last(&arena, a, 300, 20));
    assert_true(!__asan_address_is_poisoned(a + 19) && __asan_address_is_poisoned(a + 20));
    char* b = iso_arena_push(&arena, 64);
    assert_true(!__asan_address_is_poisoned(b) && __asan_address_is_poisoned(b + 64));
    char* far = iso_arena_push(&arena, 10000); // another block
    assert_true(!__asan_address_is_poisoned(far) && __asan_address_is_poisoned(far + 10000));
    iso_arena_release(&arena, start);
    assert_true(__asan_address_is_poisoned(far));
    CHECK_OK(ctx, iso_arena_reset(&arena));
    a = iso_arena_push(&arena, 10);
    assert_true(!__asan_address_is_poisoned(a) && __asan_address_is_poisoned(a + 10));
    CHECK_OK(ctx, iso_arena_reset(&arena));
    assert_true(__asan_address_is_poisoned(a));
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
#else
    skip();
#endif
}

static void arena_resizes_only_the_last_push_in_place(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 1024));
    char* a = iso_arena_push(&arena, 100);
    char* b = iso_arena_push(&arena, 100);
    assert_false(iso_arena_resize_last(&arena, a, 100, 50));
    assert_true(iso_arena_resize_last(&arena, b, 100, 500));
    assert_false(iso_arena_resize_last(&arena, b, 500, 5000));
    assert_false(iso_arena_resize_last(&arena, b, 500, SIZE_MAX));
    assert_false(iso_arena_resize_last(&arena, b, 5000, 100));
    assert_true(iso_arena_resize_last(&arena, b, 500, 0));
    assert_true(iso_arena_resize_last(&arena, b, 0, 64));
    assert_int_equal(arena.total, 128 + 64);
    assert_ptr_equal(iso_arena_push(&arena, 1), b + 64);
    iso_arena_destroy(&arena);

    iso_arena empty;
    CHECK_OK(ctx, iso_arena_init(&empty, ctx, 0));
    assert_false(iso_arena_resize_last(&empty, a, 1, 2));
    iso_arena_destroy(&empty);
    test_context_destroy(ctx);
}

static void arena_refuses_impossible_sizes(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_STATUS(ctx, iso_arena_init(&arena, ctx, SIZE_MAX), ISO_ERR_MEMORY);
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    assert_null(iso_arena_push(&arena, SIZE_MAX));
    assert_null(iso_arena_push_array(&arena, -1, 8));
    assert_null(iso_arena_push_array(&arena, INT_MAX, SIZE_MAX / 2));
    assert_non_null(iso_arena_push_array(&arena, INT_MAX, 0));
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

static iso_status use_arena(iso_context* ctx, void* user) {
    (void)user;
    iso_arena arena;
    iso_status status = iso_arena_init(&arena, ctx, 128);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < 3; ++i) {
        ISO_CHECK(ctx, iso_arena_push(&arena, 20000), ISO_ERR_MEMORY, "20000 bytes");
    }
    status = iso_arena_reset(&arena);
    if (status != ISO_OK) {
        // What a failed reset leaves is still an arena.
        assert_non_null(iso_arena_push(&arena, 20000));
    }

done:
    iso_arena_destroy(&arena);
    return status;
}

static void arena_survives_every_allocation_failure(void** state) {
    (void)state;
    assert_int_equal(check_every_allocation_failure(use_arena, NULL), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_sized_and_given_back),
        cmocka_unit_test(zeroed_blocks_are_zero),
        cmocka_unit_test(null_context_uses_the_c_library),
        cmocka_unit_test(impossible_sizes_give_null),
        cmocka_unit_test(failed_allocations_give_null_and_keep_the_old_block),
        cmocka_unit_test(strndup_copies_a_part),
        cmocka_unit_test(array_grows_and_keeps_its_contents),
        cmocka_unit_test(array_that_cannot_grow_keeps_its_contents),
        cmocka_unit_test(arena_pushes_are_aligned_and_apart),
        cmocka_unit_test(arena_coalesces_at_reset_and_then_never_allocates),
        cmocka_unit_test(arena_keeps_a_long_chain_and_its_addresses),
        cmocka_unit_test(arena_release_keeps_what_was_pushed_before_the_mark),
        cmocka_unit_test(arena_keeps_what_lives_and_grows_with_its_peak),
        cmocka_unit_test(arena_poisons_what_is_not_pushed),
        cmocka_unit_test(arena_resizes_only_the_last_push_in_place),
        cmocka_unit_test(arena_refuses_impossible_sizes),
        cmocka_unit_test(arena_survives_every_allocation_failure),
        cmocka_unit_test(small_arrays_that_must_grow_get_ample_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
