// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/build/field_body.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "field/build/extent.h"
#include "field/build/skin_distance.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/shape.h"
#include "geometry/mesh/topology.h"
#include "geometry/mesh_files/vtk/volume_file.h"
#include "geometry/tessellation/tessellate.h"
#include "geometry/tetrahedra/tet_repair.h"
#include "math/limits.h"

#include <string.h>

// Margins wider than this part of a body's size are what is tessellated, not the body.
#define POINT_MARGIN 0.5
// Poisson's equation on a primitive: most layers from the skin to the deepest points.
#define MOST_RADIAL_CUTS 31
// Vertices nearer to a level than this part of the first gap between levels count as on it.
#define LEVEL_TOLERANCE 0.05

void iso_field_body_destroy(iso_context* ctx, iso_field_body* body) {
    iso_tet_mesh_destroy(ctx, &body->mesh);
    for (int k = 0; k < body->arrays.count; ++k) {
        iso_free(ctx, body->arrays.values[k]);
    }
    *body = (iso_field_body){0};
}

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

static double deepest_of(const iso_field_body* body) {
    double deepest = 0.0;
    for (int i = 0; i < body->mesh.vertex_count; ++i) {
        deepest = fmax(deepest, body->arrays.values[0][i]);
    }
    return deepest;
}

// Depths of a primitive's vertices, with the margin around it.
static iso_status primitive_depths(iso_context* ctx, const iso_shape_desc* shape,
                                   const iso_field_recipe* recipe, double hint,
                                   iso_field_body* body) {
    iso_shape_desc inflated = *shape;
    double margin = recipe->margin;
    if (margin > 0.0) {
        iso_status status = iso_shape_inflate(ctx, shape, margin, &inflated);
        if (status != ISO_OK) {
            return status;
        }
        // A body that is a point beside its margin: edges that fit it would be a thousandth of it.
        if (margin > POINT_MARGIN * iso_shape_size(shape)) {
            hint = fmax(hint, iso_shape_default_resolution(&inflated));
        }
    }
    iso_status status =
        iso_tessellate_volume(ctx, &inflated, hint, &body->mesh, &body->arrays.values[0]);
    if (status != ISO_OK) {
        return status;
    }
    double* depths = body->arrays.values[0];
    double depth = primitive_depth(&inflated);
    for (int i = 0; i < body->mesh.vertex_count; ++i) {
        depths[i] = inflated_depth(shape, body->mesh.vertices[i], depths[i], depth, margin);
    }
    body->has_margin = margin > 0.0;
    body->slope = 1.0;
    body->full = recipe->thickness > 0.0 ? recipe->thickness : deepest_of(body);
    return ISO_OK;
}

static iso_status solve_poisson(iso_context* ctx, iso_field_body* body) {
    iso_extent_desc desc = iso_extent_desc_default();
    desc.kind = ISO_EXTENT_POISSON;
    body->full = 1.0;
    body->slope = 0.0;
    return iso_extent_solve(ctx, &body->mesh, &desc, body->arrays.values[0], NULL);
}

// A primitive's own tessellation has no vertex between skin and medial axis: it is cut into layers
// about as thick as its edges are long.
static iso_status primitive_poisson(iso_context* ctx, const iso_shape_desc* shape, double hint,
                                    iso_field_body* body) {
    double levels[MOST_RADIAL_CUTS];
    iso_status status =
        iso_tessellate_volume(ctx, shape, hint, &body->mesh, &body->arrays.values[0]);
    if (status != ISO_OK) {
        return status;
    }
    double layers = ceil(primitive_depth(shape) / hint);
    int cut_count = (int)iso_clamp(layers, 2.0, MOST_RADIAL_CUTS + 1.0) - 1;
    for (int i = 0; i < cut_count; ++i) {
        levels[i] = (double)(i + 1) / (cut_count + 1);
    }
    status = iso_tet_mesh_slice(ctx, &body->mesh, &body->arrays, levels, cut_count,
                                LEVEL_TOLERANCE * levels[0]);
    return status == ISO_OK ? solve_poisson(ctx, body) : status;
}

static iso_status copy_array(iso_context* ctx, const double* values, int count, double** out_copy) {
    if (!values) {
        return ISO_OK;
    }
    *out_copy = iso_alloc_array(ctx, count, sizeof **out_copy);
    ISO_REQUIRE(ctx, *out_copy, ISO_ERR_MEMORY, "values of %d vertices", count);
    memcpy(*out_copy, values, (size_t)count * sizeof *values);
    return ISO_OK;
}

