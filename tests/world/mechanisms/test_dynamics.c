// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The equations of motion that dynamics.h gives, on a tree with every kind of joint.

#include "world/mechanisms.h"

#include <string.h>

typedef struct fixture {
    iso_context* ctx;
    iso_model* model;
    iso_world* world;
    int n, nq;
} fixture;

static fixture fixture_make(void) {
    fixture f = {.ctx = test_context()};
    f.model = make_every_joint(f.ctx);
    f.world = make_world(f.ctx, f.model, NULL);
    f.n = iso_world_v_count(f.world);
    f.nq = iso_world_q_count(f.world);
    return f;
}

static void fixture_end(fixture* f) {
    iso_world_destroy(f->world);
    iso_model_destroy(f->model);
    test_context_destroy(f->ctx);
}

static void coordinates_cover_q_and_v_once(void** state) {
    (void)state;
    fixture f = fixture_make();
    int q_seen[MAX_Q] = {0}, v_seen[MAX_Q] = {0};
    for (int b = 1; b < iso_world_body_count(f.world); ++b) {
        iso_coordinates c = iso_world_coordinates(f.world, b);
        for (int i = 0; i < c.q_count; ++i) {
            ++q_seen[c.q_index + i];
        }
        for (int i = 0; i < c.v_count; ++i) {
            ++v_seen[c.v_index + i];
        }
    }
    for (int i = 0; i < f.nq; ++i) {
        assert_int_equal(q_seen[i], 1);
    }
    for (int i = 0; i < f.n; ++i) {
        assert_int_equal(v_seen[i], 1);
    }
    iso_coordinates ball = iso_world_coordinates(f.world, iso_world_find_body(f.world, "b"));
    assert_int_equal(ball.kind, ISO_JOINT_BALL);
    assert_int_equal(ball.q_count, 4);
    assert_int_equal(ball.v_count, 3);
    assert_string_equal(ball.joint_name, "b");
    fixture_end(&f);
}

static void state_comes_back_as_it_was_set(void** state) {
    (void)state;
    fixture f = fixture_make();
    double q[MAX_Q], v[MAX_Q], q2[MAX_Q], v2[MAX_Q];
    CHECK_OK(f.ctx, iso_world_get_state(f.world, q, v));
    step_many(f.ctx, f.world, 3);
    CHECK_OK(f.ctx, iso_world_set_state(f.world, q, v));
    CHECK_OK(f.ctx, iso_world_get_state(f.world, q2, v2));
    CHECK_ARRAY_NEAR(q2, q, f.nq, 1e-15); // measured 1e-16: quaternions are normalised again
    CHECK_ARRAY_BITS(v2, v, f.n);
    q[0] = NAN;
    CHECK_STATUS(f.ctx, iso_world_set_state(f.world, q, v), ISO_ERR_RANGE);
    CHECK_ERROR(f.ctx, "expected at most 1e+12");
    CHECK_OK(f.ctx, iso_world_get_state(f.world, q2, NULL));
    CHECK(isfinite(q2[0]), "%g", q2[0]);
    fixture_end(&f);
}

/// Twists of bodies over all v by the Jacobian are those of the world; M is the sum over bodies of
/// J^T diag(I, m) J about their centres of mass, and v^T M v / 2 the kinetic energy.
static void mass_matrix_is_the_sum_over_bodies(void** state) {
    (void)state;
    fixture f = fixture_make();
    double m[MAX_Q * MAX_Q], sum[MAX_Q * MAX_Q] = {0.0}, j[6 * MAX_Q], v[MAX_Q];
    CHECK_OK(f.ctx, iso_world_get_state(f.world, NULL, v));
    CHECK_OK(f.ctx, iso_world_mass_matrix(f.world, m));
    for (int b = 1; b < iso_world_body_count(f.world); ++b) {
        int model_body = iso_model_find_body(f.model, iso_world_body_name(f.world, b));
        const iso_body_desc* desc = iso_model_body(f.model, model_body);
        iso_pose x_wb = iso_world_body_pose(f.world, b);
        CHECK_OK(f.ctx, iso_world_jacobian(f.world, b, desc->center_of_mass, j));
        iso_mat3 inertia =
            iso_mat3_mul(iso_mat3_mul(x_wb.r, desc->inertia), iso_mat3_transpose(x_wb.r));
        for (int r = 0; r < f.n; ++r) {
            for (int c = 0; c < f.n; ++c) {
                double entry = 0.0;
                for (int i = 0; i < 3; ++i) {
                    entry += desc->mass * j[(3 + i) * f.n + r] * j[(3 + i) * f.n + c];
                    for (int k = 0; k < 3; ++k) {
                        entry += j[i * f.n + r] * inertia.m[i][k] * j[k * f.n + c];
                    }
                }
                sum[r * f.n + c] += entry;
            }
        }
    }
    CHECK_ARRAY_NEAR(m, sum, f.n * f.n, 1e-12); // measured 1.4e-15
    double energy = 0.0;
    for (int i = 0; i < f.n * f.n; ++i) {
        energy += 0.5 * v[i / f.n] * m[i] * v[i % f.n];
    }
    CHECK_NEAR(iso_world_energy(f.world).kinetic, energy, 1e-12); // measured 4e-15
    fixture_end(&f);
}

