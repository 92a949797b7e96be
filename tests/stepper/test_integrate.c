// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The continuous methods, and contacts at rest.

#include "contact/pressure_field/pressure_field.h"
#include "stepper/rig.h"

static const iso_method continuous_methods[] = {ISO_METHOD_RK4, ISO_METHOD_RK23, ISO_METHOD_RK45};

static void parabola_is_followed_exactly(void** state) {
    (void)state;
    for (int m = 0; m < 3; ++m) {
        rig* r = rig_make();
        r->settings.method = continuous_methods[m];
        r->settings.time_step = 0.01;
        rig_add_free(r, "stone", 2.0);
        rig_finish(r);
        r->v[3] = 1.0;
        r->v[5] = 5.0;
        rig_step(r, 100);
        CHECK_NEAR(r->q[4], 1.0, 1e-12);              // measured 7e-16
        CHECK_NEAR(r->q[6], 5.0 - 0.5 * 9.81, 1e-12); // measured 9e-16
        rig_destroy(r);
    }
}

static rig* make_pendulum(iso_method method, double damping) {
    rig* r = rig_make();
    r->settings.method = method;
    r->settings.time_step = 0.01;
    r->settings.accuracy = 1e-8;
    iso_vec3 axis = {0.0, 1.0, 0.0};
    int upper = rig_add_body(r, "upper", 0, ISO_MOBILITY_REVOLUTE, axis, 1.0, 0.1);
    int lower = rig_add_body(r, "lower", upper, ISO_MOBILITY_REVOLUTE, axis, 0.5, 0.05);
    r->bodies[upper].center_of_mass = r->bodies[lower].center_of_mass =
        iso_vec3_make(0.0, 0.0, -0.5);
    r->bodies[lower].x_pf = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -1.0));
    r->bodies[upper].damping = r->bodies[lower].damping = damping;
    rig_finish(r);
    r->q[0] = 1.0;
    r->q[1] = -0.5;
    return r;
}

static void double_pendulum_keeps_its_energy(void** state) {
    (void)state;
    for (int m = 0; m < 3; ++m) {
        rig* r = make_pendulum(continuous_methods[m], 0.0);
        double start = rig_energy(r);
        rig_step(r, 100);
        CHECK_NEAR(rig_energy(r), start, 1e-5); // measured 2e-7
        rig_destroy(r);
    }
}

static void damping_and_drive_are_booked_as_work(void** state) {
    (void)state;
    for (int m = 0; m < 3; ++m) {
        rig* r = make_pendulum(continuous_methods[m], 0.3);
        rig_destroy(r);
        r = rig_make();
        r->settings.method = continuous_methods[m];
        r->settings.time_step = 0.01;
        r->settings.accuracy = 1e-8;
        int arm = rig_add_body(r, "arm", 0, ISO_MOBILITY_REVOLUTE, iso_vec3_make(0.0, 1.0, 0.0),
                               1.0, 0.1);
        r->bodies[arm].center_of_mass = iso_vec3_make(0.0, 0.0, -0.5);
        r->bodies[arm].damping = 0.3;
        r->actuators[0] = (iso_actuator){.body = arm,
                                         .tendon = -1,
                                         .effort_lower = -3.0,
                                         .effort_upper = 3.0,
                                         .kp = 40.0,
                                         .kd = 1.0};
        r->actuations[0].position = 1.0;
        r->actuator_count = 1;
        rig_finish(r);
        r->f_b_w[arm].translational.x = 0.7;
        double start = rig_energy(r), work = 0.0, loss = 0.0, largest = 0.0;
        for (int i = 0; i < 100; ++i) {
            rig_step(r, 1);
            work += r->output.works.actuation;
            loss += r->output.works.damping;
            largest = fmax(largest, fabs(r->efforts[0]));
        }
        CHECK_BITS(largest, 3.0);
        CHECK(loss > 0.01, "loss %g J", loss);
        CHECK_NEAR(rig_energy(r) - start, work - loss, 1e-5); // measured 7e-7
        rig_destroy(r);
    }
}

