// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/surface/surface_repair.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"

#include <math.h>
#include <string.h>

#define MOST_PASSES 16 // of flipping slivers

// Cells of a grid as wide as the tolerance, chained.
typedef struct grid {
    double cell;
    size_t mask;
    int* heads; // [mask + 1] first vertex of a cell, -1: none
    int* nexts; // [vertex_count]
} grid;

static size_t cell_of(const grid* g, const int64_t index[3]) {
    uint64_t hash = (uint64_t)index[0] * 0x9e3779b97f4a7c15u ^
                    (uint64_t)index[1] * 0xc2b2ae3d27d4eb4fu ^
                    (uint64_t)index[2] * 0x165667b19e3779f9u;
    return (size_t)(hash ^ hash >> 31) & g->mask;
}

static void cell_index(const grid* g, iso_vec3 p, int64_t out_index[3]) {
    for (int k = 0; k < 3; ++k) {
        out_index[k] = (int64_t)floor(iso_vec3_get(p, k) / g->cell);
    }
}

// The first kept vertex within tolerance of p, -1 when there is none.
static int find_near(const grid* g, const iso_vec3* vertices, iso_vec3 p, double tolerance) {
    int64_t center[3];
    int best = -1;
    cell_index(g, p, center);
    for (int shift = 0; shift < 27; ++shift) {
        int64_t index[3] = {center[0] + shift % 3 - 1, center[1] + shift / 3 % 3 - 1,
                            center[2] + shift / 9 - 1};
        for (int i = g->heads[cell_of(g, index)]; i >= 0; i = g->nexts[i]) {
            if (iso_vec3_distance(vertices[i], p) <= tolerance && (best < 0 || i < best)) {
                best = i;
            }
        }
    }
    return best;
}

// targets[i]: the vertex that i becomes.
static iso_status find_targets(iso_context* ctx, const iso_tri_mesh* mesh, double tolerance,
                               int* targets, int* out_count) {
    grid g = {.cell = tolerance, .mask = 1023};
    while (g.mask < 2 * (size_t)mesh->vertex_count) {
        g.mask = 2 * g.mask + 1;
    }
    iso_status status = ISO_OK;
    g.heads = iso_alloc(ctx, (g.mask + 1) * sizeof *g.heads);
    g.nexts = iso_alloc_array(ctx, mesh->vertex_count, sizeof *g.nexts);
    ISO_CHECK(ctx, g.heads && g.nexts, ISO_ERR_MEMORY, "grid of %d vertices", mesh->vertex_count);
    memset(g.heads, 0xff, (g.mask + 1) * sizeof *g.heads);
    *out_count = 0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        int near = find_near(&g, mesh->vertices, mesh->vertices[i], tolerance);
        targets[i] = near < 0 ? i : near;
        *out_count += near >= 0;
        if (near < 0) {
            int64_t index[3];
            cell_index(&g, mesh->vertices[i], index);
            size_t cell = cell_of(&g, index);
            g.nexts[i] = g.heads[cell];
            g.heads[cell] = i;
        }
    }

done:
    iso_free(ctx, g.heads);
    iso_free(ctx, g.nexts);
    return status;
}

static int drop_collapsed(iso_tri_mesh* mesh) {
    int kept = 0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) {
            memmove(mesh->triangles[kept++], t, sizeof *mesh->triangles);
        }
    }
    int dropped = mesh->triangle_count - kept;
    mesh->triangle_count = kept;
    return dropped;
}

static iso_status drop_unused_vertices(iso_context* ctx, iso_tri_mesh* mesh) {
    int* index_of = iso_alloc_array(ctx, mesh->vertex_count, sizeof *index_of);
    ISO_REQUIRE(ctx, index_of, ISO_ERR_MEMORY, "numbers of %d vertices", mesh->vertex_count);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            index_of[mesh->triangles[i][k]] = 1;
        }
    }
    int kept = 0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        if (index_of[i]) {
            mesh->vertices[kept] = mesh->vertices[i];
            index_of[i] = kept++;
        }
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            mesh->triangles[i][k] = index_of[mesh->triangles[i][k]];
        }
    }
    mesh->vertex_count = kept;
    iso_free(ctx, index_of);
    return ISO_OK;
}

iso_status iso_surface_tidy(iso_context* ctx, iso_tri_mesh* mesh, iso_surface_repair* repair) {
    int dropped = 0;
    iso_status status = ISO_OK;
    repair->collapsed_count += drop_collapsed(mesh);
    ISO_TRY(iso_tri_mesh_drop_repeats(ctx, mesh, false, &dropped)); // or both sides of a surface
    repair->duplicate_count += dropped;
    ISO_TRY(drop_unused_vertices(ctx, mesh));
    ISO_CHECK(ctx, mesh->triangle_count > 0, ISO_ERR_GEOMETRY,
              "no triangle is left after merging vertices: all are smaller than the tolerance");

done:
    return status;
}

