// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A world turned and moved as a whole does what it did, turned and moved: contact models without
// faces, at the velocity level; bodies, speeds and turns are drawn. Contacts of round bodies say
// little of directions along the surface, so that rounding must not choose them.

#include "support/failing_context.h"
#include "support/random.h"
#include "world/scenes.h"

enum { k_bodies = 3, k_steps = 40 };

static iso_shape_desc draw_shape(test_random* random, iso_contact_model_kind kind) {
    static const iso_shape_kind kinds[] = {ISO_SHAPE_SPHERE, ISO_SHAPE_CAPSULE, ISO_SHAPE_CYLINDER,
                                           ISO_SHAPE_BOX, ISO_SHAPE_ELLIPSOID};
    int last = kind == ISO_CONTACT_MODEL_HERTZ ? 1 : 4;
    iso_shape_desc shape = iso_shape_desc_default(kinds[test_random_int(random, 0, last)]);
    shape.radius = test_random_uniform(random, 0.02, 0.04);
    shape.length = test_random_uniform(random, 0.02, 0.08);
    bool is_box = shape.kind == ISO_SHAPE_BOX;
    shape.size = test_random_vec3(random, is_box ? 0.04 : 0.02, is_box ? 0.08 : 0.04);
    return shape;
}

// The world of a seed at x; its numbers do not depend on x.
static iso_world* make_turned(iso_context* ctx, int seed, const iso_pose* x) {
    static const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_MIDPOINT, ISO_METHOD_SIMILAR,
                                         ISO_METHOD_SAP, ISO_METHOD_TAMSI};
    test_random random = test_random_make((uint64_t)seed);
    iso_contact_model_kind kind = seed % 2 ? ISO_CONTACT_MODEL_HERTZ : ISO_CONTACT_MODEL_VOLUMETRIC;
    iso_model* model = make_model(ctx);
    iso_geometry_desc g = iso_geometry_desc_default();
    g.name = "skin";
    g.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    g.material.compliance = ISO_COMPLIANCE_RIGID;
    g.x_bg = *x;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &g, NULL));
    g.x_bg = iso_pose_identity();
    g.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    g.material.modulus = g.material.young_modulus = pow(10, test_random_uniform(&random, 4.5, 6.5));
    g.material.dissipation = test_random_uniform(&random, 0.0, 5.0);
    static const char* const names[k_bodies] = {"a", "b", "c"};
    for (int i = 0; i < k_bodies; ++i) {
        double mass = test_random_uniform(&random, 0.05, 0.5), moment = 4e-4 * mass;
        int body = add_body(ctx, model, names[i], mass, iso_vec3_make(moment, moment, moment));
        g.shape = draw_shape(&random, kind);
        CHECK_OK(ctx, iso_model_add_geometry(model, body, &g, NULL));
        iso_pose pose = test_random_pose(&random, 0.01);
        pose.p.z += 0.07 + 0.09 * i;
        iso_vec3 w = test_random_vec3(&random, -6.0, 6.0), v = test_random_vec3(&random, -0.5, 0.5);
        v.z -= 0.8;
        pose = iso_pose_mul(x, &pose);
        CHECK_OK(ctx, iso_model_set_free_pose(model, body, &pose));
        iso_spatial twist =
            iso_spatial_make(iso_mat3_mul_vec3(&x->r, w), iso_mat3_mul_vec3(&x->r, v));
        CHECK_OK(ctx, iso_model_set_free_twist(model, body, twist));
    }
    iso_world_desc desc = iso_world_desc_default();
    desc.method = methods[seed / 2 % 5];
    desc.contact.model = kind;
    desc.time_step = 2e-3;
    desc.gravity = iso_mat3_mul_vec3(&x->r, iso_vec3_make(0.0, 0.0, -9.81));
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    return world;
}

static void turned_worlds_move_alike(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    int touching = 0;
    for (int seed = 0; seed < TEST_ROUNDS(60, 20); ++seed) {
        test_random random = test_random_make((uint64_t)seed + 1000);
        iso_pose straight = iso_pose_identity(), x = test_random_pose(&random, 0.3);
        iso_world *one = make_turned(ctx, seed, &straight), *other = make_turned(ctx, seed, &x);
        for (int i = 0; i < k_steps; ++i) {
            CHECK_OK(ctx, iso_world_step(one));
            CHECK_OK(ctx, iso_world_step(other));
            touching += iso_world_contact_count(one);
        }
        for (int i = 1; i <= k_bodies; ++i) {
            iso_vec3 p = iso_pose_point(&x, iso_world_body_pose(one, i).p);
            iso_vec3 off = iso_vec3_sub(iso_world_body_pose(other, i).p, p);
            // Measured 6e-10; where rounding chose 1e-4 and more. Of lagged and midpoint 5.9e-6:
            // rounding decides there how often friction follows.
            bool is_lagged = seed / 2 % 5 <= 1;
            CHECK(iso_vec3_norm(off) < (is_lagged ? 2e-5 : 1e-8), "seed %d, body %d: %g m", seed, i,
                  iso_vec3_norm(off));
        }
        iso_world_destroy(one);
        iso_world_destroy(other);
    }
    CHECK(touching > TEST_ROUNDS(20, 5) * k_steps, "%d", touching);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turned_worlds_move_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