/// A ball bounces without friction and dissipation: contact stores energy and gives it back.
static void elastic_bounce_gives_back_the_height(void** state) {
    (void)state;
    rig* r = rig_make();
    r->settings.method = ISO_METHOD_RK45;
    r->settings.accuracy = 1e-7;
    r->settings.time_step = 0.01;
    int ball = rig_add_free(r, "ball", 1.0);
    iso_contact_material soft = rig_material(1e5, 0.0, 0.0);
    iso_contact_material ground = rig_material(0.0, 0.0, 0.0);
    rig_add_shape(r, ball, ISO_SHAPE_SPHERE, iso_vec3_make(0.1, 0.0, 0.0), &soft,
                  iso_pose_identity());
    rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &ground,
                  iso_pose_identity());
    r->settings.contact.representation = ISO_REPRESENTATION_TRIANGLE;
    rig_finish(r);
    rig_set_free(r, ball, iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.2)), iso_spatial_zero());
    double work = 0.0, lowest = 1.0, highest = 0.0;
    for (int i = 0; i < 40; ++i) {
        rig_step(r, 1);
        work += r->output.works.contact;
        lowest = fmin(lowest, r->q[6]);
        highest = r->q[6] > highest && lowest < 0.1 ? r->q[6] : highest;
    }
    CHECK(lowest < 0.095, "lowest %g m", lowest);
    CHECK_NEAR(work, 0.0, 1e-3);    // measured 2e-6
    CHECK_NEAR(highest, 0.2, 1e-3); // between two samples; measured 2e-5
    rig_destroy(r);
}

static void joint_limit_is_a_critically_damped_spring(void** state) {
    (void)state;
    for (int m = 0; m < 3; ++m) {
        rig* r = rig_make();
        r->settings.method = continuous_methods[m];
        iso_vec3 up = {0.0, 0.0, 1.0};
        int slider = rig_add_body(r, "slider", 0, ISO_MOBILITY_PRISMATIC, up, 2.0, 0.1);
        r->bodies[slider].lower = -0.05;
        r->bodies[slider].upper = 0.1;
        rig_finish(r);
        rig_step(r, 500);
        // Sag g / omega^2 with omega = 0.5 / dt.
        CHECK_NEAR(r->q[0], -0.05 - 9.81 * 4e-6, 1e-9); // measured 0
        CHECK_NEAR(r->v[0], 0.0, 1e-6);                 // measured 8e-16
        r->v[0] = 3.0;
        double highest = 0.0;
        for (int i = 0; i < 100; ++i) {
            rig_step(r, 1);
            highest = fmax(highest, r->q[0]);
        }
        CHECK(highest > 0.1 && highest < 0.1 + 3.0 * 2e-3, "highest %g m", highest);
        rig_destroy(r);
    }
}

static void contacts_at_rest_are_the_pressure_of_the_overlap(void** state) {
    (void)state;
    rig* r = rig_cube(ISO_METHOD_RK45, 1e6, 50.0, 0.5, 0.0);
    iso_step_input input = rig_input(r);
    iso_contact_result result;
    iso_step_report report;
    CHECK_OK(r->ctx, iso_stepper_contacts(r->stepper, &input, &result, &report, NULL));
    assert_int_equal(result.set.pair_count, 1);
    assert_int_equal(report.contact_count, 1);
    // A = 0.01 m^2, depth 2e-5 m, E / H = 1e6 / 0.05 Pa/m; the mesh's corners take a little.
    CHECK_REL(-result.f_b_w[0].translational.z, 0.01 * 2e-5 * 2e7, 1e-2); // measured 4e-4
    CHECK_REL(iso_contact_elastic_energy(&result.set.pairs[0]), 0.5 * 0.01 * 2e-5 * 2e-5 * 2e7,
              1e-2); // measured 8e-4
    iso_vec3 sum = iso_vec3_zero();
    for (int f = 0; f < result.set.pairs[0].patch.face_count; ++f) {
        sum = iso_vec3_add_scaled(sum, result.tractions[0][f], result.set.pairs[0].patch.areas[f]);
        CHECK_AT_MOST(iso_vec3_norm(result.slips[0][f]), 0.0);
    }
    CHECK_VEC3_NEAR(sum, result.f_b_w[0].translational, 1e-12); // measured 0
    rig_destroy(r);
}

