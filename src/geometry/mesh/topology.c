// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh/topology.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"

#include <limits.h>
#include <string.h>

// A face of a tetrahedron with its vertices sorted, so that both owners find the same key.
typedef struct face_slot {
    int vertices[3];
    int face; // 4 * tet + corner opposite, of the first owner; -1: free slot
} face_slot;

typedef struct face_table {
    face_slot* slots;
    size_t mask;
} face_table;

static void sort3(int v[3]) {
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 2; ++i) {
            if (v[i] > v[i + 1]) {
                int held = v[i];
                v[i] = v[i + 1];
                v[i + 1] = held;
            }
        }
    }
}

// The slot of a face: its own or a free one.
static face_slot* find_slot(const face_table* table, const int v[3]) {
    uint64_t hash = (uint64_t)v[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)v[1] * 0xc2b2ae3d27d4eb4fu ^
                    (uint64_t)v[2] * 0x165667b19e3779f9u;
    size_t at = (size_t)(hash ^ hash >> 32) & table->mask;
    for (;;) {
        face_slot* slot = &table->slots[at];
        if (slot->face < 0 ||
            (slot->vertices[0] == v[0] && slot->vertices[1] == v[1] && slot->vertices[2] == v[2])) {
            return slot;
        }
        at = (at + 1) & table->mask;
    }
}

static void face_vertices(const iso_tet_mesh* mesh, int face, int out_vertices[3]) {
    for (int k = 0; k < 3; ++k) {
        out_vertices[k] = mesh->tets[face / 4][k_tet_faces[face % 4][k]];
    }
}

// True when both faces list their (common) vertices in the same cyclic direction.
static bool run_alike(const iso_tet_mesh* mesh, int face_a, int face_b) {
    int a[3], b[3];
    face_vertices(mesh, face_a, a);
    face_vertices(mesh, face_b, b);
    int shift = b[0] == a[0] ? 0 : (b[1] == a[0] ? 1 : 2);
    return b[(shift + 1) % 3] == a[1];
}

// Join a face with its other owner if that is known, else remember it.
static iso_status join_face(iso_context* ctx, const iso_tet_mesh* mesh, face_table* table, int face,
                            iso_tet_topology* topology) {
    int v[3];
    face_vertices(mesh, face, v);
    sort3(v);
    face_slot* slot = find_slot(table, v);
    if (slot->face < 0) {
        *slot = (face_slot){{v[0], v[1], v[2]}, face};
        ++topology->skin_face_count;
        return ISO_OK;
    }
    int other = slot->face;
    int* across = &topology->neighbors[other / 4][other % 4];
    ISO_REQUIRE(ctx, *across < 0, ISO_ERR_GEOMETRY,
                "face of vertices %d %d %d belongs to tetrahedra %d, %d and %d, expected at most "
                "two: remove duplicate tetrahedra",
                v[0], v[1], v[2], other / 4, *across, face / 4);
    ISO_REQUIRE(ctx, !run_alike(mesh, other, face), ISO_ERR_GEOMETRY,
                "tetrahedra %d and %d overlap: they lie on the same side of their common face of "
                "vertices %d %d %d",
                other / 4, face / 4, v[0], v[1], v[2]);
    *across = face / 4;
    topology->neighbors[face / 4][face % 4] = other / 4;
    --topology->skin_face_count;
    return ISO_OK;
}

iso_status iso_tet_topology_create(iso_context* ctx, const iso_tet_mesh* mesh,
                                   iso_tet_topology* out_topology) {
    *out_topology =
        (iso_tet_topology){.tet_count = mesh->tet_count, .vertex_count = mesh->vertex_count};
    ISO_REQUIRE(ctx, mesh->tet_count <= INT_MAX / 4, ISO_ERR_RANGE,
                "%d tetrahedra, expected at most %d", mesh->tet_count, INT_MAX / 4);
    size_t slot_count = 16;
    while (slot_count < 5 * (size_t)mesh->tet_count) {
        slot_count *= 2; // about 2.2 distinct faces per tetrahedron
    }
    iso_status status = ISO_OK;
    face_table table = {iso_alloc(ctx, slot_count * sizeof *table.slots), slot_count - 1};
    iso_tet_topology* t = out_topology;
    t->neighbors = iso_alloc_array(ctx, mesh->tet_count, sizeof *t->neighbors);
    t->is_on_skin = iso_alloc_array(ctx, mesh->vertex_count, sizeof *t->is_on_skin);
    ISO_CHECK(ctx, table.slots && t->neighbors && t->is_on_skin, ISO_ERR_MEMORY,
              "topology of %d tetrahedra", mesh->tet_count);
    for (size_t i = 0; i < slot_count; ++i) {
        table.slots[i].face = -1;
    }
    for (int face = 0; face < 4 * mesh->tet_count; ++face) {
        t->neighbors[face / 4][face % 4] = -1;
    }
    for (int face = 0; face < 4 * mesh->tet_count; ++face) {
        ISO_TRY(join_face(ctx, mesh, &table, face, t));
    }
    for (int face = 0; face < 4 * mesh->tet_count; ++face) {
        if (t->neighbors[face / 4][face % 4] < 0) {
            for (int k = 0; k < 3; ++k) {
                t->is_on_skin[mesh->tets[face / 4][k_tet_faces[face % 4][k]]] = true;
            }
        }
    }

done:
    iso_free(ctx, table.slots);
    if (status != ISO_OK) {
        iso_tet_topology_destroy(ctx, out_topology);
    }
    return status;
}