static void inverse_dynamics_undoes_forward_dynamics(void** state) {
    (void)state;
    fixture f = fixture_make();
    double tau[MAX_Q], vdot[MAX_Q], back[MAX_Q], bias[MAX_Q], zero[MAX_Q];
    for (int i = 0; i < f.n; ++i) {
        tau[i] = sin(1.0 + i);
    }
    CHECK_OK(f.ctx, iso_world_forward_dynamics(f.world, tau, vdot));
    CHECK_OK(f.ctx, iso_world_inverse_dynamics(f.world, vdot, back));
    CHECK_ARRAY_NEAR(back, tau, f.n, 1e-12); // measured 7e-15
    CHECK_OK(f.ctx, iso_world_bias(f.world, bias));
    CHECK_OK(f.ctx, iso_world_inverse_dynamics(f.world, NULL, zero));
    CHECK_ARRAY_BITS(zero, bias, f.n);
    fixture_end(&f);
}

static void gravity_forces_are_the_bias_at_rest(void** state) {
    (void)state;
    fixture f = fixture_make();
    double gravity[MAX_Q], bias[MAX_Q], rest[MAX_Q] = {0.0};
    CHECK_OK(f.ctx, iso_world_set_state(f.world, NULL, rest));
    CHECK_OK(f.ctx, iso_world_gravity_forces(f.world, gravity));
    CHECK_OK(f.ctx, iso_world_bias(f.world, bias));
    for (int i = 0; i < f.n; ++i) {
        CHECK_NEAR(gravity[i], -bias[i], 1e-12); // measured 7e-15
    }
    fixture_end(&f);
}

/// An arm of two links and a gripper welded to it, of whose weights this part is carried.
static iso_model* make_floating_arm(iso_context* ctx, double compensation) {
    iso_model* model = make_model(ctx);
    int upper = add_light(ctx, model, "upper", compensation);
    int lower = add_light(ctx, model, "lower", compensation);
    int gripper = add_light(ctx, model, "gripper", compensation);
    add_moving_joint(ctx, model, "one", ISO_JOINT_REVOLUTE, ISO_WORLD_BODY, upper);
    add_moving_joint(ctx, model, "two", ISO_JOINT_REVOLUTE, upper, lower);
    add_moving_joint(ctx, model, "grip", ISO_JOINT_WELD, lower, gripper);
    return model;
}

