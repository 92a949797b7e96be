// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "multibody/mechanism.h"

#include <string.h>

static const iso_vec3 k_gravity = {0.3, -0.5, -9.81};

static double* push(mechanism* m, int count) {
    double* x = iso_arena_push_array(&m->arena, count, sizeof *x);
    assert_non_null(x);
    return x;
}

static double* bias_of(mechanism* m, iso_vec3 gravity, const iso_spatial* f_b_w) {
    double* bias = push(m, m->mb.v_count);
    CHECK_OK(m->ctx,
             iso_multibody_bias(&m->mb, &m->kinematics, m->v, gravity, f_b_w, &m->arena, bias));
    return bias;
}

static iso_mat3 inertia_in_world(const mechanism* m, int b) {
    const iso_mat3* r = &m->kinematics.x_wb[b].r;
    return iso_mat3_mul(iso_mat3_mul(*r, m->mb.bodies[b].inertia), iso_mat3_transpose(*r));
}

// Sum over bodies of J_c^T diag(I, m 1) J_c with the Jacobian at the centre of mass.
static double* summed_mass(mechanism* m) {
    int n = m->mb.v_count;
    double* sum = push(m, n * n);
    memset(sum, 0, (size_t)(n * n) * sizeof *sum);
    for (int b = 1; b < m->mb.body_count; ++b) {
        if (m->mb.bodies[b].tree < 0) {
            continue;
        }
        const double* jacobian =
            wide_jacobian(m, b, iso_multibody_center(&m->mb, &m->kinematics, b));
        iso_mat3 inertia = inertia_in_world(m, b);
        for (int j = 0; j < n; ++j) {
            iso_vec3 w = iso_vec3_make(jacobian[j], jacobian[n + j], jacobian[2 * n + j]);
            iso_vec3 v =
                iso_vec3_make(jacobian[3 * n + j], jacobian[4 * n + j], jacobian[5 * n + j]);
            iso_spatial momentum = iso_spatial_make(iso_mat3_mul_vec3(&inertia, w),
                                                    iso_vec3_scale(v, m->mb.bodies[b].mass));
            for (int i = 0; i < n; ++i) {
                sum[i * n + j] += transpose_times(jacobian, momentum, i, n);
            }
        }
    }
    return sum;
}

static void mass_matrix_is_the_sum_over_bodies(void** state) {
    (void)state;
    for (int seed = 0; seed < 30; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 3 + seed % 12);
        int n = m.mb.v_count;
        CHECK_ARRAY_NEAR(wide_mass(&m), summed_mass(&m), n * n, 2e-13); // measured 2.4e-14
        mechanism_destroy(&m);
    }
}

// Parts of half a gram, as of a watch, weigh on the links they are welded to.
static void light_bodies_that_are_welded_on_count(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        test_random random = test_random_make(seed);
        iso_mb_body bodies[4] = {world_body(), random_body(&random, 0, ISO_MOBILITY_FREE),
                                 random_body(&random, 1, ISO_MOBILITY_WELD),
                                 random_body(&random, 2, ISO_MOBILITY_REVOLUTE)};
        for (int i = 1; i < 4; ++i) {
            bodies[i].mass *= 2e-4;
            bodies[i].inertia = iso_mat3_scale(bodies[i].inertia, 2e-4);
        }
        mechanism m = mechanism_make(bodies, 4);
        int n = m.mb.v_count;
        CHECK_ARRAY_NEAR(wide_mass(&m), summed_mass(&m), n * n, 1e-17); // measured 1.1e-18
        mechanism_destroy(&m);
    }
}

static void mass_matrix_is_symmetric_and_positive_definite(void** state) {
    (void)state;
    for (int seed = 100; seed < 130; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 12);
        test_random random = test_random_make((uint64_t)seed);
        int n = m.mb.v_count;
        const double* mass = wide_mass(&m);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) {
                CHECK_BITS(mass[i * n + j], mass[j * n + i]);
            }
        }
        for (int trial = 0; trial < 20; ++trial) {
            double* x = push(&m, n);
            double energy = 0.0;
            for (int i = 0; i < n; ++i) {
                x[i] = test_random_normal(&random);
            }
            for (int i = 0; i < n * n; ++i) {
                energy += x[i / n] * mass[i] * x[i % n];
            }
            CHECK(energy > 0.0, "x^T M x = %g", energy);
        }
        mechanism_destroy(&m);
    }
}

