// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/batch.h"

#include "world/state/world_state.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/system/task_pool.h"

#include <stdlib.h>

struct iso_world_batch {
    iso_context* ctx;
    int world_count;
    iso_world** worlds;
    iso_status* statuses; ///< [world_count] of the last call
    iso_task_pool* pool;
    int step_count; ///< of the call under way
};

static int compare_addresses(const void* a, const void* b) {
    uintptr_t x = (uintptr_t) * (iso_world*const*)a, y = (uintptr_t) * (iso_world*const*)b;
    return (x > y) - (x < y);
}

static iso_status check_worlds(iso_context* ctx, iso_world* const* worlds, int count) {
    iso_status status = ISO_OK;
    iso_world** sorted = iso_alloc_array(ctx, count, sizeof *sorted);
    ISO_REQUIRE(ctx, sorted != NULL, ISO_ERR_MEMORY, "batch of %d worlds", count);
    for (int i = 0; i < count; ++i) {
        ISO_CHECK(ctx, worlds[i] != NULL, ISO_ERR_ARGUMENT, "world %d of the batch is missing", i);
        sorted[i] = worlds[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_addresses);
    for (int i = 1; i < count; ++i) {
        ISO_CHECK(ctx, sorted[i - 1] != sorted[i], ISO_ERR_ARGUMENT,
                  "a world is in the batch twice, expected each once");
    }
done:
    iso_free(ctx, sorted);
    return status;
}

iso_status iso_world_batch_create(iso_context* ctx, iso_world* const* worlds, int world_count,
                                  int thread_count, iso_world_batch** out_batch) {
    ISO_REQUIRE(ctx, out_batch != NULL && (worlds != NULL || world_count == 0), ISO_ERR_ARGUMENT,
                "worlds and out_batch are required");
    *out_batch = NULL;
    ISO_REQUIRE(ctx, world_count >= 0, ISO_ERR_RANGE, "%d worlds, expected >= 0", world_count);
    ISO_REQUIRE(ctx, thread_count >= 1 && thread_count <= 256, ISO_ERR_RANGE,
                "thread count is %d, expected in [1, 256]", thread_count);
    iso_status status = check_worlds(ctx, worlds, world_count);
    if (status != ISO_OK) {
        return status;
    }
    iso_world_batch* batch = iso_alloc_zeroed(ctx, sizeof *batch);
    ISO_REQUIRE(ctx, batch != NULL, ISO_ERR_MEMORY, "batch");
    batch->ctx = ctx;
    batch->worlds = iso_alloc_array(ctx, world_count, sizeof(iso_world*));
    batch->statuses = iso_alloc_array(ctx, world_count, sizeof *batch->statuses);
    ISO_CHECK(ctx, batch->worlds != NULL && batch->statuses != NULL, ISO_ERR_MEMORY,
              "batch of %d worlds", world_count);
    for (int i = 0; i < world_count; ++i) {
        batch->worlds[i] = worlds[i];
    }
    batch->world_count = world_count;
    ISO_TRY(iso_task_pool_create(ctx, thread_count, &batch->pool));
    *out_batch = batch;

done:
    if (status != ISO_OK) {
        iso_world_batch_destroy(batch);
    }
    return status;
}

void iso_world_batch_destroy(iso_world_batch* batch) {
    if (batch == NULL) {
        return;
    }
    iso_task_pool_destroy(batch->pool);
    iso_free(batch->ctx, batch->worlds);
    iso_free(batch->ctx, batch->statuses);
    iso_free(batch->ctx, batch);
}

int iso_world_batch_count(const iso_world_batch* batch) {
    return batch->world_count;
}

static bool is_world(const iso_world_batch* batch, int index) {
    return batch != NULL && index >= 0 && index < batch->world_count;
}

iso_world* iso_world_batch_world(const iso_world_batch* batch, int index) {
    return is_world(batch, index) ? batch->worlds[index] : NULL;
}

iso_status iso_world_batch_status(const iso_world_batch* batch, int index) {
    return is_world(batch, index) ? batch->statuses[index] : ISO_ERR_RANGE;
}

static void step_world(void* user, int item, int worker) {
    iso_world_batch* batch = user;
    iso_status status = ISO_OK;
    (void)worker;
    for (int i = 0; i < batch->step_count && status == ISO_OK; ++i) {
        status = iso_world_step(batch->worlds[item]);
    }
    batch->statuses[item] = status;
}

iso_status iso_world_batch_step(iso_world_batch* batch, int step_count) {
    ISO_REQUIRE(NULL, batch != NULL, ISO_ERR_ARGUMENT, "batch is required");
    ISO_REQUIRE(batch->ctx, step_count >= 0, ISO_ERR_RANGE, "%d steps, expected >= 0", step_count);
    batch->step_count = step_count;
    iso_task_pool_run(batch->pool, batch->world_count, step_world, batch);
    for (int i = 0; i < batch->world_count; ++i) {
        iso_status status = batch->statuses[i];
        if (status == ISO_OK) {
            continue;
        }
        iso_context* ctx = batch->worlds[i]->ctx;
        if (status == ISO_ERR_MEMORY) {
            return iso_fail(ctx, status, __func__, "world %d of the batch: out of memory", i);
        }
        // Worlds may share a context, which then holds the message of whoever failed last. A step
        // is a function of the state, so that of this world fails once more the same way.
        iso_status again = iso_world_step(batch->worlds[i]);
        (void)again;
        return iso_fail_prefix(ctx, status, "world %d of the batch", i);
    }
    return ISO_OK;
}
