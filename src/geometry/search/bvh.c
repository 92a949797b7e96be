// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/search/bvh.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "math/lanes_f64x4.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Above this depth splits are at the median, which bounds the depth (and every stack) below 64.
#define DEPTH_OF_MEDIAN 32
// Larger sets are split along their longest axis only; smaller ones try all three.
#define THREE_AXES_COUNT 4096
// Growth of the boxes against rounding in the overlap tests, relative to the largest coordinate.
#define BOX_PADDING 2e-13
// Bits of a key that are sorted at a time; fewer elements are sorted by comparing them.
#define DIGIT_BITS 11
#define DIGIT_COUNT (1 << DIGIT_BITS)
#define MANY_KEYS 1024
// Boxes are fetched so many elements before they are needed.
#define AHEAD 8

typedef struct sort_key {
    uint64_t bits; // of the key
    int element;
} sort_key;

// What is split are elements, of which a leaf takes four, or packets of four, of which it takes
// one.
typedef struct builder {
    const iso_bvh_box* boxes;         // [count] of elements or packets
    const iso_bvh_box* element_boxes; // [element_count]
    bool is_packed;                   // packets, of elements as they come
    int count;                        // elements or packets
    int leaf_size;                    // how many of them
    double* costs;                    // [count] scratch: area of the boxes from the right
    int* orders[3];                   // [count] along each axis, partitioned in place
    int* spare;                       // [count] scratch
    bool* is_left;                    // [count] scratch, by element or packet
    double padding;                   // [m]
    iso_bvh* tree;                    // nodes and leaves are appended
} builder;

static iso_bvh_box empty_box(void) {
    return (iso_bvh_box){iso_vec3_make(INFINITY, INFINITY, INFINITY),
                         iso_vec3_make(-INFINITY, -INFINITY, -INFINITY), INFINITY, -INFINITY};
}

static iso_bvh_box merge(iso_bvh_box a, const iso_bvh_box* b) {
    return (iso_bvh_box){iso_vec3_min(a.lower, b->lower), iso_vec3_max(a.upper, b->upper),
                         a.low < b->low ? a.low : b->low, a.high > b->high ? a.high : b->high};
}

// A box without its interval; what the fourth lanes hold is no matter.
typedef struct lane_box {
    iso_double4 lower, upper;
} lane_box;

_Static_assert(offsetof(iso_bvh_box, upper) == 3 * sizeof(double) &&
                   offsetof(iso_bvh_box, low) == 6 * sizeof(double),
               "boxes are read by lanes");

static inline lane_box empty_lanes(void) {
    return (lane_box){iso_double4_set(INFINITY), iso_double4_set(-INFINITY)};
}

static inline lane_box load_lanes(const iso_bvh_box* box) {
    const double* numbers = (const double*)(const void*)box;
    return (lane_box){iso_double4_load(numbers), iso_double4_load(numbers + 3)};
}

static inline lane_box merge_lanes(lane_box a, lane_box b) {
    return (lane_box){iso_double4_min(a.lower, b.lower), iso_double4_max(a.upper, b.upper)};
}

static inline double half_area(lane_box box) {
    double size[4];
    iso_double4_store(size, iso_double4_sub(box.upper, box.lower));
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

static int compare_keys(const void* left, const void* right) {
    const sort_key* a = left;
    const sort_key* b = right;
    if (a->bits != b->bits) {
        return a->bits < b->bits ? -1 : 1;
    }
    return (a->element > b->element) - (a->element < b->element);
}

// Bits of a number in the order of its value.
static uint64_t ordered_bits(double x) {
    uint64_t bits;
    x += 0.0; // no -0
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

// One pass over a digit of keys, which keeps the order of those that agree in it. @return false
// when all do
static bool sort_digit(const sort_key* from, sort_key* to, int count, int shift) {
    int places[DIGIT_COUNT] = {0}, sum = 0;
    for (int i = 0; i < count; ++i) {
        ++places[from[i].bits >> shift & (DIGIT_COUNT - 1)];
    }
    if (places[from[0].bits >> shift & (DIGIT_COUNT - 1)] == count) {
        return false;
    }
    for (int digit = 0; digit < DIGIT_COUNT; ++digit) {
        int here = places[digit];
        places[digit] = sum;
        sum += here;
    }
    for (int i = 0; i < count; ++i) {
        to[places[from[i].bits >> shift & (DIGIT_COUNT - 1)]++] = from[i];
    }
    return true;
}

// By key, then by element, in whose order they come. @return keys or spare, where the result is
static sort_key* sort_keys(sort_key* keys, sort_key* spare, int count) {
    if (count < MANY_KEYS) {
        qsort(keys, (size_t)count, sizeof *keys, compare_keys);
        return keys;
    }
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (sort_digit(keys, spare, count, shift)) {
            sort_key* swap = keys;
            keys = spare;
            spare = swap;
        }
    }
    return keys;
}

// A packet of less than four comes last along all axes: all leaves but the last are full.
static bool is_part(const builder* build, int index) {
    return build->is_packed && ISO_BVH_LEAF_SIZE * (index + 1) > build->tree->element_count;
}

// All elements or packets, sorted along each axis. @param keys  [2 * count] scratch
static void sort_elements(builder* build, sort_key* keys) {
    int count = build->count;
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < count; ++i) {
            const iso_bvh_box* box = &build->boxes[i];
            double key = iso_vec3_get(box->lower, axis) + iso_vec3_get(box->upper, axis);
            keys[i] = (sort_key){ordered_bits(is_part(build, i) ? INFINITY : key), i};
        }
        const sort_key* sorted =
            count > build->leaf_size ? sort_keys(keys, keys + count, count) : keys;
        for (int i = 0; i < count; ++i) {
            build->orders[axis][i] = sorted[i].element;
        }
    }
}

