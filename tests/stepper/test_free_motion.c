// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Steps at the velocity level without contact: free motion, damping, drives, limits, failures.

#include "stepper/rig.h"

static const iso_vec3 axis_x = {1.0, 0.0, 0.0}, axis_y = {0.0, 1.0, 0.0};

/// Two links that swing about y, each with its centre of mass 0.5 m below its hinge.
static rig* make_pendulum(iso_method method, double damping) {
    rig* r = rig_make();
    r->settings.method = method;
    int upper = rig_add_body(r, "upper", 0, ISO_MOBILITY_REVOLUTE, axis_y, 1.0, 0.1);
    int lower = rig_add_body(r, "lower", upper, ISO_MOBILITY_REVOLUTE, axis_y, 0.5, 0.05);
    r->bodies[upper].center_of_mass = r->bodies[lower].center_of_mass =
        iso_vec3_make(0.0, 0.0, -0.5);
    r->bodies[lower].x_pf = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -1.0));
    r->bodies[upper].damping = r->bodies[lower].damping = damping;
    rig_finish(r);
    r->q[0] = 1.0;
    r->q[1] = -0.5;
    r->v[0] = 0.4;
    r->v[1] = -2.0;
    rig_update(r);
    return r;
}

/// v+ = v0 + dt a(q0, (v0 + v+) / 2), q+ = q0 + dt v+: nothing to solve, so no Newton iteration.
static void double_pendulum_takes_its_bias_at_the_mean_velocity(void** state) {
    (void)state;
    rig* r = make_pendulum(ISO_METHOD_LAGGED, 0.0);
    double q[2], v[2], mean[2], vdot[2];
    for (int i = 0; i < 100; ++i) {
        memcpy(q, r->q, sizeof q);
        memcpy(v, r->v, sizeof v);
        rig_step(r, 1);
        for (int d = 0; d < 2; ++d) {
            mean[d] = 0.5 * (v[d] + r->v[d]);
        }
        iso_multibody_kinematics(&r->multibody, q, mean, &r->kinematics);
        CHECK_OK(r->ctx,
                 iso_multibody_acceleration(&r->multibody, &r->kinematics, mean,
                                            r->settings.gravity, NULL, NULL, &r->arena, vdot));
        for (int d = 0; d < 2; ++d) {
            v[d] += 1e-3 * vdot[d];
            q[d] += 1e-3 * v[d];
        }
        CHECK_ARRAY_NEAR(r->v, v, 2, 1e-6); // measured 9e-9; 1e-7 of the velocity is allowed
        CHECK_ARRAY_NEAR(r->q, q, 2, 1e-9);
        assert_int_equal(r->output.report.iterations, 0);
    }
    rig_destroy(r);
}

/// (m + dt d) (v+ - v0) = -dt d v0: a factor 1 / (1 + dt d / m) each step, whatever d.
static void joint_damping_is_implicit(void** state) {
    (void)state;
    const double dampings[] = {0.1, 100.0, 1e6};
    for (int i = 0; i < 3; ++i) {
        rig* r = rig_make();
        int slider = rig_add_body(r, "slider", 0, ISO_MOBILITY_PRISMATIC, axis_x, 2.0, 0.1);
        r->bodies[slider].damping = dampings[i];
        rig_finish(r);
        r->v[0] = 3.0;
        rig_step(r, 1);
        double expected = 3.0 / (1.0 + 1e-3 * dampings[i] / 2.0);
        CHECK_NEAR(r->v[0], expected, 1e-14); // measured 5e-16
        CHECK_REL(r->output.works.damping, 1e-3 * dampings[i] * expected * expected,
                  1e-9); // measured 2e-13
        rig_destroy(r);
    }
}

static rig* make_drive(double kp, double kd, double limit, double mass) {
    rig* r = rig_make();
    int slider = rig_add_body(r, "slider", 0, ISO_MOBILITY_PRISMATIC, axis_x, mass, 0.1);
    r->actuators[0] = (iso_actuator){.body = slider,
                                     .tendon = -1,
                                     .effort_lower = -limit,
                                     .effort_upper = limit,
                                     .kp = kp,
                                     .kd = kd};
    r->actuator_count = 1;
    rig_finish(r);
    return r;
}

