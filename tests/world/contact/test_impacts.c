// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Restitution at the speed of each impact: touch is located within a step, so that bounces do not
// depend on how long steps are. Models, methods, steps, stiffness and restitution are drawn.

#include "isobar/isobar.h"
#include "stepper/stages/stepper.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#define GRAVITY 9.81
#define RADIUS 0.05

typedef struct drop {
    iso_contact_model_kind model;
    iso_method method;
    double time_step, accuracy;
    double modulus, restitution, height;
    int balls; // of which the later ones are higher
} drop;

static void add_ground(iso_context* ctx, iso_model* model) {
    iso_geometry_desc ground = iso_geometry_desc_default();
    ground.name = "ground";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &ground, NULL));
}

static void add_ball(iso_context* ctx, iso_model* model, const drop* d, int index) {
    static const char* const names[] = {"a", "b", "c"};
    iso_body_desc body = iso_body_desc_default();
    body.name = names[index];
    body.mass = 1.0;
    body.inertia = iso_mat3_diagonal(1e-3, 1e-3, 1e-3);
    CHECK_OK(ctx, iso_model_add_body(model, &body, NULL));
    iso_geometry_desc skin = iso_geometry_desc_default();
    skin.name = "skin";
    skin.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    skin.shape.radius = RADIUS;
    skin.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    skin.material.modulus = d->modulus;
    skin.material.restitution = d->restitution;
    skin.material.restitution_speed = 0.0;
    skin.material.friction_static = skin.material.friction_dynamic = 0.0;
    skin.material.model = d->model;
    CHECK_OK(ctx, iso_model_add_geometry(model, index + 1, &skin, NULL));
    double z = RADIUS + d->height * (1.0 + 0.13 * index);
    iso_pose pose = iso_pose_from_position(iso_vec3_make(0.5 * index, 0.0, z));
    CHECK_OK(ctx, iso_model_set_free_pose(model, index + 1, &pose));
}

// Heights that balls rise to after two impacts each, before the third.
static void bounce(const drop* d, double* out_heights) {
    iso_context* ctx = test_context();
    iso_model* model = NULL;
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    add_ground(ctx, model);
    for (int i = 0; i < d->balls; ++i) {
        add_ball(ctx, model, d, i);
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.method = d->method;
    desc.accuracy = d->accuracy;
    desc.time_step = d->time_step;
    desc.max_substeps = 100000;
    desc.gravity = iso_vec3_make(0.0, 0.0, -GRAVITY);
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    // In the middle of the flight after the second impact.
    double fall = sqrt(2.0 * d->height / GRAVITY), e = d->restitution;
    double end = fall * (1.0 + 2.0 * e + e * e);
    while (iso_world_time(world) < end) {
        CHECK_OK(ctx, iso_world_step(world));
    }
    for (int i = 0; i < d->balls; ++i) {
        double v = iso_world_body_twist(world, i + 1).translational.z;
        out_heights[i] = iso_world_body_pose(world, i + 1).p.z - RADIUS + v * v / (2.0 * GRAVITY);
    }
    iso_world_destroy(world);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

static drop draw(test_random* random, int seed) {
    drop d = {.model = seed % 2 ? ISO_CONTACT_MODEL_HERTZ : ISO_CONTACT_MODEL_VOLUMETRIC,
              .modulus = pow(10.0, test_random_uniform(random, 6.5, 7.5)),
              .restitution = test_random_uniform(random, 0.4, 0.9),
              .height = test_random_uniform(random, 0.08, 0.2),
              .balls = 1};
    return d;
}

static drop with_method(drop d, iso_method method, double time_step, double accuracy) {
    d.method = method;
    d.time_step = time_step;
    d.accuracy = accuracy;
    return d;
}

// Steps of 20 us to 0.5 ms, which find contact anywhere between two of them.
static void bounces_do_not_depend_on_fixed_steps(void** state) {
    (void)state;
    for (int seed = 0; seed < TEST_ROUNDS(16, 4); ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        drop d = draw(&random, seed);
        double fine = 0.0, coarse = 0.0;
        double step = pow(10.0, test_random_uniform(&random, -4.7, -3.3));
        drop exact = with_method(d, ISO_METHOD_RK45, 1e-2, 1e-10);
        drop stepped = with_method(d, ISO_METHOD_RK4, step, 1e-3);
        bounce(&exact, &fine);
        bounce(&stepped, &coarse);
        CHECK(fine > 0.0 && fabs(coarse / fine - 1.0) < 2e-4, // measured 3e-5
              "seed %d: step %g s rises to %.9g of %.9g m", seed, step, coarse, fine);
    }
}

static void bounces_do_not_depend_on_the_accuracy(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_RK23, ISO_METHOD_RK45};
    for (int seed = 0; seed < TEST_ROUNDS(16, 4); ++seed) {
        test_random random = test_random_make((uint64_t)seed + 100);
        drop d = draw(&random, seed);
        double fine = 0.0, coarse = 0.0;
        double accuracy = pow(10.0, test_random_uniform(&random, -7.0, -5.0));
        drop exact = with_method(d, ISO_METHOD_RK45, 1e-2, 1e-10);
        drop rough = with_method(d, methods[seed / 2 % 2], 1e-2, accuracy);
        bounce(&exact, &fine);
        bounce(&rough, &coarse);
        CHECK(fine > 0.0 && fabs(coarse / fine - 1.0) < 1e-3, // measured 2e-4
              "seed %d: accuracy %g rises to %.9g of %.9g m", seed, accuracy, coarse, fine);
    }
}

// Touch is found on the way between two states, as explicit methods find it.
static void implicit_methods_bounce_as_explicit_ones(void** state) {
    (void)state;
    bool has_cvode = iso_stepper_has_method(ISO_METHOD_CVODE);
    for (int seed = 0; seed < 8; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 300);
        drop d = draw(&random, seed);
        double fine = 0.0, found = 0.0, step = pow(10.0, test_random_uniform(&random, -3.0, -2.0));
        iso_method method = has_cvode && seed / 2 % 2 ? ISO_METHOD_CVODE : ISO_METHOD_RADAU;
        drop exact = with_method(d, ISO_METHOD_RK45, 1e-2, 1e-11);
        drop other = with_method(d, method, step, 1e-10);
        bounce(&exact, &fine);
        bounce(&other, &found);
        CHECK(fine > 0.0 && fabs(found / fine - 1.0) < 5e-6, // measured 1e-6, half of it in speed
              "seed %d: step %g s rises to %.9g of %.9g m", seed, step, found, fine);
    }
}

// Three balls touch within one step, one after the other: each bounces as it does alone.
static void balls_that_touch_in_one_step_are_told_apart(void** state) {
    (void)state;
    for (int seed = 0; seed < 4; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 200);
        drop d = draw(&random, seed);
        double together[3], alone = 0.0;
        drop three = with_method(d, ISO_METHOD_RK4, 4e-4, 1e-3);
        three.balls = 3;
        bounce(&three, together);
        drop one = with_method(d, ISO_METHOD_RK4, 4e-4, 1e-3);
        bounce(&one, &alone);
        CHECK(fabs(together[0] / alone - 1.0) < 1e-4, "seed %d: %.9g and %.9g m", seed, together[0],
              alone);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces_do_not_depend_on_fixed_steps),
        cmocka_unit_test(bounces_do_not_depend_on_the_accuracy),
        cmocka_unit_test(implicit_methods_bounce_as_explicit_ones),
        cmocka_unit_test(balls_that_touch_in_one_step_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
