// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The step that solves for friction and normal force at once, and what it does when that fails.

#include "stepper/rig.h"
#include "support/random.h"

// A block that slides on a steep slope: friction is mu times the normal force of the same step.
static void sliding_block_accelerates_by_coulombs_law(void** state) {
    (void)state;
    double angle = ISO_PI / 6.0, mu = 0.3;
    rig* r = rig_cube(ISO_METHOD_TAMSI, 1e7, 100.0, mu, angle);
    rig_step(r, 1000);
    double v0 = r->v[3];
    rig_step(r, 500);
    double expected = 9.81 * (sin(angle) - mu * cos(angle));
    CHECK_REL((r->v[3] - v0) / 0.5, expected, 1e-10); // measured 1.8e-14
    rig_destroy(r);
}

// Where mu rho(x) is what the slope needs the block creeps with x times the stiction velocity.
static void block_on_a_gentle_slope_creeps_as_the_law_says(void** state) {
    (void)state;
    double angle = 0.2, mu = 0.5;
    rig* r = rig_cube(ISO_METHOD_TAMSI, 1e7, 100.0, mu, angle);
    rig_step(r, 1000);
    double x = 1.0 - sqrt(1.0 - tan(angle) / mu); // x (2 - x) = tan / mu
    CHECK_REL(r->v[3], x * 1e-4, 1e-5);           // measured 4.1e-8
    rig_destroy(r);
}

// Friction of a block that is thrown down is bound by the force of the impact, which no force of
// the start foretells. The lagged law finds it by solving anew.
static void friction_of_an_impact_acts_at_once(void** state) {
    (void)state;
    double lost[2];
    for (int i = 0; i < 2; ++i) {
        rig* r = rig_cube(i == 0 ? ISO_METHOD_TAMSI : ISO_METHOD_LAGGED, 1e6, 10.0, 0.5, 0.0);
        rig_set_free(r, 1, iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.05 - 1e-9)),
                     iso_spatial_make(iso_vec3_zero(), iso_vec3_make(1.0, 0.0, -0.1)));
        rig_step(r, 1);
        lost[i] = 1.0 - r->v[3];
        rig_destroy(r);
    }
    CHECK(lost[0] > 1e-2, "lost %g m/s", lost[0]);
    CHECK_REL(lost[1], lost[0], 0.02); // measured 4.5e-3
}

// Without contact the equations are those of the convex step: an arm with dry friction in its
// joints, which start, stop and turn round.
static void joints_with_dry_friction_move_as_with_the_convex_step(void** state) {
    (void)state;
    rig* arms[2];
    for (int i = 0; i < 2; ++i) {
        rig* r = rig_make();
        r->settings.method = i == 0 ? ISO_METHOD_TAMSI : ISO_METHOD_LAGGED;
        iso_vec3 axis = {0.0, 1.0, 0.0};
        int a = rig_add_body(r, "a", 0, ISO_MOBILITY_REVOLUTE, axis, 1.0, 0.02);
        int b = rig_add_body(r, "b", a, ISO_MOBILITY_REVOLUTE, axis, 1.0, 0.02);
        r->bodies[a].center_of_mass = r->bodies[b].center_of_mass = iso_vec3_make(0.3, 0.0, 0.0);
        r->bodies[b].x_pf = iso_pose_from_position(iso_vec3_make(0.6, 0.0, 0.0));
        r->bodies[a].friction = 0.5;
        r->bodies[b].friction = 0.3;
        rig_finish(r);
        rig_update(r);
        arms[i] = r;
    }
    double largest = 0.0;
    for (int step = 0; step < 2000; ++step) {
        rig_step(arms[0], 1);
        rig_step(arms[1], 1);
        largest = fmax(largest, fabs(arms[0]->v[1]));
        CHECK_ARRAY_NEAR(arms[0]->v, arms[1]->v, 2, 1e-10); // measured 4e-13
    }
    CHECK(largest > 1.0, "the arm moves with %g rad/s at most", largest);
    rig_destroy(arms[0]);
    rig_destroy(arms[1]);
}

