// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/text/csv.h"

#include "base/core/text.h"
#include "base/values/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 1000
#define MAX_NUMBERS 10000000

static iso_status read_names(iso_scene_build* build, char* line, iso_csv* csv, char separator) {
    csv->names = iso_arena_push_array(&build->arena, csv->column_count, sizeof *csv->names);
    ISO_REQUIRE(build->ctx, csv->names, ISO_ERR_MEMORY, "columns of %s", csv->path);
    for (int i = 0; i < csv->column_count; ++i) {
        const char* cell = iso_csv_next_cell(&line, separator);
        iso_name_list before = iso_name_list_of(csv->names, i);
        iso_source at = {csv->path, csv->name_line};
        int twin = *cell != '\0' ? iso_name_list_find(&before, cell) : -1;
        ISO_SCENE_REQUIRE(build, at, twin < 0, ISO_ERR_PARSE,
                          "columns %d and %d are both called '%s'", twin + 1, i + 1, cell);
        ISO_SCENE_TRY(iso_scene_copy_text(build, cell, strlen(cell), &csv->names[i]));
    }
    return ISO_OK;
}

static iso_status read_row(iso_scene_build* build, iso_source at, char* line, iso_csv* csv,
                           char separator, iso_comma_watch* watch) {
    int count = iso_csv_count(line, separator);
    ISO_SCENE_REQUIRE(build, at, count == csv->column_count, ISO_ERR_PARSE,
                      "the line has %d columns, expected %d%s", count, csv->column_count,
                      count > csv->column_count + 1 && !strchr(line, '.') ? "; decimals have points"
                                                                          : "");
    double* row = csv->values + (size_t)csv->row_count * (size_t)csv->column_count;
    for (int i = 0; i < count; ++i) {
        char* cell = iso_csv_next_cell(&line, separator);
        ISO_SCENE_REQUIRE(build, at, iso_csv_number(cell, separator, &row[i]), ISO_ERR_PARSE,
                          "column %d is '%.40s', expected a finite number", i + 1, cell);
        iso_comma_watch_cell(watch, cell, i, at.line);
    }
    csv->lines[csv->row_count++] = at.line;
    return ISO_OK;
}

// Room for the rows, of which the first line tells the columns.
static iso_status begin_rows(iso_scene_build* build, iso_source at, int line_count, iso_csv* csv) {
    ISO_SCENE_REQUIRE(build, at,
                      csv->column_count <= MAX_COLUMNS &&
                          csv->column_count <= MAX_NUMBERS / line_count,
                      ISO_ERR_RANGE, "%d columns in %d lines, expected at most %d",
                      csv->column_count, line_count, MAX_COLUMNS);
    csv->values =
        iso_arena_push_array(&build->arena, line_count * csv->column_count, sizeof *csv->values);
    csv->lines = iso_arena_push_array(&build->arena, line_count, sizeof *csv->lines);
    ISO_REQUIRE(build->ctx, csv->values && csv->lines, ISO_ERR_MEMORY, "rows of %s", csv->path);
    return ISO_OK;
}

static bool begins_with_number(const char* line, char separator) {
    char first[64] = "", *rest = first;
    double number = 0.0;
    (void)snprintf(first, sizeof first, "%s", line);
    return iso_csv_number(iso_csv_next_cell(&rest, separator), separator, &number);
}

static iso_status read_lines(iso_scene_build* build, char* bytes, iso_csv* csv) {
    iso_source at = {csv->path, 0};
    iso_comma_watch watch = {0};
    iso_csv_lines lines = iso_csv_lines_of(bytes);
    int line_count = iso_csv_count(bytes, '\n');
    char separator = ',';
    for (char* line = iso_csv_next_line(&lines); line; line = iso_csv_next_line(&lines)) {
        at.line = lines.line;
        if (iso_csv_is_passed_over(line)) {
            continue;
        }
        separator = csv->row_count == 0 ? iso_csv_separator(line) : separator;
        if (csv->column_count == 0) {
            csv->column_count = iso_csv_count(line, separator);
            ISO_SCENE_TRY(begin_rows(build, at, line_count, csv));
            if (!begins_with_number(line, separator)) {
                csv->name_line = at.line;
                ISO_SCENE_TRY(read_names(build, line, csv, separator));
                continue;
            }
        }
        ISO_SCENE_TRY(read_row(build, at, line, csv, separator, &watch));
    }
    at.line = watch.line;
    ISO_SCENE_REQUIRE(build, at, separator != ',' || !iso_comma_watch_found(&watch), ISO_ERR_PARSE,
                      "column %d begins with 0, as behind a decimal comma; decimals have points",
                      watch.column);
    at.line = 0;
    ISO_SCENE_REQUIRE(build, at, csv->row_count > 0, ISO_ERR_PARSE, "the file has no numbers");
    return ISO_OK;
}

static iso_status read_path(iso_scene_build* build, iso_source at, iso_csv* csv) {
    char* bytes = NULL;
    size_t size = 0;
    ISO_SCENE_TRY(iso_scene_read_file(build, at, csv->path, &bytes, &size));
    iso_status status = strlen(bytes) == size ? read_lines(build, bytes, csv)
                                              : iso_scene_fail(build, at, ISO_ERR_PARSE,
                                                               "%s holds a zero byte", csv->path);
    iso_free(build->ctx, bytes);
    return status;
}

iso_status iso_csv_read(iso_scene_build* build, iso_source at, const char* uri, iso_csv* out_csv) {
    *out_csv = (iso_csv){0};
    ISO_SCENE_TRY(iso_scene_resolve_uri(build, at, uri, &out_csv->path));
    return read_path(build, at, out_csv);
}

iso_status iso_csv_read_path(iso_scene_build* build, const char* path, iso_csv* out_csv) {
    *out_csv = (iso_csv){.path = path};
    return read_path(build, (iso_source){path, 0}, out_csv);
}

iso_status iso_csv_find_column(iso_scene_build* build, iso_source at, const iso_csv* csv,
                               const char* name, int* out_column) {
    for (int i = 0; csv->names != NULL && i < csv->column_count; ++i) {
        if (strcmp(csv->names[i], name) == 0) {
            *out_column = i;
            return ISO_OK;
        }
    }
    char* end = NULL;
    long number = strtol(name, &end, 10);
    ISO_SCENE_REQUIRE(build, at,
                      *name != '\0' && *end == '\0' && number >= 1 && number <= csv->column_count,
                      ISO_ERR_NOT_FOUND, "%s has no column '%s'; it has %d%s%s%s", csv->path, name,
                      csv->column_count, csv->names ? ", the first is called '" : "",
                      csv->names ? csv->names[0] : "", csv->names ? "'" : "");
    *out_column = (int)number - 1;
    return ISO_OK;
}

iso_status iso_csv_check_rising(iso_scene_build* build, const iso_csv* csv, int column) {
    for (int i = 1; i < csv->row_count; ++i) {
        const double* row = csv->values + (size_t)i * (size_t)csv->column_count;
        iso_source at = {csv->path, csv->lines[i]};
        ISO_SCENE_REQUIRE(build, at, row[column] > row[column - csv->column_count], ISO_ERR_RANGE,
                          "the time is %g s after %g s, expected increasing", row[column],
                          row[column - csv->column_count]);
    }
    return ISO_OK;
}
