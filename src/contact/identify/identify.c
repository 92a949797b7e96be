// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/csv.h"
#include "contact/identify/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { k_least_samples = 5 };

// How a column's values must be.
typedef enum value_range {
    ANY,
    NEARLY_NOT_NEGATIVE,
    RISING,
    NOT_NEGATIVE,
    POSITIVE,
    AT_MOST_BEFORE
} value_range;

static const struct {
    const char* name;
    const char* column[4];
    const char* unit[3];
    value_range range[3];
    iso_identify_fn identify;
    iso_identified_curve_fn curve;
} k_kinds[ISO_IDENTIFY_AUTO] = {
    [ISO_IDENTIFY_INDENTATION] = {"indentation",
                                  {"depth", "force"},
                                  {"m", "N"},
                                  {ANY, NEARLY_NOT_NEGATIVE},
                                  iso_identify_indentation,
                                  iso_indentation_curve},
    [ISO_IDENTIFY_TAP] =
        {"tap", {"time", "position"}, {"s", "m"}, {RISING, ANY}, iso_identify_tap, iso_tap_curve},
    [ISO_IDENTIFY_SLIDING] = {"sliding",
                              {"speed", "friction", "normal"},
                              {"m/s", "N", "N"},
                              {NOT_NEGATIVE, NOT_NEGATIVE, POSITIVE},
                              iso_identify_sliding,
                              iso_sliding_curve},
    [ISO_IDENTIFY_IMPACTS] = {"impacts",
                              {"before", "after"},
                              {"m/s", "m/s"},
                              {POSITIVE, AT_MOST_BEFORE},
                              iso_identify_impacts,
                              iso_impacts_curve},
    [ISO_IDENTIFY_PRESSES] = {"presses",
                              {"pressure", "reading"},
                              {"Pa", ""},
                              {ANY, ANY},
                              iso_identify_presses,
                              iso_presses_curve},
};

const char* iso_identify_kind_name(iso_identify_kind kind) {
    return (unsigned)kind < ISO_IDENTIFY_AUTO ? k_kinds[kind].name : "auto";
}

const char* iso_identify_column(iso_identify_kind kind, int column) {
    return (unsigned)kind < ISO_IDENTIFY_AUTO && column >= 0 && column < 3
               ? k_kinds[kind].column[column]
               : NULL;
}

double iso_identify_measured(iso_identify_kind kind, const double* sample) {
    switch (kind) {
    case ISO_IDENTIFY_SLIDING:
        return sample[1] / sample[2];
    case ISO_IDENTIFY_IMPACTS:
        return sample[1] / sample[0];
    default:
        return sample[1];
    }
}

double iso_identified_curve(const iso_identified* identified, double x) {
    return k_kinds[identified->kind].curve(identified->fit, x);
}

// Least and most that a value may be; where it must exceed the least, `is_open`.
static void find_bounds(const iso_samples* s, value_range range, int column, int row, double* low,
                        double* high, bool* is_open) {
    *low = range == ANY ? -INFINITY : 0.0;
    *high = INFINITY;
    *is_open = range == POSITIVE || range == RISING;
    if (range == RISING) {
        *low = row > 0 ? iso_sample(s, column, row - 1) : -INFINITY;
    }
    if (range == NEARLY_NOT_NEGATIVE) { // a tenth of the largest is noise
        for (int i = 0; i < s->count; ++i) {
            *low = fmin(*low, -0.1 * iso_sample(s, column, i));
        }
    }
    if (range == AT_MOST_BEFORE) {
        *high = iso_sample(s, 0, row);
    }
}