static void saturated_drive_accelerates_with_its_limit(void** state) {
    (void)state;
    rig* r = make_drive(1e4, 10.0, 6.0, 2.0);
    r->actuations[0].position = 1.0;
    rig_step(r, 100);
    CHECK_REL(r->v[0], 6.0 / 2.0 * 0.1, 1e-12); // measured 6e-16
    CHECK_BITS(r->efforts[0], 6.0);
    r->actuations[0].position = -1.0;
    rig_step(r, 100);
    CHECK_NEAR(r->v[0], 0.0, 1e-12); // measured 2e-17
    CHECK_BITS(r->efforts[0], -6.0);
    CHECK_REL(r->output.works.actuation, -6.0 * 1e-3 * r->v[0], 1e-12);
    rig_destroy(r);
}

/// With and without a limit that is out of reach the drive is the same, once as a potential, once
/// as a part of A; both are the closed form of the implicit PD law.
static void drive_within_its_limit_is_implicit_pd(void** state) {
    (void)state;
    double kp = 500.0, kd = 20.0, m = 2.0, dt = 1e-3;
    rig* limited = make_drive(kp, kd, 1e5, m);
    rig* unlimited = make_drive(kp, kd, INFINITY, m);
    double q = 0.0, v = 0.0;
    for (int i = 0; i < 300; ++i) {
        limited->actuations[0] = unlimited->actuations[0] = (iso_actuation){3.0, 0.7, 0.1};
        rig_step(limited, 1);
        rig_step(unlimited, 1);
        v = (m * v + dt * (3.0 + kp * (0.7 - q) + kd * 0.1)) / (m + dt * (kp * dt + kd));
        q += dt * v;
        CHECK_NEAR(limited->v[0], v, 1e-12);   // measured 4e-14
        CHECK_NEAR(unlimited->v[0], v, 1e-12); // measured 4e-14
        double effort = 3.0 + kp * (0.7 - q) + kd * (0.1 - v);
        CHECK_NEAR(limited->efforts[0], effort, 1e-9);   // measured 2e-12
        CHECK_NEAR(unlimited->efforts[0], effort, 1e-9); // measured 2e-12
        assert_int_equal(unlimited->output.report.iterations, 0);
    }
    rig_destroy(limited);
    rig_destroy(unlimited);
}

static void stiff_drive_reaches_its_target_in_one_step_and_stays(void** state) {
    (void)state;
    rig* r = make_drive(1e12, 0.0, 1e9, 2.0);
    r->actuations[0].position = 0.01;
    rig_step(r, 1);
    CHECK_NEAR(r->q[0], 0.01, 1e-5); // softened by beta^2 / (4 pi^2) = 2.5e-4; measured 2.5e-6
    rig_step(r, 20);
    CHECK_NEAR(r->q[0], 0.01, 1e-12); // measured 0
    CHECK(r->output.report.iterations <= 1, "%d iterations", r->output.report.iterations);
    rig_destroy(r);
}

/// A slider falls on its lower limit and is held there; then thrown at the upper one.
static void joint_limit_is_held(void** state) {
    (void)state;
    rig* r = rig_make();
    int slider = rig_add_body(r, "slider", 0, ISO_MOBILITY_PRISMATIC, iso_vec3_make(0.0, 0.0, 1.0),
                              2.0, 0.1);
    r->bodies[slider].lower = -0.1;
    r->bodies[slider].upper = 0.2;
    rig_finish(r);
    double lowest = 0.0;
    for (int i = 0; i < 500; ++i) {
        rig_step(r, 1);
        lowest = fmin(lowest, r->q[0]);
    }
    CHECK_AT_MOST(-0.1 - lowest, 1e-5); // measured 5e-9
    CHECK_NEAR(r->q[0], -0.1, 1e-5);    // measured 5e-9
    CHECK_NEAR(r->v[0], 0.0, 1e-9);     // measured 5e-15
    r->v[0] = 4.0;
    double highest = 0.0;
    for (int i = 0; i < 100; ++i) {
        rig_step(r, 1);
        highest = fmax(highest, r->q[0]);
    }
    CHECK_AT_MOST(highest - 0.2, 1e-5); // measured < 0: it stops short
    CHECK_NEAR(highest, 0.2, 2e-3);     // measured 1e-3: within half a step's way
    rig_destroy(r);
}

