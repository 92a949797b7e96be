// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "multibody/mechanism.h"

// Pose of a body a time dt away, at constant v.
static iso_pose pose_after(mechanism* m, int body, const double* v, double dt) {
    iso_arena_mark mark = iso_arena_get_mark(&m->arena);
    iso_kinematics there;
    CHECK_OK(m->ctx, iso_kinematics_push(&m->mb, &m->arena, &there));
    double* q = iso_arena_push_array(&m->arena, m->mb.q_count, sizeof *q);
    iso_multibody_integrate(&m->mb, m->q, v, dt, q);
    iso_multibody_kinematics(&m->mb, q, v, &there);
    iso_pose pose = there.x_wb[body];
    iso_arena_release(&m->arena, mark);
    return pose;
}

// Twist of a body at a point fixed to it, by central differences of its pose.
static iso_spatial measured_twist(mechanism* m, int body, iso_vec3 p_w, const double* v) {
    const double dt = 1e-5;
    iso_pose before = pose_after(m, body, v, -dt);
    iso_pose after = pose_after(m, body, v, dt);
    iso_vec3 p_b = iso_pose_inverse_point(&m->kinematics.x_wb[body], p_w);
    iso_vec3 moved = iso_vec3_sub(iso_pose_point(&after, p_b), iso_pose_point(&before, p_b));
    iso_mat3 turn = iso_mat3_mul(after.r, iso_mat3_transpose(before.r));
    iso_vec3 twice_sine = iso_vec3_make(turn.m[2][1] - turn.m[1][2], turn.m[0][2] - turn.m[2][0],
                                        turn.m[1][0] - turn.m[0][1]);
    return iso_spatial_make(iso_vec3_scale(twice_sine, 0.25 / dt), iso_vec3_scale(moved, 0.5 / dt));
}

static void velocities_are_the_derivatives_of_poses(void** state) {
    (void)state;
    for (int seed = 0; seed < 12; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 9);
        for (int b = 0; b < m.mb.body_count; ++b) {
            iso_vec3 origin = m.kinematics.x_wb[b].p;
            CHECK_SPATIAL_NEAR(m.kinematics.v_wb[b], measured_twist(&m, b, origin, m.v),
                               5e-9); // measured 5.3e-10
        }
        mechanism_destroy(&m);
    }
}

static void jacobian_columns_are_derivatives_of_poses(void** state) {
    (void)state;
    for (int seed = 20; seed < 29; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 8);
        test_random random = test_random_make((uint64_t)seed);
        int n = m.mb.v_count;
        double* unit = iso_arena_push_array(&m.arena, n, sizeof *unit);
        for (int b = 0; b < m.mb.body_count; ++b) {
            iso_vec3 p_w = iso_vec3_add(m.kinematics.x_wb[b].p, test_random_vec3(&random, -1, 1));
            const double* jacobian = wide_jacobian(&m, b, p_w);
            for (int k = 0; k < n; ++k) {
                for (int i = 0; i < n; ++i) {
                    unit[i] = i == k ? 1.0 : 0.0;
                }
                CHECK_SPATIAL_NEAR(times_vector(jacobian, unit, n),
                                   measured_twist(&m, b, p_w, unit),
                                   5e-9); // measured 8.9e-11
            }
        }
        mechanism_destroy(&m);
    }
}

static void jacobian_times_velocity_is_the_twist(void** state) {
    (void)state;
    for (int seed = 40; seed < 52; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 20);
        for (int b = 0; b < m.mb.body_count; ++b) {
            const double* jacobian = wide_jacobian(&m, b, m.kinematics.x_wb[b].p);
            CHECK_SPATIAL_NEAR(times_vector(jacobian, m.v, m.mb.v_count), m.kinematics.v_wb[b],
                               2e-14); // measured 2.0e-15
        }
        mechanism_destroy(&m);
    }
}