static iso_status check_sample(iso_context* ctx, iso_identify_kind kind, const iso_samples* s,
                               int column, int row, const iso_table* source) {
    double value = iso_sample(s, column, row), low, high;
    bool is_open;
    find_bounds(s, k_kinds[kind].range[column], column, row, &low, &high, &is_open);
    bool is_good = isfinite(value) && value <= high && (is_open ? value > low : value >= low);
    if (is_good) {
        return ISO_OK;
    }
    char expected[64] = "a finite number";
    if (isfinite(high)) {
        snprintf(expected, sizeof expected, "%g to %g", low, high);
    } else if (isfinite(low)) {
        snprintf(expected, sizeof expected, "%s %g", is_open ? ">" : ">=", low);
    }
    const char* path = source && source->path ? source->path : "";
    char place[32];
    snprintf(place, sizeof place, source && source->lines ? ":%d" : "sample %d",
             source && source->lines ? source->lines[row] : row + 1);
    return iso_fail(ctx, ISO_ERR_RANGE, __func__, "%s%s: %s is %g %s, expected %s", path, place,
                    k_kinds[kind].column[column], value, k_kinds[kind].unit[column], expected);
}

static iso_status check_spread(iso_context* ctx, iso_identify_kind kind, const iso_samples* s) {
    for (int column = 0; column < 2; ++column) {
        bool differs = false, is_zero = true;
        for (int i = 0; i < s->count; ++i) {
            differs = differs || iso_sample(s, column, i) != iso_sample(s, column, 0);
            is_zero = is_zero && iso_sample(s, column, i) == 0.0;
        }
        ISO_REQUIRE(ctx, differs || (kind == ISO_IDENTIFY_IMPACTS && !is_zero), ISO_ERR_RANGE,
                    "%s is the same in all samples, expected several values",
                    k_kinds[kind].column[column]);
    }
    return ISO_OK;
}

iso_status iso_identify(iso_context* ctx, iso_identify_kind kind, const double* const* columns,
                        int stride, int count, const iso_identify_options* options,
                        const iso_table* source, iso_identified* out) {
    ISO_REQUIRE(ctx, columns && out && stride > 0, ISO_ERR_ARGUMENT,
                "columns, a stride and out_identified are required");
    ISO_REQUIRE(ctx, (unsigned)kind < ISO_IDENTIFY_AUTO, ISO_ERR_ARGUMENT,
                "kind of measurement is %d, expected 0 to %d", (int)kind, ISO_IDENTIFY_AUTO - 1);
    iso_identify_options none = {0.0, 0.0};
    options = options ? options : &none;
    ISO_REQUIRE(
        ctx, options->exponent == 0.0 || (options->exponent >= 1.0 && isfinite(options->exponent)),
        ISO_ERR_RANGE, "exponent of the depth is %g, expected finite and >= 1", options->exponent);
    ISO_REQUIRE(ctx, options->load_acceleration >= 0.0 && isfinite(options->load_acceleration),
                ISO_ERR_RANGE, "load acceleration is %g m/s^2, expected >= 0",
                options->load_acceleration);
    ISO_REQUIRE(ctx, options->exponent == 0.0 || kind == ISO_IDENTIFY_INDENTATION, ISO_ERR_ARGUMENT,
                "an exponent is of %s alone, and this is %s",
                k_kinds[ISO_IDENTIFY_INDENTATION].name, k_kinds[kind].name);
    ISO_REQUIRE(ctx, options->load_acceleration == 0.0 || kind == ISO_IDENTIFY_TAP,
                ISO_ERR_ARGUMENT, "a load per mass is of %s alone, and this is %s",
                k_kinds[ISO_IDENTIFY_TAP].name, k_kinds[kind].name);
    ISO_REQUIRE(ctx, count >= k_least_samples, ISO_ERR_RANGE,
                "there are %d samples, expected at least %d", count, k_least_samples);
    iso_samples s = {.stride = stride, .count = count};
    iso_status status = ISO_OK;
    for (int k = 0; k_kinds[kind].column[k] != NULL; ++k) {
        s.column[k] = columns[k];
        ISO_REQUIRE(ctx, columns[k], ISO_ERR_ARGUMENT, "column '%s' is required",
                    k_kinds[kind].column[k]);
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k_kinds[kind].column[k] != NULL; ++k) {
            ISO_TRY(check_sample(ctx, kind, &s, k, i, source));
        }
    }
    ISO_TRY(check_spread(ctx, kind, &s));
    *out = (iso_identified){.kind = kind, .sample_count = count};
    ISO_TRY(k_kinds[kind].identify(ctx, &s, options, out));
