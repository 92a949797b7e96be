// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Pairs of geometries with a rule of their own.

#include "support/check.h"
#include "support/failing_context.h"
#include "world/scenes.h"

static iso_geometry_pair_desc pair_of(int a, int b) {
    iso_geometry_pair_desc desc = iso_geometry_pair_desc_default();
    desc.geometry_a = a;
    desc.geometry_b = b;
    return desc;
}

// A link on a hinge of another one, cubes that overlap; geometries 0 and 1.
static iso_model* make_hinged_cubes(iso_context* ctx) {
    iso_model* model = make_model(ctx);
    iso_pose origin = iso_pose_identity();
    int a = add_cube(ctx, model, "b", 0.5, &origin); // the world sorts them the other way
    int b = add_cube(ctx, model, "a", 0.5, &origin);
    iso_mat3 turn = iso_mat3_from_rpy(0.1, 0.2, 0.3);
    iso_vec3 arm = iso_mat3_column(&turn, 2); // add_hinge() hangs the child 1 m below
    iso_pose moved = iso_pose_make(turn, iso_vec3_add(arm, iso_vec3_make(0.02, 0.03, 0.01)));
    add_hinge(ctx, model, "hinge", a, b, &moved, 0.0);
    return model;
}

static int count_contacts(iso_context* ctx, const iso_model* model) {
    iso_world* world = make_world(ctx, model, NULL);
    CHECK_OK(ctx, iso_world_update_contacts(world));
    int count = iso_world_contact_count(world);
    iso_world_destroy(world);
    return count;
}

