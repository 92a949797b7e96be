// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/bvh.h"

#include "base/fail.h"
#include "math/wide.h"

#include <string.h>

// A pop replaces one entry by at most four, trees are less than 64 deep: 3 * 2 * 64 + 4 suffices.
#define STACK_SIZE 512

// A child slot of a node: node * 2 + side, or ROOT_SLOT. Its box and reference sit in the node.
#define ROOT_SLOT (-1)

typedef struct slot_pair {
    int slot_0, slot_1;
} slot_pair;

typedef struct int_list {
    iso_arena* arena;
    int* data; // the arena's newest allocation
    int count, capacity;
} int_list;

static bool list_reserve(int_list* list, int more) {
    if (list->count + more <= list->capacity) {
        return true;
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

// The relative pose, spread over lanes.
typedef struct pose_wide {
    iso_wide r[3][3], r_abs[3][3], p[3];
} pose_wide;

static pose_wide spread(const iso_pose* x_01) {
    pose_wide x;
    double p[3] = {x_01->p.x, x_01->p.y, x_01->p.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            x.r[i][j] = iso_wide_set(x_01->r.m[i][j]);
            x.r_abs[i][j] = iso_wide_set(fabs(x_01->r.m[i][j]));
        }
        x.p[i] = iso_wide_set(p[i]);
    }
    return x;
}

// The two boxes that a slot expands to: the children of a node, or twice the leaf itself.
typedef struct expansion {
    const iso_bvh_node* node;
    int slots[2];
    int count;
    iso_bvh_node leaf;
} expansion;

static void expand(const iso_bvh* tree, int slot, expansion* out) {
    int child = slot == ROOT_SLOT ? 0 : tree->nodes[slot >> 1].child[slot & 1];
    if (child >= 0) {
        out->node = &tree->nodes[child];
        out->slots[0] = 2 * child;
        out->slots[1] = 2 * child + 1;
        out->count = 2;
        return;
    }
    const iso_bvh_node* node = &tree->nodes[slot >> 1];
    int side = slot & 1;
    for (int axis = 0; axis < 3; ++axis) {
        out->leaf.center[axis][0] = out->leaf.center[axis][1] = node->center[axis][side];
        out->leaf.half[axis][0] = out->leaf.half[axis][1] = node->half[axis][side];
    }
    out->leaf.low[0] = out->leaf.low[1] = node->low[side];
    out->leaf.high[0] = out->leaf.high[1] = node->high[side];
    out->leaf.child[0] = out->leaf.child[1] = child;
    out->node = &out->leaf;
    out->slots[0] = out->slots[1] = slot;
    out->count = 1;
}

static iso_wide lanes_0(const double pair[2]) {
    return iso_wide_make(pair[0], pair[0], pair[1], pair[1]);
}

static iso_wide lanes_1(const double pair[2]) {
    return iso_wide_make(pair[0], pair[1], pair[0], pair[1]);
}

// Lane 2 i + j: child i of node 0 against child j of node 1. Face axes of both boxes.
static int overlapping(const iso_bvh_node* node_0, const iso_bvh_node* node_1,
                       const pose_wide* x_01) {
    iso_wide_mask hit =
        iso_wide_and(iso_wide_less_equal(lanes_0(node_0->low), lanes_1(node_1->high)),
                     iso_wide_less_equal(lanes_1(node_1->low), lanes_0(node_0->high)));
    iso_wide c[3], h[3], t[3], half_0[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = lanes_1(node_1->center[i]);
        h[i] = lanes_1(node_1->half[i]);
    }
    for (int i = 0; i < 3; ++i) {
        t[i] = iso_wide_mul_add(x_01->r[i][0], c[0], x_01->p[i]);
        t[i] = iso_wide_mul_add(x_01->r[i][1], c[1], t[i]);
        t[i] = iso_wide_mul_add(x_01->r[i][2], c[2], t[i]);
        t[i] = iso_wide_sub(t[i], lanes_0(node_0->center[i]));
        half_0[i] = lanes_0(node_0->half[i]);
        iso_wide reach = iso_wide_mul_add(x_01->r_abs[i][0], h[0], half_0[i]);
        reach = iso_wide_mul_add(x_01->r_abs[i][1], h[1], reach);
        reach = iso_wide_mul_add(x_01->r_abs[i][2], h[2], reach);
        hit = iso_wide_and(hit, iso_wide_less_equal(iso_wide_abs(t[i]), reach));
    }
    for (int i = 0; i < 3; ++i) {
        iso_wide along = iso_wide_mul(x_01->r[0][i], t[0]);
        along = iso_wide_mul_add(x_01->r[1][i], t[1], along);
        along = iso_wide_mul_add(x_01->r[2][i], t[2], along);
        iso_wide reach = iso_wide_mul_add(x_01->r_abs[0][i], half_0[0], h[i]);
        reach = iso_wide_mul_add(x_01->r_abs[1][i], half_0[1], reach);
        reach = iso_wide_mul_add(x_01->r_abs[2][i], half_0[2], reach);
        hit = iso_wide_and(hit, iso_wide_less_equal(iso_wide_abs(along), reach));
    }
    return iso_wide_bits(hit);
}

// Descend both trees; out_pairs receives (leaf of tree 0, leaf of tree 1) one after the other.
static bool descend(const iso_bvh* tree_0, const iso_bvh* tree_1, const iso_pose* x_01,
                    int_list* out_pairs) {
    pose_wide x = spread(x_01);
    slot_pair stack[STACK_SIZE];
    int depth = 0;
    stack[depth++] = (slot_pair){ROOT_SLOT, ROOT_SLOT};
    expansion e_0, e_1;
    while (depth > 0) {
        slot_pair top = stack[--depth];
        expand(tree_0, top.slot_0, &e_0);
        expand(tree_1, top.slot_1, &e_1);
        int hits = overlapping(e_0.node, e_1.node, &x);
        if (hits == 0) {
            continue;
        }
        if (!list_reserve(out_pairs, 8)) {
            return false;
        }
        for (int lane = 3; lane >= 0; --lane) {
            int i = lane >> 1, j = lane & 1;
            if (!(hits >> lane & 1) || i >= e_0.count || j >= e_1.count) {
                continue;
            }
            int child_0 = e_0.node->child[i], child_1 = e_1.node->child[j];
            if (child_0 < 0 && child_1 < 0) {
                out_pairs->data[out_pairs->count++] = -1 - child_0;
                out_pairs->data[out_pairs->count++] = -1 - child_1;
            } else {
                stack[depth++] = (slot_pair){e_0.slots[i], e_1.slots[j]};
            }
        }
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

static bool cuts(const iso_bvh_node* node, int side, iso_affine f, double low, double high,
                 bool use_interval) {
    if (!(node->half[0][side] >= 0.0)) {
        return false;
    }
    double middle = f.gradient.x * node->center[0][side] + f.gradient.y * node->center[1][side] +
                    f.gradient.z * node->center[2][side] + f.offset;
    double reach = fabs(f.gradient.x) * node->half[0][side] +
                   fabs(f.gradient.y) * node->half[1][side] +
                   fabs(f.gradient.z) * node->half[2][side];
    double least = use_interval ? node->low[side] : low;
    double most = use_interval ? node->high[side] : high;
    return middle + reach >= least && middle - reach <= most;
}

iso_status iso_bvh_cut(iso_arena* arena, const iso_bvh* tree, iso_affine f, double low, double high,
                       bool use_interval, int** out_leaves, int* out_count) {
    int_list list = {.arena = arena};
    int stack[STACK_SIZE];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const iso_bvh_node* node = &tree->nodes[stack[--depth]];
        ISO_REQUIRE(arena->ctx, list_reserve(&list, 2), ISO_ERR_MEMORY, "leaves cut by a plane");
        for (int side = 1; side >= 0; --side) {
            if (!cuts(node, side, f, low, high, use_interval)) {
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
    return fabs(point.x - node->center[0][side]) <= node->half[0][side] &&
           fabs(point.y - node->center[1][side]) <= node->half[1][side] &&
           fabs(point.z - node->center[2][side]) <= node->half[2][side];
}

int iso_bvh_next_leaf(const iso_bvh* tree, iso_vec3 point, int cursor) {
    int stack[STACK_SIZE];
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
