// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/mass_sum.h"

#include "base/core/fail.h"

#include <math.h>

iso_status iso_scene_shape_mass(iso_scene_build* build, iso_source at, const iso_shape_desc* shape,
                                iso_mass_properties* out_properties) {
    ISO_SCENE_REQUIRE(build, at, !shape->path || !build->is_memory_only, ISO_ERR_IO,
                      "mesh files may not be opened while reading from memory");
    iso_status status = iso_shape_mass_properties(build->ctx, shape, out_properties);
    if (status == ISO_ERR_GEOMETRY) {
        status = iso_fail_prefix(build->ctx, status,
                                 "no inertia is stated, and the geometry gives none");
    }
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}

void iso_mass_sum_add(iso_mass_sum* sum, const iso_mass_properties* solid, const iso_pose* x_bg,
                      double density) {
    double mass = density * solid->volume;
    iso_vec3 c = iso_pose_point(x_bg, solid->center_of_mass);
    iso_mat3 rotated = iso_mat3_mul(x_bg->r, solid->inertia);
    iso_mat3 inertia = iso_mat3_mul(rotated, iso_mat3_transpose(x_bg->r));
    sum->mass += mass;
    sum->moment = iso_vec3_add_scaled(sum->moment, c, mass);
    sum->second = iso_mat3_add(sum->second, iso_mat3_scale(inertia, density));
    sum->second = iso_mat3_add(sum->second, iso_mat3_point_inertia(mass, c));
}

void iso_mass_sum_get(const iso_mass_sum* sum, iso_body_desc* body) {
    body->mass = sum->mass;
    body->center_of_mass = iso_vec3_scale(sum->moment, 1.0 / sum->mass);
    iso_mat3 shift = iso_mat3_point_inertia(-sum->mass, body->center_of_mass);
    body->inertia = iso_mat3_add(sum->second, shift);
}

bool iso_mass_sum_add_shape(iso_scene_build* build, iso_source at, const iso_shape_desc* shape,
                            const iso_pose* x_bg, double density, iso_mass_sum* sum) {
    iso_shape_desc solid = *shape;
    iso_mass_properties m;
    iso_status status = iso_scene_shape_mass(build, at, &solid, &m);
    if (status != ISO_OK && solid.kind == ISO_SHAPE_MESH && !solid.volume) {
        solid.kind = ISO_SHAPE_CONVEX;
        status = iso_scene_shape_mass(build, at, &solid, &m);
    }
    bool is_solid = status == ISO_OK && isfinite(m.volume) && m.volume > 0.0 &&
                    iso_scene_is_of_solid(&m.inertia);
    if (is_solid) {
        iso_mass_sum_add(sum, &m, x_bg, density);
    }
    return is_solid;
}
