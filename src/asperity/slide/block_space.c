// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/slide/block_mesh.h"

// One layer of vertices: a grid.
typedef struct grid {
    int first, columns, rows; ///< first vertex; vertices along and across
} grid;

static int at(const grid* g, int column, int row) {
    return g->first + row * g->columns + column;
}

static grid grid_of(const iso_lab_surface* s, int level, int first) {
    return (grid){first, ((s->columns - 1) >> level) + 1, ((s->rows - 1) >> level) + 1};
}

// Six times the volume, of the edges to the last vertex (3.13).
static double volume_of(const iso_block_mesh* m, const int* v) {
    double e[3][3];
    for (int k = 0; k < 3; ++k) {
        for (int a = 0; a < 3; ++a) {
            e[k][a] = m->vertices[3 * v[k] + a] - m->vertices[3 * v[3] + a];
        }
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static void add(iso_block_mesh* m, int a, int b, int c, int d) {
    int* t = m->elements + 4 * m->element_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
    t[3] = d;
    if (volume_of(m, t) < 0.0) {
        t[0] = b;
        t[1] = a;
    }
}

// The six tetrahedra that go round the diagonal of a cell: each way from one corner to the opposite
// one takes the axes in another order. All faces are cut by the diagonal that rises with its axes,
// so neighbours agree. Each tetrahedron has one upright edge: whatever the heights, none is turned
// over.
static void add_cell(iso_block_mesh* m, const grid* up, const grid* low, int i, int j) {
    static const int orders[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
    for (int k = 0; k < 6; ++k) {
        int v[4], place[3] = {0, 0, 0};
        for (int n = 0; n < 4; ++n) {
            v[n] = at(place[2] ? low : up, i + place[0], j + place[1]);
            if (n < 3) {
                place[n < 2 ? orders[k][n] : 3 - orders[k][0] - orders[k][1]] = 1;
            }
        }
        add(m, v[0], v[1], v[2], v[3]);
    }
}

// Between four cells above and one below: a vertex in the middle, joined to all faces. Sides are
// cut alike from both neighbours.
static void add_halving(iso_block_mesh* m, const grid* up, const grid* low, int middle, int i,
                        int j) {
    for (int q = 0; q < 4; ++q) {
        int c = 2 * i + q % 2, r = 2 * j + q / 2;
        add(m, at(up, c, r), at(up, c + 1, r), at(up, c + 1, r + 1), middle);
        add(m, at(up, c, r), at(up, c, r + 1), at(up, c + 1, r + 1), middle);
    }
    add(m, at(low, i, j), at(low, i + 1, j), at(low, i + 1, j + 1), middle);
    add(m, at(low, i, j), at(low, i, j + 1), at(low, i + 1, j + 1), middle);
    for (int side = 0; side < 4; ++side) {
        bool is_along = side < 2;
        int off = side % 2, p[3], b[2];
        for (int n = 0; n < 3; ++n) {
            p[n] = is_along ? at(up, 2 * i + n, 2 * (j + off)) : at(up, 2 * (i + off), 2 * j + n);
        }
        for (int n = 0; n < 2; ++n) {
            b[n] = is_along ? at(low, i + n, j + off) : at(low, i + off, j + n);
        }
        add(m, p[0], b[0], p[1], middle);
        add(m, b[0], b[1], p[1], middle);
        add(m, p[1], b[1], p[2], middle);
    }
}

static void count(const iso_lab_surface* s, const iso_block_plan* r, iso_block_mesh* m) {
    for (int i = 0; i < r->count; ++i) {
        grid g = grid_of(s, r->levels[i], 0);
        int cells = (g.columns - 1) * (g.rows - 1);
        bool is_halved = i > 0 && r->levels[i] > r->levels[i - 1];
        m->vertex_count += g.columns * g.rows + (is_halved ? cells : 0);
        m->element_count += i == 0 ? 0 : (is_halved ? 22 : 6) * cells;
        m->flat_columns = g.columns;
        m->flat_rows = g.rows;
    }
    m->rough_count = s->columns * s->rows;
    m->flat_count = m->flat_columns * m->flat_rows;
}

static void put(iso_block_mesh* m, int v, double x, double y, double z) {
    m->vertices[3 * v] = x;
    m->vertices[3 * v + 1] = y;
    m->vertices[3 * v + 2] = z;
}

static void put_grid(iso_block_mesh* m, const grid* g, double width, double depth) {
    for (int j = 0; j < g->rows; ++j) {
        for (int i = 0; i < g->columns; ++i) {
            put(m, at(g, i, j), width * i, width * j, -depth);
        }
    }
}

// Elements of a flat block; the waviness of its first layer comes after.
static void fill(const iso_lab_surface* s, const iso_block_plan* r, double mean,
                 iso_block_mesh* m) {
    grid up = grid_of(s, 0, 0);
    m->element_count = 0;
    put_grid(m, &up, s->pitch, 0.0);
    for (int n = 1; n < r->count; ++n) {
        bool is_halved = r->levels[n] > r->levels[n - 1];
        double width = s->pitch * (double)(1 << r->levels[n]);
        int middle = up.first + up.columns * up.rows;
        grid low = grid_of(s, r->levels[n], middle);
        int cells = (low.columns - 1) * (low.rows - 1);
        low.first += is_halved ? cells : 0;
        put_grid(m, &low, width, r->depths[n]);
        for (int c = 0; c < cells; ++c) {
            int i = c % (low.columns - 1), j = c / (low.columns - 1);
            if (is_halved) {
                put(m, middle + c, width * (i + 0.5), width * (j + 0.5),
                    -0.5 * (r->depths[n - 1] + r->depths[n]));
                add_halving(m, &up, &low, middle + c, i, j);
            } else {
                add_cell(m, &up, &low, i, j);
            }
        }
        up = low;
    }
    for (int v = 0; v < m->rough_count; ++v) {
        m->vertices[3 * v + 2] = s->heights[v] - mean;
    }
}

iso_status iso_block_mesh_fill_space(iso_context* ctx, const iso_lab_surface* face,
                                     const iso_block_plan* plan, double mean, iso_block_mesh* out) {
    count(face, plan, out);
    iso_status status = iso_block_mesh_allocate(ctx, out);
    if (status == ISO_OK) {
        fill(face, plan, mean, out);
    }
    return status;
}
