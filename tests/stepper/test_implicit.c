// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Implicit methods of worlds: their Jacobian against differences, their motion against rk45.

#include "stepper/flow_differences.h"

#include "stepper/flow/flow_jacobian.h"
#include "stepper/flow/implicit.h"
#include "support/random.h"

#define CUBE 0.1

// What a seed draws: how many bodies, balls or cubes, on a floor or on each other, moving.
static rig* draw_world(uint64_t seed, iso_method method, double accuracy, double stiction) {
    test_random random = test_random_make(seed);
    rig* r = rig_make();
    r->settings.method = method;
    r->settings.accuracy = accuracy;
    r->settings.time_step = 0.02;
    r->settings.max_substeps = ISO_MOST_SUBSTEPS;
    r->settings.contact.stiction_velocity = stiction;
    int count = 1 + (int)(seed % 3);
    iso_contact_material ground = rig_material(0.0, 0.0, 0.6);
    rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &ground,
                  iso_pose_identity());
    static const char* const names[] = {"a", "b", "c"};
    for (int i = 0; i < count; ++i) {
        double modulus = pow(10.0, test_random_uniform(&random, 5.0, 6.5));
        double dissipation = test_random_uniform(&random, 0.5, 5.0);
        double friction = test_random_uniform(&random, 0.2, 0.8);
        bool is_ball = test_random_int(&random, 0, 1) == 1 && i == 0 && count == 1;
        iso_contact_material soft = rig_material(modulus, dissipation, friction);
        int body = rig_add_free(r, names[i], test_random_uniform(&random, 0.5, 2.0));
        rig_add_shape(r, body, is_ball ? ISO_SHAPE_SPHERE : ISO_SHAPE_BOX,
                      is_ball ? iso_vec3_make(0.05, 0.0, 0.0) : iso_vec3_make(CUBE, CUBE, CUBE),
                      &soft, iso_pose_identity());
    }
    rig_finish(r);
    for (int i = 0; i < count; ++i) {
        iso_vec3 axis = test_random_unit_vec3(&random);
        double angle = test_random_uniform(&random, 0.0, 0.02);
        iso_quat turn = iso_quat_from_rotation_vector(iso_vec3_scale(axis, angle));
        double x = test_random_uniform(&random, -0.01, 0.01);
        double y = test_random_uniform(&random, -0.01, 0.01);
        iso_pose pose = iso_pose_make(iso_mat3_from_quat(turn),
                                      iso_vec3_make(x, y, 0.0485 + (CUBE - 0.001) * i));
        iso_vec3 w = test_random_vec3(&random, -1.0, 1.0);
        iso_vec3 v = test_random_vec3(&random, -0.3, 0.3);
        rig_set_free(r, i + 1, pose, iso_spatial_make(w, v));
    }
    return r;
}

// Two cubes that are hinged and touch, on the floor, and a third one on both.
static rig* draw_linked(uint64_t seed) {
    test_random random = test_random_make(seed);
    rig* r = rig_make();
    r->settings.time_step = 0.02;
    r->settings.contact.stiction_velocity = 0.05;
    iso_contact_material ground = rig_material(0.0, 0.0, 0.6);
    iso_contact_material soft = rig_material(1e6, 1.0, 0.5);
    iso_vec3 size = {CUBE, CUBE, CUBE}, axis = test_random_unit_vec3(&random);
    rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &ground,
                  iso_pose_identity());
    int first = rig_add_free(r, "first", 1.0);
    int second = rig_add_body(r, "second", first, ISO_MOBILITY_REVOLUTE, axis, 0.7, 1e-3);
    r->bodies[second].x_pf = iso_pose_from_position(iso_vec3_make(CUBE - 0.001, 0.013, 0.0));
    int third = rig_add_free(r, "third", 0.5);
    for (int body = first; body <= third; ++body) {
        rig_add_shape(r, body, ISO_SHAPE_BOX, size, &soft, iso_pose_identity());
    }
    rig_finish(r);
    for (int i = 0; i < 2; ++i) {
        iso_vec3 turn = test_random_vec3(&random, -0.015, 0.015);
        iso_pose pose = iso_pose_make(iso_mat3_from_quat(iso_quat_from_rotation_vector(turn)),
                                      iso_vec3_make(0.04 * i, 0.007 * i, 0.0485 + 0.099 * i));
        iso_vec3 w = test_random_vec3(&random, -1.0, 1.0), v = test_random_vec3(&random, -0.3, 0.3);
        rig_set_free(r, i == 0 ? first : third, pose, iso_spatial_make(w, v));
    }
    r->q[r->multibody.bodies[second].q_index] = test_random_uniform(&random, -0.004, 0.004);
    r->v[r->multibody.bodies[second].v_index] = test_random_uniform(&random, -1.0, 1.0);
    rig_update(r);
    return r;
}

