// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The first and the longest substep of every method with error control are those asked for.

#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"

#include <math.h>

static const iso_method k_methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP,      ISO_METHOD_SIMILAR,
                                       ISO_METHOD_TAMSI,  ISO_METHOD_MIDPOINT, ISO_METHOD_RK23,
                                       ISO_METHOD_RK45,   ISO_METHOD_RADAU,    ISO_METHOD_CVODE};
enum { METHODS = 9 };
static const double k_time_step = 0.02;

// A body that turns freely: nothing makes its steps short.
static iso_world* make_flight(iso_context* ctx, iso_method method, uint64_t seed,
                              double initial_step, double max_step) {
    test_random random = test_random_make(seed);
    iso_model* model = make_model(ctx);
    double a = test_random_uniform(&random, 1.0, 2.0), b = test_random_uniform(&random, 2.0, 2.5);
    int body = add_body(ctx, model, "body", 1.0, iso_vec3_make(a, b, 2.5));
    iso_vec3 w = iso_vec3_make(test_random_uniform(&random, -1.0, 1.0), 0.5, 0.1);
    CHECK_OK(ctx, iso_model_set_free_twist(model, body, iso_spatial_make(w, iso_vec3_zero())));
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.error_control = true;
    desc.accuracy = 1e-2;
    desc.time_step = k_time_step;
    desc.initial_step = initial_step;
    desc.max_step = max_step;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

static void the_longest_substep_is_no_longer(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int m = 0; m < METHODS; ++m) {
        for (uint64_t seed = 1; seed <= 3 && iso_method_is_built(k_methods[m]); ++seed) {
            test_random random = test_random_make(seed + 100);
            double longest = k_time_step / test_random_uniform(&random, 30.0, 200.0);
            iso_world* world = make_flight(ctx, k_methods[m], seed, 0.0, longest);
            iso_world* free = make_flight(ctx, k_methods[m], seed, 0.0, 0.0);
            step_many(ctx, world, 3);
            step_many(ctx, free, 3);
            iso_step_report stats = iso_world_step_report(world);
            assert_true(stats.substep_count >= (int)ceil(k_time_step / longest));
            assert_true(iso_world_step_report(free).substep_count < stats.substep_count / 2);
            if (iso_method_is_velocity_level(k_methods[m])) {
                assert_true(stats.largest_substep <= longest);
            }
            iso_world_destroy(world);
            iso_world_destroy(free);
        }
    }
    test_context_destroy(ctx);
}

static void the_first_substep_is_the_one_asked_for(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int m = 0; m < METHODS; ++m) {
        for (uint64_t seed = 1; seed <= 3 && iso_method_is_built(k_methods[m]); ++seed) {
            test_random random = test_random_make(seed + 200);
            double first = 1e-5 * test_random_uniform(&random, 1.0, 9.0);
            iso_world* world = make_flight(ctx, k_methods[m], seed, first, 0.0);
            step_many(ctx, world, 1);
            // Steps grow from there. The rounding of the time that was reached.
            CHECK_NEAR(iso_world_step_report(world).smallest_substep, first, 1e-15);
            iso_world_destroy(world);
        }
    }
    test_context_destroy(ctx);
}

static void fixed_steps_have_no_first_substep(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        iso_world* plain = make_flight(ctx, ISO_METHOD_RK4, seed, 0.0, 0.0);
        iso_world* given = make_flight(ctx, ISO_METHOD_RK4, seed, 1e-4, 1e-4);
        step_many(ctx, plain, 20);
        step_many(ctx, given, 20);
        assert_true(iso_world_state_hash(plain) == iso_world_state_hash(given));
        iso_world_destroy(plain);
        iso_world_destroy(given);
    }
    test_context_destroy(ctx);
}

