// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/system/child.h"

#if !defined(_WIN32) // windows.c has its own

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/poison.h"
#include "base/system/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

// Sanitizers map terabytes, which a bound of the address space forbids.
#if defined(ISO_HAS_ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__)
#define HAS_RESERVED_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_RESERVED_ADDRESSES 1
#endif
#endif

#define KIND_DONE 0u
// Longest time between two looks at a silent child [ms].
#define POLL_PERIOD 20

typedef struct record_header {
    uint32_t kind;
    uint32_t size;
} record_header;

// Handlers are the caller's, and would run in the child: what a crash reporter does there may hang.
static void reset_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    for (int i = 1; i < 65; ++i) {
        sigaction(i, &action, NULL); // SIGKILL and SIGSTOP refuse
    }
}

pid_t iso_child_fork(void) {
    sigset_t all, before, none;
    sigfillset(&all);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &all, &before); // no handler runs in the child
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0) {
        int error = errno;
        if (child > 0) {
            setpgid(child, child); // whoever comes first
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = error;
        return child;
    }
    setpgid(0, 0);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) {
        _exit(126); // it died before it was asked to take this process along
    }
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    reset_signals();
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    return 0;
}

// A descriptor above the three standard ones; -1 stays.
static bool move_up(int* fd) {
    if (*fd >= 0 && *fd < 3) {
        *fd = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
        return *fd >= 0;
    }
    return true;
}

bool iso_child_redirect(int in, int out, int* keep) {
    if (!move_up(&in) || !move_up(&out) || !move_up(keep)) {
        return false;
    }
    int standard[3] = {in, out, out};
    for (int i = 0; i < 3; ++i) {
        if (standard[i] < 0) {
            close(i);
        } else if (dup2(standard[i], i) < 0) {
            return false;
        }
    }
    for (int fd = 3; fd < 1024; ++fd) {
        if (fd != *keep) {
            close(fd);
        }
    }
    return true;
}

bool iso_child_has_ended(pid_t child, bool waits, int* out_state) {
    pid_t got;
    do {
        got = waitpid(child, out_state, waits ? 0 : WNOHANG);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        *out_state = -1;
    }
    return got != 0;
}

#ifndef HAS_RESERVED_ADDRESSES
// The size of this process's address space [bytes], 0 when the system does not say.
static double address_space(void) {
    char text[64] = "";
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0) {
        close(file);
    }
    return got > 0 ? (double)strtoull(text, NULL, 10) * (double)sysconf(_SC_PAGESIZE) : 0.0;
}
#endif

// Set the bound that can be raised again, as far as the system's own allows.
static void set_soft_limit(int resource, double value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0) {
        bool is_lower = limit.rlim_max == RLIM_INFINITY || value < (double)limit.rlim_max;
        limit.rlim_cur = is_lower ? (rlim_t)value : limit.rlim_max;
        setrlimit(resource, &limit);
    }
}

void iso_child_bound(iso_child_bounds* bounds) {
    set_soft_limit(RLIMIT_CPU, bounds->seconds + 0.999);
#ifndef HAS_RESERVED_ADDRESSES
    if (bounds->initial_bytes <= 0.0) {
        bounds->initial_bytes = address_space();
    }
    if (bounds->bytes > 0.0 && bounds->initial_bytes > 0.0) {
        set_soft_limit(RLIMIT_AS, bounds->initial_bytes + bounds->bytes);
    }
#endif
}

static void write_all(int fd, const void* bytes, size_t size) {
    const char* at = bytes;
    while (size > 0) {
        ssize_t put = write(fd, at, size);
        if (put < 0 && errno != EINTR) {
            _exit(126);
        }
        if (put > 0) {
            at += put;
            size -= (size_t)put;
        }
    }
}

void iso_child_send(const iso_child_pipe* pipe, uint32_t kind, const void* bytes, size_t size) {
    record_header header = {kind, (uint32_t)size};
    write_all(pipe->fd, &header, sizeof header);
    write_all(pipe->fd, bytes, size);
}

static _Noreturn void work_in_child(const iso_child_desc* desc, int fd) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    iso_child_pipe pipe = {fd};
    if (!iso_child_redirect(null, null, &pipe.fd)) {
        _exit(126);
    }
    desc->work(desc->user, &pipe);
    iso_child_send(&pipe, KIND_DONE, NULL, 0);
    _exit(0);
}

// The parent's end of the pipe, and the part of a record that has come so far.
typedef struct receiver {
    iso_context* ctx;
    const iso_child_desc* desc;
    int fd;
    unsigned char* bytes; // [sizeof(record_header) + ISO_CHILD_RECORD_SIZE]
    size_t size;
    bool is_done;  // work() has returned
    bool is_ended; // nothing more will come
} receiver;

