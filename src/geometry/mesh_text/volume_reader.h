// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

// What the readers of volume files (vtk.c, vtu.c, msh.c) fill, for volume_file.c.

/// A point array of one component that a caller wants.
typedef struct iso_wanted_array {
    const char* name;
    double* values; ///< [vertex_count]; NULL while it was not found
} iso_wanted_array;

/// Why an array is passed over.
typedef enum iso_array_fault {
    ISO_ARRAY_UNKNOWN,    ///< nothing is known of its name
    ISO_ARRAY_OF_VECTORS, ///< more than one component
    ISO_ARRAY_OF_CELLS,   ///< values of cells
} iso_array_fault;

#define ISO_UNUSED_ARRAYS 16     ///< so many of them are named
#define ISO_ARRAY_NAME_LENGTH 63 ///< longer names are cut

/// An array that is passed over.
typedef struct iso_unused_array {
    char name[ISO_ARRAY_NAME_LENGTH + 1];
    iso_array_fault fault;
} iso_unused_array;

/// A volume while it is read. What is in it after a failure is released by its owner with
/// iso_volume_data_destroy().
typedef struct iso_volume_data {
    iso_tet_mesh mesh;
    iso_wanted_array* arrays; ///< borrowed, [array_count]
    int array_count;
    int ignored_count;   ///< points, lines and faces passed over
    bool drops_vertices; ///< vertices that no tetrahedron has are to be left out
    iso_unused_array unused[ISO_UNUSED_ARRAYS];
    int unused_count; ///< of all; the first are in `unused`
} iso_volume_data;

/// The bytes of a file.
typedef struct iso_volume_source {
    const void* bytes;
    size_t size;
    const char* name; ///< for messages
} iso_volume_source;

/// One reader per format: mesh and wanted arrays as they are in the file, indices in range. The
/// mesh is not checked further. A value that the file does not give is NaN.
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE, ISO_ERR_UNSUPPORTED (dataset, kind of cell),
///         ISO_ERR_GEOMETRY (no tetrahedra), ISO_ERR_MEMORY
iso_status iso_vtk_read_volume(iso_context* ctx, const iso_volume_source* source,
                               iso_volume_data* data);
iso_status iso_vtu_read_volume(iso_context* ctx, const iso_volume_source* source,
                               iso_volume_data* data);
iso_status iso_msh_read_volume(iso_context* ctx, const iso_volume_source* source,
                               iso_volume_data* data);

/// The wanted array of this name that was not found yet; NULL when there is none.
iso_wanted_array* iso_volume_data_wants(iso_volume_data* data, const char* name,
                                        size_t name_length);
/// Note that an array is passed over.
void iso_volume_data_pass_over(iso_volume_data* data, const char* name, size_t name_length,
                               iso_array_fault fault);
/// Say which arrays were passed over: a warning for one that looks like one that is missing, else
/// information.
void iso_volume_data_report_unused(iso_context* ctx, const char* name, const iso_volume_data* data);
void iso_volume_data_destroy(iso_context* ctx, iso_volume_data* data);
