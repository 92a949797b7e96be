// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "base/system/task_pool.h"

/// Threads that search one large pair together, each with scratch of its own. Zero-initialise.
typedef struct iso_search_threads {
    iso_context* ctx;
    iso_task_pool* pool; ///< borrowed
    iso_arena* arenas;   ///< [count]
    int count;
    size_t bytes;      ///< of scratch that any one thread has room for
    size_t slot_count; ///< of the last table of visited pairs
} iso_search_threads;

/// Make a search_threads of the threads of a pool. Allocates when the pool is a larger one.
/// @return ISO_ERR_MEMORY
iso_status iso_search_threads_join(iso_search_threads* search_threads, iso_context* ctx,
                                   iso_task_pool* pool);

/// Empty the arenas. Each gets room for what all used together before: a repeated search allocates
/// nothing, whichever thread does how much of it.
/// @return ISO_ERR_MEMORY
iso_status iso_search_threads_reset(iso_search_threads* search_threads);

/// Note what the arenas hold, before they are emptied.
void iso_search_threads_remember(iso_search_threads* search_threads);

void iso_search_threads_destroy(iso_search_threads* search_threads);
