// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/topology.h"
#include "prepare/surface/surface_faults.h"

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

// Edges go on with one that starts where they end or, of triangles that face different sides, with
// one that ends there. A path that comes back to one of its vertices is cut off there: holes that
// touch in a vertex are told apart.
typedef struct boundary {
    int edge_count;
    int (*edges)[2];
    bool* is_done;   // [edge_count]
    int* heads[2];   // [vertex_count] first edge that starts, ends at a vertex, -1: none
    int (*nexts)[2]; // [edge_count]
    int* path;       // [edge_count + 1] vertices
    int* places;     // [vertex_count] in the path, -1: not there
} boundary;

static void collect(const iso_tri_mesh* mesh, const iso_tri_topology* topology, boundary* b) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        b->heads[0][v] = b->heads[1][v] = b->places[v] = -1;
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (topology->neighbors[i][k] == -1) {
                int e = b->edge_count++;
                b->edges[e][0] = mesh->triangles[i][k];
                b->edges[e][1] = mesh->triangles[i][(k + 1) % 3];
                for (int end = 0; end < 2; ++end) {
                    b->nexts[e][end] = b->heads[end][b->edges[e][end]];
                    b->heads[end][b->edges[e][end]] = e;
                }
            }
        }
    }
}

// Take an edge at a vertex that no path has taken, one that starts there first. Returns the vertex
// at its other end, -1: there is none.
static int take(boundary* b, int vertex) {
    for (int end = 0; end < 2; ++end) {
        int* head = &b->heads[end][vertex];
        while (*head >= 0 && b->is_done[*head]) {
            *head = b->nexts[*head][end];
        }
        if (*head >= 0) {
            b->is_done[*head] = true;
            return b->edges[*head][1 - end];
        }
    }
    return -1;
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

// Every path from a vertex. Returns whether there was one.
static bool follow(const iso_tri_mesh* mesh, boundary* b, int start, int* count,
                   iso_prepare_hole holes[ISO_PREPARE_HOLE_MAX]) {
    int length = 0, to = take(b, start);
    if (to < 0) {
        return false;
    }
    b->path[0] = start;
    b->places[start] = 0;
    for (; to >= 0; to = take(b, to)) {
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
    if (length > 0) { // such as end at edges of three or more triangles need not close
        keep(measure(mesh, b, 0, length), *count, holes);
        ++*count;
    }
    for (; length >= 0; --length) {
        b->places[b->path[length]] = -1;
    }
    return true;
}

iso_status iso_surface_find_holes(iso_context* ctx, const iso_tri_mesh* mesh, int* out_count,
                                  iso_prepare_hole out_holes[ISO_PREPARE_HOLE_MAX]) {
    iso_tri_topology topology = {0};
    boundary b = {0};
    iso_status status = ISO_OK;
    *out_count = 0;
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &topology));
    b.edges = iso_alloc_array(ctx, topology.boundary_edge_count, sizeof *b.edges);
    b.is_done = iso_alloc_array(ctx, topology.boundary_edge_count, sizeof *b.is_done);
    b.nexts = iso_alloc_array(ctx, topology.boundary_edge_count, sizeof *b.nexts);
    b.heads[0] = iso_alloc_array(ctx, mesh->vertex_count, sizeof *b.heads[0]);
    b.heads[1] = iso_alloc_array(ctx, mesh->vertex_count, sizeof *b.heads[1]);
    b.path = iso_alloc_array(ctx, topology.boundary_edge_count + 1, sizeof *b.path);
    b.places = iso_alloc_array(ctx, mesh->vertex_count, sizeof *b.places);
    ISO_CHECK(ctx,
              b.edges && b.is_done && b.nexts && b.heads[0] && b.heads[1] && b.path && b.places,
              ISO_ERR_MEMORY, "%d boundary edges", topology.boundary_edge_count);
    collect(mesh, &topology, &b);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        while (follow(mesh, &b, v, out_count, out_holes)) {
        }
    }

done:
    iso_tri_topology_destroy(ctx, &topology);
    iso_free(ctx, b.edges);
    iso_free(ctx, b.is_done);
    iso_free(ctx, b.nexts);
    iso_free(ctx, b.heads[0]);
    iso_free(ctx, b.heads[1]);
    iso_free(ctx, b.path);
    iso_free(ctx, b.places);
    return status;
}
