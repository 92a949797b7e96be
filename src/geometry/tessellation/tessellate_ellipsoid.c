// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/pair_table.h"
#include "geometry/tessellation/tessellate.h"
#include "geometry/tessellation/tessellate_shapes.h"

// Spheres and ellipsoids: an octahedron with corners on the axes, each triangle split into four
// with the new vertices moved out to the unit sphere, coned to one interior vertex at the centre.

typedef struct surface {
    iso_vec3* vertices;   // room for the finest level
    int (*triangles)[3];  // of the current level
    int (*refined)[3];    // of the next level
    iso_pair_table edges; // edge -> its midpoint
    int vertex_count;
    int triangle_count;
} surface;

// The equator is a polygon of 2^(level + 2) sides, each of which subtends an angle of at most
// 2 asin(hint / (2 radius)).
double iso_tessellate_level(double radius, double resolution_hint) {
    double half_chord = fmin(resolution_hint, 2.0 * radius) / (2.0 * radius);
    return fmax(ceil(log2(ISO_PI / asin(half_chord))) - 2.0, 0.0);
}

static void place_octahedron(surface* s) {
    static const iso_vec3 k_corners[6] = {{1.0, 0.0, 0.0},  {0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0},
                                          {0.0, -1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}};
    for (int i = 0; i < 6; ++i) {
        s->vertices[i] = k_corners[i];
    }
    for (int i = 0; i < 4; ++i) {
        int next = (i + 1) % 4;
        int* upper = s->triangles[i];
        int* lower = s->triangles[4 + i];
        upper[0] = i, upper[1] = next, upper[2] = 4;
        lower[0] = next, lower[1] = i, lower[2] = 5;
    }
    s->vertex_count = 6;
    s->triangle_count = 8;
}

static int midpoint(surface* s, int a, int b) {
    int* index = iso_pair_table_at(&s->edges, a, b, -1);
    if (*index < 0) {
        *index = s->vertex_count++;
        iso_vec3 sum = iso_vec3_add(s->vertices[a], s->vertices[b]);
        s->vertices[*index] = iso_vec3_normalized(sum);
    }
    return *index;
}

static void refine(surface* s) {
    iso_pair_table_clear(&s->edges);
    for (int i = 0; i < s->triangle_count; ++i) {
        const int* t = s->triangles[i];
        int ab = midpoint(s, t[0], t[1]);
        int bc = midpoint(s, t[1], t[2]);
        int ca = midpoint(s, t[2], t[0]);
        int children[4][3] = {{t[0], ab, ca}, {ab, t[1], bc}, {ca, bc, t[2]}, {ab, bc, ca}};
        for (int k = 0; k < 4; ++k) {
            for (int corner = 0; corner < 3; ++corner) {
                s->refined[4 * i + k][corner] = children[k][corner];
            }
        }
    }
    int(*held)[3] = s->triangles;
    s->triangles = s->refined;
    s->refined = held;
    s->triangle_count *= 4;
}

static void destroy_surface(iso_context* ctx, surface* s) {
    iso_pair_table_destroy(ctx, &s->edges);
    iso_free(ctx, s->triangles);
    iso_free(ctx, s->refined);
}

iso_status iso_tessellate_ellipsoid(iso_context* ctx, iso_vec3 semi_axes, double resolution_hint,
                                    iso_tet_mesh* out_mesh, double** out_extents) {
    double largest = fmax(semi_axes.x, fmax(semi_axes.y, semi_axes.z));
    int level = (int)fmin(iso_tessellate_level(largest, resolution_hint), ISO_TESSELLATE_MAX_LEVEL);
    int triangle_count = 8 << (2 * level);
    int surface_vertex_count = triangle_count / 2 + 2;
    iso_status status = iso_tessellate_allocate(ctx, surface_vertex_count + 1, triangle_count,
                                                out_mesh, out_extents);
    if (status != ISO_OK) {
        return status;
    }
    surface s = {.vertices = out_mesh->vertices};
    s.triangles = iso_alloc_array(ctx, triangle_count, sizeof *s.triangles);
    s.refined = iso_alloc_array(ctx, triangle_count, sizeof *s.refined);
    ISO_CHECK(ctx, s.triangles && s.refined, ISO_ERR_MEMORY, "sphere of %d triangles",
              triangle_count);
    ISO_TRY(iso_pair_table_init(ctx, &s.edges, triangle_count * 3 / 8));
    place_octahedron(&s);
    for (int i = 0; i < level; ++i) {
        refine(&s);
    }

    int centre = surface_vertex_count; // at the origin, where zeroed memory has it
    (*out_extents)[centre] = 1.0;
    for (int i = 0; i < surface_vertex_count; ++i) {
        out_mesh->vertices[i] = iso_vec3_mul(out_mesh->vertices[i], semi_axes);
    }
    int tet_count = 0;
    for (int i = 0; i < triangle_count; ++i) {
        const int* t = s.triangles[i];
        iso_tessellate_append(out_mesh, &tet_count, t[0], t[2], t[1], centre);
    }

done:
    destroy_surface(ctx, &s);
    if (status != ISO_OK) {
        iso_tet_mesh_destroy(ctx, out_mesh);
        iso_free(ctx, *out_extents);
        *out_extents = NULL;
    }
    return status;
}
