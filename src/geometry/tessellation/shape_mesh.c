// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/tessellation/shape_mesh.h"

#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/shape.h"
#include "geometry/mesh_files/vtk/volume_file.h"
#include "geometry/search/hull.h"
#include "geometry/tetrahedra/tet_repair.h"

static iso_status copy_volume(iso_context* ctx, const iso_shape_desc* shape,
                              iso_tet_mesh* out_volume) {
    const iso_tet_mesh* volume = shape->volume;
    ISO_REQUIRE(
        ctx, volume->vertices && volume->tets && volume->vertex_count > 0 && volume->tet_count > 0,
        ISO_ERR_ARGUMENT,
        "inline volume of %d vertices and %d tetrahedra: an array is "
        "missing or empty",
        volume->vertex_count, volume->tet_count);
    iso_status status = iso_tet_mesh_copy_scaled(ctx, volume, shape->scale, out_volume);
    if (status == ISO_OK) {
        status = iso_tet_mesh_clean(ctx, NULL, out_volume, NULL, NULL);
    }
    if (status != ISO_OK) {
        iso_tet_mesh_destroy(ctx, out_volume);
    }
    return status;
}

iso_status iso_shape_load_mesh(iso_context* ctx, const iso_shape_desc* shape,
                               iso_tri_mesh* out_surface, iso_tet_mesh* out_volume) {
    *out_surface = (iso_tri_mesh){0};
    *out_volume = (iso_tet_mesh){0};
    iso_status status = iso_shape_check(ctx, shape);
    if (status != ISO_OK) {
        return status;
    }
    if (shape->volume) {
        return copy_volume(ctx, shape, out_volume);
    }
    if (shape->surface) {
        status = iso_tri_mesh_check(ctx, shape->surface);
        return status == ISO_OK
                   ? iso_tri_mesh_copy_scaled(ctx, shape->surface, shape->scale, out_surface)
                   : status;
    }
    if (iso_volume_file_is_known(shape->path)) {
        return iso_tet_mesh_load(ctx, shape->path, shape->scale, out_volume);
    }
    return iso_tri_mesh_load(ctx, shape->path, shape->scale, out_surface);
}

iso_status iso_shape_load_hull(iso_context* ctx, const iso_shape_desc* shape,
                               iso_tri_mesh* out_hull) {
    iso_tri_mesh surface;
    iso_tet_mesh volume;
    *out_hull = (iso_tri_mesh){0};
    iso_status status = iso_shape_load_mesh(ctx, shape, &surface, &volume);
    if (status != ISO_OK) {
        return status;
    }
    if (volume.vertices) {
        status = iso_hull_create(ctx, volume.vertices, volume.vertex_count, out_hull);
    } else {
        status = iso_hull_create(ctx, surface.vertices, surface.vertex_count, out_hull);
    }
    if (status != ISO_OK && shape->path) {
        status = iso_fail_prefix(ctx, status, "%s", shape->path);
    }
    iso_tri_mesh_destroy(ctx, &surface);
    iso_tet_mesh_destroy(ctx, &volume);
    return status;
}

iso_status iso_shape_bounds(iso_context* ctx, const iso_shape_desc* shape, iso_vec3* out_lower,
                            iso_vec3* out_upper) {
    iso_vec3 half = iso_vec3_make(shape->radius, shape->radius, shape->radius);
    iso_tri_mesh surface;
    iso_tet_mesh volume;
    iso_status status = iso_shape_check(ctx, shape);
    if (status != ISO_OK) {
        return status;
    }
    switch (shape->kind) {
    case ISO_SHAPE_ELLIPSOID:
        half = shape->size;
        break;
    case ISO_SHAPE_BOX:
        half = iso_vec3_scale(shape->size, 0.5);
        break;
    case ISO_SHAPE_CYLINDER:
        half.z = 0.5 * shape->length;
        break;
    case ISO_SHAPE_CAPSULE:
        half.z = 0.5 * shape->length + shape->radius;
        break;
    case ISO_SHAPE_HALF_SPACE:
        *out_lower = iso_vec3_make(-INFINITY, -INFINITY, -INFINITY);
        *out_upper = iso_vec3_make(INFINITY, INFINITY, 0.0);
        return ISO_OK;
    case ISO_SHAPE_CONVEX:
    case ISO_SHAPE_MESH:
        status = iso_shape_load_mesh(ctx, shape, &surface, &volume);
        if (status == ISO_OK && volume.vertices) {
            iso_points_bounds(volume.vertices, volume.vertex_count, out_lower, out_upper);
        } else if (status == ISO_OK) {
            iso_points_bounds(surface.vertices, surface.vertex_count, out_lower, out_upper);
        }
        iso_tri_mesh_destroy(ctx, &surface);
        iso_tet_mesh_destroy(ctx, &volume);
        return status;
    case ISO_SHAPE_SPHERE:
        break;
    }
    *out_lower = iso_vec3_neg(half);
    *out_upper = half;
    return ISO_OK;
}