void iso_tet_topology_destroy(iso_context* ctx, iso_tet_topology* topology) {
    iso_free(ctx, topology->neighbors);
    iso_free(ctx, topology->is_on_skin);
    *topology = (iso_tet_topology){0};
}

iso_status iso_tet_mesh_skin(iso_context* ctx, const iso_tet_mesh* mesh, iso_tri_mesh* out_skin) {
    ISO_REQUIRE(ctx, mesh && out_skin, ISO_ERR_ARGUMENT, "mesh and out_skin are required");
    *out_skin = (iso_tri_mesh){0};
    iso_tet_topology t = {0};
    int* skin_index = NULL;
    iso_status status = iso_tet_mesh_check(ctx, mesh);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_tet_topology_create(ctx, mesh, &t));
    skin_index = iso_alloc_array(ctx, mesh->vertex_count, sizeof *skin_index);
    ISO_CHECK(ctx, skin_index, ISO_ERR_MEMORY, "skin of %d tetrahedra", mesh->tet_count);
    int vertex_count = 0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        skin_index[i] = t.is_on_skin[i] ? vertex_count++ : -1;
    }
    ISO_TRY(iso_tri_mesh_allocate(ctx, vertex_count, t.skin_face_count, out_skin));
    for (int i = 0; i < mesh->vertex_count; ++i) {
        if (skin_index[i] >= 0) {
            out_skin->vertices[skin_index[i]] = mesh->vertices[i];
        }
    }
    int triangle_count = 0;
    for (int face = 0; face < 4 * mesh->tet_count; ++face) {
        if (t.neighbors[face / 4][face % 4] < 0) {
            int v[3];
            face_vertices(mesh, face, v);
            for (int k = 0; k < 3; ++k) {
                out_skin->triangles[triangle_count][k] = skin_index[v[k]];
            }
            ++triangle_count;
        }
    }

done:
    iso_free(ctx, skin_index);
    iso_tet_topology_destroy(ctx, &t);
    return status;
}

// What is known of an edge of a surface; sides are 3 * triangle + edge.
typedef struct edge_record {
    int first_side, second_side; // -1: none
    int side_count;
} edge_record;

static void edge_ends(const iso_tri_mesh* mesh, int side, int* out_from, int* out_to) {
    const int* t = mesh->triangles[side / 3];
    *out_from = t[side % 3];
    *out_to = t[(side % 3 + 1) % 3];
}

static void note_bad(iso_tri_topology* t, int side) {
    if (t->bad_triangle < 0) {
        t->bad_triangle = side / 3;
    }
}

// Turn the edges into neighbours and counts.
static void join_edges(const iso_tri_mesh* mesh, const edge_record* edges, const int* side_edges,
                       iso_tri_topology* t) {
    for (int side = 0; side < 3 * mesh->triangle_count; ++side) {
        const edge_record* edge = &edges[side_edges[side]];
        int* neighbor = &t->neighbors[side / 3][side % 3];
        bool is_first = edge->first_side == side;
        *neighbor = -1;
        if (edge->side_count == 1) {
            ++t->boundary_edge_count;
            note_bad(t, side);
        } else if (edge->side_count > 2) {
            *neighbor = -2;
            t->non_manifold_edge_count += is_first;
            note_bad(t, side);
        } else {
            *neighbor = (is_first ? edge->second_side : edge->first_side) / 3;
            int from, to, other_from, other_to;
            edge_ends(mesh, edge->first_side, &from, &to);
            edge_ends(mesh, edge->second_side, &other_from, &other_to);
            if (from == other_from || from == to) {
                t->flipped_edge_count += is_first;
                note_bad(t, side);
            }
        }
    }
}

static int find_root(int* parents, int i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

// Parts connected across edges, those of many triangles included.
static int count_components(const edge_record* edges, const int* side_edges, int triangle_count,
                            int* parents) {
    int count = triangle_count;
    for (int i = 0; i < triangle_count; ++i) {
        parents[i] = i;
    }
    for (int side = 0; side < 3 * triangle_count; ++side) {
        int a = find_root(parents, side / 3);
        int b = find_root(parents, edges[side_edges[side]].first_side / 3);
        if (a != b) {
            parents[a > b ? a : b] = a > b ? b : a;
            --count;
        }
    }
    return count;
}

// One pass of a sort by counting of sides, by the lower or the higher end of their edges, which
// keeps the order of those that agree in it. @param from  NULL: all sides in order
// @param starts  [vertex_count + 1] scratch
static void sort_sides(const iso_tri_mesh* mesh, const int* from, bool by_lower, int* starts,
                       int* to) {
    int side_count = 3 * mesh->triangle_count;
    memset(starts, 0, ((size_t)mesh->vertex_count + 1) * sizeof *starts);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < side_count; ++i) {
            int side = from ? from[i] : i, a, b;
            edge_ends(mesh, side, &a, &b);
            int end = (a < b) == by_lower ? a : b;
            if (pass == 0) {
                ++starts[end + 1];
            } else {
                to[starts[end]++] = side;
            }
        }
        for (int i = 0; pass == 0 && i < mesh->vertex_count; ++i) {
            starts[i + 1] += starts[i];
        }
    }
}

