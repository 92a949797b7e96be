// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "record/frames/frame_writer.h"
#include "record/frames/recording.h"
#include "record/frames/schemas.h"
#include "record/mcap/mcap_reader.h"
#include "record/mcap/mcap_writer.h"
#include "sample.h"
#include "support/assets.h"
#include "support/failing_context.h"

#include <stdio.h>

#define FRAMES 20

static iso_recorder_desc every_frame(void) {
    iso_recorder_desc desc = iso_recorder_desc_default();
    desc.frame_rate = 0.0;
    return desc;
}

static iso_status write_frames(iso_context* ctx, const char* path, const iso_recorder_desc* desc) {
    sample s;
    sample_make_model(&s);
    iso_frame_writer* writer = NULL;
    iso_frame_schedule schedule = iso_frame_schedule_make(desc->frame_rate);
    iso_status status = ISO_OK;
    ISO_TRY(iso_frame_writer_open(ctx, path, desc, &s.model, &writer));
    for (int i = 0; i < FRAMES; ++i) {
        sample_make_frame(&s, i);
        ISO_TRY(iso_frame_writer_note(writer, s.frame.step_count, s.frame.state_hash));
        if (iso_frame_schedule_is_due(&schedule, s.frame.time)) {
            ISO_TRY(iso_frame_writer_put(writer, &s.frame));
            iso_frame_schedule_pass(&schedule, s.frame.time);
        }
    }

done:;
    iso_status closed = iso_frame_writer_close(writer);
    return status != ISO_OK ? status : closed;
}

/// One hash for every state, those without a frame too.
static void check_hashes(iso_context* ctx, iso_recording* recording) {
    const iso_recorded_hash* hashes = NULL;
    sample s;
    int count = 0;
    CHECK_OK(ctx, iso_recording_hashes(recording, &hashes, &count));
    assert_int_equal(count, FRAMES);
    for (int i = 0; i < count; ++i) {
        sample_make_frame(&s, i);
        assert_int_equal(hashes[i].step_count, s.frame.step_count);
        assert_true(hashes[i].state_hash == s.frame.state_hash);
    }
}

static void check_origin(const iso_recorded_model* got, const iso_recorded_model* want) {
    const iso_scene_options *a = &got->scene_options, *b = &want->scene_options;
    assert_string_equal(got->scene_path, want->scene_path);
    assert_int_equal(a->setting_count, b->setting_count);
    assert_int_equal(a->package_count, b->package_count);
    assert_string_equal(a->settings[0], b->settings[0]);
    assert_string_equal(a->packages[0].name, b->packages[0].name);
    assert_string_equal(a->packages[0].directory, b->packages[0].directory);
    assert_int_equal(got->state_size, want->state_size);
    assert_memory_equal(got->state, want->state, want->state_size);
}

static void check_model(const iso_recorded_model* got, const iso_recorded_model* want) {
    assert_string_equal(got->scene_name, want->scene_name);
    assert_string_equal(got->isobar_version, want->isobar_version);
    check_origin(got, want);
    assert_int_equal(got->body_count, want->body_count);
    assert_int_equal(got->joint_count, want->joint_count);
    CHECK_BITS(got->settings.time_step, want->settings.time_step);
    CHECK_BITS(got->settings.gravity.z, want->settings.gravity.z);
    assert_int_equal(got->settings.method, want->settings.method);
    CHECK_BITS(got->settings.accuracy, want->settings.accuracy);
    assert_int_equal(got->settings.max_substeps, want->settings.max_substeps);
    CHECK_BITS(got->settings.initial_step, want->settings.initial_step);
    CHECK_BITS(got->settings.max_step, want->settings.max_step);
    assert_int_equal(got->settings.thread_count, want->settings.thread_count);
    const iso_contact_options *a = &got->settings.contact, *b = &want->settings.contact;
    assert_int_equal(a->representation, b->representation);
    assert_int_equal(a->cull, b->cull);
    assert_int_equal(a->combine, b->combine);
    assert_int_equal(a->regularization, b->regularization);
    CHECK_BITS(a->rigid_layer_thickness, b->rigid_layer_thickness);
    CHECK_BITS(a->rigid_layer_modulus, b->rigid_layer_modulus);
    CHECK_BITS(a->stiction_velocity, b->stiction_velocity);
    for (int i = 0; i < want->joint_count; ++i) {
        assert_string_equal(got->joints[i].name, want->joints[i].name);
        assert_int_equal(got->joints[i].kind, want->joints[i].kind);
    }
}

