// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Surfaces that the tests of this folder prepare.

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "isobar/prepare.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <stdio.h>
#include <string.h>

/// A box between two corners, each face cut into 2 n^2 triangles, outward.
static inline iso_tri_mesh box_surface(iso_context* ctx, iso_vec3 lower, iso_vec3 upper, int n) {
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 6 * (n + 1) * (n + 1), 12 * n * n, &mesh));
    int vertex = 0, triangle = 0;
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        int first = vertex;
        for (int i = 0; i < (n + 1) * (n + 1); ++i) {
            double share[3];
            share[axis] = face % 2;
            share[u] = (double)(i / (n + 1)) / n;
            share[v] = (double)(i % (n + 1)) / n;
            iso_vec3 s = iso_vec3_make(share[0], share[1], share[2]);
            mesh.vertices[vertex++] =
                iso_vec3_add(lower, iso_vec3_mul(s, iso_vec3_sub(upper, lower)));
        }
        for (int i = 0; i < n * n; ++i) {
            int a = first + i / n * (n + 1) + i % n, b = a + n + 1;
            int corners[2][3] = {{a, b, b + 1}, {a, b + 1, a + 1}};
            for (int k = 0; k < 2; ++k, ++triangle) {
                for (int c = 0; c < 3; ++c) {
                    mesh.triangles[triangle][c] = corners[k][face % 2 ? c : 2 - c];
                }
            }
        }
    }
    return mesh;
}

/// Write a surface as .obj without the first `skipped` triangles.
static inline void write_obj(const iso_tri_mesh* mesh, const char* path, int skipped, bool turned) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        fprintf(file, "v %.17g %.17g %.17g\n", mesh->vertices[i].x, mesh->vertices[i].y,
                mesh->vertices[i].z);
    }
    for (int i = skipped; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        fprintf(file, "f %d %d %d\n", t[0] + 1, t[turned ? 2 : 1] + 1, t[turned ? 1 : 2] + 1);
    }
    assert_int_equal(fclose(file), 0);
}
