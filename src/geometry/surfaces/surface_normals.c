// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/surfaces/surface_normals.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"

static iso_vec3 corner(const iso_tri_mesh* mesh, int triangle, int k) {
    return mesh->vertices[mesh->triangles[triangle][k]];
}

static iso_vec3 unit_normal(const iso_tri_mesh* mesh, int triangle) {
    return iso_vec3_normalized(iso_triangle_area_vector(
        corner(mesh, triangle, 0), corner(mesh, triangle, 1), corner(mesh, triangle, 2)));
}

// Angle of a triangle at corner k [rad].
static double angle_at(const iso_tri_mesh* mesh, int triangle, int k) {
    iso_vec3 p = corner(mesh, triangle, k);
    iso_vec3 a = iso_vec3_sub(corner(mesh, triangle, (k + 1) % 3), p);
    iso_vec3 b = iso_vec3_sub(corner(mesh, triangle, (k + 2) % 3), p);
    return atan2(iso_vec3_norm(iso_vec3_cross(a, b)), iso_vec3_dot(a, b));
}

static void fill(const iso_tri_topology* topology, iso_surface_normals* normals) {
    const iso_tri_mesh* mesh = normals->mesh;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        iso_vec3 n = unit_normal(mesh, t);
        for (int k = 0; k < 3; ++k) {
            int other = topology->neighbors[t][k];
            normals->edges[t][k] = other >= 0 ? iso_vec3_add(n, unit_normal(mesh, other)) : n;
            iso_vec3* sum = &normals->corners[mesh->triangles[t][k]];
            *sum = iso_vec3_add_scaled(*sum, n, angle_at(mesh, t, k));
        }
    }
    normals->is_manifold = topology->boundary_edge_count == 0 &&
                           topology->non_manifold_edge_count == 0 &&
                           topology->flipped_edge_count == 0;
}

iso_status iso_surface_normals_create(iso_context* ctx, const iso_tri_mesh* mesh,
                                      iso_surface_normals* out_normals) {
    *out_normals = (iso_surface_normals){.mesh = mesh};
    iso_tri_topology topology;
    iso_status status = iso_tri_topology_create(ctx, mesh, &topology);
    if (status != ISO_OK) {
        return status;
    }
    out_normals->edges = iso_alloc_array(ctx, mesh->triangle_count, sizeof *out_normals->edges);
    out_normals->corners = iso_alloc_array(ctx, mesh->vertex_count, sizeof *out_normals->corners);
    ISO_CHECK(ctx, out_normals->edges && out_normals->corners, ISO_ERR_MEMORY,
              "normals of %d triangles", mesh->triangle_count);
    fill(&topology, out_normals);

done:
    iso_tri_topology_destroy(ctx, &topology);
    if (status != ISO_OK) {
        iso_surface_normals_destroy(ctx, out_normals);
    }
    return status;
}

void iso_surface_normals_destroy(iso_context* ctx, iso_surface_normals* normals) {
    iso_free(ctx, normals->edges);
    iso_free(ctx, normals->corners);
    *normals = (iso_surface_normals){0};
}

iso_vec3 iso_surface_normal_at(const iso_surface_normals* normals, int triangle,
                               iso_triangle_feature feature) {
    if (feature.corner >= 0) {
        return normals->corners[normals->mesh->triangles[triangle][feature.corner]];
    }
    return feature.edge >= 0 ? normals->edges[triangle][feature.edge]
                             : unit_normal(normals->mesh, triangle);
}
