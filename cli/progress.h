// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli.h"

/// What stderr is told about a run: a bar with rate and time left on a terminal, a line every tenth
/// otherwise, and once, whatever goes to stdout, that it takes hours or more.
typedef struct progress {
    bool is_quiet, has_bar, has_lines, is_warned;
    int64_t step_count; ///< in all
    double time_step;   ///< [s]
    double start, last_print;
    int last_tenth;
} progress;

progress progress_begin(const cli_options* options, int64_t step_count, double time_step);
/// @param done  steps
/// @param time  simulated, after them [s]
void progress_update(progress* p, int64_t done, double time);
/// The last line, also of a run that fails before its end.
void progress_end(progress* p, int64_t done, double time);

/// Now, of a clock that only differences make sense of [s].
double cli_wall_clock(void);