// Sides of the same ends are of one edge. @param sorted  sides by both ends of their edges
static void find_edges(const iso_tri_mesh* mesh, const int* sorted, edge_record* edges,
                       int* side_edges, iso_tri_topology* t) {
    int last_low = -1, last_high = -1;
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        int side = sorted[i], from, to;
        edge_ends(mesh, side, &from, &to);
        int low = from < to ? from : to, high = from < to ? to : from;
        if (low != last_low || high != last_high) {
            edges[t->edge_count++] = (edge_record){side, -1, 0};
            last_low = low;
            last_high = high;
        }
        edge_record* edge = &edges[t->edge_count - 1];
        if (edge->side_count == 1) {
            edge->second_side = side;
        }
        ++edge->side_count;
        side_edges[side] = t->edge_count - 1;
    }
}

iso_status iso_tri_topology_create(iso_context* ctx, const iso_tri_mesh* mesh,
                                   iso_tri_topology* out_topology) {
    ISO_REQUIRE(ctx, mesh->triangle_count <= INT_MAX / 3, ISO_ERR_RANGE,
                "%d triangles, expected at most %d", mesh->triangle_count, INT_MAX / 3);
    int side_count = 3 * mesh->triangle_count;
    *out_topology = (iso_tri_topology){.triangle_count = mesh->triangle_count, .bad_triangle = -1};
    iso_tri_topology* t = out_topology;
    edge_record* edges = iso_alloc_array(ctx, side_count, sizeof *edges);
    int* side_edges = iso_alloc_array(ctx, side_count, sizeof *side_edges);
    int* sorted = iso_alloc_array(ctx, side_count, sizeof *sorted);
    int* starts = iso_alloc_array(ctx, mesh->vertex_count + 1, sizeof *starts);
    int* parents = iso_alloc_array(ctx, mesh->triangle_count, sizeof *parents);
    t->neighbors = iso_alloc_array(ctx, mesh->triangle_count, sizeof *t->neighbors);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, edges && side_edges && sorted && starts && parents && t->neighbors,
              ISO_ERR_MEMORY, "topology of %d triangles", mesh->triangle_count);
    sort_sides(mesh, NULL, false, starts, side_edges);
    sort_sides(mesh, side_edges, true, starts, sorted);
    find_edges(mesh, sorted, edges, side_edges, t);
    join_edges(mesh, edges, side_edges, t);
    t->component_count = count_components(edges, side_edges, mesh->triangle_count, parents);

done:
    iso_free(ctx, edges);
    iso_free(ctx, side_edges);
    iso_free(ctx, sorted);
    iso_free(ctx, starts);
    iso_free(ctx, parents);
    if (status != ISO_OK) {
        iso_tri_topology_destroy(ctx, out_topology);
    }
    return status;
}

void iso_tri_topology_destroy(iso_context* ctx, iso_tri_topology* topology) {
    iso_free(ctx, topology->neighbors);
    *topology = (iso_tri_topology){0};
}

iso_status iso_tri_mesh_check_closed(iso_context* ctx, const iso_tri_mesh* mesh) {
    iso_status status = iso_tri_mesh_check(ctx, mesh);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, mesh->triangle_count > 0, ISO_ERR_GEOMETRY, "the surface has no triangles");
    iso_tri_topology t;
    status = iso_tri_topology_create(ctx, mesh, &t);
    if (status != ISO_OK) {
        return status;
    }
    const int* bad = t.bad_triangle >= 0 ? mesh->triangles[t.bad_triangle] : NULL;
    ISO_CHECK(
        ctx, t.boundary_edge_count == 0 && t.non_manifold_edge_count == 0, ISO_ERR_GEOMETRY,
        "the surface is not closed: %d of %d edges belong to one triangle, %d to more than "
        "two, first at triangle %d (vertices %d %d %d); fill holes and remove double or inner "
        "faces",
        t.boundary_edge_count, t.edge_count, t.non_manifold_edge_count, t.bad_triangle, bad[0],
        bad[1], bad[2]);
    ISO_CHECK(
        ctx, t.flipped_edge_count == 0, ISO_ERR_GEOMETRY,
        "the triangles do not all face the same side: %d of %d edges are run along twice in "
        "one direction, first at triangle %d (vertices %d %d %d); make the normals consistent",
        t.flipped_edge_count, t.edge_count, t.bad_triangle, bad[0], bad[1], bad[2]);

done:
    iso_tri_topology_destroy(ctx, &t);
    return status;
}
