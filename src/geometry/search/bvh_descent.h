// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Descending two trees at once, four pairs of boxes at a time.

#include "geometry/search/bvh.h"
#include "math/lanes_f32x4.h"
#include "math/lanes_f64x4.h"

/// A child slot of a node: node * 2 + side, or ISO_BVH_ROOT. Its box and reference sit in the node.
#define ISO_BVH_ROOT (-1)

typedef struct iso_bvh_slots {
    int slot_0, slot_1;
} iso_bvh_slots;

/// The relative pose, spread over lanes.
typedef struct iso_bvh_pose {
    iso_double4 r[3][3], r_abs[3][3], p[3];
} iso_bvh_pose;

static inline iso_bvh_pose iso_bvh_spread(const iso_pose* x_01) {
    iso_bvh_pose x;
    double p[3] = {x_01->p.x, x_01->p.y, x_01->p.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            x.r[i][j] = iso_double4_set(x_01->r.m[i][j]);
            x.r_abs[i][j] = iso_double4_set(fabs(x_01->r.m[i][j]));
        }
        x.p[i] = iso_double4_set(p[i]);
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

static inline iso_double4 iso_bvh_lanes_0(const float pair[2]) {
    return iso_double4_load_floats_each_twice(pair);
}

static inline iso_double4 iso_bvh_lanes_1(const float pair[2]) {
    return iso_double4_load_floats_twice(pair);
}

/// What rounding to floats may move a box by, relative to the bodies and to the way between them:
/// less than 50 roundings of 6e-8, of numbers that are smaller.
#define ISO_BVH_FLOAT_SLACK 4e-6

/// The relative pose in floats, and what rounding to them may do to a position.
typedef struct iso_bvh_float4_pose {
    iso_float4 r[3][3], r_abs[3][3], p[3], slack;
} iso_bvh_float4_pose;

iso_bvh_float4_pose iso_bvh_float4_spread(const iso_bvh* tree_0, const iso_bvh* tree_1,
                                          const iso_pose* x_01);

/// Lane 2 i + j: child i of node 0 against child j of node 1. Face axes of both boxes, in floats:
/// nothing that overlaps is lost.
static inline int iso_bvh_overlapping(const iso_bvh_node* node_0, const iso_bvh_node* node_1,
                                      const iso_bvh_float4_pose* x_01) {
    iso_float4 c[3], h[3], t[3], half_0[3];
    iso_float4_mask hit =
        iso_float4_and(iso_float4_less_equal(iso_float4_load_each_twice(node_0->low),
                                             iso_float4_load_twice(node_1->high)),
                       iso_float4_less_equal(iso_float4_load_twice(node_1->low),
                                             iso_float4_load_each_twice(node_0->high)));
    for (int i = 0; i < 3; ++i) {
        c[i] = iso_float4_load_twice(node_1->center[i]);
        h[i] = iso_float4_load_twice(node_1->half[i]);
    }
    for (int i = 0; i < 3; ++i) {
        t[i] = iso_float4_mul_add(x_01->r[i][0], c[0], x_01->p[i]);
        t[i] = iso_float4_mul_add(x_01->r[i][1], c[1], t[i]);
        t[i] = iso_float4_mul_add(x_01->r[i][2], c[2], t[i]);
        t[i] = iso_float4_sub(t[i], iso_float4_load_each_twice(node_0->center[i]));
        half_0[i] = iso_float4_add(iso_float4_load_each_twice(node_0->half[i]), x_01->slack);
        iso_float4 reach = iso_float4_mul_add(x_01->r_abs[i][0], h[0], half_0[i]);
        reach = iso_float4_mul_add(x_01->r_abs[i][1], h[1], reach);
        reach = iso_float4_mul_add(x_01->r_abs[i][2], h[2], reach);
        hit = iso_float4_and(hit, iso_float4_less_equal(iso_float4_abs(t[i]), reach));
    }
    for (int i = 0; i < 3; ++i) {
        iso_float4 along = iso_float4_mul(x_01->r[0][i], t[0]);
        along = iso_float4_mul_add(x_01->r[1][i], t[1], along);
        along = iso_float4_mul_add(x_01->r[2][i], t[2], along);
        iso_float4 reach = iso_float4_mul_add(x_01->r_abs[0][i], half_0[0], h[i]);
        reach = iso_float4_mul_add(x_01->r_abs[1][i], half_0[1], reach);
        reach = iso_float4_mul_add(x_01->r_abs[2][i], half_0[2], reach);
        hit = iso_float4_and(hit, iso_float4_less_equal(iso_float4_abs(along), reach));
    }
    return iso_float4_bits(hit);
}

/// Pairs of children that a walk need look at, by lane as iso_bvh_overlapping().
typedef int (*iso_bvh_filter)(const void* user, const iso_bvh_expansion* e_0,
                              const iso_bvh_expansion* e_1);

/// iso_bvh_match() without what a filter drops.
iso_status iso_bvh_match_filtered(iso_arena* arena, const iso_bvh* tree_0, const iso_bvh* tree_1,
                                  const iso_pose* x_01, iso_bvh_filter filter, const void* user,
                                  iso_bvh_matches* out_matches);
