// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Parts of cells, as the trees of iso_field_marks hold them, on their way into a tree.

#include "field/structure/field.h"

typedef struct iso_field_parts {
    iso_bvh_box* boxes;
    int* codes;
    int count, capacity;
} iso_field_parts;

static inline int iso_field_part(int cell, int corners) {
    return cell << 4 | corners;
}
static inline int iso_field_part_cell(int part) {
    return part >> 4;
}
static inline int iso_field_part_corners(int part) {
    return part & 15;
}

static inline const double* iso_field_corner(const iso_field* field, int cell, int corner) {
    return field->points[field->cells[cell].corners[corner]].x;
}

iso_status iso_field_parts_init(iso_context* ctx, int capacity, iso_field_parts* parts);
void iso_field_parts_destroy(iso_context* ctx, iso_field_parts* parts);

/// Append a part, within the capacity.
void iso_field_parts_add(iso_field_parts* parts, int part, iso_bvh_box box);

/// Make a tree of the parts and start anew. No parts: a tree without leaves.
iso_status iso_field_parts_build(iso_context* ctx, iso_field_parts* parts, iso_bvh* out_tree);

/// Box and pressures of a part, up to a pressure.
iso_bvh_box iso_field_part_box(const iso_field* field, int part, double highest);
