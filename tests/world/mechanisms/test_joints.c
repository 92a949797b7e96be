// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Joints of every kind in motion: energies, orders, closed forms; springs, rotors, dry friction.

#include "world/mechanisms.h"

static const iso_joint_kind k_kinds[] = {
    ISO_JOINT_REVOLUTE,  ISO_JOINT_PRISMATIC, ISO_JOINT_SCREW,
    ISO_JOINT_UNIVERSAL, ISO_JOINT_BALL,      ISO_JOINT_PLANAR,
};
enum { KIND_COUNT = sizeof k_kinds / sizeof k_kinds[0] };

/// Two lopsided bodies on joints of one kind.
static iso_model* make_chain(iso_context* ctx, iso_joint_kind kind) {
    iso_model* model = make_model(ctx);
    int first = add_lopsided(ctx, model, "first");
    int second = add_lopsided(ctx, model, "second");
    add_moving_joint(ctx, model, "one", kind, ISO_WORLD_BODY, first);
    add_moving_joint(ctx, model, "two", kind, first, second);
    return model;
}

static double stored(const iso_world* world) {
    iso_energy e = iso_world_energy(world);
    return e.kinetic + e.potential + e.spring;
}

static void every_joint_keeps_energy(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < KIND_COUNT; ++i) {
        iso_model* model = make_chain(ctx, k_kinds[i]);
        iso_world* world = world_of(ctx, model, ISO_METHOD_RK45, 0.01, 1e-11);
        double start = stored(world);
        step_many(ctx, world, 50);
        CHECK_NEAR(stored(world), start, 1e-10); // measured at most 3e-13
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// Distance of two worlds' bodies.
static double apart(const iso_world* a, const iso_world* b) {
    double most = 0.0;
    for (int i = 1; i < iso_world_body_count(a); ++i) {
        most = fmax(most, iso_vec3_norm(iso_vec3_sub(iso_world_body_pose(a, i).p,
                                                     iso_world_body_pose(b, i).p)));
    }
    return most;
}

/// The velocity-level step is of first order for every joint: half the step, half the error.
static void steps_converge_at_first_order(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < KIND_COUNT; ++i) {
        iso_model* model = make_chain(ctx, k_kinds[i]);
        iso_world* exact = world_of(ctx, model, ISO_METHOD_RK45, 0.01, 1e-11);
        step_many(ctx, exact, 20);
        double errors[2];
        for (int fine = 0; fine < 2; ++fine) {
            iso_world* world = world_of(ctx, model, ISO_METHOD_LAGGED, fine ? 2.5e-4 : 5e-4, 1e-3);
            step_many(ctx, world, fine ? 800 : 400);
            errors[fine] = apart(world, exact);
            iso_world_destroy(world);
        }
        CHECK_NEAR(log2(errors[0] / errors[1]), 1.0, 0.01); // measured within 6e-4
        iso_world_destroy(exact);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// Momentum and angular momentum of a free tree with universal and ball joints, without gravity.
static void a_floating_tree_keeps_its_momentum(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int root = add_lopsided(ctx, model, "root");
    int arm = add_lopsided(ctx, model, "arm");
    int hand = add_lopsided(ctx, model, "hand");
    add_moving_joint(ctx, model, "u", ISO_JOINT_UNIVERSAL, root, arm);
    add_moving_joint(ctx, model, "b", ISO_JOINT_BALL, arm, hand);
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    desc.method = ISO_METHOD_RK45;
    desc.time_step = 0.01;
    desc.accuracy = 1e-11;
    iso_world* world = make_world(ctx, model, &desc);
    iso_spatial before = iso_world_momentum(world);
    step_many(ctx, world, 100);
    CHECK_SPATIAL_NEAR(iso_world_momentum(world), before, 1e-11); // measured 1e-13
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// Steady precession of a symmetric top about a ball joint: tilt theta, spin s about its axis, rate
/// p about the vertical with I1 p^2 cos(theta) - I3 w3 p + m g l = 0, w3 = s + p cos(theta).
static void a_top_precesses_at_the_rate_of_closed_form(void** state) {
    (void)state;
    const double mass = 0.5, l = 0.1, i1 = 0.002 + mass * l * l, i3 = 0.003, theta = 0.6,
                 w3 = 200.0;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_body_desc body = iso_body_desc_default();
    body.name = "top";
    body.mass = mass;
    body.center_of_mass = iso_vec3_make(0.0, 0.0, l);
    body.inertia = iso_mat3_diagonal(0.002, 0.002, i3);
    CHECK_OK(ctx, iso_model_add_body(model, &body, NULL));
    iso_joint_desc ball = joint_between("tip", ISO_JOINT_BALL, 0, 1);
    double a = i1 * cos(theta), b = i3 * w3, c = mass * 9.81 * l;
    double p = (b - sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
    ball.positions[0] = cos(0.5 * theta); // tilted about y, towards x
    ball.positions[2] = sin(0.5 * theta);
    double s = w3 - p * cos(theta);
    ball.velocities[0] = s * sin(theta);
    ball.velocities[2] = s * cos(theta) + p;
    CHECK_OK(ctx, iso_model_add_joint(model, &ball, NULL));
    iso_world* world = world_of(ctx, model, ISO_METHOD_RK45, 1e-3, 1e-12);
    step_many(ctx, world, 500);
    iso_pose x_wb = iso_world_body_pose(world, 1);
    iso_vec3 axis = iso_mat3_column(&x_wb.r, 2);
    CHECK_NEAR(acos(axis.z), theta, 1e-8);            // measured 3e-14
    CHECK_NEAR(atan2(axis.y, axis.x), p * 0.5, 1e-8); // measured 1e-14
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// A nut on a vertical thread: (I + m p^2) angular acceleration = -m g p.
static void a_nut_runs_down_its_thread(void** state) {
    (void)state;
    const double mass = 2.0, inertia = 0.01, pitch = 0.05;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    add_body(ctx, model, "nut", mass, iso_vec3_make(0.01, 0.01, inertia));
    iso_joint_desc thread = joint_between("thread", ISO_JOINT_SCREW, 0, 1);
    thread.pitch = pitch;
    CHECK_OK(ctx, iso_model_add_joint(model, &thread, NULL));
    iso_world* world = world_of(ctx, model, ISO_METHOD_LAGGED, 1e-3, 1e-3);
    step_many(ctx, world, 1000);
    double rate = -mass * 9.81 * pitch / (inertia + mass * pitch * pitch);
    CHECK_REL(iso_world_joint_velocity(world, 0), rate, 1e-11);               // measured 1e-14
    CHECK_REL(iso_world_joint_position(world, 0), 0.5 * rate * 1.001, 1e-11); // measured 1e-14
    CHECK_REL(iso_world_body_pose(world, 1).p.z, pitch * 0.5 * rate * 1.001, 1e-11);
    assert_int_equal(iso_world_joint_kind(world, 0), ISO_JOINT_SCREW);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// One wheel about z with a joint's properties.
static iso_world* make_wheel(iso_context* ctx, iso_model* model, iso_joint_desc joint,
                             iso_method method, double time_step) {
    add_body(ctx, model, "wheel", 1.0, iso_vec3_make(0.1, 0.1, 0.2));
    joint.name = "axle";
    joint.child = 1;
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, NULL));
    return world_of(ctx, model, method, time_step, 1e-11);
}

/// Implicit Euler on x'' = -k/I x, step by step; and the period of the continuous one.
static void springs_swing_at_their_frequency(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_joint_desc joint = iso_joint_desc_default();
    joint.kind = ISO_JOINT_REVOLUTE;
    joint.stiffness = 20.0;
    joint.spring_reference = 0.3;
    joint.position = 0.8;
    iso_model* model = make_model(ctx);
    iso_world* world = make_wheel(ctx, model, joint, ISO_METHOD_LAGGED, 1e-3);
    double x = 0.5, v = 0.0;
    for (int i = 0; i < 500; ++i) {
        v = (v - 1e-3 * 100.0 * x) / (1.0 + 1e-6 * 100.0);
        x += 1e-3 * v;
        CHECK_OK(ctx, iso_world_step(world));
    }
    CHECK_NEAR(iso_world_joint_position(world, 0), 0.3 + x, 1e-12); // measured 1e-15
    iso_world_destroy(world);
    iso_model_destroy(model);
    model = make_model(ctx);
    world = make_wheel(ctx, model, joint, ISO_METHOD_RK45, 1e-2);
    double start = stored(world);
    step_many(ctx, world, 100);
    CHECK_NEAR(iso_world_joint_position(world, 0), 0.3 + 0.5 * cos(10.0), 1e-10); // measured 1e-12
    CHECK_NEAR(stored(world), start, 1e-8);                                       // measured 1e-11
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// A ball joint's spring turns its body back about whatever axis it was turned about.
static void ball_springs_swing_about_their_axis(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    add_body(ctx, model, "bob", 1.0, iso_vec3_make(0.2, 0.2, 0.2));
    iso_joint_desc ball = joint_between("ball", ISO_JOINT_BALL, 0, 1);
    iso_vec3 axis = iso_vec3_normalized(iso_vec3_make(1.0, 2.0, -0.5));
    ball.stiffness = 20.0;
    ball.positions[0] = cos(0.4);
    ball.positions[1] = sin(0.4) * axis.x;
    ball.positions[2] = sin(0.4) * axis.y;
    ball.positions[3] = sin(0.4) * axis.z;
    CHECK_OK(ctx, iso_model_add_joint(model, &ball, NULL));
    iso_world* world = world_of(ctx, model, ISO_METHOD_RK45, 1e-2, 1e-11);
    CHECK_REL(iso_world_energy(world).spring, 0.5 * 20.0 * 0.64, 1e-14); // measured 0
    step_many(ctx, world, 20);
    iso_mat3 r = iso_world_body_pose(world, 1).r;
    iso_vec3 turn = iso_quat_to_rotation_vector(iso_quat_from_mat3(&r));
    CHECK_VEC3_NEAR(turn, iso_vec3_scale(axis, 0.8 * cos(2.0)), 1e-8); // measured 1e-14
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void rotors_add_their_reflected_inertia(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_joint_desc joint = iso_joint_desc_default();
    joint.kind = ISO_JOINT_REVOLUTE;
    joint.rotor_inertia = 1e-4;
    joint.gear_ratio = 100.0;
    joint.velocity = 2.0;
    iso_world* world = make_wheel(ctx, model, joint, ISO_METHOD_LAGGED, 1e-3);
    double mass = 0.0, tau = 3.0, rate = 0.0;
    CHECK_OK(ctx, iso_world_mass_matrix(world, &mass));
    CHECK_NEAR(mass, 1.2, 1e-15); // measured 0
    CHECK_OK(ctx, iso_world_forward_dynamics(world, &tau, &rate));
    CHECK_NEAR(rate, 2.5, 1e-14);                                        // measured 4e-16
    CHECK_NEAR(iso_world_energy(world).kinetic, 0.5 * 1.2 * 4.0, 1e-14); // measured 0
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// Friction of 0.5 N m stops a wheel of 0.2 kg m^2 at 2 rad/s after 0.8 s, and there it stays.
static void dry_friction_stops_a_wheel(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_joint_desc joint = iso_joint_desc_default();
    joint.kind = ISO_JOINT_REVOLUTE;
    joint.friction = 0.5;
    joint.velocity = 2.0;
    iso_model* model = make_model(ctx);
    iso_world* world = make_wheel(ctx, model, joint, ISO_METHOD_LAGGED, 1e-3);
    step_many(ctx, world, 400);
    CHECK_NEAR(iso_world_joint_velocity(world, 0), 1.0, 1e-12); // measured 1e-14
    step_many(ctx, world, 600);
    CHECK_NEAR(iso_world_joint_velocity(world, 0), 0.0, 1e-12); // measured 0
    // v (t - dt)/2: the velocity after a step moves it through the step
    CHECK_NEAR(iso_world_joint_position(world, 0), 0.8 - 1e-3, 1e-9); // measured 1e-15
    CHECK_NEAR(iso_world_energy(world).damping, 0.4 - 0.5e-3, 1e-3);  // first order in the step
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// A horizontal pendulum of 9.81 N m held by friction of 12 N m for 5 s. What it creeps is the
/// regularisation's: 1e-6 of the speed that its weight would give it in a step.
static void dry_friction_holds_a_pendulum(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP};
    iso_context* ctx = test_context();
    for (int i = 0; i < 2; ++i) {
        iso_model* model = make_model(ctx);
        int body = add_body(ctx, model, "bob", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
        iso_pose base = iso_pose_identity();
        add_hinge(ctx, model, "hinge", ISO_WORLD_BODY, body, &base, 0.5 * ISO_PI);
        iso_model_joint(model, 0)->friction = 12.0;
        iso_world* world = world_of(ctx, model, methods[i], 1e-3, 1e-3);
        step_many(ctx, world, 5000);
        double creep = fabs(iso_world_joint_position(world, 0) - 0.5 * ISO_PI);
        CHECK_AT_MOST(creep, 5.0 * 1e-6 * 9.81 / 1.1 * 1e-3 * 1.01); // measured 4.46e-8
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// The smooth law of the continuous methods creeps by load / friction of its speed scale, which is
/// as small as the time step is.
static void check_creep(double dt) {
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int body = add_body(ctx, model, "bob", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
    iso_pose base = iso_pose_identity();
    add_hinge(ctx, model, "hinge", ISO_WORLD_BODY, body, &base, 0.5 * ISO_PI);
    iso_model_joint(model, 0)->friction = 12.0;
    iso_world* world = world_of(ctx, model, ISO_METHOD_RK4, dt, 1e-3);
    step_many(ctx, world, 500);
    double scale = dt * 12.0 / 1.1, load = 9.81 / 12.0;
    double creep = scale * load / sqrt(1.0 - load * load);
    CHECK_REL(fabs(iso_world_joint_velocity(world, 0)), creep, 0.01); // measured 9e-5
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void smooth_friction_creeps_as_stated(void** state) {
    (void)state;
    check_creep(1e-3);
    check_creep(1e-6);
}

/// Many joints at once: an arm that friction holds everywhere, hit and left alone.
static void friction_in_many_joints_converges(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_every_joint(ctx);
    for (int j = 0; j < iso_model_joint_count(model); ++j) {
        iso_model_joint(model, j)->friction = 3.0 + j;
    }
    iso_world* world = world_of(ctx, model, ISO_METHOD_LAGGED, 1e-3, 1e-3);
    int worst = 0;
    double before = stored(world);
    for (int i = 0; i < 1000; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        int iterations = iso_world_step_report(world).iterations;
        worst = iterations > worst ? iterations : worst;
    }
    CHECK(worst <= 15, "%d Newton iterations", worst); // measured 5
    CHECK(stored(world) < before, "%g J from %g J", stored(world), before);
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static void bad_joints_are_refused_by_name(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    add_lopsided(ctx, model, "body");
    iso_joint_desc good = joint_between("j", ISO_JOINT_SCREW, 0, 1);
    good.pitch = 0.1;
    iso_joint_desc bad = good;
    bad.pitch = 0.0;
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j': pitch is 0 m/rad");
    bad = good;
    bad.lower = 1.0;
    bad.upper = -1.0;
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j': lower limit 1 is above upper limit -1");
    bad = good;
    bad.friction = -1.0;
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j': dry friction is -1");
    bad = good;
    bad.stiffness = NAN;
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j': spring stiffness nan");
    bad = good;
    bad.gear_ratio = INFINITY;
    bad.rotor_inertia = 1.0;
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j': rotor inertia 1, gear ratio inf");
    bad = good;
    bad.kind = ISO_JOINT_UNIVERSAL;
    bad.axis_2 = bad.axis;
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j': axis and axis_2 are parallel");
    bad.axis = iso_vec3_make(0.0, 2.0, 0.0);
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j': axis (0, 2, 0) is not a unit vector");
    bad.axis = good.axis;
    bad.axis_2 = iso_vec3_make(0.0, 0.5, 0.0);
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j': axis_2 (0, 0.5, 0) is not a unit vector");
    bad.kind = ISO_JOINT_BALL;
    bad.velocities[1] = NAN;
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "joint 'j': initial positions");
    bad.kind = (iso_joint_kind)42;
    CHECK_STATUS(ctx, iso_model_add_joint(model, &bad, NULL), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "joint 'j': unknown kind 42");
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// Gains, stiffnesses and masses far from each other neither hang a step nor leave numbers behind
/// that are not finite.
static void extreme_numbers_stay_finite(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int heavy = add_body(ctx, model, "heavy", 1e6, iso_vec3_make(1e5, 1e5, 1e5));
    int light = add_body(ctx, model, "light", 1.0, iso_vec3_make(1e-4, 1e-4, 1e-4));
    iso_pose base = iso_pose_identity();
    add_hinge(ctx, model, "one", ISO_WORLD_BODY, light, &base, 1.0);
    add_hinge(ctx, model, "two", light, heavy, &base, -0.5);
    iso_joint_desc* joint = iso_model_joint(model, 0);
    joint->stiffness = 1e14;
    joint->damping = 1e12;
    joint->friction = 1e9;
    joint->lower = joint->upper = 1.0;
    iso_actuator_desc actuator = iso_actuator_desc_default();
    actuator.name = "motor";
    actuator.joint = 1;
    actuator.kp = 1e15;
    actuator.kd = 1e15;
    actuator.effort_limit = 1e12;
    CHECK_OK(ctx, iso_model_add_actuator(model, &actuator, NULL));
    iso_world* world = world_of(ctx, model, ISO_METHOD_LAGGED, 1e-2, 1e-3);
    step_many(ctx, world, 300);
    for (int j = 0; j < 2; ++j) {
        CHECK(isfinite(iso_world_joint_position(world, j)) &&
                  fabs(iso_world_joint_position(world, j)) < 10.0,
              "joint %d is at %g", j, iso_world_joint_position(world, j));
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// A wheel of 2 kg m^2 whose drive turns it with up to 4 N m one way and 1 N m the other.
static void drives_push_and_pull_as_hard_as_each_side_allows(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        iso_model* model = make_model(ctx);
        int wheel = add_body(ctx, model, "wheel", 1.0, iso_vec3_make(2.0, 2.0, 2.0));
        iso_joint_desc hinge = joint_between("hinge", ISO_JOINT_REVOLUTE, ISO_WORLD_BODY, wheel);
        CHECK_OK(ctx, iso_model_add_joint(model, &hinge, NULL));
        iso_actuator_desc drive = iso_actuator_desc_default();
        drive.name = "drive";
        drive.kp = 1e4;
        drive.kd = 10.0;
        drive.effort_limit = 4.0;
        drive.effort_lower = -1.0;
        CHECK_OK(ctx, iso_model_add_actuator(model, &drive, NULL));
        iso_world* world = world_of(ctx, model, methods[i], 1e-3, 1e-6);
        iso_actuator_gains gains = iso_world_actuator_gains(world, 0);
        assert_true(gains.effort_lower == -1.0 && gains.effort_upper == 4.0);
        CHECK_BITS(gains.effort_limit, 4.0);
        iso_actuation target = {.position = 10.0};
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &target));
        step_many(ctx, world, 100);
        CHECK_NEAR(iso_world_joint_velocity(world, 0), 4.0 / 2.0 * 0.1, 1e-12); // measured 1.4e-16
        target.position = -10.0;
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &target));
        step_many(ctx, world, 100);
        CHECK_NEAR(iso_world_joint_velocity(world, 0), 0.2 - 1.0 / 2.0 * 0.1, 1e-12); // 8.3e-17
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// A limit on one side alone still limits: v = effort t / I, and the other side pulls at will.
static void drives_keep_a_limit_that_only_one_side_has(void** state) {
    (void)state;
    static const iso_method methods[] = {METHODS_OF_EVERY_KIND};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < 2 * sizeof methods / sizeof *methods; ++i) {
        bool is_upper = i % 2 == 0;
        iso_model* model = make_model(ctx);
        int wheel = add_body(ctx, model, "wheel", 1.0, iso_vec3_make(2.0, 2.0, 2.0));
        iso_joint_desc hinge = joint_between("hinge", ISO_JOINT_REVOLUTE, ISO_WORLD_BODY, wheel);
        CHECK_OK(ctx, iso_model_add_joint(model, &hinge, NULL));
        iso_actuator_desc drive = iso_actuator_desc_default();
        drive.name = "drive";
        drive.kp = 1e4;
        drive.kd = 10.0;
        drive.effort_upper = is_upper ? 4.0 : INFINITY;
        drive.effort_lower = is_upper ? -INFINITY : -1.0;
        CHECK_OK(ctx, iso_model_add_actuator(model, &drive, NULL));
        iso_world* world = world_of(ctx, model, methods[i / 2], 1e-3, 1e-6);
        iso_actuation target = {.position = is_upper ? 10.0 : -10.0};
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &target));
        step_many(ctx, world, 100);
        double expected = (is_upper ? 4.0 : -1.0) / 2.0 * 0.1;
        CHECK_NEAR(iso_world_joint_velocity(world, 0), expected, 1e-12); // measured 1.4e-16
        target.position = -target.position;
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &target));
        step_many(ctx, world, 1);
        double pulled = iso_world_joint_velocity(world, 0) - expected;
        assert_true(is_upper ? pulled < -1.0 : pulled > 1.0); // a step: measured 49.5 to 49.9
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_keeps_energy),
        cmocka_unit_test(steps_converge_at_first_order),
        cmocka_unit_test(a_floating_tree_keeps_its_momentum),
        cmocka_unit_test(a_top_precesses_at_the_rate_of_closed_form),
        cmocka_unit_test(a_nut_runs_down_its_thread),
        cmocka_unit_test(springs_swing_at_their_frequency),
        cmocka_unit_test(ball_springs_swing_about_their_axis),
        cmocka_unit_test(rotors_add_their_reflected_inertia),
        cmocka_unit_test(dry_friction_stops_a_wheel),
        cmocka_unit_test(dry_friction_holds_a_pendulum),
        cmocka_unit_test(smooth_friction_creeps_as_stated),
        cmocka_unit_test(friction_in_many_joints_converges),
        cmocka_unit_test(bad_joints_are_refused_by_name),
        cmocka_unit_test(extreme_numbers_stay_finite),
        cmocka_unit_test(drives_push_and_pull_as_hard_as_each_side_allows),
        cmocka_unit_test(drives_keep_a_limit_that_only_one_side_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
