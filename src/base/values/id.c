// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/id.h"

#include "base/core/alloc.h"
#include "base/core/array.h"

#include <limits.h>

static uint64_t make_id(int slot, uint32_t generation) {
    return (uint64_t)generation << 32 | (uint64_t)(slot + 1);
}

iso_status iso_id_pool_acquire(iso_context* ctx, iso_id_pool* pool, uint64_t* out_id) {
    *out_id = 0;
    if (pool->free_count > 0) {
        int slot = pool->free_slots[--pool->free_count];
        *out_id = make_id(slot, ++pool->generations[slot]);
        return ISO_OK;
    }
    ISO_REQUIRE(ctx, pool->slot_count < INT_MAX - 1, ISO_ERR_RANGE, "%d ids are in use, the most",
                pool->slot_count);
    iso_status status =
        iso_array_reserve_bytes(ctx, (void**)&pool->generations, &pool->slot_capacity,
                                pool->slot_count + 1, sizeof *pool->generations);
    if (status != ISO_OK) {
        return status;
    }
    // Room to free every slot, so that a release can never fail.
    status = iso_array_reserve_bytes(ctx, (void**)&pool->free_slots, &pool->free_capacity,
                                     pool->slot_count + 1, sizeof *pool->free_slots);
    if (status != ISO_OK) {
        return status;
    }
    int slot = pool->slot_count++;
    pool->generations[slot] = 1;
    *out_id = make_id(slot, 1);
    return ISO_OK;
}

int iso_id_pool_slot(const iso_id_pool* pool, uint64_t id) {
    uint64_t index = id & 0xffffffffU;
    uint32_t generation = (uint32_t)(id >> 32);
    if (index == 0 || index > (uint64_t)pool->slot_count) {
        return -1;
    }
    int slot = (int)(index - 1);
    return generation % 2 == 1 && pool->generations[slot] == generation ? slot : -1;
}

bool iso_id_pool_release(iso_context* ctx, iso_id_pool* pool, uint64_t id) {
    (void)ctx;
    int slot = iso_id_pool_slot(pool, id);
    if (slot < 0) {
        return false;
    }
    // A slot whose generations are used up is retired: no stale id can come back to life.
    if (++pool->generations[slot] != 0) {
        pool->free_slots[pool->free_count++] = slot;
    }
    return true;
}

void iso_id_pool_free(iso_context* ctx, iso_id_pool* pool) {
    iso_free(ctx, pool->generations);
    iso_free(ctx, pool->free_slots);
    *pool = (iso_id_pool){0};
}
