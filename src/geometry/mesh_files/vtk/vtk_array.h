// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh_text/lexer.h"

// Counts, data types and arrays of a legacy VTK file, for vtk.c.

typedef enum vtk_type {
    VTK_INT8,
    VTK_UINT8,
    VTK_INT16,
    VTK_UINT16,
    VTK_INT32,
    VTK_UINT32,
    VTK_INT64,
    VTK_UINT64,
    VTK_FLOAT,
    VTK_DOUBLE,
} vtk_type;

typedef struct vtk_arrays {
    iso_lexer lexer;
    bool is_binary; ///< arrays are big-endian binary
} vtk_arrays;

/// A count written as text, in [0, INT_MAX].
iso_status iso_vtk_read_count(vtk_arrays* arrays, const char* what, int* out_count);
/// The name of a data type.
iso_status iso_vtk_read_type(vtk_arrays* arrays, vtk_type* out_type);

/// Fail unless count values of a type can still be in the file (before memory is taken for them).
/// After a header line, this is also what passes the line end before binary data.
iso_status iso_vtk_begin_array(vtk_arrays* arrays, const char* what, int64_t count, vtk_type type);
/// One number of an array begun with iso_vtk_begin_array(): any type as a finite double, or an
/// integer in [low, high].
iso_status iso_vtk_read_double(vtk_arrays* arrays, vtk_type type, const char* what,
                               double* out_value);
iso_status iso_vtk_read_integer(vtk_arrays* arrays, vtk_type type, const char* what, int64_t low,
                                int64_t high, int64_t* out_value);
/// Skip count values.
iso_status iso_vtk_skip_values(vtk_arrays* arrays, vtk_type type, const char* what, int64_t count);
/// Skip count strings of a string array.
iso_status iso_vtk_skip_strings(vtk_arrays* arrays, int64_t count);
