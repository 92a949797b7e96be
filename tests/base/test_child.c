// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/poison.h"
#include "base/system/child.h"
#include "support/busy_heap.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(ISO_HAS_ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_SANITIZER true
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER false
#endif

#define PLENTY 100.0 // [s], more than any of this takes

typedef void (*work_fn)(void* user, const iso_child_pipe* pipe);

// What came back.
typedef struct inbox {
    long sum;
    int count;
    int last_kind;
    bool is_in_order;
    int fail_at; // take() fails at this record, counted from 1
} inbox;

static iso_status take(void* user, uint32_t kind, const void* bytes, size_t size) {
    inbox* in = user;
    long value = 0;
    in->is_in_order = (in->count == 0 || in->is_in_order) && size >= sizeof value;
    if (size >= sizeof value) {
        memcpy(&value, bytes, sizeof value);
    }
    in->is_in_order = in->is_in_order && value >= in->count;
    in->sum += value;
    in->last_kind = (int)kind;
    return ++in->count == in->fail_at ? ISO_ERR_RANGE : ISO_OK;
}

static iso_child_result run_within(work_fn work, inbox* in, double time_limit) {
    iso_context* ctx = test_context();
    *in = (inbox){0};
    iso_child_desc desc = {.work = work, .take = take, .user = in, .time_limit = time_limit};
    iso_child_result result;
    CHECK_OK(ctx, iso_child_run(ctx, &desc, &result));
    test_context_destroy(ctx);
    int state;
    assert_int_equal(waitpid(-1, &state, WNOHANG), -1); // no zombie
    assert_int_equal(errno, ECHILD);
    return result;
}

static void check_end(work_fn work, iso_child_end end, int code) {
    inbox in;
    iso_child_result result = run_within(work, &in, PLENTY);
    assert_int_equal(result.end, end);
    assert_int_equal(result.code, code);
}

static void send_long(const iso_child_pipe* pipe, uint32_t kind, long value) {
    iso_child_send(pipe, kind, &value, sizeof value);
}

static void send_many(void* user, const iso_child_pipe* pipe) {
    (void)user;
    static char bytes[ISO_CHILD_RECORD_SIZE];
    for (long i = 0; i < 300; ++i) {
        memcpy(bytes, &i, sizeof i);
        iso_child_send(pipe, 7, bytes, i % 2 ? sizeof bytes : sizeof i + (size_t)i);
    }
}

static void what_a_child_sends_comes_whole_and_in_order(void** state) {
    (void)state;
    inbox in;
    iso_child_result result = run_within(send_many, &in, PLENTY);
    assert_int_equal(result.end, ISO_CHILD_DONE);
    assert_int_equal(in.count, 300);
    assert_int_equal(in.sum, 300 * 299 / 2);
    assert_int_equal(in.last_kind, 7);
    assert_true(in.is_in_order);
}

static void hang(void* user, const iso_child_pipe* pipe) {
    (void)user;
    send_long(pipe, 1, 42);
    for (;;) {
        pause();
    }
}

static void a_child_that_hangs_is_killed(void** state) {
    (void)state;
    inbox in;
    iso_child_result result = run_within(hang, &in, 0.2);
    assert_int_equal(result.end, ISO_CHILD_TIMEOUT);
    assert_int_equal(in.sum, 42);
}

static void crash(void* user, const iso_child_pipe* pipe) {
    (void)user, (void)pipe;
    raise(SIGSEGV);
}

static void call_abort(void* user, const iso_child_pipe* pipe) {
    (void)user, (void)pipe;
    abort();
}

static void leave(void* user, const iso_child_pipe* pipe) {
    (void)user, (void)pipe;
    _exit(7);
}

static void crashes_and_exits_are_told(void** state) {
    (void)state;
    check_end(crash, ISO_CHILD_SIGNALED, SIGSEGV);
    check_end(call_abort, ISO_CHILD_SIGNALED, SIGABRT);
    check_end(leave, ISO_CHILD_EXITED, 7);
}

// Sends the number of a process that keeps the pipe open and outlives the child.
static void crash_with_heir(void* user, const iso_child_pipe* pipe) {
    pid_t heir = fork();
    if (heir == 0) {
        hang(user, &(iso_child_pipe){open("/dev/null", O_WRONLY)});
    }
    send_long(pipe, 1, heir);
    raise(SIGSEGV);
}

