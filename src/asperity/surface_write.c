// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/lab.h"
#include "base/core/text.h"

static void print_text(FILE* file, const iso_lab_surface* s) {
    fprintf(file, "# pitch %.17g m%s\n", s->pitch, s->is_periodic ? ", periodic" : "");
    if (s->rows == 1) {
        fputs("x [m],height [m]\n", file);
    }
    for (int i = 0; i < s->rows * s->columns; ++i) {
        if (s->rows == 1) {
            fprintf(file, "%.17g,", i * s->pitch);
        }
        bool is_last = s->rows == 1 || (i + 1) % s->columns == 0;
        fprintf(file, "%.17g%c", s->heights[i], is_last ? '\n' : ',');
    }
}

iso_status iso_lab_surface_write(iso_context* ctx, const char* path,
                                 const iso_lab_surface* surface) {
    ISO_REQUIRE(ctx, path && surface && surface->heights, ISO_ERR_ARGUMENT,
                "path and a surface are required");
    double periodic = surface->is_periodic ? 1.0 : 0.0;
    const iso_lab_array arrays[] = {{"heights", surface->heights, surface->rows, surface->columns},
                                    {"pitch", &surface->pitch, 1, 1},
                                    {"periodic", &periodic, 1, 1}};
    iso_status status = iso_lab_arrays_check(ctx, path, 1);
    if (status != ISO_OK || iso_path_has_extension(path, ".npz")) {
        return status == ISO_OK ? iso_lab_arrays_write(ctx, path, arrays, 3) : status;
    }
    iso_file_writer writer;
    status = iso_file_writer_open(ctx, path, &writer);
    if (status != ISO_OK) {
        return status;
    }
    print_text(writer.file, surface);
    return iso_file_writer_commit(ctx, &writer);
}
