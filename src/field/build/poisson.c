// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/build/poisson.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/tetrahedra/tet_split.h"

#include <amd.h>
#include <ldl.h>

// A residual beyond this means that the factorisation broke down.
#define LARGEST_RESIDUAL 1e-6

static const int k_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Stiffness between all vertices: one number per vertex, one per edge.
typedef struct stiffness {
    iso_tet_edges edges;
    double* diagonal; // [vertex_count]
    double* off;      // [edges.count]
    double* load;     // [vertex_count] integral of source times hat function
} stiffness;

// The system of the free vertices, compressed columns, both triangles.
typedef struct free_system {
    int count;
    int* index; // [vertex_count] row of a vertex, -1 when given
    SuiteSparse_long* starts;
    SuiteSparse_long* rows;
    double* values;
    double* right; // [count]
} free_system;

// grad(phi_i) . grad(phi_j) integrated is A_i . A_j / (9 V), A_i the area vector opposite corner i.
static void add_element(const iso_tet_mesh* mesh, int tet, double source, stiffness* k) {
    const int* v = mesh->tets[tet];
    iso_vec3 area[4];
    for (int i = 0; i < 4; ++i) {
        const int* f = k_tet_faces[i];
        area[i] = iso_triangle_area_vector(mesh->vertices[v[f[0]]], mesh->vertices[v[f[1]]],
                                           mesh->vertices[v[f[2]]]);
    }
    double volume = iso_tet_mesh_tet_volume(mesh, tet);
    double scale = 1.0 / (9.0 * volume);
    for (int i = 0; i < 4; ++i) {
        k->diagonal[v[i]] += scale * iso_vec3_norm_squared(area[i]);
        k->load[v[i]] += 0.25 * source * volume;
    }
    for (int e = 0; e < 6; ++e) {
        int a = k_edges[e][0], b = k_edges[e][1];
        int edge = *iso_pair_table_at(&k->edges.table, v[a], v[b], -1);
        k->off[edge] += scale * iso_vec3_dot(area[a], area[b]);
    }
}

static iso_status assemble(iso_context* ctx, const iso_tet_mesh* mesh, double source,
                           stiffness* k) {
    iso_status status = iso_tet_edges_create(ctx, mesh, &k->edges);
    if (status != ISO_OK) {
        return status;
    }
    k->diagonal = iso_alloc_array(ctx, mesh->vertex_count, sizeof *k->diagonal);
    k->off = iso_alloc_array(ctx, k->edges.count, sizeof *k->off);
    k->load = iso_alloc_array(ctx, mesh->vertex_count, sizeof *k->load);
    ISO_REQUIRE(ctx, k->diagonal && k->off && k->load, ISO_ERR_MEMORY, "stiffness of %d vertices",
                mesh->vertex_count);
    for (int i = 0; i < mesh->tet_count; ++i) {
        add_element(mesh, i, source, k);
    }
    return ISO_OK;
}

