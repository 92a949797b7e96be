// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "record/export/export_vtk.h"
#include "record/frames/frame_writer.h"
#include "sample.h"
#include "support/assets.h"
#include "support/failing_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAMES 12
#define PAGE "<html><script id=\"isobar-data\">@@ISOBAR_DATA@@</script></html>"

// is_driven: both bodies are fixed, and the second one is moved from the sixth frame on.
static iso_status write_recording(iso_context* ctx, const char* path, bool is_driven) {
    sample s;
    sample_make_model(&s);
    s.bodies[1].is_fixed = s.bodies[2].is_fixed = is_driven;
    iso_recorder_desc desc = iso_recorder_desc_default();
    iso_frame_writer* writer = NULL;
    iso_status status = ISO_OK;
    desc.frame_rate = 0.0;
    ISO_TRY(iso_frame_writer_open(ctx, path, &desc, &s.model, &writer));
    for (int i = 0; i < FRAMES; ++i) {
        sample_make_frame(&s, i);
        if (is_driven) {
            s.poses[1] = iso_pose_identity();
            s.poses[2] = i < 5 ? iso_pose_identity() : s.poses[2];
        }
        ISO_TRY(iso_frame_writer_note(writer, s.frame.step_count, s.frame.state_hash));
        ISO_TRY(iso_frame_writer_put(writer, &s.frame));
    }

done:;
    iso_status closed = iso_frame_writer_close(writer);
    return status != ISO_OK ? status : closed;
}

static iso_recording* open_sample(iso_context* ctx) {
    char path[TEST_PATH_SIZE];
    iso_recording* recording;
    CHECK_OK(ctx, write_recording(ctx, temp_path(path, "export.mcap"), false));
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    return recording;
}

static void read_text(iso_context* ctx, const char* directory, const char* name, char** out_text) {
    char path[2 * TEST_PATH_SIZE];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    CHECK_OK(ctx, iso_file_read(ctx, path, 16 << 20, out_text, &size));
}

static int count_lines(const char* text) {
    int count = 0;
    for (const char* c = text; *c; ++c) {
        count += *c == '\n';
    }
    return count;
}

// Number of fields of the line at text, quoted fields counted once.
static int count_fields(const char* text) {
    int count = 1;
    bool is_quoted = false;
    for (; *text && *text != '\n'; ++text) {
        is_quoted = *text == '"' ? !is_quoted : is_quoted;
        count += *text == ',' && !is_quoted;
    }
    return count;
}

static void check_table(const char* text, int row_count) {
    assert_int_equal(count_lines(text), row_count + 1);
    int fields = count_fields(text);
    for (const char* line = text; *line; line = strchr(line, '\n') + 1) {
        assert_int_equal(count_fields(line), fields);
    }
}

