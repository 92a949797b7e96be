// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// Hands out (slot, generation) pairs; a freed slot gets a new generation, so a stale id is caught.
/// Zero-initialise; destroy with iso_id_pool_free().
typedef struct iso_id_pool {
    uint32_t* generations; ///< per slot; odd while the slot is live
    int* free_slots;
    int slot_count, slot_capacity;
    int free_count, free_capacity;
} iso_id_pool;

/// An id is slot+1 in the low half and the generation in the high half; 0 is null.
iso_status iso_id_pool_acquire(iso_context* ctx, iso_id_pool* pool, uint64_t* out_id);
/// Returns false for a stale or null id.
bool iso_id_pool_release(iso_context* ctx, iso_id_pool* pool, uint64_t id);
/// Slot of a live id, or -1.
int iso_id_pool_slot(const iso_id_pool* pool, uint64_t id);
void iso_id_pool_free(iso_context* ctx, iso_id_pool* pool);
