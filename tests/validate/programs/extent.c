// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Extent field of a volume file: one JSON object with vertices, tetrahedra, extents, thickness.
// Usage: validate_extent MESH poisson|distance CORE|- caps|all
//   CORE: surface file of a rigid core; caps: skin faces across z are insulated

#include "base/core/alloc.h"
#include "field/build/thickness.h"
#include "geometry/mesh/mesh.h"
#include "geometry/tetrahedra/tet_repair.h"
#include "isobar/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(iso_context* ctx, iso_status status, const char* what) {
    if (status != ISO_OK) {
        fprintf(stderr, "%s: %s\n", what, iso_context_error(ctx));
        exit(1);
    }
}
#define CHECK(ctx, call) check(ctx, call, #call)

// Marks the skin faces whose normal lies along z.
static bool* mark_caps(iso_context* ctx, const iso_tet_mesh* mesh) {
    iso_tri_mesh skin;
    CHECK(ctx, iso_tet_mesh_skin(ctx, mesh, &skin));
    bool* marks = iso_alloc_array(ctx, skin.triangle_count, sizeof *marks);
    CHECK(ctx, marks ? ISO_OK : ISO_ERR_MEMORY);
    for (int i = 0; i < skin.triangle_count; ++i) {
        const int* t = skin.triangles[i];
        iso_vec3 n = iso_vec3_normalized(iso_triangle_area_vector(
            skin.vertices[t[0]], skin.vertices[t[1]], skin.vertices[t[2]]));
        marks[i] = fabs(n.z) > 1.0 - 1e-6;
    }
    iso_tri_mesh_destroy(ctx, &skin);
    return marks;
}

static void print_field(const iso_tet_mesh* mesh, const double* e,
                        const iso_extent_report* report) {
    printf("{\"thickness\": %.17g, \"clamped\": %d, \"residual\": %.17g, \"core\": %d, "
           "\"vertices\": [",
           iso_characteristic_thickness(mesh, e, 1.0), report->clamped_count, report->residual,
           report->core_vertex_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        iso_vec3 v = mesh->vertices[i];
        printf("%s[%.17g, %.17g, %.17g]", i ? ", " : "", v.x, v.y, v.z);
    }
    printf("], \"tets\": [");
    for (int i = 0; i < mesh->tet_count; ++i) {
        const int* t = mesh->tets[i];
        printf("%s[%d, %d, %d, %d]", i ? ", " : "", t[0], t[1], t[2], t[3]);
    }
    printf("], \"extents\": [");
    for (int i = 0; i < mesh->vertex_count; ++i) {
        printf("%s%.17g", i ? ", " : "", e[i]);
    }
    printf("]}\n");
}

int main(int argc, char** argv) {
    iso_context* ctx = NULL;
    iso_context_desc context = iso_context_desc_default();
    context.log_level = ISO_LOG_ERROR;
    if (argc != 5 || iso_context_create(&context, &ctx) != ISO_OK) {
        fprintf(stderr, "usage: validate_extent MESH poisson|distance CORE|- caps|all\n");
        return 2;
    }
    iso_vec3 ones = iso_vec3_make(1.0, 1.0, 1.0);
    iso_tet_mesh mesh;
    iso_tri_mesh core = {0};
    iso_extent_desc desc = iso_extent_desc_default();
    CHECK(ctx, iso_tet_mesh_load(ctx, argv[1], ones, &mesh));
    CHECK(ctx, iso_tet_mesh_give_interior(ctx, argv[1], &mesh, NULL, NULL));
    desc.kind = strcmp(argv[2], "poisson") == 0 ? ISO_EXTENT_POISSON : ISO_EXTENT_DISTANCE;
    if (strcmp(argv[3], "-") != 0) {
        CHECK(ctx, iso_tri_mesh_load(ctx, argv[3], ones, &core));
        desc.core = &core;
    }
    bool* caps = strcmp(argv[4], "caps") == 0 ? mark_caps(ctx, &mesh) : NULL;
    desc.is_insulated = caps;
    double* e = iso_alloc_array(ctx, mesh.vertex_count, sizeof *e);
    CHECK(ctx, e ? ISO_OK : ISO_ERR_MEMORY);
    iso_extent_report report;
    CHECK(ctx, iso_extent_solve(ctx, &mesh, &desc, e, &report));
    print_field(&mesh, e, &report);
    iso_free(ctx, e);
    iso_free(ctx, caps);
    iso_tri_mesh_destroy(ctx, &core);
    iso_tet_mesh_destroy(ctx, &mesh);
    iso_context_destroy(ctx);
    return 0;
}
