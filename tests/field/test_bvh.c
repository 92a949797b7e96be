// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Bounding-volume trees: structure, and queries against every pair tried one by one.

#include "base/core/alloc.h"
#include "geometry/search/bvh.h"
#include "geometry/search/bvh_descent.h"
#include "support/arena_fixture.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define MAX_COUNT 700

static iso_bvh_box boxes[2][MAX_COUNT];

static void random_boxes(test_random* random, int count, iso_bvh_box* out) {
    for (int i = 0; i < count; ++i) {
        iso_vec3 center = test_random_vec3(random, -1.0, 1.0);
        iso_vec3 half = test_random_vec3(random, 0.0, 0.1);
        double value = test_random_uniform(random, -1.0, 1.0);
        out[i] = (iso_bvh_box){iso_vec3_sub(center, half), iso_vec3_add(center, half), value,
                               value + test_random_uniform(random, 0.0, 0.5)};
    }
}

static void check_child(const iso_bvh* tree, const iso_bvh_box* all, const iso_bvh_node* node,
                        int side, int* seen, int depth) {
    CHECK(depth < 64, "depth %d", depth);
    iso_vec3 center = {node->center[0][side], node->center[1][side], node->center[2][side]};
    iso_vec3 half = {node->half[0][side], node->half[1][side], node->half[2][side]};
    iso_vec3 lower = iso_vec3_sub(center, half), upper = iso_vec3_add(center, half);
    if (node->child[side] >= 0) {
        const iso_bvh_node* child = &tree->nodes[node->child[side]];
        for (int i = 0; i < 2; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                // Boxes are rounded outward to floats, each for itself: measured 6e-8.
                CHECK(fabs((double)child->center[axis][i] - (double)node->center[axis][side]) +
                              (double)child->half[axis][i] <=
                          (double)node->half[axis][side] + 2e-7,
                      "child box sticks out along %d", axis);
            }
            check_child(tree, all, child, i, seen, depth + 1);
        }
        return;
    }
    int leaf = -1 - node->child[side];
    for (int i = 0; i < ISO_BVH_LEAF_SIZE; ++i) {
        int element = tree->elements[leaf * ISO_BVH_LEAF_SIZE + i];
        CHECK((element >= 0) == (iso_bvh_leaf_lanes(tree, leaf) >> i & 1), "lane %d", i);
        if (element < 0) {
            continue;
        }
        seen[element]++;
        iso_vec3 low = iso_vec3_min(lower, all[element].lower);
        iso_vec3 high = iso_vec3_max(upper, all[element].upper);
        CHECK_VEC3_NEAR(low, lower, 0.0);
        CHECK_VEC3_NEAR(high, upper, 0.0);
        CHECK((double)node->low[side] <= all[element].low &&
                  (double)node->high[side] >= all[element].high,
              "interval of element %d", element);
    }
}

// Either way of building a tree.
typedef iso_status (*builder)(iso_context*, const iso_bvh_box*, int, iso_bvh*);
static const builder k_builders[2] = {iso_bvh_build, iso_bvh_build_packed};

// What a packed tree has besides: its leaves are runs of four, and only the last is not full.
static void check_packed(const iso_bvh* tree) {
    for (int i = 0; i < 4 * tree->leaf_count; ++i) {
        int first = tree->elements[i / 4 * 4], element = tree->elements[i];
        CHECK(first % 4 == 0 && (element == first + i % 4 || element == -1), "place %d: %d", i,
              element);
        CHECK((element == -1) == (i >= tree->element_count), "place %d: %d", i, element);
    }
}

