// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/surface_orient.h"

#include "base/alloc.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/text.h"
#include "geometry/distance.h"
#include "geometry/mesh.h"
#include "geometry/surface_intersections.h"
#include "geometry/topology.h"

#include <stdio.h>
#include <string.h>

#define MOST_PARTS 200 // whose nesting is looked at: every pair costs a sum over triangles
#define MOST_PROBES 8  // vertices of a part that are looked at

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
    bool is_wrong; // to be turned as a whole
} surface_part;

// At edges of three or more triangles a part goes on where two of them are its own; elsewhere it
// ends there, as the pieces of two bodies do that share the edges along which they cut each other.
static iso_status find_open_parts(iso_context* ctx, surface_part* parts, int part_count) {
    for (int p = 0; p < part_count; ++p) {
        iso_tri_topology own = {0};
        iso_status status = iso_tri_topology_create(ctx, &parts[p].mesh, &own);
        if (status != ISO_OK) {
            return status;
        }
        parts[p].is_closed = own.boundary_edge_count == 0;
        iso_tri_topology_destroy(ctx, &own);
    }
    return ISO_OK;
}

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
    return topology->non_manifold_edge_count > 0 ? find_open_parts(ctx, parts, part_count) : ISO_OK;
}

// Parts that cut each other, directly or through others, make one body: the same number.
static void number_bodies(const bool* is_cut, int part_count, int* body_of) {
    for (int a = 0; a < part_count; ++a) {
        body_of[a] = a;
    }
    for (int a = 0; a < part_count; ++a) {
        for (int b = 0; b < a; ++b) {
            int from = body_of[a], to = body_of[b];
            for (int c = 0; is_cut[a * part_count + b] && c <= a; ++c) {
                body_of[c] = body_of[c] == from ? to : body_of[c];
            }
        }
    }
}

// A point of a part that lies on no part that it does not cut: they may touch in vertices and
// edges, where a winding number is any.
static iso_vec3 point_of(const surface_part* part) {
    const iso_vec3* p = part->mesh.vertices;
    const int* t = part->mesh.triangles[0];
    return iso_vec3_scale(iso_vec3_add(iso_vec3_add(p[t[0]], p[t[1]]), p[t[2]]), 1.0 / 3.0);
}

// How many bodies a part is inside: a point of it is inside a part of theirs.
static iso_status find_depths(iso_context* ctx, const iso_tri_mesh* mesh, const int* part_of,
                              surface_part* parts, int part_count) {
    iso_status status = ISO_OK;
    bool* is_cut = iso_alloc_array(ctx, part_count * part_count, sizeof *is_cut);
    int* body_of = iso_alloc_array(ctx, part_count, sizeof *body_of);
    int* last_inside = iso_alloc_array(ctx, part_count, sizeof *last_inside);
    ISO_CHECK(ctx, is_cut && body_of && last_inside, ISO_ERR_MEMORY, "%d parts", part_count);
    if (part_count > 1) {
        ISO_TRY(iso_surface_find_cut_parts(ctx, mesh, part_of, part_count, is_cut));
    }
    number_bodies(is_cut, part_count, body_of);
    for (int a = 0; a < part_count; ++a) {
        last_inside[a] = -1;
    }
    for (int a = 0; a < part_count; ++a) {
        iso_vec3 p = point_of(&parts[a]);
        for (int b = 0; b < part_count; ++b) {
            int* last = &last_inside[body_of[b]];
            if (body_of[a] != body_of[b] && parts[b].is_closed && *last != a &&
                fabs(iso_tri_mesh_winding_number(&parts[b].mesh, p)) > 0.5) {
                *last = a;
                ++parts[a].depth;
            }
        }
    }

done:
    iso_free(ctx, is_cut);
    iso_free(ctx, body_of);
    iso_free(ctx, last_inside);
    return status;
}

// One pass over all triangles, however many parts are to be turned.
static void turn_wrong(iso_tri_mesh* mesh, const int* part_of, const surface_part* parts) {
    for (int i = 0; i < mesh->triangle_count; ++i) {
        if (parts[part_of[i]].is_wrong) {
            turn(mesh->triangles[i]);
        }
    }
}

