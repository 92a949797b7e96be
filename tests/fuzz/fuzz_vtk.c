// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0
//
// Legacy VTK files: whatever the bytes, the reader gives a checked mesh or an error with a message.

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/vtk/vtk.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    iso_context* ctx;
    require(iso_context_create(NULL, &ctx) == ISO_OK);
    iso_tet_mesh mesh;
    double* array;
    bool wants_array = size % 2 == 0;
    iso_status status =
        iso_vtk_read_memory(ctx, data, size, "fuzz.vtk", iso_vec3_make(1.0, 1.0, 1.0),
                            wants_array ? "e" : NULL, &mesh, &array);
    if (status == ISO_OK) {
        require(iso_tet_mesh_check(ctx, &mesh) == ISO_OK);
        require(mesh.tet_count > 0 && (array != NULL) == wants_array);
    } else {
        require(!mesh.vertices && !mesh.tets && !array);
        require(iso_context_error(ctx)[0] != '\0');
    }
    iso_tet_mesh_destroy(ctx, &mesh);
    iso_free(ctx, array);
    iso_context_destroy(ctx);
    return 0;
}