static void lengths_that_mean_nothing_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_world* world = NULL;
    const double wrong[] = {-1e-3, 2.0, NAN, INFINITY};
    for (int i = 0; i < 4; ++i) {
        iso_world_desc desc = iso_world_desc_default();
        desc.initial_step = wrong[i];
        CHECK_STATUS(ctx, iso_world_create(ctx, model, &desc, &world), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "initial_step is ");
        desc.initial_step = 0.0;
        desc.max_step = wrong[i];
        CHECK_STATUS(ctx, iso_world_create(ctx, model, &desc, &world), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, "max_step is ");
    }
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static int add_ball(iso_context* ctx, iso_model* model, const char* name, test_random* r,
                    iso_vec3 p_w, iso_vec3 v_w) {
    int ball = add_body(ctx, model, name, 0.5, iso_vec3_make(5e-4, 5e-4, 5e-4));
    iso_geometry_desc skin = iso_geometry_desc_default();
    skin.name = "skin";
    skin.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    skin.shape.radius = 0.05;
    skin.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    skin.material.modulus = 1e5 * exp(test_random_uniform(r, 0.0, 6.0));
    skin.material.friction_static = skin.material.friction_dynamic = 0.0; // explicit methods
    CHECK_OK(ctx, iso_model_add_geometry(model, ball, &skin, NULL));
    iso_pose x = iso_pose_from_position(p_w);
    CHECK_OK(ctx, iso_model_set_free_pose(model, ball, &x));
    CHECK_OK(ctx, iso_model_set_free_twist(model, ball, iso_spatial_make(iso_vec3_zero(), v_w)));
    return ball;
}

static iso_world* make_long_steps(iso_context* ctx, iso_model* model, iso_method method,
                                  test_random* r) {
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.error_control = true;
    double digits = iso_method_is_velocity_level(method) ? 5.0 : 7.0;
    desc.accuracy = pow(10.0, -test_random_uniform(r, 2.0, digits));
    desc.time_step = test_random_uniform(r, 0.05, 0.6);
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    step_many(ctx, world, (int)ceil(0.6 / desc.time_step));
    return world;
}

