// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#define _XOPEN_SOURCE 700 // realpath

#include "base/system/process.h"

#if !defined(_WIN32) // windows.c has its own

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/child.h"
#include "base/system/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static bool is_program(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

// Symbolic links stay: a Python environment is known by the place of its link.
static iso_status make_absolute(iso_context* ctx, const char* path, char** out_path) {
    iso_text text = {0};
    char* here = path[0] == '/' ? NULL : realpath(".", NULL);
    iso_status status =
        iso_text_printf(ctx, &text, "%s%s%s", here ? here : "", here ? "/" : "", path);
    free(here);
    *out_path = text.data;
    return status;
}

// The absolute path of a program, owned by the caller; *out_path stays NULL when there is none.
static iso_status find_program(iso_context* ctx, const char* name, char** out_path) {
    *out_path = NULL;
    const char* path = getenv("PATH");
    if (strchr(name, '/')) {
        return is_program(name) ? make_absolute(ctx, name, out_path) : ISO_OK;
    }
    for (const char* at = path ? path : "/usr/bin:/bin"; *at && !*out_path;) {
        size_t length = strcspn(at, ":");
        iso_text candidate = {0};
        iso_status status = iso_text_printf(ctx, &candidate, "%.*s/%s", (int)length, at, name);
        if (status != ISO_OK) {
            iso_text_free(ctx, &candidate);
            return status;
        }
        // Relative and empty entries mean the current folder, which may be anybody's.
        if (at[0] == '/' && is_program(candidate.data)) {
            status = make_absolute(ctx, candidate.data, out_path);
        }
        iso_text_free(ctx, &candidate);
        if (status != ISO_OK) {
            return status;
        }
        at += length + (at[length] == ':');
    }
    return ISO_OK;
}

// The environment, with HOME replaced unless home is NULL; NULL at the end. Strings are borrowed.
static char** make_environment(iso_context* ctx, char* home) {
    int count = 0;
    while (environ[count]) {
        ++count;
    }
    char** copy = iso_alloc_array(ctx, count + 2, sizeof *copy);
    if (!copy) {
        return NULL;
    }
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (!home || strncmp(environ[i], "HOME=", 5) != 0) {
            copy[kept++] = environ[i];
        }
    }
    copy[kept] = home;
    return copy;
}

// What the new process does before it becomes the program: async-signal-safe calls alone.
static _Noreturn void become(const iso_process_desc* desc, char** args, char** environment, int log,
                             int null, int report) {
    if (desc->memory_limit > 0.0) {
        struct rlimit limit = {(rlim_t)desc->memory_limit, (rlim_t)desc->memory_limit};
        setrlimit(RLIMIT_AS, &limit);
    }
    if (chdir(desc->directory) == 0 && iso_child_redirect(null, log, &report)) {
        execve(args[0], args, environment);
    }
    int error = errno;
    ssize_t written = write(report, &error, sizeof error);
    _exit(written == (ssize_t)sizeof error ? 127 : 126);
}

// 0 when the program runs, else the reason why it does not.
static int start_error(int pipe_end) {
    int error = 0;
    ssize_t got;
    do {
        got = read(pipe_end, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof error ? error : 0;
}

// Wait until the program ends by itself or is to be killed.
static void watch(const iso_process_desc* desc, pid_t child, iso_process_result* result) {
    double start = iso_clock_seconds(), last_tick = start;
    struct timespec pause = {0, 2000000};
    int state = 0;
    bool is_ended = false;
    while (!is_ended) {
        is_ended = iso_child_has_ended(child, false, &state);
        double now = iso_clock_seconds();
        result->seconds = now - start;
        if (!is_ended && result->seconds > desc->time_limit) {
            result->end = ISO_PROCESS_TIMEOUT;
            break;
        }
        if (!is_ended && desc->tick && now - last_tick > 0.1) {
            last_tick = now;
            if (desc->tick(desc->user, result->seconds)) {
                result->end = ISO_PROCESS_CANCELLED;
                break;
            }
        }
        if (!is_ended) {
            nanosleep(&pause, NULL);
            pause.tv_nsec = pause.tv_nsec < 20000000 ? 2 * pause.tv_nsec : pause.tv_nsec;
        }
    }
    kill(-child, SIGKILL); // also what it has left behind
    if (!is_ended) {
        iso_child_has_ended(child, true, &state);
    } else if (state != -1) { // unknown: what the program leaves tells whether it ended well
        result->end = WIFSIGNALED(state) ? ISO_PROCESS_SIGNALED : ISO_PROCESS_EXITED;
        result->code = WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state);
    }
}

static iso_status start(iso_context* ctx, const iso_process_desc* desc, char** args,
                        char** environment, pid_t* out_child) {
    int ends[2] = {-1, -1};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int log = open(desc->log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, null >= 0 && log >= 0 && pipe(ends) == 0, ISO_ERR_IO, "%s: %s", desc->log_path,
              strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t child = iso_child_fork();
    ISO_CHECK(ctx, child >= 0, ISO_ERR_IO, "%s cannot be started: %s", args[0], strerror(errno));
    if (child == 0) {
        become(desc, args, environment, log, null, ends[1]);
    }
    close(ends[1]);
    ends[1] = -1;
    int error = start_error(ends[0]);
    if (error != 0) {
        int state;
        iso_child_has_ended(child, true, &state);
    }
    ISO_CHECK(ctx, error == 0, ISO_ERR_IO, "%s cannot be started: %s", args[0], strerror(error));
    *out_child = child;

done:
    for (int i = 0; i < 2; ++i) {
        if (ends[i] >= 0) {
            close(ends[i]);
        }
    }
    if (null >= 0) {
        close(null);
    }
    if (log >= 0) {
        close(log);
    }
    return status;
}

// The arguments with the program's path in the first place. Strings are borrowed.
static char** make_args(iso_context* ctx, const iso_process_desc* desc, char* program) {
    int count = 0;
    while (desc->args[count]) {
        ++count;
    }
    char** copy = iso_alloc_array(ctx, count + 1, sizeof *copy);
    for (int i = 0; copy && i < count; ++i) {
        copy[i] = i == 0 ? program : (char*)(uintptr_t)desc->args[i]; // execve() does not write
    }
    return copy;
}

iso_status iso_process_run(iso_context* ctx, const iso_process_desc* desc,
                           iso_process_result* out_result) {
    *out_result = (iso_process_result){0};
    char* program = NULL;
    char** environment = NULL;
    char** args = NULL;
    iso_text home = {0};
    pid_t child = 0;
    iso_status status = ISO_OK;
    ISO_TRY(find_program(ctx, desc->args[0], &program));
    ISO_CHECK(ctx, program, ISO_ERR_NOT_FOUND, "program '%s' is not to be found", desc->args[0]);
    ISO_TRY(iso_text_printf(ctx, &home, "HOME=%s", desc->directory));
    environment = make_environment(ctx, desc->is_secluded ? home.data : NULL);
    args = make_args(ctx, desc, program);
    ISO_CHECK(ctx, environment && args, ISO_ERR_MEMORY, "environment of a program");
    ISO_TRY(start(ctx, desc, args, environment, &child));
    watch(desc, child, out_result);

done:
    iso_text_free(ctx, &home);
    iso_free(ctx, environment);
    iso_free(ctx, args);
    iso_free(ctx, program);
    return status;
}

#endif
