// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Recordings of a world that really steps: a compliant ball pressed into a rigid floor.

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "isobar/record.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <stdio.h>
#include <string.h>

#define RADIUS 0.05
#define STEPS 40

static iso_world* make_world_of(iso_context* ctx, const iso_contact_options* contact) {
    iso_model* model;
    iso_world* world;
    int ball;
    CHECK_OK(ctx, iso_model_create(ctx, &model));

    iso_geometry_desc floor_desc = iso_geometry_desc_default();
    floor_desc.name = "floor";
    floor_desc.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    floor_desc.shape.size = iso_vec3_make(1.0, 1.0, 0.1);
    floor_desc.x_bg = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -0.05));
    floor_desc.material.compliance = ISO_COMPLIANCE_RIGID;
    CHECK_OK(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &floor_desc, NULL));

    iso_body_desc body = iso_body_desc_default();
    body.name = "ball::ball";
    body.mass = 0.5;
    body.inertia = iso_mat3_diagonal(5e-4, 5e-4, 5e-4);
    CHECK_OK(ctx, iso_model_add_body(model, &body, &ball));
    iso_geometry_desc sphere = iso_geometry_desc_default();
    sphere.name = "skin";
    sphere.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    sphere.shape.radius = RADIUS;
    sphere.material.modulus = 1e5;
    sphere.material.resolution_hint = 0.02;
    CHECK_OK(ctx, iso_model_add_geometry(model, ball, &sphere, NULL));
    iso_pose start = iso_pose_from_position(iso_vec3_make(0.0, 0.0, RADIUS - 2e-3));
    CHECK_OK(ctx, iso_model_set_free_pose(model, ball, &start));

    iso_world_desc desc = iso_world_desc_default();
    desc.contact = *contact;
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    return world;
}

static iso_world* make_world(iso_context* ctx) {
    iso_contact_options options = iso_contact_options_default();
    return make_world_of(ctx, &options);
}

static void check_contact(const iso_contact* got, const iso_contact* want) {
    const iso_patch *a = &got->patch, *b = &want->patch;
    assert_string_equal(got->body_name_a, want->body_name_a);
    assert_string_equal(got->body_name_b, want->body_name_b);
    assert_string_equal(got->geometry_name_a, want->geometry_name_a);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->vertex_count, b->vertex_count);
    CHECK_ARRAY_BITS(&a->vertices->x, &b->vertices->x, 3 * b->vertex_count);
    CHECK_ARRAY_BITS(a->vertex_pressures, b->vertex_pressures, b->vertex_count);
    CHECK_ARRAY_BITS(&got->tractions->x, &want->tractions->x, 3 * b->face_count);
    CHECK_ARRAY_BITS(&got->slip_velocities->x, &want->slip_velocities->x, 3 * b->face_count);
    CHECK_ARRAY_BITS(&got->f_b_w.translational.x, &want->f_b_w.translational.x, 3);
    CHECK_BITS(a->max_pressure, b->max_pressure);
}

static void check_frame(const iso_recorded_frame* frame, const iso_world* world) {
    CHECK_BITS(frame->time, iso_world_time(world));
    assert_true(frame->step_count == iso_world_step_count(world));
    assert_true(frame->state_hash == iso_world_state_hash(world));
    for (int i = 0; i < iso_world_body_count(world); ++i) {
        iso_spatial v = iso_world_body_twist(world, i);
        CHECK_POSE_NEAR(frame->poses[i], iso_world_body_pose(world, i), 4e-15); // measured 0
        CHECK_ARRAY_BITS(&frame->twists[i].translational.x, &v.translational.x, 3);
    }
    CHECK_BITS(frame->energy.kinetic, iso_world_energy(world).kinetic);
    iso_elastic_energy elastic;
    CHECK_OK(iso_world_context(world), iso_world_elastic_energy(world, -1, &elastic));
    CHECK_BITS(frame->energy.elastic, elastic.energy);
    assert_int_equal(frame->contact_count, iso_world_contact_count(world));
    for (int i = 0; i < frame->contact_count; ++i) {
        iso_contact want = iso_world_contact(world, i);
        check_contact(&frame->contacts[i], &want);
        CHECK_OK(iso_world_context(world), iso_world_elastic_energy(world, i, &elastic));
        assert_true(elastic.is_exact);
        CHECK_BITS(frame->contacts[i].elastic_energy, elastic.energy);
        assert_true(frame->contacts[i].is_energy_exact == elastic.is_exact);
    }
}

