// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/slide/block_mesh.h"

static int columns_of(int intervals, int level) {
    return intervals >> level;
}

static void add_triangle(iso_block_mesh* m, int a, int b, int c) {
    const double *p = m->vertices + 2 * a, *q = m->vertices + 2 * b, *r = m->vertices + 2 * c;
    double turn = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    int* t = m->elements + 3 * m->element_count++;
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

static void count(const iso_block_plan* r, int intervals, iso_block_mesh* m) {
    for (int i = 0; i < r->count; ++i) {
        int columns = columns_of(intervals, r->levels[i]);
        m->vertex_count += columns + 1;
        m->element_count += i == 0 ? 0 : (r->levels[i] > r->levels[i - 1] ? 3 : 2) * columns;
    }
    m->rough_count = intervals + 1;
    m->flat_columns = columns_of(intervals, r->levels[r->count - 1]) + 1;
    m->flat_rows = 1;
    m->flat_count = m->flat_columns;
}

// Places first as of a flat profile, so that triangles are turned alike whatever the waviness: what
// that turns over is found by whoever makes elements of them.
static void fill(const iso_lab_surface* s, const iso_block_plan* r, double mean,
                 iso_block_mesh* m) {
    double height = r->depths[r->count - 1];
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
        m->element_count = pass == 0 ? 0 : m->element_count;
        for (int i = 1; pass == 0 && i < r->count; ++i) {
            int columns = columns_of(intervals, r->levels[i]);
            int above = columns_of(intervals, r->levels[i - 1]) + 1;
            join(m, first, first + above, columns, r->levels[i] > r->levels[i - 1]);
            first += above;
        }
    }
}

iso_status iso_block_mesh_fill_plane(iso_context* ctx, const iso_lab_surface* face,
                                     const iso_block_plan* plan, double mean, iso_block_mesh* out) {
    count(plan, face->columns - 1, out);
    iso_status status = iso_block_mesh_allocate(ctx, out);
    if (status == ISO_OK) {
        fill(face, plan, mean, out);
    }
    return status;
}
