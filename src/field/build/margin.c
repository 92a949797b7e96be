// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/build/margin.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "field/build/field_body.h"
#include "field/build/shell.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"

#include <math.h>

// Slopes at single vertices are at least this part of the mean.
#define LEAST_SLOPE 1e-3

// -grad e . n of a skin face, times its area.
static double outward_fall(const iso_tet_mesh* mesh, const double* extents, int tet, int corner,
                           double* out_area) {
    const int* v = mesh->tets[tet];
    const int* f = k_tet_faces[corner];
    iso_vec3 area = iso_triangle_area_vector(mesh->vertices[v[f[0]]], mesh->vertices[v[f[1]]],
                                             mesh->vertices[v[f[2]]]);
    double six_volume = 6.0 * iso_tet_mesh_tet_volume(mesh, tet);
    iso_vec3 gradient = iso_vec3_zero();
    for (int i = 0; i < 4; ++i) {
        const int* g = k_tet_faces[i];
        iso_vec3 opposite = iso_triangle_area_vector(
            mesh->vertices[v[g[0]]], mesh->vertices[v[g[1]]], mesh->vertices[v[g[2]]]);
        gradient = iso_vec3_add_scaled(gradient, opposite, -2.0 * extents[v[i]] / six_volume);
    }
    *out_area = iso_vec3_norm(area);
    return -iso_vec3_dot(gradient, area);
}

// Whether a side of a tetrahedron is a face of the skin that is zero all over. The others are
// bonded to something rigid, or lead there: the field ends at them.
static bool is_free(const iso_tet_mesh* mesh, const iso_tet_topology* topology,
                    const double* extents, double zero, int side) {
    const int *v = mesh->tets[side / 4], *f = k_tet_faces[side % 4];
    return topology->neighbors[side / 4][side % 4] < 0 && extents[v[f[0]]] <= zero &&
           extents[v[f[1]]] <= zero && extents[v[f[2]]] <= zero;
}

// Slope of the extents into the skin at every vertex of its free faces.
static iso_status find_slopes(iso_context* ctx, const iso_tet_mesh* mesh,
                              const iso_tet_topology* topology, const double* extents, double zero,
                              double* slopes) {
    double* areas = iso_alloc_array(ctx, mesh->vertex_count, sizeof *areas);
    ISO_REQUIRE(ctx, areas, ISO_ERR_MEMORY, "areas of %d vertices", mesh->vertex_count);
    double sum = 0.0, all_areas = 0.0;
    for (int side = 0; side < 4 * mesh->tet_count; ++side) {
        if (is_free(mesh, topology, extents, zero, side)) {
            double area, fall = outward_fall(mesh, extents, side / 4, side % 4, &area);
            for (int k = 0; k < 3; ++k) {
                int v = mesh->tets[side / 4][k_tet_faces[side % 4][k]];
                slopes[v] += fall;
                areas[v] += area;
            }
            sum += fmax(fall, 0.0);
            all_areas += area;
        }
    }
    double least = LEAST_SLOPE * sum / all_areas;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        if (areas[i] > 0.0) {
            slopes[i] = fmax(slopes[i] / areas[i], least);
        }
    }
    iso_free(ctx, areas);
    return ISO_OK;
}

// Tetrahedra of the shell, in the vertices of the grown mesh.
static iso_status append_shell(iso_context* ctx, const iso_tet_mesh* shell, const int* index,
                               iso_tet_mesh* mesh) {
    size_t bytes = (size_t)(mesh->tet_count + shell->tet_count) * sizeof *mesh->tets;
    int(*tets)[4] = iso_realloc(ctx, mesh->tets, bytes);
    ISO_REQUIRE(ctx, tets, ISO_ERR_MEMORY, "%d tetrahedra of a margin", shell->tet_count);
    mesh->tets = tets;
    for (int i = 0; i < 4 * shell->tet_count; ++i) {
        tets[mesh->tet_count + i / 4][i % 4] = index[shell->tets[i / 4][i % 4]];
    }
    mesh->tet_count += shell->tet_count;
    return ISO_OK;
}

// What the margin grows on: the free faces of the skin.
typedef struct ground {
    iso_tri_mesh surface;
    int* origin; // [surface.vertex_count] vertex of the mesh
} ground;

static void ground_destroy(iso_context* ctx, ground* g) {
    iso_tri_mesh_destroy(ctx, &g->surface);
    iso_free(ctx, g->origin);
}