static void kinetic_energy_is_half_v_mass_v(void** state) {
    (void)state;
    for (int seed = 200; seed < 215; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 14);
        int n = m.mb.v_count;
        const double* mass = wide_mass(&m);
        double energy = 0.0;
        for (int i = 0; i < n * n; ++i) {
            energy += 0.5 * m.v[i / n] * mass[i] * m.v[i % n];
        }
        CHECK_REL(iso_multibody_kinetic_energy(&m.mb, &m.kinematics), energy,
                  1e-14); // measured 1.3e-15
        mechanism_destroy(&m);
    }
}

// Lagrange's equations by central differences of the energies. For joints of one degree of freedom
// v = dq/dt, so bias_i = sum_jk (dM_ij/dq_k - 1/2 dM_jk/dq_i) v_j v_k + dV/dq_i.
static void bias_follows_from_lagrange_equations(void** state) {
    (void)state;
    const double step = 1e-5;
    for (int seed = 300; seed < 312; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, MECHANISM_FIXED, 8);
        int n = m.mb.v_count;
        const double* bias = bias_of(&m, k_gravity, NULL);
        double* expected = push(&m, n);
        double* slope = push(&m, n * n * n); // dM_ij/dq_k at k n n + i n + j
        for (int k = 0; k < n; ++k) {
            double q = m.q[k];
            m.q[k] = q + step;
            mechanism_update(&m);
            const double* ahead = summed_mass(&m);
            double potential = iso_multibody_potential_energy(&m.mb, &m.kinematics, k_gravity);
            m.q[k] = q - step;
            mechanism_update(&m);
            const double* behind = summed_mass(&m);
            potential -= iso_multibody_potential_energy(&m.mb, &m.kinematics, k_gravity);
            m.q[k] = q;
            expected[k] = potential / (2.0 * step);
            for (int i = 0; i < n * n; ++i) {
                slope[k * n * n + i] = (ahead[i] - behind[i]) / (2.0 * step);
            }
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                for (int k = 0; k < n; ++k) {
                    double christoffel =
                        slope[k * n * n + i * n + j] - 0.5 * slope[i * n * n + j * n + k];
                    expected[i] += christoffel * m.v[j] * m.v[k];
                }
            }
        }
        CHECK_ARRAY_NEAR(bias, expected, n, 2e-8); // measured 2.1e-9
        mechanism_destroy(&m);
    }
}

// State after dt at constant v: centres of mass and angular momenta about them.
static void coast(mechanism* m, double dt, iso_vec3* centers, iso_vec3* spins) {
    iso_arena_mark mark = iso_arena_get_mark(&m->arena);
    mechanism there = *m;
    CHECK_OK(m->ctx, iso_kinematics_push(&m->mb, &m->arena, &there.kinematics));
    there.q = push(m, m->mb.q_count);
    iso_multibody_integrate(&m->mb, m->q, m->v, dt, there.q);
    mechanism_update(&there);
    for (int b = 0; b < m->mb.body_count; ++b) {
        iso_mat3 inertia = inertia_in_world(&there, b);
        centers[b] = iso_multibody_center(&there.mb, &there.kinematics, b);
        spins[b] = iso_mat3_mul_vec3(&inertia, there.kinematics.v_wb[b].rotational);
    }
    iso_arena_release(&m->arena, mark);
}

