// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/build/skin_distance.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/distance.h"

iso_status iso_tet_mesh_skin_distance(iso_context* ctx, const iso_tet_mesh* mesh,
                                      double** out_distances) {
    *out_distances = NULL;
    iso_tet_topology topology = {0};
    iso_tri_mesh skin = {0};
    iso_distance_tree* tree = NULL;
    double* distances = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_topology_create(ctx, mesh, &topology));
    ISO_TRY(iso_tet_mesh_skin(ctx, mesh, &skin));
    ISO_TRY(iso_distance_tree_create(ctx, &skin, &tree));
    distances = iso_alloc_array(ctx, mesh->vertex_count, sizeof *distances);
    ISO_CHECK(ctx, distances, ISO_ERR_MEMORY, "distances of %d vertices", mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        distances[i] = topology.is_on_skin[i]
                           ? 0.0
                           : iso_distance_to_surface(tree, mesh->vertices[i], NULL, NULL);
    }
    *out_distances = distances;

done:
    iso_distance_tree_destroy(ctx, tree);
    iso_tet_topology_destroy(ctx, &topology);
    iso_tri_mesh_destroy(ctx, &skin);
    return status;
}
