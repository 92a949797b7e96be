// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/measure/depth.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/distance.h"

#include <math.h>

// The skin's vertices are the mesh's in their order: the extents go along.
static void keep_outer_faces(iso_tri_mesh* skin, const double* skin_extents) {
    int count = 0;
    for (int i = 0; i < skin->triangle_count; ++i) {
        const int* t = skin->triangles[i];
        if (skin_extents[t[0]] > 0.0 && skin_extents[t[1]] > 0.0 && skin_extents[t[2]] > 0.0) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            skin->triangles[count][k] = t[k];
        }
        ++count;
    }
    skin->triangle_count = count > 0 ? count : skin->triangle_count;
}

static void measure(const iso_distance_tree* tree, const iso_tet_mesh* mesh, const double* extents,
                    iso_mesh_depth* depth) {
    double largest = 0.0;
    for (int i = 0; extents && i < mesh->vertex_count; ++i) {
        largest = fmax(largest, extents[i]);
    }
    bool has_full = false;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        if (extents && !(extents[i] > 0.0)) {
            continue;
        }
        double own = iso_distance_to_surface(tree, mesh->vertices[i], NULL, NULL);
        depth->deepest = fmax(depth->deepest, own);
        if (extents && extents[i] >= largest) {
            depth->full_low = has_full ? fmin(depth->full_low, own) : own;
            depth->full_high = fmax(depth->full_high, own);
            has_full = true;
        }
    }
}

iso_status iso_tet_mesh_depth(iso_context* ctx, const iso_tet_mesh* mesh, const double* extents,
                              iso_mesh_depth* out_depth) {
    *out_depth = (iso_mesh_depth){0};
    iso_tri_mesh skin = {0};
    iso_distance_tree* tree = NULL;
    iso_tet_topology topology = {0};
    double* skin_extents = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_mesh_skin(ctx, mesh, &skin));
    if (extents) {
        ISO_TRY(iso_tet_topology_create(ctx, mesh, &topology));
        skin_extents = iso_alloc_array(ctx, skin.vertex_count, sizeof *skin_extents);
        ISO_CHECK(ctx, skin_extents, ISO_ERR_MEMORY, "extents of %d vertices", skin.vertex_count);
        int count = 0;
        for (int i = 0; i < mesh->vertex_count; ++i) {
            if (topology.is_on_skin[i]) {
                skin_extents[count++] = extents[i];
            }
        }
        keep_outer_faces(&skin, skin_extents);
    }
    ISO_TRY(iso_distance_tree_create(ctx, &skin, &tree));
    measure(tree, mesh, extents, out_depth);

done:
    iso_free(ctx, skin_extents);
    iso_tet_topology_destroy(ctx, &topology);
    iso_distance_tree_destroy(ctx, tree);
    iso_tri_mesh_destroy(ctx, &skin);
    return status;
}
