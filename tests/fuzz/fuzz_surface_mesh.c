// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0
//
// Surface files: the first byte chooses the format of k_extensions, the rest is the file. Whatever
// the bytes, the reader gives a checked mesh or an error with a message. The other formats are read
// by assimp, which is not ours to fuzz: it has a process of its own to crash in. What looks at a
// .dae before is fuzzed in fuzz_dae.c.

#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/surface_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const char* const k_extensions[] = {"obj", "stl", "ply"};
    if (size == 0) {
        return 0;
    }
    const char* extension = k_extensions[data[0] % (sizeof k_extensions / sizeof *k_extensions)];
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    iso_context* ctx;
    require(iso_context_create(&desc, &ctx) == ISO_OK);
    iso_tri_mesh mesh;
    iso_status status = iso_tri_mesh_load_memory(ctx, data + 1, size - 1, extension, "fuzz",
                                                 iso_vec3_make(1.0, 1.0, 1.0), &mesh);
    if (status == ISO_OK) {
        require(iso_tri_mesh_check(ctx, &mesh) == ISO_OK);
        require(mesh.triangle_count > 0);
        iso_mesh_report report;
        require(iso_tri_mesh_inspect(ctx, &mesh, &report) == ISO_OK);
    } else {
        require(!mesh.vertices && !mesh.triangles);
        require(iso_context_error(ctx)[0] != '\0');
    }
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_context_destroy(ctx);
    return 0;
}