static void a_crash_is_seen_though_another_process_holds_the_pipe(void** state) {
    (void)state;
    inbox in;
    iso_child_result result = run_within(crash_with_heir, &in, PLENTY);
    assert_int_equal(result.end, ISO_CHILD_SIGNALED);
    CHECK(in.sum > 1, "process %ld", in.sum);
    kill((pid_t)in.sum, SIGKILL);
}

static void spin(void* user, const iso_child_pipe* pipe) {
    (void)user, (void)pipe;
    iso_child_bounds bounds = {.seconds = 1.0};
    iso_child_bound(&bounds);
    for (volatile long i = 0;; ++i) {
    }
}

static void grow(void* user, const iso_child_pipe* pipe) {
    (void)user;
    const size_t size = (size_t)256 << 20;
    iso_child_bounds bounds = {.seconds = 100.0, .bytes = 64 << 20};
    iso_child_bound(&bounds);
    void* volatile small = malloc(1 << 20);
    void* volatile refused = malloc(size);
    bounds.bytes = 1024 << 20;
    iso_child_bound(&bounds);
    void* volatile given = malloc(size);
    send_long(pipe, 1, (small != NULL) + 2 * (refused != NULL) + 4 * (given != NULL));
}

static void processor_time_and_memory_are_bounded(void** state) {
    (void)state;
    check_end(spin, ISO_CHILD_SPENT, SIGXCPU);
    inbox in;
    iso_child_result result = run_within(grow, &in, PLENTY);
    assert_int_equal(result.end, ISO_CHILD_DONE);
    // small, given; refused unless the build has a sanitizer, which a bound would break
    CHECK(in.sum == 5 || (HAS_SANITIZER && in.sum == 7), "%ld", in.sum);
}

static void babble(void* user, const iso_child_pipe* pipe) {
    (void)user;
    unsigned char noise[4000];
    memset(noise, 0xee, sizeof noise);
    ssize_t put = write(pipe->fd, noise, sizeof noise);
    (void)put;
    for (;;) {
        pause();
    }
}

static void noise_in_the_pipe_ends_the_child(void** state) {
    (void)state;
    inbox in;
    iso_child_result result = run_within(babble, &in, PLENTY);
    assert_int_equal(result.end, ISO_CHILD_SIGNALED);
    assert_int_equal(in.count, 0);
}

static void send_forever(void* user, const iso_child_pipe* pipe) {
    (void)user;
    for (long i = 0;; ++i) {
        send_long(pipe, 1, i);
    }
}

static void a_record_that_is_refused_ends_the_child(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    inbox in = {.fail_at = 3};
    iso_child_desc desc = {.work = send_forever, .take = take, .user = &in, .time_limit = PLENTY};
    iso_child_result result;
    assert_int_equal(iso_child_run(ctx, &desc, &result), ISO_ERR_RANGE);
    assert_int_equal(in.count, 3);
    int ended;
    assert_int_equal(waitpid(-1, &ended, WNOHANG), -1);
    test_context_destroy(ctx);
}

static void ignore(int signal_number) {
    (void)signal_number;
}

static void look_around(void* user, const iso_child_pipe* pipe) {
    (void)user;
    char byte;
    struct sigaction action;
    struct rlimit core;
    sigset_t blocked;
    long is_clean = read(0, &byte, 1) == 0 && write(1, "x", 1) == 1 && write(2, "x", 1) == 1;
    for (int fd = 3; fd < 100; ++fd) {
        is_clean = is_clean && (fd == pipe->fd || fcntl(fd, F_GETFD) < 0);
    }
    sigaction(SIGUSR1, NULL, &action);
    is_clean = is_clean && action.sa_handler == SIG_DFL;
    sigaction(SIGPIPE, NULL, &action);
    is_clean = is_clean && action.sa_handler == SIG_DFL;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    is_clean = is_clean && !sigismember(&blocked, SIGUSR2);
    getrlimit(RLIMIT_CORE, &core);
    is_clean = is_clean && core.rlim_cur == 0 && getpgrp() == getpid();
    send_long(pipe, 1, is_clean);
}

