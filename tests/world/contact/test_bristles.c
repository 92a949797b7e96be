// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Bristle friction in worlds: stretch at rest, slides and stick-slip against closed forms and the
// thesis; methods, saved states and clones; numbers drawn from seeds.

#include "isobar/isobar.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81

typedef struct sled_numbers {
    double slope; // tan of it
    double stiffness, viscous, stribeck_speed, dwell_time, mu_s, mu_c;
    iso_method method;
} sled_numbers;

typedef struct sled {
    iso_context* ctx;
    iso_world* world;
} sled;

static iso_world_desc settings_of(iso_method method, double time_step) {
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.accuracy = 1e-6;
    desc.time_step = time_step;
    desc.max_substeps = 100000;
    return desc;
}

// A box of 1 kg whose centre of mass lies in its lower face, so that friction does not tilt it.
static sled make_sled(const sled_numbers* n) {
    sled s = {.ctx = test_context()};
    iso_model* model = NULL;
    CHECK_OK(s.ctx, iso_model_create(s.ctx, &model));
    iso_geometry_desc ground = iso_geometry_desc_default();
    ground.name = "ground";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.material.compliance = ISO_COMPLIANCE_RIGID;
    ground.material.friction_static = n->mu_s;
    ground.material.friction_dynamic = n->mu_c;
    CHECK_OK(s.ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &ground, NULL));
    iso_body_desc body = iso_body_desc_default();
    body.name = "sled";
    body.mass = 1.0;
    body.inertia = iso_mat3_diagonal(0.01, 0.01, 0.01);
    int index = -1;
    CHECK_OK(s.ctx, iso_model_add_body(model, &body, &index));
    iso_geometry_desc box = iso_geometry_desc_default();
    box.name = "box";
    box.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    box.shape.size = iso_vec3_make(0.2, 0.2, 0.2);
    box.x_bg = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.1));
    box.material = ground.material;
    box.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    box.material.modulus = 1e6;
    box.material.model = ISO_CONTACT_MODEL_VOLUMETRIC;
    box.material.bristle_stiffness = n->stiffness;
    box.material.bristle_viscous = n->viscous;
    box.material.stribeck_speed = n->stribeck_speed;
    box.material.dwell_time = n->dwell_time;
    CHECK_OK(s.ctx, iso_model_add_geometry(model, index, &box, NULL));
    double cosine = 1.0 / sqrt(1.0 + n->slope * n->slope);
    iso_world_desc desc = settings_of(n->method, 2e-3);
    desc.gravity = iso_vec3_make(GRAVITY * n->slope * cosine, 0.0, -GRAVITY * cosine);
    iso_pose pose =
        iso_pose_from_position(iso_vec3_make(0.0, 0.0, -GRAVITY * cosine / (1e7 * 0.04)));
    CHECK_OK(s.ctx, iso_model_set_free_pose(model, index, &pose));
    CHECK_OK(s.ctx, iso_world_create(s.ctx, model, &desc, &s.world));
    iso_model_destroy(model);
    return s;
}

static void free_sled(sled* s) {
    iso_world_destroy(s->world);
    test_context_destroy(s->ctx);
}

static void run(iso_context* ctx, iso_world* world, double seconds) {
    double end = iso_world_time(world) + seconds - 1e-9;
    while (iso_world_time(world) < end) {
        CHECK_OK(ctx, iso_world_step(world));
    }
}

static sled_numbers draw(test_random* random, double least_share, double most_share) {
    sled_numbers n = {.mu_s = test_random_uniform(random, 0.2, 0.8), .method = ISO_METHOD_RK45};
    n.mu_c = n.mu_s * test_random_uniform(random, 0.5, 1.0);
    n.slope = n.mu_s * test_random_uniform(random, least_share, most_share);
    n.stiffness = pow(10.0, test_random_uniform(random, 2.0, 5.0));
    n.stribeck_speed = pow(10.0, test_random_uniform(random, -3.0, -2.0));
    return n;
}

