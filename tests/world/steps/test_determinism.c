// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/state.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"

#include <stdio.h>
#include <string.h>

enum { k_cube_count = 6 };

/// Cubes that fall and tumble on the ground and each other, added in a given order.
static iso_world* make_pile(iso_context* ctx, bool is_reversed, int thread_count) {
    iso_model* model = make_model(ctx);
    iso_mat3 level = iso_mat3_identity();
    if (!is_reversed) {
        add_ground(ctx, model, 0.5, &level);
    }
    for (int k = 0; k < k_cube_count; ++k) {
        int i = is_reversed ? k_cube_count - 1 - k : k;
        char name[16];
        snprintf(name, sizeof name, "cube%d", i);
        iso_pose x_wb =
            iso_pose_make(iso_mat3_from_rpy(0.2 * i, 0.1 * i, 0.3),
                          iso_vec3_make(0.02 * (i % 2), 0.01 * (i % 3), 0.07 + 0.11 * i));
        add_cube(ctx, model, name, 0.5, &x_wb);
    }
    if (is_reversed) {
        add_ground(ctx, model, 0.5, &level);
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.time_step = 2e-3;
    desc.thread_count = thread_count;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

static uint64_t pile_hash(bool is_reversed, int thread_count) {
    iso_context* ctx = test_context();
    iso_world* world = make_pile(ctx, is_reversed, thread_count);
    step_many(ctx, world, TEST_ROUNDS(400, 120));
    assert_true(iso_world_contact_count(world) >= 3); // the pile has come down
    uint64_t hash = iso_world_state_hash(world);
    iso_world_destroy(world);
    test_context_destroy(ctx);
    return hash;
}

static void states_are_the_same_bits_for_any_order_of_bodies(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED_FOR_RACES();
    assert_true(pile_hash(false, 1) == pile_hash(true, 1));
}

static void states_are_the_same_bits_for_any_number_of_threads(void** state) {
    (void)state;
    uint64_t one = pile_hash(false, 1);
    assert_true(one == pile_hash(false, 2));
    assert_true(one == pile_hash(false, 5));
}

static void a_failed_step_leaves_the_state_untouched(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_pile(ctx, false, 1);
    step_many(ctx, world, 50);
    uint64_t before = iso_world_state_hash(world);
    // A wrench that is finite but overflows the velocities.
    iso_spatial huge = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(1e308, 1e308, 0.0));
    int cube = iso_world_find_body(world, "cube0");
    CHECK_OK(ctx, iso_world_apply_wrench(world, cube, huge));
    CHECK_OK(ctx,
             iso_world_apply_wrench(
                 world, cube, iso_spatial_make(iso_vec3_make(1e308, 0.0, 0.0), iso_vec3_zero())));
    iso_status status = iso_world_step(world);
    assert_true(status == ISO_ERR_NUMERIC || status == ISO_ERR_NO_CONVERGENCE);
    assert_true(strstr(iso_context_error(ctx), "step 51") != NULL);
    assert_true(iso_world_state_hash(world) == before);
    assert_int_equal(iso_world_step_count(world), 50);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

/// Cubes side by side on sloping ground, a little above rest; the last one may be on the first.
static iso_world* make_yard(iso_context* ctx, test_random* random, bool has_tower) {
    iso_model* model = make_model(ctx);
    double tilt = test_random_uniform(random, 0.0, 0.1);
    iso_mat3 turn = iso_mat3_from_rpy(tilt, 0.0, 0.0);
    add_ground(ctx, model, 0.6, &turn);
    for (int i = 0; i < k_cube_count; ++i) {
        char name[16];
        snprintf(name, sizeof name, "cube%d", i);
        double yaw = test_random_uniform(random, -3.0, 3.0);
        double y = test_random_uniform(random, -1.0, 1.0);
        bool is_top = has_tower && i == k_cube_count - 1, is_bottom = has_tower && i == 0;
        iso_vec3 place = is_top ? iso_vec3_make(0.0, 0.0, 0.1505)
                                : iso_vec3_make(0.3 * i, is_bottom ? 0.0 : y, 0.0505);
        iso_mat3 spun = iso_mat3_from_rpy(0.0, 0.0, is_bottom ? 0.0 : yaw);
        iso_pose x_wb = iso_pose_make(iso_mat3_mul(turn, spun), iso_mat3_mul_vec3(&turn, place));
        add_cube(ctx, model, name, 0.6, &x_wb);
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.time_step = test_random_uniform(random, 1e-3, 4e-3);
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

static void knock(iso_context* ctx, iso_world* world, test_random* random) {
    double v[6 * k_cube_count];
    CHECK_OK(ctx, iso_world_get_state(world, NULL, v));
    v[6 * test_random_int(random, 0, k_cube_count - 1) + 3] += test_random_uniform(random, 0.1, 1);
    CHECK_OK(ctx, iso_world_set_state(world, NULL, v));
}

// A clone finds all of its contacts anew, a world keeps those whose bodies stand still.
static void contacts_that_are_kept_are_those_that_would_be_found(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (uint64_t seed = 0; seed < TEST_ROUNDS(4, 1); ++seed) {
        test_random random = test_random_make(seed);
        iso_world *world = make_yard(ctx, &random, true), *clone = NULL;
        for (int i = 0; i < 600; ++i) {
            if (i % 200 == 199) {
                knock(ctx, world, &random);
            }
            bool is_compared = i % 20 == 0 || i % 200 > 197;
            if (is_compared) {
                CHECK_OK(ctx, iso_world_clone(world, &clone));
                CHECK_OK(ctx, iso_world_step(clone));
            }
            CHECK_OK(ctx, iso_world_step(world));
            if (is_compared) {
                assert_true(iso_world_state_hash(world) == iso_world_state_hash(clone));
                iso_world_destroy(clone);
            }
        }
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

static void what_rests_stays_where_it_is_to_the_bit(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (uint64_t seed = 0; seed < TEST_ROUNDS(6, 1); ++seed) {
        test_random random = test_random_make(100 + seed);
        iso_world* world = make_yard(ctx, &random, false);
        double before[7 * k_cube_count], after[7 * k_cube_count];
        while (iso_world_time(world) < 2.0) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        CHECK_OK(ctx, iso_world_get_state(world, before, NULL));
        step_many(ctx, world, 50);
        CHECK_OK(ctx, iso_world_get_state(world, after, NULL));
        assert_memory_equal(before, after, sizeof before);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_the_same_bits_for_any_order_of_bodies),
        cmocka_unit_test(states_are_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_failed_step_leaves_the_state_untouched),
        cmocka_unit_test(contacts_that_are_kept_are_those_that_would_be_found),
        cmocka_unit_test(what_rests_stays_where_it_is_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
