// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double k_bar_period = 0.1; ///< [s]
static const double k_warn_after = 1.0; ///< how long a rate is measured before it is believed [s]
static const double k_warn_beyond = 3600.0; ///< time left that nobody waits for unwarned [s]

double cli_wall_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t); // also when the date is set
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

progress progress_begin(const cli_options* options, int64_t step_count, double time_step) {
    bool is_on = !options->is_quiet && !options->is_json && !options->is_hash && step_count > 0;
    bool is_terminal = isatty(STDERR_FILENO) != 0;
    return (progress){.is_quiet = options->is_quiet,
                      .has_bar = is_on && is_terminal,
                      .has_lines = is_on && !is_terminal,
                      .step_count = step_count,
                      .time_step = time_step,
                      .start = cli_wall_clock()};
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

static void print_bar(double share, double time, double rate, const char* left) {
    enum { k_width = 30 };
    char bar[k_width + 1];
    int filled = (int)(share * k_width);
    for (int i = 0; i < k_width; ++i) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[k_width] = '\0';
    fprintf(stderr, "\r[%s] %3.0f%%  t = %.3f s  %.2fx real time  %s left ", bar, 100.0 * share,
            time, rate, left);
}

static void update(progress* p, int64_t done, double time, bool is_last) {
    double now = cli_wall_clock();
    double elapsed = now - p->start;
    double share = p->step_count > 0 ? (double)done / (double)p->step_count : 1.0;
    double rate = elapsed > 0.0 ? (double)done * p->time_step / elapsed : 0.0;
    double left = share > 0.0 ? elapsed * (1.0 - share) / share : 0.0;
    char text[k_duration_size];
    if (!p->is_quiet && !p->is_warned && elapsed > k_warn_after && left > k_warn_beyond) {
        fprintf(stderr,
                "%sisobar: warning: %g steps of %g s take %s more; a larger --dt or a smaller "
                "--until takes less\n",
                p->has_bar ? "\n" : "", (double)(p->step_count - done), p->time_step,
                duration_text(left, text));
        p->is_warned = true;
    }
    if (p->has_bar && (is_last || now - p->last_print > k_bar_period)) {
        print_bar(share, time, rate, duration_text(left, text));
        p->last_print = now;
    }
    int tenth = (int)(10.0 * share + 1e-9);
    if (p->has_lines && tenth > p->last_tenth) {
        p->last_tenth = tenth;
        fprintf(stderr, "isobar: t = %.3f s (%.0f%%), %.2fx real time, %s left\n", time,
                100.0 * share, rate, duration_text(left, text));
    }
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
