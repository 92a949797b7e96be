// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/lab.h"
#include "base/core/array.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "base/png_image.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define FILE_SIZE_MAX ((size_t)1 << 30)

// Of the cells of every other column: what tells halves of numbers with decimal commas from
// numbers.
typedef struct habits {
    int count, digits, signs, exponents;
} habits;

// Heights that are read row by row.
typedef struct table {
    const char* path;
    int columns, rows;
    int name_count; ///< of a line of names that was passed over; 0: there is none
    int first_line;
    iso_comma_watch watch;
    habits halves[2];
    ISO_ARRAY(double) values;
} table;

// Whether a cell can be a name: words such as nan and inf are values that are missing.
static bool is_name(const char* cell) {
    static const char* const no_names[] = {"nan",  "-nan", "+nan", "inf",  "-inf",
                                           "+inf", "na",   "n/a",  "null", "infinity"};
    char word[12];
    cell += strspn(cell, " \t\"'");
    size_t length = strcspn(cell, " \t\r\"'");
    for (size_t i = 0; i < length && i + 1 < sizeof word; ++i) {
        word[i] = (char)tolower((unsigned char)cell[i]);
    }
    word[length < sizeof word ? length : sizeof word - 1] = '\0';
    bool is_word = isalpha((unsigned char)cell[0]) || (unsigned char)cell[0] >= 0x80;
    for (size_t i = 0; i < sizeof no_names / sizeof no_names[0]; ++i) {
        is_word = is_word && strcmp(word, no_names[i]) != 0;
    }
    return is_word;
}

static int count_cells(const char* line) {
    int count = 1;
    for (const char* c = line; *c != '\0'; ++c) {
        count += *c == ',';
    }
    return count;
}

static void note_habits(const char* cell, habits* h) {
    cell += strspn(cell, " \t");
    h->signs += *cell == '-';
    cell += *cell == '-' || *cell == '+';
    h->digits += (int)strspn(cell, "0123456789");
    h->exponents += strpbrk(cell, "eE") != NULL;
    ++h->count;
}

// Whether columns are parts of numbers with decimal commas: no point anywhere, and twice as many
// as names, or exponents behind what would be fractions alone.
static bool has_decimal_commas(const table* t) {
    if (t->columns % 2 != 0 || t->watch.has_point || t->halves[1].signs > 0 ||
        t->halves[0].exponents > 0) {
        return false;
    }
    return iso_comma_watch_found(&t->watch) || t->halves[1].exponents > 0 ||
           (t->columns >= 4 && 2 * t->name_count == t->columns);
}

// Whether columns may be: what would be the fractions differs from the rest. Heights of neighbours
// seldom do.
static bool may_have_decimal_commas(const table* t) {
    const habits *whole = &t->halves[0], *rest = &t->halves[1];
    double longer = fabs((double)rest->digits / rest->count - (double)whole->digits / whole->count);
    return t->columns >= 4 && t->columns % 2 == 0 && !t->watch.has_point && rest->signs == 0 &&
           (longer > 0.6 || whole->signs >= 4);
}

static iso_status check_commas(iso_context* ctx, const table* t) {
    int line = t->watch.line > 0 ? t->watch.line : t->first_line;
    ISO_REQUIRE(ctx, !has_decimal_commas(t), ISO_ERR_PARSE,
                "%s:%d: %d columns without a decimal point look like %d numbers with decimal "
                "commas, expected points; heights that are whole are taken if one has a point, "
                "as 3.0",
                t->path, line, t->columns, t->columns / 2);
    if (may_have_decimal_commas(t)) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s:%d: %d columns of whole numbers; if they are %d numbers with decimal commas, "
                "write points",
                t->path, line, t->columns, t->columns / 2);
    }
    return ISO_OK;
}

