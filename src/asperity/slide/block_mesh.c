// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/slide/block_mesh.h"

#include <math.h>

enum { MOST_ROWS = 4096 };

// Rows of vertices, from the profile down.
typedef struct rows {
    int count;
    int levels[MOST_ROWS];    ///< columns are 2^level pitches wide
    double depths[MOST_ROWS]; ///< [m]
} rows;

static int columns_of(int intervals, int level) {
    return intervals >> level;
}

// A regular row, then one of twice the width, and so on while the columns can be halved.
static iso_status plan(iso_context* ctx, int intervals, double pitch, double height, rows* r) {
    double depth = 0.0;
    bool was_halved = true; // the profile first gets a regular row below it
    *r = (rows){.count = 1};
    while (depth < height) {
        int level = r->levels[r->count - 1];
        double width = pitch * (double)(1 << level);
        bool halve = !was_halved && columns_of(intervals, level) % 2 == 0 &&
                     columns_of(intervals, level) >= 4 && level < 20 &&
                     depth + 3.5 * width < height;
        depth += halve ? 1.5 * width : width;
        if (!halve && depth > height - 0.5 * width) {
            depth = height;
        }
        ISO_REQUIRE(ctx, r->count < MOST_ROWS, ISO_ERR_RANGE,
                    "the block is %g m high, expected at most %d pitches of %g m for %d points",
                    height, MOST_ROWS / 2, pitch, intervals + 1);
        r->levels[r->count] = level + (halve ? 1 : 0);
        r->depths[r->count++] = depth;
        was_halved = halve;
    }
    return ISO_OK;
}

static void add_triangle(iso_block_mesh* m, int a, int b, int c) {
    const double *p = m->vertices + 2 * a, *q = m->vertices + 2 * b, *r = m->vertices + 2 * c;
    double turn = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    int* t = m->triangles + 3 * m->triangle_count++;
    t[0] = a;
    t[1] = turn > 0.0 ? b : c;
    t[2] = turn > 0.0 ? c : b;
}

// Triangles between a row and the next one, which has as many columns or half as many.
static void join(iso_block_mesh* m, int upper, int lower, int columns, bool is_halved) {
    for (int i = 0; i < columns; ++i) {
        int a = lower + i, b = lower + i + 1;
        if (is_halved) {
            int p = upper + 2 * i;
            add_triangle(m, p, a, p + 1);
            add_triangle(m, a, b, p + 1);
            add_triangle(m, p + 1, b, p + 2);
        } else if (i % 2 == 0) {
            add_triangle(m, upper + i, a, b);
            add_triangle(m, upper + i, b, upper + i + 1);
        } else {
            add_triangle(m, upper + i, a, upper + i + 1);
            add_triangle(m, upper + i + 1, a, b);
        }
    }
}

static void count(const rows* r, int intervals, iso_block_mesh* m) {
    for (int i = 0; i < r->count; ++i) {
        int columns = columns_of(intervals, r->levels[i]);
        m->vertex_count += columns + 1;
        m->triangle_count += i == 0 ? 0 : (r->levels[i] > r->levels[i - 1] ? 3 : 2) * columns;
    }
}

// Places first as of a flat profile, so that triangles are turned alike whatever the waviness: what
// that turns over is found by whoever makes elements of them.
static void fill(const iso_lab_surface* s, const rows* r, double mean, double height,
                 iso_block_mesh* m) {
    int intervals = s->columns - 1, first = 0;
    for (int pass = 0; pass < 2; ++pass) {
        int v = 0;
        for (int i = 0; i < r->count; ++i) {
            int stride = 1 << r->levels[i];
            for (int c = 0; c <= columns_of(intervals, r->levels[i]); ++c, ++v) {
                double h = pass == 0 ? 0.0 : s->heights[c * stride] - mean;
                double share = 1.0 - r->depths[i] / height;
                m->vertices[2 * v] = s->pitch * (double)(c * stride);
                m->vertices[2 * v + 1] = -height + (height + h) * share;
            }
        }
        m->triangle_count = pass == 0 ? 0 : m->triangle_count;
        for (int i = 1; pass == 0 && i < r->count; ++i) {
            int columns = columns_of(intervals, r->levels[i]);
            int above = columns_of(intervals, r->levels[i - 1]) + 1;
            join(m, first, first + above, columns, r->levels[i] > r->levels[i - 1]);
            first += above;
        }
    }
}

iso_status iso_block_mesh_make(iso_context* ctx, const iso_lab_surface* s, double height,
                               iso_block_mesh* out) {
    *out = (iso_block_mesh){0};
    ISO_REQUIRE(ctx, s && s->heights && s->rows == 1 && s->columns >= 3, ISO_ERR_ARGUMENT,
                "the face of a block has %d rows of %d points, expected a profile of at least 3",
                s ? s->rows : 0, s ? s->columns : 0);
    double mean = 0.0, low = 0.0;
    for (int i = 0; i < s->columns; ++i) {
        ISO_REQUIRE(ctx, isfinite(s->heights[i]), ISO_ERR_RANGE,
                    "height %d of a profile is %g m, expected finite", i, s->heights[i]);
        mean += s->heights[i] / s->columns;
    }
    for (int i = 0; i < s->columns; ++i) {
        low = fmin(low, s->heights[i] - mean);
    }
    ISO_REQUIRE(ctx, isfinite(height) && height > -1.5 * low && height >= s->pitch, ISO_ERR_RANGE,
                "the block is %g m high, expected at least a pitch, %g m, and more than 1.5 times "
                "its deepest valley, %g m",
                height, s->pitch, -low);
    rows* r = iso_alloc(ctx, sizeof *r);
    iso_status status = ISO_OK;
    ISO_REQUIRE(ctx, r, ISO_ERR_MEMORY, "rows of a block");
    ISO_TRY(plan(ctx, s->columns - 1, s->pitch, height, r));
    count(r, s->columns - 1, out);
    out->vertices = iso_alloc_array(ctx, 2 * out->vertex_count, sizeof(double));
    out->triangles = iso_alloc_array(ctx, 3 * out->triangle_count, sizeof(int));
    ISO_CHECK(ctx, out->vertices && out->triangles, ISO_ERR_MEMORY, "mesh of %d vertices",
              out->vertex_count);
    out->rough_count = s->columns;
    out->flat_count = columns_of(s->columns - 1, r->levels[r->count - 1]) + 1;
    fill(s, r, mean, height, out);

done:
    iso_free(ctx, r);
    if (status != ISO_OK) {
        iso_block_mesh_free(ctx, out);
    }
    return status;
}

void iso_block_mesh_free(iso_context* ctx, iso_block_mesh* mesh) {
    iso_free(ctx, mesh->vertices);
    iso_free(ctx, mesh->triangles);
    *mesh = (iso_block_mesh){0};
}
