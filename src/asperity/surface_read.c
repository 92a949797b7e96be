// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/lab.h"
#include "base/core/array.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "base/png_image.h"
#include "base/values/csv.h"

#include <math.h>
#include <stdlib.h>
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
    int name_count;  ///< of a line of names that was passed over; 0: there is none
    char separator;  ///< of the first line of numbers, or of names before it
    bool has_units;  ///< in a line of their own
    double units[2]; ///< of the first two columns as their names say [m]; 0: they do not
    int first_line;
    double pitch;     ///< of a comment "# pitch 1e-6 m, periodic"; 0: there is none
    bool is_periodic; ///< as it says
    iso_comma_watch watch;
    habits halves[2];
    ISO_ARRAY(double) values;
} table;

// What a line of names says of units, or the line of units below it.
static bool take_names(iso_context* ctx, table* t, char* line, int number) {
    bool has_names = t->name_count > 0, is_good = true;
    double units[2] = {0.0, 0.0};
    int count = 0, length = 0;
    for (char* cell = iso_csv_next_cell(&line, t->separator); cell != NULL; ++count) {
        bool is_stated = false;
        double metres =
            has_names ? iso_unit_find(cell, "m") : iso_unit_of_name(cell, "m", &length, &is_stated);
        is_good = is_good && (!has_names || metres > 0.0);
        if (count < 2) {
            units[count] = metres;
        }
        if (is_stated && !(metres > 0.0)) {
            iso_text_make_printable(cell);
            iso_log(ctx, ISO_LOG_WARNING, "%s:%d: column %d is '%.40s', whose unit is not known",
                    t->path, number, count + 1, cell);
        }
        cell = iso_csv_next_cell(&line, t->separator);
    }
    if (is_good) {
        t->units[0] = units[0];
        t->units[1] = units[1];
        t->name_count = count;
    }
    double first = units[0] > 0.0 ? units[0] : 1.0, second = units[1] > 0.0 ? units[1] : 1.0;
    if (is_good && (first != 1.0 || second != 1.0)) {
        iso_log(ctx, ISO_LOG_INFO, "%s:%d: units of the first columns are %g m and %g m", t->path,
                number, first, second);
    }
    return is_good;
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

// Whether a line names columns, or says units of those that are named.
static bool is_heading(iso_context* ctx, table* t, char* line, int number) {
    double value = 0.0;
    char first[64] = "";
    size_t length = strcspn(line, (char[]){t->separator, '\0'});
    memcpy(first, line, length < sizeof first ? length : sizeof first - 1);
    if (t->rows > 0 || iso_csv_number(first, t->separator, &value)) {
        return false;
    }
    bool is_first = t->name_count == 0 && iso_csv_is_name(first);
    bool is_second = t->name_count > 0 && !t->has_units && iso_unit_find(first, "m") > 0.0;
    t->has_units = is_second;
    return (is_first || is_second) && take_names(ctx, t, line, number);
}

// The numbers of one line; a first line that is none of numbers names the columns.
static iso_status read_line(iso_context* ctx, table* t, char* line, int number) {
    int columns = 0;
    t->separator = t->rows == 0 ? iso_csv_separator(line) : t->separator;
    if (is_heading(ctx, t, line, number)) {
        return ISO_OK;
    }
    for (char* cell = iso_csv_next_cell(&line, t->separator); cell != NULL; ++columns) {
        double value = 0.0;
        if (!iso_csv_number(cell, t->separator, &value)) {
            iso_text_make_printable(cell);
            return iso_fail(ctx, ISO_ERR_PARSE, __func__,
                            "%s:%d: column %d is '%.40s', expected a finite number", t->path,
                            number, columns + 1, cell);
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
        cell = iso_csv_next_cell(&line, t->separator);
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

// What iso_lab_surface_write() says before the numbers.
static void note_comment(table* t, char* line) {
    static const char begin[] = "# pitch ";
    char* end = strstr(line, " m");
    double pitch = 0.0;
    if (t->rows > 0 || strncmp(line, begin, sizeof begin - 1) != 0 || end == NULL ||
        (end[2] != ',' && end[2] != '\0')) {
        return;
    }
    t->is_periodic = strncmp(end + 2, ", periodic", 10) == 0;
    *end = '\0';
    t->pitch = iso_text_to_double(line + sizeof begin - 1, &pitch) && pitch > 0.0 ? pitch : 0.0;
}

// The pitch as given, else as the file states it; where both differ the reader is told.
static double choose_pitch(iso_context* ctx, const char* path, double given, double stated,
                           double slack) {
    if (given > 0.0 && stated > 0.0 && fabs(given - stated) > slack * stated) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: the pitch is %g m as given, but %g m as the file says",
                path, given, stated);
    }
    return given > 0.0 ? given : stated;
}

static iso_status read_table(iso_context* ctx, char* text, table* t) {
    iso_csv_lines lines = iso_csv_lines_of(text);
    for (char* line = iso_csv_next_line(&lines); line; line = iso_csv_next_line(&lines)) {
        if (*line == '#') {
            note_comment(t, line);
        } else if (*line != '\0') {
            iso_status status = read_line(ctx, t, line, lines.line);
            if (status != ISO_OK) {
                return status;
            }
        }
    }
    ISO_REQUIRE(ctx, t->rows >= 4 && t->columns >= 2, ISO_ERR_PARSE,
                "%s: %d rows of %d numbers, expected at least 4 rows, columns parted by commas, "
                "semicolons or tabs: place and height of a profile, or a matrix of heights of 4 or "
                "more columns",
                t->path, t->rows, t->columns);
    return t->separator == ',' ? check_commas(ctx, t) : ISO_OK;
}

// Names the two places whose distance is farthest from that of most.
static iso_status fail_of_places(iso_context* ctx, const table* t) {
    const double* v = t->values.data;
    int count = t->rows - 1, worst = 0;
    double* sorted = iso_alloc_array(ctx, count, sizeof *sorted);
    ISO_REQUIRE(ctx, sorted, ISO_ERR_MEMORY, "%d places", count);
    for (int i = 0; i < count; ++i) {
        sorted[i] = v[2 * i + 2] - v[2 * i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, iso_lab_compare);
    double usual = sorted[count / 2], most = 0.0;
    iso_free(ctx, sorted);
    for (int i = 0; i < count; ++i) {
        double off = fabs(v[2 * i + 2] - v[2 * i] - usual);
        worst = off > most * (1.0 + 1e-9) ? i : worst;
        most = fmax(most, off);
    }
    return iso_fail(
        ctx, ISO_ERR_RANGE, __func__,
        "%s: point %d is at %g, %g after the one before, expected %g as of most: places "
        "at equal distances",
        t->path, worst + 2, v[2 * worst + 2], v[2 * worst + 2] - v[2 * worst], usual);
}

/// Of the distance of places, by which they may miss even ones: those of instruments are rounded.
#define UNEVEN 0.01

// A profile: places that rise or fall evenly.
static iso_status fill_profile(iso_context* ctx, const table* t, double pitch, double height,
                               iso_lab_surface* out) {
    const double* v = t->values.data;
    int last = t->rows - 1;
    double step = (v[2 * last] - v[0]) / last, unit = t->units[0] > 0.0 ? t->units[0] : 1.0;
    for (int i = 0; i <= last; ++i) {
        if (!(fabs(v[2 * i] - v[0] - i * step) <= UNEVEN * fabs(step)) || step == 0.0) {
            return fail_of_places(ctx, t);
        }
    }
    double stated = t->pitch > 0.0 ? t->pitch : unit * fabs(step);
    pitch = choose_pitch(ctx, t->path, pitch, stated, UNEVEN);
    iso_status status = iso_lab_surface_allocate(ctx, 1, t->rows, pitch, out);
    out->is_periodic = status == ISO_OK && t->is_periodic;
    for (int i = 0; status == ISO_OK && i <= last; ++i) {
        out->heights[i] = height * v[2 * (step > 0.0 ? i : last - i) + 1];
    }
    return status;
}

static iso_status fill_map(iso_context* ctx, const table* t, double pitch, double height,
                           iso_lab_surface* out) {
    ISO_REQUIRE(ctx, t->columns >= 4, ISO_ERR_PARSE,
                "%s: %d columns, expected 2 of a profile or at least 4 of a height map", t->path,
                t->columns);
    pitch = choose_pitch(ctx, t->path, pitch, t->pitch, 1e-9);
    ISO_REQUIRE(ctx, pitch > 0.0, ISO_ERR_ARGUMENT, "%s: a height map needs a pitch", t->path);
    iso_status status = iso_lab_surface_allocate(ctx, t->rows, t->columns, pitch, out);
    out->is_periodic = status == ISO_OK && t->is_periodic;
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
    if (image.has_colours) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: the image has colours, of which heights are the red",
                path);
    }
    if (image.pitch > 0.0 && pitch == 0.0) {
        iso_log(ctx, ISO_LOG_INFO,
                "%s: the pitch is %g m, that of the %.4g dots per inch it states", path,
                image.pitch, 0.0254 / image.pitch);
    }
    pitch = choose_pitch(ctx, path, pitch, image.pitch, 1e-3);
    ISO_CHECK(ctx, pitch > 0.0, ISO_ERR_ARGUMENT, "%s: a height map needs a pitch", path);
    ISO_TRY(iso_lab_surface_allocate(ctx, image.rows, image.columns, pitch, out));
    for (int i = 0; i < image.rows * image.columns; ++i) {
        double grey = image.fine ? image.fine[i] / 65535.0 : image.values[i] / 255.0;
        out->heights[i] = height * grey;
    }

done:
    iso_arena_destroy(&arena);
    return status;
}

// Of an .npz the array "heights", and of iso_lab_surface_write() "pitch" and "periodic".
static iso_status fill_arrays(iso_context* ctx, const char* path, const char* bytes, size_t size,
                              double pitch, double height, iso_lab_surface* out) {
    static const char* const names[] = {"heights", "pitch", "periodic"};
    iso_lab_numbers n[3] = {{NULL, 0, 0}};
    iso_status status = ISO_OK;
    for (int i = 0; i < 3; ++i) {
        iso_status found = iso_lab_npz_read(ctx, path, bytes, size, names[i], &n[i]);
        ISO_CHECK(ctx, i > 0 || found != ISO_ERR_NOT_FOUND, ISO_ERR_PARSE,
                  "%s: it has no array 'heights'", path);
        status = found == ISO_ERR_NOT_FOUND ? ISO_OK : found;
        if (status != ISO_OK) {
            goto done;
        }
    }
    bool is_line = n[0].rows == 1 || n[0].columns == 1;
    int points = n[0].rows * n[0].columns;
    ISO_CHECK(ctx, is_line ? points >= 4 : n[0].rows >= 4 && n[0].columns >= 4, ISO_ERR_PARSE,
              "%s: heights are %d x %d, expected a list of at least 4 or a matrix of 4 x 4", path,
              n[0].rows, n[0].columns);
    pitch = choose_pitch(ctx, path, pitch, n[1].values ? n[1].values[0] : 0.0, 1e-9);
    ISO_CHECK(ctx, pitch > 0.0, ISO_ERR_ARGUMENT, "%s: heights without an array 'pitch' need one",
              path);
    ISO_TRY(iso_lab_surface_allocate(ctx, is_line ? 1 : n[0].rows, is_line ? points : n[0].columns,
                                     pitch, out));
    out->is_periodic = n[2].values && n[2].values[0] != 0.0;
    for (int i = 0; i < points; ++i) {
        out->heights[i] = height * n[0].values[i];
    }

done:
    for (int i = 0; i < 3; ++i) {
        iso_free(ctx, n[i].values);
    }
    return status;
}

// Metres of a unit of height: as given, else as the column's name says.
static double unit_of_heights(iso_context* ctx, const table* t, double given) {
    double named = t->columns == 2 ? t->units[1] : t->units[0];
    if (given > 0.0 && named > 0.0 && fabs(given - named) > 1e-9 * named) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: a unit of height is %g m as given, but %g m as the column is named", t->path,
                given, named);
    }
    return given > 0.0 ? given : named > 0.0 ? named : 1.0;
}