// The numbers of one line; a first line that is none of numbers names the columns.
static iso_status read_line(iso_context* ctx, table* t, char* line, int number) {
    int columns = 0, cell_count = count_cells(line);
    for (char* cell = line; cell; ++columns) {
        char* comma = strchr(cell, ',');
        double value = 0.0;
        if (comma) {
            *comma = '\0';
        }
        if (!iso_text_to_double(cell, &value)) {
            bool is_header = t->rows == 0 && columns == 0 && t->name_count == 0 && is_name(cell);
            bool has_semicolon = strchr(cell, ';') != NULL;
            iso_text_make_printable(cell);
            ISO_REQUIRE(ctx, is_header, ISO_ERR_PARSE,
                        "%s:%d: column %d is '%.40s', expected a finite number%s", t->path, number,
                        columns + 1, cell, has_semicolon ? "; columns are parted by commas" : "");
            t->name_count = cell_count;
            return ISO_OK;
        }
        note_habits(cell, &t->halves[columns % 2]);
        iso_comma_watch_cell(&t->watch, cell, columns, number);
        iso_status status = ISO_ARRAY_GROW(ctx, &t->values);
        if (status != ISO_OK) {
            return status;
        }
        ISO_REQUIRE(ctx, t->values.count < ISO_LAB_POINTS_MAX, ISO_ERR_RANGE,
                    "%s:%d: more than %d numbers", t->path, number, ISO_LAB_POINTS_MAX);
        t->values.data[t->values.count++] = value;
        cell = comma ? comma + 1 : NULL;
    }
    ISO_REQUIRE(ctx, t->rows == 0 || columns == t->columns, ISO_ERR_PARSE,
                "%s:%d: %d numbers, expected %d as in the lines before%s", t->path, number, columns,
                t->columns,
                columns > t->columns && !t->watch.has_point ? "; decimals have points" : "");
    t->first_line = t->rows == 0 ? number : t->first_line;
    t->columns = columns;
    ++t->rows;
    return ISO_OK;
}

static iso_status read_table(iso_context* ctx, char* text, table* t) {
    int number = 0;
    for (char* line = text; line; ++number) {
        char* end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        line += strspn(line, " \t\r");
        if (*line != '\0' && *line != '#') {
            iso_status status = read_line(ctx, t, line, number + 1);
            if (status != ISO_OK) {
                return status;
            }
        }
        line = end ? end + 1 : NULL;
    }
    ISO_REQUIRE(ctx, t->rows >= 4 && t->columns >= 2, ISO_ERR_PARSE,
                "%s: %d rows of %d numbers, expected at least 4 rows, columns parted by commas: "
                "place and height of a profile, or a matrix of heights of 4 or more columns",
                t->path, t->rows, t->columns);
    return check_commas(ctx, t);
}

// A profile: places at equal distances, to a thousandth of one.
static iso_status fill_profile(iso_context* ctx, const table* t, double pitch, double height,
                               iso_lab_surface* out) {
    const double* v = t->values.data;
    double step = (v[2 * (t->rows - 1)] - v[0]) / (t->rows - 1);
    ISO_REQUIRE(ctx, step > 0.0, ISO_ERR_RANGE, "%s: the places go from %g to %g, expected rising",
                t->path, v[0], v[2 * (t->rows - 1)]);
    for (int i = 0; i < t->rows; ++i) {
        ISO_REQUIRE(ctx, fabs(v[2 * i] - v[0] - i * step) <= 1e-3 * step, ISO_ERR_RANGE,
                    "%s: point %d is at %g, expected %g: places at equal distances", t->path, i + 1,
                    v[2 * i], v[0] + i * step);
    }
    iso_status status = iso_lab_surface_allocate(ctx, 1, t->rows, pitch > 0.0 ? pitch : step, out);
    for (int i = 0; status == ISO_OK && i < t->rows; ++i) {
        out->heights[i] = height * v[2 * i + 1];
    }
    return status;
}

