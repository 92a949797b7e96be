// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Two free bodies of drawn shapes, models, methods and speeds: nothing pulls, momentum stays, and
// what lies wholly inside another is not touched by a volume.

#include "isobar/isobar.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#define MASS 1.0

typedef struct draw_pair {
    iso_context* ctx;
    iso_world* world;
    iso_contact_model_kind model;
    iso_method method;
} draw_pair;

static int add_body(iso_context* ctx, iso_model* model, const char* name,
                    const iso_geometry_desc* skin, iso_pose pose, iso_spatial twist) {
    iso_body_desc body = iso_body_desc_default();
    int index = -1;
    body.name = name;
    body.mass = MASS;
    body.inertia = iso_mat3_diagonal(2e-3, 3e-3, 4e-3);
    CHECK_OK(ctx, iso_model_add_body(model, &body, &index));
    CHECK_OK(ctx, iso_model_add_geometry(model, index, skin, NULL));
    CHECK_OK(ctx, iso_model_set_free_pose(model, index, &pose));
    CHECK_OK(ctx, iso_model_set_free_twist(model, index, twist));
    return index;
}

static iso_geometry_desc draw_skin(test_random* random, iso_contact_model_kind model,
                                   iso_shape_kind kind, double scale) {
    iso_geometry_desc skin = iso_geometry_desc_default();
    skin.name = "skin";
    skin.shape = iso_shape_desc_default(kind);
    skin.shape.radius = scale * test_random_uniform(random, 0.05, 0.1);
    skin.shape.length = scale * test_random_uniform(random, 0.05, 0.2);
    skin.shape.size = iso_vec3_scale(test_random_vec3(random, 0.1, 0.2), scale);
    skin.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    skin.material.modulus = pow(10.0, test_random_uniform(random, 4.5, 6.5));
    skin.material.dissipation = test_random_uniform(random, 0.0, 10.0);
    double mu = test_random_uniform(random, 0.0, 1.0);
    skin.material.friction_static = skin.material.friction_dynamic = mu;
    skin.material.model = model;
    return skin;
}

static draw_pair draw(test_random* random, int seed) {
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SIMILAR, ISO_METHOD_MIDPOINT,
                                         ISO_METHOD_RK4};
    static const iso_contact_model_kind models[] = {
        ISO_CONTACT_MODEL_HERTZ, ISO_CONTACT_MODEL_VOLUMETRIC, ISO_CONTACT_MODEL_PRESSURE_FIELD};
    static const iso_shape_kind kinds[] = {ISO_SHAPE_CAPSULE, ISO_SHAPE_BOX, ISO_SHAPE_SPHERE};
    draw_pair p = {test_context(), NULL, models[seed % 3], methods[seed / 3 % 4]};
    iso_model* model = NULL;
    CHECK_OK(p.ctx, iso_model_create(p.ctx, &model));
    iso_geometry_desc a = draw_skin(random, p.model, kinds[seed / 12 % 3], 1.0);
    iso_geometry_desc b = draw_skin(random, p.model, ISO_SHAPE_SPHERE, 1.0);
    iso_pose x_a = test_random_pose(random, 0.0), x_b = test_random_pose(random, 0.0);
    iso_vec3 n = test_random_unit_vec3(random);
    x_b.p = iso_vec3_scale(n, test_random_uniform(random, 0.08, 0.2));
    // Towards and away from each other.
    iso_vec3 v = iso_vec3_scale(n, test_random_uniform(random, -1.0, 1.0));
    iso_vec3 w = test_random_vec3(random, -3.0, 3.0);
    add_body(p.ctx, model, "a", &a, x_a, iso_spatial_zero());
    add_body(p.ctx, model, "b", &b, x_b, iso_spatial_make(w, v));
    iso_world_desc desc = iso_world_desc_default();
    desc.method = p.method;
    desc.gravity = iso_vec3_zero();
    desc.time_step = 5e-4;
    CHECK_OK(p.ctx, iso_world_create(p.ctx, model, &desc, &p.world));
    iso_model_destroy(model);
    return p;
}

static iso_vec3 momentum(const draw_pair* p) {
    iso_vec3 a = iso_world_body_twist(p->world, 1).translational;
    iso_vec3 b = iso_world_body_twist(p->world, 2).translational;
    return iso_vec3_scale(iso_vec3_add(a, b), MASS);
}

static void nothing_pulls_and_momentum_stays(void** state) {
    (void)state;
    int count = 0;
    for (int seed = 0; seed < 72; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        draw_pair p = draw(&random, seed);
        iso_vec3 before = momentum(&p);
        for (int i = 0; i < 40; ++i) {
            CHECK_OK(p.ctx, iso_world_step(p.world));
            for (int k = 0; k < iso_world_contact_count(p.world); ++k) {
                iso_contact c = iso_world_contact(p.world, k);
                double force = iso_vec3_norm(c.f_b_w.translational);
                double pressed = iso_vec3_dot(c.f_b_w.translational, c.normal);
                CHECK(pressed >= -1e-9 * force, "seed %d: %g N of %g N", seed, pressed, force);
                count += force > 0.0;
            }
        }
        iso_vec3 change = iso_vec3_sub(momentum(&p), before);
        CHECK(iso_vec3_norm(change) < 1e-12, "seed %d: %g N s", seed, iso_vec3_norm(change));
        iso_world_destroy(p.world);
        test_context_destroy(p.ctx);
    }
    CHECK(count > 300, "%d contacts", count);
}

static void a_volume_does_not_touch_what_is_inside(void** state) {
    (void)state;
    static const iso_shape_kind kinds[] = {ISO_SHAPE_CAPSULE, ISO_SHAPE_BOX, ISO_SHAPE_SPHERE};
    for (int seed = 0; seed < 36; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 500);
        iso_context* ctx = test_context();
        iso_model* model = NULL;
        iso_world* world = NULL;
        CHECK_OK(ctx, iso_model_create(ctx, &model));
        iso_geometry_desc a =
            draw_skin(&random, ISO_CONTACT_MODEL_VOLUMETRIC, kinds[seed % 3], 10.0);
        iso_geometry_desc b =
            draw_skin(&random, ISO_CONTACT_MODEL_VOLUMETRIC, kinds[seed / 3 % 3], 1.0);
        iso_pose x_a = test_random_pose(&random, 0.0), x_b = test_random_pose(&random, 0.0);
        x_b.p = iso_vec3_scale(test_random_unit_vec3(&random), 0.1);
        add_body(ctx, model, "a", &a, x_a, iso_spatial_zero());
        add_body(ctx, model, "b", &b, x_b, iso_spatial_zero());
        iso_world_desc desc = iso_world_desc_default();
        desc.gravity = iso_vec3_zero();
        CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
        CHECK_OK(ctx, iso_world_step(world));
        assert_int_equal(iso_world_contact_count(world), 0);
        CHECK_VEC3_NEAR(iso_world_body_twist(world, 2).translational, iso_vec3_zero(), 0.0);
        iso_world_destroy(world);
        iso_model_destroy(model);
        test_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_pulls_and_momentum_stays),
        cmocka_unit_test(a_volume_does_not_touch_what_is_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
