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

typedef iso_status (*read_fn)(iso_context* ctx, iso_surface_source* source,
                              iso_surface_builder* builder);

typedef struct surface_format {
    const char* extension; // in lower case
    read_fn read;
} surface_format;

static const surface_format k_formats[] = {
    {"obj", iso_obj_read},     {"stl", iso_stl_read},    {"ply", iso_ply_read},
    {"gltf", iso_assimp_read}, {"glb", iso_assimp_read}, {"dae", iso_assimp_read},
};
enum { FORMAT_COUNT = sizeof k_formats / sizeof k_formats[0] };

// NULL when the extension is none of ours.
static const surface_format* find_format(const char* path) {
    for (int i = 0; path && i < FORMAT_COUNT; ++i) {
        if (iso_path_has_extension(path, k_formats[i].extension)) {
            return &k_formats[i];
        }
    }
    return NULL;
}

bool iso_surface_file_is_known(const char* path) {
    return find_format(path) != NULL;
}

iso_extension_list iso_surface_file_extensions(void) {
    iso_extension_list list = {.text = ""};
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        iso_extension_list_add(&list, k_formats[i].extension);
    }
    return list;
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
                "%s: %d %s from others by rounding alone and %s joined to them", name, joined,
                joined == 1 ? "vertex differs" : "vertices differ", joined == 1 ? "is" : "are");
    }
    ISO_REQUIRE(ctx, builder->triangles.count > 0, ISO_ERR_GEOMETRY,
                "%s: the file has no triangles", name);
    if (builder->collapsed_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: %d triangle%s left out because two corners coincide",
                name, builder->collapsed_count, iso_text_plural(builder->collapsed_count));
    }
    if (builder->degenerate_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: %d of %d triangles %s no area, kept as they are", name,
                builder->degenerate_count, builder->triangles.count,
                builder->degenerate_count == 1 ? "has" : "have");
    }
    *out_mesh = iso_surface_builder_finish(ctx, builder);
    return ISO_OK;
}

static iso_status load(iso_context* ctx, iso_surface_source* source, read_fn read,
                       iso_tri_mesh* out_mesh) {
    for (int i = 0; i < 3; ++i) {
        double factor = iso_vec3_get(source->scale, i);
        ISO_REQUIRE(ctx, isfinite(factor) && factor != 0.0, ISO_ERR_RANGE,
                    "%s: scale is %g, expected finite and non-zero", source->name, factor);
    }
    iso_surface_builder builder = {0};
    iso_status status = read(ctx, source, &builder);
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
    char path[16] = "x.";
    strncat(path, extension, sizeof path - 3);
    const surface_format* format = find_format(path);
    ISO_REQUIRE(ctx, format, ISO_ERR_UNSUPPORTED, "%s: extension '%s', expected one of %s", name,
                extension, iso_surface_file_extensions().text);
    iso_surface_source source = {
        .bytes = bytes, .size = size, .name = name, .extension = format->extension, .scale = scale};
    return load(ctx, &source, format->read, out_mesh);
}

iso_status iso_tri_mesh_load(iso_context* ctx, const char* path, iso_vec3 scale,
                             iso_tri_mesh* out_mesh) {
    ISO_REQUIRE(ctx, path && out_mesh, ISO_ERR_ARGUMENT, "path and out_mesh are required");
    *out_mesh = (iso_tri_mesh){0};
    const surface_format* format = find_format(path);
    ISO_REQUIRE(ctx, format, ISO_ERR_UNSUPPORTED, "%s: a surface file must be one of %s", path,
                iso_surface_file_extensions().text);
    iso_surface_source source = {
        .name = path, .extension = format->extension, .is_path = true, .scale = scale};
    char* bytes = NULL;
    iso_status status = iso_file_read(ctx, path, ISO_MESH_FILE_MAX_SIZE, &bytes, &source.size);
    if (status == ISO_OK) {
        source.bytes = bytes;
        status = load(ctx, &source, format->read, out_mesh);
    }
    iso_free(ctx, bytes);
    return status;
}
