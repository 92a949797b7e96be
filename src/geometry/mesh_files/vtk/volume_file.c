// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/vtk/volume_file.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/vtk/vtk.h"
#include "geometry/mesh_text/volume_reader.h"
#include "geometry/tetrahedra/tet_repair.h"

#include <string.h>

typedef iso_status (*read_fn)(iso_context* ctx, const iso_volume_source* source,
                              iso_volume_data* data);

static const struct {
    const char* extension;
    read_fn read;
} k_formats[] = {
    {"vtk", iso_vtk_read_volume},
    {"vtu", iso_vtu_read_volume},
    {"msh", iso_msh_read_volume},
};

// NULL when the extension is none of ours.
static read_fn find_format(const char* path) {
    for (size_t i = 0; i < sizeof k_formats / sizeof k_formats[0]; ++i) {
        if (iso_path_has_extension(path, k_formats[i].extension)) {
            return k_formats[i].read;
        }
    }
    return NULL;
}

bool iso_volume_file_is_known(const char* path) {
    return path && find_format(path) != NULL;
}

iso_extension_list iso_volume_file_extensions(void) {
    iso_extension_list list = {.text = ""};
    for (size_t i = 0; i < sizeof k_formats / sizeof k_formats[0]; ++i) {
        iso_extension_list_add(&list, k_formats[i].extension);
    }
    return list;
}

static iso_status require_known(iso_context* ctx, const char* path, read_fn read) {
    ISO_REQUIRE(ctx, read, ISO_ERR_UNSUPPORTED, "%s: a volume file must be one of %s", path,
                iso_volume_file_extensions().text);
    return ISO_OK;
}

iso_wanted_array* iso_volume_data_wants(iso_volume_data* data, const char* name,
                                        size_t name_length) {
    for (int i = 0; i < data->array_count; ++i) {
        iso_wanted_array* wanted = &data->arrays[i];
        if (!wanted->values && strlen(wanted->name) == name_length &&
            memcmp(wanted->name, name, name_length) == 0) {
            return wanted;
        }
    }
    return NULL;
}

void iso_volume_data_destroy(iso_context* ctx, iso_volume_data* data) {
    iso_tet_mesh_destroy(ctx, &data->mesh);
    for (int i = 0; i < data->array_count; ++i) {
        iso_free(ctx, data->arrays[i].values);
        data->arrays[i].values = NULL;
    }
}

static iso_status check_scale(iso_context* ctx, const char* name, iso_vec3 scale) {
    for (int i = 0; i < 3; ++i) {
        double factor = iso_vec3_get(scale, i);
        ISO_REQUIRE(ctx, isfinite(factor) && factor != 0.0, ISO_ERR_RANGE,
                    "%s: scale is %g, expected finite and non-zero", name, factor);
    }
    return ISO_OK;
}

static int count_used(const iso_tet_mesh* mesh, int* index_of) {
    int used_count = 0;
    for (int i = 0; i < mesh->tet_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            index_of[mesh->tets[i][k]] = 1;
        }
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        index_of[i] = index_of[i] ? used_count++ : -1;
    }
    return used_count;
}

// Vertices of points, lines and faces that were passed over go as well.
static iso_status drop_unused_vertices(iso_context* ctx, iso_volume_data* data) {
    iso_tet_mesh* mesh = &data->mesh;
    int* index_of = iso_alloc_array(ctx, mesh->vertex_count, sizeof *index_of);
    ISO_REQUIRE(ctx, index_of, ISO_ERR_MEMORY, "numbers of %d vertices", mesh->vertex_count);
    int used_count = count_used(mesh, index_of);
    for (int i = 0; i < mesh->vertex_count && used_count < mesh->vertex_count; ++i) {
        if (index_of[i] >= 0) {
            mesh->vertices[index_of[i]] = mesh->vertices[i];
            for (int k = 0; k < data->array_count; ++k) {
                double* values = data->arrays[k].values;
                if (values) {
                    values[index_of[i]] = values[i];
                }
            }
        }
    }
    for (int i = 0; i < mesh->tet_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            mesh->tets[i][k] = index_of[mesh->tets[i][k]];
        }
    }
    mesh->vertex_count = used_count;
    iso_free(ctx, index_of);
    return ISO_OK;
}

