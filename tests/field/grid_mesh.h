// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Meshes of boxes, balls and rods of any fineness.

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "support/check.h"

static inline int grid_vertex(const int n[3], int i, int j, int k) {
    return (k * (n[1] + 1) + j) * (n[0] + 1) + i;
}

/// Six tetrahedra about the diagonal of cell (i, j, k) from corner `from`: along each axis 0 starts
/// at its lower end, 1 at its upper end.
static inline void grid_cell(const int n[3], const int cell[3], const int from[3], int (*tets)[4]) {
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    bool is_mirrored = (from[0] + from[1] + from[2]) % 2 == 1;
    for (int p = 0; p < 6; ++p) {
        int at[3] = {cell[0] + from[0], cell[1] + from[1], cell[2] + from[2]};
        int* t = tets[p];
        t[0] = grid_vertex(n, at[0], at[1], at[2]);
        for (int step = 0; step < 3; ++step) {
            int axis = paths[p][step];
            at[axis] += from[axis] ? -1 : 1;
            t[step + 1] = grid_vertex(n, at[0], at[1], at[2]);
        }
        if ((p >= 3) != is_mirrored) { // odd permutations of the axes
            int swap = t[2];
            t[2] = t[3];
            t[3] = swap;
        }
    }
}

/// A box between two corners as n[0] x n[1] x n[2] cells of six tetrahedra. Diagonals run along
/// (1, 1, 1), or with is_radial away from the middle in every octant.
static inline iso_tet_mesh grid_box(iso_context* ctx, iso_vec3 lower, iso_vec3 upper,
                                    const int n[3], bool is_radial) {
    iso_tet_mesh mesh;
    int cell_count = n[0] * n[1] * n[2];
    CHECK_OK(ctx, iso_tet_mesh_allocate(ctx, (n[0] + 1) * (n[1] + 1) * (n[2] + 1), 6 * cell_count,
                                        &mesh));
    for (int i = 0; i < mesh.vertex_count; ++i) {
        int x = i % (n[0] + 1), y = i / (n[0] + 1) % (n[1] + 1), z = i / (n[0] + 1) / (n[1] + 1);
        mesh.vertices[i] = iso_vec3_make(lower.x + (upper.x - lower.x) * x / n[0],
                                         lower.y + (upper.y - lower.y) * y / n[1],
                                         lower.z + (upper.z - lower.z) * z / n[2]);
    }
    for (int i = 0; i < cell_count; ++i) {
        int cell[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        int from[3];
        for (int axis = 0; axis < 3; ++axis) {
            from[axis] = is_radial && 2 * cell[axis] + 1 < n[axis];
        }
        grid_cell(n, cell, from, &mesh.tets[6 * i]);
    }
    return mesh;
}

/// A ball of radius 1, or with is_rod a cylinder of radius 1 and length 2: a cube of n^3 cells
/// whose square levels become round.
static inline iso_tet_mesh grid_ball(iso_context* ctx, int n, bool is_rod) {
    iso_tet_mesh mesh =
        grid_box(ctx, iso_vec3_make(-1, -1, -1), iso_vec3_make(1, 1, 1), (int[3]){n, n, n}, true);
    for (int i = 0; i < mesh.vertex_count; ++i) {
        iso_vec3* v = &mesh.vertices[i];
        double z = is_rod ? 0.0 : v->z;
        double square = fmax(fmax(fabs(v->x), fabs(v->y)), fabs(z));
        double round = sqrt(v->x * v->x + v->y * v->y + z * z);
        if (round > 0.0) {
            v->x *= square / round;
            v->y *= square / round;
            v->z *= is_rod ? 1.0 : square / round;
        }
    }
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, &mesh));
    return mesh;
}
