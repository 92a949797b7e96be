// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/system/child.h"
#include "isobar/geometry.h"

/// A file for assimp, which reads it in a process of its own.
typedef struct iso_assimp_job {
    const char* main_name; ///< what assimp knows it by: the path when it may open others
    const char* extension; ///< of the format, in lower case
    const char* bytes;
    size_t size;
    bool may_open_others;
    bool is_y_up; ///< turn to z-up
    iso_vec3 scale;
} iso_assimp_job;

/// Corners as they come out: placed by the nodes, turned, scaled, in outward order.
typedef struct iso_assimp_triangle {
    iso_vec3 corners[3];
} iso_assimp_triangle;

/// What the process sends.
enum {
    ISO_ASSIMP_OPENED = 1, ///< another file was opened: uint64_t size
    ISO_ASSIMP_OPENS,      ///< another is about to be opened, found or not: its path without an end
    ISO_ASSIMP_TRIANGLES,  ///< iso_assimp_triangle[]
    ISO_ASSIMP_IGNORED,    ///< int64_t: faces that are points and lines
    ISO_ASSIMP_WARNED,     ///< what assimp warns of: a text without an end
    ISO_ASSIMP_FAILED      ///< iso_assimp_failure, then a text without an end
};

typedef struct iso_assimp_failure {
    int32_t status; ///< iso_status
    int32_t line;   ///< 0: not known
} iso_assimp_failure;

#define ISO_ASSIMP_MEGABYTE 1048576.0
/// Bounds for files of size bytes together: processor time [s] and memory [bytes]. Honest files
/// took a tenth of both at most.
#define ISO_ASSIMP_SECONDS(size) (10.0 + (double)(size) / ISO_ASSIMP_MEGABYTE)
#define ISO_ASSIMP_BYTES(size) (512.0 * ISO_ASSIMP_MEGABYTE + 128.0 * (double)(size))

/// Read a file in a child process, within these bounds, and send its triangles.
void iso_assimp_import(const iso_assimp_job* job, const iso_child_pipe* pipe);
