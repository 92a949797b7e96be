// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"
#include "record/json/bytes.h"

/// A VTK PolyData file (.vtp, version 1.0) in the making: its XML text, and the arrays that follow
/// it as raw zlib blocks.
typedef struct iso_vtk_file {
    iso_bytes* xml;
    iso_bytes raw;
    iso_bytes values; ///< of the next array
} iso_vtk_file;

iso_vtk_file iso_vtk_file_make(iso_bytes* xml);
/// @param time  [s]; NULL: of all times
void iso_vtk_file_begin(iso_vtk_file* file, const iso_recorded_model* model, const double* time,
                        int point_count, int polygon_count);
/// Take `values` as an array, and clear them.
/// @param level  of zlib; 0 stores them as they are
void iso_vtk_file_put_array(iso_vtk_file* file, const char* type, const char* name, int components,
                            int level);
/// Join the two, and release what the file owns.
void iso_vtk_file_end(iso_vtk_file* file);

/// The same for arrays that many files share: a line of XML, and the block.
void iso_vtk_put_array(iso_bytes* xml, iso_bytes* raw, const char* type, const char* name,
                       int components, const iso_bytes* values, int level);
