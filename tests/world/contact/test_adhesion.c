// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Adhesion: what a body touches is pulled to it, by shares of a force.

#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"

static const double k_gravity = 9.81;

static void add_adhesion(iso_context* ctx, iso_model* model, const char* name, int body) {
    iso_actuator_desc desc = iso_actuator_desc_default();
    desc.name = name;
    desc.joint = desc.fixed_tendon = -1;
    desc.adhesion_body = body;
    CHECK_OK(ctx, iso_model_add_actuator(model, &desc, NULL));
}

static void pull(iso_context* ctx, iso_world* world, const char* name, double force) {
    iso_actuation actuation = {.feed_forward = force};
    CHECK_OK(ctx, iso_world_set_actuation(world, iso_world_find_actuator(world, name), &actuation));
}

/// A Hertz ball in touch with a half space, its normal z, that weight pulls it off of.
typedef struct hung_ball {
    iso_world* world;
    double mass, stiffness, force, depth; ///< depth: where it rests
} hung_ball;

/// @param share  of the weight that adhesion pulls with
static hung_ball make_ball(iso_context* ctx, test_random* random, iso_method method, double share) {
    hung_ball b = {0};
    iso_model* model = make_model(ctx);
    double radius = pow(10.0, test_random_uniform(random, -2.0, -0.5));
    double modulus = pow(10.0, test_random_uniform(random, 6.0, 8.0));
    b.mass = 1000.0 * 4.0 / 3.0 * ISO_PI * radius * radius * radius;
    b.stiffness = 4.0 / 3.0 * modulus / (1.0 - 0.25 * 0.25) * sqrt(radius);
    b.force = share * b.mass * k_gravity;
    b.depth = pow(fabs(b.force - b.mass * k_gravity) / b.stiffness, 2.0 / 3.0);
    iso_geometry_desc plate = iso_geometry_desc_default();
    plate.name = "plate";
    plate.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    plate.material.compliance = ISO_COMPLIANCE_RIGID;
    plate.material.model = ISO_CONTACT_MODEL_HERTZ;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &plate, NULL));
    double moment = 0.4 * b.mass * radius * radius;
    int ball = add_body(ctx, model, "ball", b.mass, iso_vec3_make(moment, moment, moment));
    iso_geometry_desc skin = iso_geometry_desc_default();
    skin.name = "skin";
    skin.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    skin.shape.radius = radius;
    skin.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    skin.material.dissipation = 10.0;
    skin.material.young_modulus = modulus;
    skin.material.poisson_ratio = 0.25;
    CHECK_OK(ctx, iso_model_add_geometry(model, ball, &skin, NULL));
    iso_pose pose = iso_pose_from_position(iso_vec3_make(0.0, 0.0, radius - b.depth));
    CHECK_OK(ctx, iso_model_set_free_pose(model, ball, &pose));
    // Either side of the contact may be the one that pulls.
    add_adhesion(ctx, model, "cup", test_random_uniform(random, 0.0, 1.0) < 0.5 ? ball : 0);
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.accuracy = 1e-8;
    desc.time_step = 1e-3;
    desc.gravity = iso_vec3_make(0.0, 0.0, k_gravity);
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &b.world));
    iso_model_destroy(model);
    pull(ctx, b.world, "cup", b.force);
    return b;
}

static const iso_method k_methods[] = {ISO_METHOD_LAGGED,   ISO_METHOD_SAP,   ISO_METHOD_SIMILAR,
                                       ISO_METHOD_MIDPOINT, ISO_METHOD_TAMSI, ISO_METHOD_RK45,
                                       ISO_METHOD_RADAU};
enum { METHODS = sizeof k_methods / sizeof *k_methods };

static void a_ball_hangs_by_more_than_its_weight_as_deep_as_hertz_says(void** state) {
    (void)state;
    for (int seed = 0; seed < 3 * METHODS; ++seed) {
        iso_context* ctx = test_context();
        test_random random = test_random_make((uint64_t)seed);
        hung_ball b = make_ball(ctx, &random, k_methods[seed % METHODS],
                                test_random_uniform(&random, 1.2, 5.0));
        double start = iso_world_body_pose(b.world, 1).p.z;
        for (int i = 0; i < 50; ++i) {
            CHECK_OK(ctx, iso_world_step(b.world));
        }
        double press = b.force - b.mass * k_gravity;
        double moved = (iso_world_body_pose(b.world, 1).p.z - start) / b.depth;
        CHECK_NEAR(moved, 0.0, 1e-9); // measured 0
        assert_int_equal(iso_world_contact_count(b.world), 1);
        double n = fabs(iso_world_contact(b.world, 0).f_b_w.translational.z);
        CHECK_REL(n, press, 1e-9); // measured 2e-13
        assert_int_equal(iso_world_actuator_fixed_tendon(b.world, 0), -1);
        assert_true(iso_world_actuator_adhesion_body(b.world, 0) >= 0);
        assert_true(iso_world_joint_effort(b.world, 0) == 0.0);
        iso_world_destroy(b.world);
        test_context_destroy(ctx);
    }
}