// Bring the first elements of a range along one axis to the front along the others too.
static void partition(builder* build, int begin, int middle, int end, int axis) {
    for (int i = begin; i < end; ++i) {
        build->is_left[build->orders[axis][i]] = i < middle;
    }
    for (int other = 0; other < 3; ++other) {
        int* order = build->orders[other];
        int left = begin, right = 0;
        for (int i = begin; other != axis && i < end; ++i) {
            int element = order[i], is_left = build->is_left[element];
            order[left] = element;
            build->spare[right] = element;
            left += is_left;
            right += !is_left;
        }
        memcpy(order + left, build->spare, (size_t)right * sizeof *order);
    }
}

// Cheapest place to split a range along an axis, at a multiple of the leaf size from its begin.
static int cheapest_split(builder* build, int begin, int end, int axis, double* out_cost) {
    const int* order = build->orders[axis];
    lane_box box = empty_lanes();
    for (int i = end - 1; i > begin; --i) {
        __builtin_prefetch(&build->boxes[order[i > begin + AHEAD ? i - AHEAD : begin]]);
        box = merge_lanes(box, load_lanes(&build->boxes[order[i]]));
        build->costs[i] = half_area(box);
    }
    int best = begin + build->leaf_size;
    *out_cost = INFINITY;
    box = empty_lanes();
    for (int i = begin; i < end - 1; ++i) {
        __builtin_prefetch(&build->boxes[order[i + AHEAD < end ? i + AHEAD : end - 1]]);
        box = merge_lanes(box, load_lanes(&build->boxes[order[i]]));
        int left = i + 1 - begin;
        if (left % build->leaf_size == 0) {
            double cost =
                half_area(box) * (double)left + build->costs[i + 1] * (double)(end - i - 1);
            if (cost < *out_cost) {
                *out_cost = cost;
                best = i + 1;
            }
        }
    }
    return best;
}

static int median_split(int begin, int end, int leaf_size) {
    int half = (end - begin + 1) / 2;
    return begin + (half + leaf_size - 1) / leaf_size * leaf_size;
}

static int longest_axis(const builder* build, int begin, int end) {
    lane_box box = empty_lanes();
    for (int i = begin; i < end; ++i) {
        lane_box element = load_lanes(&build->boxes[build->orders[0][i]]);
        iso_double4 twice_center = iso_double4_add(element.lower, element.upper);
        box = merge_lanes(box, (lane_box){twice_center, twice_center});
    }
    double size[4];
    iso_double4_store(size, iso_double4_sub(box.upper, box.lower));
    if (size[0] >= size[1] && size[0] >= size[2]) {
        return 0;
    }
    return size[1] >= size[2] ? 1 : 2;
}

