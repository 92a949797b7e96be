// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/tetrahedra/tet_repair.h"

#include "base/core/array.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"

#include <string.h>

static void face_of(const iso_tet_mesh* mesh, int side, int out_vertices[3]) {
    for (int k = 0; k < 3; ++k) {
        out_vertices[k] = mesh->tets[side / 4][k_tet_faces[side % 4][k]];
    }
}

// Marks every edge of the skin in a copy of the mesh's edges: is_skin [edges->count].
static void mark_skin_edges(const iso_tet_mesh* mesh, const iso_tet_topology* topology,
                            iso_tet_edges* edges, bool* is_skin) {
    for (int side = 0; side < 4 * mesh->tet_count; ++side) {
        if (topology->neighbors[side / 4][side % 4] < 0) {
            int v[3];
            face_of(mesh, side, v);
            for (int k = 0; k < 3; ++k) {
                is_skin[*iso_pair_table_at(&edges->table, v[k], v[(k + 1) % 3], -1)] = true;
            }
        }
    }
}

static iso_status split_edges(iso_context* ctx, iso_tet_mesh* mesh,
                              const iso_tet_topology* topology, iso_nodal_arrays* arrays,
                              int* out_count) {
    iso_tet_edges edges = {0};
    bool* is_skin = NULL;
    double* shares = NULL;
    iso_status status = iso_tet_edges_create(ctx, mesh, &edges);
    if (status != ISO_OK) {
        return status;
    }
    is_skin = iso_alloc_array(ctx, edges.count, sizeof *is_skin);
    shares = iso_alloc_array(ctx, edges.count, sizeof *shares);
    ISO_CHECK(ctx, is_skin && shares, ISO_ERR_MEMORY, "marks of %d edges", edges.count);
    mark_skin_edges(mesh, topology, &edges, is_skin);
    for (int i = 0; i < edges.count; ++i) {
        const int* ends = edges.ends[i];
        bool is_bad = !is_skin[i] && topology->is_on_skin[ends[0]] && topology->is_on_skin[ends[1]];
        shares[i] = is_bad ? 0.5 : -1.0;
        *out_count += is_bad;
    }
    if (*out_count > 0) {
        ISO_TRY(iso_tet_mesh_cut_edges(ctx, mesh, &edges, shares, arrays));
    }

done:
    iso_tet_edges_destroy(ctx, &edges);
    iso_free(ctx, is_skin);
    iso_free(ctx, shares);
    return status;
}

typedef struct corners {
    int v[4];
} corners;

typedef ISO_ARRAY(corners) tet_list;

static iso_status append_tet(iso_context* ctx, tet_list* list, const int* v) {
    iso_status status = ISO_ARRAY_GROW(ctx, list);
    if (status == ISO_OK) {
        list->data[list->count++] = (corners){{v[0], v[1], v[2], v[3]}};
    }
    return status;
}

// A tetrahedron with a vertex on the face opposite some corners: three pieces for the first, and
// each of them keeps at most one more such face, opposite the corner that was replaced.
static iso_status split_faces(iso_context* ctx, tet_list* list, const int* tet,
                              const int* face_vertex) {
    int first = 0;
    while (first < 4 && face_vertex[first] < 0) {
        ++first;
    }
    if (first == 4) {
        return append_tet(ctx, list, tet);
    }
    iso_status status = ISO_OK;
    for (int j = 0; j < 4 && status == ISO_OK; ++j) {
        if (j == first) {
            continue;
        }
        int piece[4] = {tet[0], tet[1], tet[2], tet[3]};
        int rest[4] = {-1, -1, -1, -1};
        piece[j] = face_vertex[first];
        rest[j] = j > first ? face_vertex[j] : -1;
        status = split_faces(ctx, list, piece, rest);
    }
    return status;
}

static iso_vec3 centroid(const iso_vec3* vertices, const int* v, int count) {
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < count; ++i) {
        sum = iso_vec3_add(sum, vertices[v[i]]);
    }
    return iso_vec3_scale(sum, 1.0 / count);
}

// Place vertex `at` in the middle of others, arrays included.
static void place_middle(iso_tet_mesh* mesh, iso_nodal_arrays* arrays, int at, const int* v,
                         int count) {
    mesh->vertices[at] = centroid(mesh->vertices, v, count);
    for (int k = 0; k < arrays->count; ++k) {
        if (arrays->values[k]) {
            double sum = 0.0;
            for (int i = 0; i < count; ++i) {
                sum += arrays->values[k][v[i]];
            }
            arrays->values[k][at] = sum / count;
        }
    }
}

static iso_status replace_tets(iso_context* ctx, iso_tet_mesh* mesh, const tet_list* list) {
    int(*tets)[4] = iso_alloc_array(ctx, list->count, sizeof *tets);
    ISO_REQUIRE(ctx, tets, ISO_ERR_MEMORY, "%d tetrahedra", list->count);
    for (int i = 0; i < list->count; ++i) {
        memcpy(tets[i], list->data[i].v, sizeof tets[i]);
    }
    iso_free(ctx, mesh->tets);
    mesh->tets = tets;
    mesh->tet_count = list->count;
    return ISO_OK;
}

static bool all_on_skin(const iso_tet_topology* t, const int* v, int count) {
    for (int i = 0; i < count; ++i) {
        if (!t->is_on_skin[v[i]]) {
            return false;
        }
    }
    return true;
}

