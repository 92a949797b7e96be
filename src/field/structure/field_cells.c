// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field_cells.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"

// Plane of the face opposite a corner, towards the corner. Computed from the vertices in ascending
// order of index, so that both tetrahedra of a face get the same numbers up to the sign.
static void face_plane(const iso_tet_mesh* mesh, int tet, int corner, double out_plane[4]) {
    int v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = mesh->tets[tet][k_tet_faces[corner][i]];
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2 - i; ++j) {
            if (v[j] > v[j + 1]) {
                int swap = v[j];
                v[j] = v[j + 1];
                v[j + 1] = swap;
            }
        }
    }
    iso_vec3 a = mesh->vertices[v[0]];
    iso_vec3 normal = iso_vec3_normalized(iso_vec3_cross(iso_vec3_sub(mesh->vertices[v[1]], a),
                                                         iso_vec3_sub(mesh->vertices[v[2]], a)));
    double offset = -iso_vec3_dot(normal, a);
    bool is_flipped = iso_vec3_dot(normal, mesh->vertices[mesh->tets[tet][corner]]) + offset < 0.0;
    double sign = is_flipped ? -1.0 : 1.0;
    out_plane[0] = sign * normal.x;
    out_plane[1] = sign * normal.y;
    out_plane[2] = sign * normal.z;
    out_plane[3] = sign * offset;
}

static void fill_cell(const iso_field* field, int cell, iso_field_cell* out) {
    int tet = field->tree.elements[cell];
    out->piece = iso_field_piece(field, tet);
    for (int face = 0; face < 4; ++face) {
        out->neighbors[face] = -1;
        double plane[4];
        face_plane(&field->mesh, tet, face, plane);
        for (int i = 0; i < 4; ++i) {
            out->planes[i][face] = plane[i];
        }
    }
}

// Name points in the order in which the cells use them, so that what is near in the tree is near
// in memory. point_of[vertex] is -1 as long as a vertex has no name.
static void name_points(iso_field* field, int* point_of) {
    const iso_tet_mesh* mesh = &field->mesh;
    int count = 0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        point_of[i] = -1;
    }
    for (int cell = 0; cell < mesh->tet_count; ++cell) {
        for (int corner = 0; corner < 4; ++corner) {
            int vertex = mesh->tets[field->tree.elements[cell]][corner];
            if (point_of[vertex] < 0) {
                iso_vec3 v = mesh->vertices[vertex];
                field->points[count] = (iso_field_point){{v.x, v.y, v.z, field->pressures[vertex]}};
                point_of[vertex] = count++;
            }
            field->cells[cell].corners[corner] = point_of[vertex];
        }
    }
}

static void join_cells(iso_field* field, const iso_tet_topology* topology, int* cell_of) {
    for (int cell = 0; cell < field->mesh.tet_count; ++cell) {
        cell_of[field->tree.elements[cell]] = cell;
    }
    for (int cell = 0; cell < field->mesh.tet_count; ++cell) {
        const int* neighbors = topology->neighbors[field->tree.elements[cell]];
        for (int face = 0; face < 4; ++face) {
            field->cells[cell].neighbors[face] =
                neighbors[face] >= 0 ? cell_of[neighbors[face]] : -1;
        }
    }
}

iso_status iso_field_make_cells(iso_context* ctx, iso_field* field) {
    const iso_tet_mesh* mesh = &field->mesh;
    iso_status status = ISO_OK;
    int* names = iso_alloc_array(ctx, mesh->vertex_count, sizeof *names);
    field->cells = iso_alloc_array(ctx, mesh->tet_count, sizeof *field->cells);
    field->points = iso_alloc_array(ctx, mesh->vertex_count, sizeof *field->points);
    ISO_CHECK(ctx, field->cells && field->points && names, ISO_ERR_MEMORY, "cells of %d tetrahedra",
              mesh->tet_count);
    for (int cell = 0; cell < mesh->tet_count; ++cell) {
        fill_cell(field, cell, &field->cells[cell]);
    }
    name_points(field, names);

done:
    iso_free(ctx, names);
    return status;
}

iso_status iso_field_join_cells(iso_context* ctx, iso_field* field) {
    iso_tet_topology topology = {0};
    int* names = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_topology_create(ctx, &field->mesh, &topology));
    names = iso_alloc_array(ctx, field->mesh.tet_count, sizeof *names);
    ISO_CHECK(ctx, names, ISO_ERR_MEMORY, "names of %d tetrahedra", field->mesh.tet_count);
    join_cells(field, &topology, names);

done:
    iso_tet_topology_destroy(ctx, &topology);
    iso_free(ctx, names);
    return status;
}
