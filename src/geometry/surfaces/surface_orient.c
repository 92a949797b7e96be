// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/surfaces/surface_orient.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/surfaces/surface_parts.h"

// Closed parts face outward, those at odd depth into the cavity that they bound; open ones face
// where most of their triangles did.
static void turn_parts(iso_tri_mesh* mesh, const int* part_of, iso_surface_part* parts,
                       int part_count, iso_surface_orientation* out) {
    for (int p = 0; p < part_count; ++p) {
        iso_surface_part* part = &parts[p];
        bool is_cavity = part->is_closed && part->depth % 2 == 1;
        bool is_outward = iso_tri_mesh_volume(&part->mesh) > 0.0;
        part->is_wrong = part->is_closed ? is_outward == is_cavity
                                         : 2 * part->turned_count > part->triangle_count;
        out->cavity_count += is_cavity;
        if (part->is_wrong) {
            part->turned_count = part->triangle_count - part->turned_count;
        }
    }
    iso_surface_turn_wrong(mesh, part_of, parts);
}

static iso_status place_parts(iso_context* ctx, iso_tri_mesh* mesh,
                              const iso_tri_topology* topology, const int* part_of,
                              const int* turned_of, int part_count, iso_surface_orientation* out) {
    iso_status status = ISO_OK;
    iso_surface_part* parts = iso_alloc_array(ctx, part_count, sizeof *parts);
    ISO_CHECK(ctx, parts, ISO_ERR_MEMORY, "%d parts", part_count);
    ISO_TRY(iso_surface_collect_parts(ctx, mesh, topology, part_of, parts, part_count));
    if (part_count <= ISO_SURFACE_MOST_PARTS) {
        ISO_TRY(iso_surface_find_depths(ctx, mesh, part_of, parts, part_count));
    }
    for (int p = 0; p < part_count; ++p) {
        parts[p].turned_count = turned_of[p];
    }
    turn_parts(mesh, part_of, parts, part_count, out);
    for (int p = 0; p < part_count; ++p) {
        out->turned_count += parts[p].turned_count;
    }

done:
    iso_surface_free_parts(ctx, parts, part_count);
    return status;
}

iso_status iso_surface_orient(iso_context* ctx, iso_tri_mesh* mesh,
                              iso_surface_orientation* out_orientation) {
    *out_orientation = (iso_surface_orientation){0};
    iso_tri_topology topology = {0};
    iso_surface_part_list list = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &topology));
    ISO_TRY(iso_surface_find_parts(ctx, mesh, &topology, &list));
    out_orientation->part_count = list.count;
    status = place_parts(ctx, mesh, &topology, list.part_of, list.turned_of, list.count,
                         out_orientation);

done:
    iso_tri_topology_destroy(ctx, &topology);
    iso_surface_part_list_destroy(ctx, &list);
    return status;
}

static bool is_nested(const iso_surface_part* part) {
    return part->is_closed && part->depth > 0;
}

static void drop_triangles(iso_tri_mesh* mesh, const int* part_of, const iso_surface_part* parts) {
    int kept = 0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3 && !is_nested(&parts[part_of[i]]); ++k) {
            mesh->triangles[kept][k] = mesh->triangles[i][k];
        }
        kept += !is_nested(&parts[part_of[i]]);
    }
    mesh->triangle_count = kept;
}

iso_status iso_surface_drop_nested(iso_context* ctx, iso_tri_mesh* mesh, int* out_count) {
    iso_tri_topology topology = {0};
    iso_surface_part_list list = {0};
    iso_surface_part* parts = NULL;
    iso_status status = ISO_OK;
    *out_count = 0;
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &topology));
    ISO_TRY(iso_surface_find_parts(ctx, mesh, &topology, &list));
    if (list.count > ISO_SURFACE_MOST_PARTS) {
        *out_count = -1;
        goto done;
    }
    parts = iso_alloc_array(ctx, list.count, sizeof *parts);
    ISO_CHECK(ctx, parts, ISO_ERR_MEMORY, "%d parts", list.count);
    ISO_TRY(iso_surface_collect_parts(ctx, mesh, &topology, list.part_of, parts, list.count));
    ISO_TRY(iso_surface_find_depths(ctx, mesh, list.part_of, parts, list.count));
    for (int p = 0; p < list.count; ++p) {
        *out_count += is_nested(&parts[p]);
    }
    drop_triangles(mesh, list.part_of, parts);

done:
    iso_surface_free_parts(ctx, parts, list.count);
    iso_tri_topology_destroy(ctx, &topology);
    iso_surface_part_list_destroy(ctx, &list);
    return status;
}