// Two worlds step alike: one is recorded, the other is compared with what was read.
static void recorded_world_reads_back_bit_for_bit(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_world(ctx);
    iso_world* twin = make_world(ctx);
    iso_recorder* recorder;
    iso_recording* recording;
    iso_recorder_desc desc = iso_recorder_desc_default();
    char path[TEST_PATH_SIZE];
    desc.frame_rate = 0.0;
    desc.exact_energy = true;
    desc.scene_name = "ball";
    CHECK_OK(ctx, iso_recorder_create(ctx, temp_path(path, "world.mcap"), world, &desc, &recorder));
    for (int i = 0; i < STEPS; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_OK(ctx, iso_recorder_record(recorder, world));
    }
    assert_int_equal(iso_recorder_frame_count(recorder), STEPS);
    CHECK_OK(ctx, iso_recorder_close(recorder));

    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    const iso_recorded_model* model = iso_recording_model(recording);
    assert_string_equal(model->scene_name, "ball");
    assert_int_equal(model->body_count, iso_world_body_count(world));
    assert_int_equal(iso_recording_frame_count(recording), STEPS);
    int face_count = 0;
    for (int i = 0; i < STEPS; ++i) {
        const iso_recorded_frame* frame;
        CHECK_OK(ctx, iso_world_step(twin));
        CHECK_OK(ctx, iso_recording_read(recording, i, &frame));
        check_frame(frame, twin);
        face_count += frame->contact_count > 0 ? frame->contacts[0].patch.face_count : 0;
    }
    CHECK(face_count > STEPS, "%d faces over all frames", face_count);
    iso_recording_close(recording);
    iso_world_destroy(world);
    iso_world_destroy(twin);
    test_context_destroy(ctx);
}