static void a_ball_falls_off_what_pulls_by_less_than_its_weight(void** state) {
    (void)state;
    for (int seed = 0; seed < METHODS; ++seed) {
        iso_context* ctx = test_context();
        test_random random = test_random_make((uint64_t)(100 + seed));
        hung_ball b = make_ball(ctx, &random, k_methods[seed % METHODS],
                                test_random_uniform(&random, 0.2, 0.9));
        double start = iso_world_body_pose(b.world, 1).p.z;
        for (int i = 0; i < 300; ++i) {
            CHECK_OK(ctx, iso_world_step(b.world));
        }
        assert_int_equal(iso_world_contact_count(b.world), 0);
        assert_true(iso_world_body_pose(b.world, 1).p.z > start + 10.0 * b.depth);
        iso_energy e = iso_world_energy(b.world);
        assert_true(e.actuation < 0.0); // it was pulled back while it touched
        iso_world_destroy(b.world);
        test_context_destroy(ctx);
    }
}

static iso_world* make_cubes(iso_context* ctx, iso_method method, double gravity, double friction,
                             double speed, double accuracy, double step) {
    iso_model* model = make_model(ctx);
    if (gravity != 0.0) {
        iso_mat3 level = iso_mat3_identity();
        add_ground(ctx, model, friction, &level);
    }
    iso_pose pose = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.0499));
    int a = add_cube(ctx, model, "a", friction, &pose);
    add_adhesion(ctx, model, "cup", a);
    if (gravity == 0.0) {
        pose = iso_pose_from_position(iso_vec3_make(0.03, 0.02, 0.0499 + 0.0995));
        int other = add_cube(ctx, model, "b", friction, &pose);
        iso_spatial v = iso_spatial_make(iso_vec3_make(speed, 0.0, -speed),
                                         iso_vec3_make(0.1 * speed, 0.0, 0.2 * speed));
        CHECK_OK(ctx, iso_model_set_free_twist(model, other, v));
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.accuracy = accuracy;
    desc.time_step = step;
    desc.gravity = iso_vec3_make(0.0, 0.0, -gravity);
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    return world;
}

static void preload_counts_for_friction(void** state) {
    (void)state;
    const double mu = 0.5, force = 30.0;
    for (int k = 0; k < 4; ++k) {
        iso_context* ctx = test_context();
        iso_world* world = make_cubes(ctx, k < 2 ? ISO_METHOD_LAGGED : ISO_METHOD_SIMILAR,
                                      k_gravity, mu, 0.0, 1e-4, 1e-3);
        double limit = mu * (k_gravity + force);
        iso_spatial push = iso_spatial_make(
            iso_vec3_zero(), iso_vec3_make((k % 2 == 0 ? 0.9 : 1.1) * limit, 0.0, 0.0));
        pull(ctx, world, "cup", force);
        for (int i = 0; i < 300; ++i) {
            if (i >= 100) { // it has settled; low, so that it does not tip
                push.rotational.y = -0.045 * push.translational.x;
                CHECK_OK(ctx, iso_world_apply_wrench(world, 1, push));
            }
            CHECK_OK(ctx, iso_world_step(world));
        }
        iso_contact contact = iso_world_contact(world, 0);
        CHECK_REL(fabs(contact.f_b_w.translational.z), k_gravity + force, 2e-3);
        double v = iso_world_body_twist(world, 1).translational.x;
        double slides = 0.1 * limit * 0.2; // F t / m of what is beyond the limit
        assert_true(k % 2 == 0 ? fabs(v) < 0.01 * slides : fabs(v / slides - 1.0) < 0.1);
        iso_world_destroy(world);
        test_context_destroy(ctx);
    }
}

static iso_spatial momentum(const iso_world* world) {
    iso_spatial sum = iso_spatial_zero();
    double moment = 0.1 * 0.1 / 6.0;
    for (int b = 1; b < iso_world_body_count(world); ++b) {
        iso_spatial v = iso_world_body_twist(world, b);
        iso_vec3 p = iso_world_body_pose(world, b).p;
        sum.translational = iso_vec3_add(sum.translational, v.translational);
        sum.rotational = iso_vec3_add(sum.rotational, iso_vec3_cross(p, v.translational));
        sum.rotational = iso_vec3_add_scaled(sum.rotational, v.rotational, moment);
    }
    return sum;
}

