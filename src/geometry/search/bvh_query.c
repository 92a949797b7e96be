// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/search/bvh.h"

#include "base/core/fail.h"
#include "geometry/search/bvh_descent.h"

#include <limits.h>
#include <string.h>

// Pairs that are found before a filter is asked: few take less time than asking.
#define UNASKED_PAIRS 256

typedef struct int_list {
    iso_arena* arena;
    int* data; // the arena's newest allocation
    int count, capacity;
} int_list;

static bool list_grow(int_list* list) {
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

// Up to 1024 more; inline, as every node asks.
static inline bool list_reserve(int_list* list, int more) {
    return list->count + more <= list->capacity || list_grow(list);
}

static double reach_of(const iso_bvh* tree) {
    iso_vec3 a = tree->bounds.lower, b = tree->bounds.upper;
    double x = fmax(fabs(a.x), fabs(b.x)), y = fmax(fabs(a.y), fabs(b.y));
    return x + y + fmax(fabs(a.z), fabs(b.z));
}

iso_bvh_float4_pose iso_bvh_float4_spread(const iso_bvh* tree_0, const iso_bvh* tree_1,
                                          const iso_pose* x_01) {
    iso_bvh_float4_pose out;
    const double p[3] = {x_01->p.x, x_01->p.y, x_01->p.z};
    double size = reach_of(tree_0) + reach_of(tree_1);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out.r[i][j] = iso_float4_set((float)x_01->r.m[i][j]);
            out.r_abs[i][j] = iso_float4_set((float)fabs(x_01->r.m[i][j]));
        }
        out.p[i] = iso_float4_set((float)p[i]);
        size += fabs(p[i]);
    }
    out.slack = iso_float4_set((float)(ISO_BVH_FLOAT_SLACK * size));
    return out;
}

// Two nodes, and which pairs of their children count, by lane as iso_bvh_overlapping().
typedef struct node_pair {
    int node_0, node_1, lanes;
} node_pair;

// A descent of two trees.
typedef struct descent {
    const iso_bvh *tree_0, *tree_1;
    iso_bvh_float4_pose x_01;
    iso_bvh_filter filter;
    const void* user;
    int_list pairs; // (leaf of tree 0, leaf of tree 1), one after the other
    int depth;
    node_pair stack[ISO_BVH_STACK_SIZE];
} descent;

// Lanes of two leaves.
static inline int leaf_lanes(const iso_bvh_node* node_0, const iso_bvh_node* node_1) {
    const int *a = node_0->child, *b = node_1->child;
    return (((a[0] >> 31) & 3) | ((a[1] >> 31) & 12)) & (((b[0] >> 31) & 5) | ((b[1] >> 31) & 10));
}

// Child i of node 0 with child j of node 1, of which one is not a leaf. A leaf stays where it is.
static inline node_pair below(const iso_bvh_node* node_0, const iso_bvh_node* node_1, node_pair at,
                              int i, int j) {
    int child_0 = node_0->child[i], child_1 = node_1->child[j];
    int lanes_0 = child_0 >= 0 ? 15 : 3 << 2 * i, lanes_1 = child_1 >= 0 ? 15 : 5 << j;
    return (node_pair){child_0 >= 0 ? child_0 : at.node_0, child_1 >= 0 ? child_1 : at.node_1,
                       lanes_0 & lanes_1};
}

static iso_bvh_expansion expansion_of(const iso_bvh* tree, int node, bool has_first,
                                      bool has_second) {
    return (iso_bvh_expansion){
        &tree->nodes[node], {2 * node, 2 * node + 1}, (int)has_first | (int)has_second << 1};
}

// The lanes that a filter keeps.
static int ask(const descent* d, node_pair at) {
    iso_bvh_expansion e_0 =
        expansion_of(d->tree_0, at.node_0, (at.lanes & 3) != 0, (at.lanes & 12) != 0);
    iso_bvh_expansion e_1 =
        expansion_of(d->tree_1, at.node_1, (at.lanes & 5) != 0, (at.lanes & 10) != 0);
    return d->filter(d->user, &e_0, &e_1);
}

// Go on until so many pairs are found, or all.
// @param is_asked  the filter; what does not ask keeps its constants in registers
__attribute__((always_inline)) static inline bool descend(descent* d, int limit, bool is_asked) {
    const iso_bvh_node *nodes_0 = d->tree_0->nodes, *nodes_1 = d->tree_1->nodes;
    const iso_bvh_float4_pose x_01 = d->x_01;
    int_list* pairs = &d->pairs;
    int depth = d->depth;
    while (depth > 0 && pairs->count < limit) {
        const node_pair at = d->stack[--depth];
        const iso_bvh_node *node_0 = &nodes_0[at.node_0], *node_1 = &nodes_1[at.node_1];
        int hits = iso_bvh_overlapping(node_0, node_1, &x_01) & at.lanes;
        if (is_asked && hits != 0) {
            hits &= ask(d, at);
        }
        if (hits == 0) {
            continue;
        }
        int leaves = hits & leaf_lanes(node_0, node_1), inner = hits & ~leaves;
        for (int lane = 3; lane >= 0; --lane) {
            if (inner >> lane & 1) {
                d->stack[depth++] = below(node_0, node_1, at, lane >> 1, lane & 1);
            }
        }
        if (leaves == 0) {
            continue;
        }
        if (!list_reserve(pairs, 8)) {
            return false;
        }
        int* to = &pairs->data[pairs->count];
        for (int lane = 0; lane < 4; ++lane) {
            if (leaves >> lane & 1) {
                *to++ = -1 - node_0->child[lane >> 1];
                *to++ = -1 - node_1->child[lane & 1];
            }
        }
        pairs->count = (int)(to - pairs->data);
    }
    d->depth = depth;
    return true;
}