static rig* make_pile(double time_step, uint64_t seed) {
    static const char* const names[] = {"b00", "b01", "b02", "b03", "b04", "b05", "b06",
                                        "b07", "b08", "b09", "b10", "b11", "b12", "b13",
                                        "b14", "b15", "b16", "b17", "b18", "b19", "b20",
                                        "b21", "b22", "b23", "b24", "b25", "b26"};
    rig* r = rig_make();
    r->settings.method = ISO_METHOD_TAMSI;
    r->settings.time_step = time_step;
    iso_contact_material soft = rig_material(1e7, 20.0, 1.5);
    for (int i = 0; i < 27; ++i) {
        int body = rig_add_free(r, names[i], 0.5);
        rig_add_shape(r, body, ISO_SHAPE_SPHERE, iso_vec3_make(0.05, 0.0, 0.0), &soft,
                      iso_pose_identity());
    }
    iso_contact_material ground = rig_material(0.0, 0.0, 1.5);
    rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &ground,
                  iso_pose_identity());
    rig_finish(r);
    test_random random = test_random_make(seed);
    for (int i = 0; i < 27; ++i) {
        iso_vec3 p = iso_vec3_make(0.098 * (i % 3), 0.098 * (i / 3 % 3), 0.0495 + 0.098 * (i / 9));
        iso_vec3 w = test_random_vec3(&random, -40.0, 40.0); // in this order, whatever the compiler
        iso_vec3 v = test_random_vec3(&random, -3.0, 3.0);
        rig_set_free(r, i + 1, iso_pose_from_position(p), iso_spatial_make(w, v));
    }
    return r;
}

// A wild pile with steps that are far too long: some are taken in parts, none fails, and the same
// state comes out twice.
static void steps_that_do_not_converge_are_taken_in_parts(void** state) {
    (void)state;
    rig *first = make_pile(0.05, 8), *second = make_pile(0.05, 8);
    int most = 0;
    for (int i = 0; i < 20; ++i) {
        rig_step(first, 1);
        rig_step(second, 1);
        int iterations = first->output.report.iterations;
        most = iterations > most ? iterations : most;
        CHECK_AT_MOST(first->output.report.residual, 1e-8); // measured 9.9e-9
    }
    // One attempt has 100 iterations at most.
    CHECK(most > 100, "no step was taken in parts: %d iterations at most", most);
    CHECK_ARRAY_BITS(second->q, first->q, first->multibody.q_count);
    CHECK_ARRAY_BITS(second->v, first->v, first->multibody.v_count);
    rig_destroy(first);
    rig_destroy(second);
}

// In some of such piles Newton finds no root in 32 parts either: those parts are of a convex
// method, which the report says.
static void parts_without_a_root_are_taken_by_a_convex_method(void** state) {
    (void)state;
    int all = 0;
    for (uint64_t seed = 19; seed < 19 + TEST_ROUNDS(16, 4); ++seed) { // 19 does
        rig* r = make_pile(0.05, seed);
        int count = 0;
        for (int i = 0; i < 12; ++i) {
            rig_step(r, 1);
            count += r->output.report.reason == ISO_STEP_REASON_NO_ROOT;
            CHECK_AT_MOST(r->output.report.residual, 1e-8);
        }
        CHECK(count < 12, "seed %d: %d steps", (int)seed, count);
        all += count;
        rig_destroy(r);
    }
    CHECK(all > 0, "no pile of %d needed it", TEST_ROUNDS(16, 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_block_accelerates_by_coulombs_law),
        cmocka_unit_test(block_on_a_gentle_slope_creeps_as_the_law_says),
        cmocka_unit_test(friction_of_an_impact_acts_at_once),
        cmocka_unit_test(joints_with_dry_friction_move_as_with_the_convex_step),
        cmocka_unit_test(steps_that_do_not_converge_are_taken_in_parts),
        cmocka_unit_test(parts_without_a_root_are_taken_by_a_convex_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
