// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "isobar/identify.h"
#include "scene/text/csv.h"

#include <string.h>

// Everything in one block: values, names, lines, texts.
static iso_status copy_table(iso_context* ctx, const iso_csv* csv, iso_table* out) {
    size_t columns = (size_t)csv->column_count, rows = (size_t)csv->row_count;
    size_t texts = strlen(csv->path) + 1;
    for (size_t i = 0; csv->names && i < columns; ++i) {
        texts += strlen(csv->names[i]) + 1;
    }
    size_t values_size = columns * rows * sizeof(double), names_size = columns * sizeof(char*);
    char* block = iso_alloc(ctx, values_size + names_size + rows * sizeof(int) + texts);
    ISO_REQUIRE(ctx, block, ISO_ERR_MEMORY, "table of %zu rows", rows);
    double* values = (double*)(void*)block;
    const char** names = (const char**)(void*)(block + values_size);
    int* lines = (int*)(void*)(block + values_size + names_size);
    char* text = block + values_size + names_size + rows * sizeof(int);
    memcpy(values, csv->values, values_size);
    memcpy(lines, csv->lines, rows * sizeof(int));
    for (size_t i = 0; csv->names && i < columns; ++i) {
        size_t length = strlen(csv->names[i]) + 1;
        names[i] = memcpy(text, csv->names[i], length);
        text += length;
    }
    *out = (iso_table){.path = memcpy(text, csv->path, strlen(csv->path) + 1),
                       .column_count = csv->column_count,
                       .row_count = csv->row_count,
                       .names = csv->names ? names : NULL,
                       .values = values,
                       .lines = lines,
                       .memory = block};
    return ISO_OK;
}

iso_status iso_table_read(iso_context* ctx, const char* path, iso_table* out_table) {
    ISO_REQUIRE(ctx, path && out_table, ISO_ERR_ARGUMENT, "path and out_table are required");
    *out_table = (iso_table){0};
    iso_scene_build build = {.ctx = ctx};
    iso_csv csv;
    iso_status status = ISO_OK;
    ISO_TRY(iso_scene_build_init(&build, ctx, NULL));
    build.root_path = path;
    ISO_TRY(iso_csv_read_path(&build, path, &csv));
    ISO_TRY(copy_table(ctx, &csv, out_table));
done:
    iso_scene_build_reset(&build);
    return status;
}

void iso_table_destroy(iso_context* ctx, iso_table* table) {
    if (table) {
        iso_free(ctx, table->memory);
        *table = (iso_table){0};
    }
}
