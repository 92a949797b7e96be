// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/tetrahedra/tet_split.h"

#include "base/core/array.h"
#include "geometry/mesh/mesh.h"

#include <limits.h>
#include <string.h>

static const int k_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

iso_status iso_tet_mesh_add_vertices(iso_context* ctx, iso_tet_mesh* mesh, iso_nodal_arrays* arrays,
                                     int added_count) {
    int count = mesh->vertex_count + added_count;
    size_t added = (size_t)added_count;
    iso_vec3* vertices = iso_realloc(ctx, mesh->vertices, (size_t)count * sizeof *vertices);
    ISO_REQUIRE(ctx, vertices || count == 0, ISO_ERR_MEMORY, "%d more vertices", added_count);
    mesh->vertices = vertices;
    for (int k = 0; k < arrays->count; ++k) {
        if (arrays->values[k]) {
            double* values = iso_realloc(ctx, arrays->values[k], (size_t)count * sizeof *values);
            ISO_REQUIRE(ctx, values, ISO_ERR_MEMORY, "values of %d more vertices", added_count);
            memset(values + mesh->vertex_count, 0, added * sizeof *values);
            arrays->values[k] = values;
        }
    }
    memset(vertices + mesh->vertex_count, 0, added * sizeof *vertices);
    mesh->vertex_count = count;
    return ISO_OK;
}

iso_status iso_tet_edges_create(iso_context* ctx, const iso_tet_mesh* mesh,
                                iso_tet_edges* out_edges) {
    *out_edges = (iso_tet_edges){0};
    ISO_REQUIRE(ctx, mesh->tet_count <= INT_MAX / 12, ISO_ERR_RANGE,
                "%d tetrahedra, expected at most %d", mesh->tet_count, INT_MAX / 12);
    int most = 6 * mesh->tet_count;
    iso_status status = iso_pair_table_init(ctx, &out_edges->table, most);
    if (status != ISO_OK) {
        return status;
    }
    out_edges->ends = iso_alloc_array(ctx, most, sizeof *out_edges->ends);
    if (!out_edges->ends) {
        iso_tet_edges_destroy(ctx, out_edges);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "edges of %d tetrahedra", mesh->tet_count);
    }
    for (int i = 0; i < most; ++i) {
        int a = mesh->tets[i / 6][k_edges[i % 6][0]], b = mesh->tets[i / 6][k_edges[i % 6][1]];
        if (*iso_pair_table_at(&out_edges->table, a, b, out_edges->count) == out_edges->count) {
            out_edges->ends[out_edges->count][0] = a < b ? a : b;
            out_edges->ends[out_edges->count++][1] = a < b ? b : a;
        }
    }
    return ISO_OK;
}

void iso_tet_edges_destroy(iso_context* ctx, iso_tet_edges* edges) {
    iso_pair_table_destroy(ctx, &edges->table);
    iso_free(ctx, edges->ends);
    *edges = (iso_tet_edges){0};
}

typedef struct corners {
    int v[4];
} corners;

typedef struct cutter {
    iso_tet_edges* edges;
    int old_count;  // vertices before the cuts
    int* midpoints; // [edges->count] vertex on the edge, -1: none
    ISO_ARRAY(corners) tets;
} cutter;

// The edge to cut first, by its two corners in the tetrahedron; false when there is none.
static bool first_cut(cutter* c, const corners* tet, int* out_a, int* out_b, int* out_midpoint) {
    int first = INT_MAX;
    for (int i = 0; i < 6; ++i) {
        int a = tet->v[k_edges[i][0]], b = tet->v[k_edges[i][1]];
        if (a >= c->old_count || b >= c->old_count) {
            continue;
        }
        // The table is only read: every edge between old vertices of a piece is one of the mesh.
        int edge = *iso_pair_table_at(&c->edges->table, a, b, -1);
        if (edge >= 0 && c->midpoints[edge] >= 0 && edge < first) {
            first = edge;
            *out_a = k_edges[i][0];
            *out_b = k_edges[i][1];
            *out_midpoint = c->midpoints[edge];
        }
    }
    return first < INT_MAX;
}

// Pieces of one tetrahedron. Each bisection leaves fewer old edges, so at most 6 deep.
static iso_status cut_tet(iso_context* ctx, cutter* c, corners tet) {
    int a = 0, b = 0, midpoint = 0;
    if (!first_cut(c, &tet, &a, &b, &midpoint)) {
        iso_status status = ISO_ARRAY_GROW(ctx, &c->tets);
        if (status == ISO_OK) {
            c->tets.data[c->tets.count++] = tet;
        }
        return status;
    }
    corners low = tet, high = tet;
    low.v[b] = midpoint;
    high.v[a] = midpoint;
    iso_status status = cut_tet(ctx, c, low);
    return status == ISO_OK ? cut_tet(ctx, c, high) : status;
}

// Number the cuts and place their vertices.
static iso_status place_vertices(iso_context* ctx, iso_tet_mesh* mesh, const double* shares,
                                 iso_nodal_arrays* arrays, cutter* c) {
    int next = mesh->vertex_count;
    for (int i = 0; i < c->edges->count; ++i) {
        c->midpoints[i] = shares[i] >= 0.0 ? next++ : -1;
    }
    iso_status status = iso_tet_mesh_add_vertices(ctx, mesh, arrays, next - mesh->vertex_count);
    for (int i = 0; i < c->edges->count && status == ISO_OK; ++i) {
        int at = c->midpoints[i];
        if (at >= 0) {
            int a = c->edges->ends[i][0], b = c->edges->ends[i][1];
            mesh->vertices[at] = iso_vec3_add_scaled(
                mesh->vertices[a], iso_vec3_sub(mesh->vertices[b], mesh->vertices[a]), shares[i]);
            for (int k = 0; k < arrays->count; ++k) {
                double* values = arrays->values[k];
                if (values) {
                    values[at] = values[a] + shares[i] * (values[b] - values[a]);
                }
            }
        }
    }
    return status;
}

iso_status iso_tet_mesh_cut_edges(iso_context* ctx, iso_tet_mesh* mesh, iso_tet_edges* edges,
                                  const double* shares, iso_nodal_arrays* arrays) {
    iso_status status = ISO_OK;
    cutter c = {.edges = edges, .old_count = mesh->vertex_count};
    c.midpoints = iso_alloc_array(ctx, edges->count, sizeof *c.midpoints);
    ISO_CHECK(ctx, c.midpoints, ISO_ERR_MEMORY, "cuts of %d edges", edges->count);
    ISO_TRY(place_vertices(ctx, mesh, shares, arrays, &c));
    for (int i = 0; i < mesh->tet_count; ++i) {
        const int* v = mesh->tets[i];
        ISO_TRY(cut_tet(ctx, &c, (corners){{v[0], v[1], v[2], v[3]}}));
    }
    int(*tets)[4] = iso_alloc_array(ctx, c.tets.count, sizeof *tets);
    ISO_CHECK(ctx, tets, ISO_ERR_MEMORY, "%d tetrahedra", c.tets.count);
    memcpy(tets, c.tets.data, (size_t)c.tets.count * sizeof *tets);
    iso_free(ctx, mesh->tets);
    mesh->tets = tets;
    mesh->tet_count = c.tets.count;

done:
    iso_free(ctx, c.midpoints);
    ISO_ARRAY_FREE(ctx, &c.tets);
    return status;
}