static bool descend_unasked(descent* d, int limit) {
    return descend(d, limit, false);
}

static bool descend_asked(descent* d) {
    return descend(d, INT_MAX, true);
}

// Counting sort of pairs by the leaf of tree 1: stable, so the order stays that of the descent.
static iso_status sort_pairs(iso_arena* arena, const int_list* pairs, int leaf_count, int* offsets,
                             iso_bvh_matches* out_matches) {
    int count = pairs->count / 2;
    int* leaves = iso_arena_push_array(arena, count, sizeof *leaves);
    ISO_REQUIRE(arena->ctx, leaves, ISO_ERR_MEMORY, "%d candidate pairs", count);
    memset(offsets, 0, (size_t)(leaf_count + 2) * sizeof *offsets);
    for (int i = 0; i < count; ++i) {
        offsets[pairs->data[2 * i + 1] + 2]++;
    }
    for (int i = 2; i < leaf_count + 2; ++i) {
        offsets[i] += offsets[i - 1];
    }
    for (int i = 0; i < count; ++i) {
        leaves[offsets[pairs->data[2 * i + 1] + 1]++] = pairs->data[2 * i];
    }
    *out_matches = (iso_bvh_matches){count, offsets, leaves};
    return ISO_OK;
}

iso_status iso_bvh_match_filtered(iso_arena* arena, const iso_bvh* tree_0, const iso_bvh* tree_1,
                                  const iso_pose* x_01, iso_bvh_filter filter, const void* user,
                                  iso_bvh_matches* out_matches) {
    *out_matches = (iso_bvh_matches){0};
    int* offsets = iso_arena_push_array(arena, tree_1->leaf_count + 2, sizeof *offsets);
    descent d;
    d.tree_0 = tree_0;
    d.tree_1 = tree_1;
    d.x_01 = iso_bvh_float4_spread(tree_0, tree_1, x_01);
    d.filter = filter;
    d.user = user;
    d.pairs = (int_list){.arena = arena};
    d.depth = 1;
    d.stack[0] = (node_pair){0, 0, 15};
    bool ok = offsets && descend_unasked(&d, filter ? 2 * UNASKED_PAIRS : INT_MAX) &&
              (!filter || descend_asked(&d));
    ISO_REQUIRE(arena->ctx, ok, ISO_ERR_MEMORY, "candidate pairs of two trees");
    return sort_pairs(arena, &d.pairs, tree_1->leaf_count, offsets, out_matches);
}

iso_status iso_bvh_match(iso_arena* arena, const iso_bvh* tree_0, const iso_bvh* tree_1,
                         const iso_pose* x_01, iso_bvh_matches* out_matches) {
    return iso_bvh_match_filtered(arena, tree_0, tree_1, x_01, NULL, NULL, out_matches);
}

// Children of a node that a function cuts, one bit each: both side by side, in the even lanes.
static int cuts(const iso_bvh_node* node, const iso_double4 gradient[4],
                const iso_double4 reach_of[3], iso_double4 low, iso_double4 high,
                bool use_interval) {
    iso_double4 middle = gradient[3], reach = iso_double4_set(0.0);
    for (int axis = 0; axis < 3; ++axis) {
        iso_double4 center = iso_double4_load_floats_twice(node->center[axis]);
        iso_double4 half = iso_double4_load_floats_twice(node->half[axis]);
        middle = iso_double4_mul_add(gradient[axis], center, middle);
        reach = iso_double4_mul_add(reach_of[axis], half, reach);
    }
    iso_double4 least = use_interval ? iso_double4_load_floats_twice(node->low) : low;
    iso_double4 most = use_interval ? iso_double4_load_floats_twice(node->high) : high;
    return iso_double4_bits(
               iso_double4_and(iso_double4_greater_equal(iso_double4_add(middle, reach), least),
                               iso_double4_less_equal(iso_double4_sub(middle, reach), most))) &
           3;
}

iso_status iso_bvh_cut(iso_arena* arena, const iso_bvh* tree, iso_affine f, double low, double high,
                       bool use_interval, int** out_leaves, int* out_count) {
    int_list list = {.arena = arena};
    int stack[ISO_BVH_STACK_SIZE];
    int depth = 0;
    const double* g = &f.gradient.x;
    iso_double4 gradient[4] = {iso_double4_set(g[0]), iso_double4_set(g[1]), iso_double4_set(g[2]),
                               iso_double4_set(f.offset)};
    iso_double4 reach_of[3] = {iso_double4_abs(gradient[0]), iso_double4_abs(gradient[1]),
                               iso_double4_abs(gradient[2])};
    iso_double4 least = iso_double4_set(low), most = iso_double4_set(high);
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

void iso_bvh_visit_begin(iso_bvh_visit* visit) {
    visit->depth = 1;
    visit->stack[0] = 0;
}

int iso_bvh_visit_next(const iso_bvh* tree, iso_vec3 point, iso_bvh_visit* visit) {
    while (visit->depth > 0) {
        int at = visit->stack[--visit->depth];
        if (at < 0) {
            return -1 - at;
        }
        const iso_bvh_node* node = &tree->nodes[at];
        for (int side = 1; side >= 0; --side) {
            if (contains(node, side, point)) {
                visit->stack[visit->depth++] = node->child[side];
            }
        }
    }
    return -1;
}