// d'Alembert: with dv/dt = 0 the bias is sum_b J_b^T (dH_b/dt; m (a_c - g)), accelerations by
// differences in time. Holds for every joint, free ones between moving bodies included.
static void bias_is_the_inertia_force_of_coasting(void** state) {
    (void)state;
    const double dt = 3e-4;
    for (int seed = 400; seed < 418; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 9);
        int n = m.mb.v_count;
        const double* bias = bias_of(&m, k_gravity, NULL);
        double* expected = push(&m, n);
        memset(expected, 0, (size_t)n * sizeof *expected);
        iso_vec3 centers[3][MECHANISM_MAX_BODIES], spins[3][MECHANISM_MAX_BODIES];
        for (int i = 0; i < 3; ++i) {
            coast(&m, (i - 1) * dt, centers[i], spins[i]);
        }
        for (int b = 1; b < m.mb.body_count; ++b) {
            iso_vec3 both = iso_vec3_add(centers[0][b], centers[2][b]);
            iso_vec3 acceleration =
                iso_vec3_scale(iso_vec3_add_scaled(both, centers[1][b], -2.0), 1.0 / (dt * dt));
            iso_vec3 torque = iso_vec3_scale(iso_vec3_sub(spins[2][b], spins[0][b]), 0.5 / dt);
            iso_vec3 pull = iso_vec3_scale(k_gravity, 1.0 - m.mb.bodies[b].gravity_compensation);
            iso_vec3 force = iso_vec3_scale(iso_vec3_sub(acceleration, pull), m.mb.bodies[b].mass);
            const double* jacobian = wide_jacobian(&m, b, centers[1][b]);
            for (int k = 0; k < n; ++k) {
                expected[k] += transpose_times(jacobian, iso_spatial_make(torque, force), k, n);
            }
        }
        CHECK_ARRAY_NEAR(bias, expected, n, 5e-6); // measured 4.7e-7
        mechanism_destroy(&m);
    }
}

static void applied_wrenches_lower_the_bias(void** state) {
    (void)state;
    for (int seed = 500; seed < 509; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 12);
        test_random random = test_random_make((uint64_t)seed);
        int n = m.mb.v_count;
        iso_spatial f[MECHANISM_MAX_BODIES];
        double* tau = push(&m, n);
        memset(tau, 0, (size_t)n * sizeof *tau);
        for (int b = 0; b < m.mb.body_count; ++b) {
            f[b] = iso_spatial_make(test_random_vec3(&random, -5.0, 5.0),
                                    test_random_vec3(&random, -5.0, 5.0));
            iso_multibody_add_wrench(&m.mb, &m.kinematics, b, m.kinematics.x_wb[b].p, f[b], tau);
        }
        const double* with = bias_of(&m, k_gravity, f);
        const double* without = bias_of(&m, k_gravity, NULL);
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(with[k], without[k] - tau[k], 2e-13); // measured 2.9e-14
        }
        mechanism_destroy(&m);
    }
}

static void forward_dynamics_inverts_inverse_dynamics(void** state) {
    (void)state;
    for (int seed = 600; seed < 630; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 16);
        test_random random = test_random_make((uint64_t)seed);
        int n = m.mb.v_count;
        const double* mass = wide_mass(&m);
        const double* bias = bias_of(&m, k_gravity, NULL);
        double* wanted = push(&m, n);
        double* tau = push(&m, n);
        double* vdot = push(&m, n);
        for (int k = 0; k < n; ++k) {
            wanted[k] = test_random_uniform(&random, -1.0, 1.0);
        }
        for (int k = 0; k < n; ++k) {
            tau[k] = bias[k] + m.mb.bodies[m.mb.dof_body[k]].damping * m.v[k];
            for (int j = 0; j < n; ++j) {
                tau[k] += mass[k * n + j] * wanted[j];
            }
        }
        CHECK_OK(m.ctx, iso_multibody_acceleration(&m.mb, &m.kinematics, m.v, k_gravity, tau, NULL,
                                                   &m.arena, vdot));
        CHECK_ARRAY_NEAR(vdot, wanted, n, 2e-12); // measured 1.8e-13
        mechanism_destroy(&m);
    }
}

// A free body: [I + m(c.c - c c^T), m [c]; -m [c], m 1] about its origin, here in the axes of F =
// W.
static void free_body_block_is_its_spatial_inertia(void** state) {
    (void)state;
    test_random random = test_random_make(7);
    iso_mb_body bodies[2] = {world_body(), random_body(&random, 0, ISO_MOBILITY_FREE)};
    bodies[1].x_pf = bodies[1].x_mb = iso_pose_identity();
    mechanism m = mechanism_make(bodies, 2);
    const iso_mb_body* body = &m.mb.bodies[1];
    const double* mass = wide_mass(&m);
    iso_vec3 c = body->center_of_mass;
    iso_mat3 skew = iso_mat3_skew(c);
    iso_mat3 rotational = iso_mat3_add(
        body->inertia, iso_mat3_scale(iso_mat3_mul(skew, iso_mat3_transpose(skew)), body->mass));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            CHECK_NEAR(mass[i * 6 + j], rotational.m[i][j], 1e-15);                // measured 0
            CHECK_NEAR(mass[i * 6 + 3 + j], body->mass * skew.m[i][j], 0.0);       // exact
            CHECK_NEAR(mass[(3 + i) * 6 + j], body->mass * skew.m[j][i], 0.0);     // exact
            CHECK_NEAR(mass[(3 + i) * 6 + 3 + j], i == j ? body->mass : 0.0, 0.0); // exact
        }
    }
    mechanism_destroy(&m);
}