static int find_root(int* parents, int i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

// Every connected part needs a given value, else the system is singular.
static iso_status check_parts(iso_context* ctx, const iso_tet_mesh* mesh, const stiffness* k,
                              const iso_extent_vertex* kinds) {
    iso_status status = ISO_OK;
    int* parents = iso_alloc_array(ctx, mesh->vertex_count, sizeof *parents);
    bool* is_given = iso_alloc_array(ctx, mesh->vertex_count, sizeof *is_given);
    ISO_CHECK(ctx, parents && is_given, ISO_ERR_MEMORY, "parts of %d vertices", mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        parents[i] = i;
    }
    for (int i = 0; i < k->edges.count; ++i) {
        int a = find_root(parents, k->edges.ends[i][0]);
        int b = find_root(parents, k->edges.ends[i][1]);
        parents[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        is_given[find_root(parents, i)] |= kinds[i] != ISO_EXTENT_VERTEX_FREE;
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        ISO_CHECK(ctx, is_given[find_root(parents, i)], ISO_ERR_GEOMETRY,
                  "the part of the mesh with vertex %d touches neither exposed skin nor core, "
                  "expected one of them",
                  i);
    }

done:
    iso_free(ctx, parents);
    iso_free(ctx, is_given);
    return status;
}

static double given_value(iso_extent_vertex kind) {
    return kind == ISO_EXTENT_VERTEX_CORE ? 1.0 : 0.0;
}

static iso_status allocate_system(iso_context* ctx, const iso_tet_mesh* mesh, const stiffness* k,
                                  const iso_extent_vertex* kinds, free_system* s) {
    s->index = iso_alloc_array(ctx, mesh->vertex_count, sizeof *s->index);
    ISO_REQUIRE(ctx, s->index, ISO_ERR_MEMORY, "rows of %d vertices", mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        s->index[i] = kinds[i] == ISO_EXTENT_VERTEX_FREE ? s->count++ : -1;
    }
    s->starts = iso_alloc_array(ctx, s->count + 1, sizeof *s->starts);
    s->right = iso_alloc_array(ctx, s->count, sizeof *s->right);
    ISO_REQUIRE(ctx, s->starts && s->right, ISO_ERR_MEMORY, "system of %d vertices", s->count);
    for (int i = 0; i < s->count; ++i) {
        s->starts[i + 1] = 1;
    }
    for (int i = 0; i < k->edges.count; ++i) {
        int a = s->index[k->edges.ends[i][0]], b = s->index[k->edges.ends[i][1]];
        if (a >= 0 && b >= 0) {
            ++s->starts[a + 1];
            ++s->starts[b + 1];
        }
    }
    for (int i = 0; i < s->count; ++i) {
        s->starts[i + 1] += s->starts[i];
    }
    size_t entry_count = (size_t)s->starts[s->count];
    s->rows = iso_alloc(ctx, entry_count * sizeof *s->rows);
    s->values = iso_alloc(ctx, entry_count * sizeof *s->values);
    ISO_REQUIRE(ctx, s->rows && s->values, ISO_ERR_MEMORY, "system of %d vertices", s->count);
    return ISO_OK;
}

// Columns of the free vertices; what is given moves to the right-hand side.
static iso_status fill_system(iso_context* ctx, const iso_tet_mesh* mesh, const stiffness* k,
                              const iso_extent_vertex* kinds, free_system* s) {
    SuiteSparse_long* next = iso_alloc_array(ctx, s->count, sizeof *next);
    ISO_REQUIRE(ctx, next, ISO_ERR_MEMORY, "columns of %d vertices", s->count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        int row = s->index[i];
        if (row >= 0) {
            next[row] = s->starts[row];
            s->rows[next[row]] = row;
            s->values[next[row]++] = k->diagonal[i];
            s->right[row] = k->load[i];
        }
    }
    for (int i = 0; i < k->edges.count; ++i) {
        const int* ends = k->edges.ends[i];
        int a = s->index[ends[0]], b = s->index[ends[1]];
        if (a >= 0 && b >= 0) {
            s->rows[next[a]] = b;
            s->values[next[a]++] = k->off[i];
            s->rows[next[b]] = a;
            s->values[next[b]++] = k->off[i];
        } else if (a >= 0) {
            s->right[a] -= k->off[i] * given_value(kinds[ends[1]]);
        } else if (b >= 0) {
            s->right[b] -= k->off[i] * given_value(kinds[ends[0]]);
        }
    }
    iso_free(ctx, next);
    return ISO_OK;
}

// The factor P A P' = L D L' and its workspace.
typedef struct factor {
    SuiteSparse_long *order, *inverse, *starts, *parent, *counts, *flags, *pattern, *rows;
    double *values, *diagonal, *work;
} factor;

static void destroy_factor(iso_context* ctx, factor* f) {
    iso_free(ctx, f->order);
    iso_free(ctx, f->inverse);
    iso_free(ctx, f->starts);
    iso_free(ctx, f->parent);
    iso_free(ctx, f->counts);
    iso_free(ctx, f->flags);
    iso_free(ctx, f->pattern);
    iso_free(ctx, f->rows);
    iso_free(ctx, f->values);
    iso_free(ctx, f->diagonal);
    iso_free(ctx, f->work);
}

static iso_status allocate_factor(iso_context* ctx, int count, factor* f) {
    SuiteSparse_long** const arrays[7] = {&f->order,  &f->inverse, &f->starts, &f->parent,
                                          &f->counts, &f->flags,   &f->pattern};
    for (int i = 0; i < 7; ++i) {
        *arrays[i] = iso_alloc_array(ctx, count + 1, sizeof **arrays[i]);
        ISO_REQUIRE(ctx, *arrays[i], ISO_ERR_MEMORY, "factor of %d vertices", count);
    }
    f->diagonal = iso_alloc_array(ctx, count, sizeof *f->diagonal);
    f->work = iso_alloc_array(ctx, count, sizeof *f->work);
    ISO_REQUIRE(ctx, f->diagonal && f->work, ISO_ERR_MEMORY, "factor of %d vertices", count);
    return ISO_OK;
}

static iso_status factorize(iso_context* ctx, const free_system* s, factor* f) {
    SuiteSparse_long n = s->count;
    iso_status status = allocate_factor(ctx, s->count, f);
    if (status != ISO_OK) {
        return status;
    }
    SuiteSparse_long ordered = amd_l_order(n, s->starts, s->rows, f->order, NULL, NULL);
    ISO_REQUIRE(ctx, ordered != AMD_OUT_OF_MEMORY, ISO_ERR_MEMORY, "ordering of %d vertices",
                s->count);
    ISO_REQUIRE(ctx, ordered == AMD_OK || ordered == AMD_OK_BUT_JUMBLED, ISO_ERR_NUMERIC,
                "ordering of %d vertices failed with %ld", s->count, (long)ordered);
    ldl_l_symbolic(n, s->starts, s->rows, f->starts, f->parent, f->counts, f->flags, f->order,
                   f->inverse);
    size_t fill = (size_t)f->starts[n];
    f->rows = iso_alloc(ctx, (fill + 1) * sizeof *f->rows);
    f->values = iso_alloc(ctx, (fill + 1) * sizeof *f->values);
    ISO_REQUIRE(ctx, f->rows && f->values, ISO_ERR_MEMORY, "factor of %d vertices, %zu entries",
                s->count, fill);
    SuiteSparse_long done =
        ldl_l_numeric(n, s->starts, s->rows, s->values, f->starts, f->parent, f->counts, f->rows,
                      f->values, f->diagonal, f->work, f->pattern, f->flags, f->order, f->inverse);
    ISO_REQUIRE(ctx, done == n, ISO_ERR_NUMERIC,
                "the system of %d vertices is singular in row %ld, expected positive pivots",
                s->count, (long)done);
    return ISO_OK;
}

// Largest component of A x - b over that of b.
static double residual_of(const free_system* s, const double* x, double* work) {
    double largest = 0.0, scale = 0.0;
    for (int i = 0; i < s->count; ++i) {
        work[i] = -s->right[i];
        scale = fmax(scale, fabs(s->right[i]));
    }
    for (int column = 0; column < s->count; ++column) {
        for (SuiteSparse_long at = s->starts[column]; at < s->starts[column + 1]; ++at) {
            work[s->rows[at]] += s->values[at] * x[column];
        }
    }
    for (int i = 0; i < s->count; ++i) {
        largest = fmax(largest, fabs(work[i]));
    }
    return scale > 0.0 ? largest / scale : largest;
}

static iso_status solve_system(iso_context* ctx, const free_system* s, double* out_x,
                               double* out_residual) {
    factor f = {0};
    SuiteSparse_long n = s->count;
    iso_status status = ISO_OK;
    ISO_TRY(factorize(ctx, s, &f));
    ldl_l_perm(n, f.work, s->right, f.order);
    ldl_l_lsolve(n, f.work, f.starts, f.rows, f.values);
    ldl_l_dsolve(n, f.work, f.diagonal);
    ldl_l_ltsolve(n, f.work, f.starts, f.rows, f.values);
    ldl_l_permt(n, out_x, f.work, f.order);
    *out_residual = residual_of(s, out_x, f.work);
    ISO_CHECK(ctx, *out_residual <= LARGEST_RESIDUAL, ISO_ERR_NUMERIC,
              "residual of the system of %d vertices is %g, expected at most %g", s->count,
              *out_residual, LARGEST_RESIDUAL);

done:
    destroy_factor(ctx, &f);
    return status;
}

iso_status iso_poisson_solve(iso_context* ctx, const iso_tet_mesh* mesh,
                             const iso_extent_vertex* kinds, double source, double* out_values,
                             double* out_residual) {
    stiffness k = {0};
    free_system s = {0};
    double* x = NULL;
    iso_status status = ISO_OK;
    *out_residual = 0.0;
    ISO_TRY(assemble(ctx, mesh, source, &k));
    ISO_TRY(check_parts(ctx, mesh, &k, kinds));
    ISO_TRY(allocate_system(ctx, mesh, &k, kinds, &s));
    if (s.count > 0) {
        ISO_TRY(fill_system(ctx, mesh, &k, kinds, &s));
        x = iso_alloc_array(ctx, s.count, sizeof *x);
        ISO_CHECK(ctx, x, ISO_ERR_MEMORY, "solution of %d vertices", s.count);
        ISO_TRY(solve_system(ctx, &s, x, out_residual));
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        out_values[i] = s.index[i] >= 0 ? x[s.index[i]] : given_value(kinds[i]);
    }

done:
    iso_tet_edges_destroy(ctx, &k.edges);
    iso_free(ctx, k.diagonal);
    iso_free(ctx, k.off);
    iso_free(ctx, k.load);
    iso_free(ctx, s.index);
    iso_free(ctx, s.starts);
    iso_free(ctx, s.rows);
    iso_free(ctx, s.values);
    iso_free(ctx, s.right);
    iso_free(ctx, x);
    return status;
}
