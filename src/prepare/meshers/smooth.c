// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/meshers/smooth.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "isobar/prepare.h"

#include <math.h>

#define PASSES 8
#define GAIN 1.05       // of the worst quality, below which a vertex stays
#define FLAT 0.1        // quality of the worst, below which a vertex is lifted off its face
#define LEAST_MOVE 0.2  // share of the way to the middle of the neighbours
#define LEAST_LIFT 1e-3 // of the longest edge

// The tetrahedra of each vertex: tets[starts[v]] to tets[starts[v + 1] - 1].
typedef struct stars {
    int* starts;
    int* tets;
} stars;

static iso_status find_stars(iso_context* ctx, const iso_tet_mesh* mesh, stars* out_stars) {
    out_stars->starts = iso_alloc_array(ctx, mesh->vertex_count + 2, sizeof *out_stars->starts);
    out_stars->tets = iso_alloc_array(ctx, 4 * mesh->tet_count, sizeof *out_stars->tets);
    ISO_REQUIRE(ctx, out_stars->starts && out_stars->tets, ISO_ERR_MEMORY, "stars of %d vertices",
                mesh->vertex_count);
    int* next = out_stars->starts + 1; // one ahead: filling moves each start to its end
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        ++next[mesh->tets[i / 4][i % 4] + 1];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        next[v + 1] += next[v];
    }
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        out_stars->tets[next[mesh->tets[i / 4][i % 4]]++] = i / 4;
    }
    return ISO_OK;
}

// The worst quality around a vertex, and whose it is; negative when a tetrahedron is turned over.
static double worst_around(const iso_tet_mesh* mesh, const stars* s, int vertex, int* out_tet) {
    double worst = 2.0;
    *out_tet = s->tets[s->starts[vertex]];
    for (int i = s->starts[vertex]; i < s->starts[vertex + 1] && worst >= 0.0; ++i) {
        const int* t = mesh->tets[s->tets[i]];
        const iso_vec3* p = mesh->vertices;
        bool is_upright = iso_tet_mesh_tet_volume(mesh, s->tets[i]) > 0.0;
        double own = is_upright ? iso_tet_quality(p[t[0]], p[t[1]], p[t[2]], p[t[3]]) : -1.0;
        if (own < worst) {
            worst = own;
            *out_tet = s->tets[i];
        }
    }
    return worst;
}

// Mean of the centroids of the opposite faces.
static iso_vec3 middle_of_neighbors(const iso_tet_mesh* mesh, const stars* s, int vertex) {
    iso_vec3 sum = iso_vec3_zero();
    int count = 0;
    for (int i = s->starts[vertex]; i < s->starts[vertex + 1]; ++i) {
        for (int k = 0; k < 4; ++k) {
            int other = mesh->tets[s->tets[i]][k];
            if (other != vertex) {
                sum = iso_vec3_add(sum, mesh->vertices[other]);
                ++count;
            }
        }
    }
    return iso_vec3_scale(sum, 1.0 / count);
}

// Straight off the face of a tetrahedron that is opposite a vertex, by its longest edge there.
static iso_vec3 lifted(const iso_tet_mesh* mesh, int vertex, int tet) {
    const int* t = mesh->tets[tet];
    const iso_vec3* p = mesh->vertices;
    double length = 0.0;
    int corner = 0;
    for (int k = 0; k < 4; ++k) {
        corner = t[k] == vertex ? k : corner;
        length = fmax(length, iso_vec3_distance(p[vertex], p[t[k]]));
    }
    const int* f = k_tet_faces[corner];
    iso_vec3 down = iso_triangle_area_vector(p[t[f[0]]], p[t[f[1]]], p[t[f[2]]]);
    return iso_vec3_sub(p[vertex], iso_vec3_scale(iso_vec3_normalized(down), length));
}

typedef struct place {
    iso_vec3 where;
    double quality; // the worst around it
    int tet;        // that has it
} place;

// Some way to a point, where the worst tetrahedron is better.
static void try_towards(iso_tet_mesh* mesh, const stars* s, int vertex, iso_vec3 target,
                        double least_share, place* best) {
    iso_vec3 old = mesh->vertices[vertex];
    place next;
    for (double share = 1.0; share > least_share; share *= 0.5) {
        next.where = mesh->vertices[vertex] = iso_vec3_lerp(old, target, share);
        next.quality = worst_around(mesh, s, vertex, &next.tet);
        if (next.quality > fmax(0.0, GAIN * best->quality)) {
            *best = next;
        }
    }
    mesh->vertices[vertex] = old;
}

// In a star that is far from convex the middle of the neighbours may be outside, and on the way to
// it a flat tetrahedron stays flat: then up from the face below.
static void improve(iso_tet_mesh* mesh, const stars* s, int vertex) {
    place best = {.where = mesh->vertices[vertex]};
    best.quality = worst_around(mesh, s, vertex, &best.tet);
    int tet = best.tet;
    try_towards(mesh, s, vertex, middle_of_neighbors(mesh, s, vertex), LEAST_MOVE, &best);
    if (best.quality < FLAT) {
        try_towards(mesh, s, vertex, lifted(mesh, vertex, tet), LEAST_LIFT, &best);
    }
    mesh->vertices[vertex] = best.where;
}

iso_status iso_tet_mesh_smooth(iso_context* ctx, iso_tet_mesh* mesh) {
    iso_tet_topology topology = {0};
    stars s = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_topology_create(ctx, mesh, &topology));
    ISO_TRY(find_stars(ctx, mesh, &s));
    for (int pass = 0; pass < PASSES; ++pass) {
        for (int v = 0; v < mesh->vertex_count; ++v) {
            if (!topology.is_on_skin[v] && s.starts[v + 1] > s.starts[v]) {
                improve(mesh, &s, v);
            }
        }
    }

done:
    iso_tet_topology_destroy(ctx, &topology);
    iso_free(ctx, s.starts);
    iso_free(ctx, s.tets);
    return status;
}
