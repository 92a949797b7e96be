// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh_files/vtk/volume_file.h"

#include <stdio.h>

/// What a file says about itself: field data `units`, `generator`, `source` (texts, one byte of
/// UTF-8 a value: bytes(array).decode() in Python) and `modulus`.
typedef struct iso_volume_metadata {
    const char* units;     ///< of coordinates, "m"; NULL leaves it out, as with the others
    const char* generator; ///< program and version
    const char* source;    ///< file it was made from
    double modulus;        ///< [Pa]; 0 leaves it out
} iso_volume_metadata;

/// Write tetrahedra and the nodal arrays that are not NULL: as legacy VTK text when path ends in
/// .vtk, as VTK's XML with zlib-compressed data when it ends in .vtu. What is written reads back
/// with the same bits.
/// @param path  decides on the format and names the file in messages
/// @return ISO_ERR_UNSUPPORTED (extension), ISO_ERR_MEMORY; failures of the file stay in its error
///         flag
iso_status iso_volume_file_write(iso_context* ctx, const char* path, FILE* file,
                                 const iso_volume_file* volume,
                                 const iso_volume_metadata* metadata);