// Closed parts face outward, those at odd depth into the cavity that they bound; open ones face
// where most of their triangles did.
static void turn_parts(iso_tri_mesh* mesh, const int* part_of, surface_part* parts, int part_count,
                       iso_surface_orientation* out) {
    for (int p = 0; p < part_count; ++p) {
        surface_part* part = &parts[p];
        bool is_cavity = part->is_closed && part->depth % 2 == 1;
        bool is_outward = iso_tri_mesh_volume(&part->mesh) > 0.0;
        part->is_wrong = part->is_closed ? is_outward == is_cavity
                                         : 2 * part->turned_count > part->triangle_count;
        out->cavity_count += is_cavity;
        if (part->is_wrong) {
            part->turned_count = part->triangle_count - part->turned_count;
        }
    }
    turn_wrong(mesh, part_of, parts);
}

static void free_parts(iso_context* ctx, surface_part* parts, int part_count) {
    for (int p = 0; parts && p < part_count; ++p) {
        iso_free(ctx, parts[p].mesh.triangles);
    }
    iso_free(ctx, parts);
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
    free_parts(ctx, parts, part_count);
    return status;
}

// Parts connected across edges of two triangles; those of each come to face the same side.
typedef struct part_list {
    int count;
    int* part_of;   // [triangle_count]
    int* turned_of; // [count] triangles turned for that
} part_list;

static iso_status find_parts(iso_context* ctx, iso_tri_mesh* mesh, const iso_tri_topology* topology,
                             part_list* out_list) {
    int count = mesh->triangle_count;
    iso_status status = ISO_OK;
    int* stack = iso_alloc_array(ctx, count, sizeof *stack);
    *out_list = (part_list){0, iso_alloc_array(ctx, count, sizeof *out_list->part_of),
                            iso_alloc_array(ctx, count, sizeof *out_list->turned_of)};
    ISO_CHECK(ctx, stack && out_list->part_of && out_list->turned_of, ISO_ERR_MEMORY,
              "parts of %d triangles", count);
    for (int i = 0; i < count; ++i) {
        out_list->part_of[i] = -1;
    }
    for (int seed = 0; seed < count; ++seed) {
        if (out_list->part_of[seed] < 0) {
            int part = out_list->count++;
            out_list->turned_of[part] =
                spread(mesh, topology, seed, part, out_list->part_of, stack);
        }
    }

done:
    iso_free(ctx, stack);
    return status;
}

static void free_part_list(iso_context* ctx, part_list* list) {
    iso_free(ctx, list->part_of);
    iso_free(ctx, list->turned_of);
}

iso_status iso_surface_orient(iso_context* ctx, iso_tri_mesh* mesh,
                              iso_surface_orientation* out_orientation) {
    *out_orientation = (iso_surface_orientation){0};
    iso_tri_topology topology = {0};
    part_list list = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &topology));
    ISO_TRY(find_parts(ctx, mesh, &topology, &list));
    out_orientation->part_count = list.count;
    status = place_parts(ctx, mesh, &topology, list.part_of, list.turned_of, list.count,
                         out_orientation);

done:
    iso_tri_topology_destroy(ctx, &topology);
    free_part_list(ctx, &list);
    return status;
}

// --- parts inside others -------------------------------------------------------------------------

static bool is_nested(const surface_part* part) {
    return part->is_closed && part->depth > 0;
}

static void drop_triangles(iso_tri_mesh* mesh, const int* part_of, const surface_part* parts) {
    int kept = 0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3 && !is_nested(&parts[part_of[i]]); ++k) {
            mesh->triangles[kept][k] = mesh->triangles[i][k];
        }
        kept += !is_nested(&parts[part_of[i]]);
    }
    mesh->triangle_count = kept;
}

iso_status iso_surface_drop_nested(iso_context* ctx, iso_tri_mesh* mesh, int* out_count) {
    iso_tri_topology topology = {0};
    part_list list = {0};
    surface_part* parts = NULL;
    iso_status status = ISO_OK;
    *out_count = 0;
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &topology));
    ISO_TRY(find_parts(ctx, mesh, &topology, &list));
    if (list.count > MOST_PARTS) {
        *out_count = -1;
        goto done;
    }
    parts = iso_alloc_array(ctx, list.count, sizeof *parts);
    ISO_CHECK(ctx, parts, ISO_ERR_MEMORY, "%d parts", list.count);
    ISO_TRY(collect_parts(ctx, mesh, &topology, list.part_of, parts, list.count));
    ISO_TRY(find_depths(ctx, mesh, list.part_of, parts, list.count));
    for (int p = 0; p < list.count; ++p) {
        *out_count += is_nested(&parts[p]);
    }
    drop_triangles(mesh, list.part_of, parts);

