// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "isobar/math.h"

/// Elements per leaf: one packet of SIMD lanes.
#define ISO_BVH_LEAF_SIZE 4

/// Room for a descent of one tree or two. A pop replaces one entry by at most four, trees are less
/// than 64 deep: 3 * 2 * 64 + 4 suffices.
#define ISO_BVH_STACK_SIZE 512

/// Box of one element, axes of the tree's frame, and the interval of a scalar that the element
/// carries (pressure); (-INFINITY, INFINITY) where there is none.
typedef struct iso_bvh_box {
    iso_vec3 lower, upper;
    double low, high;
} iso_bvh_box;

/// Boxes have a point in common; of their intervals nothing is asked.
static inline bool iso_bvh_boxes_meet(const iso_bvh_box* a, const iso_bvh_box* b) {
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

/// An inner node holds the boxes of its two children side by side, [axis][side].
typedef struct iso_bvh_node {
    float center[3][2];    ///< [m]
    float half[3][2];      ///< half widths, padded against rounding; -INFINITY: no such child
    float low[2], high[2]; ///< rounded outward
    int child[2];          ///< >= 0: node; < 0: leaf -1 - child
} iso_bvh_node;

/// Boxes of the elements of a leaf, [axis][lane], rounded outward; unused lanes hold nothing.
typedef struct iso_bvh_lanes {
    float lower[3][ISO_BVH_LEAF_SIZE], upper[3][ISO_BVH_LEAF_SIZE];
} iso_bvh_lanes;

/// Where a leaf is in its tree. A leaf on the right of an inner node comes before that node's
/// leaves in a descent of two trees, unless the other tree's leaf is deeper.
typedef struct iso_bvh_turn {
    unsigned depth : 6; ///< of the leaf; below the root 1
    unsigned jump : 26; ///< leaves below its sibling, an inner node to the left; 0: there is none
} iso_bvh_turn;

/// Tree of axis-aligned boxes in the frame of a body, built once. Elements are permuted so that
/// leaf i owns elements[4 i .. 4 i + 3]; unused places at the end of a leaf hold -1.
typedef struct iso_bvh {
    int node_count;
    int leaf_count;
    int element_count;
    iso_bvh_node* nodes;  ///< [node_count], the root is node 0
    int* elements;        ///< [4 leaf_count]
    iso_bvh_lanes* lanes; ///< [leaf_count] boxes of its elements
    iso_bvh_turn* turns;  ///< [leaf_count]
    iso_bvh_box bounds;
} iso_bvh;

/// Build: splits by the surface-area heuristic at multiples of the leaf size, so leaves are full.
/// Deterministic; O(n log n). element_count >= 1.
/// @return ISO_ERR_ARGUMENT (no elements), ISO_ERR_MEMORY; the tree is zeroed on error
iso_status iso_bvh_build(iso_context* ctx, const iso_bvh_box* boxes, int element_count,
                         iso_bvh* out_tree);
/// The same with leaves of four elements that follow each other, which costs a quarter. The tree is
/// as good as these are near each other.
iso_status iso_bvh_build_packed(iso_context* ctx, const iso_bvh_box* boxes, int element_count,
                                iso_bvh* out_tree);
void iso_bvh_destroy(iso_context* ctx, iso_bvh* tree);

/// Which leaves of tree 0 may touch each leaf of tree 1: leaf j of tree 1 meets
/// leaves[offsets[j] .. offsets[j + 1] - 1]. In arena memory.
typedef struct iso_bvh_matches {
    int count;
    const int* offsets; ///< [leaf_count of tree 1, plus 1]
    const int* leaves;  ///< [count]
} iso_bvh_matches;

/// Pairs of leaves whose boxes and scalar intervals overlap, trees in frames 0 and 1.
/// Separating-axis test of four pairs of boxes at a time with one relative rotation for the whole
/// query. Deterministic order.
iso_status iso_bvh_match(iso_arena* arena, const iso_bvh* tree_0, const iso_bvh* tree_1,
                         const iso_pose* x_01, iso_bvh_matches* out_matches);

/// Whether leaf a of tree 0 comes before leaf b among those that meet one leaf of tree 1.
/// @param depth_1  of the leaf of tree 1
static inline bool iso_bvh_leaf_comes_first(const iso_bvh* tree_0, int a, int b, int depth_1) {
    int later = a > b ? a : b, earlier = a > b ? b : a;
    const iso_bvh_turn* turn = &tree_0->turns[later];
    bool is_turned = depth_1 <= (int)turn->depth && later - (int)turn->jump <= earlier;
    return (a < b) != is_turned;
}

/// An affine function of position in the tree's frame: gradient . x + offset.
typedef struct iso_affine {
    iso_vec3 gradient;
    double offset;
} iso_affine;

static inline double iso_affine_eval(iso_affine f, iso_vec3 x) {
    return iso_vec3_dot(f.gradient, x) + f.offset;
}

/// Leaves on whose box the affine function takes a value of [low, high]; with use_interval instead
/// a value of the leaf's own scalar interval. In arena memory, deterministic order.
iso_status iso_bvh_cut(iso_arena* arena, const iso_bvh* tree, iso_affine f, double low, double high,
                       bool use_interval, int** out_leaves, int* out_count);

/// One bit per lane of a leaf that holds an element.
static inline int iso_bvh_leaf_lanes(const iso_bvh* tree, int leaf) {
    const int* elements = &tree->elements[leaf * ISO_BVH_LEAF_SIZE];
    return 1 | (elements[1] >= 0) << 1 | (elements[2] >= 0) << 2 | (elements[3] >= 0) << 3;
}

/// Box of a leaf, rounded outward. Its scalar interval is not kept: (-INFINITY, INFINITY).
iso_bvh_box iso_bvh_leaf_box(const iso_bvh* tree, int leaf);

/// A descent of a tree to the leaves whose boxes contain a point.
typedef struct iso_bvh_visit {
    int depth;
    int stack[ISO_BVH_STACK_SIZE]; ///< nodes; leaves as -1 - leaf
} iso_bvh_visit;

void iso_bvh_visit_begin(iso_bvh_visit* visit);

/// The next of these leaves, in the order of the descent; -1 when there is none left.
int iso_bvh_visit_next(const iso_bvh* tree, iso_vec3 point, iso_bvh_visit* visit);