static void every_element_is_in_one_leaf_inside_its_boxes(void** state) {
    (void)state;
    const int counts[] = {1, 2, 4, 5, 8, 9, 63, 64, 65, MAX_COUNT};
    test_random random = test_random_make(1);
    for (int k = 0; k < 20; ++k) {
        int count = counts[k % 10];
        int seen[MAX_COUNT] = {0};
        iso_bvh tree;
        random_boxes(&random, count, boxes[0]);
        CHECK_OK(ctx, k_builders[k / 10](ctx, boxes[0], count, &tree));
        if (k >= 10) {
            check_packed(&tree);
        }
        CHECK(tree.leaf_count == (count + 3) / 4, "%d leaves of %d elements", tree.leaf_count,
              count);
        if (count <= 4) {
            check_child(&tree, boxes[0], &tree.nodes[0], 0, seen, 0);
        } else {
            check_child(&tree, boxes[0], &tree.nodes[0], 0, seen, 0);
            check_child(&tree, boxes[0], &tree.nodes[0], 1, seen, 0);
        }
        for (int i = 0; i < count; ++i) {
            CHECK(seen[i] == 1, "element %d of %d seen %d times", i, count, seen[i]);
        }
        iso_bvh_destroy(ctx, &tree);
    }
}

// Elements at one point: no split helps, the depth must stay bounded.
static void equal_boxes_build_a_balanced_tree(void** state) {
    (void)state;
    memset(boxes, 0, sizeof boxes);
    int seen[MAX_COUNT] = {0};
    iso_bvh tree;
    CHECK_OK(ctx, iso_bvh_build(ctx, boxes[0], MAX_COUNT, &tree));
    check_child(&tree, boxes[0], &tree.nodes[0], 0, seen, 0);
    check_child(&tree, boxes[0], &tree.nodes[0], 1, seen, 0);
    iso_bvh_destroy(ctx, &tree);
}

// Separating axes of two boxes: the face directions of both.
static bool boxes_touch(const iso_bvh_box* a, const iso_bvh_box* b, const iso_pose* x_ab) {
    iso_vec3 ca = iso_vec3_scale(iso_vec3_add(a->lower, a->upper), 0.5);
    iso_vec3 cb = iso_vec3_scale(iso_vec3_add(b->lower, b->upper), 0.5);
    iso_vec3 ha = iso_vec3_sub(a->upper, ca), hb = iso_vec3_sub(b->upper, cb);
    iso_vec3 t = iso_vec3_sub(iso_pose_point(x_ab, cb), ca);
    for (int k = 0; k < 6; ++k) {
        iso_vec3 axis = {k == 0, k == 1, k == 2};
        if (k >= 3) {
            axis = iso_mat3_column(&x_ab->r, k - 3);
        }
        iso_vec3 in_b = iso_mat3_tmul_vec3(&x_ab->r, axis);
        double reach = fabs(axis.x) * ha.x + fabs(axis.y) * ha.y + fabs(axis.z) * ha.z +
                       fabs(in_b.x) * hb.x + fabs(in_b.y) * hb.y + fabs(in_b.z) * hb.z;
        if (fabs(iso_vec3_dot(axis, t)) > reach) {
            return false;
        }
    }
    return a->low <= b->high && b->low <= a->high;
}

static void matching_finds_every_touching_pair(void** state) {
    (void)state;
    test_random random = test_random_make(2);
    for (int k = 0; k < 20; ++k) {
        int counts[2] = {1 + 7 * k, 150 - 7 * k};
        iso_bvh trees[2];
        for (int i = 0; i < 2; ++i) {
            random_boxes(&random, counts[i], boxes[i]);
            CHECK_OK(ctx, k_builders[k % 2](ctx, boxes[i], counts[i], &trees[i]));
        }
        iso_pose x_01 = test_random_pose(&random, 0.5);
        iso_bvh_matches matches;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        CHECK_OK(ctx, iso_bvh_match(&arena, &trees[0], &trees[1], &x_01, &matches));
        bool* found = calloc((size_t)counts[0] * (size_t)counts[1], sizeof *found);
        int pairs = 0;
        for (int j = 0; j < trees[1].leaf_count; ++j) {
            for (int m = matches.offsets[j]; m < matches.offsets[j + 1]; ++m) {
                ++pairs;
                for (int lane = 0; lane < 16; ++lane) {
                    int a = trees[0].elements[4 * matches.leaves[m] + lane / 4];
                    int b = trees[1].elements[4 * j + lane % 4];
                    if (a >= 0 && b >= 0) {
                        CHECK(!found[a * counts[1] + b], "pair %d %d twice", a, b);
                        found[a * counts[1] + b] = true;
                    }
                }
            }
        }
        CHECK(pairs == matches.count, "%d pairs, count %d", pairs, matches.count);
        for (int a = 0; a < counts[0]; ++a) {
            for (int b = 0; b < counts[1]; ++b) {
                CHECK(found[a * counts[1] + b] || !boxes_touch(&boxes[0][a], &boxes[1][b], &x_01),
                      "pair %d %d lost", a, b);
            }
        }
        CHECK(matches.count < trees[0].leaf_count * trees[1].leaf_count || counts[0] < 20,
              "no pair of leaves was sorted out: %d", matches.count);
        free(found);
        iso_bvh_destroy(ctx, &trees[0]);
        iso_bvh_destroy(ctx, &trees[1]);
    }
}

