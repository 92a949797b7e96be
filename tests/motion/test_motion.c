// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Mechanisms in motion: multibody dynamics driven by the Runge-Kutta integrator, against closed
// forms and conservation laws.

#include "integrator/explicit_rk.h"
#include "multibody/mechanism.h"

#include <string.h>

#define MAX_STATE 64

typedef struct motion {
    mechanism* mechanism;
    iso_vec3 gravity;
} motion;

static iso_status motion_rate(void* user, double t, const double* y, double* out_dydt) {
    (void)t;
    const motion* run = user;
    mechanism* m = run->mechanism;
    const double* v = y + m->mb.q_count;
    iso_multibody_kinematics(&m->mb, y, v, &m->kinematics);
    iso_multibody_qdot(&m->mb, y, v, out_dydt);
    return iso_multibody_acceleration(&m->mb, &m->kinematics, v, run->gravity, NULL, NULL,
                                      &m->arena, out_dydt + m->mb.q_count);
}

static void motion_project(void* user, double t, double* y) {
    (void)t;
    const motion* run = user;
    iso_multibody_normalize(&run->mechanism->mb, y);
}

// Advance the mechanism's state by a time; accuracy 0: fixed steps of length h.
static void move(mechanism* m, iso_vec3 gravity, const iso_rk_table* table, double duration,
                 double accuracy, double h) {
    motion run = {m, gravity};
    int q_count = m->mb.q_count, v_count = m->mb.v_count;
    iso_rk_problem problem = {.dimension = q_count + v_count,
                              .rhs = motion_rate,
                              .project = motion_project,
                              .user = &run};
    double y[MAX_STATE], work[MAX_STATE * (ISO_RK_MAX_STAGES + 1)];
    assert_true(problem.dimension <= MAX_STATE);
    iso_rk_state state = {.h = h, .work = work};
    memcpy(y, m->q, (size_t)q_count * sizeof *y);
    memcpy(y + q_count, m->v, (size_t)v_count * sizeof *y);
    double t = 0.0;
    CHECK_OK(m->ctx,
             iso_rk_advance(m->ctx, table, &problem, &t, y, duration, accuracy, &state, NULL));
    memcpy(m->q, y, (size_t)q_count * sizeof *y);
    memcpy(m->v, y + q_count, (size_t)v_count * sizeof *y);
    mechanism_update(m);
}

static double energy(const mechanism* m, iso_vec3 gravity) {
    return iso_multibody_kinetic_energy(&m->mb, &m->kinematics) +
           iso_multibody_potential_energy(&m->mb, &m->kinematics, gravity);
}

// Spinning about the intermediate axis, so that it tumbles.
static void torque_free_body_keeps_energy_and_angular_momentum(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    iso_mb_body bodies[2] = {world_body(), random_body(&random, 0, ISO_MOBILITY_FREE)};
    bodies[1].inertia = iso_mat3_diagonal(1.0, 2.0, 2.7);
    bodies[1].damping = 0.0;
    mechanism m = mechanism_make(bodies, 2);
    iso_pose x_wb = iso_pose_identity();
    iso_spatial v_wb = iso_spatial_make(iso_vec3_make(0.01, 3.0, 0.01), iso_vec3_make(1, 2, 3));
    iso_multibody_set_free(&m.mb, &m.kinematics, 1, &x_wb, v_wb, m.q, m.v);
    mechanism_update(&m);
    double energy_start = energy(&m, iso_vec3_zero());
    iso_spatial momentum = iso_multibody_momentum(&m.mb, &m.kinematics);
    double least_alignment = 1.0;
    for (int i = 0; i < 20; ++i) {
        move(&m, iso_vec3_zero(), &iso_rk_table_rk45, 0.5, 1e-12, 0.0);
        CHECK_REL(energy(&m, iso_vec3_zero()), energy_start, 5e-13); // measured 2.7e-14
        CHECK_SPATIAL_NEAR(iso_multibody_momentum(&m.mb, &m.kinematics), momentum,
                           2e-11); // measured 2.2e-12
        least_alignment = fmin(least_alignment, m.kinematics.x_wb[1].r.m[1][1]);
    }
    CHECK(least_alignment < -0.9, "the body has not turned over: %g", least_alignment);
    mechanism_destroy(&m);
}

