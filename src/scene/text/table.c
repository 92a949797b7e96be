// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/values/hash.h"
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

double iso_table_check(const double* values, int count) {
    return (double)(uint32_t)iso_hash_bytes(ISO_HASH_SEED, values, (size_t)count * sizeof *values);
}

// Rows fit their last column, where that is a check.
static iso_status check_rows(iso_context* ctx, const iso_table* t) {
    int last = t->column_count - 1;
    if (!t->names || strcmp(t->names[last], "row_check") != 0) {
        return ISO_OK;
    }
    for (int r = 0; r < t->row_count; ++r) {
        const double* row = t->values + (size_t)r * (size_t)t->column_count;
        double wanted = iso_table_check(row, last);
        ISO_REQUIRE(ctx, row[last] == wanted, ISO_ERR_PARSE,
                    "%s:%d: the numbers do not fit their row_check %.0f: the row is damaged or was "
                    "changed; a table without the column row_check is taken as it is",
                    t->path, t->lines[r], row[last]);
    }
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
    ISO_TRY(check_rows(ctx, out_table));
done:
    if (status != ISO_OK) {
        iso_table_destroy(ctx, out_table);
    }
    iso_scene_build_reset(&build);
    return status;
}

void iso_table_destroy(iso_context* ctx, iso_table* table) {
    if (table) {
        iso_free(ctx, table->memory);
        *table = (iso_table){0};
    }
}
