// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/box_hash.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/// Cells that a box spans along an axis, at most.
#define MOST_CELLS 8.0

typedef struct cells {
    int64_t low[3], high[3];
} cells;

void iso_box_hash_free(iso_box_hash* h) {
    ISO_ARRAY_FREE(h->ctx, &h->boxes);
    ISO_ARRAY_FREE(h->ctx, &h->starts);
    ISO_ARRAY_FREE(h->ctx, &h->entries);
    ISO_ARRAY_FREE(h->ctx, &h->stamps);
}

static cells cells_of(double cell, const iso_lab_box* box) {
    cells c;
    for (int a = 0; a < 3; ++a) { // far away all share a cell: still correct
        c.low[a] = (int64_t)floor(fmin(fmax(box->low[a] / cell, -1e15), 1e15));
        c.high[a] = (int64_t)floor(fmin(fmax(box->high[a] / cell, -1e15), 1e15));
    }
    return c;
}

static int bucket_of(const iso_box_hash* h, int64_t i, int64_t j, int64_t k) {
    uint64_t key = (uint64_t)i * 0x9E3779B97F4A7C15ULL ^ (uint64_t)j * 0xC2B2AE3D27D4EB4FULL ^
                   (uint64_t)k * 0x165667B19E3779F9ULL;
    key ^= key >> 32;
    key *= 0xD6E8FEB86659FD93ULL;
    key ^= key >> 29;
    return (int)(key & (uint64_t)(h->bucket_count - 1));
}

// Twice the mean extent, but no box over too many cells.
static double choose_cell(const iso_lab_box* boxes, int count) {
    double sum = 0.0, most = 0.0;
    for (int i = 0; i < count; ++i) {
        double extent = 0.0;
        for (int a = 0; a < 3; ++a) {
            extent = fmax(extent, boxes[i].high[a] - boxes[i].low[a]);
        }
        sum += extent;
        most = fmax(most, extent);
    }
    double cell = fmax(2.0 * sum / (count > 0 ? count : 1), most / MOST_CELLS);
    return cell > 0.0 ? cell : 1.0;
}

iso_status iso_box_hash_build(iso_box_hash* h, const iso_lab_box* boxes, int count) {
    iso_status status = ISO_OK;
    h->box_count = count;
    h->cell = choose_cell(boxes, count);
    h->bucket_count = 16;
    while (h->bucket_count < 2 * count && h->bucket_count < 1 << 28) {
        h->bucket_count *= 2;
    }
    ISO_TRY(ISO_ARRAY_RESERVE(h->ctx, &h->boxes, count));
    ISO_TRY(ISO_ARRAY_RESERVE(h->ctx, &h->stamps, count));
    ISO_TRY(ISO_ARRAY_RESERVE(h->ctx, &h->starts, h->bucket_count + 1));
    if (count > 0) {
        memcpy(h->boxes.data, boxes, (size_t)count * sizeof *boxes);
        memset(h->stamps.data, 0, (size_t)count * sizeof(int));
    }
    h->stamp = 0;
    int* starts = h->starts.data;
    memset(starts, 0, (size_t)(h->bucket_count + 1) * sizeof(int));
    for (int pass = 0; pass < 2; ++pass) { // count, then fill from the back
        for (int b = count - 1; b >= 0; --b) {
            cells c = cells_of(h->cell, &boxes[b]);
            for (int64_t k = c.low[2]; k <= c.high[2]; ++k) {
                for (int64_t j = c.low[1]; j <= c.high[1]; ++j) {
                    for (int64_t i = c.low[0]; i <= c.high[0]; ++i) {
                        int* start = &starts[bucket_of(h, i, j, k)];
                        if (pass == 0) {
                            ++*start;
                        } else {
                            h->entries.data[--*start] = b;
                        }
                    }
                }
            }
        }
        for (int i = 0; pass == 0 && i < h->bucket_count; ++i) {
            starts[i + 1] += starts[i];
        }
        if (pass == 0) {
            ISO_TRY(ISO_ARRAY_RESERVE(h->ctx, &h->entries, starts[h->bucket_count]));
        }
    }

done:
    return status;
}

static bool meet(const iso_lab_box* a, const iso_lab_box* b) {
    for (int k = 0; k < 3; ++k) {
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) {
            return false;
        }
    }
    return true;
}

static iso_status take_bucket(iso_box_hash* h, int bucket, const iso_lab_box* box,
                              iso_box_list* found) {
    for (int e = h->starts.data[bucket]; e < h->starts.data[bucket + 1]; ++e) {
        int b = h->entries.data[e];
        if (h->stamps.data[b] == h->stamp || !meet(box, &h->boxes.data[b])) {
            continue;
        }
        h->stamps.data[b] = h->stamp;
        iso_status status = ISO_ARRAY_GROW(h->ctx, found);
        if (status != ISO_OK) {
            return status;
        }
        found->data[found->count++] = b;
    }
    return ISO_OK;
}

iso_status iso_box_hash_query(iso_box_hash* h, const iso_lab_box* box, iso_box_list* found) {
    cells c = cells_of(h->cell, box);
    double span = 1.0;
    for (int a = 0; a < 3; ++a) {
        span *= (double)(c.high[a] - c.low[a] + 1);
    }
    ++h->stamp;
    if (span > h->bucket_count) { // a large box: look into every bucket once
        for (int b = 0; b < h->bucket_count; ++b) {
            iso_status status = take_bucket(h, b, box, found);
            if (status != ISO_OK) {
                return status;
            }
        }
        return ISO_OK;
    }
    for (int64_t k = c.low[2]; k <= c.high[2]; ++k) {
        for (int64_t j = c.low[1]; j <= c.high[1]; ++j) {
            for (int64_t i = c.low[0]; i <= c.high[0]; ++i) {
                iso_status status = take_bucket(h, bucket_of(h, i, j, k), box, found);
                if (status != ISO_OK) {
                    return status;
                }
            }
        }
    }
    return ISO_OK;
}
