// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/surfaces/surface_intersections.h"

static int count_degenerate(const iso_tri_mesh* mesh) {
    const iso_vec3* p = mesh->vertices;
    int count = 0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        count += !(iso_vec3_norm(iso_triangle_area_vector(p[t[0]], p[t[1]], p[t[2]])) > 0.0);
    }
    return count;
}

// As contact takes the surface: of repeated triangles one is left.
static iso_status find_intersections(iso_context* ctx, const iso_tri_mesh* mesh,
                                     iso_mesh_report* r) {
    iso_tri_mesh own = {0};
    int unused;
    iso_status status = ISO_OK;
    if (mesh->triangle_count == 0) {
        return ISO_OK;
    }
    ISO_TRY(iso_tri_mesh_copy_scaled(ctx, mesh, iso_vec3_make(1.0, 1.0, 1.0), &own));
    ISO_TRY(iso_tri_mesh_drop_repeats(ctx, &own, true, &unused));
    status = iso_surface_find_intersections(ctx, &own, ISO_MESH_PLACE_MAX, &r->intersection_count,
                                            r->intersections);

done:
    iso_tri_mesh_destroy(ctx, &own);
    return status;
}

iso_status iso_tri_mesh_inspect(iso_context* ctx, const iso_tri_mesh* mesh,
                                iso_mesh_report* out_report) {
    ISO_REQUIRE(ctx, mesh && out_report, ISO_ERR_ARGUMENT, "mesh and out_report are required");
    *out_report = (iso_mesh_report){0};
    iso_tri_topology t;
    iso_status status = iso_tri_mesh_check(ctx, mesh);
    if (status == ISO_OK) {
        status = iso_tri_topology_create(ctx, mesh, &t);
    }
    if (status != ISO_OK) {
        return status;
    }
    iso_mesh_report* r = out_report;
    r->vertex_count = mesh->vertex_count;
    r->triangle_count = mesh->triangle_count;
    r->component_count = t.component_count;
    r->boundary_edge_count = t.boundary_edge_count;
    r->non_manifold_edge_count = t.non_manifold_edge_count;
    r->degenerate_count = count_degenerate(mesh);
    r->is_closed =
        mesh->triangle_count > 0 && t.boundary_edge_count == 0 && t.non_manifold_edge_count == 0;
    r->is_oriented = t.non_manifold_edge_count == 0 && t.flipped_edge_count == 0;
    r->area = iso_tri_mesh_area(mesh);
    r->volume = r->is_closed && r->is_oriented ? iso_tri_mesh_volume(mesh) : 0.0;
    if (mesh->vertex_count > 0) {
        iso_points_bounds(mesh->vertices, mesh->vertex_count, &r->lower, &r->upper);
    }
    iso_tri_topology_destroy(ctx, &t);
    status = find_intersections(ctx, mesh, r);
    if (status != ISO_OK) {
        *out_report = (iso_mesh_report){0};
    }
    return status;
}

// Parts of a tetrahedral mesh connected across faces.
static iso_status count_tet_components(iso_context* ctx, const iso_tet_mesh* mesh, int* out_count) {
    iso_tet_topology t;
    iso_status status = iso_tet_topology_create(ctx, mesh, &t);
    if (status != ISO_OK) {
        return status;
    }
    int* stack = iso_alloc_array(ctx, mesh->tet_count, sizeof *stack);
    bool* is_seen = iso_alloc_array(ctx, mesh->tet_count, sizeof *is_seen);
    ISO_CHECK(ctx, stack && is_seen, ISO_ERR_MEMORY, "parts of %d tetrahedra", mesh->tet_count);
    *out_count = 0;
    for (int seed = 0; seed < mesh->tet_count; ++seed) {
        if (is_seen[seed]) {
            continue;
        }
        ++*out_count;
        int depth = 0;
        stack[depth++] = seed;
        is_seen[seed] = true;
        while (depth > 0) {
            int tet = stack[--depth];
            for (int k = 0; k < 4; ++k) {
                int next = t.neighbors[tet][k];
                if (next >= 0 && !is_seen[next]) {
                    is_seen[next] = true;
                    stack[depth++] = next;
                }
            }
        }
    }

done:
    iso_free(ctx, stack);
    iso_free(ctx, is_seen);
    iso_tet_topology_destroy(ctx, &t);
    return status;
}

iso_status iso_tet_mesh_inspect(iso_context* ctx, const iso_tet_mesh* mesh,
                                iso_mesh_report* out_report) {
    ISO_REQUIRE(ctx, mesh && out_report, ISO_ERR_ARGUMENT, "mesh and out_report are required");
    *out_report = (iso_mesh_report){0};
    iso_tri_mesh skin;
    iso_status status = iso_tet_mesh_skin(ctx, mesh, &skin);
    if (status == ISO_OK) {
        status = iso_tri_mesh_inspect(ctx, &skin, out_report);
    }
    if (status == ISO_OK) {
        status = count_tet_components(ctx, mesh, &out_report->component_count);
    }
    iso_tri_mesh_destroy(ctx, &skin);
    if (status != ISO_OK) {
        *out_report = (iso_mesh_report){0};
        return status;
    }
    out_report->vertex_count = mesh->vertex_count;
    out_report->tet_count = mesh->tet_count;
    out_report->volume = iso_tet_mesh_volume(mesh);
    if (mesh->vertex_count > 0) {
        iso_points_bounds(mesh->vertices, mesh->vertex_count, &out_report->lower,
                          &out_report->upper);
    }
    return ISO_OK;
}