static iso_status take_records(receiver* r) {
    size_t at = 0;
    iso_status status = ISO_OK;
    while (status == ISO_OK && !r->is_done && r->size - at >= sizeof(record_header)) {
        record_header header;
        memcpy(&header, r->bytes + at, sizeof header);
        if (header.size > ISO_CHILD_RECORD_SIZE) {
            r->is_ended = true; // not what iso_child_send() writes
            return ISO_OK;
        }
        if (r->size - at < sizeof header + header.size) {
            break;
        }
        r->is_done = header.kind == KIND_DONE;
        if (!r->is_done) {
            status = r->desc->take(r->desc->user, header.kind, r->bytes + at + sizeof header,
                                   header.size);
        }
        at += sizeof header + header.size;
    }
    r->size -= at;
    memmove(r->bytes, r->bytes + at, r->size);
    return status;
}

// Take what has come.
static iso_status receive(receiver* r) {
    size_t room = sizeof(record_header) + ISO_CHILD_RECORD_SIZE - r->size;
    ssize_t got = read(r->fd, r->bytes + r->size, room);
    if (got > 0) {
        r->size += (size_t)got;
        return take_records(r);
    }
    r->is_ended = got == 0 || (errno != EINTR && errno != EAGAIN);
    return ISO_OK;
}

// Whether something has come, waiting for it if need be.
static bool has_come(const receiver* r, int milliseconds) {
    struct pollfd file = {r->fd, POLLIN, 0};
    return poll(&file, 1, milliseconds) > 0;
}

static iso_child_result judge(int state) {
    if (state == -1) {
        return (iso_child_result){ISO_CHILD_LOST, 0};
    }
    if (!WIFSIGNALED(state)) {
        return (iso_child_result){ISO_CHILD_EXITED, WEXITSTATUS(state)};
    }
    int signal = WTERMSIG(state);
    return (iso_child_result){signal == SIGXCPU ? ISO_CHILD_SPENT : ISO_CHILD_SIGNALED, signal};
}

// The pipe may stay open although the child has died: another process that the caller has forked
// meanwhile has its end, too. So the child itself is looked at whenever nothing comes.
static iso_status watch(receiver* r, pid_t child, iso_child_result* out_result) {
    iso_status status = ISO_OK;
    int state = -1;
    double waited = 0.0, last = iso_clock_seconds();
    bool is_reaped = false, is_late = false;
    while (status == ISO_OK && !r->is_done && !r->is_ended && !is_late) {
        if (has_come(r, is_reaped ? 0 : POLL_PERIOD)) {
            status = receive(r);
        } else if (is_reaped) {
            r->is_ended = true;
        } else {
            is_reaped = iso_child_has_ended(child, false, &state);
        }
        double now = iso_clock_seconds();
        waited += fmin(now - last, 0.5);
        last = now;
        is_late = !is_reaped && waited > r->desc->time_limit;
    }
    if (!is_reaped && !iso_child_has_ended(child, false, &state)) {
        kill(child, SIGKILL); // does not change how one ends that is about to
        iso_child_has_ended(child, true, &state);
    }
    *out_result = r->is_done ? (iso_child_result){ISO_CHILD_DONE, 0}
                  : is_late  ? (iso_child_result){ISO_CHILD_TIMEOUT, 0}
                             : judge(state);
    return status;
}

iso_status iso_child_run(iso_context* ctx, const iso_child_desc* desc,
                         iso_child_result* out_result) {
    *out_result = (iso_child_result){ISO_CHILD_LOST, 0};
    receiver r = {.ctx = ctx, .desc = desc, .fd = -1};
    int ends[2] = {-1, -1};
    iso_status status = ISO_OK;
    r.bytes = iso_alloc(ctx, sizeof(record_header) + ISO_CHILD_RECORD_SIZE);
    ISO_CHECK(ctx, r.bytes, ISO_ERR_MEMORY, "record of a process");
    bool is_open = pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
                   fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
    pid_t child = is_open ? iso_child_fork() : -1;
    if (child == 0) {
        work_in_child(desc, ends[1]);
    }
    ISO_CHECK(ctx, child > 0, ISO_ERR_IO, "a process cannot be started: %s", strerror(errno));
    close(ends[1]);
    ends[1] = -1;
    r.fd = ends[0];
    status = watch(&r, child, out_result);

done:
    for (int i = 0; i < 2; ++i) {
        if (ends[i] >= 0) {
            close(ends[i]);
        }
    }
    iso_free(ctx, r.bytes);
    return status;
}

#endif
