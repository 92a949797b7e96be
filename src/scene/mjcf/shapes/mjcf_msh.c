// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// MuJoCo's own format of meshes: numbers of vertices, normals, texture coordinates and faces, then
// three floats, three floats, two floats and three integers of each, all little-endian.

static const size_t k_header = 16;

// --- vertices that are one -----------------------------------------------------------------------

typedef struct placed {
    iso_vec3 p;
    int index;
} placed;

static int compare_numbers(double a, double b) {
    return (a > b) - (a < b);
}

static int compare_placed(const void* a, const void* b) {
    const placed *x = a, *y = b;
    int order = compare_numbers(x->p.x, y->p.x);
    order = order != 0 ? order : compare_numbers(x->p.y, y->p.y);
    order = order != 0 ? order : compare_numbers(x->p.z, y->p.z);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

// Corners of triangles that meet often have a vertex each, as other readers have learnt too:
// without this the surface would be open everywhere.
static iso_status join_equal_vertices(iso_scene_build* build, iso_tri_mesh* surface) {
    int count = surface->vertex_count;
    placed* sorted = iso_arena_push_array(&build->arena, count, sizeof *sorted);
    int* first = iso_arena_push_array(&build->arena, count, sizeof *first);
    ISO_REQUIRE(build->ctx, sorted && first, ISO_ERR_MEMORY, "mesh of %d vertices", count);
    for (int i = 0; i < count; ++i) {
        sorted[i] = (placed){surface->vertices[i], i};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_placed);
    for (int i = 0, leader = 0; i < count; ++i) {
        iso_vec3 p = sorted[i].p, q = sorted[leader].p;
        leader = p.x == q.x && p.y == q.y && p.z == q.z ? leader : i;
        first[sorted[i].index] = sorted[leader].index;
    }
    for (int i = 0; i < surface->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            surface->triangles[i][k] = first[surface->triangles[i][k]];
        }
    }
    return ISO_OK;
}

// --- the file ------------------------------------------------------------------------------------

static iso_status fill_surface(iso_scene_build* build, iso_source at, const char* path,
                               const char* bytes, const uint32_t* counts, iso_tri_mesh* surface) {
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
                          "<mesh>: a face index of '%s' is %u, expected 0 to %u", path, corner,
                          counts[0] - 1);
        surface->triangles[i / 3][i % 3] = (int)corner;
    }
    return join_equal_vertices(build, surface);
}

iso_status iso_mjcf_parse_msh(iso_scene_build* build, iso_source at, const char* path,
                              const char* bytes, size_t size, iso_tri_mesh** out_surface) {
    uint32_t counts[4];
    *out_surface = NULL;
    if (size > 1 && bytes[0] == '$' && isupper((unsigned char)bytes[1])) {
        return ISO_OK; // Gmsh's format: $MeshFormat; as a number it would be of 16705 and more
    }
    ISO_SCENE_REQUIRE(build, at, size >= k_header, ISO_ERR_PARSE,
                      "'%s' has %zu bytes: neither Gmsh's .msh nor MuJoCo's", path, size);
    bool is_possible = true;
    for (size_t i = 0; i < 4; ++i) {
        counts[i] = iso_mjcf_read_u32(bytes + 4 * i);
        is_possible = is_possible && counts[i] <= ISO_SCENE_MAX_BYTES;
    }
    size_t words = 3 * (size_t)counts[0] + 3 * (size_t)counts[1] + 2 * (size_t)counts[2] +
                   3 * (size_t)counts[3];
    ISO_SCENE_REQUIRE(build, at, is_possible && size == k_header + 4 * words, ISO_ERR_PARSE,
                      "'%s' has %zu bytes, expected %zu of MuJoCo's .msh with %u vertices, %u "
                      "normals, %u texture coordinates and %u faces; it is not Gmsh's either",
                      path, size, k_header + 4 * words, counts[0], counts[1], counts[2], counts[3]);
    ISO_SCENE_REQUIRE(build, at, counts[0] >= 4, ISO_ERR_GEOMETRY,
                      "'%s' has %u vertices, expected at least 4", path, counts[0]);
    iso_tri_mesh* surface = iso_arena_push(&build->arena, sizeof *surface);
    iso_vec3* points = iso_arena_push_array(&build->arena, (int)counts[0], sizeof *points);
    int(*triangles)[3] = iso_arena_push_array(&build->arena, (int)counts[3] + 1, sizeof *triangles);
    ISO_REQUIRE(build->ctx, surface && points && triangles, ISO_ERR_MEMORY, "mesh of %u vertices",
                counts[0]);
    *surface = (iso_tri_mesh){(int)counts[0], (int)counts[3], points, triangles};
    *out_surface = surface;
    return fill_surface(build, at, path, bytes, counts, surface);
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
    iso_tri_mesh* surface = NULL;
    ISO_SCENE_TRY(iso_scene_read_file(build, iso_xml_source(node), path, &bytes, &size));
    iso_status status =
        iso_mjcf_parse_msh(build, iso_xml_source(node), path, bytes, size, &surface);
    iso_free(build->ctx, bytes);
    if (status == ISO_OK && surface) {
        mesh->shape.surface = mesh->solid.surface = surface;
        mesh->shape.path = mesh->solid.path = NULL;
        if (surface->triangle_count == 0) { // the hull of its vertices, which needs no triangles
            iso_tri_mesh* points = NULL;
            ISO_SCENE_TRY(iso_mjcf_add_surface(build, mesh, surface->vertex_count, 0, &points));
            points->vertices = surface->vertices;
        }
    }
    return status;
}
