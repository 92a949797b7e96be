// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Worlds of Hertz contact against closed forms, sizes, moduli and methods drawn from seeds.

#include "isobar/isobar.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <string.h>

// A world with one ball over a half space.
typedef struct ball {
    iso_context* ctx;
    iso_world* world;
    double mass, stiffness;
} ball;

static ball make_ball(test_random* random, iso_method method, double height, double speed,
                      double dissipation) {
    ball made = {.ctx = test_context()};
    iso_model* model = NULL;
    CHECK_OK(made.ctx, iso_model_create(made.ctx, &model));
    double radius = pow(10.0, test_random_uniform(random, -2.0, -0.5));
    double modulus = pow(10.0, test_random_uniform(random, 6.0, 8.0));
    double nu = test_random_uniform(random, 0.0, 0.5);
    made.mass = 1000.0 * 4.0 / 3.0 * ISO_PI * radius * radius * radius;
    made.stiffness = 4.0 / 3.0 * modulus / (1.0 - nu * nu) * sqrt(radius);
    iso_geometry_desc ground = iso_geometry_desc_default();
    ground.name = "ground";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.material.compliance = ISO_COMPLIANCE_RIGID;
    ground.material.model = ISO_CONTACT_MODEL_HERTZ;
    CHECK_OK(made.ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &ground, NULL));
    iso_body_desc body = iso_body_desc_default();
    body.name = "ball";
    body.mass = made.mass;
    double moment = 0.4 * made.mass * radius * radius;
    body.inertia = iso_mat3_diagonal(moment, moment, moment);
    int index = -1;
    CHECK_OK(made.ctx, iso_model_add_body(model, &body, &index));
    iso_geometry_desc skin = iso_geometry_desc_default();
    skin.name = "skin";
    skin.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    skin.shape.radius = radius;
    skin.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    skin.material.dissipation = dissipation;
    skin.material.young_modulus = modulus;
    skin.material.poisson_ratio = nu;
    CHECK_OK(made.ctx, iso_model_add_geometry(model, index, &skin, NULL));
    double weight_depth = pow(made.mass * 9.81 / made.stiffness, 2.0 / 3.0);
    iso_pose pose = iso_pose_from_position(
        iso_vec3_make(0.0, 0.0, radius + (speed > 0.0 ? height : -weight_depth)));
    CHECK_OK(made.ctx, iso_model_set_free_pose(model, index, &pose));
    iso_spatial v = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, -speed));
    CHECK_OK(made.ctx, iso_model_set_free_twist(model, index, v));
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.accuracy = 1e-8;
    desc.time_step = speed > 0.0 ? 1e-5 : 1e-3;
    desc.gravity = iso_vec3_make(0.0, 0.0, speed > 0.0 ? 0.0 : -9.81);
    CHECK_OK(made.ctx, iso_world_create(made.ctx, model, &desc, &made.world));
    iso_model_destroy(model);
    return made;
}

static void free_ball(ball* made) {
    iso_world_destroy(made->world);
    test_context_destroy(made->ctx);
}

static void balls_rest_where_hertz_says(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_LAGGED,   ISO_METHOD_SAP,   ISO_METHOD_SIMILAR,
                                  ISO_METHOD_MIDPOINT, ISO_METHOD_TAMSI, ISO_METHOD_RK45};
    for (int seed = 0; seed < 24; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        ball b = make_ball(&random, methods[seed % 6], 0.0, 0.0, 10.0);
        double start = iso_world_body_pose(b.world, 1).p.z;
        for (int i = 0; i < 100; ++i) {
            CHECK_OK(b.ctx, iso_world_step(b.world));
        }
        double depth = pow(b.mass * 9.81 / b.stiffness, 2.0 / 3.0);
        double way = iso_world_body_pose(b.world, 1).p.z - start;
        CHECK(fabs(way) <= 1e-9 * depth, "seed %d: moved %g of its depth", seed, way / depth);
        iso_contact c = iso_world_contact(b.world, 0);
        CHECK_REL(fabs(c.f_b_w.translational.z), b.mass * 9.81, 1e-9);
        CHECK_REL(c.elastic_energy, 0.4 * b.mass * 9.81 * depth, 1e-9);
        free_ball(&b);
    }
}

// [Johnson1985] 11.1: an impact takes 2.9432 times the largest depth over the speed.
static void impacts_last_as_long_as_hertz_says(void** state) {
    (void)state;
    for (int seed = 0; seed < 6; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 50);
        double speed = test_random_uniform(&random, 0.1, 2.0);
        ball b = make_ball(&random, ISO_METHOD_RK45, 1e-9, speed, 0.0);
        int steps = 0;
        double v = -speed;
        do {
            CHECK_OK(b.ctx, iso_world_step(b.world));
            CHECK_OK(b.ctx, iso_world_update_contacts(b.world));
            v = iso_world_body_twist(b.world, 1).translational.z;
            ++steps;
        } while (iso_world_contact_count(b.world) > 0 && steps < 100000);
        double depth = pow(1.25 * b.mass * speed * speed / b.stiffness, 0.4);
        double time = 2.943194 * depth / speed;
        CHECK(fabs(steps * 1e-5 - time) < 2.1e-5, "seed %d: %g s for %g", seed, steps * 1e-5, time);
        CHECK_REL(v, speed, 1e-6);
        free_ball(&b);
    }
}

static void pairs_without_a_point_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = NULL;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "floor";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    desc.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &desc, NULL));
    iso_body_desc body = iso_body_desc_default();
    body.name = "crate";
    body.mass = 1.0;
    body.inertia = iso_mat3_diagonal(0.1, 0.1, 0.1);
    int index = -1;
    CHECK_OK(ctx, iso_model_add_body(model, &body, &index));
    desc.name = "box";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.material.model = ISO_CONTACT_MODEL_HERTZ;
    CHECK_OK(ctx, iso_model_add_geometry(model, index, &desc, NULL));
    iso_world_desc world_desc = iso_world_desc_default();
    iso_world* world = NULL;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, &world_desc, &world), ISO_ERR_GEOMETRY);
    const char* message = iso_context_error(ctx);
    CHECK(strstr(message, "'box' of 'crate'") && strstr(message, "expected a sphere"), "%s",
          message);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_rest_where_hertz_says),
        cmocka_unit_test(impacts_last_as_long_as_hertz_says),
        cmocka_unit_test(pairs_without_a_point_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
