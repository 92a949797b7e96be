// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// A hash table from unordered pairs of indices (mesh edges) to one int each. Open addressing,
/// sized once. Nothing depends on the order of its slots.
typedef struct iso_pair_table {
    uint64_t* keys; ///< UINT64_MAX: free
    int* values;
    size_t mask;
} iso_pair_table;

/// Room for expected_count pairs, each at most half of the slots used.
/// @return ISO_ERR_MEMORY
iso_status iso_pair_table_init(iso_context* ctx, iso_pair_table* table, int expected_count);
void iso_pair_table_destroy(iso_context* ctx, iso_pair_table* table);
void iso_pair_table_clear(iso_pair_table* table);

/// The value of pair {a, b}, a and b >= 0; created with the given value when it is not there.
/// Valid until the table is destroyed. No more than expected_count pairs may be created.
int* iso_pair_table_at(iso_pair_table* table, int a, int b, int value_if_new);
