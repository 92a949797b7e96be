// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Independent worlds that are stepped together over threads, one world on one thread at a time.
/// Every world comes to the same bits as when it is stepped alone, for any number of threads.
/// Worlds are best made with thread_count 1 each; cloning one (isobar/state.h) is the cheap way to
/// many.
typedef struct iso_world_batch iso_world_batch;

/// @param      worlds        [world_count] borrowed, must outlive the batch; each once. They may
///                           share a context
/// @param      thread_count  1 to 256; 1: in the caller
/// @param[out] out_batch     release with iso_world_batch_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_batch_create(iso_context* ctx, iso_world* const* worlds,
                                                        int world_count, int thread_count,
                                                        iso_world_batch** out_batch);
/// Release a batch; its worlds stay. NULL is allowed.
ISO_API void iso_world_batch_destroy(iso_world_batch* batch);

ISO_API int iso_world_batch_count(const iso_world_batch* batch); ///< of worlds
/// World by index, or NULL.
ISO_API iso_world* iso_world_batch_world(const iso_world_batch* batch, int index);

/// Advance every world by step_count steps. A world whose step fails stays in the state before that
/// step; the others go on. Allocates nothing when the worlds' steps do not. The worlds must not be
/// used from elsewhere meanwhile.
/// @return ISO_OK when all went well, else the status of the failed world with the smallest index,
///         whose message its context then holds
ISO_NODISCARD ISO_API iso_status iso_world_batch_step(iso_world_batch* batch, int step_count);

/// What the last iso_world_batch_step() came to for one world; ISO_OK before the first.
ISO_API iso_status iso_world_batch_status(const iso_world_batch* batch, int index);

#ifdef __cplusplus
}
#endif