static void the_jacobian_is_that_of_differences(void** state) {
    (void)state;
    double worst = 0.0, sum = 0.0;
    int count = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        rig* r = seed < 30 ? draw_world(seed, ISO_METHOD_RADAU, 1e-6, 0.05) : draw_linked(seed);
        double y[13 * 4], jacobian[13 * 13 * 16];
        get_motion(r, y);
        iso_step_input input = rig_input(r);
        iso_stages stages = {.stepper = r->stepper, .input = &input, .span = 0.02};
        CHECK_OK(r->ctx, iso_arena_reset(&r->stepper->arena));
        CHECK_OK(r->ctx, iso_stage_kinematics(&stages));
        CHECK_OK(r->ctx, iso_stage_contacts(&stages));
        assert_true(stages.set.pair_count > 0);
        iso_flow f = {.stages = &stages, .input = input};
        CHECK_OK(r->ctx, iso_flow_prepare(&f));
        CHECK_OK(r->ctx, iso_flow_jacobian(&f, 0.0, y, jacobian));
        for (int j = 0; j < motion_count(r); ++j) {
            double error = column_error(r, &f, y, jacobian, j, motion_count(r));
            worst = fmax(worst, error);
            sum += error;
            ++count;
        }
        rig_destroy(r);
    }
    CHECK_AT_MOST(sum / count, 1e-5); // measured 8e-7
    CHECK_AT_MOST(worst, 2e-3);       // measured 1.1e-4: corners of the law within the step
}

static double distance_of(const rig* a, const rig* b) {
    double worst = 0.0;
    for (int i = 0; i < a->multibody.q_count; ++i) {
        worst = fmax(worst, fabs(a->q[i] - b->q[i]));
    }
    return worst;
}

static void drawn_worlds_move_as_with_tight_rk45(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_RADAU, ISO_METHOD_CVODE};
    for (uint64_t seed = 0; seed < TEST_ROUNDS(12, 1); ++seed) {
        rig* truth = draw_world(seed, ISO_METHOD_RK45, 1e-9, 0.02);
        rig_step(truth, 10);
        for (int m = 0; m < 2 && iso_stepper_has_method(methods[m]); ++m) {
            rig* r = draw_world(seed, methods[m], 1e-6, 0.02);
            rig_step(r, 10);
            CHECK_AT_MOST(distance_of(r, truth), 5e-5); // measured 1e-5
            rig_destroy(r);
        }
        rig_destroy(truth);
    }
}

// Works are integrated along: what bodies gain is what forces gave.
static void the_ledger_closes(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < TEST_ROUNDS(6, 1); ++seed) {
        rig* r = draw_world(seed, ISO_METHOD_RADAU, 1e-8, 0.02);
        double start = rig_energy(r), work = 0.0;
        for (int i = 0; i < 10; ++i) {
            rig_step(r, 1);
            work += r->output.works.contact;
        }
        CHECK(fabs(rig_energy(r) - start) > 1e-3, "nothing happens in seed %d", (int)seed);
        CHECK_NEAR(rig_energy(r) - start, work, 2e-7); // measured 1.7e-8
        rig_destroy(r);
    }
}