static void both_kinds_of_method_agree_on_a_landing(void** state) {
    (void)state;
    double q[2][7];
    for (int m = 0; m < 2; ++m) {
        rig* r = rig_cube(m == 0 ? ISO_METHOD_RK45 : ISO_METHOD_LAGGED, 1e6, 20.0, 0.3, 0.1);
        rig_destroy(r);
        r = rig_make();
        r->settings.method = m == 0 ? ISO_METHOD_RK45 : ISO_METHOD_LAGGED;
        r->settings.time_step = m == 0 ? 1e-3 : 2e-5;
        r->settings.accuracy = 1e-6;
        r->settings.contact.friction = ISO_FRICTION_MODEL_REGULARIZED; // as the continuous law
        int ball = rig_add_free(r, "ball", 1.0);
        iso_contact_material soft = rig_material(1e5, 5.0, 0.3);
        iso_contact_material ground = rig_material(0.0, 0.0, 0.3);
        rig_add_shape(r, ball, ISO_SHAPE_SPHERE, iso_vec3_make(0.1, 0.0, 0.0), &soft,
                      iso_pose_identity());
        rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &ground,
                      iso_pose_identity());
        rig_finish(r);
        rig_set_free(r, ball, iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.1)),
                     iso_spatial_make(iso_vec3_zero(), iso_vec3_make(1.0, 0.0, -0.3)));
        rig_step(r, m == 0 ? 50 : 2500);
        memcpy(q[m], r->q, sizeof q[m]);
        rig_destroy(r);
    }
    CHECK_ARRAY_NEAR(q[1], q[0], 7, 1e-3); // measured 6e-5
}

static void failure_leaves_the_state_untouched_and_names_the_body(void** state) {
    (void)state;
    for (int m = 0; m < 3; ++m) {
        rig* r = make_pendulum(continuous_methods[m], 0.0);
        r->v[1] = 1e200;
        CHECK(rig_try_step(r) != ISO_OK, "method %d", m);
        CHECK_BITS(r->v[1], 1e200);
        CHECK_BITS(r->q[0], 1.0);
        r->v[1] = INFINITY;
        CHECK_STATUS(r->ctx, rig_try_step(r), ISO_ERR_NUMERIC);
        CHECK_ERROR(r->ctx, "'lower'");
        rig_destroy(r);
    }
}

static void steady_step_allocates_nothing(void** state) {
    (void)state;
    for (int m = 0; m < 3; ++m) {
        rig* r = rig_cube(continuous_methods[m], 1e6, 50.0, 0.0, 0.0);
        rig_step(r, 100);
        long before = test_heap_of(r->ctx)->call_count;
        rig_step(r, 50);
        assert_int_equal(test_heap_of(r->ctx)->call_count - before, 0);
        rig_destroy(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parabola_is_followed_exactly),
        cmocka_unit_test(double_pendulum_keeps_its_energy),
        cmocka_unit_test(damping_and_drive_are_booked_as_work),
        cmocka_unit_test(elastic_bounce_gives_back_the_height),
        cmocka_unit_test(joint_limit_is_a_critically_damped_spring),
        cmocka_unit_test(contacts_at_rest_are_the_pressure_of_the_overlap),
        cmocka_unit_test(both_kinds_of_method_agree_on_a_landing),
        cmocka_unit_test(failure_leaves_the_state_untouched_and_names_the_body),
        cmocka_unit_test(steady_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