// Everything is computed about physical points, so a mechanism 10 km away is as exact as one here
// up to the rounding of its positions (10 km * 1e-16 = 1e-12 m).
static void distance_from_the_origin_costs_no_precision(void** state) {
    (void)state;
    test_random random = test_random_make(11);
    iso_mb_body bodies[6] = {world_body()};
    for (int b = 1; b < 6; ++b) {
        bodies[b] = random_body(&random, b - 1, b == 1 ? ISO_MOBILITY_FREE : ISO_MOBILITY_REVOLUTE);
    }
    bodies[1].x_pf = iso_pose_identity();
    mechanism near = mechanism_make(bodies, 6);
    mechanism_randomize(&near, &random);
    bodies[1].x_pf.p = iso_vec3_make(6e3, -8e3, 1e3);
    mechanism far = mechanism_make(bodies, 6);
    memcpy(far.q, near.q, (size_t)near.mb.q_count * sizeof *near.q);
    memcpy(far.v, near.v, (size_t)near.mb.v_count * sizeof *near.v);
    mechanism_update(&far);
    int n = near.mb.v_count;
    CHECK_ARRAY_NEAR(wide_mass(&far), wide_mass(&near), n * n, 1e-10); // measured 1.2e-11
    CHECK_ARRAY_NEAR(bias_of(&far, k_gravity, NULL), bias_of(&near, k_gravity, NULL), n,
                     5e-10); // measured 5.6e-11
    mechanism_destroy(&far);
    mechanism_destroy(&near);
}

// The rate of momentum is the external force: weight, and nothing from joint efforts.
static void joint_efforts_do_not_change_momentum(void** state) {
    (void)state;
    for (int seed = 700; seed < 710; ++seed) {
        mechanism m = random_mechanism((uint64_t)seed, MECHANISM_FLOATING, 8);
        test_random random = test_random_make((uint64_t)seed);
        int n = m.mb.v_count;
        double* tau = push(&m, n);
        double* vdot = push(&m, n);
        double* mean_v = push(&m, n);
        for (int k = 0; k < n; ++k) {
            double damping = m.mb.bodies[m.mb.dof_body[k]].damping;
            tau[k] = k < 6 ? damping * m.v[k] : test_random_uniform(&random, -1.0, 1.0);
        }
        CHECK_OK(m.ctx, iso_multibody_acceleration(&m.mb, &m.kinematics, m.v, iso_vec3_zero(), tau,
                                                   NULL, &m.arena, vdot));
        // Momentum a little before and after, along the motion that vdot starts.
        iso_spatial momentum[2];
        const double dt = 1e-5;
        for (int side = 0; side < 2; ++side) {
            double t = side == 0 ? -dt : dt;
            mechanism there = m;
            CHECK_OK(m.ctx, iso_kinematics_push(&m.mb, &m.arena, &there.kinematics));
            there.q = push(&m, m.mb.q_count);
            there.v = push(&m, n);
            for (int k = 0; k < n; ++k) {
                mean_v[k] = m.v[k] + 0.5 * t * vdot[k];
                there.v[k] = m.v[k] + t * vdot[k];
            }
            iso_multibody_integrate(&m.mb, m.q, mean_v, t, there.q);
            mechanism_update(&there);
            momentum[side] = iso_multibody_momentum(&m.mb, &there.kinematics);
        }
        iso_spatial rate = iso_spatial_scale(iso_spatial_sub(momentum[1], momentum[0]), 0.5 / dt);
        CHECK_SPATIAL_NEAR(rate, iso_spatial_zero(), 2e-8); // measured 3.0e-9
        mechanism_destroy(&m);
    }
}