// After split_edges(): inner triangles with all corners on the skin get their centroid.
static iso_status split_triangles(iso_context* ctx, iso_tet_mesh* mesh, iso_nodal_arrays* arrays,
                                  int* out_count) {
    iso_tet_topology t = {0};
    int* vertex = NULL; // [4 tet_count] new vertex of each side, -1: none
    tet_list list = {0};
    iso_status status = iso_tet_topology_create(ctx, mesh, &t);
    if (status != ISO_OK) {
        return status;
    }
    vertex = iso_alloc_array(ctx, 4 * mesh->tet_count, sizeof *vertex);
    ISO_CHECK(ctx, vertex, ISO_ERR_MEMORY, "faces of %d tetrahedra", mesh->tet_count);
    int old_count = mesh->vertex_count;
    for (int side = 0; side < 4 * mesh->tet_count; ++side) {
        int v[3];
        face_of(mesh, side, v);
        int other = t.neighbors[side / 4][side % 4];
        vertex[side] = -1;
        if (other < 0 || !all_on_skin(&t, v, 3)) {
            continue;
        }
        if (other > side / 4) {
            vertex[side] = old_count + (*out_count)++;
            continue;
        }
        for (int f = 0; f < 4; ++f) {
            if (t.neighbors[other][f] == side / 4) {
                vertex[side] = vertex[4 * other + f];
            }
        }
    }
    if (*out_count > 0) {
        ISO_TRY(iso_tet_mesh_add_vertices(ctx, mesh, arrays, *out_count));
        for (int i = 0; i < mesh->tet_count; ++i) {
            for (int f = 0; f < 4; ++f) {
                int v[3];
                face_of(mesh, 4 * i + f, v);
                if (vertex[4 * i + f] >= 0 && t.neighbors[i][f] > i) {
                    place_middle(mesh, arrays, vertex[4 * i + f], v, 3);
                }
            }
            ISO_TRY(split_faces(ctx, &list, mesh->tets[i], &vertex[4 * i]));
        }
        ISO_TRY(replace_tets(ctx, mesh, &list));
    }

done:
    iso_tet_topology_destroy(ctx, &t);
    iso_free(ctx, vertex);
    ISO_ARRAY_FREE(ctx, &list);
    return status;
}

// After split_triangles(): what is left are tetrahedra without a neighbour.
static iso_status split_tets(iso_context* ctx, iso_tet_mesh* mesh, iso_nodal_arrays* arrays,
                             int* out_count) {
    iso_tet_topology t = {0};
    tet_list list = {0};
    iso_status status = iso_tet_topology_create(ctx, mesh, &t);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < mesh->tet_count; ++i) {
        *out_count += all_on_skin(&t, mesh->tets[i], 4);
    }
    int next = mesh->vertex_count;
    if (*out_count > 0) {
        ISO_TRY(iso_tet_mesh_add_vertices(ctx, mesh, arrays, *out_count));
        for (int i = 0; i < mesh->tet_count; ++i) {
            const int* tet = mesh->tets[i];
            if (!all_on_skin(&t, tet, 4)) {
                ISO_TRY(append_tet(ctx, &list, tet));
                continue;
            }
            place_middle(mesh, arrays, next, tet, 4);
            for (int j = 0; j < 4; ++j) {
                int piece[4] = {tet[0], tet[1], tet[2], tet[3]};
                piece[j] = next;
                ISO_TRY(append_tet(ctx, &list, piece));
            }
            ++next;
        }
        ISO_TRY(replace_tets(ctx, mesh, &list));
    }

done:
    iso_tet_topology_destroy(ctx, &t);
    ISO_ARRAY_FREE(ctx, &list);
    return status;
}

iso_status iso_tet_mesh_give_interior(iso_context* ctx, const char* name, iso_tet_mesh* mesh,
                                      iso_nodal_arrays* arrays, iso_tet_repair_report* out_report) {
    iso_tet_topology topology = {0};
    iso_nodal_arrays none = {0};
    iso_nodal_arrays* carried = arrays ? arrays : &none;
    int edge_count = 0, triangle_count = 0, tet_count = 0;
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_topology_create(ctx, mesh, &topology));
    ISO_TRY(split_edges(ctx, mesh, &topology, carried, &edge_count));
    ISO_TRY(split_triangles(ctx, mesh, carried, &triangle_count));
    ISO_TRY(split_tets(ctx, mesh, carried, &tet_count));
    if (edge_count + triangle_count + tet_count > 0) {
        iso_log(
            ctx, ISO_LOG_INFO,
            "%s%s%d inner edge%s, %d inner triangle%s and %d tetrahedr%s between vertices of the "
            "skin got an inner vertex, %d tetrahedra now",
            name ? name : "", name ? ": " : "", edge_count, iso_text_plural(edge_count),
            triangle_count, iso_text_plural(triangle_count), tet_count, tet_count == 1 ? "on" : "a",
            mesh->tet_count);
    }
    if (out_report) {
        out_report->edge_count = edge_count;
        out_report->triangle_count = triangle_count;
        out_report->tet_count = tet_count;
    }

done:
    iso_tet_topology_destroy(ctx, &topology);
    return status;
}
