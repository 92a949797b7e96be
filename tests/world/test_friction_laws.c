// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Friction laws of the continuous methods in worlds, with every contact model.

#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"

#include <math.h>

static double rational(void* user, const iso_friction_params* pair, double speed) {
    (void)user;
    return pair->friction_dynamic * speed / (speed + 0.5 * pair->velocity);
}

// A ball too heavy to roll, pressed on a floor that leans by `lean`.
static iso_world* make_slider(iso_context* ctx, test_random* random, iso_contact_model_kind kind,
                              const iso_contact_options* options, double lean, iso_method method) {
    iso_model* model = make_model(ctx);
    iso_mat3 flat = iso_mat3_identity();
    double radius = test_random_uniform(random, 0.03, 0.08);
    int ball = add_body(ctx, model, "ball", 0.5, iso_vec3_make(1e9, 1e9, 1e9));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "ball";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    desc.shape.radius = radius;
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = desc.material.young_modulus = 1e6;
    desc.material.model = kind;
    desc.material.dissipation = 50.0;
    desc.material.resolution_hint = 0.4 * radius;
    desc.material.friction_static = 0.7;
    desc.material.friction_dynamic = 0.5;
    iso_pose at = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.99 * radius));
    add_ground(ctx, model, 0.5, &flat);
    CHECK_OK(ctx, iso_model_add_geometry(model, ball, &desc, NULL));
    CHECK_OK(ctx, iso_model_set_free_pose(model, ball, &at));
    iso_world_desc settings = iso_world_desc_default();
    settings.method = method;
    settings.time_step = 5e-3;
    settings.accuracy = 1e-7;
    settings.contact = *options;
    double heading = test_random_uniform(random, 0.0, 6.0);
    settings.gravity = iso_vec3_make(9.81 * sin(lean) * cos(heading),
                                     9.81 * sin(lean) * sin(heading), -9.81 * cos(lean));
    iso_world* world = make_world(ctx, model, &settings);
    iso_model_destroy(model);
    return world;
}

static double speed_of(const iso_world* world) {
    iso_vec3 v = iso_world_body_twist(world, 1).translational;
    return sqrt(v.x * v.x + v.y * v.y);
}

// What slides down steadily has the slip speed at which the law gives tan(lean), whatever the
// contact model. The floor has one coefficient, so the pair's static one is 2 a b / (a + b).
static void sliding_down_is_as_fast_as_the_law_says(void** state) {
    (void)state;
    const iso_contact_model_kind kinds[] = {ISO_CONTACT_MODEL_PRESSURE_FIELD,
                                            ISO_CONTACT_MODEL_HERTZ, ISO_CONTACT_MODEL_VOLUMETRIC};
    const iso_friction_law laws[] = {ISO_FRICTION_VISCOUS, ISO_FRICTION_TANH,
                                     ISO_FRICTION_ATAN,    ISO_FRICTION_STRIBECK,
                                     ISO_FRICTION_OWN,     ISO_FRICTION_THREE_PIECE};
    for (int i = 0; i < 18; ++i) {
        test_random random = test_random_make((uint64_t)i);
        iso_context* ctx = test_context();
        iso_contact_options options = iso_contact_options_default();
        options.friction_law = laws[i % 6];
        options.own_friction.coefficient = rational;
        options.stiction_velocity = 0.02;
        double lean = test_random_uniform(&random, 0.1, 0.3);
        iso_world* world = make_slider(ctx, &random, kinds[i / 6], &options, lean, ISO_METHOD_RK45);
        step_many(ctx, world, 200);
        double mu = iso_friction_coefficient(
            options.friction_law, &options.own_friction,
            &(iso_friction_params){2.0 * 0.7 * 0.5 / 1.2, 0.5, 0.02, 0.0}, speed_of(world));
        CHECK_REL(mu, tan(lean), 1e-8); // measured 1.2e-9
        iso_world_destroy(world);
        test_context_destroy(ctx);
    }
}

static double driving(void* user, const iso_friction_params* pair, double speed) {
    (void)user;
    return speed < 10.0 * pair->velocity ? 0.5 : -0.1;
}

static double broken(void* user, const iso_friction_params* pair, double speed) {
    (void)user;
    return speed > 50.0 * pair->velocity ? NAN : speed;
}

static void laws_of_ones_own_are_tried(void** state) {
    (void)state;
    const struct {
        double (*law)(void*, const iso_friction_params*, double);
        iso_status status;
        const char* text;
    } cases[] = {{NULL, ISO_ERR_ARGUMENT, "expected own_friction with a function"},
                 {driving, ISO_ERR_RANGE, "gives 0.5 at a slip speed of 0 m/s"},
                 {broken, ISO_ERR_RANGE, "gives nan at a slip speed of 0.01 m/s"},
                 {rational, ISO_OK, NULL}};
    iso_context* ctx = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_model* model = make_model(ctx);
        iso_world_desc settings = iso_world_desc_default();
        settings.contact.friction_law = ISO_FRICTION_OWN;
        settings.contact.own_friction.coefficient = cases[i].law;
        iso_world* world = NULL;
        assert_int_equal(iso_world_create(ctx, model, &settings, &world), cases[i].status);
        if (cases[i].text) {
            CHECK_ERROR(ctx, cases[i].text);
        }
        iso_world_destroy(world);
        iso_model_destroy(model);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_down_is_as_fast_as_the_law_says),
        cmocka_unit_test(laws_of_ones_own_are_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
