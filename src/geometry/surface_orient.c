// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/surface_orient.h"

#include "base/alloc.h"
#include "base/fail.h"
#include "base/log.h"
#include "geometry/distance.h"
#include "geometry/mesh.h"
#include "geometry/surface_intersections.h"
#include "geometry/topology.h"

#include <string.h>

#define MOST_PARTS 200 // whose nesting is looked at: every pair costs a sum over triangles

static void turn(int t[3]) {
    int held = t[1];
    t[1] = t[2];
    t[2] = held;
}

// True when both triangles run along the edge between corners `side` and `side + 1` of the first in
// the same direction, that is, face different sides.
static bool runs_alike(const iso_tri_mesh* mesh, int triangle, int side, int neighbor) {
    int from = mesh->triangles[triangle][side], to = mesh->triangles[triangle][(side + 1) % 3];
    const int* n = mesh->triangles[neighbor];
    for (int k = 0; k < 3; ++k) {
        if (n[k] == from && n[(k + 1) % 3] == to) {
            return true;
        }
    }
    return false;
}

// Spread the direction of a seed over its part. Returns the triangles turned.
static int spread(iso_tri_mesh* mesh, const iso_tri_topology* topology, int seed, int part,
                  int* part_of, int* stack) {
    int turned = 0, depth = 0;
    stack[depth++] = seed;
    part_of[seed] = part;
    while (depth > 0) {
        int t = stack[--depth];
        for (int k = 0; k < 3; ++k) {
            int from = mesh->triangles[t][k], to = mesh->triangles[t][(k + 1) % 3];
            // A turned triangle has its sides in another order: look for the neighbour anew.
            int next = -1, side = -1;
            for (int m = 0; m < 3 && next < 0; ++m) {
                int candidate = topology->neighbors[t][m];
                if (candidate < 0) {
                    continue;
                }
                int found = 0;
                for (int c = 0; c < 3; ++c) {
                    int v = mesh->triangles[candidate][c];
                    found += v == from || v == to;
                }
                if (found == 2) {
                    next = candidate;
                    side = k;
                }
            }
            if (next < 0 || part_of[next] >= 0) {
                continue;
            }
            if (runs_alike(mesh, t, side, next)) {
                turn(mesh->triangles[next]);
                ++turned;
            }
            part_of[next] = part;
            stack[depth++] = next;
        }
    }
    return turned;
}

typedef struct surface_part {
    iso_tri_mesh mesh; // triangles of its own, vertices borrowed
    int triangle_count;
    int turned_count; // of its triangles so far
    int depth;        // closed parts around it
    bool is_closed;
} surface_part;

static iso_status collect_parts(iso_context* ctx, const iso_tri_mesh* mesh,
                                const iso_tri_topology* topology, const int* part_of,
                                surface_part* parts, int part_count) {
    for (int i = 0; i < mesh->triangle_count; ++i) {
        ++parts[part_of[i]].triangle_count;
    }
    for (int p = 0; p < part_count; ++p) {
        parts[p].mesh =
            (iso_tri_mesh){.vertex_count = mesh->vertex_count, .vertices = mesh->vertices};
        parts[p].mesh.triangles =
            iso_alloc_array(ctx, parts[p].triangle_count, sizeof *mesh->triangles);
        ISO_REQUIRE(ctx, parts[p].mesh.triangles, ISO_ERR_MEMORY, "part of %d triangles",
                    parts[p].triangle_count);
        parts[p].is_closed = true;
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        iso_tri_mesh* own = &parts[part_of[i]].mesh;
        for (int k = 0; k < 3; ++k) {
            own->triangles[own->triangle_count][k] = mesh->triangles[i][k];
        }
        ++own->triangle_count;
        for (int k = 0; k < 3; ++k) {
            if (topology->neighbors[i][k] == -1) {
                parts[part_of[i]].is_closed = false;
            }
        }
    }
    return ISO_OK;
}

