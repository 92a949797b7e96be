// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/build/shell.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"

// Weight of staying at the mean normal in each of the iterations below, relative to the normals'
// own. Directions in which the normals vary less than this (squared) stay at the mean.
#define PROXIMAL_WEIGHT 1e-3
#define PROXIMAL_ITERATIONS 8
// A tetrahedron thinner than this part of its prism counts as inverted.
#define VOLUME_TOLERANCE 1e-9

static iso_vec3 solve_symmetric(const iso_mat3* a, iso_vec3 b) {
    iso_vec3 c0 = iso_mat3_column(a, 0), c1 = iso_mat3_column(a, 1), c2 = iso_mat3_column(a, 2);
    iso_vec3 c12 = iso_vec3_cross(c1, c2);
    double scale = 1.0 / iso_vec3_dot(c0, c12);
    return iso_vec3_make(iso_vec3_dot(b, c12) * scale,
                         iso_vec3_dot(c0, iso_vec3_cross(b, c2)) * scale,
                         iso_vec3_dot(c0, iso_vec3_cross(c1, b)) * scale);
}

// Minimise sum w (n . u - 1)^2 from its normal equations A u = b, A = sum w n n^T, b = sum w n, by
// proximal steps (A + e I) u_next = b + e u from the mean normal: where A is singular (smooth
// surfaces, straight edges) u keeps the mean's component, elsewhere it converges.
static iso_vec3 offset_direction(const iso_mat3* normal_matrix, iso_vec3 normal_sum) {
    double weight = PROXIMAL_WEIGHT *
                    (normal_matrix->m[0][0] + normal_matrix->m[1][1] + normal_matrix->m[2][2]);
    iso_vec3 u = iso_vec3_normalized(normal_sum);
    if (!(weight > 0.0)) {
        return u; // a vertex of no triangle
    }
    iso_mat3 a = iso_mat3_add(*normal_matrix, iso_mat3_diagonal(weight, weight, weight));
    for (int i = 0; i < PROXIMAL_ITERATIONS; ++i) {
        u = solve_symmetric(&a, iso_vec3_add_scaled(normal_sum, u, weight));
    }
    return u;
}

// Angle of the triangle at a corner: makes the offset independent of how faces are triangulated.
static double corner_angle(const iso_tri_mesh* mesh, int triangle, int corner) {
    const int* v = mesh->triangles[triangle];
    iso_vec3 at = mesh->vertices[v[corner]];
    iso_vec3 a = iso_vec3_sub(mesh->vertices[v[(corner + 1) % 3]], at);
    iso_vec3 b = iso_vec3_sub(mesh->vertices[v[(corner + 2) % 3]], at);
    return atan2(iso_vec3_norm(iso_vec3_cross(a, b)), iso_vec3_dot(a, b));
}

static iso_vec3 area_vector(const iso_tri_mesh* mesh, int triangle) {
    const int* v = mesh->triangles[triangle];
    return iso_triangle_area_vector(mesh->vertices[v[0]], mesh->vertices[v[1]],
                                    mesh->vertices[v[2]]);
}

static iso_status move_vertices(iso_context* ctx, const iso_tri_mesh* surface, double distance,
                                iso_vec3* out_vertices) {
    iso_status status = ISO_OK;
    iso_mat3* matrices = iso_alloc_array(ctx, surface->vertex_count, sizeof *matrices);
    iso_vec3* sums = iso_alloc_array(ctx, surface->vertex_count, sizeof *sums);
    ISO_CHECK(ctx, matrices && sums, ISO_ERR_MEMORY, "offsets of %d vertices",
              surface->vertex_count);
    for (int i = 0; i < surface->triangle_count; ++i) {
        iso_vec3 normal = iso_vec3_normalized(area_vector(surface, i));
        for (int corner = 0; corner < 3; ++corner) {
            int v = surface->triangles[i][corner];
            double weight = corner_angle(surface, i, corner);
            matrices[v] =
                iso_mat3_add(matrices[v], iso_mat3_scale(iso_mat3_outer(normal, normal), weight));
            sums[v] = iso_vec3_add_scaled(sums[v], normal, weight);
        }
    }
    for (int i = 0; i < surface->vertex_count; ++i) {
        out_vertices[i] = iso_vec3_add_scaled(surface->vertices[i],
                                              offset_direction(&matrices[i], sums[i]), distance);
    }

done:
    iso_free(ctx, matrices);
    iso_free(ctx, sums);
    return status;
}

