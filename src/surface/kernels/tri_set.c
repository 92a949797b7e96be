// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/kernels/tri_set.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

static iso_vec3 vertex_of(const iso_tri_mesh* mesh, int triangle, int corner) {
    return mesh->vertices[mesh->triangles[triangle][corner]];
}

static iso_vec3 unit_normal(const iso_tri_mesh* mesh, int triangle) {
    iso_vec3 a = vertex_of(mesh, triangle, 0);
    return iso_vec3_normalized(iso_vec3_cross(iso_vec3_sub(vertex_of(mesh, triangle, 1), a),
                                              iso_vec3_sub(vertex_of(mesh, triangle, 2), a)));
}

static iso_bvh_box box_of(const iso_tri_mesh* mesh, int triangle) {
    iso_vec3 a = vertex_of(mesh, triangle, 0);
    iso_vec3 b = vertex_of(mesh, triangle, 1);
    iso_vec3 c = vertex_of(mesh, triangle, 2);
    return (iso_bvh_box){iso_vec3_min(a, iso_vec3_min(b, c)), iso_vec3_max(a, iso_vec3_max(b, c)),
                         -INFINITY, INFINITY};
}

static double longest_edge(const iso_tri_mesh* mesh, int triangle) {
    double longest = 0.0;
    for (int corner = 0; corner < 3; ++corner) {
        iso_vec3 edge = iso_vec3_sub(vertex_of(mesh, triangle, (corner + 1) % 3),
                                     vertex_of(mesh, triangle, corner));
        longest = fmax(longest, iso_vec3_norm(edge));
    }
    return longest;
}

static void fill_packets(const iso_tri_mesh* mesh, iso_tri_set* set) {
    for (int i = 0; i < set->tree.leaf_count; ++i) {
        const int* elements = &set->tree.elements[i * ISO_BVH_LEAF_SIZE];
        iso_tri_packet* packet = &set->packets[i];
        for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
            int triangle = elements[lane] >= 0 ? elements[lane] : elements[0];
            iso_vec3 normal = unit_normal(mesh, triangle);
            set->longest = fmaxf(set->longest, (float)longest_edge(mesh, triangle));
            for (int axis = 0; axis < 3; ++axis) {
                for (int corner = 0; corner < 3; ++corner) {
                    packet->vertices[corner][axis][lane] =
                        iso_vec3_get(vertex_of(mesh, triangle, corner), axis);
                }
                packet->normal[axis][lane] = iso_vec3_get(normal, axis);
            }
        }
    }
}

iso_status iso_tri_set_create(iso_context* ctx, const iso_tri_mesh* mesh, iso_tri_set* out_set) {
    *out_set = (iso_tri_set){0};
    iso_tri_set set = {0};
    iso_status status = ISO_OK;
    int kept_count = 0;
    iso_bvh_box* boxes = iso_alloc_array(ctx, mesh->triangle_count, sizeof *boxes);
    int* kept = iso_alloc_array(ctx, mesh->triangle_count, sizeof *kept);
    ISO_CHECK(ctx, boxes && kept, ISO_ERR_MEMORY, "%d triangles", mesh->triangle_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        iso_vec3 v = mesh->vertices[i];
        ISO_CHECK(ctx, iso_vec3_is_finite(v), ISO_ERR_NUMERIC,
                  "vertex %d of the surface is not finite", i);
        set.size = fmax(set.size, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        if (iso_vec3_norm_squared(unit_normal(mesh, i)) > 0.0) {
            boxes[kept_count] = box_of(mesh, i);
            kept[kept_count++] = i;
        }
    }
    set.degenerate_count = mesh->triangle_count - kept_count;
    ISO_CHECK(ctx, kept_count > 0, ISO_ERR_GEOMETRY,
              "contact surface has no triangle with an area, expected 1 or more");
    ISO_TRY(iso_bvh_build(ctx, boxes, kept_count, &set.tree));
    for (int i = 0; i < set.tree.leaf_count * ISO_BVH_LEAF_SIZE; ++i) {
        int element = set.tree.elements[i];
        set.tree.elements[i] = element >= 0 ? kept[element] : -1;
    }
    set.packets = iso_alloc_array(ctx, set.tree.leaf_count, sizeof *set.packets);
    ISO_CHECK(ctx, set.packets, ISO_ERR_MEMORY, "packets of %d triangles", kept_count);
    fill_packets(mesh, &set);
    *out_set = set;

done:
    iso_free(ctx, boxes);
    iso_free(ctx, kept);
    if (status != ISO_OK) {
        iso_tri_set_destroy(ctx, &set);
    }
    return status;
}

void iso_tri_set_destroy(iso_context* ctx, iso_tri_set* set) {
    iso_bvh_destroy(ctx, &set->tree);
    iso_free(ctx, set->packets);
    *set = (iso_tri_set){0};
}
