// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/fail.h"
#include "geometry/bvh_descent.h"

#include <string.h>

typedef struct few_pair {
    int leaf_0, leaf_1;
} few_pair;

// Sorted by the leaf of tree 1: stable, so the order stays that of the descent.
static iso_status sort_pairs(iso_arena* arena, const few_pair* pairs, int count, int leaf_count_1,
                             iso_bvh_matches* out) {
    int* offsets = iso_arena_push_array(arena, leaf_count_1 + 2, sizeof *offsets);
    int* leaves = iso_arena_push_array(arena, count, sizeof *leaves);
    ISO_REQUIRE(arena->ctx, offsets && leaves, ISO_ERR_MEMORY, "%d pairs of leaves", count);
    memset(offsets, 0, (size_t)(leaf_count_1 + 2) * sizeof *offsets);
    for (int i = 0; i < count; ++i) {
        offsets[pairs[i].leaf_1 + 2]++;
    }
    for (int i = 2; i < leaf_count_1 + 2; ++i) {
        offsets[i] += offsets[i - 1];
    }
    for (int i = 0; i < count; ++i) {
        leaves[offsets[pairs[i].leaf_1 + 1]++] = pairs[i].leaf_0;
    }
    *out = (iso_bvh_matches){count, offsets, leaves};
    return ISO_OK;
}

iso_status iso_bvh_match_few(iso_arena* arena, const iso_bvh* tree_0, const iso_bvh* tree_1,
                             const iso_pose* x_01, bool* out_are_few,
                             iso_bvh_matches* out_matches) {
    iso_bvh_descent d;
    few_pair pairs[ISO_BVH_FEW];
    int leaf_0, leaf_1, count = 0;
    *out_matches = (iso_bvh_matches){0};
    *out_are_few = false;
    iso_bvh_descent_begin(&d, tree_0, tree_1, x_01);
    while (iso_bvh_descent_next(&d, NULL, NULL, &leaf_0, &leaf_1)) {
        if (count == ISO_BVH_FEW) {
            return ISO_OK;
        }
        pairs[count++] = (few_pair){leaf_0, leaf_1};
    }
    *out_are_few = true;
    return sort_pairs(arena, pairs, count, tree_1->leaf_count, out_matches);
}
