// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/field_build.h"

#include "base/alloc.h"
#include "base/fail.h"
#include "base/log.h"
#include "field/shell.h"
#include "field/skin_distance.h"
#include "geometry/mesh.h"
#include "geometry/shape.h"
#include "geometry/tessellate.h"
#include "geometry/topology.h"

#include <string.h>

// Pressures below this part of the modulus are rounding of zero.
#define ZERO_PRESSURE 1e-14

// Depth of the medial axis of a primitive [m].
static double primitive_depth(const iso_shape_desc* shape) {
    iso_vec3 size = shape->size;
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
    case ISO_SHAPE_CAPSULE:
        return shape->radius;
    case ISO_SHAPE_CYLINDER:
        return fmin(shape->radius, 0.5 * shape->length);
    case ISO_SHAPE_BOX:
        return 0.5 * fmin(size.x, fmin(size.y, size.z));
    case ISO_SHAPE_ELLIPSOID:
        return fmin(size.x, fmin(size.y, size.z));
    case ISO_SHAPE_HALF_SPACE:
    case ISO_SHAPE_CONVEX:
    case ISO_SHAPE_MESH:
        break;
    }
    return 0.0;
}

static bool is_meshed(const iso_shape_desc* shape) {
    return shape->kind == ISO_SHAPE_CONVEX || shape->kind == ISO_SHAPE_MESH;
}

// Depth of a vertex of the inflated primitive below the skin of the primitive itself. An
// ellipsoid's levels are ellipsoids: its depth is measured in its smallest semi-axis.
static double inflated_depth(const iso_shape_desc* shape, iso_vec3 v, double extent,
                             double inflated, double margin) {
    if (shape->kind == ISO_SHAPE_ELLIPSOID && margin > 0.0) {
        iso_vec3 unit =
            iso_vec3_make(v.x / shape->size.x, v.y / shape->size.y, v.z / shape->size.z);
        return (inflated - margin) * (1.0 - iso_vec3_norm(unit));
    }
    return extent * inflated - margin;
}

static iso_status primitive_depths(iso_context* ctx, const iso_shape_desc* shape, double hint,
                                   double margin, iso_tet_mesh* out_mesh, double** out_depths) {
    iso_shape_desc inflated = *shape;
    if (margin > 0.0) {
        iso_status status = iso_shape_inflate(ctx, shape, margin, &inflated);
        if (status != ISO_OK) {
            return status;
        }
    }
    iso_status status = iso_tessellate_volume(ctx, &inflated, hint, out_mesh, out_depths);
    if (status != ISO_OK) {
        return status;
    }
    double depth = primitive_depth(&inflated);
    for (int i = 0; i < out_mesh->vertex_count; ++i) {
        (*out_depths)[i] =
            inflated_depth(shape, out_mesh->vertices[i], (*out_depths)[i], depth, margin);
    }
    return ISO_OK;
}

// Add a layer of tetrahedra outside the skin, at depth -margin.
static iso_status add_margin(iso_context* ctx, double margin, iso_tet_mesh* mesh, double** depths) {
    iso_tri_mesh skin = {0};
    iso_tet_mesh shell = {0}, grown = {0};
    iso_tet_topology topology = {0};
    double* grown_depths = NULL;
    int* index = NULL; // of a shell vertex in the grown mesh
    int dropped_count = 0;
    iso_status status = ISO_OK;
    ISO_TRY(iso_tet_topology_create(ctx, mesh, &topology));
    ISO_TRY(iso_tet_mesh_skin(ctx, mesh, &skin));
    ISO_TRY(iso_shell_create(ctx, &skin, margin, &shell, &dropped_count));
    if (dropped_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "margin of %g m: %d of %d tetrahedra outside the skin left out, they overlap",
                margin, dropped_count, 3 * skin.triangle_count);
    }
    ISO_TRY(iso_tet_mesh_allocate(ctx, mesh->vertex_count + skin.vertex_count,
                                  mesh->tet_count + shell.tet_count, &grown));
    grown_depths = iso_alloc_array(ctx, grown.vertex_count, sizeof *grown_depths);
    index = iso_alloc_array(ctx, shell.vertex_count, sizeof *index);
    ISO_CHECK(ctx, grown_depths && index, ISO_ERR_MEMORY, "margin of %d vertices",
              skin.vertex_count);
    int skin_vertex = 0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        grown.vertices[i] = mesh->vertices[i];
        grown_depths[i] = (*depths)[i];
        if (topology.is_on_skin[i]) {
            index[skin_vertex++] = i;
        }
    }
    for (int i = 0; i < skin.vertex_count; ++i) {
        int at = mesh->vertex_count + i;
        index[skin.vertex_count + i] = at;
        grown.vertices[at] = shell.vertices[skin.vertex_count + i];
        grown_depths[at] = -margin;
    }
    memcpy(grown.tets, mesh->tets, (size_t)mesh->tet_count * sizeof *mesh->tets);
    for (int i = 0; i < shell.tet_count; ++i) {
        for (int corner = 0; corner < 4; ++corner) {
            grown.tets[mesh->tet_count + i][corner] = index[shell.tets[i][corner]];
        }
    }
    iso_tet_mesh_destroy(ctx, mesh);
    iso_free(ctx, *depths);
    *mesh = grown;
    *depths = grown_depths;
    grown = (iso_tet_mesh){0};
    grown_depths = NULL;

