// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "record/frames/frame_writer.h"
#include "sample.h"
#include "support/assets.h"
#include "support/failing_context.h"

#include <sys/stat.h>

// Records `frames` frames; chunks are small, so that their indices count.
static iso_status record(iso_context* ctx, const char* path, double limit, int chunk_size,
                         int frames) {
    sample s;
    sample_make_model(&s);
    iso_recorder_desc desc = iso_recorder_desc_default();
    desc.frame_rate = 0.0;
    desc.size_limit = limit;
    desc.chunk_size = chunk_size;
    iso_frame_writer* writer = NULL;
    iso_frame_schedule schedule = iso_frame_schedule_make(desc.frame_rate);
    iso_status status = ISO_OK;
    ISO_TRY(iso_frame_writer_open(ctx, path, &desc, &s.model, &writer));
    for (int i = 0; i < frames; ++i) {
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

static double size_of(const char* path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return (double)info.st_size;
}

static int frames_of(iso_context* ctx, const char* path) {
    iso_recording* recording;
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    assert_true(iso_recording_is_complete(recording));
    int count = iso_recording_frame_count(recording);
    const iso_recorded_frame* frame;
    for (int i = 0; i < count; ++i) {
        CHECK_OK(ctx, iso_recording_read(recording, i, &frame));
        assert_int_equal(frame->contact_count, i % 3);
    }
    iso_recording_close(recording);
    return count;
}

static void files_never_exceed_their_limit_and_stay_whole(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(7);
    char path[TEST_PATH_SIZE];
    temp_path(path, "limit.mcap");
    CHECK_OK(ctx, record(ctx, path, 0.0, 4 << 20, 60));
    double whole = size_of(path);
    assert_int_equal(frames_of(ctx, path), 60);
    bool was_cut = false, had_some = false;
    for (int i = 0; i < 40; ++i) {
        double limit = whole * test_random_uniform(&random, 0.6, 3.0);
        int chunk_size = 1 << (int)test_random_uniform(&random, 8.0, 22.0);
        iso_status status = record(ctx, path, limit, chunk_size, 60);
        if (status == ISO_ERR_RANGE) {
            CHECK_ERROR(ctx, "expected at least");
            continue;
        }
        CHECK_OK(ctx, status);
        assert_true(size_of(path) <= limit);
        int frames = frames_of(ctx, path);
        was_cut |= frames < 60;
        had_some |= frames > 0;
    }
    assert_true(was_cut && had_some);
    // What is left unused is what the bound is rounded up by: the frames before compression.
    CHECK_OK(ctx, record(ctx, path, 40.0 * whole, 4 << 20, 60));
    assert_int_equal(frames_of(ctx, path), 60);
    assert_true(size_of(path) == whole);
    test_context_destroy(ctx);
}

// One chunk for all: what is compressed counts as it is stored.
static void compressed_bytes_count(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    temp_path(path, "limit.mcap");
    CHECK_OK(ctx, record(ctx, path, 0.0, 1 << 24, 400));
    double whole = size_of(path);
    CHECK_OK(ctx, record(ctx, path, 0.7 * whole, 1 << 24, 400));
    int frames = frames_of(ctx, path);
    assert_true(size_of(path) <= 0.7 * whole);
    assert_true(frames > 200); // measured 266
    test_context_destroy(ctx);
}

static void a_limit_that_holds_no_model_is_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    temp_path(path, "refused.mcap");
    CHECK_STATUS(ctx, record(ctx, path, 1000.0, 4 << 20, 1), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "size_limit is 1000 bytes, expected at least");
    struct stat info;
    assert_int_equal(stat(path, &info), -1); // a file that was refused is none
    CHECK_STATUS(ctx, record(ctx, path, -1.0, 4 << 20, 1), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, record(ctx, path, (double)INFINITY, 4 << 20, 1), ISO_ERR_RANGE);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_never_exceed_their_limit_and_stay_whole),
        cmocka_unit_test(compressed_bytes_count),
        cmocka_unit_test(a_limit_that_holds_no_model_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
