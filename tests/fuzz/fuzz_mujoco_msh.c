// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Meshes in MuJoCo's own format: whatever the bytes, a checked surface of which no two corners are
// at one place and have a vertex each, nothing where they are Gmsh's, or an error of one line.

#include "geometry/mesh/mesh.h"
#include "scene/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CORNERS 300 // that are compared with each other

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

static void check_joined(const iso_tri_mesh* surface) {
    int count = 3 * surface->triangle_count;
    for (int i = 0; i < count && i < MOST_CORNERS; ++i) {
        for (int k = 0; k < i; ++k) {
            int a = surface->triangles[i / 3][i % 3], b = surface->triangles[k / 3][k % 3];
            iso_vec3 p = surface->vertices[a], q = surface->vertices[b];
            require(a == b || p.x != q.x || p.y != q.y || p.z != q.z);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    iso_scene_build build = {0};
    iso_tri_mesh* surface = NULL;
    require(iso_context_create(&desc, &build.ctx) == ISO_OK);
    require(iso_arena_init(&build.arena, build.ctx, 0) == ISO_OK);
    iso_status status = iso_mjcf_parse_msh(&build, (iso_source){"fuzz.xml", 1}, "fuzz.msh",
                                           (const char*)data, size, &surface);
    if (status != ISO_OK) {
        require(iso_context_error(build.ctx)[0] != '\0');
        require(!strchr(iso_context_error(build.ctx), '\n'));
    } else if (surface) {
        require(iso_tri_mesh_check(build.ctx, surface) == ISO_OK);
        require(surface->triangle_count > 0 || surface->vertex_count >= 4); // or a hull of points
        check_joined(surface);
    } else {
        require(data[0] == '$');
    }
    iso_arena_destroy(&build.arena);
    iso_context_destroy(build.ctx);
    return 0;
}
