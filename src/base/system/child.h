// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#include <sys/types.h>

// Processes that this one starts: the parts of starting a program, and whole functions that run in
// a process of their own, as foreign code does that may crash, hang or eat memory.

/// fork(), made safe for what follows. The child heads a process group of its own, dies with the
/// thread that started it and leaves no core; signals have their default action there, none is
/// blocked. Between here and exec or _exit a child of a process with threads may use malloc() (that
/// of the C library withstands it), but nothing that takes a lock of ours or of the caller: no
/// context.
/// @return 0 in the child; -1 with errno when there is no child
pid_t iso_child_fork(void);

/// In a child: make in, out its standard input, and its output and errors (the descriptor -1:
/// none), and close all others but *keep, which is moved above these three.
/// @return false with errno
bool iso_child_redirect(int in, int out, int* keep);

/// Has a child ended, or (waits) until it has? *out_state is what waitpid() tells, or -1 when the
/// system does not keep it: the caller ignores SIGCHLD, or takes the state of every child itself.
bool iso_child_has_ended(pid_t child, bool waits, int* out_state);

/// Bound this process, a child: its own time on a processor, and its address space beyond the size
/// it has at the first call (0: no bound; none is set where sanitizers reserve the address space).
/// Bounds may be raised by another call.
typedef struct iso_child_bounds {
    double seconds;       ///< then its end is ISO_CHILD_SPENT
    double bytes;         ///< then allocations fail
    double initial_bytes; ///< zero-initialise; kept between calls
} iso_child_bounds;

void iso_child_bound(iso_child_bounds* bounds);

/// Most bytes of one record.
#define ISO_CHILD_RECORD_SIZE ((size_t)65536)

/// Where a function in a child writes its results.
typedef struct iso_child_pipe {
    int fd;
} iso_child_pipe;

/// In a child: hand a record to the parent. Ends the process when nobody reads.
/// @param kind  > 0, of the caller's choice
/// @param size  at most ISO_CHILD_RECORD_SIZE
void iso_child_send(const iso_child_pipe* pipe, uint32_t kind, const void* bytes, size_t size);

/// A function that runs in a process of its own.
typedef struct iso_child_desc {
    /// In the child. It sees a copy of the caller's memory as it was; what it sends is all that
    /// comes back. When it returns the process ends.
    void (*work)(void* user, const iso_child_pipe* pipe);
    /// In the parent, for each record. The bytes are what a process has sent that may have gone
    /// wrong: check their size and meaning. Anything but ISO_OK kills the child.
    iso_status (*take)(void* user, uint32_t kind, const void* bytes, size_t size);
    void* user;
    /// The child is killed when it lives for longer [s]. May be raised while it runs. Time in which
    /// this process was stopped counts little.
    double time_limit;
} iso_child_desc;

typedef enum iso_child_end {
    ISO_CHILD_DONE,     ///< work() has returned and all that it sent was taken
    ISO_CHILD_EXITED,   ///< it ended by exit(); code is its exit code
    ISO_CHILD_SIGNALED, ///< code is the signal that ended it
    ISO_CHILD_SPENT,    ///< the same, as its bound of processor time was reached
    ISO_CHILD_LOST,     ///< it ended before work() returned; the system does not tell how
    ISO_CHILD_TIMEOUT   ///< killed at the time limit
} iso_child_end;

typedef struct iso_child_result {
    iso_child_end end;
    int code;
} iso_child_result;

/// Run a function in a process of its own and wait for it. Its input is empty, what it prints is
/// lost. No process of it is left when this returns.
/// @return ISO_ERR_IO (no process can be started: the message has the system's reason),
///         ISO_ERR_MEMORY, or what take() has returned
iso_status iso_child_run(iso_context* ctx, const iso_child_desc* desc,
                         iso_child_result* out_result);
