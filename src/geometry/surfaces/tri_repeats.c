// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh/mesh.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <stdlib.h>
#include <string.h>

typedef struct triangle_key {
    int corners[3]; // ascending
    int is_odd;     // 1: they run the other way round
    int triangle;
} triangle_key;

static triangle_key make_key(const int t[3], int triangle, bool tells_sides) {
    triangle_key key = {{t[0], t[1], t[2]}, 0, triangle};
    for (int pass = 0; pass < 3; ++pass) {
        int* c = &key.corners[pass % 2];
        if (c[0] > c[1]) {
            int held = c[0];
            c[0] = c[1];
            c[1] = held;
            key.is_odd ^= tells_sides;
        }
    }
    return key;
}

static int compare_keys(const void* a, const void* b) {
    const triangle_key *x = a, *y = b;
    for (int k = 0; k < 3; ++k) {
        if (x->corners[k] != y->corners[k]) {
            return x->corners[k] < y->corners[k] ? -1 : 1;
        }
    }
    if (x->is_odd != y->is_odd) {
        return x->is_odd - y->is_odd;
    }
    return x->triangle < y->triangle ? -1 : 1;
}

static bool is_repeat(const triangle_key* a, const triangle_key* b) {
    return memcmp(a->corners, b->corners, sizeof a->corners) == 0 && a->is_odd == b->is_odd;
}

iso_status iso_tri_mesh_drop_repeats(iso_context* ctx, iso_tri_mesh* mesh, bool tells_sides,
                                     int* out_dropped_count) {
    int count = mesh->triangle_count;
    iso_status status = ISO_OK;
    triangle_key* keys = iso_alloc_array(ctx, count, sizeof *keys);
    bool* is_kept = iso_alloc_array(ctx, count, sizeof *is_kept);
    *out_dropped_count = 0;
    ISO_CHECK(ctx, keys && is_kept, ISO_ERR_MEMORY, "keys of %d triangles", count);
    for (int i = 0; i < count; ++i) {
        keys[i] = make_key(mesh->triangles[i], i, tells_sides);
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int i = 0; i < count; ++i) {
        is_kept[keys[i].triangle] = i == 0 || !is_repeat(&keys[i - 1], &keys[i]);
    }
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (is_kept[i]) {
            memmove(mesh->triangles[kept++], mesh->triangles[i], sizeof *mesh->triangles);
        }
    }
    *out_dropped_count = count - kept;
    mesh->triangle_count = kept;

done:
    iso_free(ctx, keys);
    iso_free(ctx, is_kept);
    return status;
}
