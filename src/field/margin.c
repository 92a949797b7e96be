// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/margin.h"

#include "base/alloc.h"
#include "base/fail.h"
#include "base/log.h"
#include "field/shell.h"
#include "geometry/mesh.h"
#include "geometry/topology.h"

#include <string.h>

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

// Slope of the extents into the skin at every vertex of it.
static iso_status find_slopes(iso_context* ctx, const iso_tet_mesh* mesh,
                              const iso_tet_topology* topology, const double* extents,
                              double* slopes) {
    double* areas = iso_alloc_array(ctx, mesh->vertex_count, sizeof *areas);
    ISO_REQUIRE(ctx, areas, ISO_ERR_MEMORY, "areas of %d vertices", mesh->vertex_count);
    double sum = 0.0, all_areas = 0.0;
    for (int side = 0; side < 4 * mesh->tet_count; ++side) {
        if (topology->neighbors[side / 4][side % 4] < 0) {
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
        if (topology->is_on_skin[i]) {
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

iso_status iso_margin_add(iso_context* ctx, const char* name, double margin, double slope,
                          iso_tet_mesh* mesh, iso_nodal_arrays* arrays) {
    iso_tri_mesh skin = {0};
    iso_tet_mesh shell = {0};
    iso_tet_topology topology = {0};
    double* slopes = NULL;
    int* index = NULL; // of a shell vertex in the grown mesh
    int dropped_count = 0;
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_topology_create(ctx, mesh, &topology));
    ISO_TRY(iso_tet_mesh_skin(ctx, mesh, &skin));
    ISO_TRY(iso_shell_create(ctx, &skin, margin, &shell, &dropped_count));
    if (dropped_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: margin of %g m: %d of %d tetrahedra outside the skin left out, they overlap",
                name, margin, dropped_count, 3 * skin.triangle_count);
    }
    slopes = iso_alloc_array(ctx, mesh->vertex_count, sizeof *slopes);
    index = iso_alloc_array(ctx, shell.vertex_count, sizeof *index);
    ISO_CHECK(ctx, slopes && index, ISO_ERR_MEMORY, "margin of %d vertices", skin.vertex_count);
    if (slope == 0.0) {
        ISO_TRY(find_slopes(ctx, mesh, &topology, arrays->values[0], slopes));
    }
    int old_count = mesh->vertex_count, skin_vertex = 0;
    ISO_TRY(iso_tet_mesh_add_vertices(ctx, mesh, arrays, skin.vertex_count));
    for (int i = 0; i < old_count; ++i) {
        if (!topology.is_on_skin[i]) {
            continue;
        }
        int at = old_count + skin_vertex;
        index[skin_vertex] = i;
        index[skin.vertex_count + skin_vertex] = at;
        mesh->vertices[at] = shell.vertices[skin.vertex_count + skin_vertex++];
        for (int k = 0; k < arrays->count; ++k) {
            if (arrays->values[k]) {
                arrays->values[k][at] = arrays->values[k][i];
            }
        }
        arrays->values[0][at] -= margin * (slope > 0.0 ? slope : slopes[i]);
    }
    ISO_TRY(append_shell(ctx, &shell, index, mesh));

done:
    iso_tri_mesh_destroy(ctx, &skin);
    iso_tet_mesh_destroy(ctx, &shell);
    iso_tet_topology_destroy(ctx, &topology);
    iso_free(ctx, slopes);
    iso_free(ctx, index);
    return status;
}
