// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/plot_page.h"
#include "cli/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { k_most_curves = 10, k_label_size = 200 };

// --- table ---------------------------------------------------------------------------------------

/// A cell, in quotes where it must be (RFC 4180).
static void print_cell(FILE* file, const char* text) {
    if (strpbrk(text, ",\"\n\r") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (const char* c = text; *c != '\0'; ++c) {
        if (*c == '"') {
            fputc('"', file);
        }
        fputc(*c, file);
    }
    fputc('"', file);
}

static void print_table(FILE* file, const sweep_journal* journal) {
    const iso_sweep* sweep = journal->sweep;
    fputs("variant", file);
    for (int i = 0; i < iso_sweep_axis_count(sweep); ++i) {
        fputc(',', file);
        print_cell(file, iso_sweep_axis_name(sweep, i));
    }
    for (int i = 0; i < journal->measure_count; ++i) {
        fputc(',', file);
        print_cell(file, iso_sweep_measure(sweep, i));
    }
    fputs(",error\n", file);
    for (int v = 0; v < journal->variant_count; ++v) {
        const sweep_row* row = &journal->rows[v];
        fprintf(file, "%d", v);
        for (int i = 0; i < iso_sweep_axis_count(sweep); ++i) {
            fputc(',', file);
            print_cell(file, iso_sweep_value(sweep, i, iso_sweep_value_index(sweep, v, i)));
        }
        for (int i = 0; i < journal->measure_count; ++i) {
            fputc(',', file);
            if (isfinite(row->values[i])) {
                fprintf(file, "%.17g", row->values[i]);
            }
        }
        fputc(',', file);
        print_cell(file, row->error != NULL ? row->error : "");
        fputc('\n', file);
    }
}

iso_status sweep_table_write(iso_context* ctx, const sweep_journal* journal, const char* path) {
    cli_text text;
    if (!cli_text_open(&text)) {
        return ISO_ERR_MEMORY;
    }
    print_table(text.file, journal);
    return cli_text_close(ctx, &text, path);
}

// --- page ----------------------------------------------------------------------------------------

/// Which axis lies along x: the first one with several numbers; -1: none.
static int axis_along(const iso_sweep* sweep) {
    for (int i = 0; i < iso_sweep_axis_count(sweep); ++i) {
        double number = 0.0;
        bool is_number = iso_sweep_value_count(sweep, i) > 1;
        for (int k = 0; k < iso_sweep_value_count(sweep, i) && is_number; ++k) {
            char* end = NULL;
            const char* text = iso_sweep_value(sweep, i, k);
            number = strtod(text, &end);
            is_number = end != text && *end == '\0' && isfinite(number);
        }
        if (is_number) {
            return i;
        }
    }
    return -1;
}

/// Number of variants between neighbours along an axis.
static int stride_of(const iso_sweep* sweep, int axis) {
    int stride = 1;
    for (int i = axis + 1; i < iso_sweep_axis_count(sweep); ++i) {
        stride *= iso_sweep_value_count(sweep, i);
    }
    return stride;
}

static void print_label(const iso_sweep* sweep, int variant, int along, char text[k_label_size]) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < iso_sweep_axis_count(sweep); ++i) {
        if (i == along || iso_sweep_value_count(sweep, i) < 2) {
            continue;
        }
        int length = snprintf(text + used, k_label_size - used, "%s%s = %s", used > 0 ? ", " : "",
                              iso_sweep_axis_name(sweep, i),
                              iso_sweep_value(sweep, i, iso_sweep_value_index(sweep, variant, i)));
        used = length > 0 && used + (size_t)length < k_label_size ? used + (size_t)length
                                                                  : k_label_size - 1;
    }
}

/// One plot of a measure: a curve along the axis for each combination of the other axes.
static bool plot_measure(plot_page* page, const sweep_journal* journal, int measure, int along) {
    const iso_sweep* sweep = journal->sweep;
    int points = iso_sweep_value_count(sweep, along), stride = stride_of(sweep, along);
    int curves = journal->variant_count / points;
    int shown = curves < k_most_curves ? curves : k_most_curves;
    double* numbers = calloc((size_t)points * (size_t)(shown + 1), sizeof *numbers);
    char(*labels)[k_label_size] = calloc((size_t)shown, sizeof *labels);
    plot_curve list[k_most_curves];
    bool is_good = numbers != NULL && labels != NULL;
    for (int i = 0; is_good && i < points; ++i) {
        numbers[i] = strtod(iso_sweep_value(sweep, along, i), NULL);
    }
    for (int c = 0; is_good && c < shown; ++c) {
        int first = c % stride + c / stride * stride * points;
        double* y = numbers + (size_t)points * (size_t)(c + 1);
        for (int i = 0; i < points; ++i) {
            y[i] = journal->rows[first + i * stride].values[measure];
        }
        print_label(sweep, first, along, labels[c]);
        list[c] = (plot_curve){labels[c], y};
    }
    if (is_good) {
        char title[2 * k_label_size];
        const char* unit = iso_sweep_measure_unit(sweep, measure);
        (void)snprintf(title, sizeof title, "%s%s%s%s", iso_sweep_measure(sweep, measure),
                       *unit ? " [" : "", unit, *unit ? "]" : "");
        plot_page_curves(page, title, iso_sweep_axis_name(sweep, along), numbers, points, list,
                         shown);
    }
    if (is_good && curves > shown) {
        fprintf(page->file, "<p>%d more curves are in the table.</p>\n", curves - shown);
    }
    free(numbers);
    free(labels);
    return is_good;
}

iso_status sweep_page_write(iso_context* ctx, const sweep_journal* journal, const char* path) {
    plot_page page;
    if (!plot_page_open(&page, "Sweep")) {
        return ISO_ERR_MEMORY;
    }
    int along = axis_along(journal->sweep);
    bool is_good = true;
    if (along < 0) {
        fputs("<p>No axis has several numbers to plot along.</p>\n", page.file);
    }
    for (int i = 0; along >= 0 && i < journal->measure_count && is_good; ++i) {
        is_good = plot_measure(&page, journal, i, along);
    }
    iso_status status = plot_page_close(ctx, &page, path);
    return is_good ? status : ISO_ERR_MEMORY;
}