// sigma_0 z carries the pull along the slope.
static void what_rests_has_bent_its_bristles(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_RK23, ISO_METHOD_RADAU,
                                  ISO_METHOD_RK4, ISO_METHOD_LAGGED};
    for (int seed = 0; seed < 10; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        sled_numbers n = draw(&random, 0.05, 0.45);
        n.stribeck_speed = 1.0; // creeps to its place without leaving stick
        n.method = methods[seed % 5];
        sled s = make_sled(&n);
        run(s.ctx, s.world, 3.0);
        double bent = n.slope / n.stiffness, x = iso_world_body_pose(s.world, 1).p.x;
        double allowed = n.method == ISO_METHOD_LAGGED ? 4e-2 : 2e-3; // it is smoothed
        CHECK(fabs(x - bent) <= allowed * bent, "seed %d: %g m, expected %g", seed, x, bent);
        free_sled(&s);
    }
}

static void what_slides_has_coulomb_and_viscous_friction(void** state) {
    (void)state;
    for (int seed = 0; seed < 8; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 100);
        sled_numbers n = draw(&random, 1.2, 2.0);
        n.viscous = seed % 2 ? test_random_uniform(&random, 0.5, 2.0) : 0.0;
        sled s = make_sled(&n);
        run(s.ctx, s.world, 1.0);
        double before = iso_world_body_twist(s.world, 1).translational.x;
        run(s.ctx, s.world, 1.0);
        double after = iso_world_body_twist(s.world, 1).translational.x;
        double g_n = GRAVITY / sqrt(1.0 + n.slope * n.slope), drive = (n.slope - n.mu_c) * g_n;
        double decay = exp(-n.viscous * g_n), end = n.viscous > 0.0 ? drive / (n.viscous * g_n) : 0;
        double expected = n.viscous > 0.0 ? end + (before - end) * decay : before + drive;
        CHECK(fabs(after - expected) <= 1e-5 * expected, "seed %d: %g m/s, expected %g", seed,
              after, expected);
        free_sled(&s);
    }
}

// Between both coefficients: without dwell breakaway is mu_S at once, with a long one mu_C.
static void breakaway_needs_time_where_it_has_a_dwell(void** state) {
    (void)state;
    for (int seed = 0; seed < 6; ++seed) {
        test_random random = test_random_make((uint64_t)seed + 200);
        sled_numbers n = draw(&random, 0.8, 0.9);
        n.mu_c = 0.6 * n.mu_s;
        n.stiffness = 1e4;
        n.stribeck_speed = 0.05;
        n.dwell_time = seed % 2 ? 50.0 : 0.0;
        sled s = make_sled(&n);
        run(s.ctx, s.world, 1.0);
        double way = iso_world_body_pose(s.world, 1).p.x;
        CHECK(seed % 2 ? way > 0.05 : way < 1e-3, "seed %d: %g m", seed, way);
        free_sled(&s);
    }
}

static int add_joint(iso_context* ctx, iso_model* model, int parent, int child, const char* name,
                     iso_vec3 axis, double stiffness) {
    iso_joint_desc joint = iso_joint_desc_default();
    joint.name = name;
    joint.kind = ISO_JOINT_PRISMATIC;
    joint.parent = parent;
    joint.child = child;
    joint.axis = axis;
    joint.stiffness = stiffness;
    int index = -1;
    CHECK_OK(ctx, iso_model_add_joint(model, &joint, &index));
    return index;
}

// The block of [Gonthier2007] 5.1.2: on a belt, held by a spring.
static iso_world* make_block(iso_context* ctx, double belt_speed) {
    iso_model* model = NULL;
    CHECK_OK(ctx, iso_model_create(ctx, &model));
    iso_geometry_desc ground = iso_geometry_desc_default();
    ground.name = "belt";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.surface_velocity = iso_vec3_make(belt_speed, 0.0, 0.0);
    ground.material.compliance = ISO_COMPLIANCE_RIGID;
    ground.material.friction_static = 0.15;
    ground.material.friction_dynamic = 0.1;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &ground, NULL));
    iso_body_desc body = iso_body_desc_default();
    int slider = -1, block = -1;
    body.name = "slider";
    body.mass = 1e-3;
    body.inertia = iso_mat3_diagonal(1e-6, 1e-6, 1e-6);
    CHECK_OK(ctx, iso_model_add_body(model, &body, &slider));
    body.name = "block";
    body.mass = 1.0 - 1e-3;
    body.inertia = iso_mat3_diagonal(0.01, 0.01, 0.01);
    CHECK_OK(ctx, iso_model_add_body(model, &body, &block));
    add_joint(ctx, model, ISO_WORLD_BODY, slider, "lift", iso_vec3_make(0.0, 0.0, 1.0), 0.0);
    add_joint(ctx, model, slider, block, "spring", iso_vec3_make(1.0, 0.0, 0.0), 2.0);
    iso_geometry_desc skin = iso_geometry_desc_default();
    skin.name = "skin";
    skin.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    skin.shape.radius = 0.1;
    skin.x_bg = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.1));
    skin.material = ground.material;
    skin.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    skin.material.model = ISO_CONTACT_MODEL_HERTZ;
    skin.material.modulus = 1e6;
    skin.material.bristle_stiffness = 1e4;
    skin.material.bristle_damping = sqrt(1e5) / 10.0;
    skin.material.bristle_viscous = 0.01;
    skin.material.stribeck_speed = 1e-3;
    skin.material.dwell_time = 2.0;
    CHECK_OK(ctx, iso_model_add_geometry(model, block, &skin, NULL));
    iso_world_desc desc = settings_of(ISO_METHOD_RK45, 1e-2);
    desc.gravity = iso_vec3_make(0.0, 0.0, -10.0);
    iso_world* world = NULL;
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    return world;
}

