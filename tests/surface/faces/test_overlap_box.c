// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What two bodies share lies in the box in which they can meet, and leaves are known to come in the
// order in which a descent of two trees finds them.

#include "geometry/search/bvh_descent.h"
#include "surface/clipping/overlap_box.h"
#include "surface/pair_fixture.h"

#include <limits.h>

#define POSES 200

typedef struct pair_of_shapes {
    iso_contact_shape* shapes[2];
    double reach; // how far apart they are put at most [m]
} pair_of_shapes;

#define PAIRS 5

static void make_pairs(iso_context* ctx, pair_of_shapes out[PAIRS]) {
    iso_contact_material soft = fixture_compliant(1e5, 0.04), hard = fixture_compliant(1e6, 0.05);
    iso_shape_desc shapes[PAIRS][2] = {
        {fixture_sphere(0.1), fixture_sphere(0.07)},
        {fixture_box(0.1, 0.2, 0.15), fixture_box(0.3, 0.1, 0.1)},
        {fixture_sphere(0.1), fixture_box(0.4, 0.4, 0.02)},
        {fixture_cylinder(0.05, 0.3), fixture_sphere(0.1)},
        {fixture_cylinder(0.05, 0.3), fixture_box(0.1, 0.2, 0.15)},
    };
    const double reaches[PAIRS] = {0.19, 0.3, 0.3, 0.25, 0.3};
    for (int i = 0; i < PAIRS; ++i) {
        out[i].shapes[0] = fixture_shape(ctx, shapes[i][0], soft);
        out[i].shapes[1] = fixture_shape(ctx, shapes[i][1], hard);
        out[i].reach = reaches[i];
    }
}

static void destroy_pairs(iso_context* ctx, pair_of_shapes pairs[PAIRS]) {
    for (int i = 0; i < PAIRS; ++i) {
        iso_contact_shape_destroy(ctx, pairs[i].shapes[0]);
        iso_contact_shape_destroy(ctx, pairs[i].shapes[1]);
    }
}

static iso_pose pose_within(test_random* random, double reach) {
    iso_pose x = test_random_pose(random, 0.0);
    x.p = iso_vec3_scale(test_random_unit_vec3(random), test_random_uniform(random, 0.0, reach));
    return x;
}

static bool has_cell(const iso_overlap_box_parts* parts, const iso_field* field, int element) {
    for (int i = 0; i < parts->count; ++i) {
        if (field->tree.elements[parts->cells[i]] == element) {
            return true;
        }
    }
    return false;
}

typedef struct meeting_tally {
    int touching, apart, parts, cells;
} meeting_tally;

// Every face of a patch lies in the box, and its tetrahedra have parts there.
static void check_meeting(iso_context* ctx, iso_arena* arena, const pair_of_shapes* pair,
                          const iso_pose* x_ab, meeting_tally* tally) {
    const iso_field* fields[2] = {pair->shapes[0]->field, pair->shapes[1]->field};
    iso_contact_options options = fixture_options();
    iso_pose identity = iso_pose_identity();
    iso_patch patch;
    CHECK_OK(ctx, iso_pair_query(arena, pair->shapes[0], &identity, pair->shapes[1], x_ab, &options,
                                 &patch));
    iso_overlap_box meeting;
    if (!iso_overlap_box_find(fields[0], fields[1], x_ab, &meeting)) {
        ++tally->apart;
        assert_int_equal(patch.face_count, 0);
        return;
    }
    iso_overlap_box_parts parts[2];
    for (int body = 0; body < 2; ++body) {
        CHECK_OK(ctx, iso_overlap_box_cut(&meeting, arena, fields[body], body == 1, INT_MAX,
                                          &parts[body]));
        tally->parts += parts[body].count;
        tally->cells += fields[body]->mesh.tet_count;
    }
    tally->touching += patch.face_count > 0;
    for (int f = 0; f < patch.face_count; ++f) {
        assert_true(has_cell(&parts[0], fields[0], patch.elements[f].a));
        assert_true(has_cell(&parts[1], fields[1], patch.elements[f].b));
    }
    for (int v = 0; v < patch.vertex_count; ++v) {
        iso_vec3 at = iso_pose_point(&meeting.x_m0, patch.vertices[v]);
        for (int axis = 0; axis < 3; ++axis) {
            // The box is 1e-11 of the bodies larger than it need be: nothing sticks out.
            assert_true(iso_vec3_get(at, axis) >= meeting.lower[axis]);
            assert_true(iso_vec3_get(at, axis) <= meeting.upper[axis]);
        }
    }
}

