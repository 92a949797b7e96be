// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/vtk/vtu_write.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/base64.h"

#include <string.h>
#include <zlib.h>

#define BLOCK_SIZE ((size_t)32768)
#define VTK_TETRA 10

static void write_base64(FILE* file, const unsigned char* bytes, size_t size) {
    for (size_t i = 0; i < size; i += 3) {
        char digits[4];
        iso_base64_put(bytes + i, size - i, digits);
        fwrite(digits, 1, sizeof digits, file);
    }
}

static void put_word(unsigned char* out, uint32_t value) {
    for (int i = 0; i < 4; ++i) {
        out[i] = (unsigned char)(value >> 8 * i);
    }
}

static void put_wide(unsigned char* out, uint64_t value) {
    for (int i = 0; i < 8; ++i) {
        out[i] = (unsigned char)(value >> 8 * i);
    }
}

static void put_double(unsigned char* out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_wide(out, bits);
}

// The header (number of blocks, their size, size of a shorter last one, packed sizes) is base64 of
// its own; behind it follow the packed blocks.
static iso_status write_blocks(iso_context* ctx, FILE* file, const unsigned char* bytes,
                               size_t size) {
    size_t block_count = (size + BLOCK_SIZE - 1) / BLOCK_SIZE;
    size_t room = compressBound((uLong)BLOCK_SIZE);
    iso_status status = ISO_OK;
    unsigned char* header = iso_alloc_zeroed(ctx, 4 * (3 + block_count));
    unsigned char* packed = iso_alloc(ctx, room * block_count + 1);
    size_t used = 0;
    ISO_CHECK(ctx, header && packed, ISO_ERR_MEMORY, "packed array of %zu bytes", size);
    put_word(header, (uint32_t)block_count);
    put_word(header + 4, (uint32_t)BLOCK_SIZE);
    put_word(header + 8, (uint32_t)(size % BLOCK_SIZE));
    for (size_t i = 0; i < block_count; ++i) {
        size_t left = size - i * BLOCK_SIZE;
        uLongf packed_size = (uLongf)room;
        int result = compress2(packed + used, &packed_size, bytes + i * BLOCK_SIZE,
                               (uLong)(left < BLOCK_SIZE ? left : BLOCK_SIZE), 6);
        ISO_CHECK(ctx, result == Z_OK, ISO_ERR_MEMORY, "packing of an array");
        put_word(header + 4 * (3 + i), (uint32_t)packed_size);
        used += (size_t)packed_size;
    }
    write_base64(file, header, 4 * (3 + block_count));
    write_base64(file, packed, used);

done:
    iso_free(ctx, header);
    iso_free(ctx, packed);
    return status;
}

static iso_status write_array(iso_context* ctx, FILE* file, const char* type, const char* name,
                              int component_count, const unsigned char* bytes, size_t size) {
    ISO_REQUIRE(ctx, size <= UINT32_MAX, ISO_ERR_RANGE, "array '%s' of %zu bytes, expected < 4 GiB",
                name, size);
    fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">",
            type, name, component_count);
    iso_status status = write_blocks(ctx, file, bytes, size);
    fputs("</DataArray>\n", file);
    return status;
}

// A text as the codes of its characters: VTK's own texts are more than meshio reads.
static void write_text(FILE* file, const char* name, const char* text) {
    if (text && *text) {
        fprintf(file,
                "<DataArray type=\"UInt8\" Name=\"%s\" NumberOfTuples=\"%zu\" format=\"ascii\">",
                name, strlen(text));
        for (const char* c = text; *c; ++c) {
            fprintf(file, "%s%d", c == text ? "" : " ", (unsigned char)*c);
        }
        fputs("</DataArray>\n", file);
    }
}