static void limit_of_a_heavy_chain_holds_what_hangs_on_it(void** state) {
    (void)state;
    rig* r = make_pendulum(ISO_METHOD_LAGGED, 0.0);
    rig_destroy(r);
    r = rig_make();
    int upper = rig_add_body(r, "upper", 0, ISO_MOBILITY_REVOLUTE, axis_y, 0.01, 1e-5);
    int lower = rig_add_body(r, "lower", upper, ISO_MOBILITY_REVOLUTE, axis_y, 50.0, 5.0);
    r->bodies[lower].x_pf = iso_pose_from_position(iso_vec3_make(1.0, 0.0, 0.0));
    r->bodies[lower].center_of_mass = iso_vec3_make(1.0, 0.0, 0.0);
    r->bodies[upper].lower = r->bodies[lower].lower = -0.5;
    r->bodies[upper].upper = r->bodies[lower].upper = 0.2;
    rig_finish(r);
    rig_step(r, 2000);
    // Gravity turns both towards positive angles, onto the upper limits.
    CHECK_NEAR(r->q[0], 0.2, 1e-5);                     // measured 8e-8
    CHECK_NEAR(r->q[1], 0.2, 1e-5);                     // measured 2e-7
    CHECK_AT_MOST(fabs(r->v[0]) + fabs(r->v[1]), 1e-9); // measured 4e-14
    rig_destroy(r);
}

/// The drive's own acceleration brings the joint within reach of the limit in the step it starts.
static void drive_pushes_against_a_limit_that_holds(void** state) {
    (void)state;
    rig* r = rig_make();
    int slider = rig_add_body(r, "slider", 0, ISO_MOBILITY_PRISMATIC, axis_x, 2.0, 0.1);
    r->bodies[slider].upper = 1e-4;
    r->actuators[0] = (iso_actuator){.body = slider,
                                     .tendon = -1,
                                     .effort_lower = -1e3,
                                     .effort_upper = 1e3,
                                     .kp = 1e6,
                                     .kd = 10.0};
    r->actuations[0].position = 1.0;
    r->actuator_count = 1;
    rig_finish(r);
    double highest = 0.0;
    for (int i = 0; i < 100; ++i) {
        rig_step(r, 1);
        highest = fmax(highest, r->q[0]);
    }
    // 2 (beta / 2 pi)^2 (1000 N / 2 kg) dt^2; measured 2.53e-7
    CHECK_NEAR(highest - 1e-4, 2.533e-7, 1e-9);
    CHECK_BITS(r->efforts[0], 1e3);
    CHECK_NEAR(r->v[0], 0.0, 1e-9); // measured 2e-18
    rig_destroy(r);
}

static void stepper_needs_no_contact_system(void** state) {
    (void)state;
    rig* r = make_pendulum(ISO_METHOD_LAGGED, 0.0);
    rig* bare = make_pendulum(ISO_METHOD_LAGGED, 0.0);
    iso_dynamics dynamics = {.multibody = &bare->multibody};
    iso_stepper_destroy(bare->ctx, bare->stepper);
    CHECK_OK(bare->ctx, iso_stepper_create(bare->ctx, &dynamics, &bare->settings, &bare->stepper));
    rig_step(r, 10);
    rig_step(bare, 10);
    CHECK_ARRAY_BITS(bare->q, r->q, 2);
    bare->v[0] = NAN;
    CHECK_STATUS(bare->ctx, rig_try_step(bare), ISO_ERR_NUMERIC);
    CHECK_ERROR(bare->ctx, "'?'"); // no names were given
    rig_destroy(r);
    rig_destroy(bare);
}

