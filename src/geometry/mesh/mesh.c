// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh/mesh.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <string.h>

iso_status iso_tri_mesh_allocate(iso_context* ctx, int vertex_count, int triangle_count,
                                 iso_tri_mesh* out_mesh) {
    *out_mesh = (iso_tri_mesh){vertex_count, triangle_count, NULL, NULL};
    out_mesh->vertices = iso_alloc_array(ctx, vertex_count, sizeof *out_mesh->vertices);
    out_mesh->triangles = iso_alloc_array(ctx, triangle_count, sizeof *out_mesh->triangles);
    if (!out_mesh->vertices || !out_mesh->triangles) {
        iso_tri_mesh_destroy(ctx, out_mesh);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "surface of %d vertices and %d triangles",
                        vertex_count, triangle_count);
    }
    return ISO_OK;
}

iso_status iso_tet_mesh_allocate(iso_context* ctx, int vertex_count, int tet_count,
                                 iso_tet_mesh* out_mesh) {
    *out_mesh = (iso_tet_mesh){vertex_count, tet_count, NULL, NULL};
    out_mesh->vertices = iso_alloc_array(ctx, vertex_count, sizeof *out_mesh->vertices);
    out_mesh->tets = iso_alloc_array(ctx, tet_count, sizeof *out_mesh->tets);
    if (!out_mesh->vertices || !out_mesh->tets) {
        iso_tet_mesh_destroy(ctx, out_mesh);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "volume of %d vertices and %d tetrahedra",
                        vertex_count, tet_count);
    }
    return ISO_OK;
}

void iso_tri_mesh_destroy(iso_context* ctx, iso_tri_mesh* mesh) {
    if (mesh) {
        iso_free(ctx, mesh->vertices);
        iso_free(ctx, mesh->triangles);
        *mesh = (iso_tri_mesh){0};
    }
}

void iso_tet_mesh_destroy(iso_context* ctx, iso_tet_mesh* mesh) {
    if (mesh) {
        iso_free(ctx, mesh->vertices);
        iso_free(ctx, mesh->tets);
        *mesh = (iso_tet_mesh){0};
    }
}

// Returns true when the scale mirrors.
static bool scale_points(iso_vec3* points, int point_count, iso_vec3 scale) {
    for (int i = 0; i < point_count; ++i) {
        points[i] = iso_vec3_mul(points[i], scale);
    }
    return ((scale.x < 0.0) != (scale.y < 0.0)) != (scale.z < 0.0);
}

static void swap_ints(int* a, int* b) {
    int held = *a;
    *a = *b;
    *b = held;
}

void iso_tri_mesh_scale(iso_tri_mesh* mesh, iso_vec3 scale) {
    if (scale_points(mesh->vertices, mesh->vertex_count, scale)) {
        for (int i = 0; i < mesh->triangle_count; ++i) {
            swap_ints(&mesh->triangles[i][1], &mesh->triangles[i][2]);
        }
    }
}

void iso_tet_mesh_scale(iso_tet_mesh* mesh, iso_vec3 scale) {
    if (scale_points(mesh->vertices, mesh->vertex_count, scale)) {
        for (int i = 0; i < mesh->tet_count; ++i) {
            swap_ints(&mesh->tets[i][1], &mesh->tets[i][2]);
        }
    }
}

iso_status iso_tri_mesh_copy_scaled(iso_context* ctx, const iso_tri_mesh* mesh, iso_vec3 scale,
                                    iso_tri_mesh* out_mesh) {
    iso_status status =
        iso_tri_mesh_allocate(ctx, mesh->vertex_count, mesh->triangle_count, out_mesh);
    if (status == ISO_OK) {
        memcpy(out_mesh->vertices, mesh->vertices,
               (size_t)mesh->vertex_count * sizeof *mesh->vertices);
        memcpy(out_mesh->triangles, mesh->triangles,
               (size_t)mesh->triangle_count * sizeof *mesh->triangles);
        iso_tri_mesh_scale(out_mesh, scale);
    }
    return status;
}

iso_status iso_tet_mesh_copy_scaled(iso_context* ctx, const iso_tet_mesh* mesh, iso_vec3 scale,
                                    iso_tet_mesh* out_mesh) {
    iso_status status = iso_tet_mesh_allocate(ctx, mesh->vertex_count, mesh->tet_count, out_mesh);
    if (status == ISO_OK) {
        memcpy(out_mesh->vertices, mesh->vertices,
               (size_t)mesh->vertex_count * sizeof *mesh->vertices);
        memcpy(out_mesh->tets, mesh->tets, (size_t)mesh->tet_count * sizeof *mesh->tets);
        iso_tet_mesh_scale(out_mesh, scale);
    }
    return status;
}

double iso_tet_mesh_tet_volume(const iso_tet_mesh* mesh, int tet_index) {
    const int* tet = mesh->tets[tet_index];
    const iso_vec3* p = mesh->vertices;
    return iso_tet_signed_volume(p[tet[0]], p[tet[1]], p[tet[2]], p[tet[3]]);
}