/// A ball falls on a floor within one long time step. Margins that grew with its square hid the
/// ball's size from methods, and stages of explicit ones lay before and behind the floor. Explicit
/// methods took the short steps of an impact for those of all the time that was left, and gave up.
/// From rest they took a whole time step, whose stages all flew.
static void balls_do_not_fall_through_in_long_time_steps(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < TEST_ROUNDS(8, 2) * METHODS; ++i) {
        iso_method method = k_methods[i % METHODS];
        if (!iso_method_is_built(method)) {
            continue;
        }
        test_random r = test_random_make((uint64_t)(i / METHODS) + 300);
        iso_model* model = make_model(ctx);
        iso_mat3 level = iso_mat3_identity();
        add_ground(ctx, model, 0.5, &level);
        iso_vec3 above = iso_vec3_make(0.0, 0.0, test_random_uniform(&r, 0.06, 1.0));
        double speed = test_random_uniform(&r, -1.0, 10.0);
        iso_vec3 down = iso_vec3_make(0.0, 0.0, -fmax(speed, 0.0));
        int ball = add_ball(ctx, model, "ball", &r, above, down);
        iso_world* world = make_long_steps(ctx, model, method, &r);
        double z = iso_world_body_pose(world, ball).p.z;
        CHECK(z > 0.0, "draw %d, method %d: %g m", i, (int)method, z);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

/// Two balls that fly towards each other meet.
static void balls_do_not_pass_each_other_in_long_time_steps(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < TEST_ROUNDS(8, 2) * METHODS; ++i) {
        iso_method method = k_methods[i % METHODS];
        if (!iso_method_is_built(method)) {
            continue;
        }
        test_random r = test_random_make((uint64_t)(i / METHODS) + 400);
        iso_model* model = make_model(ctx);
        double speed = test_random_uniform(&r, 1.0, 8.0), gap = test_random_uniform(&r, 0.2, 0.5);
        int left = add_ball(ctx, model, "left", &r, iso_vec3_make(-gap, 0.0, 5.0),
                            iso_vec3_make(speed, 0.0, 0.0));
        int right = add_ball(ctx, model, "right", &r, iso_vec3_make(gap, 0.0, 5.0),
                             iso_vec3_make(-speed * test_random_uniform(&r, 0.0, 1.0), 0.0, 0.0));
        iso_world* world = make_long_steps(ctx, model, method, &r);
        double between =
            iso_world_body_pose(world, right).p.x - iso_world_body_pose(world, left).p.x;
        CHECK(between > 0.0, "draw %d, method %d: %g m", i, (int)method, between);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

/// What a caller moves, large and fast, meets small balls that hardly move themselves: a block or
/// a floor that is lifted.
static void what_is_lifted_meets_small_balls_in_long_time_steps(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    for (int i = 0; i < TEST_ROUNDS(8, 2) * METHODS; ++i) {
        iso_method method = k_methods[i % METHODS];
        if (!iso_method_is_built(method)) {
            continue;
        }
        test_random r = test_random_make((uint64_t)(i / METHODS) + 600);
        iso_model* model = make_model(ctx);
        int lift = add_body(ctx, model, "lift", 1.0, iso_vec3_make(1.0, 1.0, 1.0));
        iso_joint_desc weld = iso_joint_desc_default();
        weld.name = "weld";
        weld.kind = ISO_JOINT_WELD;
        weld.child = lift;
        CHECK_OK(ctx, iso_model_add_joint(model, &weld, NULL));
        iso_geometry_desc desc = iso_geometry_desc_default();
        bool is_floor = i / METHODS % 2 == 1;
        double half = is_floor ? 0.0 : test_random_uniform(&r, 0.5, 1.5);
        desc.name = "top";
        desc.shape = iso_shape_desc_default(is_floor ? ISO_SHAPE_HALF_SPACE : ISO_SHAPE_BOX);
        desc.shape.size = iso_vec3_make(3.0, 3.0, 2.0 * half);
        desc.material.compliance = ISO_COMPLIANCE_RIGID;
        desc.material.friction_static = desc.material.friction_dynamic = 0.0;
        CHECK_OK(ctx, iso_model_add_geometry(model, lift, &desc, NULL));
        int ball = add_ball(ctx, model, "ball", &r, iso_vec3_zero(), iso_vec3_zero());
        iso_world_desc settings = iso_world_desc_default();
        settings.method = method;
        settings.error_control = true;
        settings.accuracy = iso_method_is_velocity_level(method) ? 1e-2 : 1e-4;
        settings.time_step = test_random_uniform(&r, 0.05, 0.2);
        double speed = test_random_uniform(&r, 2.0, 10.0);
        double gap = test_random_uniform(&r, 0.06, 0.8 * speed * settings.time_step);
        iso_world* world = make_world(ctx, model, &settings);
        iso_model_destroy(model);
        lift = iso_world_find_body(world, "lift");
        ball = iso_world_find_body(world, "ball");
        iso_pose x = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -gap - half));
        iso_spatial up = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, speed));
        CHECK_OK(ctx, iso_world_set_prescribed(world, lift, &x, up));
        step_many(ctx, world, 1);
        double top = iso_world_body_pose(world, lift).p.z + half;
        double z = iso_world_body_pose(world, ball).p.z;
        CHECK(z > top, "draw %d, method %d: %g m below %g m", i, (int)method, z, top);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