done:
    free_parts(ctx, parts, list.count);
    iso_tri_topology_destroy(ctx, &topology);
    free_part_list(ctx, &list);
    return status;
}

// --- parts that each face one side ---------------------------------------------------------------

static int probe_step(const iso_tri_mesh* mesh) {
    return (mesh->triangle_count + MOST_PROBES - 1) / MOST_PROBES;
}

// A closed part that faces inward bounds a cavity when it lies inside what the others fill, as all
// of them face. At a vertex outside of that it is inside out.
// @param side  1; -1: were all parts turned
static bool is_inside_out(const surface_part* parts, int part_count, int index, double side) {
    const iso_tri_mesh* mesh = &parts[index].mesh;
    if (!parts[index].is_closed || !(side * iso_tri_mesh_volume(mesh) < 0.0)) {
        return false;
    }
    for (int i = 0; i < mesh->triangle_count; i += probe_step(mesh)) {
        iso_vec3 p = mesh->vertices[mesh->triangles[i][0]];
        double around = 0.0;
        for (int b = 0; b < part_count; ++b) {
            if (b != index && parts[b].is_closed) {
                double winding = iso_tri_mesh_winding_number(&parts[b].mesh, p);
                around += parts[b].is_wrong ? -winding : winding;
            }
        }
        if (side * around < 0.25) { // 0.5 where it touches another one from inside
            return true;
        }
    }
    return false;
}

static int count_inside_out(const surface_part* parts, int part_count, double side) {
    int count = 0;
    for (int p = 0; p < part_count; ++p) {
        count += is_inside_out(parts, part_count, p, side);
    }
    return count;
}

// Every vertex looked at is inside, or on the surface.
static bool is_inside(const surface_part* inner, const surface_part* outer) {
    const iso_tri_mesh* mesh = &inner->mesh;
    for (int i = 0; i < mesh->triangle_count; i += probe_step(mesh)) {
        iso_vec3 p = mesh->vertices[mesh->triangles[i][0]];
        if (!(fabs(iso_tri_mesh_winding_number(&outer->mesh, p)) > 0.25)) {
            return false;
        }
    }
    return true;
}

// The smallest closed part around one, or NULL.
static const surface_part* part_around(const surface_part* parts, int part_count,
                                       const surface_part* inner) {
    const surface_part* nearest = NULL;
    double smallest = INFINITY, own = fabs(iso_tri_mesh_volume(&inner->mesh));
    for (int b = 0; b < part_count; ++b) {
        double volume = fabs(iso_tri_mesh_volume(&parts[b].mesh));
        if (parts[b].is_closed && parts[b].depth < inner->depth && volume > own &&
            volume < smallest && is_inside(inner, &parts[b])) {
            nearest = &parts[b];
            smallest = volume;
        }
    }
    return nearest;
}

// A cavity that faces outward, in a shell that faces inward: one hollow body wound inside out.
static bool is_cavity_of_wrong(const surface_part* parts, int part_count, int index) {
    const surface_part* part = &parts[index];
    if (!part->is_closed || !(iso_tri_mesh_volume(&part->mesh) > 0.0)) {
        return false;
    }
    const surface_part* around = part_around(parts, part_count, part);
    return around && around->is_wrong && iso_tri_mesh_volume(&around->mesh) < 0.0;
}

// From outside inward, so that what lies inside a part that is turned is seen as it is then: a
// cavity that faces inward already stays.
static int find_wrong(surface_part* parts, int part_count) {
    int count = 0;
    for (int depth = 0, seen = 0; seen < part_count; ++depth) {
        for (int p = 0; p < part_count; ++p) {
            if (parts[p].depth == depth) {
                parts[p].is_wrong = is_inside_out(parts, part_count, p, 1.0) ||
                                    is_cavity_of_wrong(parts, part_count, p);
                count += parts[p].is_wrong;
                ++seen;
            }
        }
    }
    return count;
}

