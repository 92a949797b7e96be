// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/broad_phase.h"

#include "base/core/ample.h"

#include <string.h>

typedef struct pair_filter {
    const iso_broad_item* items;
    const iso_body_filter* bodies;
} pair_filter;

iso_status iso_broad_phase_init(iso_context* ctx, iso_broad_phase* phase, int item_count) {
    *phase = (iso_broad_phase){.item_count = item_count};
    phase->order = iso_alloc_array(ctx, item_count, sizeof *phase->order);
    phase->order_scratch = iso_alloc_array(ctx, item_count, sizeof *phase->order_scratch);
    phase->bucket_ends = iso_alloc_array(ctx, item_count, sizeof *phase->bucket_ends);
    if (!phase->order || !phase->order_scratch || !phase->bucket_ends) {
        iso_broad_phase_destroy(ctx, phase);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "broad phase of %d geometries", item_count);
    }
    return ISO_OK;
}

void iso_broad_phase_destroy(iso_context* ctx, iso_broad_phase* phase) {
    iso_free(ctx, phase->order);
    iso_free(ctx, phase->order_scratch);
    iso_free(ctx, phase->bucket_ends);
    ISO_ARRAY_FREE(ctx, &phase->found);
    ISO_ARRAY_FREE(ctx, &phase->candidates);
    *phase = (iso_broad_phase){0};
}

static bool may_meet(const pair_filter* filter, int i, int j) {
    const iso_broad_item* a = &filter->items[i < j ? i : j];
    const iso_broad_item* b = &filter->items[i < j ? j : i];
    return iso_may_touch(iso_bodies_may_meet(filter->bodies, a->body, b->body), a->bits, b->bits,
                         &a->rules, i < j ? j : i);
}

