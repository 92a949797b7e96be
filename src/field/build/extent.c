// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/build/extent.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "field/build/poisson.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/distance.h"
#include "math/limits.h"

// A vertex this far from the core's surface, relative to the mesh, lies on it.
#define ON_CORE_TOLERANCE 1e-9

iso_extent_desc iso_extent_desc_default(void) {
    return (iso_extent_desc){.kind = ISO_EXTENT_AUTO};
}

// What is known of the mesh before a value is computed.
typedef struct extent_problem {
    iso_context* ctx;
    const iso_tet_mesh* mesh;
    iso_tet_topology topology;
    iso_extent_vertex* kinds; // [vertex_count]
    bool* is_core;            // [vertex_count]
    iso_tri_mesh exposed;     // exposed faces, vertices of the mesh (borrowed)
    iso_tri_mesh bonded;      // faces of the core, the same
    int core_count, exposed_count, free_count;
} extent_problem;

// Vertices on the core's surface, or inside it.
static iso_status mark_core(extent_problem* p, const iso_tri_mesh* core) {
    iso_distance_tree* tree = NULL;
    iso_tri_topology topology = {0};
    iso_vec3 lower, upper, mesh_lower, mesh_upper;
    iso_status status = iso_tri_mesh_check(p->ctx, core);
    if (status != ISO_OK) {
        return iso_fail_prefix(p->ctx, status, "core");
    }
    ISO_TRY(iso_distance_tree_create(p->ctx, core, &tree));
    ISO_TRY(iso_tri_topology_create(p->ctx, core, &topology));
    bool is_closed = topology.boundary_edge_count == 0 && topology.non_manifold_edge_count == 0 &&
                     topology.flipped_edge_count == 0;
    iso_points_bounds(core->vertices, core->vertex_count, &lower, &upper);
    iso_points_bounds(p->mesh->vertices, p->mesh->vertex_count, &mesh_lower, &mesh_upper);
    double tolerance = ON_CORE_TOLERANCE * iso_vec3_norm(iso_vec3_sub(mesh_upper, mesh_lower));
    for (int i = 0; i < p->mesh->vertex_count; ++i) {
        iso_vec3 v = p->mesh->vertices[i];
        bool is_near = v.x >= lower.x - tolerance && v.x <= upper.x + tolerance &&
                       v.y >= lower.y - tolerance && v.y <= upper.y + tolerance &&
                       v.z >= lower.z - tolerance && v.z <= upper.z + tolerance;
        if (is_near && !p->is_core[i]) {
            p->is_core[i] = iso_distance_to_surface(tree, v, NULL, NULL) <= tolerance ||
                            (is_closed && fabs(iso_distance_tree_winding_number(tree, v)) > 0.5);
        }
    }

done:
    iso_distance_tree_destroy(p->ctx, tree);
    iso_tri_topology_destroy(p->ctx, &topology);
    return status;
}

static void append_face(iso_tri_mesh* surface, const int v[3]) {
    int* t = surface->triangles[surface->triangle_count++];
    t[0] = v[0];
    t[1] = v[1];
    t[2] = v[2];
}

// Sort the faces of the skin and of the core; sets the kinds of all vertices.
static void sort_faces(extent_problem* p, const bool* is_insulated) {
    const iso_tet_mesh* mesh = p->mesh;
    int skin_face = 0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        p->kinds[i] = ISO_EXTENT_VERTEX_EXPOSED; // what no tetrahedron names stays so
    }
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        int v = mesh->tets[i / 4][i % 4];
        p->kinds[v] = p->is_core[v] ? ISO_EXTENT_VERTEX_CORE : ISO_EXTENT_VERTEX_FREE;
    }
    for (int side = 0; side < 4 * mesh->tet_count; ++side) {
        int v[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = mesh->tets[side / 4][k_tet_faces[side % 4][k]];
        }
        bool is_bonded = p->is_core[v[0]] && p->is_core[v[1]] && p->is_core[v[2]];
        if (is_bonded) {
            append_face(&p->bonded, v);
        }
        if (p->topology.neighbors[side / 4][side % 4] < 0) {
            bool is_exposed = !is_bonded && !(is_insulated && is_insulated[skin_face]);
            ++skin_face;
            if (is_exposed) {
                append_face(&p->exposed, v);
                for (int k = 0; k < 3; ++k) {
                    p->kinds[v[k]] = ISO_EXTENT_VERTEX_EXPOSED;
                }
            }
        }
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        p->core_count += p->kinds[i] == ISO_EXTENT_VERTEX_CORE;
        p->exposed_count += p->kinds[i] == ISO_EXTENT_VERTEX_EXPOSED;
        p->free_count += p->kinds[i] == ISO_EXTENT_VERTEX_FREE;
    }
}