static void csv_tables_have_their_rows_and_values(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_recording* recording = open_sample(ctx);
    char directory[TEST_PATH_SIZE];
    CHECK_OK(ctx, iso_recording_export_csv(recording, temp_path(directory, "csv")));
    CHECK_OK(ctx, iso_recording_export_csv(recording, directory)); // over itself
    static const struct {
        const char* name;
        const char* head;
        int rows;
    } tables[] = {
        {"bodies.csv", "time_s,body,x_m,y_m,z_m,qw,qx,qy,qz,", 2 * FRAMES},
        {"joints.csv", "time_s,joint,kind,position,velocity,effort\n", 2 * FRAMES},
        {"contacts.csv", "time_s,contact,body_a,body_b,", FRAMES},
        {"faces.csv", "time_s,contact,body_a,body_b,face,area_m2,", SAMPLE_FACES * FRAMES},
        {"energy.csv", "time_s,kinetic_J,potential_J,", FRAMES},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i) {
        char* text;
        read_text(ctx, directory, tables[i].name, &text);
        assert_memory_equal(text, tables[i].head, strlen(tables[i].head));
        check_table(text, tables[i].rows);
        iso_free(ctx, text);
    }
    char* energy;
    read_text(ctx, directory, "energy.csv", &energy);
    CHECK_TEXT(energy, "\n0.01,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n");
    char* bodies;
    read_text(ctx, directory, "bodies.csv", &bodies);
    CHECK_TEXT(bodies, "\"box, the \"\"big\"\" <one>::lid\"");
    char* joints;
    read_text(ctx, directory, "joints.csv", &joints);
    CHECK_TEXT(joints, ",arm::elbow,revolute,");
    CHECK_TEXT(joints, ",arm::slide,prismatic,");
    iso_free(ctx, energy);
    iso_free(ctx, bodies);
    iso_free(ctx, joints);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

// The numbers that follow this text, with commas between them.
static void parse_fields(const char* text, const char* before, double* out_values, int count) {
    const char* at = strstr(text, before);
    assert_non_null(at);
    at += strlen(before);
    for (int i = 0; i < count; ++i) {
        char* end;
        out_values[i] = strtod(at, &end);
        assert_true(end > at);
        at = end + 1;
    }
}

static void contacts_csv_holds_the_wrench(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_recording* recording = open_sample(ctx);
    char directory[TEST_PATH_SIZE];
    sample s;
    sample_make_model(&s);
    sample_make_frame(&s, 1);
    CHECK_OK(ctx, iso_recording_export_csv(recording, temp_path(directory, "csv")));
    char* text;
    read_text(ctx, directory, "contacts.csv", &text);
    double got[12];
    parse_fields(text, "hull,hull,5,", got, 12);
    const iso_contact* want = &s.contacts[0];
    CHECK_BITS(got[0], want->patch.area);
    CHECK_ARRAY_BITS(got + 1, &want->f_b_w.translational.x, 3);
    CHECK_ARRAY_BITS(got + 4, &want->f_b_w.rotational.x, 3);
    CHECK_ARRAY_BITS(got + 7, &want->patch.center_of_pressure.x, 3);
    CHECK_BITS(got[10], want->patch.max_pressure);
    CHECK_BITS(got[11], want->elastic_energy);
    iso_free(ctx, text);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static void vtk_collections_name_a_file_per_frame(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_recording* recording = open_sample(ctx);
    char directory[TEST_PATH_SIZE];
    CHECK_OK(ctx, iso_recording_export_vtk(recording, temp_path(directory, "vtk")));
    char* text;
    read_text(ctx, directory, "patches.pvd", &text);
    assert_int_equal(count_lines(text), FRAMES + 5);
    CHECK_TEXT(text, "timestep=\"0.11\" part=\"0\" file=\"patches_000011.vtp\"");
    iso_free(ctx, text);
    read_text(ctx, directory, "bodies.pvd", &text);
    assert_int_equal(count_lines(text), 2 * FRAMES + 5);
    CHECK_TEXT(text, "timestep=\"0.11\" part=\"1\" file=\"bodies_fixed.vtp\"");
    iso_free(ctx, text);
    read_text(ctx, directory, "patches_000002.vtp", &text);
    CHECK_TEXT(text, "NumberOfPoints=\"40\"");
    CHECK_TEXT(text, "NumberOfPolys=\"10\"");
    CHECK_TEXT(text, "Name=\"traction\" NumberOfComponents=\"3\"");
    iso_free(ctx, text);
    read_text(ctx, directory, "bodies_000000.vtp", &text);
    CHECK_TEXT(text, "NumberOfPoints=\"12\"");
    iso_free(ctx, text);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static void vtk_of_a_driven_body_moves(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_recording* recording;
    char directory[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    CHECK_OK(ctx, write_recording(ctx, temp_path(path, "driven.mcap"), true));
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    CHECK_OK(ctx, iso_recording_export_vtk(recording, temp_path(directory, "driven")));
    static const char* const names[3] = {"bodies_fixed.vtp", "bodies_000000.vtp",
                                         "bodies_000011.vtp"};
    static const char* const counts[3] = {"NumberOfPoints=\"8\"", "NumberOfPoints=\"4\"",
                                          "NumberOfPoints=\"4\""};
    for (int i = 0; i < 3; ++i) {
        char* text;
        read_text(ctx, directory, names[i], &text);
        CHECK_TEXT(text, counts[i]);
        iso_free(ctx, text);
    }
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static void one_frame_exports_as_two_files(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char directory[TEST_PATH_SIZE];
    sample s;
    sample_make_model(&s);
    sample_make_frame(&s, 2);
    temp_path(directory, "patch");
    CHECK_OK(ctx, iso_frame_export_vtk(ctx, &s.model, &s.frame, directory));
    char* text;
    read_text(ctx, directory, "patches.vtp", &text);
    CHECK_TEXT(text, "NumberOfPolys=\"10\"");
    iso_free(ctx, text);
    read_text(ctx, directory, "bodies.vtp", &text);
    CHECK_TEXT(text, "Name=\"body_names\" NumberOfTuples=\"3\"");
    iso_free(ctx, text);
    CHECK_STATUS(ctx, iso_frame_export_vtk(ctx, &s.model, &s.frame, "/nonexistent/a/b"),
                 ISO_ERR_IO);
    CHECK_ERROR(ctx, "/nonexistent/a/b");
    test_context_destroy(ctx);
}

static void page_holds_the_recording_in_the_place_of_the_token(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_recording* recording = open_sample(ctx);
    char path[TEST_PATH_SIZE];
    temp_path(path, "view.html");
    CHECK_OK(ctx, iso_recording_write_view(recording, PAGE, strlen(PAGE), path, NULL));
    char* text;
    size_t size;
    CHECK_OK(ctx, iso_file_read(ctx, path, 16 << 20, &text, &size));
    assert_memory_equal(text, "<html><script id=\"isobar-data\">{\"format\":\"isobar-view-2\"", 56);
    assert_string_equal(text + size - 17, "}</script></html>");
    assert_null(strstr(text, "@@"));
    // The scene's name cannot end the script element.
    CHECK_TEXT(text, "sample \\u003c/script>");
    assert_ptr_equal(strstr(text, "</script>"), text + size - 16);
    CHECK_TEXT(text, "\"pairs\":[{\"a\":\"ball::ball\",\"b\":");
    iso_free(ctx, text);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static int count_frames(iso_context* ctx, iso_recording* recording, const iso_view_desc* desc,
                        const char* note) {
    char path[TEST_PATH_SIZE];
    temp_path(path, "small.html");
    CHECK_OK(ctx, iso_recording_write_view(recording, PAGE, strlen(PAGE), path, desc));
    char* text;
    size_t size;
    CHECK_OK(ctx, iso_file_read(ctx, path, 16 << 20, &text, &size));
    CHECK_TEXT(text, note);
    const char* times = strstr(text, "\"times\":[");
    int count = 1;
    for (const char* c = times; *c != ']'; ++c) {
        count += *c == ',';
    }
    iso_free(ctx, text);
    return count;
}

// Frames every 10 ms.
static void page_says_what_it_leaves_out(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_recording* recording = open_sample(ctx);
    iso_view_desc desc = iso_view_desc_default();
    desc.frame_rate = 100.0;
    assert_int_equal(count_frames(ctx, recording, &desc, "\"notes\":[]"), FRAMES);
    desc.frame_rate = 50.0;
    assert_int_equal(count_frames(ctx, recording, &desc, "6 of 12 frames, at most 50 per second"),
                     FRAMES / 2);
    desc.frame_rate = 100.0;
    desc.size_limit = 5000;
    assert_int_equal(count_frames(ctx, recording, &desc, "one in 2 of these"), FRAMES / 2);
    desc.size_limit = 0;
    assert_int_equal(count_frames(ctx, recording, &desc, "one in 16 of these"), 1);
    desc.frame_rate = 0.0;
    CHECK_STATUS(ctx, iso_recording_write_view(recording, PAGE, strlen(PAGE), "/tmp/x", &desc),
                 ISO_ERR_RANGE);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static void failed_exports_leave_nothing_behind(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_recording* recording = open_sample(ctx);
    struct stat info;
    CHECK_STATUS(ctx, iso_recording_export_csv(recording, "/nonexistent/a/b"), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/nonexistent/a/b");
    CHECK_STATUS(ctx, iso_recording_export_vtk(recording, "/dev/null"), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/dev/null");
    CHECK_STATUS(
        ctx, iso_recording_write_view(recording, PAGE, strlen(PAGE), "/nonexistent/v.html", NULL),
        ISO_ERR_IO);
    CHECK_ERROR(ctx, "/nonexistent/v.html");
    char path[TEST_PATH_SIZE];
    temp_path(path, "never.html");
    CHECK_STATUS(ctx, iso_recording_write_view(recording, "<html>", 6, path, NULL),
                 ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "@@ISOBAR_DATA@@ exactly once");
    static const char twice[] = "@@ISOBAR_DATA@@@@ISOBAR_DATA@@";
    CHECK_STATUS(ctx, iso_recording_write_view(recording, twice, strlen(twice), path, NULL),
                 ISO_ERR_ARGUMENT);
    assert_int_not_equal(stat(path, &info), 0);
    // A table that cannot be opened takes the others with it.
    char directory[TEST_PATH_SIZE], blocked[2 * TEST_PATH_SIZE];
    temp_path(directory, "blocked");
    mkdir(directory, 0777);
    snprintf(blocked, sizeof blocked, "%s/energy.csv.part", directory);
    mkdir(blocked, 0777);
    CHECK_STATUS(ctx, iso_recording_export_csv(recording, directory), ISO_ERR_IO);
    snprintf(blocked, sizeof blocked, "%s/bodies.csv", directory);
    assert_int_not_equal(stat(blocked, &info), 0);
    snprintf(blocked, sizeof blocked, "%s/bodies.csv.part", directory);
    assert_int_not_equal(stat(blocked, &info), 0);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

// Closed or cut before the first frame: nothing is made of it, and nothing is replaced.
static void recordings_without_frames_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE], target[TEST_PATH_SIZE];
    struct stat info;
    sample s;
    sample_make_model(&s);
    iso_recorder_desc desc = iso_recorder_desc_default();
    iso_frame_writer* writer = NULL;
    iso_recording* recording;
    CHECK_OK(ctx,
             iso_frame_writer_open(ctx, temp_path(path, "none.mcap"), &desc, &s.model, &writer));
    CHECK_OK(ctx, iso_frame_writer_close(writer));
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    assert_int_equal(iso_recording_frame_count(recording), 0);
    temp_path(target, "none");
    CHECK_STATUS(ctx, iso_recording_export_csv(recording, target), ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "none.mcap: holds no frames");
    CHECK_STATUS(ctx, iso_recording_export_vtk(recording, target), ISO_ERR_PARSE);
    CHECK_STATUS(ctx, iso_recording_write_view(recording, PAGE, strlen(PAGE), target, NULL),
                 ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "none.mcap: holds no frames");
    assert_int_not_equal(stat(target, &info), 0);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

typedef struct told {
    int calls, done, count;
} told;

static void count_progress(void* user, int done, int count) {
    told* t = user;
    assert_true(done >= t->done && done <= count);
    *t = (told){t->calls + 1, done, count};
}

static void exports_say_how_far_they_are(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_recording* recording = open_sample(ctx);
    char path[TEST_PATH_SIZE];
    for (int k = 0; k < 3; ++k) {
        told t = {0, 0, 0};
        iso_recording_set_progress(recording, count_progress, &t);
        if (k == 0) {
            CHECK_OK(ctx, iso_recording_export_csv(recording, temp_path(path, "told_csv")));
        } else if (k == 1) {
            CHECK_OK(ctx, iso_recording_export_vtk(recording, temp_path(path, "told_vtk")));
        } else {
            CHECK_OK(ctx, iso_recording_write_view(recording, PAGE, strlen(PAGE),
                                                   temp_path(path, "told.html"), NULL));
        }
        assert_true(t.calls >= FRAMES);
        assert_int_equal(t.done, FRAMES);
        assert_int_equal(t.count, FRAMES);
        iso_recording_set_progress(recording, NULL, NULL);
        CHECK_OK(ctx, iso_recording_export_csv(recording, temp_path(path, "told_csv")));
        assert_int_equal(t.done, FRAMES);
    }
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static iso_status export_everything(iso_context* ctx, const char* mcap, const char* directory,
                                    const char* page, size_t page_size) {
    char path[2 * TEST_PATH_SIZE];
    iso_recording* recording = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(iso_recording_open(ctx, mcap, &recording));
    ISO_TRY(iso_recording_export_csv(recording, directory));
    ISO_TRY(iso_recording_export_vtk(recording, directory));
    snprintf(path, sizeof path, "%s/view.html", directory);
    ISO_TRY(iso_recording_write_view(recording, page, page_size, path, NULL));

done:
    iso_recording_close(recording);
    return status;
}

static iso_status export_attempt(iso_context* ctx, void* user) {
    char directory[TEST_PATH_SIZE];
    return export_everything(ctx, user, temp_path(directory, "heap"), PAGE, strlen(PAGE));
}

static void exports_survive_every_allocation_failure(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    CHECK_OK(ctx, write_recording(ctx, temp_path(path, "heap.mcap"), false));
    int count = check_every_allocation_failure(export_attempt, path);
    CHECK(count > 100, "%d allocations", count);
    test_context_destroy(ctx);
}

// For test_official_readers.py and the viewer's test: the sample as sample.mcap, and every export
// of it, into DIRECTORY; the page from TEMPLATE.
static int write_samples(const char* directory, const char* template_path) {
    char path[TEST_PATH_SIZE];
    iso_context* ctx = NULL;
    char* page = NULL;
    size_t page_size = 0;
    iso_status status = iso_context_create(NULL, &ctx);
    if (status != ISO_OK) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/sample.mcap", directory);
    ISO_TRY(iso_file_read(ctx, template_path, 16 << 20, &page, &page_size));
    ISO_TRY(write_recording(ctx, path, false));
    ISO_TRY(export_everything(ctx, path, directory, page, page_size));

done:
    if (status != ISO_OK) {
        fprintf(stderr, "%s\n", iso_context_error(ctx));
    }
    iso_free(ctx, page);
    iso_context_destroy(ctx);
    return status == ISO_OK ? 0 : 1;
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_tables_have_their_rows_and_values),
        cmocka_unit_test(contacts_csv_holds_the_wrench),
        cmocka_unit_test(vtk_collections_name_a_file_per_frame),
        cmocka_unit_test(vtk_of_a_driven_body_moves),
        cmocka_unit_test(one_frame_exports_as_two_files),
        cmocka_unit_test(page_holds_the_recording_in_the_place_of_the_token),
        cmocka_unit_test(page_says_what_it_leaves_out),
        cmocka_unit_test(failed_exports_leave_nothing_behind),
        cmocka_unit_test(recordings_without_frames_are_refused),
        cmocka_unit_test(exports_say_how_far_they_are),
        cmocka_unit_test(exports_survive_every_allocation_failure),
    };
    if (argc == 3) {
        return write_samples(argv[1], argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