// A point mass m on a massless rod l that a motor turns through a gear n: with the rotor's J the
// hinge feels (m l^2 + n^2 J) q'' + d q' + m g l sin q = tau.
static void a_geared_pendulum_moves_as_its_closed_form(void** state) {
    (void)state;
    const double m = 0.8, l = 0.5, g = 9.81, gear = 40.0, rotor = 2.5e-4, d = 0.3;
    const double reflected = gear * gear * rotor, q = 0.7, v = -1.3, effort = -2.1, wanted = 0.9;
    iso_mb_body bodies[] = {world_body(), plain_body()};
    bodies[1].mobility = ISO_MOBILITY_REVOLUTE;
    bodies[1].axis = iso_vec3_make(0.0, -1.0, 0.0);
    bodies[1].mass = m;
    bodies[1].center_of_mass = iso_vec3_make(0.0, 0.0, -l);
    bodies[1].inertia = iso_mat3_zero();
    bodies[1].damping = d;
    bodies[1].rotor_inertia = reflected;
    mechanism p = mechanism_make(bodies, 2);
    p.q[0] = q;
    p.v[0] = v;
    mechanism_update(&p);
    const iso_vec3 down = iso_vec3_make(0.0, 0.0, -g);
    double inertia = m * l * l + reflected, weight = m * g * l * sin(q), tau, vdot;
    CHECK_REL(wide_mass(&p)[0], inertia, 1e-15);          // measured 0
    CHECK_REL(bias_of(&p, down, NULL)[0], weight, 2e-15); // measured 1.8e-16
    CHECK_REL(iso_multibody_kinetic_energy(&p.mb, &p.kinematics), 0.5 * inertia * v * v,
              1e-15); // measured 0
    CHECK_OK(p.ctx, iso_multibody_inverse_dynamics(&p.mb, &p.kinematics, p.v, &wanted, down, NULL,
                                                   &p.arena, &tau));
    CHECK_REL(tau, inertia * wanted + weight, 2e-15); // measured 0
    CHECK_OK(p.ctx, iso_multibody_acceleration(&p.mb, &p.kinematics, p.v, down, &effort, NULL,
                                               &p.arena, &vdot));
    CHECK_REL(vdot, (effort - d * v - weight) / inertia, 2e-15); // measured 1e-16
    // The momentum is that of the bodies.
    CHECK_REL(iso_vec3_norm(iso_multibody_momentum(&p.mb, &p.kinematics).translational),
              m * l * fabs(v), 2e-15); // measured 2.1e-16
    mechanism_destroy(&p);
}

// In any tree, but for joints of two or three axes that are no ball: M gains the reflected inertias
// on its diagonal, inverse dynamics J_k vdot_k, the energy the sum of J_k v_k^2 / 2, and the bias
// nothing.
static void rotors_load_their_own_joints_alone(void** state) {
    (void)state;
    for (int seed = 750; seed < 762; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        mechanism plain = random_mechanism((uint64_t)seed, seed % MECHANISM_KIND_COUNT, 12);
        iso_mb_body bodies[MECHANISM_MAX_BODIES];
        for (int b = 0; b < plain.mb.body_count; ++b) {
            bodies[b] = plain.mb.bodies[b];
            bool has_rotor = iso_mobility_has_one_dof(bodies[b].mobility) ||
                             bodies[b].mobility == ISO_MOBILITY_BALL ||
                             bodies[b].mobility == ISO_MOBILITY_FREE;
            bodies[b].rotor_inertia = has_rotor ? test_random_uniform(&random, 0.1, 3.0) : 0.0;
        }
        mechanism geared = mechanism_make(bodies, plain.mb.body_count);
        memcpy(geared.q, plain.q, (size_t)plain.mb.q_count * sizeof *plain.q);
        memcpy(geared.v, plain.v, (size_t)plain.mb.v_count * sizeof *plain.v);
        mechanism_update(&geared);
        int n = plain.mb.v_count;
        double energy = iso_multibody_kinetic_energy(&plain.mb, &plain.kinematics);
        double* mass = wide_mass(&plain);
        double* wanted = push(&plain, n);
        double* expected = push(&plain, n);
        double* tau = push(&plain, n);
        double* vdot = push(&plain, n);
        for (int k = 0; k < n; ++k) {
            wanted[k] = test_random_uniform(&random, -1.0, 1.0);
        }
        CHECK_OK(plain.ctx,
                 iso_multibody_inverse_dynamics(&plain.mb, &plain.kinematics, plain.v, wanted,
                                                k_gravity, NULL, &plain.arena, expected));
        for (int k = 0; k < n; ++k) {
            double inertia = bodies[geared.mb.dof_body[k]].rotor_inertia;
            mass[k * n + k] += inertia;
            expected[k] += inertia * wanted[k];
            energy += 0.5 * inertia * plain.v[k] * plain.v[k];
        }
        CHECK_ARRAY_NEAR(wide_mass(&geared), mass, n * n, 1e-13); // measured 1.1e-14
        CHECK_ARRAY_NEAR(bias_of(&geared, k_gravity, NULL), bias_of(&plain, k_gravity, NULL), n,
                         1e-13); // measured 1.4e-14
        CHECK_REL(iso_multibody_kinetic_energy(&geared.mb, &geared.kinematics), energy,
                  4e-15); // measured 3.9e-16
        CHECK_OK(geared.ctx,
                 iso_multibody_inverse_dynamics(&geared.mb, &geared.kinematics, geared.v, wanted,
                                                k_gravity, NULL, &geared.arena, tau));
        CHECK_ARRAY_NEAR(tau, expected, n, 2e-13); // measured 2.1e-14
        for (int k = 0; k < n; ++k) {
            tau[k] += bodies[geared.mb.dof_body[k]].damping * geared.v[k];
        }
        CHECK_OK(geared.ctx, iso_multibody_acceleration(&geared.mb, &geared.kinematics, geared.v,
                                                        k_gravity, tau, NULL, &geared.arena, vdot));
        CHECK_ARRAY_NEAR(vdot, wanted, n, 2e-13); // measured 2.1e-14
        mechanism_destroy(&geared);
        mechanism_destroy(&plain);
    }
}

