// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf.h"

#include <math.h>
#include <string.h>

// MuJoCo's own format of meshes: numbers of vertices, normals, texture coordinates and faces, then
// three floats, three floats, two floats and three integers of each, all little-endian.

static const size_t k_header = 16;

static iso_status fill_surface(const iso_mjcf_reader* reader, const xmlNode* node, const char* path,
                               const char* bytes, const uint32_t* counts, iso_tri_mesh* surface) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(node);
    const char* corners =
        bytes + k_header +
        4 * (3 * (size_t)counts[0] + 3 * (size_t)counts[1] + 2 * (size_t)counts[2]);
    for (size_t i = 0; i < counts[0]; ++i) {
        double p[3];
        for (size_t k = 0; k < 3; ++k) {
            p[k] = (double)iso_mjcf_read_float(bytes + k_header + 4 * (3 * i + k));
            ISO_SCENE_REQUIRE(build, at, isfinite(p[k]), ISO_ERR_PARSE,
                              "<mesh>: a coordinate of '%s' is %g", path, p[k]);
        }
        surface->vertices[i] = iso_vec3_make(p[0], p[1], p[2]);
    }
    for (size_t i = 0; i < 3 * (size_t)counts[3]; ++i) {
        uint32_t corner = iso_mjcf_read_u32(corners + 4 * i);
        ISO_SCENE_REQUIRE(build, at, corner < counts[0], ISO_ERR_RANGE,
                          "<mesh>: face index is %u, expected 0 to %u", corner, counts[0] - 1);
        surface->triangles[i / 3][i % 3] = (int)corner;
    }
    return ISO_OK;
}

static iso_status parse(const iso_mjcf_reader* reader, const xmlNode* node, const char* path,
                        const char* bytes, size_t size, iso_mjcf_mesh* mesh) {
    iso_scene_build* build = reader->build;
    uint32_t counts[4];
    if (size < k_header) {
        return ISO_OK;
    }
    for (size_t i = 0; i < 4; ++i) {
        counts[i] = iso_mjcf_read_u32(bytes + 4 * i);
        if (counts[i] > ISO_SCENE_MAX_BYTES) {
            return ISO_OK;
        }
    }
    size_t words = 3 * (size_t)counts[0] + 3 * (size_t)counts[1] + 2 * (size_t)counts[2] +
                   3 * (size_t)counts[3];
    if (size != k_header + 4 * words || counts[0] < 4 || counts[3] == 0) {
        return ISO_OK;
    }
    iso_tri_mesh* surface = iso_arena_push(&build->arena, sizeof *surface);
    iso_vec3* points = iso_arena_push_array(&build->arena, (int)counts[0], sizeof *points);
    int(*triangles)[3] = iso_arena_push_array(&build->arena, (int)counts[3], sizeof *triangles);
    ISO_REQUIRE(build->ctx, surface && points && triangles, ISO_ERR_MEMORY, "mesh of %u vertices",
                counts[0]);
    *surface = (iso_tri_mesh){(int)counts[0], (int)counts[3], points, triangles};
    mesh->shape.surface = mesh->solid.surface = surface;
    mesh->shape.path = mesh->solid.path = NULL;
    return fill_surface(reader, node, path, bytes, counts, surface);
}

iso_status iso_mjcf_read_msh(const iso_mjcf_reader* reader, const xmlNode* node,
                             iso_mjcf_mesh* mesh) {
    iso_scene_build* build = reader->build;
    const char* path = mesh->shape.path;
    const char* dot = strrchr(path, '.');
    char* bytes = NULL;
    size_t size = 0;
    if (!dot || strcmp(dot, ".msh") != 0) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_scene_read_file(build, iso_xml_source(node), path, &bytes, &size));
    iso_status status = parse(reader, node, path, bytes, size, mesh);
    iso_free(build->ctx, bytes);
    return status;
}
