// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/surface/shells.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/distance.h"

#include <math.h>

static void spread(const iso_tri_topology* topology, int seed, int shell, int* shell_of,
                   int* stack) {
    int depth = 0;
    stack[depth++] = seed;
    shell_of[seed] = shell;
    while (depth > 0) {
        int t = stack[--depth];
        for (int k = 0; k < 3; ++k) {
            int next = topology->neighbors[t][k];
            if (next >= 0 && shell_of[next] < 0) {
                shell_of[next] = shell;
                stack[depth++] = next;
            }
        }
    }
}

static iso_status find_parts(iso_context* ctx, const iso_tri_mesh* mesh, iso_shells* shells) {
    iso_tri_topology topology = {0};
    int count = mesh->triangle_count;
    iso_status status = ISO_OK;
    int* stack = iso_alloc_array(ctx, count, sizeof *stack);
    shells->shell_of = iso_alloc_array(ctx, count, sizeof *shells->shell_of);
    ISO_CHECK(ctx, stack && shells->shell_of, ISO_ERR_MEMORY, "shells of %d triangles", count);
    ISO_TRY(iso_tri_topology_create(ctx, mesh, &topology));
    for (int i = 0; i < count; ++i) {
        shells->shell_of[i] = -1;
    }
    for (int i = 0; i < count; ++i) {
        if (shells->shell_of[i] < 0) {
            spread(&topology, i, shells->count++, shells->shell_of, stack);
        }
    }

done:
    iso_tri_topology_destroy(ctx, &topology);
    iso_free(ctx, stack);
    return status;
}

// The triangles of one shell; vertices are borrowed.
static iso_status extract(iso_context* ctx, const iso_tri_mesh* mesh, const iso_shells* shells,
                          int shell, iso_tri_mesh* out_part) {
    int count = 0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        count += shells->shell_of[i] == shell;
    }
    *out_part = (iso_tri_mesh){.vertex_count = mesh->vertex_count, .vertices = mesh->vertices};
    out_part->triangles = iso_alloc_array(ctx, count, sizeof *out_part->triangles);
    ISO_REQUIRE(ctx, out_part->triangles, ISO_ERR_MEMORY, "shell of %d triangles", count);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        for (int k = 0; k < 3 && shells->shell_of[i] == shell; ++k) {
            out_part->triangles[out_part->triangle_count][k] = mesh->triangles[i][k];
        }
        out_part->triangle_count += shells->shell_of[i] == shell;
    }
    return ISO_OK;
}

// A part and how to tell what is inside it.
typedef struct shell_part {
    iso_tri_mesh mesh;
    iso_distance_tree* tree; // NULL until needed
} shell_part;

static iso_status is_around(iso_context* ctx, shell_part* part, iso_vec3 p, bool* out_is_around) {
    iso_status status = ISO_OK;
    if (!part->tree) {
        ISO_TRY(iso_distance_tree_create(ctx, &part->mesh, &part->tree));
    }
    *out_is_around = iso_distance_tree_winding_number(part->tree, p) > 0.5;

done:
    return status;
}

static iso_status find_owner(iso_context* ctx, shell_part* parts, const double* volumes, int count,
                             int shell, int* out_owner) {
    iso_status status = ISO_OK;
    const iso_vec3* v = parts[shell].mesh.vertices;
    const int* t = parts[shell].mesh.triangles[0];
    // Vertices and edges may touch the part around, inside triangles do not.
    iso_vec3 p = iso_vec3_scale(iso_vec3_add(iso_vec3_add(v[t[0]], v[t[1]]), v[t[2]]), 1.0 / 3.0);
    *out_owner = volumes[shell] > 0.0 ? shell : -1;
    for (int k = 0; k < count && volumes[shell] <= 0.0; ++k) {
        bool is_smaller = *out_owner < 0 || volumes[k] < volumes[*out_owner], is_owner = false;
        if (volumes[k] > 0.0 && is_smaller) {
            ISO_TRY(is_around(ctx, &parts[k], p, &is_owner));
        }
        *out_owner = is_owner ? k : *out_owner;
    }
    ISO_CHECK(ctx, *out_owner >= 0, ISO_ERR_GEOMETRY,
              "a part of the surface near (%g, %g, %g) faces inward, but no other part is around "
              "it",
              p.x, p.y, p.z);

done:
    return status;
}

iso_status iso_shells_find(iso_context* ctx, const iso_tri_mesh* mesh, iso_shells* out_shells) {
    *out_shells = (iso_shells){0};
    iso_shells* s = out_shells;
    shell_part* parts = NULL;
    double* volumes = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(find_parts(ctx, mesh, s));
    s->owners = iso_alloc_array(ctx, s->count, sizeof *s->owners);
    parts = iso_alloc_array(ctx, s->count, sizeof *parts);
    volumes = iso_alloc_array(ctx, s->count, sizeof *volumes);
    ISO_CHECK(ctx, s->owners && parts && volumes, ISO_ERR_MEMORY, "%d shells", s->count);
    for (int i = 0; i < s->count; ++i) {
        ISO_TRY(extract(ctx, mesh, s, i, &parts[i].mesh));
        volumes[i] = iso_tri_mesh_volume(&parts[i].mesh);
    }
    for (int i = 0; i < s->count; ++i) {
        ISO_TRY(find_owner(ctx, parts, volumes, s->count, i, &s->owners[i]));
    }

done:
    for (int i = 0; parts && i < s->count; ++i) {
        iso_free(ctx, parts[i].mesh.triangles);
        iso_distance_tree_destroy(ctx, parts[i].tree);
    }
    iso_free(ctx, parts);
    iso_free(ctx, volumes);
    if (status != ISO_OK) {
        iso_shells_destroy(ctx, s);
    }
    return status;
}

void iso_shells_destroy(iso_context* ctx, iso_shells* shells) {
    iso_free(ctx, shells->shell_of);
    iso_free(ctx, shells->owners);
    *shells = (iso_shells){0};
}
