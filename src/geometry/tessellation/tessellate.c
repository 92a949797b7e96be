// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/tessellation/tessellate.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/shape.h"
#include "geometry/search/hull.h"
#include "geometry/tessellation/shape_mesh.h"
#include "geometry/tessellation/tessellate_shapes.h"

iso_status iso_tessellate_allocate(iso_context* ctx, int vertex_count, int tet_count,
                                   iso_tet_mesh* out_mesh, double** out_extents) {
    iso_status status = iso_tet_mesh_allocate(ctx, vertex_count, tet_count, out_mesh);
    if (status != ISO_OK) {
        return status;
    }
    *out_extents = iso_alloc_array(ctx, vertex_count, sizeof **out_extents);
    if (!*out_extents) {
        iso_tet_mesh_destroy(ctx, out_mesh);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "extents of %d vertices", vertex_count);
    }
    return ISO_OK;
}

void iso_tessellate_append(iso_tet_mesh* mesh, int* count, int a, int b, int c, int d) {
    int* tet = mesh->tets[(*count)++];
    tet[0] = a;
    tet[1] = b;
    tet[2] = c;
    tet[3] = d;
}

static iso_status check_hint(iso_context* ctx, const iso_shape_desc* shape,
                             double resolution_hint) {
    ISO_REQUIRE(ctx,
                !iso_shape_is_curved(shape->kind) ||
                    (isfinite(resolution_hint) && resolution_hint > 0.0),
                ISO_ERR_RANGE, "%s: resolution hint is %g m, expected finite and > 0",
                iso_shape_kind_name(shape->kind), resolution_hint);
    return ISO_OK;
}

static iso_status load_hull(iso_context* ctx, const iso_shape_desc* shape, iso_tet_mesh* out_mesh,
                            double** out_extents) {
    iso_tri_mesh hull;
    iso_status status = iso_shape_load_hull(ctx, shape, &hull);
    if (status == ISO_OK) {
        status = iso_hull_tetrahedra(ctx, &hull, out_mesh, out_extents);
    }
    iso_tri_mesh_destroy(ctx, &hull);
    return status;
}

static iso_status load_volume(iso_context* ctx, const iso_shape_desc* shape,
                              iso_tet_mesh* out_mesh) {
    iso_tri_mesh surface;
    iso_status status = iso_shape_load_mesh(ctx, shape, &surface, out_mesh);
    if (status == ISO_OK && !out_mesh->vertices) {
        status = iso_fail(ctx, ISO_ERR_GEOMETRY, __func__,
                          "%s is a surface without tetrahedra: make a .vtk of it with "
                          "'isobar prepare', or declare it rigid or convex",
                          iso_shape_mesh_name(shape));
    }
    iso_tri_mesh_destroy(ctx, &surface);
    return status;
}

static iso_status tessellate(iso_context* ctx, const iso_shape_desc* shape, double resolution_hint,
                             iso_tet_mesh* out_mesh, double** out_extents) {
    iso_vec3 radii = iso_vec3_make(shape->radius, shape->radius, shape->radius);
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
        return iso_tessellate_ellipsoid(ctx, radii, resolution_hint, out_mesh, out_extents);
    case ISO_SHAPE_ELLIPSOID:
        return iso_tessellate_ellipsoid(ctx, shape->size, resolution_hint, out_mesh, out_extents);
    case ISO_SHAPE_BOX:
        return iso_tessellate_box(ctx, shape->size, out_mesh, out_extents);
    case ISO_SHAPE_CYLINDER:
        return iso_tessellate_cylinder(ctx, shape->radius, shape->length, resolution_hint, out_mesh,
                                       out_extents);
    case ISO_SHAPE_CAPSULE:
        return iso_tessellate_capsule(ctx, shape->radius, shape->length, resolution_hint, out_mesh,
                                      out_extents);
    case ISO_SHAPE_CONVEX:
        return load_hull(ctx, shape, out_mesh, out_extents);
    case ISO_SHAPE_MESH:
        return load_volume(ctx, shape, out_mesh);
    case ISO_SHAPE_HALF_SPACE:
        break;
    }
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__, "a %s has no tetrahedra",
                    iso_shape_kind_name(shape->kind));
}

// What was made may be too flat or too small for doubles, which no check of the sizes foresees.
// Nothing is left of what failed.
static iso_status check_made(iso_context* ctx, iso_status status, iso_tet_mesh* mesh,
                             double** extents) {
    if (status == ISO_OK) {
        status = iso_tet_mesh_check(ctx, mesh);
    }
    if (status != ISO_OK) {
        iso_tet_mesh_destroy(ctx, mesh);
        iso_free(ctx, *extents);
        *extents = NULL;
    }
    return status;
}

