// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/lab.h"
#include "base/core/text.h"

#include <string.h>
#include <zlib.h>

// Little-endian numbers of a zip archive, a member after the other, none compressed.
typedef struct archive {
    iso_text head;    ///< of the member that is being written
    iso_text catalog; ///< of all
    uint32_t at;      ///< bytes written
} archive;

static iso_status put(iso_context* ctx, iso_text* text, uint32_t value, int bytes) {
    char out[4];
    for (int i = 0; i < bytes; ++i) {
        out[i] = (char)(value >> (8 * i) & 0xff);
    }
    return iso_text_append(ctx, text, out, (size_t)bytes);
}

static iso_status put_all(iso_context* ctx, iso_text* text, const uint32_t (*fields)[2],
                          int count) {
    iso_status status = ISO_OK;
    for (int i = 0; status == ISO_OK && i < count; ++i) {
        status = put(ctx, text, fields[i][0], (int)fields[i][1]);
    }
    return status;
}

// The head of a .npy file: version 1.0, doubles in rows, a multiple of 64 bytes.
static void describe(const iso_lab_array* a, char out[192]) {
    char text[160];
    int length =
        snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                 a->rows, a->columns);
    memset(out, ' ', 192);
    memcpy(out, "\x93NUMPY\x01\x00\xb6\x00", 10); // 182 bytes follow
    memcpy(out + 10, text, (size_t)length);
    out[191] = '\n';
}

static iso_status write_member(iso_context* ctx, FILE* file, archive* z, const iso_lab_array* a) {
    char head[192];
    size_t size = (size_t)a->rows * (size_t)a->columns * sizeof(double);
    uint32_t name = (uint32_t)strlen(a->name) + 4, all = (uint32_t)(size + sizeof head);
    describe(a, head);
    uLong crc = crc32_z(0, (const Bytef*)head, sizeof head);
    crc = crc32_z(crc, (const Bytef*)a->values, size);
    const uint32_t k_date = 0x5821; // 2024-01-01: the same bytes of the same numbers
    const uint32_t common[][2] = {
        {20, 2},  {0, 2},   {0, 2},    {0, 2}, {k_date, 2}, {(uint32_t)crc, 4},
        {all, 4}, {all, 4}, {name, 2}, {0, 2}};
    iso_status status = ISO_OK;
    z->head.length = 0;
    ISO_TRY(put(ctx, &z->head, 0x04034b50, 4));
    ISO_TRY(put_all(ctx, &z->head, common, 10));
    ISO_TRY(iso_text_printf(ctx, &z->head, "%s.npy", a->name));
    ISO_TRY(put(ctx, &z->catalog, 0x02014b50, 4));
    ISO_TRY(put(ctx, &z->catalog, 20, 2));
    ISO_TRY(put_all(ctx, &z->catalog, common, 10));
    const uint32_t rest[][2] = {{0, 2}, {0, 2}, {0, 2}, {0, 4}, {z->at, 4}};
    ISO_TRY(put_all(ctx, &z->catalog, rest, 5));
    ISO_TRY(iso_text_printf(ctx, &z->catalog, "%s.npy", a->name));
    fwrite(z->head.data, 1, z->head.length, file);
    fwrite(head, 1, sizeof head, file);
    fwrite(a->values, 1, size, file);
    z->at += (uint32_t)z->head.length + all;

done:
    return status;
}

static iso_status write_npz(iso_context* ctx, FILE* file, const iso_lab_array* arrays, int count) {
    archive z = {0};
    iso_status status = ISO_OK;
    for (int i = 0; i < count; ++i) {
        ISO_TRY(write_member(ctx, file, &z, &arrays[i]));
    }
    uint32_t size = (uint32_t)z.catalog.length;
    const uint32_t end[][2] = {{0x06054b50, 4},      {0, 2},    {0, 2},    {(uint32_t)count, 2},
                               {(uint32_t)count, 2}, {size, 4}, {z.at, 4}, {0, 2}};
    ISO_TRY(put_all(ctx, &z.catalog, end, 8));
    fwrite(z.catalog.data, 1, z.catalog.length, file);

done:
    iso_text_free(ctx, &z.head);
    iso_text_free(ctx, &z.catalog);
    return status;
}

static void write_csv(FILE* file, const iso_lab_array* a) {
    for (int r = 0; r < a->rows; ++r) {
        for (int c = 0; c < a->columns; ++c) {
            fprintf(file, "%s%.17g", c > 0 ? "," : "",
                    a->values[(size_t)r * (size_t)a->columns + (size_t)c]);
        }
        fputc('\n', file);
    }
}

iso_status iso_lab_arrays_check(iso_context* ctx, const char* path, int count) {
    ISO_REQUIRE(ctx, path && count >= 1, ISO_ERR_ARGUMENT,
                "path and at least one array are required");
    bool is_npz = iso_path_has_extension(path, ".npz");
    ISO_REQUIRE(ctx, is_npz || iso_path_has_extension(path, ".csv"), ISO_ERR_ARGUMENT,
                "%s: expected a name that ends in .npz or .csv", path);
    ISO_REQUIRE(ctx, is_npz || count == 1, ISO_ERR_ARGUMENT,
                "%s: %d arrays, expected one in a .csv; a .npz holds several", path, count);
    return ISO_OK;
}

iso_status iso_lab_arrays_write(iso_context* ctx, const char* path, const iso_lab_array* arrays,
                                int count) {
    ISO_REQUIRE(ctx, arrays, ISO_ERR_ARGUMENT, "path and at least one array are required");
    iso_status status = iso_lab_arrays_check(ctx, path, count);
    if (status != ISO_OK) {
        return status;
    }
    double bytes = 0.0;
    for (int i = 0; i < count; ++i) {
        bytes += (double)arrays[i].rows * arrays[i].columns * 8.0 + 1024.0;
    }
    ISO_REQUIRE(ctx, bytes < 4e9, ISO_ERR_RANGE, "%s: %.3g bytes, expected at most 4e9", path,
                bytes);
    iso_file_writer writer;
    status = iso_file_writer_open(ctx, path, &writer);
    if (status != ISO_OK) {
        return status;
    }
    if (iso_path_has_extension(path, ".npz")) {
        status = write_npz(ctx, writer.file, arrays, count);
    } else {
        write_csv(writer.file, arrays);
    }
    if (status != ISO_OK) {
        iso_file_writer_abort(ctx, &writer);
        return status;
    }
    return iso_file_writer_commit(ctx, &writer);
}

iso_status iso_lab_text_write(iso_context* ctx, const char* path, const char* text, size_t size) {
    ISO_REQUIRE(ctx, path && (text || size == 0), ISO_ERR_ARGUMENT, "path and text are required");
    iso_file_writer writer;
    iso_status status = iso_file_writer_open(ctx, path, &writer);
    if (status != ISO_OK) {
        return status;
    }
    fwrite(text, 1, size, writer.file); // what fails is seen by the commit
    return iso_file_writer_commit(ctx, &writer);
}
