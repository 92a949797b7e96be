// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field_planes.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "field/structure/field_parts.h"

// Growth of the balls against rounding, of normals of length 1 and of the floats they become.
#define PADDING 4e-6

// Planes are kept where the balls of leaves are no larger than this on average: then those of a
// node tell which way rims run.
#define MOST_RADIUS 0.25

// Places of a tree below a child of a node: a range, as leaves are in the order of the tree.
typedef struct place_range {
    int begin, end;
} place_range;

// The plane of a level face: n . x + offset.
static iso_affine plane_at(const iso_field* field, const iso_bvh* level, int place) {
    int part = level->elements[place], corners = iso_field_part_corners(part), face = 0;
    const iso_field_cell* cell = &field->cells[iso_field_part_cell(part)];
    while (corners >> face & 1) {
        ++face;
    }
    return (iso_affine){
        iso_vec3_make(cell->planes[0][face], cell->planes[1][face], cell->planes[2][face]),
        cell->planes[3][face]};
}

static void set_planes(const iso_field* field, const iso_bvh* level, place_range range, int node,
                       int side, iso_field_planes* out) {
    iso_vec3 low = {INFINITY, INFINITY, INFINITY}, high = iso_vec3_neg(low);
    const iso_bvh_node* box = &level->nodes[node];
    iso_vec3 middle = {(double)box->center[0][side], (double)box->center[1][side],
                       (double)box->center[2][side]};
    double center[3], radius = 0.0, farthest = 0.0;
    for (int i = range.begin; i < range.end && level->elements[i] >= 0; ++i) {
        iso_affine plane = plane_at(field, level, i);
        low = iso_vec3_min(low, plane.gradient);
        high = iso_vec3_max(high, plane.gradient);
        farthest = fmax(farthest, fabs(iso_affine_eval(plane, middle)));
    }
    for (int axis = 0; axis < 3; ++axis) {
        double mean = 0.5 * (iso_vec3_get(low, axis) + iso_vec3_get(high, axis));
        out->center[axis][side] = (float)mean;
        center[axis] = (double)out->center[axis][side];
    }
    for (int i = range.begin; i < range.end && level->elements[i] >= 0; ++i) {
        iso_vec3 d = iso_vec3_make(center[0], center[1], center[2]);
        d = iso_vec3_sub(plane_at(field, level, i).gradient, d);
        radius = fmax(radius, iso_vec3_norm(d));
    }
    out->radius[side] = (float)(radius + PADDING);
    out->farthest[side] = (float)(farthest + PADDING * field->size);
}

// Fills what is below a child of a node; returns its places.
// @param radii  the sum over leaves grows by theirs
static place_range fill_planes(const iso_field* field, iso_field_marks* marks, int child,
                               double* radii) {
    if (child < 0) {
        int begin = (-1 - child) * ISO_BVH_LEAF_SIZE;
        return (place_range){begin, begin + ISO_BVH_LEAF_SIZE};
    }
    const iso_bvh_node* node = &marks->level.nodes[child];
    place_range ranges[2];
    for (int side = 0; side < 2; ++side) {
        ranges[side] = fill_planes(field, marks, node->child[side], radii);
        set_planes(field, &marks->level, ranges[side], child, side, &marks->planes[child]);
        *radii += node->child[side] < 0 ? (double)marks->planes[child].radius[side] : 0.0;
    }
    return (place_range){ranges[0].begin, ranges[1].end};
}

iso_status iso_field_mark_planes(iso_context* ctx, const iso_field* field, iso_field_marks* marks) {
    int node_count = marks->level.node_count, leaf_count = marks->level.leaf_count;
    double radii = 0.0;
    if (leaf_count < 2) {
        return ISO_OK;
    }
    marks->planes = iso_alloc_array(ctx, node_count, sizeof *marks->planes);
    ISO_REQUIRE(ctx, marks->planes, ISO_ERR_MEMORY, "planes of %d nodes", node_count);
    fill_planes(field, marks, 0, &radii);
    if (!(radii <= MOST_RADIUS * leaf_count)) {
        iso_free(ctx, marks->planes);
        marks->planes = NULL;
    }
    return ISO_OK;
}