// A part is inside another one when one of its vertices is and the two do not cut each other: parts
// that overlap make one body.
static iso_status find_depths(iso_context* ctx, const iso_tri_mesh* mesh, const int* part_of,
                              surface_part* parts, int part_count) {
    iso_status status = ISO_OK;
    bool* is_cut = iso_alloc_array(ctx, part_count * part_count, sizeof *is_cut);
    ISO_CHECK(ctx, is_cut, ISO_ERR_MEMORY, "%d parts", part_count);
    if (part_count > 1) {
        ISO_TRY(iso_surface_find_cut_parts(ctx, mesh, part_of, part_count, is_cut));
    }
    for (int a = 0; a < part_count; ++a) {
        iso_vec3 p = parts[a].mesh.vertices[parts[a].mesh.triangles[0][0]];
        for (int b = 0; b < part_count; ++b) {
            if (a != b && parts[b].is_closed && !is_cut[a * part_count + b]) {
                parts[a].depth += fabs(iso_tri_mesh_winding_number(&parts[b].mesh, p)) > 0.5;
            }
        }
    }

done:
    iso_free(ctx, is_cut);
    return status;
}

// Closed parts face outward, those at odd depth into the cavity that they bound; open ones face
// where most of their triangles did.
static void turn_parts(iso_tri_mesh* mesh, const int* part_of, surface_part* parts, int part_count,
                       iso_surface_orientation* out) {
    for (int p = 0; p < part_count; ++p) {
        surface_part* part = &parts[p];
        bool is_cavity = part->is_closed && part->depth % 2 == 1;
        bool is_outward = iso_tri_mesh_volume(&part->mesh) > 0.0;
        bool is_wrong = part->is_closed ? is_outward == is_cavity
                                        : 2 * part->turned_count > part->triangle_count;
        out->cavity_count += is_cavity;
        if (!is_wrong) {
            continue;
        }
        for (int i = 0; i < mesh->triangle_count; ++i) {
            if (part_of[i] == p) {
                turn(mesh->triangles[i]);
            }
        }
        part->turned_count = part->triangle_count - part->turned_count;
    }
}

static iso_status place_parts(iso_context* ctx, iso_tri_mesh* mesh,
                              const iso_tri_topology* topology, const int* part_of,
                              const int* turned_of, int part_count, iso_surface_orientation* out) {
    iso_status status = ISO_OK;
    surface_part* parts = iso_alloc_array(ctx, part_count, sizeof *parts);
    ISO_CHECK(ctx, parts, ISO_ERR_MEMORY, "%d parts", part_count);
    ISO_TRY(collect_parts(ctx, mesh, topology, part_of, parts, part_count));
    if (part_count <= MOST_PARTS) {
        ISO_TRY(find_depths(ctx, mesh, part_of, parts, part_count));
    }
    for (int p = 0; p < part_count; ++p) {
        parts[p].turned_count = turned_of[p];
    }
    turn_parts(mesh, part_of, parts, part_count, out);
    for (int p = 0; p < part_count; ++p) {
        out->turned_count += parts[p].turned_count;
    }

done:
    for (int p = 0; parts && p < part_count; ++p) {
        iso_free(ctx, parts[p].mesh.triangles);
    }
    iso_free(ctx, parts);
    return status;
}

iso_status iso_surface_orient(iso_context* ctx, iso_tri_mesh* mesh,
                              iso_surface_orientation* out_orientation) {
    *out_orientation = (iso_surface_orientation){0};
    iso_tri_topology topology = {0};
    int count = mesh->triangle_count;
    iso_status status = ISO_OK;
    int* part_of = iso_alloc_array(ctx, count, sizeof *part_of);
    int* stack = iso_alloc_array(ctx, count, sizeof *stack);
    int* turned_of = iso_alloc_array(ctx, count, sizeof *turned_of);
    ISO_CHECK(ctx, part_of && stack && turned_of, ISO_ERR_MEMORY, "parts of %d triangles", count);
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &topology));
    for (int i = 0; i < count; ++i) {
        part_of[i] = -1;
    }
    for (int seed = 0; seed < count; ++seed) {
        if (part_of[seed] < 0) {
            int part = out_orientation->part_count++;
            turned_of[part] = spread(mesh, &topology, seed, part, part_of, stack);
        }
    }
    status = place_parts(ctx, mesh, &topology, part_of, turned_of, out_orientation->part_count,
                         out_orientation);

