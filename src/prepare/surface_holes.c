// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/alloc.h"
#include "base/fail.h"
#include "geometry/topology.h"
#include "prepare/surface_faults.h"

// Keep the longest holes, longest first.
static void keep(iso_prepare_hole hole, int count, iso_prepare_hole holes[ISO_PREPARE_HOLE_MAX]) {
    int at = count < ISO_PREPARE_HOLE_MAX ? count : ISO_PREPARE_HOLE_MAX;
    while (at > 0 && holes[at - 1].length < hole.length) {
        if (at < ISO_PREPARE_HOLE_MAX) {
            holes[at] = holes[at - 1];
        }
        --at;
    }
    if (at < ISO_PREPARE_HOLE_MAX) {
        holes[at] = hole;
    }
}

// Where several holes touch in a vertex the loops are told apart by their edges: each edge goes on
// with one that starts where it ends.
typedef struct boundary {
    int edge_count;
    int (*edges)[2];
    int* heads; // [vertex_count] first edge that starts at a vertex, -1: none
    int* nexts; // [edge_count]
} boundary;

static void collect(const iso_tri_mesh* mesh, const iso_tri_topology* topology, boundary* b) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        b->heads[v] = -1;
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (topology->neighbors[i][k] == -1) {
                int e = b->edge_count++;
                b->edges[e][0] = mesh->triangles[i][k];
                b->edges[e][1] = mesh->triangles[i][(k + 1) % 3];
                b->nexts[e] = b->heads[b->edges[e][0]];
                b->heads[b->edges[e][0]] = e;
            }
        }
    }
}

static iso_prepare_hole follow(const iso_tri_mesh* mesh, boundary* b, int start) {
    iso_prepare_hole hole = {0};
    for (int at = start; b->heads[at] >= 0;) {
        int e = b->heads[at];
        b->heads[at] = b->nexts[e];
        iso_vec3 from = mesh->vertices[at], to = mesh->vertices[b->edges[e][1]];
        hole.center = iso_vec3_add(hole.center, from);
        hole.length += iso_vec3_distance(from, to);
        ++hole.edge_count;
        at = b->edges[e][1];
    }
    hole.center = iso_vec3_scale(hole.center, 1.0 / hole.edge_count);
    return hole;
}

iso_status iso_surface_find_holes(iso_context* ctx, const iso_tri_mesh* mesh, int* out_count,
                                  iso_prepare_hole out_holes[ISO_PREPARE_HOLE_MAX]) {
    iso_tri_topology topology = {0};
    boundary b = {0};
    iso_status status = ISO_OK;
    *out_count = 0;
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &topology));
    b.edges = iso_alloc_array(ctx, topology.boundary_edge_count, sizeof *b.edges);
    b.nexts = iso_alloc_array(ctx, topology.boundary_edge_count, sizeof *b.nexts);
    b.heads = iso_alloc_array(ctx, mesh->vertex_count, sizeof *b.heads);
    ISO_CHECK(ctx, b.edges && b.nexts && b.heads, ISO_ERR_MEMORY, "%d boundary edges",
              topology.boundary_edge_count);
    collect(mesh, &topology, &b);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        while (b.heads[v] >= 0) {
            keep(follow(mesh, &b, v), *out_count, out_holes);
            ++*out_count;
        }
    }

done:
    iso_tri_topology_destroy(ctx, &topology);
    iso_free(ctx, b.edges);
    iso_free(ctx, b.nexts);
    iso_free(ctx, b.heads);
    return status;
}