static iso_status attempt_stepper(iso_context* ctx, void* user) {
    const rig* r = user;
    iso_world_desc settings = r->settings;
    settings.thread_count = 2;
    iso_dynamics dynamics = {.multibody = &r->multibody,
                             .contact = r->contact,
                             .actuators = r->actuators,
                             .actuator_count = r->actuator_count,
                             .body_names = r->names};
    iso_stepper* stepper = NULL;
    iso_status status = iso_stepper_create(ctx, &dynamics, &settings, &stepper);
    assert_true((status == ISO_OK) == (stepper != NULL));
    iso_stepper_destroy(ctx, stepper);
    return status;
}

static void creation_survives_every_allocation_failure(void** state) {
    (void)state;
    rig* r = make_drive(1.0, 1.0, 1.0, 1.0);
    int count = check_every_allocation_failure(attempt_stepper, r);
    CHECK(count >= 4, "%d allocations", count);
    rig_destroy(r);
}

static void settings_out_of_range_are_refused(void** state) {
    (void)state;
    rig* r = make_drive(1.0, 1.0, 1.0, 1.0);
    iso_dynamics dynamics = {.multibody = &r->multibody,
                             .contact = r->contact,
                             .actuators = r->actuators,
                             .actuator_count = 1,
                             .body_names = r->names};
    iso_world_desc settings = r->settings;
    iso_stepper* stepper = NULL;
    settings.time_step = 0.0;
    CHECK_STATUS(r->ctx, iso_stepper_create(r->ctx, &dynamics, &settings, &stepper), ISO_ERR_RANGE);
    settings = r->settings;
    settings.method = (iso_method)99;
    CHECK_STATUS(r->ctx, iso_stepper_create(r->ctx, &dynamics, &settings, &stepper),
                 ISO_ERR_ARGUMENT);
    r->actuators[0].kp = -1.0;
    CHECK_STATUS(r->ctx, iso_stepper_create(r->ctx, &dynamics, &r->settings, &stepper),
                 ISO_ERR_RANGE);
    assert_null(stepper);
    rig_destroy(r);
}

static void work_of_a_wrench_is_the_energy_it_gives(void** state) {
    (void)state;
    rig* r = rig_make();
    r->settings.gravity = iso_vec3_zero();
    int body = rig_add_free(r, "stone", 2.0);
    rig_finish(r);
    r->f_b_w[body] = iso_spatial_make(iso_vec3_make(0.0, 0.0, 0.01), iso_vec3_make(3.0, 0.0, 0.0));
    double work = 0.0;
    for (int i = 0; i < 1000; ++i) {
        rig_step(r, 1);
        work += r->output.works.actuation;
    }
    // Symplectic Euler counts the work with the new velocity: too much by 1 / (number of steps).
    CHECK_REL(work, rig_energy(r) * 1.001, 1e-9); // measured 2e-14
    rig_destroy(r);
}

static void state_that_is_not_finite_is_named_and_left_alone(void** state) {
    (void)state;
    rig* r = make_pendulum(ISO_METHOD_LAGGED, 0.1);
    r->v[1] = NAN;
    double q0 = r->q[0], v0 = r->v[0];
    CHECK_STATUS(r->ctx, rig_try_step(r), ISO_ERR_NUMERIC);
    CHECK_ERROR(r->ctx, "'lower'");
    CHECK_BITS(r->q[0], q0);
    CHECK_BITS(r->v[0], v0);

    r->v[1] = 1e200; // its square overflows in the step
    CHECK_STATUS(r->ctx, rig_try_step(r), ISO_ERR_NUMERIC);
    CHECK_ERROR(r->ctx, "after the step");
    CHECK_BITS(r->q[0], q0);
    CHECK_BITS(r->v[0], v0);
    rig_destroy(r);
}

