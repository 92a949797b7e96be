// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/shapes/shape_search.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/search/primitive_query.h"
#include "geometry/search/ray_cast.h"
#include "geometry/surfaces/surface_normals.h"
#include "math/limits.h"

// Below this cosine between a feature's normal and the way to the point the sign is asked of the
// winding number instead: a fold too sharp for the normal.
#define CLEAR_COSINE 1e-3

// A point nearer than this part of the coordinates lies on the surface: the way to it is rounding.
#define ON_SURFACE 1e-12

struct iso_shape_search {
    iso_distance_tree* tree;
    iso_surface_normals normals;
};

void iso_shape_search_destroy(iso_context* ctx, iso_shape_search* probe) {
    if (probe) {
        iso_distance_tree_destroy(ctx, probe->tree);
        iso_surface_normals_destroy(ctx, &probe->normals);
        iso_free(ctx, probe);
    }
}

static const iso_shape_search* probe_of(const iso_contact_shape* shape) {
    return atomic_load(&shape->probe);
}

static bool is_primitive(const iso_contact_shape* shape) {
    return shape->primitive.kind != ISO_SHAPE_CONVEX && shape->primitive.kind != ISO_SHAPE_MESH;
}

// Two threads may prepare at the same time: the first to be done is kept.
iso_status iso_shape_search_prepare(iso_contact_shape* shape) {
    if (atomic_load(&shape->probe)) {
        return ISO_OK;
    }
    iso_context* ctx = shape->ctx;
    iso_status status = ISO_OK;
    iso_shape_search* none = NULL;
    iso_shape_search* probe = iso_alloc_zeroed(ctx, sizeof *probe);
    ISO_CHECK(ctx, probe, ISO_ERR_MEMORY, "search tree of a surface");
    ISO_TRY(iso_distance_tree_create(ctx, &shape->surface, &probe->tree));
    ISO_TRY(iso_surface_normals_create(ctx, &shape->surface, &probe->normals));
    probe = atomic_compare_exchange_strong(&shape->probe, &none, probe) ? NULL : probe;

done:
    iso_shape_search_destroy(ctx, probe);
    return status;
}

double iso_shape_search_winding_number(const iso_contact_shape* shape, iso_vec3 p_g) {
    return iso_distance_tree_winding_number(probe_of(shape)->tree, p_g);
}

// Normal of the surface where the nearest point lies.
static iso_vec3 feature_normal(const iso_contact_shape* shape, iso_vec3 p, int triangle) {
    const iso_tri_mesh* mesh = &shape->surface;
    const int* corners = mesh->triangles[triangle];
    iso_triangle_feature feature;
    iso_triangle_nearest_feature(p, mesh->vertices[corners[0]], mesh->vertices[corners[1]],
                                 mesh->vertices[corners[2]], &feature);
    return iso_surface_normal_at(&probe_of(shape)->normals, triangle, feature);
}

static bool is_inside(const iso_contact_shape* shape, iso_vec3 p, iso_vec3 away, iso_vec3 normal) {
    double along = iso_vec3_dot(away, normal);
    double bound = CLEAR_COSINE * iso_vec3_norm(away) * iso_vec3_norm(normal);
    if (probe_of(shape)->normals.is_manifold && fabs(along) > bound) {
        return along < 0.0;
    }
    return iso_shape_search_winding_number(shape, p) > 0.5;
}

// Largest of the coordinates that the distance of a point to a triangle is made of.
static double coordinates_of(const iso_contact_shape* shape, iso_vec3 p, int triangle) {
    double largest = iso_vec3_max_abs(p);
    for (int k = 0; k < 3; ++k) {
        int corner = shape->surface.triangles[triangle][k];
        largest = fmax(largest, iso_vec3_max_abs(shape->surface.vertices[corner]));
    }
    return largest;
}

static void mesh_distance(const iso_contact_shape* shape, iso_vec3 p, iso_distance* out) {
    out->distance =
        iso_distance_to_surface(probe_of(shape)->tree, p, &out->nearest, &out->triangle);
    out->is_signed = shape->is_closed;
    out->normal = iso_vec3_normalized(feature_normal(shape, p, out->triangle));
    if (!(out->distance > 0.0)) {
        return;
    }
    iso_vec3 away = iso_vec3_sub(p, out->nearest);
    bool is_negative = shape->is_closed && is_inside(shape, p, away, out->normal);
    if (out->distance > ON_SURFACE * coordinates_of(shape, p, out->triangle)) {
        out->normal = iso_vec3_scale(away, (is_negative ? -1.0 : 1.0) / out->distance);
    }
    out->distance = is_negative ? -out->distance : out->distance;
}

