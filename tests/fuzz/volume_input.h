// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Shared by the fuzz targets of volume files.

#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/vtk/volume_file.h"

#include <math.h>
#include <stdlib.h>

static inline void require(bool condition) {
    if (!condition) {
        abort();
    }
}

static inline void require_finite(const double* values, int count) {
    for (int i = 0; values && i < count; ++i) {
        require(isfinite(values[i]));
    }
}

static inline void read_volume_input(const uint8_t* data, size_t size, const char* extension) {
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    iso_context* ctx;
    require(iso_context_create(&desc, &ctx) == ISO_OK);
    iso_volume_file file;
    iso_status status = iso_volume_file_load_memory(ctx, data, size, extension, "fuzz",
                                                    iso_vec3_make(1.0, 1.0, 1.0), &file);
    if (status == ISO_OK) {
        require(iso_tet_mesh_check(ctx, &file.mesh) == ISO_OK);
        require(file.mesh.tet_count > 0);
        require_finite(file.pressure, file.mesh.vertex_count);
        require_finite(file.extent, file.mesh.vertex_count);
        require_finite(file.modulus, file.mesh.vertex_count);
    } else {
        require(!file.mesh.vertices && !file.mesh.tets);
        require(!file.pressure && !file.extent && !file.modulus);
        require(iso_context_error(ctx)[0] != '\0');
    }
    iso_volume_file_destroy(ctx, &file);
    iso_context_destroy(ctx);
}