// Peaks of friction in the limit cycle: faster belts leave less time to rest.
static void stick_slip_has_the_peaks_of_the_thesis(void** state) {
    (void)state;
    const double rows[][2] = {{0.1, 1.4362}, {0.15, 1.3000}};
    for (int r = 0; r < 2; ++r) {
        iso_context* ctx = test_context();
        iso_world* world = make_block(ctx, rows[r][0]);
        run(ctx, world, 40.0);
        double most = 0.0;
        for (int i = 0; i < 800; ++i) {
            CHECK_OK(ctx, iso_world_step(world));
            CHECK(iso_world_contact_count(world) == 1, "lost contact");
            most = fmax(most, fabs(iso_world_contact(world, 0).f_b_w.translational.x));
        }
        CHECK(fabs(most - rows[r][1]) < 4e-3, "belt of %g m/s: %g N, expected %g", rows[r][0], most,
              rows[r][1]);
        iso_world_destroy(world);
        test_context_destroy(ctx);
    }
}

static void saved_states_and_clones_go_on_in_the_same_bits(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_block(ctx, 0.15);
    run(ctx, world, 3.0);
    size_t size = iso_world_state_size(world), written = 0;
    void* bytes = malloc(size);
    CHECK(bytes != NULL, "memory");
    CHECK_OK(ctx, iso_world_save(world, bytes, size, &written));
    iso_world* clone = NULL;
    CHECK_OK(ctx, iso_world_clone(world, &clone));
    run(ctx, world, 1.0);
    run(ctx, clone, 1.0);
    iso_pose first = iso_world_body_pose(world, 2), second = iso_world_body_pose(clone, 2);
    CHECK(memcmp(&first, &second, sizeof first) == 0, "the clone moved otherwise");
    CHECK_OK(ctx, iso_world_restore(world, bytes, written));
    run(ctx, world, 1.0);
    second = iso_world_body_pose(world, 2);
    CHECK(memcmp(&first, &second, sizeof first) == 0, "the restored world moved otherwise");
    free(bytes);
    iso_world_destroy(clone);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// Patches have no force that bristles could take.
static void patches_are_refused(void** state) {
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
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.bristle_stiffness = 1e5;
    CHECK_OK(ctx, iso_model_add_geometry(model, index, &desc, NULL));
    iso_world_desc world_desc = iso_world_desc_default();
    iso_world* world = NULL;
    CHECK_STATUS(ctx, iso_world_create(ctx, model, &world_desc, &world), ISO_ERR_ARGUMENT);
    const char* message = iso_context_error(ctx);
    CHECK(strstr(message, "'box' of 'crate'") && strstr(message, "expected hertz or volumetric"),
          "%s", message);
    iso_model_destroy(model);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rests_has_bent_its_bristles),
        cmocka_unit_test(what_slides_has_coulomb_and_viscous_friction),
        cmocka_unit_test(breakaway_needs_time_where_it_has_a_dwell),
        cmocka_unit_test(stick_slip_has_the_peaks_of_the_thesis),
        cmocka_unit_test(saved_states_and_clones_go_on_in_the_same_bits),
        cmocka_unit_test(patches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
