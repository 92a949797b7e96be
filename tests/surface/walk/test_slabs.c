// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Slabs around thin tetrahedra: they hold what they say, and a search that asks them finds the same
// faces.

#include "base/core/alloc.h"
#include "surface/pair_fixture.h"
#include "surface/patch_bits.h"

static void check_slab(const iso_field* field, int node, int side, int cell) {
    const iso_field_slab* slab = &field->slabs[node];
    const iso_bvh_node* box = &field->tree.nodes[node];
    for (int k = 0; k < 8; ++k) {
        const double* x = field->points[field->cells[cell].corners[k / 2]].x;
        double at = 0.0, half = iso_field_slab_half(slab->half[k % 2][side]);
        for (int i = 0; i < 3; ++i) {
            at += (double)slab->axis[k % 2][i][side] * (x[i] - (double)box->center[i][side]);
        }
        CHECK(fabs(at) <= half, "node %d side %d cell %d: corner at %g, slab +- %g", node, side,
              cell, at, half);
    }
}

// Checks all cells below a child against the slabs of `node`; returns their number.
static int check_below(const iso_field* field, int node, int side, int child) {
    if (child >= 0) {
        return check_below(field, node, side, field->tree.nodes[child].child[0]) +
               check_below(field, node, side, field->tree.nodes[child].child[1]);
    }
    int begin = (-1 - child) * ISO_BVH_LEAF_SIZE, count = 0;
    for (; count < ISO_BVH_LEAF_SIZE && field->tree.elements[begin + count] >= 0; ++count) {
        check_slab(field, node, side, begin + count);
    }
    return count;
}

static void slabs_hold_what_is_below_them(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_contact_shape* shape =
        fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.01));
    const iso_field* field = shape->field;
    assert_non_null(field->slabs);
    // Four needles beside each other, of edges of 0.006 to 0.01 m: measured 0.028.
    CHECK(field->slab_width > 0.006 && field->slab_width < 0.04, "slabs %g m wide",
          field->slab_width);
    for (int node = 0; node < field->tree.node_count; ++node) {
        for (int side = 0; side < 2; ++side) {
            int count = check_below(field, node, side, field->tree.nodes[node].child[side]);
            CHECK(count > 0, "nothing below side %d of node %d", side, node);
        }
    }
    iso_contact_shape_destroy(ctx, shape);
    test_context_destroy(ctx);
}

static void bodies_of_few_or_thick_elements_have_none(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_contact_shape* shapes[2] = {
        fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0)),
        fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.1))};
    for (int i = 0; i < 2; ++i) {
        assert_null(shapes[i]->field->slabs);
        iso_contact_shape_destroy(ctx, shapes[i]);
    }
    test_context_destroy(ctx);
}

// Nor do planes along the edges of long triangles, which are asked where there are slabs. The slabs
// are asked only after some hundreds of pairs of leaves.
static void they_lose_no_face(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arenas[2];
    CHECK_OK(ctx, iso_arena_init(&arenas[0], ctx, 0));
    CHECK_OK(ctx, iso_arena_init(&arenas[1], ctx, 0));
    iso_contact_shape* soft = fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.01));
    iso_contact_shape* plain =
        fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.01));
    iso_contact_shape* rigid[3] = {
        fixture_shape(ctx, fixture_sphere(0.09), fixture_rigid(0.01)),
        fixture_shape(ctx, fixture_box(1.0, 1.0, 0.05), fixture_rigid(1.0)),
        fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_rigid(0.01))};
    iso_free(ctx, plain->field->slabs);
    plain->field->slabs = NULL;
    test_random random = test_random_make(5);
    long faces = 0;
    for (int i = 0; i < 60; ++i) {
        iso_pose x_wa = test_random_pose(&random, 0.1), x_ab = test_random_pose(&random, 0.1);
        iso_pose x_wb = iso_pose_mul(&x_wa, &x_ab);
        iso_contact_options options = fixture_options();
        options.cull = i % 4 < 2 ? ISO_CULL_NONE : ISO_CULL_DRAKE;
        iso_patch with, without;
        CHECK_OK(ctx, iso_arena_reset(&arenas[0]));
        CHECK_OK(ctx, iso_arena_reset(&arenas[1]));
        CHECK_OK(ctx,
                 iso_pair_query(&arenas[0], soft, &x_wa, rigid[i % 3], &x_wb, &options, &with));
        CHECK_OK(ctx,
                 iso_pair_query(&arenas[1], plain, &x_wa, rigid[i % 3], &x_wb, &options, &without));
        if (without.face_count > 0) {
            check_patch_bits(&with, &without, "slabs");
        }
        CHECK(with.face_count == without.face_count, "%d faces, expected %d", with.face_count,
              without.face_count);
        faces += with.face_count;
    }
    CHECK(faces > 10000, "only %ld faces", faces);
    iso_contact_shape_destroy(ctx, soft);
    iso_contact_shape_destroy(ctx, plain);
    iso_contact_shape_destroy(ctx, rigid[0]);
    iso_contact_shape_destroy(ctx, rigid[1]);
    iso_contact_shape_destroy(ctx, rigid[2]);
    iso_arena_destroy(&arenas[0]);
    iso_arena_destroy(&arenas[1]);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_hold_what_is_below_them),
        cmocka_unit_test(bodies_of_few_or_thick_elements_have_none),
        cmocka_unit_test(they_lose_no_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