static double slack_of(const iso_bvh* tree_0, const iso_bvh* tree_1, iso_vec3 p_01) {
    float lanes[ISO_FLOAT4_LANES];
    iso_pose x_01 = iso_pose_from_position(p_01);
    iso_bvh_float4_pose spread = iso_bvh_float4_spread(tree_0, tree_1, &x_01);
    memcpy(lanes, &spread.slack, sizeof lanes);
    return (double)lanes[0];
}

// What rounding may do grows with the farthest corner along each axis, on whichever side it is.
static void slack_grows_with_the_reach_of_both_trees(void** state) {
    (void)state;
    iso_vec3 none = iso_vec3_zero();
    iso_bvh unit = {.bounds = {iso_vec3_make(-1, -1, -1), iso_vec3_make(1, 1, 1), 0.0, 0.0}};
    double one = slack_of(&unit, &unit, none) / 6.0;
    assert_true(one > 0.0);
    for (int i = 0; i < 6; ++i) {
        iso_bvh far = unit;
        double* corner = i % 2 ? &far.bounds.lower.x : &far.bounds.upper.x;
        corner[i / 2] *= 1000.0;
        CHECK_REL(slack_of(&far, &unit, none), 1005.0 * one, 1e-6); // measured 6.6e-8
        CHECK_REL(slack_of(&unit, &far, none), 1005.0 * one, 1e-6);
    }
    CHECK_REL(slack_of(&unit, &unit, iso_vec3_make(-10.0, 20.0, -70.0)), 106.0 * one, 1e-6);
}

static void cutting_finds_every_cut_leaf(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    iso_bvh tree;
    random_boxes(&random, MAX_COUNT, boxes[0]);
    CHECK_OK(ctx, iso_bvh_build(ctx, boxes[0], MAX_COUNT, &tree));
    for (int k = 0; k < 40; ++k) {
        bool use_interval = k % 2;
        iso_affine f = {test_random_unit_vec3(&random), test_random_uniform(&random, -0.5, 0.5)};
        int *leaves, count;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        CHECK_OK(ctx, iso_bvh_cut(&arena, &tree, f, -0.1, 0.1, use_interval, &leaves, &count));
        bool found[MAX_COUNT] = {false};
        for (int i = 0; i < count; ++i) {
            for (int lane = 0; lane < 4; ++lane) {
                int element = tree.elements[4 * leaves[i] + lane];
                if (element >= 0) {
                    CHECK(!found[element], "element %d twice", element);
                    found[element] = true;
                }
            }
        }
        CHECK(count < tree.leaf_count, "no leaf sorted out");
        for (int i = 0; i < MAX_COUNT; ++i) {
            const iso_bvh_box* box = &boxes[0][i];
            double low = INFINITY, high = -INFINITY;
            for (int corner = 0; corner < 8; ++corner) {
                iso_vec3 v = {corner & 1 ? box->lower.x : box->upper.x,
                              corner & 2 ? box->lower.y : box->upper.y,
                              corner & 4 ? box->lower.z : box->upper.z};
                low = fmin(low, iso_affine_eval(f, v));
                high = fmax(high, iso_affine_eval(f, v));
            }
            bool is_cut =
                use_interval ? low <= box->high && high >= box->low : low <= 0.1 && high >= -0.1;
            CHECK(found[i] || !is_cut, "element %d lost", i);
        }
    }
    iso_bvh_destroy(ctx, &tree);
}

