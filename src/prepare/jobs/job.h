// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/prepare.h"

/// One preparation while it goes on: the stages hand it on.
typedef struct iso_prepare_job {
    iso_context* ctx;
    const iso_prepare_desc* desc;
    iso_prepare_callbacks callbacks;
    iso_prepare_report* report;
    double start, stage_start; ///< iso_clock_seconds()
    double mesh_start;         ///< when the first mesher began
    double time_limit;         ///< of the next program [s]
    double deadline;           ///< iso_clock_seconds() at which work on the surface is given up
    const char* directory;     ///< for the programs' files
    char* log;                 ///< what the meshers said, one run after the other
    size_t log_start;          ///< where the words of the last run begin in it
    iso_tri_mesh surface;
    iso_tri_mesh original; ///< surface before triangles that cut each other were undone; without
                           ///< triangles when there were none
    iso_tri_mesh core;     ///< outward; without triangles when there is none
    iso_tri_mesh backing;  ///< what the skin is bonded to, as it is in its file; the same
    iso_tri_mesh joined;   ///< surface and, turned over, core: what the meshers get
    iso_tri_mesh given;    ///< the same of the original, to measure the skin by
    bool is_blunted;       ///< joined was rid of needles, or that was tried
    bool has_crashed;      ///< the last program
    double slack;          ///< the mesher may put the skin so far from what it gets [m]
    double side;           ///< largest side of the bounds [m]
    iso_tet_mesh mesh;
    double* extents; ///< [mesh.vertex_count]
} iso_prepare_job;

/// Begin a stage (name in static storage).
void iso_prepare_begin(iso_prepare_job* job, const char* name);
/// Tell something of the running stage; kept as its note.
void iso_prepare_say(iso_prepare_job* job, const char* format, ...) ISO_PRINTF(2, 3);
/// End the running stage.
void iso_prepare_end(iso_prepare_job* job);
void iso_prepare_warn(iso_prepare_job* job, const char* format, ...) ISO_PRINTF(2, 3);
bool iso_prepare_is_cancelled(const iso_prepare_job* job);
/// Of an iso_prepare_job: it is cancelled, or its deadline has passed.
bool iso_prepare_is_late(void* job);

/// Is the skin bonded to a core or a backing?
bool iso_prepare_is_bonded(const iso_prepare_desc* desc);

/// Path of a file in the job's directory, release with iso_free(); NULL when out of memory.
char* iso_prepare_path(iso_prepare_job* job, const char* name);