static void a_child_inherits_no_files_handlers_and_masks(void** state) {
    (void)state;
    struct sigaction handler = {.sa_handler = ignore}, none = {.sa_handler = SIG_IGN}, before[2];
    sigset_t mask, old_mask, now;
    sigaction(SIGUSR1, &handler, &before[0]);
    sigaction(SIGPIPE, &none, &before[1]);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &mask, &old_mask);
    int kept = dup(1);
    inbox in;
    iso_child_result result = run_within(look_around, &in, PLENTY);
    assert_int_equal(result.end, ISO_CHILD_DONE);
    assert_int_equal(in.sum, 1);
    pthread_sigmask(SIG_SETMASK, &old_mask, &now);
    assert_true(sigismember(&now, SIGUSR2) && !sigismember(&now, SIGUSR1)); // ours is as it was
    sigaction(SIGUSR1, &before[0], NULL);
    sigaction(SIGPIPE, &before[1], NULL);
    close(kept);
}

static void the_pipe_may_take_the_place_of_standard_input(void** state) {
    (void)state;
    int kept = dup(0);
    close(0);
    inbox in;
    iso_child_result result = run_within(look_around, &in, PLENTY);
    dup2(kept, 0);
    close(kept);
    assert_int_equal(result.end, ISO_CHILD_DONE);
    assert_int_equal(in.sum, 1);
}

static void callers_that_ignore_their_children_are_served(void** state) {
    (void)state;
    struct sigaction none = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGCHLD, &none, &before);
    inbox in;
    iso_child_result result = run_within(send_many, &in, PLENTY);
    assert_int_equal(result.end, ISO_CHILD_DONE);
    assert_int_equal(in.count, 300);
    check_end(crash, ISO_CHILD_LOST, 0);
    result = run_within(hang, &in, 0.2);
    assert_int_equal(result.end, ISO_CHILD_TIMEOUT);
    sigaction(SIGCHLD, &before, NULL);
}

static void a_process_that_cannot_be_started_is_an_error(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    struct rlimit before, none;
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &none);
    inbox in = {0};
    iso_child_desc desc = {.work = leave, .take = take, .user = &in, .time_limit = PLENTY};
    iso_child_result result;
    iso_status status = iso_child_run(ctx, &desc, &result);
    setrlimit(RLIMIT_NOFILE, &before);
    CHECK_STATUS(ctx, status, ISO_ERR_IO);
    CHECK_ERROR(ctx, "a process cannot be started: Too many open files");
    test_context_destroy(ctx);
}

static iso_status run_once(iso_context* ctx, void* user) {
    inbox in = {0};
    iso_child_desc desc = {.work = send_many, .take = take, .user = &in, .time_limit = PLENTY};
    iso_child_result result;
    (void)user;
    return iso_child_run(ctx, &desc, &result);
}

static void running_survives_every_allocation_failure(void** state) {
    (void)state;
    assert_int_equal(check_every_allocation_failure(run_once, NULL), 1);
}

static atomic_bool g_is_over;

static void allocate_and_send(void* user, const iso_child_pipe* pipe) {
    allocate_once();
    send_many(user, pipe);
}

// Not so in AddressSanitizer's allocator, whose locks a child inherits as they are.
static void children_may_allocate_while_other_threads_do(void** state) {
    (void)state;
#ifdef ISO_HAS_ADDRESS_SANITIZER
    skip();
#endif
    pthread_t threads[3];
    atomic_store(&g_is_over, false);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_all_the_time, &g_is_over), 0);
    }
    for (int i = 0; i < 30; ++i) {
        check_end(allocate_and_send, ISO_CHILD_DONE, 0);
    }
    atomic_store(&g_is_over, true);
    for (int i = 0; i < 3; ++i) {
        pthread_join(threads[i], NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_child_sends_comes_whole_and_in_order),
        cmocka_unit_test(a_child_that_hangs_is_killed),
        cmocka_unit_test(crashes_and_exits_are_told),
        cmocka_unit_test(a_crash_is_seen_though_another_process_holds_the_pipe),
        cmocka_unit_test(processor_time_and_memory_are_bounded),
        cmocka_unit_test(noise_in_the_pipe_ends_the_child),
        cmocka_unit_test(a_record_that_is_refused_ends_the_child),
        cmocka_unit_test(a_child_inherits_no_files_handlers_and_masks),
        cmocka_unit_test(the_pipe_may_take_the_place_of_standard_input),
        cmocka_unit_test(callers_that_ignore_their_children_are_served),
        cmocka_unit_test(a_process_that_cannot_be_started_is_an_error),
        cmocka_unit_test(running_survives_every_allocation_failure),
        cmocka_unit_test(children_may_allocate_while_other_threads_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
