// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/progress.h"
#include "cli/sweep/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

/// So often may a process die at work on a variant until that is given up.
enum { k_most_deaths = 2 };
static const long k_poll_nanoseconds = 20000000;

/// A child process.
typedef struct worker {
    pid_t pid;        ///< 0: none
    volatile int* at; ///< variant that it works on, -1: none; shared with it
} worker;

typedef struct crew {
    sweep_journal* journal;
    worker* workers;
    int count;
    int* shared; ///< [count] what `at` points into
} crew;

// --- in a worker ---------------------------------------------------------------------------------

static bool run_variant(sweep_journal* journal, int variant) {
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR; // what there is to say of the scene was said once
    iso_context* ctx = NULL;
    double* values = calloc((size_t)journal->measure_count, sizeof *values);
    bool is_good = values != NULL && iso_context_create(&desc, &ctx) == ISO_OK;
    if (!is_good) {
        cli_error("out of memory: variant %d\n", variant);
    } else {
        double start = cli_wall_clock(), cpu = cli_cpu_clock();
        iso_status status = journal->source.run(journal->source.of, ctx, variant, values);
        const char* error = status != ISO_OK ? iso_context_error(ctx) : NULL;
        error = error != NULL && error[0] == '\0' ? iso_status_text(status) : error;
        is_good = sweep_journal_finish(journal, variant, values, error, cli_wall_clock() - start,
                                       cli_cpu_clock() - cpu);
    }
    iso_context_destroy(ctx);
    free(values);
    return is_good;
}

/// Take what is to be had, one after the other; never returns.
static void work(sweep_journal* journal, volatile int* at, pid_t parent) {
#if defined(__linux__)
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    bool is_good = true;
    for (int i = 0; i < journal->variant_count && is_good; ++i) {
        if (getppid() != parent) {
            _exit(CLI_DONE); // nobody waits for more
        }
        if (!sweep_journal_claim(journal, i)) {
            continue;
        }
        *at = i;
        is_good = run_variant(journal, i);
        *at = -1;
        sweep_journal_release(journal, i);
    }
    _exit(is_good ? CLI_DONE : CLI_BAD_INPUT);
}

// --- in the process that was started -------------------------------------------------------------

static bool start(crew* c, worker* w) {
    pid_t parent = getpid();
    *w->at = -1;
    (void)fflush(NULL);
    w->pid = fork();
    if (w->pid == 0) {
        work(c->journal, w->at, parent);
    }
    if (w->pid < 0) {
        w->pid = 0;
        cli_error("no process can be started: %s\n", strerror(errno));
        return false;
    }
    return true;
}

/// Book a death. Two of them, and the variant is given up.
static bool bury(sweep_journal* journal, int variant, int signal) {
    if (variant < 0) {
        return true;
    }
    bool is_good =
        sweep_journal_note_death(journal, variant, signal) && sweep_journal_read(journal);
    if (is_good && journal->rows[variant].death_count >= k_most_deaths &&
        sweep_journal_claim(journal, variant)) {
        char text[64];
        snprintf(text, sizeof text, "%d processes died at it, the last by signal %d",
                 journal->rows[variant].death_count, signal);
        double* none = calloc((size_t)journal->measure_count, sizeof *none);
        for (int i = 0; none != NULL && i < journal->measure_count; ++i) {
            none[i] = NAN;
        }
        is_good = none != NULL && sweep_journal_finish(journal, variant, none, text, 0.0, 0.0);
        free(none);
        sweep_journal_release(journal, variant);
    }
    return is_good;
}

/// See which workers have ended. False: one of them could not write, or a death cannot be booked.
static bool look_after(crew* c) {
    bool is_good = true;
    for (int i = 0; i < c->count; ++i) {
        worker* w = &c->workers[i];
        int status = 0;
        if (w->pid == 0 || waitpid(w->pid, &status, WNOHANG) != w->pid) {
            continue;
        }
        w->pid = 0;
        if (WIFSIGNALED(status)) {
            is_good = bury(c->journal, *w->at, WTERMSIG(status)) && is_good;
        } else {
            is_good = is_good && WEXITSTATUS(status) == CLI_DONE;
        }
    }
    return is_good;
}

static int working(const crew* c) {
    int count = 0;
    for (int i = 0; i < c->count; ++i) {
        count += c->workers[i].pid != 0;
    }
    return count;
}

/// How many variants nobody works on, up to a number.
static int free_variants(const sweep_journal* journal, int most) {
    int count = 0;
    for (int i = 0; i < journal->variant_count && count < most; ++i) {
        count += !journal->rows[i].is_done && !sweep_journal_is_claimed(journal, i);
    }
    return count;
}

/// As many workers as there is work. Where all is taken nobody is started.
static bool man(crew* c) {
    int idle = c->count - working(c);
    int wanted = idle > 0 ? free_variants(c->journal, idle) : 0;
    bool is_good = true;
    for (int i = 0; i < c->count && wanted > 0 && is_good; ++i) {
        if (c->workers[i].pid == 0) {
            is_good = start(c, &c->workers[i]);
            --wanted;
        }
    }
    return is_good;
}

static void dismiss(crew* c) {
    for (int i = 0; i < c->count; ++i) {
        if (c->workers[i].pid != 0) {
            kill(c->workers[i].pid, SIGKILL);
            (void)waitpid(c->workers[i].pid, NULL, 0);
        }
    }
    if (c->shared != MAP_FAILED) {
        munmap(c->shared, (size_t)c->count * sizeof *c->shared);
    }
    free(c->workers);
}

static bool open_crew(crew* c, sweep_journal* journal, int count) {
    *c = (crew){.journal = journal, .count = count};
    size_t size = (size_t)count * sizeof *c->shared;
    FILE* file = tmpfile(); // without a name; gone with the last process
    bool is_there = file != NULL && ftruncate(fileno(file), (off_t)size) == 0;
    c->shared = is_there ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0)
                         : MAP_FAILED;
    if (file != NULL) {
        fclose(file);
    }
    c->workers = calloc((size_t)count, sizeof *c->workers);
    if (c->shared == MAP_FAILED || c->workers == NULL) {
        c->count = c->workers != NULL ? count : 0;
        cli_error("out of memory: %d processes\n", count);
        return false;
    }
    for (int i = 0; i < count; ++i) {
        c->workers[i].at = &c->shared[i];
    }
    return true;
}

cli_exit sweep_work(const cli_options* options, sweep_journal* journal, int worker_count,
                    bool is_silent) {
    crew c;
    bool is_good = open_crew(&c, journal, worker_count);
    int before = journal->done_count, last = -1;
    progress p = progress_begin(options, "sweep", journal->variant_count - before, 0.0);
    p.unit = "variants";
    p.has_bar = p.has_bar && !is_silent;
    p.has_lines = p.has_lines && !is_silent;
    while (is_good && journal->done_count < journal->variant_count) {
        is_good = look_after(&c) && sweep_journal_read(journal) && man(&c);
        if (journal->done_count != last) {
            last = journal->done_count;
            progress_update(&p, last - before, 0.0);
        }
        struct timespec pause = {0, k_poll_nanoseconds};
        nanosleep(&pause, NULL);
    }
    progress_end(&p, journal->done_count - before, 0.0);
    dismiss(&c);
    return is_good ? CLI_DONE : CLI_BAD_INPUT;
}
