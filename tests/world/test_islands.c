// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Groups of bodies that do not touch each other are steps of their own.

#include "support/failing_context.h"
#include "world/scenes.h"

#include <stdio.h>

enum { PILES = 2, CUBES = 4, STEPS = 300 };

// Tilted cubes that fall on each other; pile 1 stands two metres away and leans the other way.
static void add_pile(iso_context* ctx, iso_model* model, int pile) {
    double lean = pile == 0 ? 1.0 : -0.7;
    for (int i = 0; i < CUBES; ++i) {
        char name[16];
        snprintf(name, sizeof name, "%c%d", 'b' + pile, i);
        iso_pose x_wb = iso_pose_make(
            iso_mat3_from_rpy(0.2 * i * lean, 0.1 * i, 0.3),
            iso_vec3_make(2.0 * pile + 0.02 * (i % 2), 0.01 * (i % 3), 0.06 + 0.105 * i));
        add_cube(ctx, model, name, 0.6, &x_wb);
    }
}

// A world with the piles of the mask, and a cube that falls beside them.
static iso_world* make_piles(iso_context* ctx, int mask, int thread_count,
                             iso_friction_model friction) {
    iso_model* model = make_model(ctx);
    iso_mat3 level = iso_mat3_identity();
    add_ground(ctx, model, 0.6, &level);
    for (int pile = PILES - 1; pile >= 0; --pile) {
        if (mask >> pile & 1) {
            add_pile(ctx, model, pile);
        }
    }
    iso_pose high = iso_pose_from_position(iso_vec3_make(-3.0, 0.0, 50.0));
    add_cube(ctx, model, "a_falling", 0.6, &high);
    iso_world_desc desc = iso_world_desc_default();
    desc.time_step = 2e-3;
    desc.thread_count = thread_count;
    desc.contact.friction = friction;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

static void check_same_pile(const iso_world* a, const iso_world* b, int pile) {
    for (int i = 0; i < CUBES; ++i) {
        char name[16];
        snprintf(name, sizeof name, "%c%d", 'b' + pile, i);
        int in_a = iso_world_find_body(a, name), in_b = iso_world_find_body(b, name);
        iso_pose x_a = iso_world_body_pose(a, in_a), x_b = iso_world_body_pose(b, in_b);
        iso_spatial v_a = iso_world_body_twist(a, in_a), v_b = iso_world_body_twist(b, in_b);
        CHECK_ARRAY_BITS(&x_a.p.x, &x_b.p.x, 3);
        CHECK_ARRAY_BITS(&x_a.r.m[0][0], &x_b.r.m[0][0], 9);
        CHECK_ARRAY_BITS(&v_a.rotational.x, &v_b.rotational.x, 3);
        CHECK_ARRAY_BITS(&v_a.translational.x, &v_b.translational.x, 3);
    }
}

static void piles_in_one_world_have_the_bits_of_each_alone(void** state) {
    (void)state;
    for (int friction = 0; friction < 2; ++friction) {
        iso_friction_model model =
            friction ? ISO_FRICTION_MODEL_STICK : ISO_FRICTION_MODEL_REGULARIZED;
        iso_context* ctx = test_context();
        iso_world* both = make_piles(ctx, 3, 1, model);
        iso_world* shared = make_piles(ctx, 3, 3, model);
        iso_world* alone[PILES] = {make_piles(ctx, 1, 1, model), make_piles(ctx, 2, 1, model)};
        int most_islands = 0, largest = 0;
        for (int step = 0; step < STEPS; ++step) {
            CHECK_OK(ctx, iso_world_step(both));
            CHECK_OK(ctx, iso_world_step(shared));
            int total = 0, slowest = 0;
            for (int pile = 0; pile < PILES; ++pile) {
                CHECK_OK(ctx, iso_world_step(alone[pile]));
                iso_step_report part = iso_world_step_report(alone[pile]);
                total += part.total_iterations;
                slowest = part.iterations > slowest ? part.iterations : slowest;
            }
            iso_step_report report = iso_world_step_report(both);
            assert_int_equal(report.total_iterations, total);
            assert_true(slowest <= total);
            assert_int_equal(report.iterations, slowest);
            most_islands = report.island_count > most_islands ? report.island_count : most_islands;
            largest = report.largest_island > largest ? report.largest_island : largest;
        }
        assert_true(iso_world_state_hash(both) == iso_world_state_hash(shared));
        for (int pile = 0; pile < PILES; ++pile) {
            check_same_pile(both, alone[pile], pile);
            iso_world_destroy(alone[pile]);
        }
        CHECK(most_islands >= PILES, "%d islands", most_islands);
        CHECK(largest >= 2 && largest <= CUBES, "largest of %d trees", largest);
        iso_world_destroy(both);
        iso_world_destroy(shared);
        test_context_destroy(ctx);
    }
}

static void slow_steps_say_why(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_piles(ctx, 3, 1, ISO_FRICTION_MODEL_REGULARIZED);
    int slow = 0;
    for (int step = 0; step < STEPS; ++step) {
        CHECK_OK(ctx, iso_world_step(world));
        iso_step_report report = iso_world_step_report(world);
        CHECK((report.reason != ISO_STEP_REASON_NONE) == (report.iterations > 5),
              "reason %d after %d iterations", (int)report.reason, report.iterations);
        if (report.reason != ISO_STEP_REASON_NONE) {
            ++slow;
            CHECK(report.reason == ISO_STEP_REASON_OPENING ||
                      report.reason == ISO_STEP_REASON_FRICTION ||
                      report.reason == ISO_STEP_REASON_ROUNDING,
                  "%s", iso_step_reason_text(report.reason));
            CHECK(report.reason_body_a >= 0 && report.reason_body_b >= 0 &&
                      report.reason_body_a != report.reason_body_b,
                  "bodies %d and %d", report.reason_body_a, report.reason_body_b);
        }
    }
    CHECK(slow > 0, "%d slow steps", slow);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piles_in_one_world_have_the_bits_of_each_alone),
        cmocka_unit_test(slow_steps_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
