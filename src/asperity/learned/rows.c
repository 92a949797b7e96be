// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/learned/model.h"
#include "base/core/array.h"
#include "base/core/text.h"
#include "base/values/csv.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 9 };

typedef struct table {
    const char* path;
    ISO_ARRAY(iso_learned_row) rows;
    bool has_names; ///< a line of names was passed over
    char separator;
} table;

static iso_status read_material(iso_context* ctx, const table* t, char** cells, int line,
                                iso_learned_material* out) {
    char what[512];
    double value = 0.0;
    ISO_REQUIRE(ctx, strlen(cells[0]) < sizeof out->name && iso_text_is_printable(cells[0]),
                ISO_ERR_PARSE, "%s:%d: a name of %zu bytes, expected at most %zu, printable",
                t->path, line, strlen(cells[0]), sizeof out->name - 1);
    strcpy(out->name, cells[0]);
    double* const targets[] = {&out->young_modulus, &out->poisson, &out->density};
    for (int i = 0; i < 3; ++i) {
        ISO_REQUIRE(ctx, iso_csv_number(cells[i + 1], t->separator, &value), ISO_ERR_PARSE,
                    "%s:%d: '%.40s' is no number", t->path, line, cells[i + 1]);
        *targets[i] = i == 0 ? 1e9 * value : value;
    }
    (void)snprintf(what, sizeof what, "%s:%d", t->path, line);
    return iso_learned_check(ctx, out, what);
}

static iso_status read_line(iso_context* ctx, table* t, char* line, int number) {
    char* cells[COLUMNS];
    int count = 0;
    double value = 0.0;
    t->separator = t->rows.count == 0 ? iso_csv_separator(line) : t->separator;
    char* cell = iso_csv_next_cell(&line, t->separator);
    for (; cell; cell = iso_csv_next_cell(&line, t->separator), ++count) {
        if (count < COLUMNS) {
            cells[count] = cell;
            iso_text_make_printable(cell);
        }
    }
    ISO_REQUIRE(ctx, count == COLUMNS, ISO_ERR_PARSE,
                "%s:%d: %d columns, expected 9: name, E [GPa], nu, rho [kg/m^3], the same of the "
                "other, friction%s",
                t->path, number, count, count > COLUMNS + 4 ? "; decimals have points" : "");
    if (t->rows.count == 0 && !t->has_names && !iso_csv_number(cells[1], t->separator, &value)) {
        t->has_names = true;
        return ISO_OK;
    }
    iso_status status = ISO_ARRAY_GROW(ctx, &t->rows);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, t->rows.count < ISO_LEARNED_ROWS_MAX, ISO_ERR_RANGE,
                "%s:%d: more than %d rows", t->path, number, ISO_LEARNED_ROWS_MAX);
    iso_learned_row* row = &t->rows.data[t->rows.count];
    *row = (iso_learned_row){0};
    ISO_TRY(read_material(ctx, t, cells, number, &row->a));
    ISO_TRY(read_material(ctx, t, cells + 4, number, &row->b));
    ISO_CHECK(ctx, iso_csv_number(cells[8], t->separator, &row->friction) && row->friction >= 0.0,
              ISO_ERR_PARSE, "%s:%d: friction is '%.40s', expected a number >= 0", t->path, number,
              cells[8]);
    ++t->rows.count;
done:
    return status;
}

iso_status iso_learned_rows_read(iso_context* ctx, const char* path, iso_learned_row** out_rows,
                                 int* out_count) {
    ISO_REQUIRE(ctx, path && out_rows && out_count, ISO_ERR_ARGUMENT,
                "path, out_rows and out_count are required");
    *out_rows = NULL;
    *out_count = 0;
    table t = {.path = path};
    char* bytes = NULL;
    size_t size = 0;
    iso_status status = iso_file_read(ctx, path, (size_t)1 << 22, &bytes, &size);
    iso_csv_lines lines = {0};
    if (status == ISO_OK && memchr(bytes, '\0', size) != NULL) {
        status =
            iso_fail(ctx, ISO_ERR_PARSE, __func__, "%s: a zero byte, expected text in UTF-8", path);
    }
    if (status == ISO_OK) {
        lines = iso_csv_lines_of(bytes);
    }
    for (char* line = iso_csv_next_line(&lines); status == ISO_OK && line;
         line = iso_csv_next_line(&lines)) {
        if (!iso_csv_is_passed_over(line)) {
            status = read_line(ctx, &t, line, lines.line);
        }
    }
    iso_free(ctx, bytes);
    if (status != ISO_OK) {
        ISO_ARRAY_FREE(ctx, &t.rows);
        return status;
    }
    *out_rows = t.rows.data;
    *out_count = t.rows.count;
    return ISO_OK;
}

void iso_learned_rows_free(iso_context* ctx, iso_learned_row* rows) {
    iso_free(ctx, rows);
}
