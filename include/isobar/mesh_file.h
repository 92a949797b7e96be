// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a mesh file that the library reads holds.
typedef enum iso_mesh_file_kind {
    ISO_MESH_FILE_NONE,    ///< it is none that the library reads
    ISO_MESH_FILE_SURFACE, ///< triangles: iso_tri_mesh_load()
    ISO_MESH_FILE_VOLUME,  ///< tetrahedra: iso_tet_mesh_load()
} iso_mesh_file_kind;

/// Kind of a file by the extension of its path, whatever its case; the file is not opened.
ISO_API iso_mesh_file_kind iso_mesh_file_kind_of(const char* path);

/// Extensions of all formats of a kind, for messages: ".vtk, .vtu, .msh"; empty for NONE.
/// @param[out] text  [size] ends with a zero; what does not fit is cut
ISO_API void iso_mesh_file_extensions(iso_mesh_file_kind kind, char* text, int size);

#ifdef __cplusplus
}
#endif