done:
    iso_tri_mesh_destroy(ctx, &skin);
    iso_tet_mesh_destroy(ctx, &shell);
    iso_tet_mesh_destroy(ctx, &grown);
    iso_tet_topology_destroy(ctx, &topology);
    iso_free(ctx, grown_depths);
    iso_free(ctx, index);
    return status;
}

// Tetrahedra of a convex shape or a mesh, with the distance of every vertex to the skin.
static iso_status mesh_depths(iso_context* ctx, const iso_shape_desc* shape, double hint,
                              double margin, iso_tet_mesh* out_mesh, double** out_depths) {
    const char* name = shape->path ? shape->path : "inline mesh";
    double* extents = NULL;
    double deepest = 0.0;
    iso_status status = ISO_OK;
    ISO_TRY(iso_tessellate_volume(ctx, shape, hint, out_mesh, &extents));
    iso_free(ctx, extents);
    ISO_TRY(iso_tet_mesh_skin_distance(ctx, out_mesh, out_depths));
    for (int i = 0; i < out_mesh->vertex_count; ++i) {
        deepest = fmax(deepest, (*out_depths)[i]);
    }
    ISO_CHECK(ctx, deepest > 0.0, ISO_ERR_GEOMETRY,
              "%s: none of its %d vertices lies inside the skin, so the pressure would be zero "
              "everywhere; expected 1 or more: refine the mesh",
              name, out_mesh->vertex_count);
    if (margin > 0.0) {
        ISO_TRY(add_margin(ctx, margin, out_mesh, out_depths));
    }

done:
    return status;
}

static iso_status check_recipe(iso_context* ctx, const iso_field_recipe* recipe) {
    ISO_REQUIRE(ctx, isfinite(recipe->modulus) && recipe->modulus > 0.0, ISO_ERR_RANGE,
                "modulus is %g Pa, expected finite and > 0", recipe->modulus);
    ISO_REQUIRE(ctx, isfinite(recipe->thickness) && recipe->thickness >= 0.0, ISO_ERR_RANGE,
                "thickness is %g m, expected finite and >= 0", recipe->thickness);
    ISO_REQUIRE(ctx, isfinite(recipe->margin) && recipe->margin >= 0.0, ISO_ERR_RANGE,
                "margin is %g m, expected finite and >= 0", recipe->margin);
    ISO_REQUIRE(ctx, isfinite(recipe->resolution_hint) && recipe->resolution_hint >= 0.0,
                ISO_ERR_RANGE, "resolution hint is %g m, expected finite and > 0, or 0 for default",
                recipe->resolution_hint);
    return ISO_OK;
}

// Depth [m] to pressure [Pa], in place.
static void to_pressures(double* depths, int count, double modulus, double thickness) {
    double deepest = 0.0;
    for (int i = 0; i < count; ++i) {
        deepest = fmax(deepest, depths[i]);
    }
    double reference = thickness > 0.0 ? thickness : deepest;
    for (int i = 0; i < count; ++i) {
        double p = modulus * (depths[i] / reference);
        depths[i] = fabs(p) <= ZERO_PRESSURE * modulus ? 0.0 : p;
    }
}

iso_status iso_field_create_for_shape(iso_context* ctx, const iso_shape_desc* shape,
                                      const iso_field_recipe* recipe, iso_field** out_field) {
    *out_field = NULL;
    iso_tet_mesh mesh = {0};
    double* depths = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(check_recipe(ctx, recipe));
    double hint = recipe->resolution_hint > 0.0 ? recipe->resolution_hint
                                                : iso_shape_default_resolution(shape);
    ISO_TRY((is_meshed(shape) ? mesh_depths : primitive_depths)(ctx, shape, hint, recipe->margin,
                                                                &mesh, &depths));
    to_pressures(depths, mesh.vertex_count, recipe->modulus, recipe->thickness);
    status = iso_field_create(ctx, &mesh, depths, out_field);
    return status;

done:
    iso_tet_mesh_destroy(ctx, &mesh);
    iso_free(ctx, depths);
    return status;
}

iso_status iso_field_create_for_layer(iso_context* ctx, const iso_tri_mesh* surface, double modulus,
                                      double thickness, iso_field** out_field) {
    *out_field = NULL;
    iso_tet_mesh shell = {0};
    int dropped_count = 0;
    iso_status status = iso_shell_create(ctx, surface, -thickness, &shell, &dropped_count);
    if (status != ISO_OK) {
        return status;
    }
    if (dropped_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "rigid layer of %g m: %d of %d tetrahedra left out, they overlap", thickness,
                dropped_count, 3 * surface->triangle_count);
    }
    double* pressures = iso_alloc_array(ctx, shell.vertex_count, sizeof *pressures);
    if (!pressures) {
        iso_tet_mesh_destroy(ctx, &shell);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "layer of %d vertices", shell.vertex_count);
    }
    for (int i = surface->vertex_count; i < shell.vertex_count; ++i) {
        pressures[i] = modulus;
    }
    return iso_field_create(ctx, &shell, pressures, out_field);
}
