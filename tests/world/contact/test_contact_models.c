// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The door of contact models: a model that the library does not know (spring_model.h) in every
// method, beside pressure fields, recorded, saved, restored, over threads.

#include "isobar/record.h"
#include "support/assets.h"
#include "support/failing_context.h"
#include "world/scenes.h"
#include "world/spring_model.h"
#include "world/state/world_state.h"

#include <stdlib.h>
#include <string.h>

#define RADIUS 0.05
#define MASS 0.5

static int add_ball(iso_context* ctx, iso_model* model, const char* name, iso_vec3 p, double vx) {
    double moment = 0.4 * MASS * RADIUS * RADIUS;
    int body = add_body(ctx, model, name, MASS, iso_vec3_make(moment, moment, moment));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "ball";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    desc.shape.radius = RADIUS;
    desc.material.friction_static = desc.material.friction_dynamic = 0.0;
    CHECK_OK(ctx, iso_model_add_geometry(model, body, &desc, NULL));
    iso_pose pose = iso_pose_from_position(p);
    CHECK_OK(ctx, iso_model_set_free_pose(model, body, &pose));
    iso_spatial v = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(vx, 0.0, 0.0));
    CHECK_OK(ctx, iso_model_set_free_twist(model, body, v));
    return body;
}

/// Two balls that meet along x at 1 m/s, with the spring between them.
static iso_world* make_pair(iso_context* ctx, iso_method method, double dt, int threads) {
    iso_model* model = make_model(ctx);
    add_ball(ctx, model, "left", iso_vec3_make(-0.06, 0.0, 0.0), 1.0);
    add_ball(ctx, model, "right", iso_vec3_make(0.06, 0.0, 0.0), 0.0);
    iso_world_desc desc = iso_world_desc_default();
    desc.method = method;
    desc.time_step = dt;
    desc.gravity = iso_vec3_zero();
    desc.accuracy = 1e-8;
    desc.thread_count = threads;
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    CHECK_OK(ctx, iso_contact_system_use_model(world->contacts, &spring_model));
    return world;
}

static double speed_of(const iso_world* world, const char* name) {
    return iso_world_body_twist(world, iso_world_find_body(world, name)).translational.x;
}

// 20 ms to touch, then half a period of the spring on the reduced mass: the balls swap velocities.
static double meeting_time(void) {
    return 0.02 + ISO_PI * sqrt(0.5 * MASS / SPRING_STIFFNESS);
}

static void balls_swap_velocities_in_continuous_methods(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_RK45, ISO_METHOD_RADAU, ISO_METHOD_RK4};
    for (int i = 0; i < 3; ++i) {
        iso_context* ctx = test_context();
        iso_world* world = make_pair(ctx, methods[i], 1e-4, 1);
        step_many(ctx, world, (int)(1.2 * meeting_time() / 1e-4));
        CHECK_NEAR(speed_of(world, "right"), 1.0, 2e-5); // measured 8e-6 (rk4), 1e-8
        CHECK_NEAR(speed_of(world, "left"), 0.0, 2e-5);
        assert_int_equal(iso_world_contact_count(world), 0);
        iso_world_destroy(world);
        test_context_destroy(ctx);
    }
}

static void convex_steps_tend_to_the_same(void** state) {
    (void)state;
    const iso_method methods[] = {ISO_METHOD_LAGGED, ISO_METHOD_SAP, ISO_METHOD_SIMILAR,
                                  ISO_METHOD_TAMSI};
    for (int i = 0; i < 4; ++i) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            iso_context* ctx = test_context();
            double dt = k == 0 ? 2e-4 : 1e-4;
            iso_world* world = make_pair(ctx, methods[i], dt, 1);
            step_many(ctx, world, (int)(1.2 * meeting_time() / dt));
            error[k] = 1.0 - speed_of(world, "right");
            iso_energy energy = iso_world_energy(world);
            // Nothing is kept; what the spring had when it was first seen, no step worked for.
            double found = 0.5 * SPRING_STIFFNESS * dt * dt;
            CHECK_NEAR(energy.contact + energy.contact_damping, 0.0, 1.001 * found);
            iso_world_destroy(world);
            test_context_destroy(ctx);
        }
        CHECK(error[1] > 0.0 && error[1] < 0.02, "method %d: %g", methods[i], error[1]);
        CHECK_NEAR(error[0] / error[1], 2.0, 0.1); // first order
    }
}

