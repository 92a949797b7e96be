// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Landings in few steps: friction takes no more of the motion along than Coulomb's law has it, mu
// times what the normal impulses give. Bodies, stiffness, speeds and steps are drawn.

#include "isobar/isobar.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>

enum { DRAWS = 24, STEPS = 60 };

typedef struct landing {
    iso_shape_desc shape;
    double modulus, size, mass, friction, down, along, time_step, gap;
    bool is_ball;
} landing;

// It slides on throughout: its slip is more than friction can take away.
static landing draw(uint64_t seed) {
    test_random r = test_random_make(seed);
    landing l = {.modulus = pow(10.0, test_random_uniform(&r, 5.0, 8.5)),
                 .size = pow(10.0, test_random_uniform(&r, -1.8, -0.7)),
                 .friction = test_random_uniform(&r, 0.1, 0.6),
                 .down = pow(10.0, test_random_uniform(&r, -1.0, 0.5)),
                 .time_step = pow(10.0, test_random_uniform(&r, -4.0, -2.5))};
    l.mass = pow(10.0, test_random_uniform(&r, 3.0, 4.3)) * l.size * l.size * l.size;
    l.along = l.down * l.friction * test_random_uniform(&r, 8.0, 16.0);
    l.gap = l.down * l.time_step * test_random_uniform(&r, 0.0, 1.0);
    int kind = (int)test_random_uniform(&r, 0.0, 3.0);
    l.is_ball = kind == 0;
    l.shape = iso_shape_desc_default(kind == 0   ? ISO_SHAPE_SPHERE
                                     : kind == 1 ? ISO_SHAPE_BOX
                                                 : ISO_SHAPE_CYLINDER);
    l.shape.radius = l.size;
    l.shape.length = 2.0 * l.size;
    l.shape.size = iso_vec3_make(2.0 * l.size, 2.0 * l.size, 2.0 * l.size);
    return l;
}

static iso_world* land(iso_context* ctx, const landing* l, iso_method method,
                       iso_friction_model friction) {
    iso_model* model = NULL;
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    iso_body_desc body = iso_body_desc_default();
    double inertia = 0.5 * l->mass * l->size * l->size;
    body.name = "body";
    body.mass = l->mass;
    body.inertia = iso_mat3_diagonal(inertia, inertia, inertia);
    CHECK_OK(ctx, iso_model_add_body(model, &body, NULL));
    iso_geometry_desc skin = iso_geometry_desc_default();
    skin.name = "skin";
    skin.shape = l->shape;
    skin.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    skin.material.modulus = l->modulus;
    skin.material.friction_static = skin.material.friction_dynamic = l->friction;
    CHECK_OK(ctx, iso_model_add_geometry(model, 1, &skin, NULL));
    skin.name = "ground";
    skin.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    skin.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &skin, NULL));
    iso_pose start = iso_pose_from_position(iso_vec3_make(0.0, 0.0, l->size + l->gap));
    iso_spatial speed = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(l->along, 0.0, -l->down));
    CHECK_OK(ctx, iso_model_set_free_pose(model, 1, &start));
    CHECK_OK(ctx, iso_model_set_free_twist(model, 1, speed));
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.time_step = l->time_step;
    desc.gravity = iso_vec3_zero();
    desc.contact.friction = friction;
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    return world;
}

// Of friction over mu times the normal impulses.
static double share_of_coulomb(const landing* l, iso_method method, iso_friction_model friction) {
    iso_context* ctx = test_context();
    iso_world* world = land(ctx, l, method, friction);
    for (int i = 0; i < STEPS; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
    }
    iso_vec3 v = iso_world_body_twist(world, 1).translational;
    double share = (l->along - v.x) / (l->friction * (v.z + l->down));
    iso_world_destroy(world);
    test_context_destroy(ctx);
    return share;
}

static void friction_takes_what_the_normal_impulses_allow(void** state) {
    (void)state;
    for (int seed = 0; seed < DRAWS; ++seed) {
        landing l = draw((uint64_t)seed);
        double shares[] = {share_of_coulomb(&l, ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_STICK),
                           share_of_coulomb(&l, ISO_METHOD_LAGGED, ISO_FRICTION_MODEL_REGULARIZED),
                           share_of_coulomb(&l, ISO_METHOD_MIDPOINT, ISO_FRICTION_MODEL_STICK)};
        double most = l.is_ball ? 1.15 : 1.3;
        for (int i = 0; i < 3; ++i) {
            CHECK(shares[i] > 0.85 && shares[i] < most,
                  "seed %d, row %d: %.3f of Coulomb's friction (%s, E %.2g Pa, size %.3g m, step "
                  "%.2g s)",
                  seed, i, shares[i], iso_shape_kind_name(l.shape.kind), l.modulus, l.size,
                  l.time_step);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_takes_what_the_normal_impulses_allow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
