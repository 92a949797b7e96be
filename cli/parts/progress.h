// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/options.h"

/// What stderr is told about a run of steps, or about a pass over the frames of a recording: a bar
/// with the time left on a terminal; otherwise a line at tenths, a second or more apart, so that
/// what is done at once says nothing; and once, whatever goes to stdout, that steps take hours.
typedef struct progress {
    const char* what;   ///< that is made of frames, or of other units; NULL: time passes in a world
    const char* unit;   ///< "frames"
    const char* advice; ///< what makes a run of hours shorter
    bool is_quiet, has_bar, has_lines, is_warned;
    int64_t count;    ///< of steps or frames, in all
    double time_step; ///< [s]; 0: frames
    double start, last_print;
    int last_tenth;
} progress;

progress progress_begin(const cli_options* options, const char* what, int64_t count,
                        double time_step);
/// @param done  steps or frames
/// @param time  simulated, after the steps [s]
void progress_update(progress* p, int64_t done, double time);
/// The end of the bar, also of a run that fails before its end.
void progress_end(progress* p, int64_t done, double time);

/// Now, of a clock that only differences make sense of [s].
double cli_wall_clock(void);
/// Processor time of this process, all threads [s].
double cli_cpu_clock(void);