// The power of the springs of all kinds of joints is what their energy loses.
static void spring_efforts_are_the_slope_of_their_energy(void** state) {
    (void)state;
    static const iso_mobility kinds[] = {ISO_MOBILITY_REVOLUTE,  ISO_MOBILITY_PRISMATIC,
                                         ISO_MOBILITY_SCREW,     ISO_MOBILITY_BALL,
                                         ISO_MOBILITY_UNIVERSAL, ISO_MOBILITY_PLANAR};
    test_random random = test_random_make(780);
    iso_mb_body bodies[13] = {world_body()};
    for (int b = 1; b < 13; ++b) {
        bodies[b] = random_body(&random, (b - 1) / 2, kinds[b % 6]);
        bodies[b].axis_2 =
            iso_vec3_normalized(iso_vec3_cross(bodies[b].axis, test_random_unit_vec3(&random)));
        bodies[b].pitch = 0.1;
        bodies[b].stiffness = test_random_uniform(&random, 1.0, 2.0);
        bodies[b].spring_reference = iso_mobility_has_one_dof(bodies[b].mobility) ? 0.4 : 0.0;
    }
    mechanism m = mechanism_make(bodies, 13);
    double* there = push(&m, m.mb.q_count);
    double* tau = push(&m, m.mb.v_count);
    for (int n = 0; n < 20; ++n) {
        mechanism_randomize(&m, &random);
        const double h = 1e-5;
        double energy[2], power = 0.0;
        for (int i = 0; i < 2; ++i) {
            iso_multibody_integrate(&m.mb, m.q, m.v, i ? h : -h, there);
            energy[i] = iso_multibody_spring_energy(&m.mb, there);
        }
        iso_multibody_spring_efforts(&m.mb, m.q, tau);
        for (int k = 0; k < m.mb.v_count; ++k) {
            power += tau[k] * m.v[k];
        }
        CHECK_NEAR(power, (energy[0] - energy[1]) / (2.0 * h), 1e-8); // W; measured 2.5e-10
    }
    mechanism_destroy(&m);
}

static void a_warm_arena_is_enough_for_all_kernels(void** state) {
    (void)state;
    mechanism m = random_mechanism(800, MECHANISM_MIXED, 20);
    double* vdot = push(&m, m.mb.v_count);
    long calls = 0;
    for (int i = 0; i < 3; ++i) {
        calls = test_heap_of(m.ctx)->call_count;
        mechanism_update(&m);
        CHECK_OK(m.ctx, iso_multibody_acceleration(&m.mb, &m.kinematics, m.v, k_gravity, NULL, NULL,
                                                   &m.arena, vdot));
    }
    assert_int_equal(test_heap_of(m.ctx)->call_count, calls);
    mechanism_destroy(&m);
}

