// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh_text/extension_list.h"
#include "isobar/geometry.h"

/// A volume mesh with the nodal arrays that contact understands. Arrays that the file does not
/// carry are NULL; values are as in the file, judged by those who use them.
typedef struct iso_volume_file {
    iso_tet_mesh mesh;
    double* pressure; ///< point array `pressure` [Pa], [vertex_count]
    double* extent;   ///< point array `extent`, 0 on the skin, 1 where deepest
    double* modulus;  ///< point array `modulus` [Pa]: M varies in space
} iso_volume_file;

/// Read tetrahedra and their nodal arrays from .vtk (legacy), .vtu (XML: ASCII, base64 and appended
/// data, raw or zlib-compressed) or .msh (Gmsh 2.2 and 4.1, ASCII and binary). Points, lines and
/// faces of a .vtu or .msh are passed over, and so are vertices that no tetrahedron has.
/// @param      scale     factors applied to the vertices
/// @param[out] out_file  release with iso_volume_file_destroy(); zeroed on error
/// @return as iso_tet_mesh_load()
iso_status iso_volume_file_load(iso_context* ctx, const char* path, iso_vec3 scale,
                                iso_volume_file* out_file);
void iso_volume_file_destroy(iso_context* ctx, iso_volume_file* file);

/// The same from bytes.
/// @param  extension  of the format: "vtk", "vtu" or "msh"; case is ignored
/// @param  name       for messages: "name:line: ..." or "name: byte 123: ..."
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE, ISO_ERR_UNSUPPORTED (extension, dataset, cell type),
///         ISO_ERR_GEOMETRY (no tetrahedra; as iso_tet_mesh_clean()), ISO_ERR_MEMORY
iso_status iso_volume_file_load_memory(iso_context* ctx, const void* bytes, size_t size,
                                       const char* extension, const char* name, iso_vec3 scale,
                                       iso_volume_file* out_file);

/// True for the extensions that iso_volume_file_load() reads.
bool iso_volume_file_is_known(const char* path);
/// These extensions.
iso_extension_list iso_volume_file_extensions(void);