// Split a range so that [begin, result) and [result, end) are the two children along an axis.
static int split(builder* build, int begin, int end, int depth, int* out_axis) {
    int longest = longest_axis(build, begin, end),
        best = median_split(begin, end, build->leaf_size);
    double best_cost = INFINITY, cost;
    *out_axis = longest;
    for (int axis = 0; axis < 3 && depth < DEPTH_OF_MEDIAN; ++axis) {
        if (axis != longest && end - begin > THREE_AXES_COUNT) {
            continue;
        }
        int middle = cheapest_split(build, begin, end, axis, &cost);
        if (cost < best_cost || end - begin > THREE_AXES_COUNT) {
            best_cost = cost;
            best = middle;
            *out_axis = axis;
        }
    }
    return best;
}

static double largest_coordinate(const iso_bvh_box* boxes, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            largest = fmax(largest, fabs(iso_vec3_get(boxes[i].lower, axis)));
            largest = fmax(largest, fabs(iso_vec3_get(boxes[i].upper, axis)));
        }
    }
    return largest;
}

static float round_down(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float round_up(double x) {
    return -round_down(-x);
}

static void set_child(iso_bvh_node* node, int side, const iso_bvh_box* box, double padding,
                      int child) {
    for (int axis = 0; axis < 3; ++axis) {
        double lower = iso_vec3_get(box->lower, axis);
        double upper = iso_vec3_get(box->upper, axis);
        float center = (float)(0.5 * (lower + upper));
        double half = fmax(upper - (double)center, (double)center - lower);
        node->center[axis][side] = center;
        node->half[axis][side] = round_up(half + padding);
    }
    node->low[side] = round_down(box->low);
    node->high[side] = round_up(box->high);
    node->child[side] = child;
}

static void set_lane(iso_bvh_lanes* lanes, int lane, const iso_bvh_box* box) {
    for (int axis = 0; axis < 3; ++axis) {
        lanes->lower[axis][lane] = round_down(iso_vec3_get(box->lower, axis));
        lanes->upper[axis][lane] = round_up(iso_vec3_get(box->upper, axis));
    }
}

// The element in a lane of a leaf over [begin, end); -1: none.
static int element_of(const builder* build, int begin, int end, int axis, int lane) {
    if (build->is_packed) {
        int element = ISO_BVH_LEAF_SIZE * build->orders[axis][begin] + lane;
        return element < build->tree->element_count ? element : -1;
    }
    return begin + lane < end ? build->orders[axis][begin + lane] : -1;
}

// Builds the subtree of a range, of which a leaf's elements are in the order along an axis; returns
// its reference (node, or -1 - leaf) and its box.
static int build_range(builder* build, int begin, int end, int depth, int axis,
                       iso_bvh_box* out_box) {
    iso_bvh* tree = build->tree;
    if (end - begin <= build->leaf_size) {
        int leaf = tree->leaf_count++;
        *out_box = empty_box();
        tree->turns[leaf] = (iso_bvh_turn){.depth = (unsigned)(depth > 0 ? depth : 1) & 63u};
        for (int i = 0; i < ISO_BVH_LEAF_SIZE; ++i) {
            int element = element_of(build, begin, end, axis, i);
            iso_bvh_box nothing = empty_box();
            const iso_bvh_box* box = element >= 0 ? &build->element_boxes[element] : &nothing;
            tree->elements[leaf * ISO_BVH_LEAF_SIZE + i] = element;
            *out_box = merge(*out_box, box);
            set_lane(&tree->lanes[leaf], i, box);
        }
        return -1 - leaf;
    }
    int node = tree->node_count++;
    int middle = split(build, begin, end, depth, &axis);
    partition(build, begin, middle, end, axis);
    iso_bvh_box left, right;
    int first = tree->leaf_count;
    int left_child = build_range(build, begin, middle, depth + 1, axis, &left);
    int right_child = build_range(build, middle, end, depth + 1, axis, &right);
    if (left_child >= 0 && right_child < 0) {
        int leaf = -1 - right_child;
        tree->turns[leaf].jump = (unsigned)(leaf - first) & ((1u << 26) - 1);
    }
    set_child(&tree->nodes[node], 0, &left, build->padding, left_child);
    set_child(&tree->nodes[node], 1, &right, build->padding, right_child);
    *out_box = merge(left, &right);
    return node;
}

static void build_tree(builder* build) {
    iso_bvh* tree = build->tree;
    if (build->count > build->leaf_size) {
        build_range(build, 0, build->count, 0, 0, &tree->bounds);
        return;
    }
    tree->node_count = 1; // a root over a single leaf and a child that nothing overlaps
    int leaf = build_range(build, 0, build->count, 0, 0, &tree->bounds);
    iso_bvh_box nothing = {iso_vec3_zero(), iso_vec3_zero(), INFINITY, -INFINITY};
    set_child(&tree->nodes[0], 0, &tree->bounds, build->padding, leaf);
    set_child(&tree->nodes[0], 1, &nothing, 0.0, leaf);
    for (int axis = 0; axis < 3; ++axis) {
        tree->nodes[0].half[axis][1] = -INFINITY;
    }
}

static void fill_packets(const iso_bvh_box* boxes, int element_count, iso_bvh_box* packets) {
    for (int i = 0; i < element_count; ++i) {
        iso_bvh_box* packet = &packets[i / ISO_BVH_LEAF_SIZE];
        *packet = merge(i % ISO_BVH_LEAF_SIZE == 0 ? empty_box() : *packet, &boxes[i]);
    }
}

static iso_status build(iso_context* ctx, const iso_bvh_box* boxes, int element_count,
                        bool is_packed, iso_bvh* out_tree) {
    *out_tree = (iso_bvh){0};
    ISO_REQUIRE(ctx, element_count > 0, ISO_ERR_ARGUMENT, "tree of %d elements, expected 1 or more",
                element_count);
    // Every split leaves a multiple of the leaf size on its left: all leaves but those at right
    // ends are full, and a range of n elements makes exactly ceil(n / 4) leaves.
    int leaf_count = (element_count + ISO_BVH_LEAF_SIZE - 1) / ISO_BVH_LEAF_SIZE;
    int count = is_packed ? leaf_count : element_count;
    iso_bvh tree = {.element_count = element_count};
    builder own = {.boxes = boxes, .element_boxes = boxes, .is_packed = is_packed};
    own.count = count;
    own.leaf_size = is_packed ? 1 : ISO_BVH_LEAF_SIZE;
    own.tree = &tree;
    own.padding = BOX_PADDING * largest_coordinate(boxes, element_count);
    iso_status status = ISO_OK;
    iso_bvh_box* packets = is_packed ? iso_alloc_array(ctx, count, sizeof *packets) : NULL;
    tree.nodes = iso_alloc_array(ctx, leaf_count, sizeof *tree.nodes);
    tree.elements = iso_alloc_array(ctx, leaf_count, ISO_BVH_LEAF_SIZE * sizeof *tree.elements);
    tree.lanes = iso_alloc_array(ctx, leaf_count, sizeof *tree.lanes);
    tree.turns = iso_alloc_array(ctx, leaf_count, sizeof *tree.turns);
    sort_key* keys = iso_alloc_array(ctx, count, 2 * sizeof *keys);
    int* orders = iso_alloc_array(ctx, count, 4 * sizeof *orders);
    own.costs = iso_alloc_array(ctx, count, sizeof *own.costs);
    own.is_left = iso_alloc_array(ctx, count, sizeof *own.is_left);
    ISO_CHECK(ctx,
              tree.nodes && tree.elements && tree.lanes && tree.turns && keys && orders &&
                  own.costs && own.is_left && (packets || !is_packed),
              ISO_ERR_MEMORY, "bounding-volume tree of %d elements", element_count);
    if (is_packed) {
        fill_packets(boxes, element_count, packets);
        own.boxes = packets;
    }
    for (int axis = 0; axis < 3; ++axis) {
        own.orders[axis] = orders + (size_t)axis * (size_t)count;
    }
    own.spare = orders + (size_t)3 * (size_t)count;
    sort_elements(&own, keys);
    build_tree(&own);
    *out_tree = tree;

done:
    iso_free(ctx, packets);
    iso_free(ctx, keys);
    iso_free(ctx, orders);
    iso_free(ctx, own.costs);
    iso_free(ctx, own.is_left);
    if (status != ISO_OK) {
        iso_bvh_destroy(ctx, &tree);
    }
    return status;
}

iso_status iso_bvh_build(iso_context* ctx, const iso_bvh_box* boxes, int element_count,
                         iso_bvh* out_tree) {
    return build(ctx, boxes, element_count, false, out_tree);
}

iso_status iso_bvh_build_packed(iso_context* ctx, const iso_bvh_box* boxes, int element_count,
                                iso_bvh* out_tree) {
    return build(ctx, boxes, element_count, true, out_tree);
}

void iso_bvh_destroy(iso_context* ctx, iso_bvh* tree) {
    iso_free(ctx, tree->nodes);
    iso_free(ctx, tree->elements);
    iso_free(ctx, tree->lanes);
    iso_free(ctx, tree->turns);
    *tree = (iso_bvh){0};
}
