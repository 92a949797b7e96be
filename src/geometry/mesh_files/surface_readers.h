// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh_files/surface_builder.h"

/// One reader per format, its row in surface_file.c: adds the triangles of a file to a builder.
/// Coordinates are multiplied by scale; triangles are turned over when that mirrors. Points and
/// lines are counted, not read.
typedef struct iso_surface_source {
    const void* bytes;
    size_t size;
    const char* name;          ///< for messages
    const char* extension;     ///< of the format, in lower case, without the dot
    bool is_path;              ///< name is the path, beside which a file may name others
    iso_vec3 scale;            ///< each finite and non-zero
    int64_t out_ignored_count; ///< points and lines
} iso_surface_source;

/// Wavefront .obj: v, f (polygons, relative indices), l, p; everything else is passed over.
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE with "name:line: ...", ISO_ERR_MEMORY
iso_status iso_obj_read(iso_context* ctx, iso_surface_source* source, iso_surface_builder* builder);

/// .stl, text or binary.
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE, ISO_ERR_MEMORY
iso_status iso_stl_read(iso_context* ctx, iso_surface_source* source, iso_surface_builder* builder);

/// .ply, text or binary of either byte order: element vertex (x, y, z), face (polygons) and
/// tristrips (list vertex_indices or vertex_index); edges are counted, other elements and
/// properties passed over.
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE with "name:line: ..." or "name: byte 7: ...",
/// ISO_ERR_MEMORY
iso_status iso_ply_read(iso_context* ctx, iso_surface_source* source, iso_surface_builder* builder);

/// .gltf, .glb and .dae by assimp, in a process of its own. A glTF that is_path may name buffers
/// beside it.
/// @return ISO_ERR_PARSE (the file is malformed; assimp's text), ISO_ERR_RANGE, ISO_ERR_MEMORY,
///         ISO_ERR_IO (no process can be started)
iso_status iso_assimp_read(iso_context* ctx, iso_surface_source* source,
                           iso_surface_builder* builder);