iso_status iso_lab_surface_read(iso_context* ctx, const char* path, double pitch, double height,
                                iso_lab_surface* out_surface) {
    ISO_REQUIRE(ctx, path && out_surface, ISO_ERR_ARGUMENT, "path and out_surface are required");
    *out_surface = (iso_lab_surface){0};
    ISO_REQUIRE(ctx, isfinite(pitch) && pitch >= 0.0, ISO_ERR_RANGE,
                "the pitch is %g m, expected > 0, or 0 for that of a profile", pitch);
    ISO_REQUIRE(ctx, isfinite(height) && height >= 0.0, ISO_ERR_RANGE,
                "the unit of height is %g m, expected > 0, or 0 for that of the column's name",
                height);
    char* bytes = NULL;
    size_t size = 0;
    table t = {.path = path};
    iso_status status = ISO_OK;
    ISO_TRY(iso_file_read(ctx, path, FILE_SIZE_MAX, &bytes, &size));
    if (iso_lab_npz_is(bytes, size)) {
        ISO_TRY(
            fill_arrays(ctx, path, bytes, size, pitch, height > 0.0 ? height : 1.0, out_surface));
    } else if (iso_png_is(bytes, size)) {
        ISO_TRY(
            fill_image(ctx, path, bytes, size, pitch, height > 0.0 ? height : 1.0, out_surface));
    } else {
        ISO_CHECK(ctx, memchr(bytes, '\0', size) == NULL, ISO_ERR_PARSE,
                  "%s: a zero byte, expected text in UTF-8", path);
        ISO_TRY(read_table(ctx, bytes, &t));
        if (t.columns == 2 && pitch == 0.0 && height == 0.0 &&
            (t.units[0] > 0.0) != (t.units[1] > 0.0)) {
            iso_log(ctx, ISO_LOG_WARNING,
                    "%s: of its two columns one has a unit, the other is in metres", path);
        }
        height = unit_of_heights(ctx, &t, height);
        if (t.columns == 2) {
            ISO_TRY(fill_profile(ctx, &t, pitch, height, out_surface));
        } else {
            ISO_TRY(fill_map(ctx, &t, pitch, height, out_surface));
        }
    }

done:
    ISO_ARRAY_FREE(ctx, &t.values);
    iso_free(ctx, bytes);
    return status;
}
