// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Recorders that write in a thread of their own (iso_recorder_desc.in_background; label threads:
// thread_count).

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "isobar/record.h"
#include "support/assets.h"
#include "support/balls.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS 60

static iso_world* make_world(iso_context* ctx, uint64_t seed) {
    test_random random = test_random_make(seed);
    iso_model* model = test_floor_model(ctx);
    iso_world* world;
    for (int i = 0; i < 2; ++i) {
        double mass = test_random_uniform(&random, 0.1, 1.0);
        iso_pose start = iso_pose_from_position(
            iso_vec3_make(0.2 * i, 0.0, 0.05 + test_random_uniform(&random, -2e-3, 2e-3)));
        test_add_ball(ctx, model, i == 0 ? "a::ball" : "b::ball", mass, 5e-4, &start);
    }
    iso_world_desc desc = iso_world_desc_default();
    CHECK_OK(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    return world;
}

// Chunks end by their size alone, so that bytes do not depend on the clock.
static iso_recorder_desc every_frame(bool in_background, int chunk_size) {
    iso_recorder_desc desc = iso_recorder_desc_default();
    desc.frame_rate = 0.0;
    desc.flush_interval = 1e9;
    desc.chunk_size = chunk_size;
    desc.in_background = in_background;
    return desc;
}

static void record(iso_context* ctx, const char* path, uint64_t seed,
                   const iso_recorder_desc* desc) {
    iso_world* world = make_world(ctx, seed);
    iso_recorder* recorder;
    CHECK_OK(ctx, iso_recorder_create(ctx, path, world, desc, &recorder));
    for (int i = 0; i < STEPS; ++i) {
        CHECK_OK(ctx, iso_world_step(world));
        CHECK_OK(ctx, iso_recorder_record(recorder, world));
        if (i == STEPS / 2) {
            assert_int_equal(iso_recorder_frame_count(recorder), i + 1);
        }
    }
    iso_world_destroy(world); // what waits needs it no more
    CHECK_OK(ctx, iso_recorder_close(recorder));
}

static void bytes_are_those_of_a_recorder_without_a_thread(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[2][TEST_PATH_SIZE];
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        char* bytes[2];
        size_t size[2];
        for (int k = 0; k < 2; ++k) {
            iso_recorder_desc desc = every_frame(k == 0, seed % 2 ? 1 : 50000);
            desc.with_faces = seed % 3 != 0;
            desc.json_contacts = seed % 3 == 1;
            temp_path(path[k], k == 0 ? "thread.mcap" : "once.mcap");
            record(ctx, path[k], seed, &desc);
            CHECK_OK(ctx, iso_file_read(ctx, path[k], 64 << 20, &bytes[k], &size[k]));
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        iso_free(ctx, bytes[0]);
        iso_free(ctx, bytes[1]);
    }
    test_context_destroy(ctx);
}

static void failures_of_the_thread_fail_a_later_call_and_stick(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_world(ctx, 1);
    iso_recorder* recorder;
    char path[TEST_PATH_SIZE];
    iso_recorder_desc desc = every_frame(true, 1);
    CHECK_OK(ctx, iso_recorder_create(ctx, temp_path(path, "cut.mcap"), world, &desc, &recorder));
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 60000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    iso_status status = ISO_OK;
    int steps = 0;
    for (; status == ISO_OK && steps < 10000; ++steps) {
        CHECK_OK(ctx, iso_world_step(world));
        status = iso_recorder_record(recorder, world);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, ISO_ERR_IO);
    CHECK_ERROR(ctx, "cut.mcap: cannot write: File too large");
    assert_int_equal(iso_recorder_record(recorder, world), ISO_ERR_IO);
    assert_int_equal(iso_recorder_close(recorder), ISO_ERR_IO);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// The model, with its meshes, is compressed by the thread too: what goes wrong there comes later.
static void a_model_that_cannot_be_written_fails_a_later_call(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_world(ctx, 4);
    char path[TEST_PATH_SIZE];
    temp_path(path, "model.mcap");
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100;
    for (int background = 0; background < 2; ++background) {
        iso_recorder_desc desc = every_frame(background == 1, 1);
        iso_recorder* recorder;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        iso_status created = iso_recorder_create(ctx, path, world, &desc, &recorder);
        iso_status closed = background ? iso_recorder_close(recorder) : created;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(created, background ? ISO_OK : ISO_ERR_IO);
        assert_int_equal(closed, ISO_ERR_IO);
        CHECK_ERROR(ctx, "model.mcap: cannot write: File too large");
    }
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

// What was flushed stays readable when a program ends without closing.
static void a_killed_program_leaves_whole_frames(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    temp_path(path, "killed.mcap");
    pid_t child = fork();
    if (child == 0) {
        iso_world* world = make_world(ctx, 2);
        iso_recorder* recorder;
        iso_recorder_desc desc = every_frame(true, 1);
        CHECK_OK(ctx, iso_recorder_create(ctx, path, world, &desc, &recorder));
        for (int i = 0; i < STEPS; ++i) {
            CHECK_OK(ctx, iso_world_step(world));
            CHECK_OK(ctx, iso_recorder_record(recorder, world));
        }
        (void)kill(getpid(), SIGKILL);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    iso_recording* recording;
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    assert_false(iso_recording_is_complete(recording));
    // At most eight frames wait, and one is in the making.
    assert_true(iso_recording_frame_count(recording) >= STEPS - 9);
    iso_recording_close(recording);
    test_context_destroy(ctx);
}

static void a_process_forked_off_leaves_the_file_alone(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = make_world(ctx, 3);
    iso_recorder* recorder;
    char path[TEST_PATH_SIZE];
    iso_recorder_desc desc = every_frame(true, 1);
    CHECK_OK(ctx, iso_recorder_create(ctx, temp_path(path, "fork.mcap"), world, &desc, &recorder));
    CHECK_OK(ctx, iso_recorder_record(recorder, world));
    assert_int_equal(iso_recorder_frame_count(recorder), 1); // the thread waits
    pid_t child = fork();
    if (child == 0) {
        iso_status put = iso_recorder_record(recorder, world);
        iso_status closed = iso_recorder_close(recorder);
        _exit(put == ISO_ERR_ARGUMENT && closed == ISO_ERR_ARGUMENT ? 0 : 1);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    CHECK_OK(ctx, iso_recorder_record(recorder, world));
    CHECK_OK(ctx, iso_recorder_close(recorder));
    iso_recording* recording;
    CHECK_OK(ctx, iso_recording_open(ctx, path, &recording));
    assert_true(iso_recording_is_complete(recording));
    assert_int_equal(iso_recording_frame_count(recording), 2);
    iso_recording_close(recording);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_a_recorder_without_a_thread),
        cmocka_unit_test(failures_of_the_thread_fail_a_later_call_and_stick),
        cmocka_unit_test(a_model_that_cannot_be_written_fails_a_later_call),
        cmocka_unit_test(a_killed_program_leaves_whole_frames),
        cmocka_unit_test(a_process_forked_off_leaves_the_file_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
