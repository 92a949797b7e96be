// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Descending two trees at once, four pairs of boxes at a time.

#include "geometry/bvh.h"
#include "math/wide.h"

/// A pop replaces one entry by at most four, trees are less than 64 deep: 3 * 2 * 64 + 4 suffices.
#define ISO_BVH_STACK_SIZE 512

/// A child slot of a node: node * 2 + side, or ISO_BVH_ROOT. Its box and reference sit in the node.
#define ISO_BVH_ROOT (-1)

typedef struct iso_bvh_slots {
    int slot_0, slot_1;
} iso_bvh_slots;

/// The relative pose, spread over lanes.
typedef struct iso_bvh_pose {
    iso_wide r[3][3], r_abs[3][3], p[3];
} iso_bvh_pose;

static inline iso_bvh_pose iso_bvh_spread(const iso_pose* x_01) {
    iso_bvh_pose x;
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

/// The boxes that a slot expands to: the children of a node, or of those of a leaf's parent the
/// leaf itself.
typedef struct iso_bvh_expansion {
    const iso_bvh_node* node;
    int slots[2];
    int sides; ///< which of the two count, one bit each
} iso_bvh_expansion;

static inline void iso_bvh_expand(const iso_bvh* tree, int slot, iso_bvh_expansion* out) {
    int child = slot == ISO_BVH_ROOT ? 0 : tree->nodes[slot >> 1].child[slot & 1];
    int node = child >= 0 ? child : slot >> 1;
    out->node = &tree->nodes[node];
    out->slots[0] = 2 * node;
    out->slots[1] = 2 * node + 1;
    out->sides = child >= 0 ? 3 : 1 << (slot & 1);
}

/// Lanes 2 i + j of which both sides i and j count.
static inline int iso_bvh_expanded(const iso_bvh_expansion* e_0, const iso_bvh_expansion* e_1) {
    int lanes_0 = (e_0->sides & 1) * 3 | (e_0->sides >> 1) * 12;
    return lanes_0 & e_1->sides * 5;
}

static inline iso_wide iso_bvh_lanes_0(const float pair[2]) {
    return iso_wide_load_floats_each_twice(pair);
}

static inline iso_wide iso_bvh_lanes_1(const float pair[2]) {
    return iso_wide_load_floats_twice(pair);
}

/// Lane 2 i + j: child i of node 0 against child j of node 1. Face axes of both boxes.
static inline int iso_bvh_overlapping(const iso_bvh_node* node_0, const iso_bvh_node* node_1,
                                      const iso_bvh_pose* x_01) {
    iso_wide_mask hit = iso_wide_and(
        iso_wide_less_equal(iso_bvh_lanes_0(node_0->low), iso_bvh_lanes_1(node_1->high)),
        iso_wide_less_equal(iso_bvh_lanes_1(node_1->low), iso_bvh_lanes_0(node_0->high)));
    iso_wide c[3], h[3], t[3], half_0[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = iso_bvh_lanes_1(node_1->center[i]);
        h[i] = iso_bvh_lanes_1(node_1->half[i]);
    }
    for (int i = 0; i < 3; ++i) {
        t[i] = iso_wide_mul_add(x_01->r[i][0], c[0], x_01->p[i]);
        t[i] = iso_wide_mul_add(x_01->r[i][1], c[1], t[i]);
        t[i] = iso_wide_mul_add(x_01->r[i][2], c[2], t[i]);
        t[i] = iso_wide_sub(t[i], iso_bvh_lanes_0(node_0->center[i]));
        half_0[i] = iso_bvh_lanes_0(node_0->half[i]);
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

/// A walk over the pairs of leaves whose boxes and scalar intervals overlap.
typedef struct iso_bvh_descent {
    const iso_bvh *tree_0, *tree_1;
    iso_bvh_pose x_01;
    int found[4][2], found_count; ///< leaves of tree 0 and 1, last first
    int depth;
    iso_bvh_slots stack[ISO_BVH_STACK_SIZE];
} iso_bvh_descent;

static inline void iso_bvh_descent_begin(iso_bvh_descent* d, const iso_bvh* tree_0,
                                         const iso_bvh* tree_1, const iso_pose* x_01) {
    d->tree_0 = tree_0;
    d->tree_1 = tree_1;
    d->x_01 = iso_bvh_spread(x_01);
    d->found_count = 0;
    d->depth = 1;
    d->stack[0] = (iso_bvh_slots){ISO_BVH_ROOT, ISO_BVH_ROOT};
}

/// Pairs of children that a walk need look at, by lane as iso_bvh_overlapping().
typedef int (*iso_bvh_filter)(const void* user, const iso_bvh_expansion* e_0,
                              const iso_bvh_expansion* e_1);

/// Expand one pair of nodes: pairs of leaves go to `found`. Nothing is left when depth is 0.
/// @param filter  drops pairs of boxes; NULL: none
static inline void iso_bvh_descent_step(iso_bvh_descent* d, iso_bvh_filter filter,
                                        const void* user) {
    iso_bvh_expansion e_0, e_1;
    iso_bvh_slots top = d->stack[--d->depth];
    iso_bvh_expand(d->tree_0, top.slot_0, &e_0);
    iso_bvh_expand(d->tree_1, top.slot_1, &e_1);
    int hits = iso_bvh_overlapping(e_0.node, e_1.node, &d->x_01) & iso_bvh_expanded(&e_0, &e_1);
    if (hits != 0 && filter) {
        hits &= filter(user, &e_0, &e_1);
    }
    d->found_count = 0;
    for (int lane = 3; hits != 0 && lane >= 0; --lane) {
        int i = lane >> 1, j = lane & 1;
        if (!(hits >> lane & 1)) {
            continue;
        }
        int child_0 = e_0.node->child[i], child_1 = e_1.node->child[j];
        if (child_0 < 0 && child_1 < 0) {
            d->found[d->found_count][0] = -1 - child_0;
            d->found[d->found_count++][1] = -1 - child_1;
        } else {
            d->stack[d->depth++] = (iso_bvh_slots){e_0.slots[i], e_1.slots[j]};
        }
    }
}

/// The next pair of leaves; false when there is none.
static inline bool iso_bvh_descent_next(iso_bvh_descent* d, iso_bvh_filter filter, const void* user,
                                        int* out_leaf_0, int* out_leaf_1) {
    while (d->found_count == 0 && d->depth > 0) {
        iso_bvh_descent_step(d, filter, user);
    }
    if (d->found_count == 0) {
        return false;
    }
    --d->found_count;
    *out_leaf_0 = d->found[d->found_count][0];
    *out_leaf_1 = d->found[d->found_count][1];
    return true;
}

/// iso_bvh_match() without what a filter drops.
iso_status iso_bvh_match_filtered(iso_arena* arena, const iso_bvh* tree_0, const iso_bvh* tree_1,
                                  const iso_pose* x_01, iso_bvh_filter filter, const void* user,
                                  iso_bvh_matches* out_matches);
