// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field_parts.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

iso_status iso_field_parts_init(iso_context* ctx, int capacity, iso_field_parts* parts) {
    parts->boxes = iso_alloc_array(ctx, capacity, sizeof *parts->boxes);
    parts->codes = iso_alloc_array(ctx, capacity, sizeof *parts->codes);
    parts->capacity = capacity;
    parts->count = 0;
    ISO_REQUIRE(ctx, parts->boxes && parts->codes, ISO_ERR_MEMORY, "%d parts of tetrahedra",
                capacity);
    return ISO_OK;
}

void iso_field_parts_destroy(iso_context* ctx, iso_field_parts* parts) {
    iso_free(ctx, parts->boxes);
    iso_free(ctx, parts->codes);
    *parts = (iso_field_parts){0};
}

void iso_field_parts_add(iso_field_parts* parts, int part, iso_bvh_box box) {
    ISO_ASSERT(NULL, parts->count < parts->capacity);
    parts->codes[parts->count] = part;
    parts->boxes[parts->count++] = box;
}

iso_status iso_field_parts_build(iso_context* ctx, iso_field_parts* parts, iso_bvh* out_tree) {
    int count = parts->count;
    *out_tree = (iso_bvh){0};
    parts->count = 0;
    if (count == 0) {
        return ISO_OK;
    }
    iso_status status = iso_bvh_build(ctx, parts->boxes, count, out_tree);
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        out_tree->elements[i] = parts->codes[out_tree->elements[i]];
    }
    return status;
}

static void grow(iso_bvh_box* box, iso_vec3 x, double pressure) {
    box->lower = iso_vec3_min(box->lower, x);
    box->upper = iso_vec3_max(box->upper, x);
    box->low = fmin(box->low, pressure);
    box->high = fmax(box->high, pressure);
}

static iso_vec3 position(const double x[4]) {
    return iso_vec3_make(x[0], x[1], x[2]);
}

iso_bvh_box iso_field_part_box(const iso_field* field, int part, double highest) {
    int cell = iso_field_part_cell(part), corners = iso_field_part_corners(part);
    iso_bvh_box box = {iso_vec3_make(INFINITY, INFINITY, INFINITY),
                       iso_vec3_make(-INFINITY, -INFINITY, -INFINITY), INFINITY, -INFINITY};
    for (int i = 0; i < 4; ++i) {
        const double* a = iso_field_corner(field, cell, i);
        if (!(corners >> i & 1) || a[3] > highest) {
            continue;
        }
        grow(&box, position(a), a[3]);
        for (int j = 0; j < 4; ++j) {
            const double* b = iso_field_corner(field, cell, j);
            if (corners >> j & 1 && b[3] > highest) {
                double t = (highest - a[3]) / (b[3] - a[3]);
                grow(&box, iso_vec3_lerp(position(a), position(b), t), highest);
            }
        }
    }
    return box;
}