static void patches_lie_in_the_box_where_bodies_can_meet(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    pair_of_shapes pairs[PAIRS];
    make_pairs(ctx, pairs);
    test_random random = test_random_make(5);
    meeting_tally tally = {0};
    for (int i = 0; i < PAIRS * POSES; ++i) {
        iso_pose x_ab = pose_within(&random, pairs[i % PAIRS].reach);
        check_meeting(ctx, &arena, &pairs[i % PAIRS], &x_ab, &tally);
        CHECK_OK(ctx, iso_arena_reset(&arena));
    }
    destroy_pairs(ctx, pairs);
    iso_arena_destroy(&arena);
    CHECK(tally.touching > PAIRS * POSES / 4 && tally.apart > PAIRS * POSES / 50,
          "%d pairs touch, %d are apart", tally.touching, tally.apart);
    CHECK(tally.parts < 7 * tally.cells / 8, "%d of %d tetrahedra are kept", tally.parts,
          tally.cells);
    test_context_destroy(ctx);
}

// Balls that do not touch share no box, however their own boxes lie.
static void balls_that_are_apart_have_nowhere_to_meet(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_contact_shape* shape =
        fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.04));
    test_random random = test_random_make(6);
    iso_overlap_box meeting;
    for (int i = 0; i < POSES; ++i) {
        iso_pose x = test_random_pose(&random, 0.0);
        iso_vec3 direction = test_random_unit_vec3(&random);
        x.p = iso_vec3_scale(direction, 0.2001);
        assert_false(iso_overlap_box_find(shape->field, shape->field, &x, &meeting));
        x.p = iso_vec3_scale(direction, 0.19);
        assert_true(iso_overlap_box_find(shape->field, shape->field, &x, &meeting));
    }
    iso_contact_shape_destroy(ctx, shape);
    test_context_destroy(ctx);
}

static void leaves_come_in_the_order_of_a_descent(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    pair_of_shapes pairs[PAIRS];
    make_pairs(ctx, pairs);
    test_random random = test_random_make(7);
    long compared = 0, turned = 0;
    for (int i = 0; i < PAIRS * POSES; ++i) {
        const iso_bvh* tree_0 = &pairs[i % PAIRS].shapes[i & 1]->field->tree;
        const iso_bvh* tree_1 = &pairs[i % PAIRS].shapes[!(i & 1)]->field->tree;
        iso_pose x_01 = pose_within(&random, pairs[i % PAIRS].reach);
        iso_bvh_matches m;
        CHECK_OK(ctx, iso_bvh_match(&arena, tree_0, tree_1, &x_01, &m));
        for (int leaf_1 = 0; leaf_1 < tree_1->leaf_count; ++leaf_1) {
            int depth = (int)tree_1->turns[leaf_1].depth;
            for (int a = m.offsets[leaf_1]; a < m.offsets[leaf_1 + 1]; ++a) {
                for (int b = a + 1; b < m.offsets[leaf_1 + 1]; ++b) {
                    assert_true(iso_bvh_leaf_comes_first(tree_0, m.leaves[a], m.leaves[b], depth));
                    assert_false(iso_bvh_leaf_comes_first(tree_0, m.leaves[b], m.leaves[a], depth));
                    turned += m.leaves[a] > m.leaves[b];
                    ++compared;
                }
            }
        }
        CHECK_OK(ctx, iso_arena_reset(&arena));
    }
    destroy_pairs(ctx, pairs);
    iso_arena_destroy(&arena);
    CHECK(compared > 10000 && turned > 0, "%ld pairs of leaves, %ld of them turned", compared,
          turned);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_lie_in_the_box_where_bodies_can_meet),
        cmocka_unit_test(balls_that_are_apart_have_nowhere_to_meet),
        cmocka_unit_test(leaves_come_in_the_order_of_a_descent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
