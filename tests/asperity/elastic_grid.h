// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/elastic/body.h"
#include "support/check.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

/// A drawn mesh: a grid of cells, each of 2 triangles or 6 tetrahedra, vertices moved at random.
typedef struct elastic_grid {
    int dimension, cells[3], vertex_count, element_count;
    double* vertices;
    int* elements;
} elastic_grid;

static inline int elastic_grid_vertex(const elastic_grid* g, int i, int j, int k) {
    return (k * (g->cells[1] + 1) + j) * (g->cells[0] + 1) + i;
}

static inline void elastic_grid_split(elastic_grid* g, int i, int j, int k) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    if (g->dimension == 2) {
        int a = elastic_grid_vertex(g, i, j, 0), b = elastic_grid_vertex(g, i + 1, j, 0);
        int c = elastic_grid_vertex(g, i + 1, j + 1, 0), d = elastic_grid_vertex(g, i, j + 1, 0);
        int both[6] = {a, b, c, a, c, d};
        memcpy(g->elements + 3 * g->element_count, both, sizeof both);
        g->element_count += 2;
        return;
    }
    for (int t = 0; t < 6; ++t) { // paths along the edges from one corner to the other
        int at[3] = {i, j, k}, *v = g->elements + 4 * g->element_count++;
        for (int s = 0; s < 4; ++s) {
            v[s] = elastic_grid_vertex(g, at[0], at[1], at[2]);
            if (s < 3) {
                ++at[orders[t][s]];
            }
        }
        if (t < 3) { // even orders: the last vertex is the origin of the edges
            int first = v[0];
            v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = first;
        } else {
            int first = v[0];
            v[0] = v[2], v[2] = v[3], v[3] = first;
        }
    }
}

/// A box of cells, not moved.
static inline elastic_grid elastic_grid_box(int dimension, const int cells[3], double pitch) {
    elastic_grid g = {.dimension = dimension};
    int count = 1, vertices = 1;
    for (int a = 0; a < dimension; ++a) {
        g.cells[a] = cells[a];
        count *= g.cells[a];
        vertices *= g.cells[a] + 1;
    }
    g.vertex_count = vertices;
    g.vertices = calloc((unsigned)(vertices * dimension), sizeof(double));
    g.elements = calloc((unsigned)(count * 24), sizeof(int));
    for (int v = 0; v < vertices; ++v) {
        int at[3] = {v % (g.cells[0] + 1), v / (g.cells[0] + 1) % (g.cells[1] + 1),
                     v / ((g.cells[0] + 1) * (g.cells[1] + 1))};
        for (int a = 0; a < dimension; ++a) {
            g.vertices[v * dimension + a] = pitch * at[a];
        }
    }
    for (int c = 0; c < count; ++c) {
        elastic_grid_split(&g, c % g.cells[0], c / g.cells[0] % g.cells[1],
                           c / (g.cells[0] * g.cells[1]));
    }
    return g;
}

static inline elastic_grid elastic_grid_make(test_random* random, int dimension, int most,
                                             double pitch, double jitter) {
    int cells[3] = {test_random_int(random, 1, most), test_random_int(random, 1, most),
                    test_random_int(random, 1, most)};
    elastic_grid g = elastic_grid_box(dimension, cells, pitch);
    for (int i = 0; i < g.vertex_count * dimension; ++i) {
        g.vertices[i] += pitch * test_random_uniform(random, -jitter, jitter);
    }
    return g;
}

static inline void elastic_grid_free(elastic_grid* g) {
    free(g->vertices);
    free(g->elements);
}

static inline iso_elastic_material elastic_material_draw(test_random* random) {
    return (iso_elastic_material){.young = pow(10.0, test_random_uniform(random, 3.0, 11.0)),
                                  .poisson = test_random_uniform(random, -0.3, 0.48),
                                  .density = pow(10.0, test_random_uniform(random, 1.0, 4.0)),
                                  .mass_damping = test_random_uniform(random, 0.0, 3.0),
                                  .stiffness_damping = test_random_uniform(random, 0.0, 0.3)};
}

static inline iso_elastic* elastic_grid_body(iso_context* ctx, const elastic_grid* g,
                                             const iso_elastic_material* material) {
    iso_elastic_desc desc = {.dimension = g->dimension,
                             .vertices = g->vertices,
                             .vertex_count = g->vertex_count,
                             .elements = g->elements,
                             .element_count = g->element_count,
                             .materials = material,
                             .material_count = 1};
    iso_elastic* e = NULL;
    CHECK_OK(ctx, iso_elastic_create(ctx, &desc, &e));
    return e;
}

/// A drawn deformation with no inverted element: turned, stretched and then shaken as far as the
/// elements allow.
static inline double* elastic_deform(const iso_elastic* e, test_random* random, double shake) {
    int d = e->dimension, n = e->vertex_count * d;
    double* x = calloc((size_t)n, sizeof(double));
    iso_mat3 turn = d == 3 ? iso_mat3_from_quat(test_random_quat(random))
                           : iso_mat3_from_axis_angle((iso_vec3){0, 0, 1},
                                                      test_random_uniform(random, 0.0, 6.0));
    double stretch[3], pitch = pow(e->volumes[0], 1.0 / d);
    for (int a = 0; a < 3; ++a) {
        stretch[a] = test_random_uniform(random, 0.6, 1.6);
    }
    do {
        for (int v = 0; v < e->vertex_count; ++v) {
            double p[3] = {0.0, 0.0, 0.0};
            for (int a = 0; a < d; ++a) {
                p[a] = stretch[a] * e->rest[v * d + a] +
                       shake * pitch * test_random_uniform(random, -1.0, 1.0);
            }
            for (int a = 0; a < d; ++a) {
                x[v * d + a] = turn.m[a][0] * p[0] + turn.m[a][1] * p[1] + turn.m[a][2] * p[2];
            }
        }
        shake *= 0.8;
    } while (!isfinite(iso_elastic_energy(e, x)));
    return x;
}