static iso_status fill_map(iso_context* ctx, const table* t, double pitch, double height,
                           iso_lab_surface* out) {
    ISO_REQUIRE(ctx, t->columns >= 4, ISO_ERR_PARSE,
                "%s: %d columns, expected 2 of a profile or at least 4 of a height map", t->path,
                t->columns);
    iso_status status = iso_lab_surface_allocate(ctx, t->rows, t->columns, pitch, out);
    for (int i = 0; status == ISO_OK && i < t->values.count; ++i) {
        out->heights[i] = height * t->values.data[i];
    }
    return status;
}

static iso_status fill_image(iso_context* ctx, const char* path, const char* bytes, size_t size,
                             double pitch, double height, iso_lab_surface* out) {
    char fault[ISO_PNG_FAULT_SIZE] = "";
    iso_png_image image;
    iso_arena arena = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_arena_init(&arena, ctx, 1 << 16));
    status = iso_png_decode(ctx, &arena, bytes, size, ISO_LAB_POINTS_MAX, &image, fault);
    ISO_CHECK(ctx, status != ISO_ERR_MEMORY, ISO_ERR_MEMORY, "image '%s'", path);
    ISO_CHECK(ctx, status != ISO_ERR_PARSE, ISO_ERR_PARSE, "%s: the image cannot be read: %s", path,
              fault);
    ISO_CHECK(ctx, status == ISO_OK && image.rows >= 4 && image.columns >= 4, ISO_ERR_RANGE,
              "%s: the image is %d by %d, expected at least 4 by 4 and at most %d points", path,
              image.rows, image.columns, ISO_LAB_POINTS_MAX);
    ISO_TRY(iso_lab_surface_allocate(ctx, image.rows, image.columns, pitch, out));
    for (int i = 0; i < image.rows * image.columns; ++i) {
        double grey = image.fine ? image.fine[i] / 65535.0 : image.values[i] / 255.0;
        out->heights[i] = height * grey;
    }

done:
    iso_arena_destroy(&arena);
    return status;
}

iso_status iso_lab_surface_read(iso_context* ctx, const char* path, double pitch, double height,
                                iso_lab_surface* out_surface) {
    ISO_REQUIRE(ctx, path && out_surface, ISO_ERR_ARGUMENT, "path and out_surface are required");
    *out_surface = (iso_lab_surface){0};
    ISO_REQUIRE(ctx, isfinite(pitch) && pitch >= 0.0, ISO_ERR_RANGE,
                "the pitch is %g m, expected > 0, or 0 for that of a profile", pitch);
    ISO_REQUIRE(ctx, isfinite(height) && height > 0.0, ISO_ERR_RANGE,
                "the unit of height is %g m, expected finite and > 0", height);
    char* bytes = NULL;
    size_t size = 0;
    table t = {.path = path};
    iso_status status = ISO_OK;
    ISO_TRY(iso_file_read(ctx, path, FILE_SIZE_MAX, &bytes, &size));
    if (iso_png_is(bytes, size)) {
        ISO_CHECK(ctx, pitch > 0.0, ISO_ERR_ARGUMENT, "%s: a height map needs a pitch", path);
        ISO_TRY(fill_image(ctx, path, bytes, size, pitch, height, out_surface));
    } else {
        ISO_CHECK(ctx, memchr(bytes, '\0', size) == NULL, ISO_ERR_PARSE, "%s: a zero byte", path);
        ISO_TRY(read_table(ctx, bytes + (strncmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0), &t));
        if (t.columns == 2) {
            ISO_TRY(fill_profile(ctx, &t, pitch, height, out_surface));
        } else {
            ISO_CHECK(ctx, pitch > 0.0, ISO_ERR_ARGUMENT, "%s: a height map needs a pitch", path);
            ISO_TRY(fill_map(ctx, &t, pitch, height, out_surface));
        }
    }

done:
    ISO_ARRAY_FREE(ctx, &t.values);
    iso_free(ctx, bytes);
    return status;
}
