// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/shape.h"
#include "geometry/mesh/topology.h"
#include "geometry/surfaces/surface_orient.h"
#include "geometry/tessellation/shape_mesh.h"
#include "math/eigen3.h"

// Moments of a solid about a reference point near it, so that nothing large cancels.
typedef struct moments {
    double volume;
    iso_vec3 first;  // integral of x
    iso_mat3 second; // integral of x x^T
} moments;

// Add a tetrahedron with signed volume, corners relative to the reference point:
// the integral of x x^T is V / 20 (sum of p p^T + s s^T) with s the sum of the corners.
static void add_tetrahedron(moments* m, const iso_vec3 corners[4]) {
    double volume = iso_tet_signed_volume(corners[0], corners[1], corners[2], corners[3]);
    iso_vec3 sum = iso_vec3_zero();
    iso_mat3 squares = iso_mat3_zero();
    for (int i = 0; i < 4; ++i) {
        sum = iso_vec3_add(sum, corners[i]);
        squares = iso_mat3_add(squares, iso_mat3_outer(corners[i], corners[i]));
    }
    squares = iso_mat3_add(squares, iso_mat3_outer(sum, sum));
    m->volume += volume;
    m->first = iso_vec3_add_scaled(m->first, sum, volume / 4.0);
    m->second = iso_mat3_add(m->second, iso_mat3_scale(squares, volume / 20.0));
}

static iso_status finish(iso_context* ctx, const moments* m, iso_vec3 reference,
                         iso_mass_properties* out_properties) {
    ISO_REQUIRE(ctx, isfinite(m->volume) && m->volume > 0.0, ISO_ERR_GEOMETRY,
                "the volume is %g m^3, expected > 0: a negative one means that the triangles face "
                "inward",
                m->volume);
    iso_vec3 centre = iso_vec3_scale(m->first, 1.0 / m->volume); // relative to the reference
    iso_mat3 shift = iso_mat3_scale(iso_mat3_outer(centre, centre), -m->volume);
    iso_mat3 second = iso_mat3_add(m->second, shift);
    out_properties->volume = m->volume;
    out_properties->center_of_mass = iso_vec3_add(reference, centre);
    out_properties->inertia = iso_sym3_complement(&second, 1.0);
    return ISO_OK;
}

static iso_vec3 middle_of(const iso_vec3* points, int point_count) {
    iso_vec3 lower, upper;
    iso_points_bounds(points, point_count, &lower, &upper);
    return iso_vec3_lerp(lower, upper, 0.5);
}

iso_status iso_tri_mesh_mass_properties(iso_context* ctx, const iso_tri_mesh* mesh,
                                        iso_mass_properties* out_properties) {
    ISO_REQUIRE(ctx, mesh && out_properties, ISO_ERR_ARGUMENT,
                "mesh and out_properties are required");
    iso_status status = iso_tri_mesh_check_closed(ctx, mesh);
    if (status != ISO_OK) {
        return status;
    }
    iso_vec3 reference = middle_of(mesh->vertices, mesh->vertex_count);
    moments m = {0};
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        iso_vec3 corners[4] = {iso_vec3_zero()};
        for (int k = 0; k < 3; ++k) {
            corners[k + 1] = iso_vec3_sub(mesh->vertices[t[k]], reference);
        }
        add_tetrahedron(&m, corners);
    }
    return finish(ctx, &m, reference, out_properties);
}

iso_status iso_tet_mesh_mass_properties(iso_context* ctx, const iso_tet_mesh* mesh,
                                        iso_mass_properties* out_properties) {
    ISO_REQUIRE(ctx, mesh && out_properties, ISO_ERR_ARGUMENT,
                "mesh and out_properties are required");
    iso_status status = iso_tet_mesh_check(ctx, mesh);
    if (status != ISO_OK) {
        return status;
    }
    iso_vec3 reference = middle_of(mesh->vertices, mesh->vertex_count);
    moments m = {0};
    for (int i = 0; i < mesh->tet_count; ++i) {
        iso_vec3 corners[4];
        for (int k = 0; k < 4; ++k) {
            corners[k] = iso_vec3_sub(mesh->vertices[mesh->tets[i][k]], reference);
        }
        add_tetrahedron(&m, corners);
    }
    return finish(ctx, &m, reference, out_properties);
}

// Solids about their centre: volume and the integrals of x^2, y^2, z^2.
static void set_symmetric(iso_mass_properties* out, double volume, double xx, double yy,
                          double zz) {
    out->volume = volume;
    out->center_of_mass = iso_vec3_zero();
    out->inertia = iso_mat3_diagonal(yy + zz, zz + xx, xx + yy);
}