// The mesh with its own arrays: pressure and extent are in the recipe's order of preference.
static iso_status load_mesh(iso_context* ctx, const iso_shape_desc* shape,
                            const iso_field_recipe* recipe, double hint, iso_volume_file* file) {
    bool is_file = shape->kind == ISO_SHAPE_MESH && !shape->volume && !shape->surface &&
                   iso_volume_file_is_known(shape->path);
    if (is_file) {
        return iso_volume_file_load(ctx, shape->path, shape->scale, file);
    }
    double* extents = NULL;
    iso_status status = recipe->hull
                            ? iso_tessellate_hull(ctx, recipe->hull, &file->mesh, &extents)
                            : iso_tessellate_volume(ctx, shape, hint, &file->mesh, &extents);
    iso_free(ctx, extents);
    int count = file->mesh.vertex_count;
    bool has_arrays = recipe->pressure || recipe->extent || recipe->moduli;
    if (status == ISO_OK && has_arrays &&
        (!shape->volume || shape->volume->vertex_count != count)) {
        status = iso_fail(ctx, ISO_ERR_ARGUMENT, __func__,
                          "values at vertices are given for a mesh with vertices that are not used "
                          "(%d are), expected a volume without them",
                          count);
    }
    if (status == ISO_OK) {
        status = copy_array(ctx, recipe->pressure, count, &file->pressure);
    }
    if (status == ISO_OK) {
        status = copy_array(ctx, recipe->extent, count, &file->extent);
    }
    if (status == ISO_OK) {
        status = copy_array(ctx, recipe->moduli, count, &file->modulus);
    }
    return status;
}

static iso_status check_moduli(iso_context* ctx, const double* moduli, int count) {
    for (int i = 0; moduli && i < count; ++i) {
        ISO_REQUIRE(ctx, isfinite(moduli[i]) && moduli[i] > 0.0, ISO_ERR_RANGE,
                    "modulus of vertex %d is %g Pa, expected finite and > 0", i, moduli[i]);
    }
    return ISO_OK;
}

// A field that came with the mesh: finite, in range, zero on the skin.
static iso_status check_given(iso_context* ctx, const iso_field_body* body, bool is_skin_bonded) {
    const char* what = body->is_pressure ? "pressure" : "extent";
    const char* unit = body->is_pressure ? " Pa" : "";
    const double* values = body->arrays.values[0];
    iso_tet_topology topology = {0};
    iso_status status = ISO_OK;
    double largest = 0.0;
    for (int i = 0; i < body->mesh.vertex_count; ++i) {
        ISO_REQUIRE(ctx, isfinite(values[i]), ISO_ERR_RANGE,
                    "%s of vertex %d is %g%s, expected a finite number", what, i, values[i], unit);
        largest = fmax(largest, values[i]);
    }
    ISO_REQUIRE(ctx, largest > 0.0, ISO_ERR_RANGE,
                "the largest %s of %d vertices is %g%s, expected > 0", what,
                body->mesh.vertex_count, largest, unit);
    double tolerance = ISO_ZERO_ON_SKIN * largest;
    ISO_TRY(iso_tet_topology_create(ctx, &body->mesh, &topology));
    for (int i = 0; i < body->mesh.vertex_count; ++i) {
        ISO_CHECK(ctx, values[i] >= -tolerance, ISO_ERR_RANGE,
                  "%s of vertex %d is %g%s, expected >= 0", what, i, values[i], unit);
        ISO_CHECK(ctx, body->is_pressure || values[i] <= 1.0 + ISO_ZERO_ON_SKIN, ISO_ERR_RANGE,
                  "extent of vertex %d is %g, expected at most 1", i, values[i]);
        ISO_CHECK(ctx, is_skin_bonded || !topology.is_on_skin[i] || values[i] <= tolerance,
                  ISO_ERR_RANGE,
                  "%s of vertex %d on the skin is %g%s, expected 0 (at most %g): a skin that "
                  "is bonded to something rigid must be declared (bonded_skin)",
                  what, i, values[i], unit, tolerance);
    }

done:
    iso_tet_topology_destroy(ctx, &topology);
    return status;
}

// Mostly tetrahedra between vertices of the skin, where one would be given an inner vertex.
static void warn_of_dead_tets(iso_context* ctx, const char* name, const iso_field_body* body) {
    const double* values = body->arrays.values[0];
    double zero = ISO_ZERO_ON_SKIN * deepest_of(body);
    int dead_count = 0;
    for (int i = 0; i < body->mesh.tet_count; ++i) {
        const int* t = body->mesh.tets[i];
        dead_count += values[t[0]] <= zero && values[t[1]] <= zero && values[t[2]] <= zero &&
                      values[t[3]] <= zero;
    }
    if (dead_count > 0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s: its own %s is used as given and is 0 in %d of %d tetrahedra, which press on "
                "nothing: all their corners are on the skin, or 0 inside",
                name, body->is_pressure ? "pressure" : "extent", dead_count, body->mesh.tet_count);
    }
}