static void an_unfiltered_pair_touches_whatever_filters_say(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_hinged_cubes(ctx);
    assert_int_equal(count_contacts(ctx, model), 0);
    iso_model_geometry(model, 0, NULL)->collision_group = 0;
    iso_model_geometry(model, 0, NULL)->collision_mask = 0;
    CHECK_OK(ctx, iso_model_exclude_pair(model, 1, 2));
    iso_geometry_pair_desc pair = pair_of(1, 0);
    pair.is_unfiltered = true;
    CHECK_OK(ctx, iso_model_add_geometry_pair(model, &pair));
    assert_int_equal(count_contacts(ctx, model), 1);
    // Welded together they cannot move to each other.
    iso_model_joint(model, 0)->kind = ISO_JOINT_WELD;
    assert_int_equal(count_contacts(ctx, model), 0);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void a_filtered_pair_stays_filtered(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_hinged_cubes(ctx);
    iso_geometry_pair_desc pair = pair_of(0, 1);
    pair.friction_static = pair.friction_dynamic = 0.1;
    CHECK_OK(ctx, iso_model_add_geometry_pair(model, &pair));
    assert_int_equal(count_contacts(ctx, model), 0);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

// Two cubes that overlap; a rule keeps them apart alone, bits and bodies would not.
static void an_excluded_pair_never_touches(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int order = 0; order < 2; ++order) {
        iso_model* model = make_model(ctx);
        iso_pose x = iso_pose_identity();
        CHECK_OK(ctx, iso_model_set_free_pose(model, add_cube(ctx, model, "b", 0.5, &x), &x));
        x.p.x = 0.04;
        CHECK_OK(ctx, iso_model_set_free_pose(model, add_cube(ctx, model, "a", 0.5, &x), &x));
        x.p.x = 0.08;
        CHECK_OK(ctx, iso_model_set_free_pose(model, add_cube(ctx, model, "c", 0.5, &x), &x));
        assert_int_equal(count_contacts(ctx, model), 3);
        iso_geometry_pair_desc pair = pair_of(order, 1 - order);
        pair.is_excluded = true;
        CHECK_OK(ctx, iso_model_add_geometry_pair(model, &pair));
        assert_int_equal(count_contacts(ctx, model), 2);
        pair = pair_of(2, 0);
        pair.is_excluded = pair.is_unfiltered = true;
        CHECK_STATUS(ctx, iso_model_add_geometry_pair(model, &pair), ISO_ERR_ARGUMENT);
        CHECK_ERROR(ctx, "are unfiltered and excluded, expected one of both");
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static void models_differ_by_what_they_exclude(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    uint64_t hash[3];
    for (int kind = 0; kind < 3; ++kind) {
        iso_model* model = make_hinged_cubes(ctx);
        iso_geometry_pair_desc pair = pair_of(0, 1);
        pair.is_unfiltered = kind == 1;
        pair.is_excluded = kind == 2;
        CHECK_OK(ctx, iso_model_add_geometry_pair(model, &pair));
        iso_world* world = make_world(ctx, model, NULL);
        hash[kind] = iso_world_model_hash(world);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    assert_true(hash[0] != hash[1] && hash[0] != hash[2] && hash[1] != hash[2]);
    test_context_destroy(ctx);
}

// How far a cube slides in half a second on the floor of a pair of this friction, and on a clone.
static void slide(double friction, double* out_way, double* out_clone_way) {
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_pose x = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.05));
    int cube = add_cube(ctx, model, "cube", 0.5, &x);
    CHECK_OK(ctx, iso_model_set_free_pose(model, cube, &x));
    CHECK_OK(ctx, iso_model_set_free_twist(
                      model, cube, iso_spatial_make(iso_vec3_zero(), iso_vec3_make(1, 0, 0))));
    iso_mat3 level = iso_mat3_identity();
    add_ground(ctx, model, 0.5, &level);
    if (friction >= 0.0) {
        iso_geometry_pair_desc pair = pair_of(0, 1);
        pair.friction_static = pair.friction_dynamic = friction;
        CHECK_OK(ctx, iso_model_add_geometry_pair(model, &pair));
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.time_step = 1e-3;
    iso_world *world = make_world(ctx, model, &desc), *clone = NULL;
    iso_model_destroy(model); // what the world needs of it is its own
    CHECK_OK(ctx, iso_world_clone(world, &clone));
    step_many(ctx, world, 500);
    *out_way = iso_world_body_pose(world, iso_world_find_body(world, "cube")).p.x;
    iso_world_destroy(world);
    step_many(ctx, clone, 500);
    *out_clone_way = iso_world_body_pose(clone, iso_world_find_body(clone, "cube")).p.x;
    iso_world_destroy(clone);
    test_context_destroy(ctx);
}

static void friction_is_that_of_the_pair(void** state) {
    (void)state;
    double without, with, none, clone;
    slide(-1.0, &without, &clone);
    CHECK_BITS(clone, without);
    slide(0.25, &with, &clone);
    CHECK_BITS(clone, with);
    slide(0.0, &none, &clone);
    CHECK_BITS(clone, none);
    CHECK_NEAR(none, 0.5, 1e-6);
    // v^2 / (2 mu g), of 0.5 and as far as it comes in half a second with 0.25.
    CHECK_NEAR(without, 1.0 / (2.0 * 0.5 * 9.81), 2e-3);
    CHECK_NEAR(with, 1.0 / (2.0 * 0.25 * 9.81), 4e-3);
}

static void geometries_are_found_by_the_names_of_body_and_geometry(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_hinged_cubes(ctx);
    assert_int_equal(iso_model_find_geometry(model, "b::box"), 0);
    assert_int_equal(iso_model_find_geometry(model, "a::box"), 1);
    static const char* const none[] = {"box", "a", "a::", "a::bo", "a::boxes", "a:box", "", NULL};
    for (int i = 0; i < (int)(sizeof none / sizeof *none); ++i) {
        assert_int_equal(iso_model_find_geometry(model, none[i]), -1);
    }
    // "a::c::box" is now "c::box" of "a" and "box" of "a::c".
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.name = "c::box";
    CHECK_OK(ctx, iso_model_add_geometry(model, iso_model_find_body(model, "a"), &geometry, NULL));
    assert_int_equal(iso_model_find_geometry(model, "a::c::box"), 2);
    iso_body_desc body = iso_body_desc_default();
    body.name = "a::c";
    int index;
    CHECK_OK(ctx, iso_model_add_body(model, &body, &index));
    geometry.name = "box";
    CHECK_OK(ctx, iso_model_add_geometry(model, index, &geometry, NULL));
    assert_int_equal(iso_model_find_geometry(model, "a::c::box"), -1);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void wrong_pairs_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_hinged_cubes(ctx);
    iso_geometry_pair_desc pair = pair_of(0, 2);
    CHECK_STATUS(ctx, iso_model_add_geometry_pair(model, &pair), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "geometries 0 and 2, expected in [0, 2)");
    CHECK_STATUS(ctx, iso_model_add_geometry_pair(model, NULL), ISO_ERR_ARGUMENT);
    pair = pair_of(1, 1);
    CHECK_STATUS(ctx, iso_model_add_geometry_pair(model, &pair), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "and itself");
    const double wrong[][2] = {{0.5, 0.6}, {-1.0, 0.0}, {-0.5, -0.5}, {INFINITY, 1.0}, {1.0, NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        pair = pair_of(0, 1);
        pair.friction_static = wrong[i][0];
        pair.friction_dynamic = wrong[i][1];
        CHECK_STATUS(ctx, iso_model_add_geometry_pair(model, &pair), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "expected finite, >= 0, the dynamic one at most the static one");
    }
    iso_world* world = NULL;
    pair = pair_of(0, 1);
    CHECK_OK(ctx, iso_model_add_geometry_pair(model, &pair));
    pair = pair_of(1, 0);
    CHECK_OK(ctx, iso_model_add_geometry_pair(model, &pair));
    CHECK_STATUS(ctx, iso_world_create(ctx, model, NULL, &world), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "geometries 'box' of 'a' and 'box' of 'b' are paired twice");
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unfiltered_pair_touches_whatever_filters_say),
        cmocka_unit_test(a_filtered_pair_stays_filtered),
        cmocka_unit_test(friction_is_that_of_the_pair),
        cmocka_unit_test(an_excluded_pair_never_touches),
        cmocka_unit_test(models_differ_by_what_they_exclude),
        cmocka_unit_test(geometries_are_found_by_the_names_of_body_and_geometry),
        cmocka_unit_test(wrong_pairs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