static void drive_of_a_joint_without_one_freedom_is_refused(void** state) {
    (void)state;
    rig* r = rig_make();
    int body = rig_add_free(r, "stone", 2.0);
    rig_finish(r);
    iso_actuator actuator = {.body = body, .tendon = -1, .effort_lower = -1.0, .effort_upper = 1.0};
    iso_dynamics dynamics = {.multibody = &r->multibody,
                             .contact = r->contact,
                             .actuators = &actuator,
                             .actuator_count = 1,
                             .body_names = r->names};
    iso_stepper* stepper = NULL;
    CHECK_STATUS(r->ctx, iso_stepper_create(r->ctx, &dynamics, &r->settings, &stepper),
                 ISO_ERR_ARGUMENT);
    assert_null(stepper);
    rig_destroy(r);
}

/// A hinge of inertia 4 kg m^2 and two equal rows J = 2: lambda = -m rhs / J^2, in equal parts; a
/// row that contradicts the other gets the mean of both; one that is not finite is an error.
static void rows_share_their_force_and_must_be_finite(void** state) {
    (void)state;
    rig* r = rig_make();
    rig_add_body(r, "wheel", 0, ISO_MOBILITY_REVOLUTE, axis_x, 1.0, 4.0);
    rig_finish(r);
    double jacobian[2] = {2.0, 2.0}, factor[1] = {2.0};
    iso_closure_block blocks[2] = {{.first = 0, .count = 1}, {.first = 1, .count = 1}};
    iso_closure_rows rows = {.count = 2, .jacobian = jacobian, .block_count = 2, .blocks = blocks};

    int block = 0;
    double same[2] = {3.0, 3.0}, x[1] = {0.5};
    CHECK_OK(r->ctx, iso_closure_solve(&rows, &r->multibody, factor, &r->arena, same, x, &block));
    CHECK_NEAR(same[0], -1.5, 1e-14); // measured 0
    CHECK_NEAR(same[1], -1.5, 1e-14);
    CHECK_NEAR(x[0], 0.5 - 1.5, 1e-14); // measured 0

    double other[2] = {2.0, 4.0}, y[1] = {0.5};
    CHECK_OK(r->ctx, iso_closure_solve(&rows, &r->multibody, factor, &r->arena, other, y, &block));
    CHECK_NEAR(y[0], 0.5 - 1.5, 1e-9); // measured 0

    double lost[2] = {3.0, 3.0};
    jacobian[1] = NAN;
    CHECK_STATUS(r->ctx,
                 iso_closure_solve(&rows, &r->multibody, factor, &r->arena, lost, x, &block),
                 ISO_ERR_NUMERIC);
    CHECK_ERROR(r->ctx, "forces of a constraint overflow in this state");
    assert_int_equal(block, 1);
    CHECK_NEAR(x[0], -1.0, 1e-9);
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum_takes_its_bias_at_the_mean_velocity),
        cmocka_unit_test(joint_damping_is_implicit),
        cmocka_unit_test(saturated_drive_accelerates_with_its_limit),
        cmocka_unit_test(drive_within_its_limit_is_implicit_pd),
        cmocka_unit_test(stiff_drive_reaches_its_target_in_one_step_and_stays),
        cmocka_unit_test(joint_limit_is_held),
        cmocka_unit_test(limit_of_a_heavy_chain_holds_what_hangs_on_it),
        cmocka_unit_test(drive_pushes_against_a_limit_that_holds),
        cmocka_unit_test(stepper_needs_no_contact_system),
        cmocka_unit_test(creation_survives_every_allocation_failure),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(work_of_a_wrench_is_the_energy_it_gives),
        cmocka_unit_test(state_that_is_not_finite_is_named_and_left_alone),
        cmocka_unit_test(drive_of_a_joint_without_one_freedom_is_refused),
        cmocka_unit_test(rows_share_their_force_and_must_be_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
