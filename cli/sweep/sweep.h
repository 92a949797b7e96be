// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/json_output.h"
#include "cli/parts/session.h"

#include <sys/types.h>

cli_exit cli_sweep(const cli_options* options);
bool cli_sweep_take(cli_options* options, const char* name, const char* value);

/// What became of a variant.
typedef struct sweep_row {
    bool is_done;
    int death_count; ///< of processes that worked on it
    double* values;  ///< [measure count] NAN where there is none
    char* error;     ///< NULL: none; owned
    double wall_seconds, cpu_seconds;
} sweep_row;

/// What is run in variants: a sweep of scenes, or an experiment of the laboratory.
typedef struct sweep_source {
    const void* of; ///< borrowed; what both functions get
    /// What tells one such source from others; a new reference.
    json_t* (*header)(const void* of);
    /// One variant. @param[out] values  [measure_count], NAN where there is none
    iso_status (*run)(const void* of, iso_context* ctx, int variant, double* values);
    int variant_count, measure_count;
} sweep_source;

/// One of several processes that a launcher started (Open MPI, MPICH and its kin, Slurm).
typedef struct sweep_rank {
    int index, count; ///< 0 of 1 without a launcher
} sweep_rank;
sweep_rank sweep_find_rank(void);
/// Processes wanted: --workers, else one per processor, under a launcher one.
int sweep_count_workers(const cli_options* options, sweep_rank rank);

/// The results of a sweep in a file to which every process that works on it appends a line of JSON
/// per finished variant. Locks on its bytes, which end with their process, say who works on what;
/// so processes of one machine or of several with a common folder share the work without knowing
/// of each other, and nothing that ends at any moment leaves anything to clear up.
typedef struct sweep_journal {
    const iso_sweep* sweep; ///< NULL: of another source
    sweep_source source;
    char* path;      ///< owned
    int fd;          ///< the only one of this process: closing another one would drop its locks
    off_t read_to;   ///< whole lines up to here are in `rows`
    int line_count;  ///< of them
    sweep_row* rows; ///< [variant_count]
    double* values;  ///< what rows point into
    int variant_count, measure_count;
    int done_count;
} sweep_journal;

/// What --measure takes, by what it is of.
void cli_sweep_print_quantities(FILE* file);

/// Open a journal, or begin it, and read what is there. Reports what is wrong.
/// @param path  the file: copied
cli_exit sweep_journal_open(const sweep_source* source, const char* path, sweep_journal* out);
void sweep_journal_close(sweep_journal* journal);
/// Read what was appended since. False: it cannot be read; reported.
bool sweep_journal_read(sweep_journal* journal);

/// Take a variant that is not finished and on which nobody works. False: it is not to be had.
bool sweep_journal_claim(sweep_journal* journal, int variant);
/// Whether some other process works on a variant now.
bool sweep_journal_is_claimed(const sweep_journal* journal, int variant);
void sweep_journal_release(sweep_journal* journal, int variant);
/// Append the end of a variant, on the disk when it returns. False: it cannot be written; reported.
/// @param error  NULL: it went well
bool sweep_journal_finish(sweep_journal* journal, int variant, const double* values,
                          const char* error, double wall_seconds, double cpu_seconds);
/// Alone among the processes of a sweep, from one to the other: for the files that all of them
/// write.
bool sweep_journal_enter(const sweep_journal* journal);
void sweep_journal_leave(const sweep_journal* journal);
/// Append that a process died at work on a variant.
bool sweep_journal_note_death(sweep_journal* journal, int variant, int signal);

/// Work on the variants that are not finished, by so many processes, until all are.
cli_exit sweep_work(const cli_options* options, sweep_journal* journal, int worker_count,
                    bool is_silent);

/// Write the table (CSV). Whole or not at all.
iso_status sweep_table_write(iso_context* ctx, const sweep_journal* journal, const char* path);
/// Write the page of plots, one per measure.
iso_status sweep_page_write(iso_context* ctx, const sweep_journal* journal, const char* path);