// What a run needs to be repeated, and what sensors read in it.
static void options_of_friction_and_sensors_read_back(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_contact_options options = iso_contact_options_default();
    options.friction = ISO_FRICTION_MODEL_REGULARIZED;
    options.friction_stiffness = 2e3;
    options.friction_damping_time = 1.0 / 3.0;
    options.brush_size = 0.1 / 3.0;
    iso_world* world = make_world_of(ctx, &options);
    iso_sensor_desc descs[2] = {iso_sensor_desc_default(), iso_sensor_desc_default()};
    descs[0].name = "imu";
    descs[0].kind = ISO_SENSOR_IMU;
    descs[1].name = "skin";
    descs[1].kind = ISO_SENSOR_TACTILE;
    descs[0].body = descs[1].body = "ball::ball";
    descs[1].x_bs = iso_pose_make(iso_mat3_diagonal(1.0, -1.0, -1.0), // looking down
                                  iso_vec3_make(0.0, 0.0, -RADIUS));
    descs[1].rows = 3;
    iso_sensors* sensors;
    iso_recorder* recorder;
    iso_recording* recording;
    const iso_recorded_frame* frame;
    char path[TEST_PATH_SIZE], directory[TEST_PATH_SIZE];
    iso_recorder_desc desc = iso_recorder_desc_default();
    CHECK_OK(ctx, iso_sensors_create(world, descs, 2, &sensors));
    desc.sensors = sensors;
    CHECK_OK(ctx, iso_recorder_create(ctx, temp_path(path, "sense.mcap"), world, &desc, &recorder));
    CHECK_OK(ctx, iso_world_step(world));
    assert_true(iso_recorder_is_due(recorder, world));
    CHECK_OK(ctx, iso_sensors_update(sensors, world));
    CHECK_OK(ctx, iso_recorder_record(recorder, world));
    assert_false(iso_recorder_is_due(recorder, world));
    CHECK_OK(ctx, iso_recorder_close(recorder));
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    const iso_recorded_model* model = iso_recording_model(recording);
    assert_int_equal(model->settings.contact.friction, options.friction);
    CHECK_BITS(model->settings.contact.friction_stiffness, options.friction_stiffness);
    CHECK_BITS(model->settings.contact.friction_damping_time, options.friction_damping_time);
    CHECK_BITS(model->settings.contact.brush_size, options.brush_size);
    assert_int_equal(model->sensor_count, 2);
    assert_string_equal(model->sensors[1].name, "skin");
    assert_int_equal(model->sensors[1].kind, ISO_SENSOR_TACTILE);
    assert_string_equal(model->sensors[1].body, "ball::ball");
    assert_true(model->sensors[1].rows == 3 && model->sensors[1].columns == 8);
    assert_string_equal(model->sensors[1].value_names[6], "pressure");
    assert_string_equal(model->sensors[1].value_units[6], "Pa");
    assert_int_equal(model->sensors[1].name_count, 13);
    assert_string_equal(model->sensors[1].value_names[12], "stick_slip");
    CHECK_OK(ctx, iso_recording_read(recording, 0, &frame));
    assert_int_equal(model->sensor_value_count, 6 + 6 + 7 * 24);
    CHECK_ARRAY_BITS(frame->sensor_values, iso_sensors_values(sensors, 0), 6);
    CHECK_ARRAY_BITS(frame->sensor_values + 6, iso_sensors_values(sensors, 1), 6 + 7 * 24);
    CHECK(frame->sensor_values[8] < -0.1, "force on the pad is %g N", frame->sensor_values[8]);
    CHECK_OK(ctx, iso_recording_export_csv(recording, temp_path(directory, "sense")));
    iso_recording_close(recording);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// Steps of 1 ms, 60 frames per second: one frame per 1/60 s, the first at once.
static void default_rate_keeps_sixty_frames_a_second(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_world(ctx);
    iso_recorder* recorder;
    char path[TEST_PATH_SIZE];
    CHECK_OK(ctx, iso_recorder_create(ctx, temp_path(path, "rate.mcap"), world, NULL, &recorder));
    for (int i = 0; i < STEPS; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_OK(ctx, iso_recorder_record(recorder, world));
    }
    assert_int_equal(iso_recorder_frame_count(recorder), 3); // at 1, 17 and 34 ms
    CHECK_OK(ctx, iso_recorder_close(recorder));
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void steady_recording_allocates_only_for_its_index(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_world(ctx);
    iso_recorder* recorder;
    iso_recorder_desc desc = iso_recorder_desc_default();
    char path[TEST_PATH_SIZE];
    long before = 0;
    desc.frame_rate = 0.0;
    desc.flush_interval = 0.0; // a chunk per frame: only the index grows with the run
    CHECK_OK(ctx, iso_world_update_contacts(world));
    CHECK_OK(ctx, iso_recorder_create(ctx, temp_path(path, "heap.mcap"), world, &desc, &recorder));
    for (int i = 0; i < 90; ++i) {
        if (i == 70) {
            before = test_heap_of(ctx)->call_count;
        }
        CHECK_OK(ctx, iso_recorder_record(recorder, world));
    }
    // Some five buffers per frame would make 100; measured 1, when the index doubled.
    CHECK_AT_MOST((double)(test_heap_of(ctx)->call_count - before), 2.0);
    CHECK_OK(ctx, iso_recorder_close(recorder));
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void present_contacts_export_as_vtk(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_world(ctx);
    char directory[TEST_PATH_SIZE], path[2 * TEST_PATH_SIZE], want[64];
    char* text;
    size_t size;
    CHECK_OK(ctx, iso_world_update_contacts(world));
    CHECK_OK(ctx, iso_contacts_export_vtk(world, temp_path(directory, "patch")));
    snprintf(path, sizeof path, "%s/patches.vtp", directory);
    CHECK_OK(ctx, iso_file_read(ctx, path, 16 << 20, &text, &size));
    snprintf(want, sizeof want, "NumberOfPolys=\"%d\"",
             iso_world_contact(world, 0).patch.face_count);
    CHECK_TEXT(text, want);
    iso_free(ctx, text);
    CHECK_STATUS(ctx, iso_contacts_export_vtk(world, "/nonexistent/a/b"), ISO_ERR_IO);
    CHECK_STATUS(ctx, iso_contacts_export_vtk(world, NULL), ISO_ERR_ARGUMENT);
    assert_int_equal(iso_contacts_export_vtk(NULL, directory), ISO_ERR_ARGUMENT);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void recorder_errors_name_the_file_and_stick(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_world(ctx);
    iso_recorder* recorder;
    iso_recorder_desc desc = iso_recorder_desc_default();
    CHECK_STATUS(ctx, iso_recorder_create(ctx, "/nonexistent/r.mcap", world, &desc, &recorder),
                 ISO_ERR_IO);
    CHECK_ERROR(ctx, "/nonexistent/r.mcap");
    assert_null(recorder);
    CHECK_STATUS(ctx, iso_recorder_create(ctx, NULL, world, &desc, &recorder), ISO_ERR_ARGUMENT);
    desc.in_background = false; // else the first write comes later
    CHECK_STATUS(ctx, iso_recorder_create(ctx, "/dev/full", world, &desc, &recorder), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/dev/full: cannot write: No space left");
    CHECK_OK(ctx, iso_recorder_close(NULL));
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_world_reads_back_bit_for_bit),
        cmocka_unit_test(options_of_friction_and_sensors_read_back),
        cmocka_unit_test(default_rate_keeps_sixty_frames_a_second),
        cmocka_unit_test(steady_recording_allocates_only_for_its_index),
        cmocka_unit_test(present_contacts_export_as_vtk),
        cmocka_unit_test(recorder_errors_name_the_file_and_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
