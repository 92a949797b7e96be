// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/bvh.h"

#include "base/fail.h"
#include "geometry/bvh_descent.h"

#include <limits.h>
#include <string.h>

typedef struct int_list {
    iso_arena* arena;
    int* data; // the arena's newest allocation
    int count, capacity;
} int_list;

static bool list_reserve(int_list* list, int more) {
    if (list->count + more <= list->capacity) {
        return true;
    }
    if (list->capacity > INT_MAX / 2) {
        return false;
    }
    int capacity = list->capacity > 0 ? 2 * list->capacity : 1024;
    if (list->data &&
        iso_arena_resize_last(list->arena, list->data, (size_t)list->capacity * sizeof(int),
                              (size_t)capacity * sizeof(int))) {
        list->capacity = capacity;
        return true;
    }
    int* data = iso_arena_push_array(list->arena, capacity, sizeof *data);
    if (!data) {
        return false;
    }
    if (list->count > 0) {
        memcpy(data, list->data, (size_t)list->count * sizeof *data);
    }
    list->data = data;
    list->capacity = capacity;
    return true;
}

// The pairs (leaf of tree 0, leaf of tree 1), one after the other.
static bool descend(const iso_bvh* tree_0, const iso_bvh* tree_1, const iso_pose* x_01,
                    int_list* out_pairs) {
    iso_bvh_descent d;
    int leaf_0, leaf_1;
    iso_bvh_descent_begin(&d, tree_0, tree_1, x_01);
    while (iso_bvh_descent_next(&d, NULL, NULL, &leaf_0, &leaf_1)) {
        if (!list_reserve(out_pairs, 2)) {
            return false;
        }
        out_pairs->data[out_pairs->count++] = leaf_0;
        out_pairs->data[out_pairs->count++] = leaf_1;
    }
    return true;
}

iso_status iso_bvh_match(iso_arena* arena, const iso_bvh* tree_0, const iso_bvh* tree_1,
                         const iso_pose* x_01, iso_bvh_matches* out_matches) {
    *out_matches = (iso_bvh_matches){0};
    int* offsets = iso_arena_push_array(arena, tree_1->leaf_count + 2, sizeof *offsets);
    int_list pairs = {.arena = arena};
    ISO_REQUIRE(arena->ctx, offsets && descend(tree_0, tree_1, x_01, &pairs), ISO_ERR_MEMORY,
                "candidate pairs of two trees");
    int count = pairs.count / 2;
    int* leaves = iso_arena_push_array(arena, count, sizeof *leaves);
    ISO_REQUIRE(arena->ctx, leaves, ISO_ERR_MEMORY, "%d candidate pairs", count);

    // Counting sort by the leaf of tree 1: stable, so the order stays that of the descent.
    memset(offsets, 0, (size_t)(tree_1->leaf_count + 2) * sizeof *offsets);
    for (int i = 0; i < count; ++i) {
        offsets[pairs.data[2 * i + 1] + 2]++;
    }
    for (int i = 2; i < tree_1->leaf_count + 2; ++i) {
        offsets[i] += offsets[i - 1];
    }
    for (int i = 0; i < count; ++i) {
        leaves[offsets[pairs.data[2 * i + 1] + 1]++] = pairs.data[2 * i];
    }
    *out_matches = (iso_bvh_matches){count, offsets, leaves};
    return ISO_OK;
}

// Children of a node that a function cuts, one bit each: both side by side, in the even lanes.
static int cuts(const iso_bvh_node* node, const iso_wide gradient[4], const iso_wide reach_of[3],
                iso_wide low, iso_wide high, bool use_interval) {
    iso_wide middle = gradient[3], reach = iso_wide_set(0.0);
    for (int axis = 0; axis < 3; ++axis) {
        iso_wide center = iso_wide_load_floats_twice(node->center[axis]);
        iso_wide half = iso_wide_load_floats_twice(node->half[axis]);
        middle = iso_wide_mul_add(gradient[axis], center, middle);
        reach = iso_wide_mul_add(reach_of[axis], half, reach);
    }
    iso_wide least = use_interval ? iso_wide_load_floats_twice(node->low) : low;
    iso_wide most = use_interval ? iso_wide_load_floats_twice(node->high) : high;
    return iso_wide_bits(iso_wide_and(iso_wide_greater_equal(iso_wide_add(middle, reach), least),
                                      iso_wide_less_equal(iso_wide_sub(middle, reach), most))) &
           3;
}

