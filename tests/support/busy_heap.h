// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Threads that keep the heap busy, for tests of processes that fork meanwhile.

#include <stdatomic.h>
#include <stdlib.h>

/// Blocks of many sizes, once.
static inline void allocate_once(void) {
    for (size_t size = 1; size < 100000; size *= 3) {
        void* volatile bytes = malloc(size);
        free(bytes);
    }
}

/// A function of a thread. @param is_over  atomic_bool: when to end
static inline void* allocate_all_the_time(void* is_over) {
    while (!atomic_load((atomic_bool*)is_over)) {
        allocate_once();
    }
    return NULL;
}