iso_status iso_tessellate_volume(iso_context* ctx, const iso_shape_desc* shape,
                                 double resolution_hint, iso_tet_mesh* out_mesh,
                                 double** out_extents) {
    ISO_REQUIRE(ctx, shape && out_mesh && out_extents, ISO_ERR_ARGUMENT,
                "shape, out_mesh and out_extents are required");
    *out_mesh = (iso_tet_mesh){0};
    *out_extents = NULL;
    iso_status status = iso_shape_check(ctx, shape);
    if (status == ISO_OK) {
        status = check_hint(ctx, shape, resolution_hint);
    }
    if (status != ISO_OK) {
        return status;
    }
    status = tessellate(ctx, shape, resolution_hint, out_mesh, out_extents);
    return check_made(ctx, status, out_mesh, out_extents);
}

iso_status iso_tessellate_hull(iso_context* ctx, const iso_tri_mesh* hull, iso_tet_mesh* out_mesh,
                               double** out_extents) {
    iso_status status = iso_hull_tetrahedra(ctx, hull, out_mesh, out_extents);
    return check_made(ctx, status, out_mesh, out_extents);
}

// Skin of the tetrahedra of a primitive or of a volume mesh.
static iso_status tessellate_skin(iso_context* ctx, const iso_shape_desc* shape,
                                  double resolution_hint, iso_tri_mesh* out_mesh) {
    iso_tet_mesh volume;
    double* extents;
    iso_status status = iso_tessellate_volume(ctx, shape, resolution_hint, &volume, &extents);
    if (status == ISO_OK) {
        status = iso_tet_mesh_skin(ctx, &volume, out_mesh);
    }
    iso_tet_mesh_destroy(ctx, &volume);
    iso_free(ctx, extents);
    return status;
}

iso_status iso_tessellate_surface(iso_context* ctx, const iso_shape_desc* shape,
                                  double resolution_hint, iso_tri_mesh* out_mesh) {
    ISO_REQUIRE(ctx, shape && out_mesh, ISO_ERR_ARGUMENT, "shape and out_mesh are required");
    *out_mesh = (iso_tri_mesh){0};
    if (shape->kind == ISO_SHAPE_CONVEX) {
        return iso_shape_load_hull(ctx, shape, out_mesh);
    }
    if (shape->kind != ISO_SHAPE_MESH) {
        return tessellate_skin(ctx, shape, resolution_hint, out_mesh);
    }
    iso_tet_mesh volume;
    iso_status status = iso_shape_load_mesh(ctx, shape, out_mesh, &volume);
    if (status == ISO_OK && volume.vertices) {
        status = iso_tet_mesh_skin(ctx, &volume, out_mesh);
    }
    iso_tet_mesh_destroy(ctx, &volume);
    return status;
}

// The square that shows a half space.
static iso_status half_space_square(iso_context* ctx, double side, iso_tri_mesh* out_mesh) {
    iso_status status = iso_tri_mesh_allocate(ctx, 4, 2, out_mesh);
    if (status != ISO_OK) {
        return status;
    }
    static const int k_triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (int i = 0; i < 4; ++i) {
        double x = i == 1 || i == 2 ? 0.5 : -0.5;
        double y = i >= 2 ? 0.5 : -0.5;
        out_mesh->vertices[i] = iso_vec3_make(x * side, y * side, 0.0);
    }
    for (int i = 0; i < 6; ++i) {
        out_mesh->triangles[i / 3][i % 3] = k_triangles[i / 3][i % 3];
    }
    return ISO_OK;
}

iso_status iso_shape_surface(iso_context* ctx, const iso_shape_desc* shape, double resolution_hint,
                             iso_tri_mesh* out_mesh) {
    ISO_REQUIRE(ctx, shape && out_mesh, ISO_ERR_ARGUMENT, "shape and out_mesh are required");
    *out_mesh = (iso_tri_mesh){0};
    if (shape->kind != ISO_SHAPE_HALF_SPACE) {
        return iso_tessellate_surface(ctx, shape, resolution_hint, out_mesh);
    }
    ISO_REQUIRE(ctx, isfinite(resolution_hint) && resolution_hint > 0.0, ISO_ERR_RANGE,
                "half_space: resolution hint is %g m, expected finite and > 0", resolution_hint);
    return half_space_square(ctx, 100.0 * resolution_hint, out_mesh);
}