iso_status iso_bvh_cut(iso_arena* arena, const iso_bvh* tree, iso_affine f, double low, double high,
                       bool use_interval, int** out_leaves, int* out_count) {
    int_list list = {.arena = arena};
    int stack[ISO_BVH_STACK_SIZE];
    int depth = 0;
    const double* g = &f.gradient.x;
    iso_wide gradient[4] = {iso_wide_set(g[0]), iso_wide_set(g[1]), iso_wide_set(g[2]),
                            iso_wide_set(f.offset)};
    iso_wide reach_of[3] = {iso_wide_abs(gradient[0]), iso_wide_abs(gradient[1]),
                            iso_wide_abs(gradient[2])};
    iso_wide least = iso_wide_set(low), most = iso_wide_set(high);
    stack[depth++] = 0;
    while (depth > 0) {
        const iso_bvh_node* node = &tree->nodes[stack[--depth]];
        int hits = cuts(node, gradient, reach_of, least, most, use_interval);
        ISO_REQUIRE(arena->ctx, list_reserve(&list, 2), ISO_ERR_MEMORY, "leaves cut by a plane");
        for (int side = 1; side >= 0; --side) {
            if (!(hits >> side & 1)) {
                continue;
            }
            if (node->child[side] >= 0) {
                stack[depth++] = node->child[side];
            } else {
                list.data[list.count++] = -1 - node->child[side];
            }
        }
    }
    *out_leaves = list.data;
    *out_count = list.count;
    return ISO_OK;
}

static bool contains(const iso_bvh_node* node, int side, iso_vec3 point) {
    return fabs(point.x - (double)node->center[0][side]) <= (double)node->half[0][side] &&
           fabs(point.y - (double)node->center[1][side]) <= (double)node->half[1][side] &&
           fabs(point.z - (double)node->center[2][side]) <= (double)node->half[2][side];
}

static double extreme_of(const float v[ISO_BVH_LEAF_SIZE], float sign) {
    float a = sign * v[0] < sign * v[1] ? v[0] : v[1], b = sign * v[2] < sign * v[3] ? v[2] : v[3];
    return (double)(sign * a < sign * b ? a : b);
}

iso_bvh_box iso_bvh_leaf_box(const iso_bvh* tree, int leaf) {
    const iso_bvh_lanes* lanes = &tree->lanes[leaf];
    return (iso_bvh_box){
        iso_vec3_make(extreme_of(lanes->lower[0], 1.0f), extreme_of(lanes->lower[1], 1.0f),
                      extreme_of(lanes->lower[2], 1.0f)),
        iso_vec3_make(extreme_of(lanes->upper[0], -1.0f), extreme_of(lanes->upper[1], -1.0f),
                      extreme_of(lanes->upper[2], -1.0f)),
        -INFINITY, INFINITY};
}

int iso_bvh_next_leaf(const iso_bvh* tree, iso_vec3 point, int cursor) {
    int stack[ISO_BVH_STACK_SIZE];
    int depth = 0;
    int found = -1;
    stack[depth++] = 0;
    while (depth > 0) {
        const iso_bvh_node* node = &tree->nodes[stack[--depth]];
        for (int side = 0; side < 2; ++side) {
            if (!contains(node, side, point)) {
                continue;
            }
            int leaf = -1 - node->child[side];
            if (leaf < 0) {
                stack[depth++] = node->child[side];
            } else if (leaf >= cursor && (found < 0 || leaf < found)) {
                found = leaf;
            }
        }
    }
    return found;
}
