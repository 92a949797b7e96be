// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field_slopes.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "field/structure/field_parts.h"

#include <float.h>

// What turning a double into a float may lose, with room to spare.
#define ROUNDING (4.0 * (double)FLT_EPSILON)

// Cells below one child of a node: a range, as leaves are in the order of the tree.
typedef struct cell_range {
    int begin, end;
} cell_range;

static void set_slope(const iso_field* field, cell_range range, iso_field_slope* out, int side) {
    iso_vec3 lower = {INFINITY, INFINITY, INFINITY}, upper = iso_vec3_neg(lower);
    for (int i = range.begin; i < range.end; ++i) {
        lower = iso_vec3_min(lower, field->cells[i].piece.gradient);
        upper = iso_vec3_max(upper, field->cells[i].piece.gradient);
    }
    double center[3], least = INFINITY, most = -INFINITY, terms = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = iso_vec3_get(lower, axis), high = iso_vec3_get(upper, axis);
        out->center[axis][side] = (float)(0.5 * (low + high));
        center[axis] = (double)out->center[axis][side];
        double reach = fmax(high - center[axis], center[axis] - low);
        out->half[axis][side] = (float)(reach * (1.0 + ROUNDING)) + FLT_MIN;
        terms += fabs(center[axis]) * field->size;
    }
    for (int i = 4 * range.begin; i < 4 * range.end; ++i) {
        const double* x = iso_field_corner(field, i / 4, i % 4);
        double rest = x[3] - (center[0] * x[0] + center[1] * x[1] + center[2] * x[2]);
        least = fmin(least, rest);
        most = fmax(most, rest);
    }
    terms += fmax(fabs(least), fabs(most));
    out->least[side] = (float)(least - ROUNDING * terms);
    out->most[side] = (float)(most + ROUNDING * terms);
}

// Fills the slopes of a subtree; returns its cells.
static cell_range fill_slopes(iso_field* field, int child) {
    if (child < 0) {
        int begin = (-1 - child) * ISO_BVH_LEAF_SIZE, end = begin + ISO_BVH_LEAF_SIZE;
        return (cell_range){begin, end < field->mesh.tet_count ? end : field->mesh.tet_count};
    }
    const iso_bvh_node* node = &field->tree.nodes[child];
    cell_range left = fill_slopes(field, node->child[0]);
    cell_range right = fill_slopes(field, node->child[1]);
    set_slope(field, left, &field->slopes[child], 0);
    set_slope(field, right, &field->slopes[child], 1);
    return (cell_range){left.begin, right.end};
}

iso_status iso_field_make_slopes(iso_context* ctx, iso_field* field) {
    field->slopes = iso_alloc_array(ctx, field->tree.node_count, sizeof *field->slopes);
    ISO_REQUIRE(ctx, field->slopes, ISO_ERR_MEMORY, "slopes of %d tetrahedra",
                field->mesh.tet_count);
    fill_slopes(field, 0);
    return ISO_OK;
}