typedef struct acceleration_attempt {
    const mechanism* mechanism;
    size_t arena_size;
} acceleration_attempt;

static iso_status attempt_acceleration(iso_context* ctx, void* user) {
    const acceleration_attempt* attempt = user;
    const mechanism* m = attempt->mechanism;
    iso_arena arena;
    iso_kinematics kinematics;
    iso_status status = iso_arena_init(&arena, ctx, attempt->arena_size);
    if (status == ISO_OK) {
        status = iso_kinematics_push(&m->mb, &arena, &kinematics);
    }
    double* vdot = iso_arena_push_array(&arena, m->mb.v_count, sizeof *vdot);
    if (status == ISO_OK && !vdot) {
        status = iso_fail(ctx, ISO_ERR_MEMORY, __func__, "accelerations");
    }
    if (status == ISO_OK) {
        iso_multibody_kinematics(&m->mb, m->q, m->v, &kinematics);
        status = iso_multibody_acceleration(&m->mb, &kinematics, m->v, k_gravity, NULL, NULL,
                                            &arena, vdot);
    }
    iso_arena_destroy(&arena);
    return status;
}

static void forward_dynamics_survives_every_allocation_failure(void** state) {
    (void)state;
    mechanism m = random_mechanism(801, MECHANISM_FLOATING, 20);
    // The larger the arena, the later the push that overflows it.
    int overflow_count = 0;
    for (size_t size = 256; size < 20000; size += 256) {
        acceleration_attempt attempt = {&m, size};
        overflow_count += check_every_allocation_failure(attempt_acceleration, &attempt) - 1;
    }
    CHECK(overflow_count > 50, "%d overflows", overflow_count);
    mechanism_destroy(&m);
}

// Two hinges with parallel axes and no mass between them: singular only where the axes align.
static void a_singular_state_is_reported(void** state) {
    (void)state;
    iso_mb_body bodies[] = {world_body(), plain_body(), plain_body(), plain_body()};
    for (int b = 1; b < 4; ++b) {
        bodies[b].parent = b - 1;
        bodies[b].mobility = ISO_MOBILITY_REVOLUTE;
    }
    bodies[2].axis = iso_vec3_make(1.0, 0.0, 0.0);
    bodies[1].mass = bodies[2].mass = 0.0;
    bodies[1].inertia = bodies[2].inertia = iso_mat3_zero();
    mechanism m = mechanism_make(bodies, 4);
    double vdot[3];
    CHECK_STATUS(m.ctx,
                 iso_multibody_acceleration(&m.mb, &m.kinematics, m.v, k_gravity, NULL, NULL,
                                            &m.arena, vdot),
                 ISO_ERR_NUMERIC);
    CHECK_ERROR(m.ctx, "tree rooted at body 1 (3 degrees of freedom) is not positive definite");
    m.q[1] = 0.5;
    mechanism_update(&m);
    CHECK_OK(m.ctx, iso_multibody_acceleration(&m.mb, &m.kinematics, m.v, k_gravity, NULL, NULL,
                                               &m.arena, vdot));
    mechanism_destroy(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_matrix_is_the_sum_over_bodies),
        cmocka_unit_test(mass_matrix_is_symmetric_and_positive_definite),
        cmocka_unit_test(kinetic_energy_is_half_v_mass_v),
        cmocka_unit_test(bias_follows_from_lagrange_equations),
        cmocka_unit_test(bias_is_the_inertia_force_of_coasting),
        cmocka_unit_test(applied_wrenches_lower_the_bias),
        cmocka_unit_test(forward_dynamics_inverts_inverse_dynamics),
        cmocka_unit_test(free_body_block_is_its_spatial_inertia),
        cmocka_unit_test(distance_from_the_origin_costs_no_precision),
        cmocka_unit_test(joint_efforts_do_not_change_momentum),
        cmocka_unit_test(a_geared_pendulum_moves_as_its_closed_form),
        cmocka_unit_test(rotors_load_their_own_joints_alone),
        cmocka_unit_test(spring_efforts_are_the_slope_of_their_energy),
        cmocka_unit_test(a_warm_arena_is_enough_for_all_kernels),
        cmocka_unit_test(forward_dynamics_survives_every_allocation_failure),
        cmocka_unit_test(a_singular_state_is_reported),
        cmocka_unit_test(light_bodies_that_are_welded_on_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
