// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "base/system/process.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A folder, and a program run in it: a script of the shell.
typedef struct fixture {
    iso_context* ctx;
    iso_work_directory folder;
    const char* directory; // its path
    char* log_path;
} fixture;

static char* path_in(const fixture* f, const char* name) {
    iso_text text = {0};
    CHECK_OK(f->ctx, iso_text_printf(f->ctx, &text, "%s/%s", f->directory, name));
    return text.data;
}

static fixture set_up(void) {
    fixture f = {.ctx = test_context()};
    CHECK_OK(f.ctx, iso_work_directory_make(f.ctx, &f.folder));
    f.directory = f.folder.path;
    f.log_path = path_in(&f, "log");
    return f;
}

static void tear_down(fixture* f) {
    char* kept = iso_strdup(f->ctx, f->directory);
    iso_work_directory_remove(f->ctx, &f->folder);
    struct stat info;
    assert_int_equal(stat(kept, &info), -1);
    assert_int_equal(errno, ENOENT);
    iso_free(f->ctx, kept);
    iso_free(f->ctx, f->log_path);
    test_context_destroy(f->ctx);
}

// Folders of this name in `base`, an hour old: of who was killed, of who lives, of an older kind
// without a lock; and another's folder.
static void folders_of_killed_processes_are_removed(void** state) {
    (void)state;
    static const char* const k_names[4] = {"isobar-prepare-killed", "isobar-prepare-lives",
                                           "isobar-prepare-older", "other"};
    fixture f = set_up();
    char* before = getenv("TMPDIR") ? iso_strdup(f.ctx, getenv("TMPDIR")) : NULL;
    int lock = -1;
    struct stat info;
    for (int i = 0; i < 4; ++i) {
        iso_text name = {0};
        char* path = path_in(&f, k_names[i]);
        struct timespec old[2] = {{time(NULL) - 3600, 0}, {time(NULL) - 3600, 0}};
        assert_int_equal(mkdir(path, 0700), 0);
        CHECK_OK(f.ctx, iso_text_printf(f.ctx, &name, "%s/lock", path));
        int file = i == 2 ? -1 : open(name.data, O_RDWR | O_CREAT, 0600);
        if (i == 1) {
            assert_int_equal(flock(file, LOCK_EX), 0);
            lock = file;
        } else if (file >= 0) {
            close(file);
        }
        assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
        iso_text_free(f.ctx, &name);
        iso_free(f.ctx, path);
    }
    setenv("TMPDIR", f.directory, 1);
    iso_work_directory own;
    CHECK_OK(f.ctx, iso_work_directory_make(f.ctx, &own));
    for (int i = 0; i < 4; ++i) {
        char* path = path_in(&f, k_names[i]);
        CHECK((stat(path, &info) == 0) == (i != 0), "'%s'", path);
        iso_free(f.ctx, path);
    }
    iso_work_directory_remove(f.ctx, &own);
    close(lock);
    (void)(before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR"));
    iso_free(f.ctx, before);
    tear_down(&f);
}

static iso_process_result run(const fixture* f, const char* script, double time_limit) {
    const char* args[] = {"sh", "-c", script, NULL};
    iso_process_desc desc = {.args = args,
                             .directory = f->directory,
                             .is_secluded = true,
                             .log_path = f->log_path,
                             .time_limit = time_limit};
    iso_process_result result;
    CHECK_OK(f->ctx, iso_process_run(f->ctx, &desc, &result));
    return result;
}

static char* read_log(const fixture* f) {
    char* bytes = NULL;
    size_t size;
    CHECK_OK(f->ctx, iso_file_read(f->ctx, f->log_path, 1 << 20, &bytes, &size));
    return bytes;
}

static void output_exit_code_folder_and_closed_stdin_are_as_promised(void** state) {
    (void)state;
    fixture f = set_up();
    iso_process_result r =
        run(&f,
            "echo out; echo err >&2; test \"$HOME\" = \"$(pwd -P)\" && echo home; "
            "cat; echo end; exit 7",
            10.0);
    assert_int_equal(r.end, ISO_PROCESS_EXITED);
    assert_int_equal(r.code, 7);
    char* log = read_log(&f);
    assert_string_equal(log, "out\nerr\nhome\nend\n");
    iso_free(f.ctx, log);
    tear_down(&f);
}

static void signals_are_told_from_exits(void** state) {
    (void)state;
    fixture f = set_up();
    iso_process_result r = run(&f, "kill -SEGV $$", 10.0);
    assert_int_equal(r.end, ISO_PROCESS_SIGNALED);
    assert_int_equal(r.code, SIGSEGV);
    tear_down(&f);
}

static bool is_alive(const fixture* f, const char* file) {
    char* path = path_in(f, file);
    char* text = NULL;
    size_t size;
    CHECK_OK(f->ctx, iso_file_read(f->ctx, path, 100, &text, &size));
    long pid = strtol(text, NULL, 10);
    iso_free(f->ctx, text);
    iso_free(f->ctx, path);
    CHECK(pid > 1, "process %ld", pid);
    // Whoever adopts it may take a moment to see it dead.
    for (int i = 0; i < 5000 && kill((pid_t)pid, 0) == 0; ++i) {
        char stat_path[64], line[512] = "";
        (void)snprintf(stat_path, sizeof stat_path, "/proc/%ld/stat", pid);
        FILE* file_of = fopen(stat_path, "r");
        const char* got = file_of ? fgets(line, sizeof line, file_of) : NULL;
        if (file_of) {
            (void)fclose(file_of);
        }
        if (!got || strstr(line, ") Z ")) {
            return false;
        }
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return kill((pid_t)pid, 0) == 0;
}

static void a_program_over_time_is_killed_with_all_that_it_started(void** state) {
    (void)state;
    fixture f = set_up();
    iso_process_result r = run(&f, "sleep 400 & echo $! > child; trap '' TERM; sleep 400", 0.3);
    assert_int_equal(r.end, ISO_PROCESS_TIMEOUT);
    CHECK(r.seconds >= 0.3 && r.seconds < 200.0, "%g s", r.seconds);
    assert_false(is_alive(&f, "child"));
    // The same when it ends by itself and leaves something behind.
    r = run(&f, "sleep 400 & echo $! > other; exit 0", 200.0);
    assert_int_equal(r.end, ISO_PROCESS_EXITED);
    assert_false(is_alive(&f, "other"));
    tear_down(&f);
}

static bool stop_soon(void* user, double seconds) {
    return ++*(int*)user == 3 && seconds > 0.0;
}

static void ticks_come_and_may_stop_the_program(void** state) {
    (void)state;
    fixture f = set_up();
    int count = 0;
    const char* args[] = {"sleep", "100", NULL};
    iso_process_desc desc = {.args = args,
                             .directory = f.directory,
                             .log_path = f.log_path,
                             .time_limit = 50.0,
                             .tick = stop_soon,
                             .user = &count};
    iso_process_result r;
    CHECK_OK(f.ctx, iso_process_run(f.ctx, &desc, &r));
    assert_int_equal(r.end, ISO_PROCESS_CANCELLED);
    CHECK(count == 3 && r.seconds < 50.0, "%d ticks in %g s", count, r.seconds);
    tear_down(&f);
}

static void memory_is_bounded_when_asked(void** state) {
    (void)state;
    fixture f = set_up();
    const char* args[] = {"sh", "-c", "ulimit -v", NULL};
    iso_process_desc desc = {.args = args,
                             .directory = f.directory,
                             .log_path = f.log_path,
                             .time_limit = 10.0,
                             .memory_limit = 1048576.0 * 512.0};
    iso_process_result r;
    CHECK_OK(f.ctx, iso_process_run(f.ctx, &desc, &r));
    char* log = read_log(&f);
    assert_string_equal(log, "524288\n");
    iso_free(f.ctx, log);
    tear_down(&f);
}

static void missing_programs_and_folders_are_errors(void** state) {
    (void)state;
    fixture f = set_up();
    static const char* const k_names[] = {"no-such-program-anywhere", "/no/such/program",
                                          "./not/here"};
    iso_process_result r;
    for (int i = 0; i < 3; ++i) {
        const char* args[] = {k_names[i], NULL};
        iso_process_desc desc = {
            .args = args, .directory = f.directory, .log_path = f.log_path, .time_limit = 10.0};
        CHECK_STATUS(f.ctx, iso_process_run(f.ctx, &desc, &r), ISO_ERR_NOT_FOUND);
        CHECK_ERROR(f.ctx, k_names[i]);
    }
    const char* args[] = {"true", NULL};
    iso_process_desc desc = {
        .args = args, .directory = "/no/such/folder", .log_path = f.log_path, .time_limit = 10.0};
    CHECK_STATUS(f.ctx, iso_process_run(f.ctx, &desc, &r), ISO_ERR_IO);
    CHECK_ERROR(f.ctx, "cannot be started: No such file or directory");
    // A file that is a program by its mode alone.
    char* path = path_in(&f, "noise");
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    (void)fputs("\x7f"
                "ELFnonsense",
                file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    const char* noise[] = {path, NULL};
    desc = (iso_process_desc){
        .args = noise, .directory = f.directory, .log_path = f.log_path, .time_limit = 10.0};
    CHECK_STATUS(f.ctx, iso_process_run(f.ctx, &desc, &r), ISO_ERR_IO);
    iso_free(f.ctx, path);
    tear_down(&f);
}

static void a_folder_with_folders_is_removed(void** state) {
    (void)state;
    fixture f = set_up();
    iso_process_result r =
        run(&f, "mkdir -p a/b/c && touch a/b/c/d a/.hidden && ln -s / root", 10.0);
    assert_int_equal(r.code, 0);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_of_killed_processes_are_removed),
        cmocka_unit_test(output_exit_code_folder_and_closed_stdin_are_as_promised),
        cmocka_unit_test(signals_are_told_from_exits),
        cmocka_unit_test(a_program_over_time_is_killed_with_all_that_it_started),
        cmocka_unit_test(ticks_come_and_may_stop_the_program),
        cmocka_unit_test(memory_is_bounded_when_asked),
        cmocka_unit_test(missing_programs_and_folders_are_errors),
        cmocka_unit_test(a_folder_with_folders_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
