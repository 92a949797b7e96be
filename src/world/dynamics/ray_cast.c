// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Rays through all geometries of a world.

#include "base/core/fail.h"
#include "surface/shapes/shape_search.h"
#include "world/state/world_state.h"

// Keep what a ray meets of a geometry where that is nearer than what it met before.
static iso_status cast_at(const iso_contact_geometry* geometry, const iso_pose* x_wb,
                          iso_vec3 origin_w, iso_vec3 direction_w, double max_distance,
                          iso_world_ray_hit* nearest) {
    iso_pose x_wg = iso_pose_mul(x_wb, &geometry->x_bg);
    iso_vec3 origin = iso_pose_inverse_point(&x_wg, origin_w);
    iso_vec3 direction = iso_mat3_tmul_vec3(&x_wg.r, direction_w);
    double limit = nearest->body >= 0 ? nearest->distance : max_distance;
    bool is_hit = false;
    iso_ray_hit hit;
    iso_status status =
        iso_contact_shape_ray_cast(geometry->shape, origin, direction, limit, &is_hit, &hit);
    if (is_hit && (nearest->body < 0 || hit.distance < nearest->distance)) {
        *nearest = (iso_world_ray_hit){.body = geometry->body,
                                       .geometry_name = geometry->name,
                                       .distance = hit.distance,
                                       .point_w = iso_pose_point(&x_wg, hit.point),
                                       .normal_w = iso_mat3_mul_vec3(&x_wg.r, hit.normal)};
    }
    return status;
}

iso_status iso_world_ray_cast(const iso_world* world, iso_vec3 origin_w, iso_vec3 direction_w,
                              double max_distance, int ignored_body, iso_world_ray_hit* out_hit) {
    iso_context* ctx = world ? world->ctx : NULL;
    ISO_REQUIRE(ctx, world && out_hit, ISO_ERR_ARGUMENT, "world and out_hit are required");
    *out_hit = (iso_world_ray_hit){.body = -1, .geometry_name = ""};
    ISO_REQUIRE(ctx, ignored_body >= -1 && ignored_body < world->multibody.body_count,
                ISO_ERR_RANGE, "ignored body is %d, expected in [-1, %d)", ignored_body,
                world->multibody.body_count);
    iso_world_ray_hit nearest = *out_hit;
    iso_vec3 unit;
    iso_status status = iso_ray_check(ctx, origin_w, direction_w, max_distance, &unit);
    for (int i = 0; i < world->geometry_count && status == ISO_OK; ++i) {
        const iso_contact_geometry* geometry = &world->geometries[i];
        if (geometry->body != ignored_body) {
            status = cast_at(geometry, &world->kinematics.x_wb[geometry->body], origin_w, unit,
                             max_distance, &nearest);
        }
    }
    if (status == ISO_OK) {
        *out_hit = nearest;
    }
    return status;
}