static iso_status check_arrays(iso_context* ctx, const char* name, const iso_volume_data* data) {
    for (int k = 0; k < data->array_count; ++k) {
        const double* values = data->arrays[k].values;
        for (int i = 0; values && i < data->mesh.vertex_count; ++i) {
            ISO_REQUIRE(ctx, isfinite(values[i]), ISO_ERR_PARSE,
                        "%s: array '%s' has no value at vertex %d (of %d, counted from 0)", name,
                        data->arrays[k].name, i, data->mesh.vertex_count);
        }
    }
    return ISO_OK;
}

// Scale and check what a reader has found.
static iso_status finish(iso_context* ctx, const char* name, iso_vec3 scale,
                         iso_volume_data* data) {
    if (data->ignored_count > 0) {
        iso_log(ctx, ISO_LOG_INFO, "%s: %d points, lines and faces are passed over", name,
                data->ignored_count);
    }
    iso_volume_data_report_unused(ctx, name, data);
    iso_status status = data->drops_vertices ? drop_unused_vertices(ctx, data) : ISO_OK;
    if (status == ISO_OK) {
        status = check_arrays(ctx, name, data);
    }
    if (status != ISO_OK) {
        return status;
    }
    iso_tet_mesh_scale(&data->mesh, scale);
    iso_nodal_arrays arrays = {.count = data->array_count};
    for (int k = 0; k < data->array_count; ++k) {
        arrays.values[k] = data->arrays[k].values;
    }
    status = iso_tet_mesh_clean(ctx, name, &data->mesh, &arrays, NULL);
    if (status != ISO_OK) {
        return status;
    }
    // Volumes of coordinates that are extremely large or small overflow, or vanish when turned.
    status = iso_tet_mesh_check(ctx, &data->mesh);
    return status == ISO_OK ? ISO_OK : iso_fail_prefix(ctx, status, "%s", name);
}

static iso_status read_bytes(iso_context* ctx, const iso_volume_source* source, read_fn read,
                             iso_vec3 scale, iso_volume_data* data) {
    iso_status status = check_scale(ctx, source->name, scale);
    if (status == ISO_OK) {
        status = read(ctx, source, data);
    }
    if (status == ISO_OK) {
        status = finish(ctx, source->name, scale, data);
    }
    if (status != ISO_OK) {
        iso_volume_data_destroy(ctx, data);
    }
    return status;
}

static iso_status read_path(iso_context* ctx, const char* path, read_fn read, iso_vec3 scale,
                            iso_volume_data* data) {
    char* bytes = NULL;
    iso_volume_source source = {.name = path};
    iso_status status = iso_file_read(ctx, path, ISO_MESH_FILE_MAX_SIZE, &bytes, &source.size);
    if (status == ISO_OK) {
        source.bytes = bytes;
        status = read_bytes(ctx, &source, read, scale, data);
    }
    iso_free(ctx, bytes);
    return status;
}

enum { k_pressure, k_extent, k_modulus, k_array_count };

// The arrays that contact understands.
static void want_all(iso_wanted_array arrays[k_array_count], iso_volume_data* out_data) {
    arrays[k_pressure] = (iso_wanted_array){"pressure", NULL};
    arrays[k_extent] = (iso_wanted_array){"extent", NULL};
    arrays[k_modulus] = (iso_wanted_array){"modulus", NULL};
    *out_data = (iso_volume_data){.arrays = arrays, .array_count = k_array_count};
}

static iso_volume_file hand_over(const iso_volume_data* data) {
    return (iso_volume_file){.mesh = data->mesh,
                             .pressure = data->arrays[k_pressure].values,
                             .extent = data->arrays[k_extent].values,
                             .modulus = data->arrays[k_modulus].values};
}

