// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Surfaces whose triangles face one side, or that each have parts which do: which way is outward.

#include "geometry/surfaces/surface_orient.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/search/distance.h"
#include "geometry/surfaces/surface_parts.h"

#include <stdio.h>
#include <string.h>

#define MOST_PROBES 8 // vertices of a part that are looked at

static int probe_step(const iso_tri_mesh* mesh) {
    return (mesh->triangle_count + MOST_PROBES - 1) / MOST_PROBES;
}

// A closed part that faces inward bounds a cavity when it lies inside what the others fill, as all
// of them face. At a vertex outside of that it is inside out.
// @param side  1; -1: were all parts turned
static bool is_inside_out(const iso_surface_part* parts, int part_count, int index, double side) {
    const iso_tri_mesh* mesh = &parts[index].mesh;
    if (!parts[index].is_closed || !(side * iso_tri_mesh_volume(mesh) < 0.0)) {
        return false;
    }
    for (int i = 0; i < mesh->triangle_count; i += probe_step(mesh)) {
        iso_vec3 p = mesh->vertices[mesh->triangles[i][0]];
        double around = 0.0;
        for (int b = 0; b < part_count; ++b) {
            if (b != index && parts[b].is_closed) {
                double winding = iso_distance_tree_winding_number(parts[b].tree, p);
                around += parts[b].is_wrong ? -winding : winding;
            }
        }
        if (side * around < 0.25) { // 0.5 where it touches another one from inside
            return true;
        }
    }
    return false;
}

// Only such parts may be inside out, or be a cavity: without one nothing is looked at.
static bool has_inward_part(const iso_surface_part* parts, int part_count) {
    bool has_one = false;
    for (int p = 0; p < part_count; ++p) {
        has_one = has_one || (parts[p].is_closed && iso_tri_mesh_volume(&parts[p].mesh) < 0.0);
    }
    return has_one;
}

static int count_inside_out(const iso_surface_part* parts, int part_count, double side) {
    int count = 0;
    for (int p = 0; p < part_count; ++p) {
        count += is_inside_out(parts, part_count, p, side);
    }
    return count;
}

// Every vertex looked at is inside, or on the surface.
static bool is_inside(const iso_surface_part* inner, const iso_surface_part* outer) {
    const iso_tri_mesh* mesh = &inner->mesh;
    for (int i = 0; i < mesh->triangle_count; i += probe_step(mesh)) {
        iso_vec3 p = mesh->vertices[mesh->triangles[i][0]];
        if (!(fabs(iso_distance_tree_winding_number(outer->tree, p)) > 0.25)) {
            return false;
        }
    }
    return true;
}

// The smallest closed part around one, or NULL.
static const iso_surface_part* part_around(const iso_surface_part* parts, int part_count,
                                           const iso_surface_part* inner) {
    const iso_surface_part* nearest = NULL;
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
static bool is_cavity_of_wrong(const iso_surface_part* parts, int part_count, int index) {
    const iso_surface_part* part = &parts[index];
    if (!part->is_closed || !(iso_tri_mesh_volume(&part->mesh) > 0.0)) {
        return false;
    }
    const iso_surface_part* around = part_around(parts, part_count, part);
    return around && around->is_wrong && iso_tri_mesh_volume(&around->mesh) < 0.0;
}

// From outside inward, so that what lies inside a part that is turned is seen as it is then: a
// cavity that faces inward already stays.
static int find_wrong(iso_surface_part* parts, int part_count) {
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
                         const iso_surface_part* parts, int part_count, int wrong_count) {
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
            "%s: %d of its %d parts %s inside out and turned; first triangle%s: %s%s", name,
            wrong_count, part_count, wrong_count == 1 ? "is" : "are", iso_text_plural(wrong_count),
            list, length + 32 < sizeof list ? "" : ", ...");
}

static void turn_all(iso_context* ctx, const char* name, iso_tri_mesh* mesh) {
    iso_log(ctx, ISO_LOG_WARNING, "%s is wound inside out: its triangles are turned", name);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        iso_triangle_turn(mesh->triangles[i]);
    }
}

// Turn a closed surface that is inside out as a whole, or the parts that are; of a surface without
// other faults.
static iso_status turn_inside_out(iso_context* ctx, const char* name, iso_tri_mesh* mesh,
                                  const iso_tri_topology* topology) {
    iso_status status = ISO_OK;
    iso_surface_part_list list = {0};
    iso_surface_part* parts = NULL;
    bool is_inward = topology->boundary_edge_count == 0 && iso_tri_mesh_volume(mesh) < 0.0;
    ISO_TRY(iso_surface_find_parts(ctx, mesh, topology, &list));
    if (list.count < 2 || list.count > ISO_SURFACE_MOST_PARTS) {
        if (is_inward) {
            turn_all(ctx, name, mesh);
        }
        goto done;
    }
    parts = iso_alloc_array(ctx, list.count, sizeof *parts);
    ISO_CHECK(ctx, parts, ISO_ERR_MEMORY, "%d parts", list.count);
    ISO_TRY(iso_surface_collect_parts(ctx, mesh, topology, list.part_of, parts, list.count));
    if (!has_inward_part(parts, list.count)) {
        goto done;
    }
    ISO_TRY(iso_surface_plant_trees(ctx, parts, list.count));
    if (is_inward && count_inside_out(parts, list.count, -1.0) == 0) {
        turn_all(ctx, name, mesh);
        goto done;
    }
    if (count_inside_out(parts, list.count, 1.0) > 0) {
        ISO_TRY(iso_surface_find_depths(ctx, mesh, list.part_of, parts, list.count));
        int wrong_count = find_wrong(parts, list.count);
        iso_surface_turn_wrong(mesh, list.part_of, parts);
        report_wrong(ctx, name, list.part_of, parts, list.count, wrong_count);
    }

done:
    iso_surface_free_parts(ctx, parts, list.count);
    iso_surface_part_list_destroy(ctx, &list);
    return status;
}

static void report_orientation(iso_context* ctx, const char* name, int triangle_count,
                               const iso_surface_orientation* done) {
    iso_log(ctx, ISO_LOG_WARNING, "%s: its triangles face both sides: %d of %d are turned", name,
            done->turned_count, triangle_count);
    if (done->cavity_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: %d of its %d parts %s", name, done->cavity_count,
                done->part_count,
                done->cavity_count == 1 ? "lies inside another one and is taken as a cavity"
                                        : "lie inside another one and are taken as cavities");
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
