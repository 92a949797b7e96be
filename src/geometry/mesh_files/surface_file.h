// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh_text/extension_list.h"
#include "isobar/geometry.h"

/// iso_tri_mesh_load() from bytes: files that a glTF names are not looked for (data: URIs are
/// fine).
/// @param extension  of the format: "obj"; case is ignored
/// @param name       for messages
/// @return as iso_tri_mesh_load()
iso_status iso_tri_mesh_load_memory(iso_context* ctx, const void* bytes, size_t size,
                                    const char* extension, const char* name, iso_vec3 scale,
                                    iso_tri_mesh* out_mesh);

/// True for the extensions that iso_tri_mesh_load() reads; false for NULL.
bool iso_surface_file_is_known(const char* path);
/// These extensions.
iso_extension_list iso_surface_file_extensions(void);