iso_status iso_volume_file_load_memory(iso_context* ctx, const void* bytes, size_t size,
                                       const char* extension, const char* name, iso_vec3 scale,
                                       iso_volume_file* out_file) {
    ISO_REQUIRE(ctx, (bytes || size == 0) && extension && name && out_file, ISO_ERR_ARGUMENT,
                "bytes, extension, name and out_file are required");
    *out_file = (iso_volume_file){0};
    char path[16] = "x.";
    strncat(path, extension, sizeof path - 3);
    read_fn read = find_format(path);
    ISO_REQUIRE(ctx, read, ISO_ERR_UNSUPPORTED, "%s: extension '%s', expected one of %s", name,
                extension, iso_volume_file_extensions().text);
    iso_wanted_array arrays[k_array_count];
    iso_volume_data data;
    want_all(arrays, &data);
    iso_volume_source source = {bytes, size, name};
    iso_status status = read_bytes(ctx, &source, read, scale, &data);
    *out_file = hand_over(&data);
    return status;
}

iso_status iso_volume_file_load(iso_context* ctx, const char* path, iso_vec3 scale,
                                iso_volume_file* out_file) {
    ISO_REQUIRE(ctx, path && out_file, ISO_ERR_ARGUMENT, "path and out_file are required");
    *out_file = (iso_volume_file){0};
    read_fn read = find_format(path);
    iso_status status = require_known(ctx, path, read);
    if (status != ISO_OK) {
        return status;
    }
    iso_wanted_array arrays[k_array_count];
    iso_volume_data data;
    want_all(arrays, &data);
    status = read_path(ctx, path, read, scale, &data);
    *out_file = hand_over(&data);
    return status;
}

void iso_volume_file_destroy(iso_context* ctx, iso_volume_file* file) {
    if (file) {
        iso_tet_mesh_destroy(ctx, &file->mesh);
        iso_free(ctx, file->pressure);
        iso_free(ctx, file->extent);
        iso_free(ctx, file->modulus);
        *file = (iso_volume_file){0};
    }
}

iso_status iso_tet_mesh_load(iso_context* ctx, const char* path, iso_vec3 scale,
                             iso_tet_mesh* out_mesh) {
    ISO_REQUIRE(ctx, path && out_mesh, ISO_ERR_ARGUMENT, "path and out_mesh are required");
    *out_mesh = (iso_tet_mesh){0};
    read_fn read = find_format(path);
    iso_status status = require_known(ctx, path, read);
    if (status != ISO_OK) {
        return status;
    }
    iso_volume_data data = {0};
    status = read_path(ctx, path, read, scale, &data);
    *out_mesh = data.mesh;
    return status;
}

static iso_status check_found(iso_context* ctx, const char* name, const iso_wanted_array* wanted) {
    ISO_REQUIRE(ctx, wanted->values, ISO_ERR_NOT_FOUND,
                "%s: the file has no point array '%s' of one component", name, wanted->name);
    return ISO_OK;
}

iso_status iso_vtk_read_memory(iso_context* ctx, const void* bytes, size_t size, const char* name,
                               iso_vec3 scale, const char* array_name, iso_tet_mesh* out_mesh,
                               double** out_array) {
    *out_mesh = (iso_tet_mesh){0};
    if (out_array) {
        *out_array = NULL;
    }
    iso_wanted_array wanted = {array_name, NULL};
    bool wants_array = array_name && out_array;
    iso_volume_data data = {.arrays = &wanted, .array_count = wants_array};
    iso_volume_source source = {bytes, size, name};
    iso_status status = read_bytes(ctx, &source, iso_vtk_read_volume, scale, &data);
    if (status == ISO_OK && wants_array) {
        status = check_found(ctx, name, &wanted);
        if (status != ISO_OK) {
            iso_volume_data_destroy(ctx, &data);
        }
        *out_array = wanted.values;
    }
    *out_mesh = data.mesh;
    return status;
}