done:
    iso_tri_topology_destroy(ctx, &topology);
    iso_free(ctx, part_of);
    iso_free(ctx, stack);
    iso_free(ctx, turned_of);
    return status;
}

// What is known of the edges of a surface.
static iso_status count_edges(iso_context* ctx, const iso_tri_mesh* mesh,
                              iso_tri_topology* out_counts) {
    *out_counts = (iso_tri_topology){0};
    iso_status status = iso_tri_topology_create(ctx, mesh, out_counts);
    iso_free(ctx, out_counts->neighbors);
    out_counts->neighbors = NULL;
    return status;
}

static void report_orientation(iso_context* ctx, const char* name, int triangle_count,
                               const iso_surface_orientation* done) {
    iso_log(ctx, ISO_LOG_WARNING, "%s: its triangles face both sides: %d of %d are turned", name,
            done->turned_count, triangle_count);
    if (done->cavity_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: %d of its %d parts lie inside another one and are taken as cavities", name,
                done->cavity_count, done->part_count);
    }
}

// Orient a surface whose triangles face both sides, where that is no guess.
static iso_status orient_mixed(iso_context* ctx, const char* name, iso_tri_mesh* mesh,
                               iso_tri_topology* edges) {
    iso_surface_orientation done;
    iso_tri_mesh trial = {0};
    iso_status status = ISO_OK;
    bool is_told_apart = edges->non_manifold_edge_count == 0;
    if (is_told_apart) {
        ISO_TRY(iso_tri_mesh_copy_scaled(ctx, mesh, iso_vec3_make(1.0, 1.0, 1.0), &trial));
        ISO_TRY(iso_surface_orient(ctx, &trial, &done));
        iso_tri_topology after;
        ISO_TRY(count_edges(ctx, &trial, &after));
        is_told_apart = after.flipped_edge_count == 0;
    }
    if (!is_told_apart) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: its triangles face both sides (along %d of %d edges) and stay as they are, "
                "since %s: what touches it is pulled in where they face inward",
                name, edges->flipped_edge_count, edges->edge_count,
                edges->non_manifold_edge_count > 0 ? "some edges have three or more triangles"
                                                   : "it has one side alone");
        goto done;
    }
    report_orientation(ctx, name, mesh->triangle_count, &done);
    memcpy(mesh->triangles, trial.triangles,
           (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    edges->flipped_edge_count = 0;

done:
    iso_tri_mesh_destroy(ctx, &trial);
    return status;
}

iso_status iso_surface_face_outward(iso_context* ctx, const char* name, iso_tri_mesh* mesh,
                                    bool* out_is_closed) {
    iso_tri_topology edges;
    iso_status status = count_edges(ctx, mesh, &edges);
    if (status == ISO_OK && edges.flipped_edge_count > 0) {
        status = orient_mixed(ctx, name, mesh, &edges);
    }
    if (status != ISO_OK) {
        return status;
    }
    *out_is_closed = edges.boundary_edge_count == 0 && edges.non_manifold_edge_count == 0 &&
                     edges.flipped_edge_count == 0;
    if (*out_is_closed && iso_tri_mesh_volume(mesh) < 0.0) {
        iso_log(ctx, ISO_LOG_WARNING, "%s is wound inside out: its triangles are turned", name);
        for (int i = 0; i < mesh->triangle_count; ++i) {
            turn(mesh->triangles[i]);
        }
    }
    return ISO_OK;
}
