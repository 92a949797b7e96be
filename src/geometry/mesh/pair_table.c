// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh/pair_table.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <string.h>

iso_status iso_pair_table_init(iso_context* ctx, iso_pair_table* table, int expected_count) {
    *table = (iso_pair_table){0};
    size_t slot_count = 16;
    while (slot_count < 2 * (size_t)(expected_count > 0 ? expected_count : 0)) {
        slot_count *= 2;
    }
    table->keys = iso_alloc(ctx, slot_count * sizeof *table->keys);
    table->values = iso_alloc(ctx, slot_count * sizeof *table->values);
    if (!table->keys || !table->values) {
        iso_pair_table_destroy(ctx, table);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "table of %d edges", expected_count);
    }
    table->mask = slot_count - 1;
    iso_pair_table_clear(table);
    return ISO_OK;
}

void iso_pair_table_destroy(iso_context* ctx, iso_pair_table* table) {
    iso_free(ctx, table->keys);
    iso_free(ctx, table->values);
    *table = (iso_pair_table){0};
}

void iso_pair_table_clear(iso_pair_table* table) {
    memset(table->keys, 0xff, (table->mask + 1) * sizeof *table->keys);
}

int* iso_pair_table_at(iso_pair_table* table, int a, int b, int value_if_new) {
    uint64_t low = (uint64_t)(a < b ? a : b);
    uint64_t high = (uint64_t)(a < b ? b : a);
    uint64_t key = low << 32 | high;
    uint64_t hash = key * 0x9e3779b97f4a7c15u; // golden ratio: spreads neighbouring indices
    size_t slot = (size_t)(hash >> 32) & table->mask;
    while (table->keys[slot] != key) {
        if (table->keys[slot] == UINT64_MAX) {
            table->keys[slot] = key;
            table->values[slot] = value_if_new;
            break;
        }
        slot = (slot + 1) & table->mask;
    }
    return &table->values[slot];
}