static void pairs_it_does_not_take_stay_pressure_fields(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_model* model = make_model(ctx);
    iso_mat3 level = iso_mat3_identity();
    add_ground(ctx, model, 0.5, &level);
    add_ball(ctx, model, "below", iso_vec3_make(0.0, 0.0, RADIUS), 0.0);
    add_ball(ctx, model, "above", iso_vec3_make(0.0, 0.0, 3.0 * RADIUS - 1e-3), 0.0);
    iso_world_desc desc = iso_world_desc_default();
    iso_world* world = make_world(ctx, model, &desc);
    iso_model_destroy(model);
    CHECK_OK(ctx, iso_contact_system_use_model(world->contacts, &spring_model));
    step_many(ctx, world, 50);
    assert_int_equal(iso_world_contact_count(world), 2);
    bool has_patch = false, has_spring = false;
    for (int i = 0; i < 2; ++i) {
        iso_contact c = iso_world_contact(world, i);
        has_patch = has_patch || (c.manifold == ISO_MANIFOLD_PATCH && c.patch.face_count > 0 &&
                                  strcmp(c.model, "pressure_field") == 0);
        has_spring = has_spring || (c.manifold == ISO_MANIFOLD_POINT && c.patch.face_count == 0 &&
                                    strcmp(c.model, "spring") == 0);
    }
    assert_true(has_patch && has_spring);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static iso_world* press(iso_context* ctx, int threads) {
    iso_world* world = make_pair(ctx, ISO_METHOD_LAGGED, 1e-3, threads);
    step_many(ctx, world, 28);
    assert_int_equal(iso_world_contact_count(world), 1);
    assert_int_equal(world->memory.count, 1);
    return world;
}

static void saved_cloned_and_threaded_worlds_go_on_alike(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world *world = press(ctx, 1), *threaded = press(ctx, 2), *clone = NULL;
    double deepest = world->memory.data[0].values[0];
    CHECK(deepest > 1e-3, "%g", deepest);
    size_t size = iso_world_state_size(world), written = 0;
    unsigned char* bytes = malloc(size);
    CHECK_OK(ctx, iso_world_save(world, bytes, size, &written));
    CHECK_OK(ctx, iso_world_clone(world, &clone));
    step_many(ctx, world, 8);
    step_many(ctx, clone, 8);
    step_many(ctx, threaded, 8);
    assert_true(iso_world_state_hash(clone) == iso_world_state_hash(world));
    assert_true(iso_world_state_hash(threaded) == iso_world_state_hash(world));
    uint64_t hash = iso_world_state_hash(world);
    CHECK_OK(ctx, iso_world_restore(world, bytes, size));
    CHECK_BITS(world->memory.data[0].values[0], deepest);
    step_many(ctx, world, 8);
    assert_true(iso_world_state_hash(world) == hash);
    free(bytes);
    iso_world_destroy(clone);
    iso_world_destroy(threaded);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void a_recording_names_the_model(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = press(ctx, 1);
    char path[TEST_PATH_SIZE];
    temp_path(path, "contact_models.mcap");
    iso_recorder_desc desc = iso_recorder_desc_default();
    iso_recorder* recorder = NULL;
    CHECK_OK(ctx, iso_recorder_create(ctx, path, world, &desc, &recorder));
    CHECK_OK(ctx, iso_recorder_record(recorder, world));
    CHECK_OK(ctx, iso_recorder_close(recorder));
    iso_recording* recording = NULL;
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    const iso_recorded_frame* frame = NULL;
    CHECK_OK(ctx, iso_recording_read(recording, 0, &frame));
    iso_contact want = iso_world_contact(world, 0);
    assert_int_equal(frame->contact_count, 1);
    assert_string_equal(frame->contacts[0].model, "spring");
    assert_int_equal(frame->contacts[0].manifold, ISO_MANIFOLD_POINT);
    CHECK_ARRAY_BITS(&frame->contacts[0].normal.x, &want.normal.x, 3);
    CHECK_ARRAY_BITS(&frame->contacts[0].f_b_w.translational.x, &want.f_b_w.translational.x, 3);
    iso_recording_close(recording);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_swap_velocities_in_continuous_methods),
        cmocka_unit_test(convex_steps_tend_to_the_same),
        cmocka_unit_test(pairs_it_does_not_take_stay_pressure_fields),
        cmocka_unit_test(saved_cloned_and_threaded_worlds_go_on_alike),
        cmocka_unit_test(a_recording_names_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
