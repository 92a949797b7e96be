// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build/build.h"

/// A table of numbers from a CSV file: commas, semicolons or tabs part columns; empty lines and
/// lines that begin with # are passed over; the first line may name the columns. Lives in the arena
/// of the load.
typedef struct iso_csv {
    const char* path;
    int column_count, row_count;
    const char** names; ///< [column_count] NULL: the file names none
    int name_line;
    double* values; ///< [row_count * column_count]
    int* lines;     ///< [row_count] where a row stands
} iso_csv;

/// Read a file; its path is relative to the file that mentions it.
iso_status iso_csv_read(iso_scene_build* build, iso_source at, const char* uri, iso_csv* out_csv);
/// Read a file that no other one mentions, by its own path, which is borrowed.
iso_status iso_csv_read_path(iso_scene_build* build, const char* path, iso_csv* out_csv);
/// Column by its name, or by its number, counted from 1.
iso_status iso_csv_find_column(iso_scene_build* build, iso_source at, const iso_csv* csv,
                               const char* name, int* out_column);
/// The first column rises from row to row.
iso_status iso_csv_check_rising(iso_scene_build* build, const iso_csv* csv, int column);