/// What flies far from all else takes few substeps, however fast, and lands.
static void free_flight_takes_few_substeps(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const iso_method methods[] = {ISO_METHOD_RK23, ISO_METHOD_RK45, ISO_METHOD_RADAU,
                                         ISO_METHOD_CVODE};
    for (int i = 0; i < 32; ++i) {
        iso_method method = methods[i % 4];
        if (!iso_method_is_built(method)) {
            continue;
        }
        test_random r = test_random_make((uint64_t)(i / 4) + 500);
        iso_model* model = make_model(ctx);
        iso_mat3 level = iso_mat3_identity();
        bool has_ground = i % 8 < 4;
        if (has_ground) {
            add_ground(ctx, model, 0.0, &level);
        }
        double height = test_random_uniform(&r, 3.0, 6.0),
               speed = test_random_uniform(&r, 5.0, 15.0);
        double aside = has_ground ? 0.0 : exp(test_random_uniform(&r, 0.0, 6.0));
        int ball = add_ball(ctx, model, "ball", &r, iso_vec3_make(0.0, 0.0, height),
                            iso_vec3_make(aside, 0.0, -speed));
        iso_world_desc desc = iso_world_desc_default();
        desc.method = method;
        desc.error_control = true;
        desc.accuracy = 1e-4;
        desc.time_step = 0.1;
        iso_world* world = make_world(ctx, model, &desc);
        iso_model_destroy(model);
        step_many(ctx, world, 1);
        int count = iso_world_step_report(world).substep_count;
        CHECK(count <= 30, "draw %d: %d substeps", i, count); // of the share of a side alone 60
        step_many(ctx, world, 9);
        CHECK(!has_ground || iso_world_body_pose(world, ball).p.z > 0.0, "draw %d fell through", i);
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

static iso_world* make_cloud(iso_context* ctx, uint64_t seed, iso_method method, iso_vec3 drift) {
    test_random r = test_random_make(seed);
    iso_model* model = make_model(ctx);
    static const char* const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; ++i) {
        iso_vec3 p = iso_vec3_make(0.15 * i, test_random_uniform(&r, -0.02, 0.02), 0.0);
        iso_vec3 v = iso_vec3_make(test_random_uniform(&r, -1.0, 1.0), 0.0, 0.0);
        add_ball(ctx, model, names[i], &r, p, iso_vec3_add(v, drift));
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.error_control = true;
    desc.accuracy = 1e-5;
    desc.time_step = 0.1;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

/// What flies together does not pass each other: how fast all go changes neither impacts nor steps.
static void what_falls_together_steps_as_what_rests_together(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const iso_method methods[] = {ISO_METHOD_RK23, ISO_METHOD_RK45, ISO_METHOD_RADAU,
                                         ISO_METHOD_CVODE};
    for (int i = 0; i < TEST_ROUNDS(12, 4); ++i) {
        iso_method method = methods[i % 4];
        if (!iso_method_is_built(method)) {
            continue;
        }
        uint64_t seed = (uint64_t)(i / 4) + 800;
        test_random r = test_random_make(seed + 100);
        double speed = exp(test_random_uniform(&r, 4.0, 8.0));
        iso_vec3 drift = iso_vec3_scale(test_random_unit_vec3(&r), speed);
        iso_world* rests = make_cloud(ctx, seed, method, iso_vec3_zero());
        iso_world* flies = make_cloud(ctx, seed, method, drift);
        int few = 0, many = 0;
        for (int step = 0; step < 3; ++step) {
            step_many(ctx, rests, 1);
            step_many(ctx, flies, 1);
            few += iso_world_step_report(rests).substep_count;
            many += iso_world_step_report(flies).substep_count;
        }
        // Measured 1.1; by the speed of all 10 to 300.
        CHECK(many <= 1.5 * few + 10, "draw %d, %g m/s: %d substeps for %d", i, speed, many, few);
        for (int b = 1; b <= 4; ++b) {
            iso_vec3 p = iso_world_body_pose(rests, b).p, q = iso_world_body_pose(flies, b).p;
            iso_vec3 gone = iso_vec3_scale(drift, iso_world_time(flies));
            double off = iso_vec3_distance(iso_vec3_sub(q, gone), p);
            CHECK(off < 3e-4, "draw %d, %g m/s, body %d: %g m", i, speed, b, off);
        }
        iso_world_destroy(rests);
        iso_world_destroy(flies);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_flight_takes_few_substeps),
        cmocka_unit_test(what_falls_together_steps_as_what_rests_together),
        cmocka_unit_test(what_is_lifted_meets_small_balls_in_long_time_steps),
        cmocka_unit_test(the_longest_substep_is_no_longer),
        cmocka_unit_test(the_first_substep_is_the_one_asked_for),
        cmocka_unit_test(fixed_steps_have_no_first_substep),
        cmocka_unit_test(lengths_that_mean_nothing_are_refused),
        cmocka_unit_test(balls_do_not_fall_through_in_long_time_steps),
        cmocka_unit_test(balls_do_not_pass_each_other_in_long_time_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