static iso_status attempt(iso_context* failing, void* user) {
    (void)user;
    iso_bvh trees[2] = {{0}, {0}};
    iso_arena scratch = {.ctx = failing};
    iso_bvh_matches matches;
    iso_pose x = iso_pose_identity();
    int *leaves, count;
    iso_status status = iso_bvh_build(failing, boxes[0], MAX_COUNT, &trees[0]);
    if (status == ISO_OK) {
        status = iso_bvh_build(failing, boxes[1], MAX_COUNT, &trees[1]);
    }
    if (status == ISO_OK) {
        status = iso_bvh_match(&scratch, &trees[0], &trees[1], &x, &matches);
    }
    if (status == ISO_OK) {
        iso_affine f = {{1.0, 0.0, 0.0}, 0.0};
        status = iso_bvh_cut(&scratch, &trees[0], f, -10.0, 10.0, false, &leaves, &count);
    }
    iso_arena_destroy(&scratch);
    iso_bvh_destroy(failing, &trees[0]);
    iso_bvh_destroy(failing, &trees[1]);
    return status;
}

static void allocation_failures_are_survived(void** state) {
    (void)state;
    test_random random = test_random_make(4);
    random_boxes(&random, MAX_COUNT, boxes[0]);
    random_boxes(&random, MAX_COUNT, boxes[1]);
    CHECK(check_every_allocation_failure(attempt, NULL) > 10, "allocations");
}

// Also where most boxes hold the point, as those of cells around the middle of a ball do.
static void a_visit_comes_once_to_every_leaf_around_a_point(void** state) {
    (void)state;
    test_random random = test_random_make(7);
    iso_bvh tree;
    random_boxes(&random, MAX_COUNT, boxes[0]);
    for (int i = 0; i < MAX_COUNT / 2; ++i) {
        boxes[0][i].lower = iso_vec3_min(boxes[0][i].lower, iso_vec3_zero());
        boxes[0][i].upper = iso_vec3_max(boxes[0][i].upper, iso_vec3_zero());
    }
    CHECK_OK(ctx, iso_bvh_build(ctx, boxes[0], MAX_COUNT, &tree));
    for (int n = 0; n < 100; ++n) {
        iso_vec3 p = n == 0 ? iso_vec3_zero() : test_random_vec3(&random, -0.9, 0.9);
        int visits[MAX_COUNT] = {0}, held = 0;
        iso_bvh_visit visit;
        iso_bvh_visit_begin(&visit);
        for (int leaf; (leaf = iso_bvh_visit_next(&tree, p, &visit)) >= 0;) {
            ++visits[leaf];
        }
        for (int i = 0; i < tree.leaf_count * ISO_BVH_LEAF_SIZE; ++i) {
            int element = tree.elements[i];
            CHECK(visits[i / ISO_BVH_LEAF_SIZE] <= 1, "leaf %d", i / ISO_BVH_LEAF_SIZE);
            iso_bvh_box point = {p, p, 0.0, 0.0};
            bool is_around = element >= 0 && iso_bvh_boxes_meet(&boxes[0][element], &point);
            CHECK(!is_around || visits[i / ISO_BVH_LEAF_SIZE] == 1, "element %d", element);
            held += is_around;
        }
        CHECK(n > 0 || held >= MAX_COUNT / 2, "%d boxes around the middle", held);
    }
    iso_bvh_destroy(ctx, &tree);
}

static void empty_set_is_refused(void** state) {
    (void)state;
    iso_bvh tree;
    CHECK_STATUS(ctx, iso_bvh_build(ctx, boxes[0], 0, &tree), ISO_ERR_ARGUMENT);
    CHECK(tree.nodes == NULL, "must be zeroed");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_element_is_in_one_leaf_inside_its_boxes),
        TEST(equal_boxes_build_a_balanced_tree),
        TEST(matching_finds_every_touching_pair),
        TEST(cutting_finds_every_cut_leaf),
        TEST(allocation_failures_are_survived),
        TEST(a_visit_comes_once_to_every_leaf_around_a_point),
        TEST(empty_set_is_refused),
        TEST(slack_grows_with_the_reach_of_both_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
