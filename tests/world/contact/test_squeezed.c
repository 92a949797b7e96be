// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What is squeezed far harder than it weighs: two forces cancel, and what rounding leaves of them
// is no force to balance; friction holds the load, not the weight.

#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"

/// A stiff cylinder of 1 g that rests, without gravity, 1 mm deep in one plate and 1.1 mm in
/// another one: 4e5 N on each side.
static iso_world* squeeze(iso_context* ctx, iso_method method) {
    static const double k_heights[2] = {-0.549, 0.5489};
    iso_model* model = make_model(ctx);
    iso_geometry_desc geometry = iso_geometry_desc_default();
    geometry.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    geometry.material.compliance = ISO_COMPLIANCE_RIGID;
    for (int i = 0; i < 2; ++i) {
        geometry.name = i == 0 ? "below" : "above";
        geometry.x_bg.p = iso_vec3_make(0.0, 0.0, k_heights[i]);
        CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &geometry, NULL));
    }
    int body = add_body(ctx, model, "cylinder", 1e-3, iso_vec3_make(1.06e-6, 1.06e-6, 4.5e-7));
    iso_geometry_desc skin = iso_geometry_desc_default();
    skin.name = "skin";
    skin.shape = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    skin.shape.radius = 0.03;
    skin.shape.length = 0.1;
    skin.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    skin.material.modulus = 1e8;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &skin, NULL));
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = iso_vec3_zero();
    desc.method = method;
    iso_world* world;
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    return world;
}

static void a_squeezed_body_takes_few_iterations(void** state) {
    (void)state;
    static const iso_method k_methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_TAMSI,
                                           ISO_METHOD_SIMILAR};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof k_methods / sizeof *k_methods; ++i) {
        iso_world* world = squeeze(ctx, k_methods[i]);
        int iterations = 0;
        for (int step = 0; step < 500; ++step) {
            CHECK_OK(ctx, iso_world_step(world));
            iterations += iso_world_step_report(world).iterations;
        }
        CHECK_AT_MOST(iterations, 1000); // 500 to 694 measured; lagged and similar did not converge
        CHECK_NEAR(iso_world_body_pose(world, 1).p.z, -5e-5, 1e-5); // in the middle: 4.6e-6
        iso_world_destroy(world);
    }
    test_context_destroy(ctx);
}

/// How far the foot of a cube of 1 kg is shifted by a pull, a share of what friction holds of a
/// load upon it.
static double shift_of_foot(iso_context* ctx, iso_method method, double load, double share) {
    double modulus = load / 0.01 / 0.003, depth = 0.003 * 0.05, moment = 0.1 * 0.1 / 6.0;
    iso_mat3 level = iso_mat3_identity();
    iso_model* model = make_model(ctx);
    add_ground(ctx, model, 0.5, &level);
    int body = add_body(ctx, model, "cube", 1.0, iso_vec3_make(moment, moment, moment));
    iso_geometry_desc skin = iso_geometry_desc_default();
    skin.name = "skin";
    skin.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    skin.shape.size = iso_vec3_make(0.1, 0.1, 0.1);
    skin.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    skin.material.modulus = modulus;
    skin.material.dissipation = 10.0;
    skin.material.friction_static = skin.material.friction_dynamic = 0.5;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &skin, NULL));
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.05 - depth));
    CHECK_OK(ctx, iso_model_set_free_pose(model, body, &x_wb));
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    iso_vec3 force = iso_vec3_make(0.5 * share * load, 0.0, -load);
    for (int step = 0; step < 200; ++step) {
        iso_spatial push = iso_spatial_make(iso_vec3_zero(), force);
        CHECK_OK(ctx, iso_world_apply_wrench(world, body, push));
        CHECK_OK(ctx, iso_world_step(world));
    }
    iso_pose x = iso_world_body_pose(world, body);
    double foot = iso_pose_point(&x, iso_vec3_make(0.0, 0.0, -0.05)).x;
    iso_world_destroy(world);
    return foot;
}

// A stretch as stiff as the cube's own mass allows is mu load / (100 m / dt^2) long: up to 5 mm.
static void a_loaded_body_hangs_on_a_short_stretch(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(5);
    for (int i = 0; i < 12; ++i) {
        double load = 9.81 * pow(10.0, test_random_uniform(&random, 1.0, 5.0));
        double share = test_random_uniform(&random, 0.1, 0.6);
        iso_method method = i % 2 == 0 ? ISO_METHOD_LAGGED : ISO_METHOD_MIDPOINT;
        double shift = shift_of_foot(ctx, method, load, share);
        CHECK(shift > 0.0, "%g m", shift);
        // Twenty times 3e-5 of the edge, and smoothing: 6.3e-5 measured.
        CHECK_AT_MOST(shift / share, 7e-5);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_squeezed_body_takes_few_iterations),
        cmocka_unit_test(a_loaded_body_hangs_on_a_short_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