static void wrench_is_mapped_by_the_transposed_jacobian(void** state) {
    (void)state;
    for (int seed = 60; seed < 72; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 12);
        test_random random = test_random_make((uint64_t)seed);
        int n = m.mb.v_count;
        double* tau = iso_arena_push_array(&m.arena, n, sizeof *tau);
        for (int b = 0; b < m.mb.body_count; ++b) {
            iso_vec3 p_w = test_random_vec3(&random, -1.0, 1.0);
            iso_spatial f = iso_spatial_make(test_random_vec3(&random, -1.0, 1.0),
                                             test_random_vec3(&random, -1.0, 1.0));
            for (int k = 0; k < n; ++k) {
                tau[k] = 0.5;
            }
            iso_multibody_add_wrench(&m.mb, &m.kinematics, b, p_w, f, tau);
            const double* jacobian = wide_jacobian(&m, b, p_w);
            for (int k = 0; k < n; ++k) {
                CHECK_NEAR(tau[k], 0.5 + transpose_times(jacobian, f, k, n),
                           1e-14); // measured 8.9e-16
            }
        }
        mechanism_destroy(&m);
    }
}

static void fixed_bodies_have_no_jacobian_and_take_no_wrench(void** state) {
    (void)state;
    iso_mb_body bodies[] = {world_body(), plain_body(), plain_body(), plain_body()};
    bodies[1].x_pf = iso_pose_from_position(iso_vec3_make(1.0, 2.0, 3.0));
    bodies[2].parent = 1;
    bodies[2].x_mb = iso_pose_from_position(iso_vec3_make(0.5, 0.0, 0.0));
    bodies[3].mobility = ISO_MOBILITY_PRISMATIC;
    bodies[3].parent = 2;
    mechanism m = mechanism_make(bodies, 4);
    assert_int_equal(m.mb.bodies[2].tree, -1);
    assert_int_equal(m.mb.bodies[3].tree, 0);
    double jacobian[6] = {7.0, 7.0, 7.0, 7.0, 7.0, 7.0};
    double tau[1] = {7.0};
    iso_spatial f = iso_spatial_make(iso_vec3_make(1, 1, 1), iso_vec3_make(1, 1, 1));
    iso_multibody_jacobian(&m.mb, &m.kinematics, 2, iso_vec3_zero(), jacobian);
    iso_multibody_add_wrench(&m.mb, &m.kinematics, 2, iso_vec3_zero(), f, tau);
    CHECK_BITS(jacobian[0], 7.0);
    CHECK_BITS(tau[0], 7.0);
    CHECK_VEC3_NEAR(m.kinematics.x_wb[2].p, iso_vec3_make(1.5, 2.0, 3.0), 0.0); // exact
    mechanism_destroy(&m);
}

static void constant_spin_is_integrated_exactly(void** state) {
    (void)state;
    iso_mb_body bodies[] = {world_body(), plain_body()};
    bodies[1].mobility = ISO_MOBILITY_FREE;
    mechanism m = mechanism_make(bodies, 2);
    iso_vec3 w = iso_vec3_make(1.0, -2.0, 0.5);
    const double twist[6] = {w.x, w.y, w.z, 0.1, 0.2, 0.3};
    double q[7];
    iso_multibody_integrate(&m.mb, m.q, twist, 2.0, q);
    for (int i = 0; i < 100; ++i) {
        iso_multibody_integrate(&m.mb, m.q, twist, 0.02, m.q);
    }
    CHECK_ARRAY_NEAR(m.q, q, 7, 5e-15); // measured 4.5e-16
    iso_quat turn = iso_quat_from_rotation_vector(iso_vec3_scale(w, 2.0));
    const double expected[7] = {turn.w, turn.x, turn.y, turn.z, 0.2, 0.4, 0.6};
    CHECK_ARRAY_NEAR(q, expected, 7, 1e-15); // measured 1.2e-16
    CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0,
               2e-15); // measured 4.5e-16
    mechanism_destroy(&m);
}

static void qdot_is_the_derivative_of_integrate(void** state) {
    (void)state;
    mechanism m = random_mechanism(81, MECHANISM_MIXED, 10);
    int n = m.mb.q_count;
    const double dt = 1e-5;
    double* before = iso_arena_push_array(&m.arena, n, sizeof *before);
    double* after = iso_arena_push_array(&m.arena, n, sizeof *after);
    double* qdot = iso_arena_push_array(&m.arena, n, sizeof *qdot);
    iso_multibody_integrate(&m.mb, m.q, m.v, -dt, before);
    iso_multibody_integrate(&m.mb, m.q, m.v, dt, after);
    iso_multibody_qdot(&m.mb, m.q, m.v, qdot);
    for (int i = 0; i < n; ++i) {
        CHECK_NEAR((after[i] - before[i]) / (2.0 * dt), qdot[i], 5e-11); // measured 5.3e-12
    }
    mechanism_destroy(&m);
}

