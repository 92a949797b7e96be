// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/smooth.h"

#include "base/alloc.h"
#include "base/fail.h"
#include "geometry/mesh.h"
#include "geometry/topology.h"
#include "isobar/prepare.h"

#include <math.h>

#define PASSES 8
#define GAIN 1e-3 // of quality, below which a vertex stays

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

// The worst quality around a vertex; negative when a tetrahedron is turned over.
static double worst_around(const iso_tet_mesh* mesh, const stars* s, int vertex) {
    double worst = 1.0;
    for (int i = s->starts[vertex]; i < s->starts[vertex + 1]; ++i) {
        const int* t = mesh->tets[s->tets[i]];
        const iso_vec3* p = mesh->vertices;
        if (!(iso_tet_mesh_tet_volume(mesh, s->tets[i]) > 0.0)) {
            return -1.0;
        }
        worst = fmin(worst, iso_tet_quality(p[t[0]], p[t[1]], p[t[2]], p[t[3]]));
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

static void improve(iso_tet_mesh* mesh, const stars* s, int vertex) {
    iso_vec3 old = mesh->vertices[vertex];
    iso_vec3 target = middle_of_neighbors(mesh, s, vertex);
    double best = worst_around(mesh, s, vertex) + GAIN;
    iso_vec3 place = old;
    for (double share = 1.0; share > 0.2; share *= 0.5) {
        mesh->vertices[vertex] = iso_vec3_lerp(old, target, share);
        double quality = worst_around(mesh, s, vertex);
        if (quality > best) {
            best = quality;
            place = mesh->vertices[vertex];
        }
    }
    mesh->vertices[vertex] = place;
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