iso_status iso_contact_shape_distance(iso_contact_shape* shape, iso_vec3 p_g,
                                      iso_distance* out_distance) {
    iso_context* ctx = shape ? shape->ctx : NULL;
    ISO_REQUIRE(ctx, shape && out_distance, ISO_ERR_ARGUMENT,
                "shape and out_distance are required");
    *out_distance = (iso_distance){.triangle = -1};
    ISO_REQUIRE(ctx, iso_vec3_is_finite(p_g), ISO_ERR_NUMERIC,
                "point is (%g, %g, %g) m, expected finite numbers", p_g.x, p_g.y, p_g.z);
    if (is_primitive(shape)) {
        out_distance->distance = iso_primitive_distance(
            &shape->primitive, p_g, &out_distance->nearest, &out_distance->normal);
        out_distance->is_signed = true;
        return ISO_OK;
    }
    iso_status status = iso_shape_search_prepare(shape);
    if (status == ISO_OK) {
        mesh_distance(shape, p_g, out_distance);
    }
    return status;
}

static bool mesh_ray_cast(const iso_contact_shape* shape, iso_vec3 origin, iso_vec3 direction,
                          double max_distance, iso_ray_hit* out) {
    const iso_triangle_feature face = {-1, -1};
    out->triangle = iso_ray_cast_surface(probe_of(shape)->tree, origin, direction, max_distance,
                                         &out->distance);
    if (out->triangle >= 0) {
        out->normal = iso_surface_normal_at(&probe_of(shape)->normals, out->triangle, face);
    }
    return out->triangle >= 0;
}

iso_status iso_ray_check(iso_context* ctx, iso_vec3 origin, iso_vec3 direction, double max_distance,
                         iso_vec3* out_unit) {
    ISO_REQUIRE(ctx, iso_vec3_is_finite(origin) && iso_vec3_is_finite(direction), ISO_ERR_NUMERIC,
                "ray from (%g, %g, %g) m along (%g, %g, %g), expected finite", origin.x, origin.y,
                origin.z, direction.x, direction.y, direction.z);
    ISO_REQUIRE(ctx, max_distance >= 0.0, ISO_ERR_RANGE,
                "longest distance of a ray is %g m, expected >= 0", max_distance);
    double largest = fmax(fabs(direction.x), fmax(fabs(direction.y), fabs(direction.z)));
    ISO_REQUIRE(ctx, largest > 0.0, ISO_ERR_RANGE, "ray along (0, 0, 0), expected a direction");
    // Divided: the inverse of the least numbers is infinite.
    iso_vec3 shorter =
        iso_vec3_make(direction.x / largest, direction.y / largest, direction.z / largest);
    *out_unit = iso_vec3_normalized(shorter);
    return ISO_OK;
}

iso_status iso_contact_shape_ray_cast(iso_contact_shape* shape, iso_vec3 origin_g,
                                      iso_vec3 direction_g, double max_distance, bool* out_is_hit,
                                      iso_ray_hit* out_hit) {
    iso_context* ctx = shape ? shape->ctx : NULL;
    ISO_REQUIRE(ctx, shape && out_is_hit && out_hit, ISO_ERR_ARGUMENT,
                "shape, out_is_hit and out_hit are required");
    *out_is_hit = false;
    *out_hit = (iso_ray_hit){.triangle = -1};
    iso_vec3 direction;
    iso_status status = iso_ray_check(ctx, origin_g, direction_g, max_distance, &direction);
    if (status != ISO_OK) {
        return status;
    }
    if (is_primitive(shape)) {
        *out_is_hit = iso_primitive_ray_cast(&shape->primitive, origin_g, direction,
                                             &out_hit->distance, &out_hit->normal) &&
                      out_hit->distance <= max_distance;
    } else {
        status = iso_shape_search_prepare(shape);
        *out_is_hit =
            status == ISO_OK && mesh_ray_cast(shape, origin_g, direction, max_distance, out_hit);
    }
    if (*out_is_hit) {
        out_hit->point = iso_vec3_add_scaled(origin_g, direction, out_hit->distance);
    } else {
        *out_hit = (iso_ray_hit){.triangle = -1};
    }
    return status;
}

iso_status iso_contact_shape_pressure(const iso_contact_shape* shape, iso_vec3 p_g,
                                      bool* out_is_in_field, double* out_pressure) {
    iso_context* ctx = shape ? shape->ctx : NULL;
    ISO_REQUIRE(ctx, shape && out_is_in_field && out_pressure, ISO_ERR_ARGUMENT,
                "shape, out_is_in_field and out_pressure are required");
    *out_is_in_field = false;
    *out_pressure = 0.0;
    ISO_REQUIRE(ctx, iso_vec3_is_finite(p_g), ISO_ERR_NUMERIC,
                "point is (%g, %g, %g) m, expected finite numbers", p_g.x, p_g.y, p_g.z);
    if (shape->field) {
        *out_is_in_field = iso_field_value(shape->field, p_g, out_pressure);
    } else if (shape->is_half_space && !shape->is_rigid) {
        double pressure = -shape->half_space.slope * p_g.z;
        *out_is_in_field = pressure >= shape->half_space.least;
        *out_pressure = *out_is_in_field ? pressure : 0.0;
    }
    return ISO_OK;
}
