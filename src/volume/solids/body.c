// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/solids/body.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/shape.h"
#include "geometry/mesh/topology.h"
#include "geometry/search/primitive_query.h"
#include "geometry/surfaces/surface_orient.h"
#include "geometry/tessellation/shape_mesh.h"

// Solids that move are rarely larger [m].
#define HUGE_SIDE 10.0

static bool has_flat_faces(iso_shape_kind kind) {
    return kind == ISO_SHAPE_BOX || kind == ISO_SHAPE_CONVEX || kind == ISO_SHAPE_MESH;
}

static iso_status load_surface(iso_context* ctx, const iso_shape_desc* shape,
                               iso_tri_mesh* out_surface) {
    if (shape->kind == ISO_SHAPE_BOX) {
        return iso_shape_surface(ctx, shape, 1.0, out_surface);
    }
    if (shape->kind == ISO_SHAPE_CONVEX) {
        return iso_shape_load_hull(ctx, shape, out_surface);
    }
    iso_tet_mesh volume;
    iso_status status = iso_shape_load_mesh(ctx, shape, out_surface, &volume);
    if (status == ISO_OK && volume.vertices) {
        status = iso_tet_mesh_skin(ctx, &volume, out_surface);
    }
    iso_tet_mesh_destroy(ctx, &volume);
    bool is_closed = false;
    if (status == ISO_OK) {
        status = iso_surface_make_solid(ctx, iso_shape_mesh_name(shape), out_surface, &is_closed);
    }
    return status;
}

static iso_status build_tree(iso_context* ctx, iso_volume_body* body) {
    const iso_tri_mesh* mesh = &body->surface;
    iso_bvh_box* boxes = iso_alloc_array(ctx, mesh->triangle_count, sizeof *boxes);
    ISO_REQUIRE(ctx, boxes, ISO_ERR_MEMORY, "boxes of %d triangles", mesh->triangle_count);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const int* t = mesh->triangles[i];
        iso_vec3 a = mesh->vertices[t[0]], b = mesh->vertices[t[1]], c = mesh->vertices[t[2]];
        boxes[i].lower = iso_vec3_min(a, iso_vec3_min(b, c));
        boxes[i].upper = iso_vec3_max(a, iso_vec3_max(b, c));
        boxes[i].low = -INFINITY;
        boxes[i].high = INFINITY;
    }
    iso_status status = iso_bvh_build(ctx, boxes, mesh->triangle_count, &body->tree);
    iso_free(ctx, boxes);
    if (status == ISO_OK) {
        status = iso_distance_tree_create(ctx, mesh, &body->far);
    }
    return status;
}

static iso_status prepare_polyhedron(iso_context* ctx, const iso_shape_desc* shape,
                                     iso_volume_body* body) {
    iso_mass_properties mass;
    iso_status status = load_surface(ctx, shape, &body->surface);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_tri_mesh_mass_properties(ctx, &body->surface, &mass);
    if (status != ISO_OK) {
        return iso_fail_prefix(ctx, status, "%s", iso_shape_mesh_name(shape));
    }
    body->volume = mass.volume;
    iso_points_bounds(body->surface.vertices, body->surface.vertex_count, &body->lower,
                      &body->upper);
    return build_tree(ctx, body);
}

static iso_status prepare_round(iso_context* ctx, const iso_shape_desc* shape,
                                iso_volume_body* body) {
    iso_mass_properties mass = {.volume = INFINITY};
    iso_status status = iso_shape_bounds(ctx, shape, &body->lower, &body->upper);
    if (status == ISO_OK && shape->kind != ISO_SHAPE_HALF_SPACE) {
        status = iso_shape_mass_properties(ctx, shape, &mass);
    }
    body->volume = mass.volume;
    return status;
}

// Files of meshes are often in millimetres, and say nothing of it.
static void warn_of_size(iso_context* ctx, const iso_volume_body* body,
                         const iso_shape_desc* shape) {
    iso_vec3 sides = iso_vec3_sub(body->upper, body->lower);
    double side = fmax(sides.x, fmax(sides.y, sides.z));
    if (shape->path && side > HUGE_SIDE) {
        iso_log(ctx, ISO_LOG_WARNING,
                "%s is %.3g m large, expected at most %g m: lengths are metres (a mesh in "
                "millimetres needs scale 0.001)",
                iso_shape_mesh_name(shape), side, HUGE_SIDE);
    }
}

iso_status iso_volume_body_create(iso_context* ctx, const iso_shape_desc* shape,
                                  iso_volume_body** out_body) {
    ISO_REQUIRE(ctx, shape && out_body, ISO_ERR_ARGUMENT, "shape and out_body are required");
    *out_body = NULL;
    iso_status status = iso_shape_check(ctx, shape);
    if (status != ISO_OK) {
        return status;
    }
    iso_volume_body* body = iso_alloc_zeroed(ctx, sizeof *body);
    ISO_REQUIRE(ctx, body, ISO_ERR_MEMORY, "a body of volumes");
    body->shape = *shape;
    body->shape.path = NULL;
    body->shape.surface = NULL;
    body->shape.volume = NULL;
    body->is_polyhedron = has_flat_faces(shape->kind);
    status = body->is_polyhedron ? prepare_polyhedron(ctx, shape, body)
                                 : prepare_round(ctx, shape, body);
    if (status != ISO_OK) {
        iso_volume_body_destroy(ctx, body);
        return status;
    }
    warn_of_size(ctx, body, shape);
    *out_body = body;
    return ISO_OK;
}

void iso_volume_body_destroy(iso_context* ctx, iso_volume_body* body) {
    if (!body) {
        return;
    }
    iso_distance_tree_destroy(ctx, body->far);
    iso_bvh_destroy(ctx, &body->tree);
    iso_tri_mesh_destroy(ctx, &body->surface);
    iso_free(ctx, body);
}

double iso_volume_body_volume(const iso_volume_body* body) {
    return body->volume;
}

double iso_volume_body_distance(const iso_volume_body* body, iso_vec3 p, iso_vec3* out_normal) {
    iso_vec3 nearest;
    if (!body->is_polyhedron || body->shape.kind == ISO_SHAPE_BOX) {
        return iso_primitive_distance(&body->shape, p, &nearest, out_normal);
    }
    int triangle;
    double distance = iso_distance_to_surface(body->far, p, &nearest, &triangle);
    double sign = iso_distance_tree_winding_number(body->far, p) > 0.5 ? -1.0 : 1.0;
    const int* t = body->surface.triangles[triangle];
    const iso_vec3* v = body->surface.vertices;
    iso_vec3 away = iso_vec3_scale(iso_vec3_sub(p, nearest), sign);
    bool is_off = distance > 1e-12 * iso_vec3_distance(body->lower, body->upper);
    *out_normal =
        iso_vec3_normalized(is_off ? away : iso_triangle_area_vector(v[t[0]], v[t[1]], v[t[2]]));
    return sign * distance;
}