// T = 2 pi sqrt(I / (m g l)) / agm(1, cos(amplitude / 2))
static double pendulum_period(double small_period, double amplitude) {
    double a = 1.0, b = cos(0.5 * amplitude);
    for (int i = 0; i < 20; ++i) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return small_period / a;
}

static void pendulum_period_is_the_elliptic_integral(void** state) {
    (void)state;
    iso_mb_body bodies[2] = {world_body(), plain_body()};
    bodies[1].mobility = ISO_MOBILITY_REVOLUTE;
    bodies[1].axis = iso_vec3_make(0.0, 1.0, 0.0);
    bodies[1].mass = 2.0;
    bodies[1].center_of_mass = iso_vec3_make(0.0, 0.0, -0.7);
    bodies[1].inertia = iso_mat3_diagonal(0.1, 0.3, 0.2);
    iso_vec3 gravity = iso_vec3_make(0.0, 0.0, -9.81);
    double small_period = 2.0 * ISO_PI * sqrt((0.3 + 2.0 * 0.49) / (2.0 * 9.81 * 0.7));
    static const double amplitudes[] = {0.1, 1.0, 2.0, 3.0};
    for (int i = 0; i < 4; ++i) {
        mechanism m = mechanism_make(bodies, 2);
        m.q[0] = amplitudes[i];
        double period = pendulum_period(small_period, amplitudes[i]);
        move(&m, gravity, &iso_rk_table_rk45, 0.25 * period, 1e-13, 0.0);
        CHECK_NEAR(m.q[0], 0.0, 5e-13); // measured 3.6e-14
        move(&m, gravity, &iso_rk_table_rk45, 0.75 * period, 1e-13, 0.0);
        CHECK_NEAR(m.q[0], amplitudes[i], 2e-12); // measured 1.3e-13
        CHECK_NEAR(m.v[0], 0.0, 1e-11);           // measured 8.7e-13
        mechanism_destroy(&m);
    }
}

// A double pendulum out of its plane: two hinges with crossed axes.
static mechanism double_pendulum(void) {
    test_random random = test_random_make(17);
    iso_mb_body bodies[3] = {world_body(), random_body(&random, 0, ISO_MOBILITY_REVOLUTE),
                             random_body(&random, 1, ISO_MOBILITY_REVOLUTE)};
    bodies[1].damping = bodies[2].damping = 0.0;
    mechanism m = mechanism_make(bodies, 3);
    m.q[0] = 1.2;
    m.q[1] = -0.7;
    m.v[0] = 1.0;
    m.v[1] = 2.0;
    mechanism_update(&m);
    return m;
}

// Largest energy error at 16 times along a motion with fixed steps.
static double energy_error(const iso_rk_table* table, double h) {
    const iso_vec3 gravity = {0.0, 0.0, -9.81};
    mechanism m = double_pendulum();
    double start = energy(&m, gravity);
    double largest = 0.0;
    for (int i = 0; i < 16; ++i) {
        move(&m, gravity, table, 0.125, 0.0, h);
        largest = fmax(largest, fabs(energy(&m, gravity) - start));
    }
    mechanism_destroy(&m);
    return largest;
}

static double energy_slope(const iso_rk_table* table, double h) {
    return log2(energy_error(table, h) / energy_error(table, 0.5 * h));
}

static void energy_error_falls_with_the_order_of_the_method(void** state) {
    (void)state;
    CHECK_NEAR(energy_slope(&iso_rk_table_rk23, 0.125 / 128), 3.0, 0.1); // measured within 0.0003
    CHECK_NEAR(energy_slope(&iso_rk_table_rk4, 0.125 / 64), 4.0, 0.1);   // measured within 0.003
    CHECK_NEAR(energy_slope(&iso_rk_table_rk45, 0.125 / 16), 5.0, 0.2);  // measured within 0.037
}

