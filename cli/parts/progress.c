// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double k_bar_period = 0.1;  ///< [s]
static const double k_line_period = 1.0; ///< between lines: what takes less prints none [s]
static const double k_warn_after = 1.0;  ///< how long a rate is measured before it is believed [s]
static const double k_warn_beyond = 3600.0; ///< time left that is warned of [s]

double cli_wall_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t); // also when the date is set
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cli_cpu_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

progress progress_begin(const cli_options* options, const char* what, int64_t count,
                        double time_step) {
    bool is_on = !options->is_quiet && !options->is_json && !options->is_hash && count > 0;
    bool is_terminal = isatty(STDERR_FILENO) != 0;
    double now = cli_wall_clock();
    return (progress){.what = what,
                      .unit = "frames",
                      .advice = "a larger --dt or a smaller --until takes less",
                      .is_quiet = options->is_quiet,
                      .has_bar = is_on && is_terminal,
                      .has_lines = is_on && !is_terminal,
                      .count = count,
                      .time_step = time_step,
                      .start = now,
                      .last_print = now};
}

enum { k_duration_size = 32 };

static const char* duration_text(double seconds, char text[k_duration_size]) {
    static const struct {
        double length, most; // [s]
        const char* unit;
    } k_units[] = {{1.0, 100.0, "s"},
                   {60.0, 6000.0, "min"},
                   {3600.0, 172800.0, "h"},
                   {86400.0, 86400e3, "days"},
                   {31557600.0, INFINITY, "years"}};
    int i = 0;
    while (seconds > k_units[i].most) {
        ++i;
    }
    double count = seconds / k_units[i].length;
    snprintf(text, k_duration_size, count < 1000.0 ? "%.0f %s" : "%.3g %s", count, k_units[i].unit);
    return text;
}

static void print_bar(double share, const char* state, const char* rate, const char* left) {
    enum { k_width = 30 };
    char bar[k_width + 1];
    int filled = (int)(share * k_width);
    for (int i = 0; i < k_width; ++i) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[k_width] = '\0';
    fprintf(stderr, "\r[%s] %3.0f%%  %s%s, %s left ", bar, 100.0 * share, state, rate, left);
}

// Nobody waits for hours unwarned, whatever goes to stdout.
static void warn_of_hours(progress* p, int64_t done, double left) {
    char text[k_duration_size];
    fprintf(stderr, "%sisobar: warning: %g steps of %g s take %s more; %s\n",
            p->has_bar ? "\n" : "", (double)(p->count - done), p->time_step,
            duration_text(left, text), p->advice);
    p->is_warned = true;
}

// Where a run of steps or a pass over frames stands: what, and how fast.
static void describe(const progress* p, int64_t done, double time, char state[64], char rate[32]) {
    rate[0] = '\0';
    if (p->what == NULL) {
        double elapsed = fmax(cli_wall_clock() - p->start, 1e-9);
        snprintf(state, 64, "t = %.3f s", time);
        double times = (double)done * p->time_step / elapsed;
        snprintf(rate, 32, times < 0.1 ? ", %.2gx real time" : ", %.2fx real time", times);
    } else {
        snprintf(state, 64, "%s: %lld of %lld %s", p->what, (long long)done, (long long)p->count,
                 p->unit);
    }
}

static void update(progress* p, int64_t done, double time, bool is_last) {
    double now = cli_wall_clock();
    double elapsed = now - p->start;
    double share = p->count > 0 ? (double)done / (double)p->count : 1.0;
    double left = share > 0.0 ? elapsed * (1.0 - share) / share : 0.0;
    if (p->time_step > 0.0 && !p->is_quiet && !p->is_warned && elapsed > k_warn_after &&
        left > k_warn_beyond) {
        warn_of_hours(p, done, left);
    }
    int tenth = (int)(10.0 * share + 1e-9);
    bool has_bar = p->has_bar && (is_last || now - p->last_print > k_bar_period);
    // The end has its own line, of what came out.
    bool has_line = p->has_lines && tenth > p->last_tenth && done < p->count &&
                    now - p->last_print > k_line_period;
    if (!has_bar && !has_line) {
        return;
    }
    char text[k_duration_size], state[64], rate[32];
    describe(p, done, time, state, rate);
    duration_text(left, text);
    if (has_bar) {
        print_bar(share, state, rate, text);
    } else {
        fprintf(stderr, "isobar: %s (%.0f%%)%s, %s left\n", state, 100.0 * share, rate, text);
    }
    p->last_print = now;
    p->last_tenth = tenth;
}

void progress_update(progress* p, int64_t done, double time) {
    update(p, done, time, false);
}

void progress_end(progress* p, int64_t done, double time) {
    update(p, done, time, true);
    if (p->has_bar) {
        fputc('\n', stderr);
    }
}