static void set_free_reproduces_pose_and_twist_on_a_moving_parent(void** state) {
    (void)state;
    test_random random = test_random_make(5);
    iso_mb_body bodies[3] = {world_body()};
    bodies[1] = random_body(&random, 0, ISO_MOBILITY_REVOLUTE);
    bodies[2] = random_body(&random, 1, ISO_MOBILITY_FREE);
    mechanism m = mechanism_make(bodies, 3);
    mechanism_randomize(&m, &random);
    iso_pose x_wb = test_random_pose(&random, 2.0);
    iso_spatial v_wb = iso_spatial_make(test_random_vec3(&random, -1.0, 1.0),
                                        test_random_vec3(&random, -1.0, 1.0));
    double q_hinge = m.q[0], v_hinge = m.v[0];
    iso_multibody_set_free(&m.mb, &m.kinematics, 2, &x_wb, v_wb, m.q, m.v);
    iso_multibody_set_free(&m.mb, &m.kinematics, 1, &x_wb, v_wb, m.q, m.v); // no effect
    mechanism_update(&m);
    CHECK_BITS(m.q[0], q_hinge);
    CHECK_BITS(m.v[0], v_hinge);
    CHECK_POSE_NEAR(m.kinematics.x_wb[2], x_wb, 5e-15);    // measured 1.3e-15
    CHECK_SPATIAL_NEAR(m.kinematics.v_wb[2], v_wb, 5e-15); // measured 1.3e-15
    mechanism_destroy(&m);
}

static void quaternion_length_does_not_change_poses(void** state) {
    (void)state;
    mechanism m = random_mechanism(91, MECHANISM_FLOATING, 4);
    iso_pose pose = m.kinematics.x_wb[3];
    const iso_mb_body* root = &m.mb.bodies[1];
    for (int i = 0; i < 4; ++i) {
        m.q[root->q_index + i] *= 3.0;
    }
    mechanism_update(&m);
    CHECK_POSE_NEAR(m.kinematics.x_wb[3], pose, 1e-15); // measured 4.5e-16
    iso_multibody_normalize(&m.mb, m.q);
    double length = 0.0;
    for (int i = 0; i < 4; ++i) {
        length += m.q[root->q_index + i] * m.q[root->q_index + i];
    }
    CHECK_NEAR(length, 1.0, 5e-16); // measured 2.3e-16
    mechanism_destroy(&m);
}

// A broken state must be seen downstream, not turned into the identity.
static void nan_and_zero_quaternions_stay_visible(void** state) {
    (void)state;
    iso_mb_body bodies[] = {world_body(), plain_body()};
    bodies[1].mobility = ISO_MOBILITY_FREE;
    mechanism m = mechanism_make(bodies, 2);
    m.q[2] = NAN;
    mechanism_update(&m);
    assert_false(iso_pose_is_finite(&m.kinematics.x_wb[1]));
    m.q[0] = m.q[2] = 0.0;
    iso_multibody_normalize(&m.mb, m.q);
    assert_true(isnan(m.q[0]));
    mechanism_destroy(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_the_derivatives_of_poses),
        cmocka_unit_test(jacobian_columns_are_derivatives_of_poses),
        cmocka_unit_test(jacobian_times_velocity_is_the_twist),
        cmocka_unit_test(wrench_is_mapped_by_the_transposed_jacobian),
        cmocka_unit_test(fixed_bodies_have_no_jacobian_and_take_no_wrench),
        cmocka_unit_test(constant_spin_is_integrated_exactly),
        cmocka_unit_test(qdot_is_the_derivative_of_integrate),
        cmocka_unit_test(set_free_reproduces_pose_and_twist_on_a_moving_parent),
        cmocka_unit_test(quaternion_length_does_not_change_poses),
        cmocka_unit_test(nan_and_zero_quaternions_stay_visible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
