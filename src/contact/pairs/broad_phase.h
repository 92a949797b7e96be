// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "contact/pairs/filter.h"
#include "isobar/math.h"

/// One geometry as the broad phase sees it, in the world frame.
typedef struct iso_broad_item {
    bool is_half_space;
    int body;
    iso_collision_bits bits;
    iso_contact_rules rules; ///< with items of larger index
    iso_vec3 lower, upper;   ///< box (not half spaces)
    iso_vec3 normal;         ///< half space: outward unit normal,
    double offset;           ///< solid where normal . x <= offset
} iso_broad_item;

typedef struct iso_candidate {
    int a, b; ///< a < b
} iso_candidate;

/// A box in sweeping order.
typedef struct iso_broad_entry {
    double key;
    int index;
} iso_broad_entry;

/// Working memory of the broad phase, sized for item_count. Its content between runs is of no
/// consequence.
typedef struct iso_broad_phase {
    int item_count;
    iso_broad_entry *order, *order_scratch; ///< [item_count]
    int* bucket_ends;                       ///< [item_count]
    ISO_ARRAY(iso_candidate) found;         ///< as found
    ISO_ARRAY(iso_candidate) candidates;    ///< the result, ordered by (a, b)
} iso_broad_phase;

iso_status iso_broad_phase_init(iso_context* ctx, iso_broad_phase* phase, int item_count);
void iso_broad_phase_destroy(iso_context* ctx, iso_broad_phase* phase);

/// Find the pairs whose boxes overlap (touching included), or whose box reaches into a half space.
/// The answer, in phase->candidates, is a function of the arguments only. Sweep along the axis on
/// which the boxes spread most, O(n log n + pairs that overlap along it).
/// @return ISO_ERR_MEMORY
iso_status iso_broad_phase_run(iso_context* ctx, iso_broad_phase* phase,
                               const iso_broad_item* items, const iso_body_filter* bodies);