// A free fall offers steps as long as the time step; blows are not stepped over.
static void long_steps_see_every_blow(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_RADAU, ISO_METHOD_CVODE};
    for (uint64_t seed = 0; seed < TEST_ROUNDS(8, 3); ++seed) {
        double heights[3] = {0.0};
        for (int m = 0; m < 3 && iso_stepper_has_method(methods[m]); ++m) {
            test_random random = test_random_make(100 + seed);
            rig* r = rig_make();
            r->settings.method = methods[m];
            r->settings.accuracy = m == 0 ? 1e-9 : 1e-7;
            r->settings.time_step = m == 0 ? 0.005 : 0.25; // rk45 would miss some of them
            r->settings.max_substeps = ISO_MOST_SUBSTEPS;
            double modulus = pow(10.0, test_random_uniform(&random, 5.0, 7.5));
            iso_contact_material soft = rig_material(modulus, 0.1, 0.0);
            iso_contact_material ground = rig_material(0.0, 0.0, 0.0);
            int ball = rig_add_free(r, "ball", test_random_uniform(&random, 0.2, 2.0));
            rig_add_shape(r, ball, ISO_SHAPE_SPHERE, iso_vec3_make(0.05, 0.0, 0.0), &soft,
                          iso_pose_identity());
            rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &ground,
                          iso_pose_identity());
            rig_finish(r);
            double height = test_random_uniform(&random, 0.1, 1.5);
            rig_set_free(r, ball, iso_pose_from_position(iso_vec3_make(0.0, 0.0, height)),
                         iso_spatial_zero());
            rig_step(r, m == 0 ? 200 : 4);
            heights[m] = r->q[6];
            rig_destroy(r);
        }
        CHECK_NEAR(heights[1], heights[0], 1e-5); // measured 1.4e-6
        if (iso_stepper_has_method(ISO_METHOD_CVODE)) {
            CHECK_NEAR(heights[2], heights[0], 1e-5); // measured 1.8e-6
        }
    }
}

static void pendulums_swing_as_with_tight_rk45(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < 5; ++seed) {
        double end[2][2];
        for (int m = 0; m < 2; ++m) {
            test_random random = test_random_make(seed);
            rig* r = rig_make();
            r->settings.method = m == 0 ? ISO_METHOD_RK45 : ISO_METHOD_RADAU;
            r->settings.accuracy = m == 0 ? 1e-11 : 1e-9;
            r->settings.time_step = 0.5;
            r->settings.max_substeps = ISO_MOST_SUBSTEPS;
            iso_vec3 axis = {0.0, 1.0, 0.0};
            int upper = rig_add_body(r, "upper", 0, ISO_MOBILITY_REVOLUTE, axis, 1.0, 0.1);
            int lower = rig_add_body(r, "lower", upper, ISO_MOBILITY_REVOLUTE, axis, 0.5, 0.05);
            double depth = -test_random_uniform(&random, 0.2, 0.8);
            r->bodies[upper].center_of_mass = r->bodies[lower].center_of_mass =
                iso_vec3_make(0.0, 0.0, depth);
            r->bodies[lower].x_pf = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 2.0 * depth));
            r->bodies[lower].damping = test_random_uniform(&random, 0.0, 20.0);
            rig_finish(r);
            r->q[0] = test_random_uniform(&random, -1.0, 1.0);
            r->q[1] = test_random_uniform(&random, -1.0, 1.0);
            rig_step(r, 4);
            end[m][0] = r->q[0];
            end[m][1] = r->q[1];
            rig_destroy(r);
        }
        CHECK_ARRAY_NEAR(end[1], end[0], 2, 2e-9); // measured 1e-10
    }
}

// A stack on a floor with the default stiction velocity: rk45 needs thousands of substeps.
static void a_stack_takes_few_steps(void** state) {
    (void)state;
    rig* r = draw_world(2, ISO_METHOD_RADAU, 1e-4, 1e-4);
    int evaluations = 0;
    for (int i = 0; i < 50; ++i) {
        rig_step(r, 1);
        evaluations += r->output.report.iterations;
    }
    CHECK_AT_MOST((double)evaluations, 20000.0); // measured 6600
    rig_destroy(r);
}

static void a_limit_of_substeps_is_named(void** state) {
    (void)state;
    rig* r = draw_world(2, ISO_METHOD_RADAU, 1e-8, 1e-4);
    r->stepper->settings.max_substeps = 3;
    double before[13 * 4];
    get_motion(r, before);
    CHECK_STATUS(r->ctx, rig_try_step(r), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(r->ctx, "body '");
    CHECK_ERROR(r->ctx, "all allowed steps are made");
    CHECK_ARRAY_BITS(r->q, before, r->multibody.q_count);
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_jacobian_is_that_of_differences),
        cmocka_unit_test(drawn_worlds_move_as_with_tight_rk45),
        cmocka_unit_test(the_ledger_closes),
        cmocka_unit_test(long_steps_see_every_blow),
        cmocka_unit_test(pendulums_swing_as_with_tight_rk45),
        cmocka_unit_test(a_stack_takes_few_steps),
        cmocka_unit_test(a_limit_of_substeps_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