static void floating_tree_keeps_its_momentum(void** state) {
    (void)state;
    test_random random = test_random_make(23);
    iso_mb_body bodies[7] = {world_body()};
    for (int b = 1; b < 7; ++b) {
        bodies[b] = random_body(&random, b == 1 ? 0 : test_random_int(&random, 1, b - 1),
                                b == 1 ? ISO_MOBILITY_FREE : ISO_MOBILITY_REVOLUTE);
        bodies[b].damping = b == 1 ? 0.0 : bodies[b].damping; // joints may lose energy
    }
    mechanism m = mechanism_make(bodies, 7);
    mechanism_randomize(&m, &random);
    iso_spatial momentum = iso_multibody_momentum(&m.mb, &m.kinematics);
    double start = energy(&m, iso_vec3_zero());
    move(&m, iso_vec3_zero(), &iso_rk_table_rk45, 2.0, 1e-14, 0.0);
    CHECK_SPATIAL_NEAR(iso_multibody_momentum(&m.mb, &m.kinematics), momentum,
                       1e-13); // measured 6.3e-15
    CHECK(energy(&m, iso_vec3_zero()) < start, "%g J of %g J", energy(&m, iso_vec3_zero()), start);
    mechanism_destroy(&m);
}

static void center_of_mass_of_a_thrown_body_follows_a_parabola(void** state) {
    (void)state;
    iso_vec3 gravity = iso_vec3_make(0.0, 0.0, -9.81);
    test_random random = test_random_make(29);
    iso_mb_body bodies[2] = {world_body(), random_body(&random, 0, ISO_MOBILITY_FREE)};
    bodies[1].damping = 0.0;
    mechanism m = mechanism_make(bodies, 2);
    mechanism_randomize(&m, &random);
    iso_vec3 c = iso_multibody_center(&m.mb, &m.kinematics, 1);
    iso_vec3 v =
        iso_spatial_shift_twist(m.kinematics.v_wb[1], iso_vec3_sub(c, m.kinematics.x_wb[1].p))
            .translational;
    double t = 1.5;
    move(&m, gravity, &iso_rk_table_rk45, t, 1e-12, 0.0);
    iso_vec3 expected = iso_vec3_add_scaled(iso_vec3_add_scaled(c, v, t), gravity, 0.5 * t * t);
    CHECK_VEC3_NEAR(iso_multibody_center(&m.mb, &m.kinematics, 1), expected,
                    1e-12); // measured 4.9e-14
    mechanism_destroy(&m);
}

static void damped_hinge_slows_exponentially(void** state) {
    (void)state;
    iso_mb_body bodies[2] = {world_body(), plain_body()};
    bodies[1].mobility = ISO_MOBILITY_REVOLUTE;
    bodies[1].damping = 0.6;
    bodies[1].inertia = iso_mat3_diagonal(1.0, 1.0, 0.4);
    mechanism m = mechanism_make(bodies, 2);
    m.v[0] = 2.0;
    move(&m, iso_vec3_zero(), &iso_rk_table_rk45, 1.0, 1e-13, 0.0);
    CHECK_NEAR(m.v[0], 2.0 * exp(-1.5), 1e-13); // measured 3.9e-15
    mechanism_destroy(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torque_free_body_keeps_energy_and_angular_momentum),
        cmocka_unit_test(pendulum_period_is_the_elliptic_integral),
        cmocka_unit_test(energy_error_falls_with_the_order_of_the_method),
        cmocka_unit_test(floating_tree_keeps_its_momentum),
        cmocka_unit_test(center_of_mass_of_a_thrown_body_follows_a_parabola),
        cmocka_unit_test(damped_hinge_slows_exponentially),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
