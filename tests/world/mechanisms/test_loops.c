// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Loop constraints, tendons and couplers: how they move, and what they bear.

#include "world/mechanisms/loops.h"

static double stored(const iso_world* world) {
    iso_energy e = iso_world_energy(world);
    return e.kinetic + e.potential + e.spring;
}

/// A ball constraint in a planar mechanism is redundant out of the plane, which must not matter.
static void a_four_bar_moves_as_its_closed_form(void** state) {
    (void)state;
    static const struct {
        iso_method method;
        double time_step, tolerance;
    } cases[] = {{ISO_METHOD_LAGGED, 1e-3, 1e-4}, // measured 4e-5: of second order in the step
                 {ISO_METHOD_SAP, 1e-3, 1e-4},    // the same
                 {ISO_METHOD_RK4, 1e-3, 1e-6},    // measured 4e-8
                 {ISO_METHOD_RK45, 1e-2, 1e-9}};  // measured 2e-12
    const four_bar f = {1.0, 0.3, 0.9, 0.7};
    iso_context* ctx = test_context();
    for (int i = 0; i < 4; ++i) {
        iso_model* model = make_model(ctx);
        iso_world* world =
            make_four_bar(ctx, model, &f, 1.2, 0.0, cases[i].method, cases[i].time_step);
        double start = stored(world), worst = 0.0, turned = joint_angle(world, "crank");
        for (int k = 0; k < (int)lround(1.0 / cases[i].time_step); ++k) {
            CHECK_OK(ctx, iso_world_step(world));
            double crank = joint_angle(world, "crank");
            worst = fmax(worst, fabs(sin(joint_angle(world, "rocker") - rocker_angle(&f, crank))));
            worst = fmax(worst, iso_world_constraint(world, 0).position_error);
        }
        CHECK_AT_MOST(worst, cases[i].tolerance);
        CHECK(fabs(joint_angle(world, "crank") - turned) > 0.5, "the crank hardly moved");
        // Energy: first order for steps; for the others the accuracy of integration.
        bool is_step = cases[i].time_step == 1e-3 && i < 2;
        CHECK_NEAR(stored(world), start,
                   is_step ? 0.05 : 1e-6); // measured 0.011, 0.011, 6e-8, 3e-11
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// Watt's linkage: the middle of the coupler stays on the vertical line between both pivots' ends
/// as closed form has it, here from the crank's angle.
static void watts_linkage_draws_its_curve(void** state) {
    (void)state;
    // Pivots (0, 0) and (2, 0.5), arms of 1 m, coupler of 0.5 m; half of it in the middle.
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int left = add_bar(ctx, model, "left", 0, iso_vec3_zero(), 1.0, 0.0);
    int coupler =
        add_bar(ctx, model, "middle", left, iso_vec3_make(1.0, 0.0, 0.0), 0.5, 0.5 * ISO_PI);
    int right = add_bar(ctx, model, "right", 0, iso_vec3_make(2.0, 0.5, 0.0), 1.0, ISO_PI);
    iso_constraint_desc pin =
        constraint_between("pin", ISO_CONSTRAINT_BALL, coupler, iso_vec3_make(0.5, 0.0, 0.0), right,
                           iso_vec3_make(1.0, 0.0, 0.0));
    CHECK_OK(ctx, iso_model_add_constraint(model, &pin, NULL));
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_make(0.0, -2.0, 0.0);
    iso_world* world = make_world(ctx, model, &desc);
    double lowest = 0.0, error = 0.0;
    for (int k = 0; k < 400; ++k) {
        CHECK_OK(ctx, iso_world_step(world));
        double a = joint_angle(world, "left");
        // End of the right arm: at 0.5 of the left arm's end and at 1 of the right pivot.
        double x = 2.0 - cos(a), y = 0.5 - sin(a), d = hypot(x, y);
        double along = (0.25 - 1.0 + d * d) / (2.0 * d), across = sqrt(0.25 - along * along);
        // The upper of the two points where the circles meet.
        iso_vec3 end = iso_vec3_make(cos(a) + along * x / d - across * y / d,
                                     sin(a) + along * y / d + across * x / d, 0.0);
        iso_vec3 middle = iso_vec3_make(0.5 * (cos(a) + end.x), 0.5 * (sin(a) + end.y), 0.0);
        iso_pose x_wb = iso_world_body_pose(world, iso_world_find_body(world, "middle"));
        iso_vec3 ours = iso_pose_point(&x_wb, iso_vec3_make(0.25, 0.0, 0.0));
        error = fmax(error, iso_vec3_norm(iso_vec3_sub(ours, middle)));
        lowest = fmin(lowest, a);
    }
    CHECK(lowest < -0.1, "the arm swings only to %g", lowest);
    CHECK_AT_MOST(error, 5e-6); // measured 5e-7
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// Loop errors do not grow with time: a four-bar that turns for 20 s.
static void loops_do_not_drift(void** state) {
    (void)state;
    const four_bar f = {1.0, 0.3, 0.9, 0.7};
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_world* world = make_four_bar(ctx, model, &f, 1.2, 0.0, ISO_METHOD_LAGGED, 1e-3);
    double first = 0.0, last = 0.0;
    for (int k = 0; k < 20000; ++k) {
        CHECK_OK(ctx, iso_world_step(world));
        double error = iso_world_constraint(world, 0).position_error;
        first = k < 2000 ? fmax(first, error) : first;
        last = k >= 18000 ? fmax(last, error) : last;
    }
    CHECK_AT_MOST(last, 1.5 * first + 1e-9); // measured: smaller, energy is lost
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// A free body hung by constraints of each kind at rest: the force reported is its weight.
static void constraint_forces_carry_the_weight(void** state) {
    (void)state;
    static const iso_constraint_kind kinds[] = {ISO_CONSTRAINT_WELD, ISO_CONSTRAINT_BALL,
                                                ISO_CONSTRAINT_DISTANCE, ISO_CONSTRAINT_TENDON};
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4};
    iso_context* ctx = test_context();
    for (int i = 0; i < 8; ++i) {
        iso_model* model = make_model(ctx);
        int body = add_body(ctx, model, "bob", 2.0, iso_vec3_make(0.1, 0.1, 0.1));
        bool is_long =
            kinds[i / 2] == ISO_CONSTRAINT_DISTANCE || kinds[i / 2] == ISO_CONSTRAINT_TENDON;
        iso_pose below = iso_pose_from_position(iso_vec3_make(0.0, 0.0, is_long ? -1.5 : -0.5));
        CHECK_OK(ctx, iso_model_set_free_pose(model, body, &below));
        iso_constraint_desc hang = constraint_between("hang", kinds[i / 2], 0, iso_vec3_zero(),
                                                      body, iso_vec3_make(0.0, 0.0, 0.5));
        CHECK_OK(ctx, iso_model_add_constraint(model, &hang, NULL));
        iso_world* world = world_of(ctx, model, methods[i % 2], 1e-3, 1e-3);
        step_many(ctx, world, 200);
        iso_constraint_state c = iso_world_constraint(world, 0);
        CHECK_SPATIAL_NEAR(c.f_b_w,
                           iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, 19.62)),
                           1e-6); // measured 2e-9
        // Rigid: 1e-6 of what the weight moves it in a step squared; a tendon of the continuous
        // methods is a spring that a step resolves: 4 g dt^2.
        bool is_spring = kinds[i / 2] == ISO_CONSTRAINT_TENDON && i % 2 == 1;
        CHECK_AT_MOST(c.position_error, is_spring ? 4.1e-5 : 1e-10); // measured 3.9e-5, 4e-11
        CHECK_AT_MOST(c.orientation_error, 1e-11);                   // measured 0
        assert_string_equal(c.name, "hang");
        assert_int_equal(iso_world_constraint_count(world), 1);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// A stone on a slack rope of 1 m falls freely, is caught, and hangs.
static void a_rope_goes_taut(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int stone = add_body(ctx, model, "stone", 0.5, iso_vec3_make(0.01, 0.01, 0.01));
    iso_pose start = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -0.2));
    CHECK_OK(ctx, iso_model_set_free_pose(model, stone, &start));
    iso_constraint_desc rope = constraint_between("rope", ISO_CONSTRAINT_TENDON, 0, iso_vec3_zero(),
                                                  stone, iso_vec3_zero());
    CHECK_OK(ctx, iso_model_add_constraint(model, &rope, NULL));
    iso_world* world = world_of(ctx, model, ISO_METHOD_LAGGED, 1e-3, 1e-3);
    step_many(ctx, world, 300);
    CHECK_NEAR(iso_world_body_pose(world, 1).p.z, -0.2 - 0.5 * 9.81 * 0.3 * 0.301, 1e-12);
    CHECK_NEAR(iso_world_constraint(world, 0).f_b_w.translational.z, 0.0, 1e-12); // slack
    double longest = 0.0;
    for (int i = 0; i < 700; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        longest = fmax(longest, -iso_world_body_pose(world, 1).p.z);
    }
    CHECK_AT_MOST(longest - 1.0, 1e-8); // measured 4e-9: 1e-6 of the speed it is caught at, a step
    CHECK_NEAR(iso_world_body_twist(world, 1).translational.z, 0.0, 1e-9); // measured 1e-16
    CHECK_NEAR(iso_world_constraint(world, 0).f_b_w.translational.z, 0.5 * 9.81, 1e-6);
    // The catch takes the kinetic energy: m g h of 0.8 m.
    CHECK_NEAR(iso_world_energy(world).constraint, -0.5 * 9.81 * 0.8, 1e-9); // measured 2e-11
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// A distance as a spring: the frequency of a mass on it.
static void a_springy_distance_swings_at_its_frequency(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    int bob = add_body(ctx, model, "bob", 2.0, iso_vec3_make(0.01, 0.01, 0.01));
    iso_pose start = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -1.1));
    CHECK_OK(ctx, iso_model_set_free_pose(model, bob, &start));
    iso_constraint_desc spring = constraint_between("spring", ISO_CONSTRAINT_DISTANCE, 0,
                                                    iso_vec3_zero(), bob, iso_vec3_zero());
    spring.stiffness = 200.0;
    CHECK_OK(ctx, iso_model_add_constraint(model, &spring, NULL));
    iso_world* world = world_of(ctx, model, ISO_METHOD_RK45, 1e-2, 1e-11);
    step_many(ctx, world, 100);
    double rest = 1.0 + 2.0 * 9.81 / 200.0;
    CHECK_NEAR(-iso_world_body_pose(world, 1).p.z, rest + (1.1 - rest) * cos(10.0),
               1e-10); // measured 1e-12
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

/// Two discs geared -2:1, 3 N m on the first: (I1 + 4 I2) rate = 3.
static void gears_share_their_inertia(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK45};
    iso_context* ctx = test_context();
    for (int i = 0; i < 2; ++i) {
        iso_model* model = make_model(ctx);
        add_body(ctx, model, "one", 1.0, iso_vec3_make(0.1, 0.1, 0.2));
        add_body(ctx, model, "two", 1.0, iso_vec3_make(0.1, 0.1, 0.15));
        iso_joint_desc a = joint_between("a", ISO_JOINT_REVOLUTE, 0, 1);
        iso_joint_desc b = joint_between("b", ISO_JOINT_REVOLUTE, 0, 2);
        b.position = 0.4;
        CHECK_OK(ctx, iso_model_add_joint(model, &a, NULL));
        CHECK_OK(ctx, iso_model_add_joint(model, &b, NULL));
        iso_actuator_desc motor = iso_actuator_desc_default();
        motor.name = "motor";
        CHECK_OK(ctx, iso_model_add_actuator(model, &motor, NULL));
        iso_coupler_desc gear = iso_coupler_desc_default();
        gear.name = "gear";
        gear.joint_a = 0;
        gear.joint_b = 1;
        gear.ratio = -2.0;
        gear.offset = 0.4;
        CHECK_OK(ctx, iso_model_add_coupler(model, &gear, NULL));
        iso_world* world = world_of(ctx, model, methods[i], 1e-3, 1e-10);
        iso_actuation push = {.feed_forward = 3.0};
        CHECK_OK(ctx, iso_world_set_actuation(world, 0, &push));
        step_many(ctx, world, 1000);
        double rate = 3.0 / (0.2 + 4.0 * 0.15);
        CHECK_REL(iso_world_joint_velocity(world, 0), rate, 1e-5);        // measured 7e-12
        CHECK_REL(iso_world_joint_velocity(world, 1), -2.0 * rate, 1e-5); // measured 7e-12
        assert_int_equal(iso_world_coupler_count(world), 1);
        iso_coupler_state c = iso_world_coupler(world, 0);
        CHECK_NEAR(c.residual, 0.0, 1e-9);             // measured 3e-11
        CHECK_REL(c.effort, -2.0 * rate * 0.15, 1e-4); // measured 6e-9
        assert_string_equal(c.name, "gear");
        CHECK_BITS(c.ratio, -2.0);
        CHECK_BITS(c.offset, 0.4);
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

// Set off against its coupler with a rate u, the error e = q_b - ratio q_a of a continuous method
// follows e'' + 2 r e' + r^2 e = 0 with r of 0.2 a step, whatever the masses: e = u t exp(-r t).
static void an_error_of_a_coupler_dies_off_as_fast_as_it_can_without_swinging(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_RK4, ISO_METHOD_RK45};
    iso_context* ctx = test_context();
    for (int i = 0; i < 2; ++i) {
        const double dt = 1e-3, rate = 0.2 / dt, off = 0.3;
        iso_model* model = make_model(ctx);
        add_body(ctx, model, "one", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
        add_body(ctx, model, "two", 3.0, iso_vec3_make(0.1, 0.1, 0.1));
        iso_joint_desc a = joint_between("a", ISO_JOINT_PRISMATIC, 0, 1);
        iso_joint_desc b = joint_between("b", ISO_JOINT_PRISMATIC, 0, 2);
        CHECK_OK(ctx, iso_model_add_joint(model, &a, NULL));
        CHECK_OK(ctx, iso_model_add_joint(model, &b, NULL));
        iso_coupler_desc gear = iso_coupler_desc_default();
        gear.name = "gear";
        gear.joint_a = 0;
        gear.joint_b = 1;
        gear.ratio = -2.0;
        CHECK_OK(ctx, iso_model_add_coupler(model, &gear, NULL));
        iso_world* world = world_of(ctx, model, methods[i], dt, 1e-10);
        CHECK_OK(ctx, iso_world_set_joint(world, 0, 0.0, 0.1));
        CHECK_OK(ctx, iso_world_set_joint(world, 1, 0.0, -0.2 + off));
        // RK4 is off by what its one step leaves of exp(-0.2), 0.2^4 / 24 = 6.7e-5.
        double greatest = off / rate * exp(-1.0), tolerance = (i == 0 ? 5e-4 : 1e-6) * greatest;
        for (int step = 1; step <= 60; ++step) {
            double t = step * dt;
            CHECK_OK(ctx, iso_world_step(world));
            CHECK_NEAR(iso_world_coupler(world, 0).residual, off * t * exp(-rate * t),
                       tolerance); // measured 3.7e-8 of 2.8e-7, 2.5e-13 of 5.5e-10
        }
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// The same weld three times over, beside a ball and a distance that say the same again.
static void loops_closed_many_times_over_hold(void** state) {
    (void)state;
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_RK4};
    static const char* const names[] = {"w1", "w2", "w3", "b", "d"};
    static const iso_constraint_kind kinds[] = {ISO_CONSTRAINT_WELD, ISO_CONSTRAINT_WELD,
                                                ISO_CONSTRAINT_WELD, ISO_CONSTRAINT_BALL,
                                                ISO_CONSTRAINT_DISTANCE};
    iso_context* ctx = test_context();
    for (int m = 0; m < 2; ++m) {
        iso_model* model = make_model(ctx);
        int bar = add_bar(ctx, model, "bar", 0, iso_vec3_zero(), 1.0, 0.0);
        int free = add_body(ctx, model, "free", 1.0, iso_vec3_make(0.1, 0.1, 0.1));
        iso_pose at = iso_pose_from_position(iso_vec3_make(1.0, 0.0, 0.0));
        CHECK_OK(ctx, iso_model_set_free_pose(model, free, &at));
        for (int i = 0; i < 5; ++i) {
            iso_vec3 p = i == 4 ? iso_vec3_zero() : iso_vec3_make(1.0, 0.0, 0.0);
            iso_constraint_desc c =
                constraint_between(names[i], kinds[i], bar, p, free, iso_vec3_zero());
            CHECK_OK(ctx, iso_model_add_constraint(model, &c, NULL));
        }
        iso_world_desc desc = iso_world_desc_default();
        desc.gravity = iso_vec3_make(0.0, -9.81, 0.0);
        desc.method = methods[m];
        iso_world* world = make_world(ctx, model, &desc);
        step_many(ctx, world, 1000);
        for (int i = 0; i < 5; ++i) {
            CHECK_AT_MOST(iso_world_constraint(world, i).position_error, 1e-5); // measured 1.3e-6
        }
        iso_energy e = iso_world_energy(world);
        CHECK_NEAR(e.kinetic + e.potential, 0.0, 0.05); // measured 0.012 (steps), 1e-8
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

/// 1e6 kg welded to 1 kg that hangs on a hinge, and the other way round.
static void unequal_masses_are_held(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < 2; ++i) {
        iso_model* model = make_model(ctx);
        double masses[2] = {i == 0 ? 1.0 : 1e6, i == 0 ? 1e6 : 1.0};
        int a =
            add_body(ctx, model, "a", masses[0], iso_vec3_make(masses[0], masses[0], masses[0]));
        int b =
            add_body(ctx, model, "b", masses[1], iso_vec3_make(masses[1], masses[1], masses[1]));
        iso_pose base = iso_pose_identity();
        add_hinge(ctx, model, "hinge", ISO_WORLD_BODY, a, &base, 0.3);
        iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -1.5));
        CHECK_OK(ctx, iso_model_set_free_pose(model, b, &x_wb));
        iso_constraint_desc c = constraint_between("c", ISO_CONSTRAINT_BALL, a, iso_vec3_zero(), b,
                                                   iso_vec3_make(0.0, 0.0, 0.5));
        CHECK_OK(ctx, iso_model_add_constraint(model, &c, NULL));
        iso_world* world = world_of(ctx, model, ISO_METHOD_LAGGED, 1e-3, 1e-3);
        step_many(ctx, world, 1000);
        CHECK_AT_MOST(iso_world_constraint(world, 0).position_error, 1e-5); // measured 1.6e-6
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_four_bar_moves_as_its_closed_form),
        cmocka_unit_test(watts_linkage_draws_its_curve),
        cmocka_unit_test(loops_do_not_drift),
        cmocka_unit_test(constraint_forces_carry_the_weight),
        cmocka_unit_test(a_rope_goes_taut),
        cmocka_unit_test(a_springy_distance_swings_at_its_frequency),
        cmocka_unit_test(gears_share_their_inertia),
        cmocka_unit_test(loops_closed_many_times_over_hold),
        cmocka_unit_test(unequal_masses_are_held),
        cmocka_unit_test(an_error_of_a_coupler_dies_off_as_fast_as_it_can_without_swinging),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
