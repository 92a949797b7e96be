// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/geometry.h"

/// Largest mesh file read, in bytes.
#define ISO_MESH_FILE_MAX_SIZE ((size_t)512 * 1024 * 1024)

/// Read tetrahedra from the bytes of a legacy VTK file (versions 1 to 5.x, ASCII or big-endian
/// binary). Only cells of type 10 are accepted; other data (fields, attributes, metadata) is
/// skipped.
/// @param      name         for messages: "name:line: ..." or "name: byte 123: ..."
/// @param      array_name   a point array of one component to return as well; NULL for none
/// @param[out] out_array    [vertex_count], owned by the caller, release with iso_free(); may be
/// NULL
///                          when array_name is
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE, ISO_ERR_UNSUPPORTED (dataset, cell type),
///         ISO_ERR_GEOMETRY (as iso_tet_mesh_clean()), ISO_ERR_NOT_FOUND (array_name),
///         ISO_ERR_MEMORY
iso_status iso_vtk_read_memory(iso_context* ctx, const void* bytes, size_t size, const char* name,
                               iso_vec3 scale, const char* array_name, iso_tet_mesh* out_mesh,
                               double** out_array);
