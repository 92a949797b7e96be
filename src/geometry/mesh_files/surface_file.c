// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/surface_file.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "geometry/mesh_files/surface_readers.h"
#include "geometry/mesh_files/vtk/vtk.h"

#include <string.h>

static bool same_text(const char* a, const char* b) {
    for (; *a && *b; ++a, ++b) {
        char lower = (char)(*a >= 'A' && *a <= 'Z' ? *a - 'A' + 'a' : *a);
        if (lower != *b) {
            return false;
        }
    }
    return *a == *b;
}

// The format of an extension in lower case, NULL when it is none of ours.
static const char* known_extension(const char* extension) {
    static const char* const k_known[] = {"obj", "stl", "gltf", "glb", "dae", "ply"};
    for (size_t i = 0; i < sizeof k_known / sizeof k_known[0]; ++i) {
        if (same_text(extension, k_known[i])) {
            return k_known[i];
        }
    }
    return NULL;
}

// Say what was left out, and hand the mesh over.
static iso_status finish(iso_context* ctx, const iso_surface_source* source,
                         iso_surface_builder* builder, iso_tri_mesh* out_mesh) {
    const char* name = source->name;
    ISO_REQUIRE(ctx, builder->triangles.count > 0, ISO_ERR_GEOMETRY,
                "%s: the file has no triangles", name);
    if (source->out_ignored_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: %lld points and lines are left out", name,
                (long long)source->out_ignored_count);
    }
    int joined = 0;
    iso_status status = iso_surface_builder_join(ctx, builder, &joined);
    if (status != ISO_OK) {
        return status;
    }
    if (joined > 0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: %d vertices that differ from others by rounding alone are joined to them",
                name, joined);
    }
    ISO_REQUIRE(ctx, builder->triangles.count > 0, ISO_ERR_GEOMETRY,
                "%s: the file has no triangles", name);
    if (builder->collapsed_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: %d triangle%s left out because two corners coincide",
                name, builder->collapsed_count, iso_text_plural(builder->collapsed_count));
    }
    if (builder->degenerate_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: %d of %d triangles have no area; they are kept as they are", name,
                builder->degenerate_count, builder->triangles.count);
    }
    *out_mesh = iso_surface_builder_finish(ctx, builder);
    return ISO_OK;
}

static iso_status load(iso_context* ctx, iso_surface_source* source, const char* extension,
                       bool may_open, iso_tri_mesh* out_mesh) {
    for (int i = 0; i < 3; ++i) {
        double factor = iso_vec3_get(source->scale, i);
        ISO_REQUIRE(ctx, isfinite(factor) && factor != 0.0, ISO_ERR_RANGE,
                    "%s: scale is %g, expected finite and non-zero", source->name, factor);
    }
    iso_surface_builder builder = {0};
    iso_status status = ISO_OK;
    if (strcmp(extension, "obj") == 0) {
        status = iso_obj_read(ctx, source, &builder);
    } else if (strcmp(extension, "stl") == 0) {
        status = iso_stl_read(ctx, source, &builder);
    } else if (strcmp(extension, "ply") == 0) {
        status = iso_ply_read(ctx, source, &builder);
    } else {
        status = iso_assimp_read(ctx, source, extension, may_open, &builder);
    }
    if (status == ISO_OK) {
        status = finish(ctx, source, &builder, out_mesh);
    }
    iso_surface_builder_destroy(ctx, &builder);
    return status;
}

iso_status iso_tri_mesh_load_memory(iso_context* ctx, const void* bytes, size_t size,
                                    const char* extension, const char* name, iso_vec3 scale,
                                    iso_tri_mesh* out_mesh) {
    ISO_REQUIRE(ctx, (bytes || size == 0) && extension && name && out_mesh, ISO_ERR_ARGUMENT,
                "bytes, extension, name and out_mesh are required");
    *out_mesh = (iso_tri_mesh){0};
    const char* known = known_extension(extension);
    ISO_REQUIRE(ctx, known, ISO_ERR_UNSUPPORTED,
                "%s: extension '%s', expected obj, stl, gltf, glb, dae or ply", name, extension);
    iso_surface_source source = {.bytes = bytes, .size = size, .name = name, .scale = scale};
    return load(ctx, &source, known, false, out_mesh);
}

iso_status iso_tri_mesh_load(iso_context* ctx, const char* path, iso_vec3 scale,
                             iso_tri_mesh* out_mesh) {
    ISO_REQUIRE(ctx, path && out_mesh, ISO_ERR_ARGUMENT, "path and out_mesh are required");
    *out_mesh = (iso_tri_mesh){0};
    const char* dot = strrchr(path, '.');
    const char* known = dot ? known_extension(dot + 1) : NULL;
    ISO_REQUIRE(ctx, known, ISO_ERR_UNSUPPORTED,
                "%s: a surface file must be .obj, .stl, .gltf, .glb, .dae or .ply", path);
    iso_surface_source source = {.name = path, .scale = scale};
    char* bytes = NULL;
    iso_status status = iso_file_read(ctx, path, ISO_MESH_FILE_MAX_SIZE, &bytes, &source.size);
    if (status == ISO_OK) {
        source.bytes = bytes;
        status = load(ctx, &source, known, strcmp(known, "gltf") == 0, out_mesh);
    }
    iso_free(ctx, bytes);
    return status;
}
