// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/export/export_file.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/system/path.h"

#include <errno.h>
#include <string.h>

iso_status iso_directory_make(iso_context* ctx, const char* path) {
    int error = iso_path_make_folder(path);
    if (error == 0) {
        return ISO_OK;
    }
    return iso_fail(ctx, ISO_ERR_IO, __func__, "%s: cannot make this directory: %s", path,
                    strerror(error));
}

iso_status iso_export_file_open(iso_context* ctx, const char* directory, const char* name,
                                iso_file_writer* out_writer) {
    char* path = iso_path_join(ctx, directory, name);
    ISO_REQUIRE(ctx, path, ISO_ERR_MEMORY, "path of %s", name);
    iso_status status = iso_file_writer_open(ctx, path, out_writer);
    iso_free(ctx, path);
    return status;
}

iso_status iso_export_file_put(iso_context* ctx, iso_file_writer* writer, iso_bytes* bytes) {
    iso_status status = iso_bytes_status(bytes);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, fwrite(bytes->data, 1, bytes->size, writer->file) == bytes->size, ISO_ERR_IO,
                "%s: cannot write: %s", writer->path, strerror(errno));
    iso_bytes_clear(bytes);
    return ISO_OK;
}