double iso_tet_mesh_volume(const iso_tet_mesh* mesh) {
    double volume = 0.0;
    for (int i = 0; i < mesh->tet_count; ++i) {
        volume += iso_tet_mesh_tet_volume(mesh, i);
    }
    return volume;
}

double iso_tri_mesh_volume(const iso_tri_mesh* mesh) {
    if (mesh->triangle_count == 0) {
        return 0.0;
    }
    const iso_vec3* p = mesh->vertices;
    iso_vec3 apex = p[mesh->triangles[0][0]]; // near the mesh, so that nothing large cancels
    double volume = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        volume -= iso_tet_signed_volume(p[t[0]], p[t[1]], p[t[2]], apex);
    }
    return volume;
}

double iso_tri_mesh_area(const iso_tri_mesh* mesh) {
    const iso_vec3* p = mesh->vertices;
    double area = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        area += iso_vec3_norm(iso_triangle_area_vector(p[t[0]], p[t[1]], p[t[2]]));
    }
    return area;
}

void iso_points_bounds(const iso_vec3* points, int point_count, iso_vec3* out_lower,
                       iso_vec3* out_upper) {
    iso_vec3 lower = iso_vec3_make(INFINITY, INFINITY, INFINITY);
    iso_vec3 upper = iso_vec3_neg(lower);
    for (int i = 0; i < point_count; ++i) {
        lower = iso_vec3_min(lower, points[i]);
        upper = iso_vec3_max(upper, points[i]);
    }
    *out_lower = lower;
    *out_upper = upper;
}

static iso_status check_vertices(iso_context* ctx, const iso_vec3* vertices, int vertex_count) {
    for (int i = 0; i < vertex_count; ++i) {
        iso_vec3 v = vertices[i];
        ISO_REQUIRE(ctx, iso_vec3_is_finite(v), ISO_ERR_RANGE,
                    "vertex %d is (%g, %g, %g), expected finite coordinates", i, v.x, v.y, v.z);
    }
    return ISO_OK;
}

static iso_status check_indices(iso_context* ctx, const char* element, int element_index,
                                const int* corners, int corner_count, int vertex_count) {
    for (int k = 0; k < corner_count; ++k) {
        ISO_REQUIRE(ctx, corners[k] >= 0 && corners[k] < vertex_count, ISO_ERR_RANGE,
                    "%s %d names vertex %d, expected 0 to %d", element, element_index, corners[k],
                    vertex_count - 1);
    }
    return ISO_OK;
}

iso_status iso_tri_mesh_check(iso_context* ctx, const iso_tri_mesh* mesh) {
    ISO_REQUIRE(ctx, mesh && mesh->vertex_count >= 0 && mesh->triangle_count >= 0, ISO_ERR_ARGUMENT,
                "surface mesh is missing or has a negative count");
    ISO_REQUIRE(ctx,
                (mesh->vertices || mesh->vertex_count == 0) &&
                    (mesh->triangles || mesh->triangle_count == 0),
                ISO_ERR_ARGUMENT, "surface mesh: an array is missing");
    iso_status status = check_vertices(ctx, mesh->vertices, mesh->vertex_count);
    for (int i = 0; i < mesh->triangle_count && status == ISO_OK; ++i) {
        status = check_indices(ctx, "triangle", i, mesh->triangles[i], 3, mesh->vertex_count);
    }
    return status;
}

iso_status iso_tet_mesh_check(iso_context* ctx, const iso_tet_mesh* mesh) {
    ISO_REQUIRE(ctx, mesh && mesh->vertex_count >= 0 && mesh->tet_count >= 0, ISO_ERR_ARGUMENT,
                "tetrahedral mesh is missing or has a negative count");
    ISO_REQUIRE(ctx,
                (mesh->vertices || mesh->vertex_count == 0) && (mesh->tets || mesh->tet_count == 0),
                ISO_ERR_ARGUMENT, "tetrahedral mesh: an array is missing");
    iso_status status = check_vertices(ctx, mesh->vertices, mesh->vertex_count);
    for (int i = 0; i < mesh->tet_count && status == ISO_OK; ++i) {
        status = check_indices(ctx, "tetrahedron", i, mesh->tets[i], 4, mesh->vertex_count);
        if (status == ISO_OK) {
            double volume = iso_tet_mesh_tet_volume(mesh, i);
            ISO_REQUIRE(ctx, volume > 0.0, ISO_ERR_GEOMETRY,
                        "tetrahedron %d (vertices %d %d %d %d) has volume %g m^3, expected > 0: "
                        "swap two of its vertices when negative, remove it when zero",
                        i, mesh->tets[i][0], mesh->tets[i][1], mesh->tets[i][2], mesh->tets[i][3],
                        volume);
        }
    }
    return status;
}