static void write_metadata(FILE* file, const iso_volume_metadata* m) {
    fputs("<FieldData>\n", file);
    write_text(file, "units", m->units);
    write_text(file, "generator", m->generator);
    write_text(file, "source", m->source);
    if (m->modulus != 0.0) {
        fprintf(file,
                "<DataArray type=\"Float64\" Name=\"modulus\" NumberOfTuples=\"1\" "
                "format=\"ascii\">%.17g</DataArray>\n",
                m->modulus);
    }
    fputs("</FieldData>\n", file);
}

static iso_status write_point_data(iso_context* ctx, FILE* file, const iso_volume_file* volume,
                                   unsigned char* bytes) {
    const struct {
        const char* name;
        const double* values;
    } arrays[] = {
        {"extent", volume->extent}, {"pressure", volume->pressure}, {"modulus", volume->modulus}};
    iso_status status = ISO_OK;
    fputs("<PointData>\n", file);
    for (int k = 0; k < 3 && status == ISO_OK; ++k) {
        int count = arrays[k].values ? volume->mesh.vertex_count : 0;
        for (int i = 0; i < count; ++i) {
            put_double(bytes + 8 * (size_t)i, arrays[k].values[i]);
        }
        if (arrays[k].values) {
            status = write_array(ctx, file, "Float64", arrays[k].name, 1, bytes, 8 * (size_t)count);
        }
    }
    fputs("</PointData>\n", file);
    return status;
}

static iso_status write_points(iso_context* ctx, FILE* file, const iso_tet_mesh* mesh,
                               unsigned char* bytes) {
    for (int i = 0; i < mesh->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            put_double(bytes + 8 * (3 * (size_t)i + (size_t)k), iso_vec3_get(mesh->vertices[i], k));
        }
    }
    fputs("<Points>\n", file);
    iso_status status =
        write_array(ctx, file, "Float64", "Points", 3, bytes, 24 * (size_t)mesh->vertex_count);
    fputs("</Points>\n", file);
    return status;
}

static iso_status write_cells(iso_context* ctx, FILE* file, const iso_tet_mesh* mesh,
                              unsigned char* bytes) {
    size_t count = (size_t)mesh->tet_count;
    iso_status status = ISO_OK;
    fputs("<Cells>\n", file);
    for (size_t i = 0; i < 4 * count; ++i) {
        put_word(bytes + 4 * i, (uint32_t)mesh->tets[i / 4][i % 4]);
    }
    ISO_TRY(write_array(ctx, file, "Int32", "connectivity", 1, bytes, 16 * count));
    for (size_t i = 0; i < count; ++i) {
        put_wide(bytes + 8 * i, 4 * (i + 1));
    }
    ISO_TRY(write_array(ctx, file, "Int64", "offsets", 1, bytes, 8 * count));
    memset(bytes, VTK_TETRA, count);
    ISO_TRY(write_array(ctx, file, "UInt8", "types", 1, bytes, count));
    fputs("</Cells>\n", file);

done:
    return status;
}

iso_status iso_vtu_write(iso_context* ctx, FILE* file, const iso_volume_file* volume,
                         const iso_volume_metadata* metadata) {
    const iso_tet_mesh* mesh = &volume->mesh;
    iso_status status = ISO_OK;
    size_t most = 24 * (size_t)mesh->vertex_count + 16 * (size_t)mesh->tet_count;
    unsigned char* bytes = iso_alloc(ctx, most);
    ISO_CHECK(ctx, bytes, ISO_ERR_MEMORY, "%zu bytes of arrays", most);
    fputs("<?xml version=\"1.0\"?>\n"
          "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt32\" compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid>\n",
          file);
    write_metadata(file, metadata);
    fprintf(file, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", mesh->vertex_count,
            mesh->tet_count);
    ISO_TRY(write_point_data(ctx, file, volume, bytes));
    ISO_TRY(write_points(ctx, file, mesh, bytes));
    ISO_TRY(write_cells(ctx, file, mesh, bytes));
    fputs("</Piece>\n</UnstructuredGrid>\n</VTKFile>\n", file);

done:
    iso_free(ctx, bytes);
    return status;
}
