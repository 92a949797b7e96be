// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/surfaces/surface_parts.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/search/distance.h"
#include "geometry/surfaces/surface_intersections.h"

void iso_triangle_turn(int t[3]) {
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
                iso_triangle_turn(mesh->triangles[next]);
                ++turned;
            }
            part_of[next] = part;
            stack[depth++] = next;
        }
    }
    return turned;
}

iso_status iso_surface_find_parts(iso_context* ctx, iso_tri_mesh* mesh,
                                  const iso_tri_topology* topology,
                                  iso_surface_part_list* out_list) {
    int count = mesh->triangle_count;
    iso_status status = ISO_OK;
    int* stack = iso_alloc_array(ctx, count, sizeof *stack);
    *out_list = (iso_surface_part_list){0, iso_alloc_array(ctx, count, sizeof *out_list->part_of),
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

void iso_surface_part_list_destroy(iso_context* ctx, iso_surface_part_list* list) {
    iso_free(ctx, list->part_of);
    iso_free(ctx, list->turned_of);
}

// At edges of three or more triangles a part goes on where two of them are its own; elsewhere it
// ends there, as the pieces of two bodies do that share the edges along which they cut each other.
static iso_status find_open_parts(iso_context* ctx, iso_surface_part* parts, int part_count) {
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

iso_status iso_surface_plant_trees(iso_context* ctx, iso_surface_part* parts, int part_count) {
    iso_status status = ISO_OK;
    for (int p = 0; p < part_count && part_count > 1 && status == ISO_OK; ++p) {
        if (parts[p].is_closed && !parts[p].tree) {
            status = iso_distance_tree_create(ctx, &parts[p].mesh, &parts[p].tree);
        }
    }
    return status;
}

iso_status iso_surface_collect_parts(iso_context* ctx, const iso_tri_mesh* mesh,
                                     const iso_tri_topology* topology, const int* part_of,
                                     iso_surface_part* parts, int part_count) {
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
static iso_vec3 point_of(const iso_surface_part* part) {
    const iso_vec3* p = part->mesh.vertices;
    const int* t = part->mesh.triangles[0];
    return iso_vec3_scale(iso_vec3_add(iso_vec3_add(p[t[0]], p[t[1]]), p[t[2]]), 1.0 / 3.0);
}

iso_status iso_surface_find_depths(iso_context* ctx, const iso_tri_mesh* mesh, const int* part_of,
                                   iso_surface_part* parts, int part_count) {
    iso_status status = ISO_OK;
    bool* is_cut = iso_alloc_array(ctx, part_count * part_count, sizeof *is_cut);
    int* body_of = iso_alloc_array(ctx, part_count, sizeof *body_of);
    int* last_inside = iso_alloc_array(ctx, part_count, sizeof *last_inside);
    ISO_CHECK(ctx, is_cut && body_of && last_inside, ISO_ERR_MEMORY, "%d parts", part_count);
    ISO_TRY(iso_surface_plant_trees(ctx, parts, part_count));
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
                fabs(iso_distance_tree_winding_number(parts[b].tree, p)) > 0.5) {
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

void iso_surface_turn_wrong(iso_tri_mesh* mesh, const int* part_of, const iso_surface_part* parts) {
    for (int i = 0; i < mesh->triangle_count; ++i) {
        if (parts[part_of[i]].is_wrong) {
            iso_triangle_turn(mesh->triangles[i]);
        }
    }
}

void iso_surface_free_parts(iso_context* ctx, iso_surface_part* parts, int part_count) {
    for (int p = 0; parts && p < part_count; ++p) {
        iso_free(ctx, parts[p].mesh.triangles);
        iso_distance_tree_destroy(ctx, parts[p].tree);
    }
    iso_free(ctx, parts);
}
