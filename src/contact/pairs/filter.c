// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/filter.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <stdlib.h>
#include <string.h>

static int compare_pairs(const void* a, const void* b) {
    const iso_body_pair *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static iso_status allocate(iso_context* ctx, int body_count, int pair_count,
                           iso_body_filter* out_filter) {
    iso_body_filter f = {
        .body_count = body_count,
        .groups = iso_alloc_array(ctx, body_count + 1, sizeof *f.groups),
        .exclusions = iso_alloc_array(ctx, body_count + 1, sizeof *f.exclusions),
        .adjacent = iso_alloc_array(ctx, body_count + 1, sizeof *f.adjacent),
        .firsts = iso_alloc_array(ctx, body_count + 1, sizeof *f.firsts),
        .others = iso_alloc_array(ctx, pair_count + 1, sizeof *f.others),
    };
    *out_filter = f;
    if (!f.groups || !f.exclusions || !f.adjacent || !f.firsts || !f.others) {
        iso_body_filter_free(ctx, out_filter);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "filters of %d bodies", body_count);
    }
    return ISO_OK;
}

iso_status iso_body_filter_create(iso_context* ctx, int body_count, iso_body_pair* pairs,
                                  int pair_count, iso_body_filter* out_filter) {
    iso_status status = allocate(ctx, body_count, pair_count, out_filter);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < pair_count; ++i) {
        iso_body_pair p = pairs[i];
        pairs[i] = p.a < p.b ? p : (iso_body_pair){p.b, p.a};
    }
    if (pair_count > 0) {
        qsort(pairs, (size_t)pair_count, sizeof *pairs, compare_pairs);
    }
    int at = 0;
    for (int i = 0; i < body_count; ++i) {
        out_filter->groups[i] = i;
        out_filter->exclusions[i] = 0;
        out_filter->adjacent[i] = -1;
        out_filter->firsts[i] = at;
        for (; at < pair_count && pairs[at].a == i; ++at) {
            out_filter->others[at] = pairs[at].b;
        }
    }
    out_filter->firsts[body_count] = at;
    return ISO_OK;
}

iso_status iso_body_filter_copy(iso_context* ctx, const iso_body_filter* filter,
                                iso_body_filter* out_copy) {
    int count = filter->body_count;
    *out_copy = (iso_body_filter){.body_count = count};
    if (!filter->groups) {
        return ISO_OK;
    }
    int pairs = filter->firsts[count];
    iso_status status = allocate(ctx, count, pairs, out_copy);
    if (status == ISO_OK) {
        size_t size = (size_t)count * sizeof(int);
        memcpy(out_copy->groups, filter->groups, size);
        memcpy(out_copy->exclusions, filter->exclusions, size);
        memcpy(out_copy->adjacent, filter->adjacent, size);
        memcpy(out_copy->firsts, filter->firsts, size + sizeof(int));
        memcpy(out_copy->others, filter->others, (size_t)pairs * sizeof(int));
    }
    return status;
}

void iso_body_filter_free(iso_context* ctx, iso_body_filter* filter) {
    iso_free(ctx, filter->groups);
    iso_free(ctx, filter->exclusions);
    iso_free(ctx, filter->adjacent);
    iso_free(ctx, filter->firsts);
    iso_free(ctx, filter->others);
    *filter = (iso_body_filter){0};
}

bool iso_body_filter_lists(const iso_body_filter* filter, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    int begin = filter->firsts[low], end = filter->firsts[low + 1], last = end;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (filter->others[middle] < high) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < last && filter->others[begin] == high;
}