iso_status iso_surface_weld(iso_context* ctx, iso_tri_mesh* mesh, double tolerance,
                            iso_surface_repair* repair) {
    iso_status status = ISO_OK;
    int welded = 0;
    int* targets = iso_alloc_array(ctx, mesh->vertex_count, sizeof *targets);
    ISO_CHECK(ctx, targets, ISO_ERR_MEMORY, "numbers of %d vertices", mesh->vertex_count);
    ISO_TRY(find_targets(ctx, mesh, tolerance, targets, &welded));
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            mesh->triangles[i][k] = targets[mesh->triangles[i][k]];
        }
    }
    repair->welded_count += welded;
    status = iso_surface_tidy(ctx, mesh, repair);

done:
    iso_free(ctx, targets);
    return status;
}

// The longest side of a triangle, and the height above it.
static int longest_side(const iso_tri_mesh* mesh, int triangle, double* out_height) {
    const int* t = mesh->triangles[triangle];
    const iso_vec3* p = mesh->vertices;
    int longest = 0;
    double length = 0.0;
    for (int k = 0; k < 3; ++k) {
        double side = iso_vec3_distance(p[t[k]], p[t[(k + 1) % 3]]);
        if (side > length) {
            length = side;
            longest = k;
        }
    }
    double area = iso_vec3_norm(iso_triangle_area_vector(p[t[0]], p[t[1]], p[t[2]]));
    *out_height = length > 0.0 ? 2.0 * area / length : 0.0;
    return longest;
}

// Triangle (a, b, c) whose corner c lies on side a-b, and its neighbour (b, a, d), become (a, d, c)
// and (d, b, c). Without a neighbour the triangle collapses.
static void flip(iso_tri_mesh* mesh, int triangle, int side, int neighbor) {
    int* t = mesh->triangles[triangle];
    int a = t[side], b = t[(side + 1) % 3], c = t[(side + 2) % 3];
    if (neighbor < 0) {
        t[0] = t[1] = t[2] = a;
        return;
    }
    int* n = mesh->triangles[neighbor];
    int d = n[0];
    for (int k = 0; k < 3; ++k) {
        d = n[k] != a && n[k] != b ? n[k] : d;
    }
    bool runs_against = false; // as it should
    for (int k = 0; k < 3; ++k) {
        runs_against = runs_against || (n[k] == b && n[(k + 1) % 3] == a);
    }
    t[0] = a;
    t[1] = d;
    t[2] = c;
    n[0] = d;
    n[1] = b;
    n[2] = c;
    if (!runs_against) { // keeps its own direction
        n[1] = c;
        n[2] = b;
    }
}

// One pass: triangles of a flip are not touched again, since their neighbours have changed.
static iso_status flip_slivers(iso_context* ctx, iso_tri_mesh* mesh, double tolerance,
                               int* out_count) {
    iso_tri_topology topology = {0};
    bool* is_touched = iso_alloc_array(ctx, mesh->triangle_count, sizeof *is_touched);
    iso_status status = ISO_OK;
    *out_count = 0;
    ISO_CHECK(ctx, is_touched, ISO_ERR_MEMORY, "marks of %d triangles", mesh->triangle_count);
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &topology));
    for (int i = 0; i < mesh->triangle_count; ++i) {
        double height;
        int side = longest_side(mesh, i, &height);
        int neighbor = topology.neighbors[i][side];
        bool is_free = !is_touched[i] && (neighbor < 0 || !is_touched[neighbor]);
        if (height >= tolerance || !is_free) {
            continue;
        }
        flip(mesh, i, side, neighbor);
        is_touched[i] = true;
        if (neighbor >= 0) {
            is_touched[neighbor] = true;
        }
        ++*out_count;
    }

done:
    iso_tri_topology_destroy(ctx, &topology);
    iso_free(ctx, is_touched);
    return status;
}

iso_status iso_surface_remove_slivers(iso_context* ctx, iso_tri_mesh* mesh, double tolerance,
                                      iso_surface_repair* repair) {
    iso_surface_repair ignored = {0};
    for (int pass = 0; pass < MOST_PASSES; ++pass) {
        int count = 0;
        iso_status status = flip_slivers(ctx, mesh, tolerance, &count);
        if (status == ISO_OK && count > 0) {
            status = iso_surface_tidy(ctx, mesh, &ignored);
        }
        if (status != ISO_OK || count == 0) {
            return status;
        }
        repair->degenerate_count += count;
    }
    return ISO_OK;
}
