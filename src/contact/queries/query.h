// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "base/system/task_pool.h"
#include "contact/pairs/contact_system.h"
#include "isobar/query.h"
#include "surface/kernels/search_threads.h"

/// A thread of a batch.
typedef struct iso_query_worker {
    iso_arena arena;
    iso_status status; ///< of the first pose of this worker that failed
    int failed_item;   ///< that pose
} iso_query_worker;

/// One shape and material as the law of a pair was made for it.
typedef struct iso_query_part {
    const iso_contact_shape* shape;
    iso_contact_material material;
} iso_query_part;

struct iso_query {
    iso_context* ctx;
    iso_contact_options options;
    iso_arena arena; ///< holds the last answer
    iso_task_pool* pool;
    int thread_count;
    iso_query_worker* workers;         ///< [thread_count]
    size_t worker_bytes;               ///< what any worker has needed so far
    iso_search_threads search_threads; ///< the threads, where they share one large pair

    iso_contact_system* system; ///< law of the pair last asked for its wrench; NULL: none yet
    iso_query_part part_a, part_b;
};

/// Check a pose of a query.
/// @param name  in the message, "x_wa" or "x_ab[7]"
/// @return ISO_ERR_NUMERIC, ISO_ERR_RANGE
iso_status iso_query_check_pose(iso_context* ctx, const iso_pose* x, const char* name, int index);

/// Check that two shapes make a pair; give a layer to one of two rigid ones.
/// @return ISO_ERR_GEOMETRY, ISO_ERR_MEMORY
iso_status iso_query_prepare_pair(iso_query* query, iso_contact_shape* a, iso_contact_shape* b);

/// The threads that may share the work on a prepared pair: NULL when there is one thread or the
/// pair is no large one.
/// @return ISO_ERR_MEMORY
iso_status iso_query_find_search_threads(iso_query* query, const iso_contact_shape* a,
                                         const iso_contact_shape* b,
                                         iso_search_threads** out_threads);