static iso_status ground_create(iso_context* ctx, const iso_tet_mesh* mesh,
                                const iso_tet_topology* topology, const double* extents,
                                double zero, ground* out) {
    iso_status status = ISO_OK;
    int vertex_count = 0, triangle_count = 0;
    int* index = iso_alloc_array(ctx, mesh->vertex_count, sizeof *index); // 1 + that in the surface
    out->origin = iso_alloc_array(ctx, mesh->vertex_count, sizeof *out->origin);
    ISO_CHECK(ctx, index && out->origin, ISO_ERR_MEMORY, "skin of %d vertices", mesh->vertex_count);
    ISO_TRY(
        iso_tri_mesh_allocate(ctx, mesh->vertex_count, topology->skin_face_count, &out->surface));
    for (int side = 0; side < 4 * mesh->tet_count; ++side) {
        if (!is_free(mesh, topology, extents, zero, side)) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            int v = mesh->tets[side / 4][k_tet_faces[side % 4][k]];
            index[v] = 1;
            out->surface.triangles[triangle_count][k] = v;
        }
        ++triangle_count;
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        if (index[i] != 0) {
            out->surface.vertices[vertex_count] = mesh->vertices[i];
            out->origin[vertex_count] = i;
            index[i] = ++vertex_count;
        }
    }
    for (int i = 0; i < 3 * triangle_count; ++i) {
        int* v = &out->surface.triangles[i / 3][i % 3];
        *v = index[*v] - 1;
    }
    out->surface.vertex_count = vertex_count;
    out->surface.triangle_count = triangle_count;

done:
    iso_free(ctx, index);
    return status;
}

// The shell's tetrahedra with its outer vertices, where the extents go on with their slopes.
static iso_status grow(iso_context* ctx, const ground* g, const iso_tet_mesh* shell, double margin,
                       const double* slopes, double slope, iso_tet_mesh* mesh,
                       iso_nodal_arrays* arrays) {
    int inner_count = g->surface.vertex_count, old_count = mesh->vertex_count;
    iso_status status = ISO_OK;
    int* index = iso_alloc_array(ctx, shell->vertex_count, sizeof *index); // in the grown mesh
    ISO_CHECK(ctx, index, ISO_ERR_MEMORY, "margin of %d vertices", inner_count);
    ISO_TRY(iso_tet_mesh_add_vertices(ctx, mesh, arrays, inner_count));
    for (int i = 0; i < inner_count; ++i) {
        int from = g->origin[i], at = old_count + i;
        index[i] = from;
        index[inner_count + i] = at;
        mesh->vertices[at] = shell->vertices[inner_count + i];
        for (int k = 0; k < arrays->count; ++k) {
            if (arrays->values[k]) {
                arrays->values[k][at] = arrays->values[k][from];
            }
        }
        arrays->values[0][at] -= margin * (slope > 0.0 ? slope : slopes[from]);
    }
    status = append_shell(ctx, shell, index, mesh);

done:
    iso_free(ctx, index);
    return status;
}

iso_status iso_margin_add(iso_context* ctx, const char* name, double margin, double slope,
                          iso_tet_mesh* mesh, iso_nodal_arrays* arrays) {
    ground g = {0};
    iso_tet_mesh shell = {0};
    iso_tet_topology topology = {0};
    double* slopes = NULL;
    double largest = 0.0;
    int dropped_count = 0;
    iso_status status = ISO_OK;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        largest = fmax(largest, arrays->values[0][i]);
    }
    double zero = ISO_ZERO_ON_SKIN * largest;
    ISO_TRY(iso_tet_topology_create(ctx, mesh, &topology));
    ISO_TRY(ground_create(ctx, mesh, &topology, arrays->values[0], zero, &g));
    if (g.surface.triangle_count == 0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: margin of %g m: none, as no face of the skin is zero all over", name, margin);
        goto done;
    }
    ISO_TRY(iso_shell_create(ctx, &g.surface, margin, &shell, &dropped_count));
    if (dropped_count > 0) {
        bool is_much = dropped_count > ISO_MUCH_OVERLAP * 3 * g.surface.triangle_count;
        iso_log(ctx, is_much ? ISO_LOG_WARNING : ISO_LOG_INFO,
                "%s: margin of %g m: %d of %d tetrahedra outside the skin left out, they overlap",
                name, margin, dropped_count, 3 * g.surface.triangle_count);
    }
    slopes = iso_alloc_array(ctx, mesh->vertex_count, sizeof *slopes);
    ISO_CHECK(ctx, slopes, ISO_ERR_MEMORY, "slopes of %d vertices", mesh->vertex_count);
    if (slope == 0.0) {
        ISO_TRY(find_slopes(ctx, mesh, &topology, arrays->values[0], zero, slopes));
    }
    status = grow(ctx, &g, &shell, margin, slopes, slope, mesh, arrays);

done:
    ground_destroy(ctx, &g);
    iso_tet_mesh_destroy(ctx, &shell);
    iso_tet_topology_destroy(ctx, &topology);
    iso_free(ctx, slopes);
    return status;
}
