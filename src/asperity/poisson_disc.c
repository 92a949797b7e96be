// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/lab.h"
#include "base/core/array.h"
#include "base/values/draw.h"

#include <math.h>

enum { TRIES = 30, SAMPLES_MAX = 1000000 };

// Cells of the size distance / sqrt(2) hold one sample at most.
typedef struct disc {
    iso_context* ctx;
    double width, depth, distance, cell;
    int columns, rows;
    int* cells; ///< [rows * columns] 1 + index of the sample there, 0: none
    ISO_ARRAY(double) points;
    ISO_ARRAY(int) active;
    iso_draw draw;
} disc;

static int cell_of(double at, double cell, int count) {
    int found = (int)(at / cell);
    return found < count ? found : count - 1;
}

static bool is_clear(const disc* d, double x, double y) {
    int column = cell_of(x, d->cell, d->columns), row = cell_of(y, d->cell, d->rows);
    for (int r = row - 2; r <= row + 2; ++r) {
        for (int c = column - 2; c <= column + 2; ++c) {
            if (r < 0 || c < 0 || r >= d->rows || c >= d->columns) {
                continue;
            }
            int found = d->cells[r * d->columns + c] - 1;
            if (found >= 0) {
                double dx = d->points.data[2 * found] - x, dy = d->points.data[2 * found + 1] - y;
                if (dx * dx + dy * dy < d->distance * d->distance) {
                    return false;
                }
            }
        }
    }
    return true;
}

static iso_status add(disc* d, double x, double y) {
    iso_status status = ISO_ARRAY_RESERVE(d->ctx, &d->points, d->points.count + 2);
    if (status == ISO_OK) {
        status = ISO_ARRAY_GROW(d->ctx, &d->active);
    }
    if (status == ISO_OK) {
        int index = d->points.count / 2;
        d->points.data[d->points.count++] = x;
        d->points.data[d->points.count++] = y;
        d->active.data[d->active.count++] = index;
        int row = cell_of(y, d->cell, d->rows), column = cell_of(x, d->cell, d->columns);
        d->cells[row * d->columns + column] = index + 1;
    }
    return status;
}

// A place between one and two distances from a sample, uniform over the ring (or the line's two
// pieces).
static void draw_near(disc* d, int index, double out[2]) {
    double u = iso_draw_uniform(&d->draw);
    double v = iso_draw_uniform(&d->draw);
    if (d->depth == 0.0) {
        out[0] = d->points.data[2 * index] + d->distance * (1.0 + u) * (v < 0.5 ? -1.0 : 1.0);
        out[1] = 0.0;
        return;
    }
    double radius = d->distance * sqrt(1.0 + 3.0 * u), angle = 6.28318530717958647692 * v;
    out[0] = d->points.data[2 * index] + radius * cos(angle);
    out[1] = d->points.data[2 * index + 1] + radius * sin(angle);
}

static iso_status fill(disc* d) {
    double x = d->width * iso_draw_uniform(&d->draw);
    double y = d->depth * iso_draw_uniform(&d->draw);
    iso_status status = add(d, x, y);
    while (status == ISO_OK && d->active.count > 0) {
        int pick = (int)(iso_draw_uniform(&d->draw) * d->active.count);
        bool is_found = false;
        for (int i = 0; i < TRIES && !is_found; ++i) {
            double at[2];
            draw_near(d, d->active.data[pick], at);
            if (at[0] >= 0.0 && at[0] < d->width && at[1] >= 0.0 &&
                (at[1] < d->depth || d->depth == 0.0) && is_clear(d, at[0], at[1])) {
                is_found = true;
                status = add(d, at[0], at[1]);
            }
        }
        if (!is_found) {
            d->active.data[pick] = d->active.data[--d->active.count];
        }
    }
    return status;
}

iso_status iso_lab_poisson_disc(iso_context* ctx, double width, double depth, double distance,
                                uint64_t seed, double** out_points, int* out_count) {
    ISO_REQUIRE(ctx, out_points && out_count, ISO_ERR_ARGUMENT,
                "out_points and out_count are required");
    *out_points = NULL;
    *out_count = 0;
    ISO_REQUIRE(ctx, isfinite(width) && width > 0.0 && isfinite(depth) && depth >= 0.0,
                ISO_ERR_RANGE, "the rectangle is %g by %g m, expected width > 0 and depth >= 0",
                width, depth);
    ISO_REQUIRE(ctx, isfinite(distance) && distance > 0.0, ISO_ERR_RANGE,
                "the distance of samples is %g m, expected finite and > 0", distance);
    double cell = distance / sqrt(2.0);
    double cells = (floor(width / cell) + 1.0) * (floor(depth / cell) + 1.0);
    ISO_REQUIRE(ctx, cells <= SAMPLES_MAX, ISO_ERR_RANGE,
                "the distance of samples is %g m, which makes %.3g cells of %g by %g m, expected "
                "at most %d",
                distance, cells, width, depth, SAMPLES_MAX);
    disc d = {.ctx = ctx, .width = width, .depth = depth, .distance = distance, .cell = cell};
    d.columns = (int)floor(width / cell) + 1;
    d.rows = (int)floor(depth / cell) + 1;
    d.draw.state = seed;
    d.cells = iso_alloc_array(ctx, d.rows * d.columns, sizeof(int));
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, d.cells, ISO_ERR_MEMORY, "%d cells", d.rows * d.columns);
    ISO_TRY(fill(&d));
    *out_points = d.points.data;
    *out_count = d.points.count / 2;
    d.points.data = NULL;

done:
    ISO_ARRAY_FREE(ctx, &d.points);
    ISO_ARRAY_FREE(ctx, &d.active);
    iso_free(ctx, d.cells);
    return status;
}

void iso_lab_points_free(iso_context* ctx, double* points) {
    iso_free(ctx, points);
}