static void check_surfaces(const iso_recorded_model* got, const iso_recorded_model* want) {
    for (int i = 0; i < want->body_count; ++i) {
        const iso_recorded_body *a = &got->bodies[i], *b = &want->bodies[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->is_fixed, b->is_fixed);
        CHECK_BITS(a->mass, b->mass);
        assert_int_equal(a->surface_count, b->surface_count);
        for (int k = 0; k < b->surface_count; ++k) {
            const iso_body_surface *p = &a->surfaces[k], *q = &b->surfaces[k];
            assert_string_equal(p->name, q->name);
            assert_int_equal(p->is_collision, q->is_collision);
            assert_memory_equal(p->rgba, q->rgba, sizeof q->rgba);
            CHECK_POSE_NEAR(p->x_bg, q->x_bg, 0.0); // measured 0: the identity rotation
            assert_int_equal(p->mesh->vertex_count, q->mesh->vertex_count);
            assert_int_equal(p->mesh->triangle_count, q->mesh->triangle_count);
            CHECK_ARRAY_BITS(&p->mesh->vertices->x, &q->mesh->vertices->x,
                             3 * q->mesh->vertex_count);
            assert_memory_equal(p->mesh->triangles, q->mesh->triangles,
                                (size_t)q->mesh->triangle_count * sizeof q->mesh->triangles[0]);
        }
    }
}

