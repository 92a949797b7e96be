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

// Edges go on with one that starts where they end. A path that comes back to one of its vertices is
// cut off there: holes that touch in a vertex are told apart.
typedef struct boundary {
    int edge_count;
    int (*edges)[2];
    int* heads;  // [vertex_count] first edge that starts at a vertex, -1: none
    int* nexts;  // [edge_count]
    int* path;   // [edge_count + 1] vertices
    int* places; // [vertex_count] in the path, -1: not there
} boundary;

static void collect(const iso_tri_mesh* mesh, const iso_tri_topology* topology, boundary* b) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        b->heads[v] = -1;
        b->places[v] = -1;
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

// The path from `first` on is a loop.
static iso_prepare_hole measure(const iso_tri_mesh* mesh, const boundary* b, int first, int last) {
    iso_prepare_hole hole = {.edge_count = last - first};
    for (int i = first; i < last; ++i) {
        iso_vec3 from = mesh->vertices[b->path[i]], to = mesh->vertices[b->path[i + 1]];
        hole.center = iso_vec3_add(hole.center, from);
        hole.length += iso_vec3_distance(from, to);
    }
    hole.center = iso_vec3_scale(hole.center, 1.0 / hole.edge_count);
    return hole;
}

static void follow(const iso_tri_mesh* mesh, boundary* b, int start, int* count,
                   iso_prepare_hole holes[ISO_PREPARE_HOLE_MAX]) {
    int length = 0;
    b->path[0] = start;
    b->places[start] = 0;
    while (b->heads[b->path[length]] >= 0) {
        int e = b->heads[b->path[length]];
        b->heads[b->path[length]] = b->nexts[e];
        int to = b->edges[e][1];
        b->path[++length] = to;
        if (b->places[to] >= 0) {
            keep(measure(mesh, b, b->places[to], length), *count, holes);
            ++*count;
            while (length > b->places[to]) {
                --length;
                b->places[b->path[length]] = length == b->places[to] ? length : -1;
            }
        }
        b->places[to] = length;
    }
    if (length > 0) { // the edges of a surface that is not oriented need not close
        keep(measure(mesh, b, 0, length), *count, holes);
        ++*count;
    }
    for (; length >= 0; --length) {
        b->places[b->path[length]] = -1;
    }
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
    b.path = iso_alloc_array(ctx, topology.boundary_edge_count + 1, sizeof *b.path);
    b.places = iso_alloc_array(ctx, mesh->vertex_count, sizeof *b.places);
    ISO_CHECK(ctx, b.edges && b.nexts && b.heads && b.path && b.places, ISO_ERR_MEMORY,
              "%d boundary edges", topology.boundary_edge_count);
    collect(mesh, &topology, &b);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        while (b.heads[v] >= 0) {
            follow(mesh, &b, v, out_count, out_holes);
        }
    }

done:
    iso_tri_topology_destroy(ctx, &topology);
    iso_free(ctx, b.edges);
    iso_free(ctx, b.nexts);
    iso_free(ctx, b.heads);
    iso_free(ctx, b.path);
    iso_free(ctx, b.places);
    return status;
}
