// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A picture of a fit: samples as dots, the curve, the parameters above.

#include "base/core/fail.h"
#include "base/core/text.h"
#include "contact/identify/kinds.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 720,
    HEIGHT = 480,
    LEFT = 90,
    RIGHT = 20,
    TOP = 40,
    BOTTOM = 60,
    CURVE_POINTS = 400
};

#define EDGE 0.04 // room beside the samples, over their range

typedef struct plot {
    const iso_table* table;
    const iso_identified* found;
    int column[3];
    double factor[3]; ///< to SI
    double low[2], high[2];
} plot;

static void read_sample(const plot* p, int row, double sample[3]) {
    for (int k = 0; k < 3; ++k) {
        long at = (long)row * p->table->column_count + p->column[k];
        sample[k] = p->column[k] >= 0 ? p->factor[k] * p->table->values[at] : 0.0;
    }
}

static void find_limits(plot* p) {
    double sample[3];
    for (int i = 0; i < p->table->row_count; ++i) {
        read_sample(p, i, sample);
        double value[2] = {sample[0], iso_identify_measured(p->found->kind, sample)};
        for (int k = 0; k < 2; ++k) {
            p->low[k] = i == 0 ? value[k] : fmin(p->low[k], value[k]);
            p->high[k] = i == 0 ? value[k] : fmax(p->high[k], value[k]);
        }
    }
    for (int k = 0; k < 2; ++k) {
        double wide = p->high[k] - p->low[k];
        double edge = EDGE * (wide > 0.0 ? wide : fmax(fabs(p->high[k]), 1.0));
        p->low[k] -= edge;
        p->high[k] += edge;
    }
}

static double across(const plot* p, double x) {
    return LEFT + (x - p->low[0]) / (p->high[0] - p->low[0]) * (WIDTH - LEFT - RIGHT);
}

static double down(const plot* p, double y) {
    double share = (y - p->low[1]) / (p->high[1] - p->low[1]);
    return HEIGHT - BOTTOM - fmin(fmax(share, -0.02), 1.02) * (HEIGHT - TOP - BOTTOM);
}

// 1, 2 or 5 times a power of ten, about a sixth of the range.
static double tick_step(double wide) {
    double power = pow(10.0, floor(log10(wide / 6.0))), share = wide / 6.0 / power;
    return power * (share < 1.5 ? 1.0 : (share < 3.5 ? 2.0 : (share < 7.5 ? 5.0 : 10.0)));
}

static void write_axes(FILE* f, const plot* p) {
    for (int k = 0; k < 2; ++k) {
        double step = tick_step(p->high[k] - p->low[k]);
        for (double n = ceil(p->low[k] / step) + 0.0; n * step <= p->high[k]; n += 1.0) {
            double x = k == 0 ? across(p, n * step) : LEFT,
                   y = k == 0 ? HEIGHT - BOTTOM : down(p, n * step);
            double x2 = k == 0 ? x : WIDTH - RIGHT, y2 = k == 0 ? TOP : y;
            fprintf(f, "<path d='M%.2f %.2fL%.2f %.2f' stroke='#ddd'/>\n", x, y, x2, y2);
            fprintf(f, "<text x='%.2f' y='%.2f' text-anchor='%s'>%.6g</text>\n",
                    k == 0 ? x : x - 6.0, k == 0 ? y + 18.0 : y + 4.0, k == 0 ? "middle" : "end",
                    n * step);
        }
    }
    iso_identify_kind kind = p->found->kind;
    const char* up = kind == ISO_IDENTIFY_SLIDING   ? "friction / normal"
                     : kind == ISO_IDENTIFY_IMPACTS ? "after / before"
                                                    : iso_identify_column(kind, 1);
    fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 18, iso_identify_column(kind, 0));
    fprintf(f, "<text transform='translate(20 %d) rotate(-90)' text-anchor='middle'>%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, up);
}

static void write_title(FILE* f, const plot* p) {
    fprintf(f, "<text x='%d' y='22'>", LEFT);
    for (int k = 0; k < p->found->count; ++k) {
        const iso_parameter* q = &p->found->parameters[k];
        fprintf(f, "%s%s %.4g%s%s", k > 0 ? ", " : "", q->name, q->value, q->unit[0] ? " " : "",
                q->unit);
    }
    fprintf(f, "</text>\n");
}

static void write_picture(FILE* f, const plot* p) {
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' "
            "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' "
            "fill='white'/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    write_axes(f, p);
    write_title(f, p);
    double sample[3];
    for (int i = 0; i < p->table->row_count; ++i) {
        read_sample(p, i, sample);
        fprintf(f, "<circle cx='%.2f' cy='%.2f' r='2.5' fill='#1f77b4' fill-opacity='.6'/>\n",
                across(p, sample[0]), down(p, iso_identify_measured(p->found->kind, sample)));
    }
    fprintf(f, "<path fill='none' stroke='#d62728' stroke-width='1.5' d='");
    for (int i = 0; i <= CURVE_POINTS; ++i) {
        double share = (EDGE + (double)i / CURVE_POINTS) / (1.0 + 2.0 * EDGE); // of the samples
        double x = p->low[0] + (p->high[0] - p->low[0]) * share;
        fprintf(f, "%c%.2f %.2f", i == 0 ? 'M' : 'L', across(p, x),
                down(p, iso_identified_curve(p->found, x)));
    }
    fprintf(f, "'/>\n</svg>\n");
}

iso_status iso_identified_write_svg(iso_context* ctx, const iso_table* table,
                                    const iso_identified* identified, const char* path) {
    ISO_REQUIRE(ctx, table && table->values && identified && path, ISO_ERR_ARGUMENT,
                "table, identified and path are required");
    plot p = {.table = table, .found = identified, .column = {-1, -1, -1}};
    for (int k = 0; iso_identify_column(identified->kind, k) != NULL; ++k) {
        const char* name = iso_identify_column(identified->kind, k);
        p.column[k] = iso_identify_find_column(table, identified->kind, k, &p.factor[k]);
        ISO_REQUIRE(ctx, p.column[k] >= 0, ISO_ERR_NOT_FOUND, "the table has no column '%s'", name);
    }
    find_limits(&p);
    iso_file_writer writer;
    iso_status status = iso_file_writer_open(ctx, path, &writer);
    if (status != ISO_OK) {
        return status;
    }
    write_picture(writer.file, &p);
    return iso_file_writer_commit(ctx, &writer);
}