/// What the ledger of two cubes that are pulled together misses after 60 ms [J].
static double ledger_error(iso_method method, double step) {
    iso_context* ctx = test_context();
    iso_world* world = make_cubes(ctx, method, 0.0, 0.3, 0.5, 1e-8, step);
    pull(ctx, world, "cup", 8.0);
    iso_spatial before = momentum(world);
    iso_energy e0 = iso_world_energy(world);
    for (int i = 0; i < (int)(0.06 / step + 0.5); ++i) {
        CHECK_OK(ctx, iso_world_step(world));
    }
    iso_spatial change = iso_spatial_sub(momentum(world), before);
    CHECK_NEAR(iso_vec3_norm(change.translational), 0.0, 1e-14); // measured 9e-17
    CHECK_NEAR(iso_vec3_norm(change.rotational), 0.0, 1e-11);    // measured 3e-13
    iso_energy e = iso_world_energy(world);
    assert_true(e.actuation < -2e-3 && e.applied == 0.0);
    iso_world_destroy(world);
    test_context_destroy(ctx);
    return fabs(e.kinetic - e0.kinetic - e.actuation - e.contact);
}

static void pulls_are_equal_and_opposite_and_in_the_ledger(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; ++k) {
        iso_method method = k_methods[k];
        double error = ledger_error(method, 1e-3);
        if (method == ISO_METHOD_RK45 || method == ISO_METHOD_RADAU) {
            CHECK_NEAR(error, 0.0, 1e-9); // measured 2e-11
        } else {
            CHECK_NEAR(error, 0.0, 5e-4); // measured 3.7e-4
            assert_true(ledger_error(method, 5e-4) < 0.6 * error);
        }
    }
}

static void contacts_share_by_their_areas(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_mat3 level = iso_mat3_identity();
    add_ground(ctx, model, 0.0, &level);
    iso_pose pose = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.0499));
    int a = add_cube(ctx, model, "a", 0.0, &pose);
    pose.p = iso_vec3_make(0.05, 0.0, 0.0499 + 0.0998); // half of it lies on the first
    int b = add_cube(ctx, model, "b", 0.0, &pose);
    add_adhesion(ctx, model, "cup", a);
    iso_joint_desc rail = iso_joint_desc_default();
    rail.kind = ISO_JOINT_PRISMATIC;
    rail.x_pf.p = pose.p;
    rail.name = "rail";
    rail.parent = ISO_WORLD_BODY;
    rail.child = b;
    CHECK_OK(ctx, iso_model_add_joint(model, &rail, NULL));
    iso_joint_desc post = rail;
    post.name = "post";
    post.child = a;
    post.x_pf.p = iso_vec3_make(0.0, 0.0, 0.0499);
    CHECK_OK(ctx, iso_model_add_joint(model, &post, NULL));
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    pull(ctx, world, "cup", 60.0);
    for (int i = 0; i < 400; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
    }
    // Areas 1 : 1/2, so 40 N to the ground and 20 N to the cube on top.
    assert_int_equal(iso_world_contact_count(world), 2);
    for (int i = 0; i < 2; ++i) {
        iso_contact contact = iso_world_contact(world, i);
        bool is_ground = contact.body_a == 0 || contact.body_b == 0;
        CHECK_REL(fabs(contact.f_b_w.translational.z), is_ground ? 40.0 : 20.0, 1e-2);
    }
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void wrong_adhesions_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_actuator_desc desc = iso_actuator_desc_default();
    desc.name = "cup";
    desc.joint = desc.fixed_tendon = -1;
    desc.adhesion_body = 7;
    assert_int_equal(iso_model_add_actuator(model, &desc, NULL), ISO_ERR_RANGE);
    CHECK_TEXT(iso_context_error(ctx), "body of adhesion 7, expected in [0, 1)");
    desc.adhesion_body = 0;
    desc.kp = 2.0;
    assert_int_equal(iso_model_add_actuator(model, &desc, NULL), ISO_ERR_RANGE);
    CHECK_TEXT(iso_context_error(ctx), "adhesion with gains kp 2, kd 0, expected 0");
    desc.kp = 0.0;
    desc.effort_lower = -3.0;
    assert_int_equal(iso_model_add_actuator(model, &desc, NULL), ISO_ERR_RANGE);
    CHECK_TEXT(iso_context_error(ctx), "adhesion of -3 to inf N");
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_hangs_by_more_than_its_weight_as_deep_as_hertz_says),
        cmocka_unit_test(a_ball_falls_off_what_pulls_by_less_than_its_weight),
        cmocka_unit_test(preload_counts_for_friction),
        cmocka_unit_test(pulls_are_equal_and_opposite_and_in_the_ledger),
        cmocka_unit_test(contacts_share_by_their_areas),
        cmocka_unit_test(wrong_adhesions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