// Names the parts that are turned by the first triangle of each.
static void report_wrong(iso_context* ctx, const char* name, const int* part_of,
                         const surface_part* parts, int part_count, int wrong_count) {
    char list[256] = "";
    size_t length = 0;
    int triangle = 0;
    for (int p = 0; p < part_count; ++p) { // in the order of their first triangles
        while (part_of[triangle] != p) {
            ++triangle;
        }
        if (parts[p].is_wrong && length + 32 < sizeof list) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%d",
                                       length > 0 ? ", " : "", triangle);
        }
    }
    iso_log(ctx, ISO_LOG_WARNING,
            "%s: %d of its %d parts are inside out and turned; their first triangles: %s%s", name,
            wrong_count, part_count, list, length + 32 < sizeof list ? "" : ", ...");
}

static void turn_all(iso_context* ctx, const char* name, iso_tri_mesh* mesh) {
    iso_log(ctx, ISO_LOG_WARNING, "%s is wound inside out: its triangles are turned", name);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        turn(mesh->triangles[i]);
    }
}

// Turn a closed surface that is inside out as a whole, or the parts that are; of a surface without
// other faults.
static iso_status turn_inside_out(iso_context* ctx, const char* name, iso_tri_mesh* mesh,
                                  const iso_tri_topology* topology) {
    iso_status status = ISO_OK;
    part_list list = {0};
    surface_part* parts = NULL;
    bool is_inward = topology->boundary_edge_count == 0 && iso_tri_mesh_volume(mesh) < 0.0;
    ISO_TRY(find_parts(ctx, mesh, topology, &list));
    if (list.count < 2 || list.count > MOST_PARTS) {
        if (is_inward) {
            turn_all(ctx, name, mesh);
        }
        goto done;
    }
    parts = iso_alloc_array(ctx, list.count, sizeof *parts);
    ISO_CHECK(ctx, parts, ISO_ERR_MEMORY, "%d parts", list.count);
    ISO_TRY(collect_parts(ctx, mesh, topology, list.part_of, parts, list.count));
    if (is_inward && count_inside_out(parts, list.count, -1.0) == 0) {
        turn_all(ctx, name, mesh);
        goto done;
    }
    if (count_inside_out(parts, list.count, 1.0) > 0) {
        ISO_TRY(find_depths(ctx, mesh, list.part_of, parts, list.count));
        int wrong_count = find_wrong(parts, list.count);
        turn_wrong(mesh, list.part_of, parts);
        report_wrong(ctx, name, list.part_of, parts, list.count, wrong_count);
    }

done:
    free_parts(ctx, parts, list.count);
    free_part_list(ctx, &list);
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
        ISO_TRY(iso_tri_topology_create(ctx, &trial, &after));
        is_told_apart = after.flipped_edge_count == 0;
        iso_tri_topology_destroy(ctx, &after);
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
    iso_tri_topology edges = {0};
    iso_status status = ISO_OK;
    *out_is_closed = false;
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &edges));
    if (edges.flipped_edge_count > 0) {
        ISO_TRY(orient_mixed(ctx, name, mesh, &edges));
    } else if (edges.non_manifold_edge_count == 0) {
        ISO_TRY(turn_inside_out(ctx, name, mesh, &edges));
    }
    *out_is_closed = edges.boundary_edge_count == 0 && edges.non_manifold_edge_count == 0 &&
                     edges.flipped_edge_count == 0;

done:
    iso_tri_topology_destroy(ctx, &edges);
    return status;
}

iso_status iso_surface_make_solid(iso_context* ctx, const char* name, iso_tri_mesh* mesh,
                                  bool* out_is_closed) {
    int dropped_count = 0;
    iso_status status = iso_tri_mesh_drop_repeats(ctx, mesh, true, &dropped_count);
    if (dropped_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: %d repeated triangle%s left out", name, dropped_count,
                iso_text_plural(dropped_count));
    }
    return status == ISO_OK ? iso_surface_face_outward(ctx, name, mesh, out_is_closed) : status;
}
