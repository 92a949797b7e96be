// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/options.h"

/// Messages of one kind in a row, of which the first was printed.
typedef struct cli_fold {
    bool is_on;
    int count;           ///< that were held back
    iso_log_level level; ///< of the last message
    char kind[512];      ///< the first message without names, paths and numbers
    char last[2304];     ///< more than a message has (docs/errors.md)
} cli_fold;

/// Context of the command: messages to stderr ("isobar: warning: ..."), allocations counted.
typedef struct cli_session {
    iso_context* ctx;
    bool is_quiet;
    bool hides_info;          ///< the library's own lines below warnings
    int64_t allocation_count; ///< calls that allocated or resized
    bool is_verbose;          ///< every message is printed
    cli_fold fold;
    iso_file_fn file_fn; ///< told of files that are read; NULL: nobody is
    void* file_user;     ///< passed to file_fn
} cli_session;

/// Whether this build can make pages. Says so on stderr where it cannot.
bool cli_has_viewer(void);

cli_exit cli_session_open(cli_session* session, const cli_options* options);
void cli_session_close(cli_session* session);

/// Open the recording that a command reads. That it was cut short is said even by a quiet command:
/// what it writes is not all that was to be there.
iso_status cli_open_recording(const cli_session* session, const cli_options* options,
                              iso_recording** out_recording);

/// Print "isobar: error: <last error>" and return the exit code of a status.
cli_exit cli_report(const cli_session* session, iso_status status);
/// The same with words before and after the last error.
cli_exit cli_report_about(const cli_session* session, iso_status status, const char* before,
                          const char* after);

/// What the command line changes in a scene; borrows from the options.
iso_scene_options cli_scene_options(const cli_options* options);

/// Load the scene named on the command line and make its world.
iso_status cli_load(cli_session* session, const cli_options* options, bool load_visuals,
                    iso_scene* out_scene, iso_world** out_world);

/// Simulated time at which to stop [s].
double cli_end_time(const cli_options* options, const iso_scene* scene);

/// Whether this is more steps than can be counted; out_why then says so.
bool cli_is_endless(double until, double time_step, char* out_why, size_t size);