// Corners in ascending order; returns whether that is an odd permutation.
static bool sort_corners(const int in[3], int out[3]) {
    bool is_odd = false;
    for (int i = 0; i < 3; ++i) {
        out[i] = in[i];
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2 - i; ++j) {
            if (out[j] > out[j + 1]) {
                int swap = out[j];
                out[j] = out[j + 1];
                out[j + 1] = swap;
                is_odd = !is_odd;
            }
        }
    }
    return is_odd;
}

// At an edge of three or more triangles all their prisms would have the same side.
static bool shares_a_side_with_many(const iso_tri_topology* topology, int triangle) {
    const int* across = topology->neighbors[triangle];
    return across[0] == -2 || across[1] == -2 || across[2] == -2;
}

// The three tetrahedra of a prism. Every side is cut from its vertex of lower index on the surface
// to the other end on the moved copy, so neighbours agree.
static void add_prism(const iso_tri_mesh* surface, int triangle, double distance,
                      iso_tet_mesh* shell, int* dropped_count) {
    int v[3];
    bool is_flipped = sort_corners(surface->triangles[triangle], v) != (distance < 0.0);
    int n = surface->vertex_count;
    int a = v[0], b = v[1], c = v[2];
    int tets[3][4] = {{a, b, c, c + n}, {b, a, b + n, c + n}, {a, a + n, b + n, c + n}};
    double least =
        VOLUME_TOLERANCE * fabs(distance) * iso_vec3_norm(area_vector(surface, triangle));
    for (int i = 0; i < 3; ++i) {
        int* t = tets[i];
        if (is_flipped) {
            int swap = t[0];
            t[0] = t[1];
            t[1] = swap;
        }
        const iso_vec3* x = shell->vertices;
        if (iso_tet_signed_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]) <= least) {
            ++*dropped_count;
            continue;
        }
        for (int corner = 0; corner < 4; ++corner) {
            shell->tets[shell->tet_count][corner] = t[corner];
        }
        shell->tet_count++;
    }
}

iso_status iso_shell_create(iso_context* ctx, const iso_tri_mesh* surface, double distance,
                            iso_tet_mesh* out_shell, int* out_dropped_count) {
    *out_dropped_count = 0;
    *out_shell = (iso_tet_mesh){0};
    iso_tri_topology topology = {0};
    iso_tet_mesh shell;
    iso_status status =
        iso_tet_mesh_allocate(ctx, 2 * surface->vertex_count, 3 * surface->triangle_count, &shell);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_tri_topology_create(ctx, surface, &topology));
    for (int i = 0; i < surface->vertex_count; ++i) {
        shell.vertices[i] = surface->vertices[i];
    }
    ISO_TRY(move_vertices(ctx, surface, distance, shell.vertices + surface->vertex_count));
    shell.tet_count = 0;
    for (int i = 0; i < surface->triangle_count; ++i) {
        if (shares_a_side_with_many(&topology, i)) {
            *out_dropped_count += 3;
        } else {
            add_prism(surface, i, distance, &shell, out_dropped_count);
        }
    }
    ISO_CHECK(
        ctx, shell.tet_count > 0, ISO_ERR_GEOMETRY,
        "a layer of %g m on %d triangles leaves no tetrahedron of positive volume, expected a "
        "thinner layer",
        fabs(distance), surface->triangle_count);
    *out_shell = shell;

done:
    iso_tri_topology_destroy(ctx, &topology);
    if (status != ISO_OK) {
        iso_tet_mesh_destroy(ctx, &shell);
    }
    return status;
}