static void check_read_back(bool json_contacts) {
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_recorder_desc desc = every_frame();
    iso_recording* recording;
    sample s;
    sample_make_model(&s);
    desc.json_contacts = json_contacts;
    CHECK_OK(ctx, write_frames(ctx, temp_path(path, "frames.mcap"), &desc));
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    assert_true(iso_recording_is_complete(recording));
    check_model(iso_recording_model(recording), &s.model);
    check_surfaces(iso_recording_model(recording), &s.model);
    check_hashes(ctx, recording);
    assert_int_equal(iso_recording_frame_count(recording), FRAMES);
    for (int i = FRAMES - 1; i >= 0; --i) {
        const iso_recorded_frame* frame;
        sample_make_frame(&s, i);
        CHECK_NEAR(iso_recording_frame_time(recording, i), s.frame.time, 1e-9); // measured 2.8e-17
        CHECK_OK(ctx, iso_recording_read(recording, i, &frame));
        sample_check_frame(frame, &s.frame, true);
    }
    const iso_recorded_frame* frame;
    CHECK_STATUS(ctx, iso_recording_read(recording, FRAMES, &frame), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_recording_read(recording, -1, &frame), ISO_ERR_RANGE);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static void recorded_frames_read_back_bit_for_bit(void** state) {
    (void)state;
    check_read_back(false);
    check_read_back(true);
}

static void recordings_without_faces_keep_the_sums(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_recorder_desc desc = every_frame();
    iso_recording* recording;
    const iso_recorded_frame* frame;
    sample s;
    sample_make_model(&s);
    sample_make_frame(&s, 2);
    desc.with_faces = false;
    desc.with_foxglove = false;
    CHECK_OK(ctx, write_frames(ctx, temp_path(path, "sums.mcap"), &desc));
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    CHECK_OK(ctx, iso_recording_read(recording, 2, &frame));
    sample_check_frame(frame, &s.frame, false);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

// Frames every 10 ms; at 25 Hz every fourth is kept, whatever round-off says.
static void frame_rate_keeps_frames_on_a_grid(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_recorder_desc desc = every_frame();
    iso_recording* recording;
    desc.frame_rate = 25.0;
    CHECK_OK(ctx, write_frames(ctx, temp_path(path, "rate.mcap"), &desc));
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    check_hashes(ctx, recording);
    assert_int_equal(iso_recording_frame_count(recording), FRAMES / 4);
    for (int i = 0; i < FRAMES / 4; ++i) {
        CHECK_NEAR(iso_recording_frame_time(recording, i), 0.04 * i, 1e-9); // measured 2.8e-17
    }
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static void what_is_not_there_is_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_recorder_desc desc = every_frame();
    iso_recording* recording;
    const iso_recorded_frame* frame;
    CHECK_OK(ctx, write_frames(ctx, temp_path(path, "there.mcap"), &desc));
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    CHECK_BITS(iso_recording_frame_time(recording, -1), 0.0);
    CHECK_BITS(iso_recording_frame_time(recording, FRAMES), 0.0);
    CHECK_STATUS(ctx, iso_recording_read(recording, FRAMES, &frame), ISO_ERR_RANGE);
    assert_null(frame);
    CHECK_STATUS(ctx, iso_recording_read(recording, 0, NULL), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_recording_read(NULL, 0, &frame), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_recording_export_csv(NULL, "x"), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_recording_export_vtk(NULL, "x"), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_recording_write_view(NULL, "x", 1, "x", NULL), ISO_ERR_ARGUMENT);
    CHECK_STATUS(ctx, iso_recorder_record(NULL, NULL), ISO_ERR_ARGUMENT);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static void bad_settings_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    temp_path(path, "bad.mcap");
    iso_recorder_desc desc = every_frame();
    desc.frame_rate = -1.0;
    CHECK_STATUS(ctx, write_frames(ctx, path, &desc), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "frame_rate is -1 Hz");
    desc = every_frame();
    desc.flush_interval = NAN;
    CHECK_STATUS(ctx, write_frames(ctx, path, &desc), ISO_ERR_RANGE);
    desc = every_frame();
    desc.chunk_size = 0;
    CHECK_STATUS(ctx, write_frames(ctx, path, &desc), ISO_ERR_RANGE);
    test_context_destroy(ctx);
}

// A run that is killed leaves a file that ends anywhere.
static void truncated_recording_gives_whole_frames(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_recorder_desc desc = every_frame();
    char* bytes;
    size_t size;
    sample s;
    sample_make_model(&s);
    desc.chunk_size = 1; // a chunk per frame
    CHECK_OK(ctx, write_frames(ctx, temp_path(path, "killed.mcap"), &desc));
    CHECK_OK(ctx, iso_file_read(ctx, path, 16 << 20, &bytes, &size));
    int frame_count = 0, refused = 0;
    for (size_t cut = 100; cut < size; cut += 100) {
        iso_recording* recording;
        iso_status status =
            iso_recording_open_stream(ctx, fmemopen(bytes, cut, "rb"), "killed", &recording);
        if (status != ISO_OK) {
            assert_int_equal(status, ISO_ERR_PARSE); // cut inside the first chunk
            assert_int_equal(frame_count, 0);
            ++refused;
            continue;
        }
        assert_false(iso_recording_is_complete(recording));
        int count = iso_recording_frame_count(recording);
        assert_true(count == frame_count || count == frame_count + 1);
        if (count > frame_count) {
            const iso_recorded_frame* frame;
            sample_make_frame(&s, count - 1);
            CHECK_OK(ctx, iso_recording_read(recording, count - 1, &frame));
            sample_check_frame(frame, &s.frame, true);
        }
        frame_count = count;
        iso_recording_close(recording);
    }
    assert_int_equal(frame_count, FRAMES);
    assert_true(refused > 0);
    iso_free(ctx, bytes);
    test_context_destroy(ctx);
}

static void not_finite_numbers_survive_as_nan(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_recorder_desc desc = every_frame();
    iso_frame_writer* writer;
    iso_recording* recording;
    const iso_recorded_frame* frame;
    sample s;
    sample_make_model(&s);
    sample_make_frame(&s, 1);
    s.reals[0][0] = NAN;
    s.frame.energy.kinetic = INFINITY;
    CHECK_OK(ctx,
             iso_frame_writer_open(ctx, temp_path(path, "nan.mcap"), &desc, &s.model, &writer));
    CHECK_OK(ctx, iso_frame_writer_put(writer, &s.frame));
    assert_int_equal(iso_frame_writer_count(writer), 1);
    CHECK_OK(ctx, iso_frame_writer_close(writer));
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    CHECK_OK(ctx, iso_recording_read(recording, 0, &frame));
    assert_true(isnan(frame->contacts[0].patch.areas[0]));
    assert_true(isnan(frame->energy.kinetic));
    CHECK_BITS(frame->contacts[0].patch.areas[1], s.reals[0][1]);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

// A recording whose model, state, contacts and energy messages are these texts.
static iso_status open_texts(iso_context* ctx, const char* path, const char* const texts[4],
                             iso_recording** out_recording) {
    iso_mcap_writer* writer = NULL;
    int channel;
    iso_status status = iso_mcap_writer_open(ctx, path, &writer);
    assert_int_equal(status, ISO_OK);
    for (int i = 0; i < 4; ++i) {
        iso_channel_schema known = iso_channel_schema_of((iso_channel)i);
        const iso_mcap_schema schema = {
            .name = known.name, .data = known.text, .size = strlen(known.text)};
        CHECK_OK(ctx, iso_mcap_writer_add_channel(writer, known.topic, &schema, &channel));
    }
    for (int i = 0; i < 4; ++i) {
        CHECK_OK(ctx, iso_mcap_writer_put(writer, i, 0, 0, texts[i], strlen(texts[i])));
    }
    CHECK_OK(ctx, iso_mcap_writer_close(writer));
    status = iso_recording_open(ctx, path, out_recording);
    if (status == ISO_OK) {
        const iso_recorded_frame* frame;
        status = iso_recording_read(*out_recording, 0, &frame);
        // Energies that older recordings are without are not known, which is not zero.
        assert_true(status != ISO_OK ||
                    (frame->energy.damping == 0.0 && isnan(frame->energy.limit) &&
                     isnan(frame->energy.spring)));
        iso_recording_close(*out_recording);
    }
    return status;
}

#define GOOD_MODEL                                                                                \
    "{\"format\":\"isobar-recording-1\",\"isobar_version\":\"1\",\"scene\":\"\",\"settings\":{"   \
    "\"time_step\":1,\"gravity\":[0,0,0],\"method\":\"sap\",\"accuracy\":1,\"thread_count\":1,"   \
    "\"representation\":\"polygon\",\"cull\":\"none\",\"combine\":\"drake\",\"regularization\":"  \
    "\"patch\","                                                                                  \
    "\"rigid_layer_thickness\":1,\"rigid_layer_modulus\":1,\"stiction_velocity\":1},\"bodies\":[" \
    "{\"name\":\"world\",\"is_fixed\":true,\"mass\":0,\"surfaces\":[]}],\"joints\":[]}"
#define GOOD_STATE                                                                                \
    "{\"time\":0,\"step_count\":0,\"state_hash\":\"0123456789abcdef\",\"poses\":[0,0,0,1,0,0,0]," \
    "\"twists\":[0,0,0,0,0,0],\"joint_positions\":[],\"joint_velocities\":[],"                    \
    "\"joint_efforts\":[]}"
#define GOOD_CONTACTS "{\"time\":0,\"contacts\":[]}"
#define GOOD_ENERGY \
    "{\"kinetic\":0,\"potential\":0,\"elastic\":0,\"actuation\":0,\"contact\":0,\"damping\":0}"
#define CONTACT_HEAD                                                                              \
    "{\"contacts\":[{\"a\":\"\",\"b\":\"\",\"geometry_a\":\"\",\"geometry_b\":\"\",\"body_a\":0," \
    "\"body_b\":0,\"is_rigid_a\":true,\"is_rigid_b\":true,\"area\":1,\"force\":[0,0,0],"          \
    "\"moment\":[0,0,0],\"center_of_pressure\":[0,0,0],\"centroid\":[0,0,0],\"max_pressure\":1,"  \
    "\"elastic_energy\":1,"

static void wrong_fields_are_named(void** state) {
    (void)state;
    static const struct {
        int message;
        const char* text;
        const char* error;
    } cases[] = {
        {0, "[1]", "not a JSON object"},
        {0, "{", "/isobar/model at 0 s"},
        {0, "{\"format\":1}", "\"format\" is an integer, expected a string"},
        {0, "{\"format\":\"other\"}", "\"format\" is \"other\""},
        {1, "{\"time\":\"x\"}", "\"time\" is a string, expected a number"},
        {1, "{\"time\":0,\"step_count\":-1}", "\"step_count\" is -1"},
        {1, "{\"time\":0,\"step_count\":0,\"state_hash\":\"no\"}", "\"state_hash\" is \"no\""},
        {1, "{\"time\":0,\"step_count\":0,\"state_hash\":\"0123456789abcdef\",\"poses\":[1,2]}",
         "\"poses\" has 2 elements, expected 7"},
        {2, "{\"contacts\":{}}", "\"contacts\" is an object, expected an array"},
        {2, "{\"contacts\":[{\"body_a\":7}]}", "\"body_a\" is 7, expected 0 to 0"},
        {2, CONTACT_HEAD "\"faces\":-1}]}", "\"faces\" is -1"},
        {2, CONTACT_HEAD "\"faces\":1,\"polygons\":[]}]}", "\"polygons\" is an array"},
        {2, CONTACT_HEAD "\"faces\":1,\"polygons\":{\"counts\":[2]}}]}", "\"counts\" holds 2"},
        {2, CONTACT_HEAD "\"faces\":1,\"polygons\":{\"counts\":[3,3]}}]}",
         "\"counts\" has 2 elements, expected 1"},
        {2, CONTACT_HEAD "\"faces\":1,\"polygons\":{\"counts\":[3],\"vertices\":[0]}}]}",
         "\"vertices\" has 1 elements, expected 9"},
        {2, CONTACT_HEAD "\"faces\":1,\"polygons\":{\"counts\":[2.5]}}]}", "\"counts\" holds 2.5"},
        {2, CONTACT_HEAD "\"faces\":1,\"polygons\":{\"counts\":[null]}}]}", "\"counts\" holds nan"},
        {2, CONTACT_HEAD "\"faces\":1,\"polygons\":{\"counts\":[3,\"x\"]}}]}",
         "\"counts\" is a string, expected numbers"},
        {2, CONTACT_HEAD "\"faces\":1,\"polygons\":{\"counts\":5}}]}",
         "\"counts\" is an integer, expected an array"},
        {2, "{\"contacts\":[1,2]}", "\"contacts\" holds numbers, expected none"},
        {2, "{\"contacts\":[[1,2]]}", "\"body_a\" is nothing"},
        {1, "{\"time\":0,\"step_count\":0,\"state_hash\":\"0123456789abcdef\",\"poses\":[1,2",
         "byte 69: ']' expected near end of file"},
        {1, "{\"time\":0,\"step_count\":0,\"state_hash\":\"0123456789abcdef\",\"poses\":[01]}",
         "byte 67"},
        {1, "{\"time\":0,\"step_count\":0,\"state_hash\":\"0123456789abcdef\",\"poses\":[1e999]}",
         "real number overflow"},
        {3, "{\"kinetic\":true}", "\"kinetic\" is true, expected a number"},
    };
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    temp_path(path, "fields.mcap");
    const char* texts[4] = {GOOD_MODEL, GOOD_STATE, GOOD_CONTACTS, GOOD_ENERGY};
    iso_recording* recording;
    CHECK_OK(ctx, open_texts(ctx, path, texts, &recording));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* good = texts[cases[i].message];
        texts[cases[i].message] = cases[i].text;
        CHECK_STATUS(ctx, open_texts(ctx, path, texts, &recording), ISO_ERR_PARSE);
        CHECK_ERROR(ctx, cases[i].error);
        CHECK_ERROR(ctx, "fields.mcap: /isobar/");
        texts[cases[i].message] = good;
    }
    test_context_destroy(ctx);
}

static void other_mcap_files_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_mcap_writer* writer;
    iso_recording* recording;
    int channel;
    CHECK_OK(ctx, iso_mcap_writer_open(ctx, temp_path(path, "other.mcap"), &writer));
    const iso_mcap_schema schema = {.name = "C", .data = "{}", .size = 2};
    CHECK_OK(ctx, iso_mcap_writer_add_channel(writer, "/camera", &schema, &channel));
    CHECK_OK(ctx, iso_mcap_writer_put(writer, channel, 0, 0, "{}", 2));
    CHECK_OK(ctx, iso_mcap_writer_close(writer));
    CHECK_STATUS(ctx, iso_recording_open(ctx, path, &recording), ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "has no channel /isobar/model");
    assert_null(recording);
    CHECK_STATUS(ctx, iso_recording_open(ctx, NULL, &recording), ISO_ERR_ARGUMENT);
    test_context_destroy(ctx);
}

static iso_status write_and_read(iso_context* ctx, void* user) {
    iso_recorder_desc desc = every_frame();
    iso_recording* recording = NULL;
    const iso_recorded_frame* frame;
    iso_status status = ISO_OK;
    ISO_TRY(write_frames(ctx, user, &desc));
    ISO_TRY(iso_recording_open(ctx, user, &recording));
    for (int i = 0; i < 3; ++i) {
        ISO_TRY(iso_recording_read(recording, i, &frame));
    }

done:
    iso_recording_close(recording);
    return status;
}

static void recordings_survive_every_allocation_failure(void** state) {
    (void)state;
    char path[TEST_PATH_SIZE];
    int count = check_every_allocation_failure(write_and_read, (void*)temp_path(path, "heap.mcap"));
    CHECK(count > 30, "%d allocations", count);
}

static void write_errors_stick_and_name_the_file(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_recorder_desc desc = every_frame();
    CHECK_STATUS(ctx, write_frames(ctx, "/nonexistent/run.mcap", &desc), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/nonexistent/run.mcap");
    CHECK_STATUS(ctx, write_frames(ctx, "/dev/full", &desc), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/dev/full");
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_frames_read_back_bit_for_bit),
        cmocka_unit_test(recordings_without_faces_keep_the_sums),
        cmocka_unit_test(frame_rate_keeps_frames_on_a_grid),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(truncated_recording_gives_whole_frames),
        cmocka_unit_test(not_finite_numbers_survive_as_nan),
        cmocka_unit_test(wrong_fields_are_named),
        cmocka_unit_test(other_mcap_files_are_refused),
        cmocka_unit_test(recordings_survive_every_allocation_failure),
        cmocka_unit_test(write_errors_stick_and_name_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