static void capsule_properties(double r, double length, iso_mass_properties* out) {
    double tube = ISO_PI * r * r * length;
    double ball = 4.0 / 3.0 * ISO_PI * r * r * r;
    double across = tube * r * r / 4.0 + ball * r * r / 5.0;
    // Two half balls: centre of mass 3/8 r from the flat side, which is at length / 2.
    double half = length / 2.0;
    double along = tube * length * length / 12.0 +
                   ball * (r * r / 5.0 + half * half + 2.0 * half * 3.0 / 8.0 * r);
    set_symmetric(out, tube + ball, across, across, along);
}

// Of the solid that contact sees, too.
static iso_status surface_properties(iso_context* ctx, const iso_shape_desc* shape,
                                     iso_tri_mesh* surface, iso_mass_properties* out_properties) {
    bool is_closed = false;
    iso_status status =
        iso_surface_make_solid(ctx, shape->path ? shape->path : "mesh", surface, &is_closed);
    return status == ISO_OK ? iso_tri_mesh_mass_properties(ctx, surface, out_properties) : status;
}

static iso_status mesh_shape_properties(iso_context* ctx, const iso_shape_desc* shape,
                                        iso_mass_properties* out_properties) {
    iso_tri_mesh surface;
    iso_tet_mesh volume;
    iso_status status = iso_shape_load_mesh(ctx, shape, &surface, &volume);
    if (status == ISO_OK) {
        status = volume.vertices ? iso_tet_mesh_mass_properties(ctx, &volume, out_properties)
                                 : surface_properties(ctx, shape, &surface, out_properties);
        if (status != ISO_OK && shape->path) {
            status = iso_fail_prefix(ctx, status, "%s", shape->path);
        }
    }
    iso_tri_mesh_destroy(ctx, &surface);
    iso_tet_mesh_destroy(ctx, &volume);
    return status;
}

static iso_status hull_properties(iso_context* ctx, const iso_shape_desc* shape,
                                  iso_mass_properties* out_properties) {
    iso_tri_mesh hull;
    iso_status status = iso_shape_load_hull(ctx, shape, &hull);
    if (status == ISO_OK) {
        status = iso_tri_mesh_mass_properties(ctx, &hull, out_properties);
    }
    iso_tri_mesh_destroy(ctx, &hull);
    return status;
}

iso_status iso_shape_mass_properties(iso_context* ctx, const iso_shape_desc* shape,
                                     iso_mass_properties* out_properties) {
    ISO_REQUIRE(ctx, shape && out_properties, ISO_ERR_ARGUMENT,
                "shape and out_properties are required");
    iso_status status = iso_shape_check(ctx, shape);
    if (status != ISO_OK) {
        return status;
    }
    double r = shape->radius, length = shape->length, v;
    iso_vec3 s = shape->size;
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
        v = 4.0 / 3.0 * ISO_PI * r * r * r;
        set_symmetric(out_properties, v, v * r * r / 5.0, v * r * r / 5.0, v * r * r / 5.0);
        return ISO_OK;
    case ISO_SHAPE_ELLIPSOID:
        v = 4.0 / 3.0 * ISO_PI * s.x * s.y * s.z;
        set_symmetric(out_properties, v, v * s.x * s.x / 5.0, v * s.y * s.y / 5.0,
                      v * s.z * s.z / 5.0);
        return ISO_OK;
    case ISO_SHAPE_BOX:
        v = s.x * s.y * s.z;
        set_symmetric(out_properties, v, v * s.x * s.x / 12.0, v * s.y * s.y / 12.0,
                      v * s.z * s.z / 12.0);
        return ISO_OK;
    case ISO_SHAPE_CYLINDER:
        v = ISO_PI * r * r * length;
        set_symmetric(out_properties, v, v * r * r / 4.0, v * r * r / 4.0,
                      v * length * length / 12.0);
        return ISO_OK;
    case ISO_SHAPE_CAPSULE:
        capsule_properties(r, length, out_properties);
        return ISO_OK;
    case ISO_SHAPE_CONVEX:
        return hull_properties(ctx, shape, out_properties);
    case ISO_SHAPE_MESH:
        return mesh_shape_properties(ctx, shape, out_properties);
    case ISO_SHAPE_HALF_SPACE:
        break;
    }
    return iso_fail(ctx, ISO_ERR_GEOMETRY, __func__, "a half_space has no mass properties");
}