static iso_status take_given(iso_context* ctx, const char* name, const iso_field_recipe* recipe,
                             iso_volume_file* file, iso_field_body* body) {
    body->is_pressure = file->pressure != NULL;
    body->arrays.values[0] = file->pressure ? file->pressure : file->extent;
    if (file->pressure && file->extent) {
        iso_log(ctx, ISO_LOG_WARNING, "%s: has pressure and extent, pressure is used", name);
        iso_free(ctx, file->extent);
    }
    file->pressure = file->extent = NULL;
    body->full = body->is_pressure ? deepest_of(body) : 1.0;
    iso_status status = check_given(ctx, body, recipe->is_skin_bonded);
    if (status == ISO_OK) {
        warn_of_dead_tets(ctx, name, body);
    }
    return status;
}

static iso_status mesh_distance(iso_context* ctx, const iso_field_recipe* recipe,
                                iso_field_body* body) {
    iso_status status = iso_tet_mesh_skin_distance(ctx, &body->mesh, &body->arrays.values[0]);
    if (status != ISO_OK) {
        return status;
    }
    double deepest = deepest_of(body);
    ISO_REQUIRE(ctx, deepest > 0.0, ISO_ERR_GEOMETRY,
                "none of its %d vertices lies inside the skin, so the pressure would be zero "
                "everywhere; expected 1 or more: refine the mesh",
                body->mesh.vertex_count);
    body->slope = 1.0;
    body->full = recipe->thickness > 0.0 ? recipe->thickness : deepest;
    return ISO_OK;
}

static iso_status mesh_body(iso_context* ctx, const iso_shape_desc* shape,
                            const iso_field_recipe* recipe, double hint, iso_field_body* body) {
    const char* name = iso_shape_mesh_name(shape);
    iso_volume_file file = {0};
    iso_status status = ISO_OK;
    ISO_TRY(load_mesh(ctx, shape, recipe, hint, &file));
    body->mesh = file.mesh;
    file.mesh = (iso_tet_mesh){0};
    body->arrays.values[1] = file.modulus;
    file.modulus = NULL;
    ISO_TRY(check_moduli(ctx, body->arrays.values[1], body->mesh.vertex_count));
    if (recipe->extent_kind == ISO_EXTENT_AUTO && (file.pressure || file.extent)) {
        ISO_TRY(take_given(ctx, name, recipe, &file, body));
        goto done;
    }
    if (file.pressure || file.extent) {
        iso_log(ctx, ISO_LOG_INFO, "%s: its own pressure field is not used", name);
    }
    if (!recipe->is_mesh_kept) {
        ISO_TRY(iso_tet_mesh_give_interior(ctx, name, &body->mesh, &body->arrays, NULL));
    }
    if (recipe->extent_kind == ISO_EXTENT_POISSON) {
        int count = body->mesh.vertex_count;
        body->arrays.values[0] = iso_alloc_array(ctx, count, sizeof(double));
        ISO_CHECK(ctx, body->arrays.values[0], ISO_ERR_MEMORY, "extents of %d vertices", count);
        ISO_TRY(solve_poisson(ctx, body));
    } else {
        ISO_TRY(mesh_distance(ctx, recipe, body));
    }

done:
    iso_volume_file_destroy(ctx, &file);
    bool is_named = shape->path && !shape->volume && !shape->surface && body->mesh.vertices;
    return status != ISO_OK && is_named ? iso_fail_prefix(ctx, status, "%s", name) : status;
}

iso_status iso_field_body_make(iso_context* ctx, const iso_shape_desc* shape,
                               const iso_field_recipe* recipe, iso_field_body* body) {
    double hint = recipe->resolution_hint > 0.0 ? recipe->resolution_hint
                                                : iso_shape_default_resolution(shape);
    *body = (iso_field_body){.arrays.count = 2};
    if (shape->kind == ISO_SHAPE_CONVEX || shape->kind == ISO_SHAPE_MESH) {
        return mesh_body(ctx, shape, recipe, hint, body);
    }
    if (recipe->extent_kind == ISO_EXTENT_POISSON) {
        return primitive_poisson(ctx, shape, hint, body);
    }
    return primitive_depths(ctx, shape, recipe, hint, body);
}