// Vertices of the core without a face are triangles of one point.
static void add_lonely_core(extent_problem* p) {
    int face_count = p->bonded.triangle_count;
    for (int i = 0; i < 3 * face_count; ++i) {
        p->is_core[p->bonded.triangles[i / 3][i % 3]] = false;
    }
    for (int i = 0; i < p->mesh->vertex_count; ++i) {
        if (p->is_core[i]) {
            append_face(&p->bonded, (int[3]){i, i, i});
        }
    }
}

static iso_status prepare(extent_problem* p, const iso_extent_desc* desc) {
    const iso_tet_mesh* mesh = p->mesh;
    iso_status status = iso_tet_topology_create(p->ctx, mesh, &p->topology);
    if (status != ISO_OK) {
        return status;
    }
    p->kinds = iso_alloc_array(p->ctx, mesh->vertex_count, sizeof *p->kinds);
    p->is_core = iso_alloc_array(p->ctx, mesh->vertex_count, sizeof *p->is_core);
    p->exposed.triangles = iso_alloc_array(p->ctx, p->topology.skin_face_count, sizeof(int[3]));
    p->bonded.triangles =
        iso_alloc_array(p->ctx, 4 * mesh->tet_count + mesh->vertex_count, sizeof(int[3]));
    ISO_REQUIRE(p->ctx, p->kinds && p->is_core && p->exposed.triangles && p->bonded.triangles,
                ISO_ERR_MEMORY, "boundary of %d vertices", mesh->vertex_count);
    p->exposed.vertices = p->bonded.vertices = mesh->vertices;
    p->exposed.vertex_count = p->bonded.vertex_count = mesh->vertex_count;
    for (int i = 0; desc->is_core && i < mesh->vertex_count; ++i) {
        p->is_core[i] = desc->is_core[i];
    }
    if (desc->core) {
        status = mark_core(p, desc->core);
        if (status != ISO_OK) {
            return status;
        }
    }
    sort_faces(p, desc->is_insulated);
    ISO_REQUIRE(p->ctx, p->exposed_count > 0, ISO_ERR_GEOMETRY,
                "none of the %d faces of the skin is exposed, expected 1 or more",
                p->topology.skin_face_count);
    ISO_REQUIRE(p->ctx, p->core_count > 0 || (!desc->is_core && !desc->core), ISO_ERR_GEOMETRY,
                "none of the %d vertices belongs to the core only, expected 1 or more",
                mesh->vertex_count);
    ISO_REQUIRE(p->ctx, p->core_count + p->free_count > 0, ISO_ERR_GEOMETRY,
                "all of the %d vertices lie on the exposed skin, expected 1 or more inside",
                mesh->vertex_count);
    return ISO_OK;
}