done:
    return status;
}

int iso_identify_find_column(const iso_table* table, iso_identify_kind kind, int column,
                             double* out_factor) {
    const char *name = k_kinds[kind].column[column], *unit = k_kinds[kind].unit[column];
    for (int i = 0; table->names && i < table->column_count; ++i) {
        bool is_stated = false;
        int length = 0;
        double factor = iso_unit_of_name(table->names[i], unit, &length, &is_stated);
        if ((size_t)length == strlen(name) && strncmp(table->names[i], name, strlen(name)) == 0) {
            *out_factor = is_stated ? factor : 1.0;
            return i;
        }
    }
    return -1;
}

static iso_status find_kind(iso_context* ctx, const iso_table* table, iso_identify_kind* kind) {
    for (int k = 0; *kind == ISO_IDENTIFY_AUTO && k < ISO_IDENTIFY_AUTO; ++k) {
        bool has_all = true;
        for (int c = 0; k_kinds[k].column[c] != NULL; ++c) {
            double factor = 1.0;
            has_all =
                has_all && iso_identify_find_column(table, (iso_identify_kind)k, c, &factor) >= 0;
        }
        *kind = has_all ? (iso_identify_kind)k : *kind;
    }
    ISO_REQUIRE(
        ctx, *kind != ISO_IDENTIFY_AUTO, ISO_ERR_NOT_FOUND,
        "%s: the columns say nothing of the measurement, expected them to be called depth, "
        "force; time, position; speed, friction, normal; before, after; or pressure, reading",
        table->path ? table->path : "table");
    return ISO_OK;
}

// The columns of a kind in SI, one behind the other.
static iso_status fill_columns(iso_context* ctx, const iso_table* table, const char* path,
                               iso_identify_kind kind, double* out_values) {
    for (int c = 0; iso_identify_column(kind, c) != NULL; ++c) {
        double factor = 1.0;
        int at = iso_identify_find_column(table, kind, c, &factor);
        ISO_REQUIRE(ctx, at >= 0, ISO_ERR_NOT_FOUND,
                    "%s: there is no column '%s', which '%s' needs", path, k_kinds[kind].column[c],
                    k_kinds[kind].name);
        ISO_REQUIRE(ctx, factor > 0.0, ISO_ERR_RANGE,
                    "%s: column '%s' has a unit that is not known, expected '%s' in %s", path,
                    table->names[at], k_kinds[kind].column[c],
                    k_kinds[kind].unit[c][0] ? k_kinds[kind].unit[c] : "numbers");
        for (int i = 0; i < table->row_count; ++i) {
            size_t from = (size_t)i * (size_t)table->column_count + (size_t)at;
            out_values[(size_t)c * (size_t)table->row_count + (size_t)i] =
                factor * table->values[from];
        }
    }
    return ISO_OK;
}

iso_status iso_identify_table(iso_context* ctx, const iso_table* table, iso_identify_kind kind,
                              const iso_identify_options* options, iso_identified* out) {
    ISO_REQUIRE(ctx, table && table->values && out, ISO_ERR_ARGUMENT,
                "a table and out_identified are required");
    iso_status status = ISO_OK;
    double* values = NULL;
    const char* path = table->path ? table->path : "table";
    ISO_TRY(find_kind(ctx, table, &kind));
    values = iso_alloc_array(ctx, 3 * (table->row_count + 1), sizeof *values);
    ISO_CHECK(ctx, values, ISO_ERR_MEMORY, "%d samples", table->row_count);
    const double* columns[3] = {values, values + table->row_count, values + 2 * table->row_count};
    ISO_TRY(fill_columns(ctx, table, path, kind, values));
    status = iso_identify(ctx, kind, columns, 1, table->row_count, options, table, out);
    if (status != ISO_OK && strncmp(iso_context_error(ctx), path, strlen(path)) != 0) {
        iso_fail_prefix(ctx, status, "%s", path);
    }
done:
    iso_free(ctx, values);
    return status;
}
