// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// A fixed set of worker threads. thread_count 1 runs everything in the caller.
typedef struct iso_task_pool iso_task_pool;

/// One piece of work: item index in [0, item_count), worker index in [0, thread_count).
typedef void (*iso_task_fn)(void* user, int item, int worker);

iso_status iso_task_pool_create(iso_context* ctx, int thread_count, iso_task_pool** out_pool);
void iso_task_pool_destroy(iso_task_pool* pool);
int iso_task_pool_thread_count(const iso_task_pool* pool);

/// Run fn for every item and return when all are done. Items are handed out dynamically, so what fn
/// writes must depend on the item only, not on the worker; threads that wake up late take no part.
/// Allocates nothing.
void iso_task_pool_run(iso_task_pool* pool, int item_count, iso_task_fn fn, void* user);