static iso_status solve_distance(extent_problem* p, double* out_extents) {
    iso_distance_tree *skin = NULL, *core = NULL;
    double deepest = 0.0;
    iso_status status = ISO_OK;
    ISO_TRY(iso_distance_tree_create(p->ctx, &p->exposed, &skin));
    if (p->core_count > 0) {
        add_lonely_core(p);
        ISO_TRY(iso_distance_tree_create(p->ctx, &p->bonded, &core));
    }
    for (int i = 0; i < p->mesh->vertex_count; ++i) {
        iso_vec3 v = p->mesh->vertices[i];
        double d = 0.0;
        if (p->kinds[i] == ISO_EXTENT_VERTEX_CORE) {
            d = 1.0;
        } else if (p->kinds[i] == ISO_EXTENT_VERTEX_FREE) {
            d = iso_distance_to_surface(skin, v, NULL, NULL);
            d = core ? d / (d + iso_distance_to_surface(core, v, NULL, NULL)) : d;
        }
        out_extents[i] = d;
        deepest = fmax(deepest, d);
    }
    ISO_CHECK(p->ctx, deepest > 0.0, ISO_ERR_GEOMETRY,
              "none of the %d vertices inside has a distance to the skin, expected > 0",
              p->free_count);
    for (int i = 0; !core && i < p->mesh->vertex_count; ++i) {
        out_extents[i] /= deepest;
    }

done:
    iso_distance_tree_destroy(p->ctx, skin);
    iso_distance_tree_destroy(p->ctx, core);
    return status;
}

static iso_status solve_poisson(extent_problem* p, double* out_extents, iso_extent_report* report) {
    double source = p->core_count > 0 ? 0.0 : 1.0;
    iso_status status =
        iso_poisson_solve(p->ctx, p->mesh, p->kinds, source, out_extents, &report->residual);
    if (status != ISO_OK) {
        return status;
    }
    double largest = p->core_count > 0 ? 1.0 : 0.0;
    for (int i = 0; source > 0.0 && i < p->mesh->vertex_count; ++i) {
        largest = fmax(largest, out_extents[i]);
    }
    ISO_REQUIRE(p->ctx, largest > 0.0, ISO_ERR_NUMERIC,
                "the largest extent is %g before it is scaled, expected > 0", largest);
    for (int i = 0; i < p->mesh->vertex_count; ++i) {
        double e = out_extents[i] / largest;
        report->clamped_count += e < 0.0 || e > 1.0;
        out_extents[i] = iso_clamp(e, 0.0, 1.0);
    }
    if (report->clamped_count > 0) {
        iso_log(p->ctx, ISO_LOG_INFO,
                "extents of %d of %d vertices left [0, 1] and were set to its ends: obtuse "
                "tetrahedra",
                report->clamped_count, p->mesh->vertex_count);
    }
    return ISO_OK;
}

iso_status iso_extent_solve(iso_context* ctx, const iso_tet_mesh* mesh, const iso_extent_desc* desc,
                            double* out_extents, iso_extent_report* out_report) {
    ISO_REQUIRE(ctx, mesh && out_extents, ISO_ERR_ARGUMENT, "mesh and out_extents are required");
    iso_extent_desc standard = iso_extent_desc_default();
    desc = desc ? desc : &standard;
    ISO_REQUIRE(ctx,
                desc->kind == ISO_EXTENT_AUTO || desc->kind == ISO_EXTENT_DISTANCE ||
                    desc->kind == ISO_EXTENT_POISSON,
                ISO_ERR_ARGUMENT, "kind of extent is %d, expected %d to %d", (int)desc->kind,
                ISO_EXTENT_AUTO, ISO_EXTENT_POISSON);
    iso_status status = iso_tet_mesh_check(ctx, mesh);
    if (status != ISO_OK) {
        return status;
    }
    iso_extent_report report = {0};
    extent_problem problem = {.ctx = ctx, .mesh = mesh};
    ISO_TRY(prepare(&problem, desc));
    report.core_vertex_count = problem.core_count;
    report.exposed_vertex_count = problem.exposed_count;
    report.free_vertex_count = problem.free_count;
    bool is_distance = desc->kind == ISO_EXTENT_DISTANCE ||
                       (desc->kind == ISO_EXTENT_AUTO && problem.core_count == 0);
    if (is_distance) {
        ISO_TRY(solve_distance(&problem, out_extents));
    } else {
        ISO_TRY(solve_poisson(&problem, out_extents, &report));
    }
    if (out_report) {
        *out_report = report;
    }

done:
    iso_tet_topology_destroy(ctx, &problem.topology);
    iso_free(ctx, problem.kinds);
    iso_free(ctx, problem.is_core);
    iso_free(ctx, problem.exposed.triangles);
    iso_free(ctx, problem.bonded.triangles);
    return status;
}