static void a_floating_arm_stays_where_it_is_let_go(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        iso_model* model = make_floating_arm(ctx, 1.0);
        iso_world* world = world_of(ctx, model, methods[i], 1e-3, 1e-6);
        double q[2], v[2] = {0.0}, start[2];
        iso_body_load loads[5];
        CHECK_OK(ctx, iso_world_set_state(world, NULL, v));
        CHECK_OK(ctx, iso_world_get_state(world, start, NULL));
        for (int k = 0; k < 100; ++k) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        CHECK_OK(ctx, iso_world_get_state(world, q, v));
        CHECK_ARRAY_NEAR(q, start, 2, 1e-13); // measured 2e-16
        CHECK_NEAR(iso_world_energy(world).potential, 0.0, 0.0);
        CHECK_OK(ctx, iso_world_body_loads(world, loads));
        for (int b = 1; b < iso_world_body_count(world); ++b) { // nothing is left to carry
            CHECK_VEC3_NEAR(loads[b].f_bm_w.translational, iso_vec3_zero(),
                            1e-12);                                              // measured 2.6e-15
            CHECK_VEC3_NEAR(loads[b].f_bm_w.rotational, iso_vec3_zero(), 1e-12); // 2.3e-15
        }
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static void a_body_falls_with_what_is_left_of_its_weight(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        iso_model* model = make_model(ctx);
        int body = add_light(ctx, model, "b", 0.25);
        iso_world* world = world_of(ctx, model, methods[i], 1e-3, 1e-6);
        iso_energy before = iso_world_energy(world), after;
        for (int k = 0; k < 100; ++k) {
            CHECK_OK(ctx, iso_world_step(world));
        }
        double speed = -0.75 * 9.81 * 0.1;
        iso_spatial v_wb = iso_world_body_twist(world, body);
        CHECK_NEAR(v_wb.translational.z, speed, 1e-13); // measured 2e-15
        CHECK_VEC3_NEAR(v_wb.rotational, iso_vec3_zero(), 1e-13);
        after = iso_world_energy(world);
        CHECK_NEAR(after.kinetic, speed * speed, 1e-12); // measured 2.4e-15
        if (methods[i] == ISO_METHOD_RK23 || methods[i] == ISO_METHOD_RK45) {
            CHECK_NEAR(before.potential - after.potential, after.kinetic, 1e-12); // 1.8e-15
        }
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

static void loads_of_joints_are_the_efforts_that_hold_them(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_floating_arm(ctx, 0.3);
    iso_world* world = world_of(ctx, model, ISO_METHOD_LAGGED, 1e-3, 1e-6);
    double vdot[2], tau[2];
    iso_body_load loads[5];
    CHECK_OK(ctx, iso_world_forward_dynamics(world, NULL, vdot));
    CHECK_OK(ctx, iso_world_inverse_dynamics(world, vdot, tau));
    CHECK_OK(ctx, iso_world_update_contacts(world));
    CHECK_OK(ctx, iso_world_body_loads(world, loads));
    iso_vec3 axis = iso_vec3_normalized(iso_vec3_make(0.2, 1.0, 0.3));
    for (int b = 1; b <= 2; ++b) { // free joints: no wrench along their axes
        const iso_pose* x_wm = &loads[b].x_wm;
        iso_vec3 axis_w = iso_mat3_mul_vec3(&x_wm->r, axis);
        CHECK_NEAR(iso_vec3_dot(axis_w, loads[b].f_bm_w.rotational), tau[b - 1], 1e-12);
        CHECK_NEAR(tau[b - 1], 0.0, 1e-12); // measured 6.7e-16
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// d/dt of positions by the world's own integration agrees with Jacobians.
static void jacobians_give_velocities(void** state) {
    (void)state;
    fixture f = fixture_make();
    double v[MAX_Q], j[6 * MAX_Q], jc[3 * MAX_Q];
    CHECK_OK(f.ctx, iso_world_get_state(f.world, NULL, v));
    for (int b = 1; b < iso_world_body_count(f.world); ++b) {
        CHECK_OK(f.ctx, iso_world_jacobian(f.world, b, iso_vec3_zero(), j));
        double twist[6] = {0.0};
        for (int i = 0; i < 6 * f.n; ++i) {
            twist[i / f.n] += j[i] * v[i % f.n];
        }
        iso_spatial v_wb = iso_world_body_twist(f.world, b);
        iso_spatial ours = iso_spatial_make(iso_vec3_make(twist[0], twist[1], twist[2]),
                                            iso_vec3_make(twist[3], twist[4], twist[5]));
        CHECK_SPATIAL_NEAR(ours, v_wb, 1e-12); // measured 2e-15
    }
    iso_vec3 p_wc;
    CHECK_OK(f.ctx, iso_world_center_of_mass(f.world, 0, &p_wc, jc));
    iso_vec3 v_wc = iso_vec3_zero();
    for (int i = 0; i < f.n; ++i) {
        v_wc = iso_vec3_add(
            v_wc, iso_vec3_scale(iso_vec3_make(jc[i], jc[f.n + i], jc[2 * f.n + i]), v[i]));
    }
    double mass = 2.0 * 11.0; // all bodies
    iso_spatial momentum = iso_world_momentum(f.world);
    CHECK_VEC3_NEAR(iso_vec3_scale(v_wc, mass), momentum.translational, 1e-12); // measured 7e-15
    iso_vec3 p_wx;
    int x = iso_world_find_body(f.world, "x");
    CHECK_OK(f.ctx, iso_world_center_of_mass(f.world, x, &p_wx, NULL));
    CHECK(fabs(p_wx.x) > 0.5, "%g: the floating tree stands about x = 2", p_wx.x);
    fixture_end(&f);
}

static void passive_forces_are_dampers_and_springs(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int body = add_lopsided(ctx, model, "a");
    iso_joint_desc desc = joint_between("j", ISO_JOINT_REVOLUTE, 0, body);
    desc.damping = 2.0;
    desc.stiffness = 5.0;
    desc.spring_reference = 0.1;
    desc.position = 0.4;
    desc.velocity = -1.0;
    CHECK_OK(ctx, iso_model_add_joint(model, &desc, NULL));
    iso_world* world = make_world(ctx, model, NULL);
    double tau = 0.0;
    CHECK_OK(ctx, iso_world_passive_forces(world, &tau));
    CHECK_NEAR(tau, -5.0 * 0.3 + 2.0, 1e-14); // measured 2e-16
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

// --- inverse kinematics
// ---------------------------------------------------------------------------

/// An arm of six hinges, 0.3 m apart.
static iso_model* make_arm(iso_context* ctx) {
    static const char* const names[] = {"l1", "l2", "l3", "l4", "l5", "l6"};
    iso_model* model = make_model(ctx);
    int parent = 0;
    for (int i = 0; i < 6; ++i) {
        int body = add_body(ctx, model, names[i], 1.0, iso_vec3_make(0.01, 0.01, 0.01));
        iso_joint_desc desc = joint_between(names[i], ISO_JOINT_REVOLUTE, parent, body);
        desc.axis = i % 3 == 0   ? iso_vec3_make(0.0, 0.0, 1.0)
                    : i % 3 == 1 ? iso_vec3_make(0.0, 1.0, 0.0)
                                 : iso_vec3_make(1.0, 0.0, 0.0);
        desc.x_pf.p = iso_vec3_make(i == 0 ? 0.0 : 0.05, 0.0, 0.3);
        desc.lower = -2.5;
        desc.upper = 2.5;
        CHECK_OK(ctx, iso_model_add_joint(model, &desc, NULL));
        parent = body;
    }
    return model;
}

static void inverse_kinematics_finds_reachable_poses(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_arm(ctx);
    iso_world* world = make_world(ctx, model, NULL);
    double wanted[6] = {0.4, -0.7, 0.9, 0.3, 0.8, -0.5}, q[6] = {0.1, -0.2, 0.3, 0.1, 0.2, -0.1};
    CHECK_OK(ctx, iso_world_set_state(world, wanted, NULL));
    iso_ik_target target = iso_ik_target_default();
    target.body = iso_world_find_body(world, "l6");
    target.x_bt.p = iso_vec3_make(0.0, 0.0, 0.1);
    iso_pose x_wb = iso_world_body_pose(world, target.body);
    target.x_wt = iso_pose_mul(&x_wb, &target.x_bt);
    uint64_t before = iso_world_state_hash(world);
    iso_ik_report report;
    CHECK_OK(ctx, iso_world_inverse_kinematics(world, &target, 1, NULL, q, &report));
    CHECK_AT_MOST(report.position_error, 1e-9);    // measured 5e-13
    CHECK_AT_MOST(report.orientation_error, 1e-9); // measured 1e-12
    assert_int_equal(report.active_limit_count, 0);
    CHECK(report.iterations <= 30, "%d iterations", report.iterations); // measured 7
    CHECK(iso_world_state_hash(world) == before, "the state changed");
    CHECK_OK(ctx, iso_world_set_state(world, q, NULL));
    x_wb = iso_world_body_pose(world, target.body);
    CHECK_POSE_NEAR(iso_pose_mul(&x_wb, &target.x_bt), target.x_wt, 1e-8); // measured 1e-12
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void inverse_kinematics_names_what_cannot_be_reached(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_arm(ctx);
    iso_world* world = make_world(ctx, model, NULL);
    double q[6] = {0.1, -0.2, 0.3, 0.1, 0.2, -0.1};
    iso_ik_target targets[2] = {iso_ik_target_default(), iso_ik_target_default()};
    targets[0].body = iso_world_find_body(world, "l1");
    targets[0].x_wt.p = iso_vec3_make(0.0, 0.0, 0.3);
    targets[0].orientation_weight = 0.0;
    targets[1].body = iso_world_find_body(world, "l6");
    targets[1].x_wt.p = iso_vec3_make(5.0, 0.0, 0.0);
    targets[1].orientation_weight = 0.0;
    iso_ik_report report;
    CHECK_STATUS(ctx, iso_world_inverse_kinematics(world, targets, 2, NULL, q, &report),
                 ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "target 1 (body 'l6') was not reached");
    assert_int_equal(report.worst_target, 1);
    // Stretched out: 5 chords of (0.05, 0.3) from (0, 0, 0.3), straight towards the target.
    CHECK_REL(report.position_error, sqrt(25.0 + 0.09) - 5.0 * hypot(0.05, 0.3), 0.1);
    for (int i = 0; i < 6; ++i) {
        CHECK(isfinite(q[i]) && fabs(q[i]) <= 2.5, "q[%d] is %g", i, q[i]);
    }
    targets[1].body = 0; // the world
    CHECK_STATUS(ctx, iso_world_inverse_kinematics(world, targets, 2, NULL, q, NULL),
                 ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "target 1: body 'world' is fixed, no joint moves it; it stays off by 5 m");
    targets[0].body = 99;
    CHECK_STATUS(ctx, iso_world_inverse_kinematics(world, targets, 2, NULL, q, NULL),
                 ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "target 0: body index 99");
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void inverse_kinematics_stops_at_limits(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_arm(ctx);
    iso_joint_desc* first = iso_model_joint(model, iso_model_find_joint(model, "l1"));
    first->lower = -0.3;
    first->upper = 0.3;
    iso_world* world = make_world(ctx, model, NULL);
    // Body l2's origin moves on a circle of radius 0.05 about z: 45 degrees are out of reach.
    iso_ik_target target = iso_ik_target_default();
    target.body = iso_world_find_body(world, "l2");
    target.orientation_weight = 0.0;
    target.x_wt.p = iso_vec3_make(0.05 * sqrt(0.5), 0.05 * sqrt(0.5), 0.6);
    double q[6] = {0.0};
    iso_ik_report report;
    CHECK_STATUS(ctx, iso_world_inverse_kinematics(world, &target, 1, NULL, q, &report),
                 ISO_ERR_NO_CONVERGENCE);
    assert_int_equal(report.active_limit_count, 1);
    CHECK_NEAR(q[0], 0.3, 1e-12); // measured 0
    CHECK_NEAR(report.position_error, 2.0 * 0.05 * sin(0.5 * (0.25 * ISO_PI - 0.3)),
               1e-9); // measured 1e-17
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_cover_q_and_v_once),
        cmocka_unit_test(state_comes_back_as_it_was_set),
        cmocka_unit_test(mass_matrix_is_the_sum_over_bodies),
        cmocka_unit_test(inverse_dynamics_undoes_forward_dynamics),
        cmocka_unit_test(gravity_forces_are_the_bias_at_rest),
        cmocka_unit_test(a_floating_arm_stays_where_it_is_let_go),
        cmocka_unit_test(a_body_falls_with_what_is_left_of_its_weight),
        cmocka_unit_test(loads_of_joints_are_the_efforts_that_hold_them),
        cmocka_unit_test(jacobians_give_velocities),
        cmocka_unit_test(passive_forces_are_dampers_and_springs),
        cmocka_unit_test(inverse_kinematics_finds_reachable_poses),
        cmocka_unit_test(inverse_kinematics_names_what_cannot_be_reached),
        cmocka_unit_test(inverse_kinematics_stops_at_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