static bool boxes_overlap(const iso_broad_item* a, const iso_broad_item* b) {
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

// True when the deepest corner of the box is inside the half space.
static bool box_reaches(const iso_broad_item* box, const iso_broad_item* half_space) {
    iso_vec3 n = half_space->normal;
    iso_vec3 corner = iso_vec3_make(n.x > 0.0 ? box->lower.x : box->upper.x,
                                    n.y > 0.0 ? box->lower.y : box->upper.y,
                                    n.z > 0.0 ? box->lower.z : box->upper.z);
    return iso_vec3_dot(n, corner) <= half_space->offset;
}

static iso_status add_pair(iso_context* ctx, iso_broad_phase* phase, int i, int j) {
    iso_status status =
        ISO_ARRAY_RESERVE_AMPLY(ctx, &phase->found, phase->found.count + 1, phase->item_count);
    if (status == ISO_OK) {
        phase->found.data[phase->found.count++] = (iso_candidate){i < j ? i : j, i < j ? j : i};
    }
    return status;
}

static iso_status find_half_space_pairs(iso_context* ctx, iso_broad_phase* phase,
                                        const iso_broad_item* items, const pair_filter* filter) {
    iso_status status = ISO_OK;
    for (int h = 0; h < phase->item_count; ++h) {
        if (!items[h].is_half_space) {
            continue;
        }
        for (int i = 0; i < phase->item_count; ++i) {
            if (!items[i].is_half_space && may_meet(filter, h, i) &&
                box_reaches(&items[i], &items[h])) {
                ISO_TRY(add_pair(ctx, phase, h, i));
            }
        }
    }
done:
    return status;
}

// The axis along which the centres of the boxes have the largest variance.
static int spread_axis(const iso_broad_phase* phase, const iso_broad_item* items) {
    iso_vec3 sum = iso_vec3_zero(), sum_squared = iso_vec3_zero();
    int count = 0;
    for (int i = 0; i < phase->item_count; ++i) {
        if (!items[i].is_half_space) {
            iso_vec3 c = iso_vec3_lerp(items[i].lower, items[i].upper, 0.5);
            sum = iso_vec3_add(sum, c);
            sum_squared = iso_vec3_add(sum_squared, iso_vec3_mul(c, c));
            ++count;
        }
    }
    iso_vec3 mean = iso_vec3_scale(sum, count > 0 ? 1.0 / count : 0.0);
    iso_vec3 variance = iso_vec3_sub(sum_squared, iso_vec3_mul(mean, sum));
    int axis = variance.y > variance.x ? 1 : 0;
    return variance.z > iso_vec3_get(variance, axis) ? 2 : axis;
}

// Merge two neighbouring runs of `from` into `to`.
static void merge_runs(const iso_broad_entry* from, int begin, int middle, int end,
                       iso_broad_entry* to) {
    int left = begin, right = middle;
    for (int k = begin; k < end; ++k) {
        bool is_left = right >= end || (left < middle && from[left].key <= from[right].key);
        to[k] = is_left ? from[left++] : from[right++];
    }
}

// Bottom-up merge sort by key: the library's qsort may allocate.
static void sort_entries(iso_broad_phase* phase, int count) {
    for (int width = 1; width < count; width *= 2) {
        for (int begin = 0; begin < count; begin += 2 * width) {
            int middle = begin + width < count ? begin + width : count;
            int end = begin + 2 * width < count ? begin + 2 * width : count;
            merge_runs(phase->order, begin, middle, end, phase->order_scratch);
        }
        iso_broad_entry* swap = phase->order;
        phase->order = phase->order_scratch;
        phase->order_scratch = swap;
    }
}

static iso_status find_box_pairs(iso_context* ctx, iso_broad_phase* phase,
                                 const iso_broad_item* items, const pair_filter* filter) {
    int axis = spread_axis(phase, items);
    int count = 0;
    for (int i = 0; i < phase->item_count; ++i) {
        if (!items[i].is_half_space) {
            phase->order[count++] = (iso_broad_entry){iso_vec3_get(items[i].lower, axis), i};
        }
    }
    sort_entries(phase, count);
    iso_status status = ISO_OK;
    for (int i = 0; i < count; ++i) {
        const iso_broad_item* a = &items[phase->order[i].index];
        double end = iso_vec3_get(a->upper, axis);
        for (int j = i + 1; j < count && phase->order[j].key <= end; ++j) {
            int index_a = phase->order[i].index, index_b = phase->order[j].index;
            if (boxes_overlap(a, &items[index_b]) && may_meet(filter, index_a, index_b)) {
                ISO_TRY(add_pair(ctx, phase, index_a, index_b));
            }
        }
    }
done:
    return status;
}

// Order what was found by (a, b): one bucket for each a, insertion sort by b inside.
static iso_status order_candidates(iso_context* ctx, iso_broad_phase* phase) {
    int count = phase->found.count;
    iso_status status = ISO_ARRAY_RESERVE_AMPLY(ctx, &phase->candidates, count, phase->item_count);
    if (status != ISO_OK || phase->item_count == 0) {
        return status;
    }
    memset(phase->bucket_ends, 0, (size_t)phase->item_count * sizeof *phase->bucket_ends);
    for (int i = 0; i < count; ++i) {
        ++phase->bucket_ends[phase->found.data[i].a];
    }
    int begin = 0;
    for (int a = 0; a < phase->item_count; ++a) {
        int size = phase->bucket_ends[a];
        phase->bucket_ends[a] = begin; // start now, end once the bucket is full
        begin += size;
    }
    iso_candidate* sorted = phase->candidates.data;
    for (int i = 0; i < count; ++i) {
        sorted[phase->bucket_ends[phase->found.data[i].a]++] = phase->found.data[i];
    }
    for (int i = 1; i < count; ++i) {
        iso_candidate pair = sorted[i];
        int k = i;
        for (; k > 0 && sorted[k - 1].a == pair.a && sorted[k - 1].b > pair.b; --k) {
            sorted[k] = sorted[k - 1];
        }
        sorted[k] = pair;
    }
    phase->candidates.count = count;
    return ISO_OK;
}

iso_status iso_broad_phase_run(iso_context* ctx, iso_broad_phase* phase,
                               const iso_broad_item* items, const iso_body_filter* bodies) {
    pair_filter filter = {items, bodies};
    phase->found.count = 0;
    phase->candidates.count = 0;
    iso_status status = ISO_OK;
    ISO_TRY(find_half_space_pairs(ctx, phase, items, &filter));
    ISO_TRY(find_box_pairs(ctx, phase, items, &filter));
    ISO_TRY(order_candidates(ctx, phase));
done:
    return status;
}
