// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// A program to run, and its bounds.
typedef struct iso_process_desc {
    const char* const* args; ///< [..] NULL at the end; args[0] is looked for on PATH when it has no
                             ///< slash
    const char* directory;   ///< working directory
    bool is_secluded;        ///< its HOME is that directory too: no user's settings count
    const char* log_path;    ///< gets its stdout and stderr
    double time_limit;       ///< [s]
    double memory_limit;     ///< address space [bytes]; 0: none
    /// Called about ten times a second with the time since the start; true kills the program. May
    /// be NULL.
    bool (*tick)(void* user, double seconds);
    void* user;
} iso_process_desc;

typedef enum iso_process_end {
    ISO_PROCESS_EXITED,   ///< code is its exit code
    ISO_PROCESS_SIGNALED, ///< code is the signal that ended it
    ISO_PROCESS_TIMEOUT,  ///< killed at the time limit
    ISO_PROCESS_CANCELLED ///< killed as tick() wanted
} iso_process_end;

typedef struct iso_process_result {
    iso_process_end end;
    int code;
    double seconds;
} iso_process_result;

/// Run a program in a process group of its own, stdin closed, and wait for it. When it is killed,
/// so is what it has started; nothing of it outlives this call.
/// @return ISO_ERR_NOT_FOUND (no such program), ISO_ERR_IO (it cannot be started), ISO_ERR_MEMORY
iso_status iso_process_run(iso_context* ctx, const iso_process_desc* desc,
                           iso_process_result* out_result);

/// A directory below TMPDIR or /tmp that belongs to this user alone.
typedef struct iso_work_directory {
    char* path;
    int lock; ///< descriptor of a file in it that is locked while its process lives
} iso_work_directory;

/// Make a new one, and remove those of processes that were killed. Release with
/// iso_work_directory_remove().
iso_status iso_work_directory_make(iso_context* ctx, iso_work_directory* out_directory);
/// Remove the directory with what is in it; one without a path is allowed.
void iso_work_directory_remove(iso_context* ctx, iso_work_directory* directory);
