// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Contexts for tests: they count what is allocated, catch a wrong old size, a double free and a
// leak, and can make one allocation fail.

#include "isobar/base.h"

/// What a test context has seen.
typedef struct test_heap {
    long call_count; ///< allocations and reallocations asked for since the context was made
    long live_count; ///< blocks not yet freed, the context's own excepted
    long live_bytes; ///< bytes in them
    long peak_bytes; ///< most live_bytes so far
    long fail_index; ///< this call (counted from 0) fails; negative: none
} test_heap;

/// A context that counts. Release with test_context_destroy(). Log messages are dropped.
iso_context* test_context(void);

/// A context whose n-th allocation (counted from 0) fails; the others succeed.
iso_context* failing_context(int n);

/// Counters of a test context; fields may be changed.
test_heap* test_heap_of(iso_context* ctx);

/// Destroy a test context; the running test fails if anything made with it is still alive.
void test_context_destroy(iso_context* ctx);
/// The two as fixtures of CMocka: the state is the context.
int test_set_up(void** state);
int test_tear_down(void** state);

/// Make something, use it, destroy it. Returns the first failure.
typedef iso_status (*test_attempt_fn)(iso_context* ctx, void* user);

/// Run attempt with the 0th, 1st, ... allocation failing until it succeeds. Each failure must come
/// back as ISO_ERR_MEMORY, leave a message in the context and leave nothing behind. Returns the
/// number of allocations that a successful attempt makes.
int check_every_allocation_failure(test_attempt_fn attempt, void* user);
