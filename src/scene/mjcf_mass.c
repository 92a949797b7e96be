// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf.h"

#include "isobar/geometry.h"

// The mass of geoms: of the solid, of a shell, or of the hull of a mesh that encloses nothing.

// Of area density 1; the area in the place of the volume.
static void find_shell(const iso_tri_mesh* mesh, iso_vec3 scale, iso_mass_properties* out) {
    iso_vec3 moment = iso_vec3_zero();
    iso_mat3 second = iso_mat3_zero(); // integral of p p^T
    double area = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        iso_vec3 p[4], sum = iso_vec3_zero();
        for (int k = 0; k < 3; ++k) {
            iso_vec3 v = mesh->vertices[mesh->triangles[i][k]];
            p[k] = iso_vec3_make(scale.x * v.x, scale.y * v.y, scale.z * v.z);
            sum = iso_vec3_add(sum, p[k]);
        }
        p[3] = sum;
        iso_vec3 cross = iso_vec3_cross(iso_vec3_sub(p[1], p[0]), iso_vec3_sub(p[2], p[0]));
        double a = 0.5 * iso_vec3_norm(cross);
        area += a;
        moment = iso_vec3_add_scaled(moment, sum, a / 3.0);
        for (int k = 0; k < 4; ++k) {
            second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_outer(p[k], p[k]), a / 12.0));
        }
    }
    iso_vec3 c = area > 0.0 ? iso_vec3_scale(moment, 1.0 / area) : iso_vec3_zero();
    second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_outer(c, c), -area));
    double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
    out->volume = area;
    out->center_of_mass = c;
    out->inertia =
        iso_mat3_add(iso_mat3_diagonal(trace, trace, trace), iso_mat3_scale(second, -1.0));
}

static iso_status read_shell(iso_scene_build* build, iso_source at, const iso_shape_desc* solid,
                             iso_mass_properties* out) {
    iso_tri_mesh file = {0};
    if (solid->path) {
        ISO_SCENE_REQUIRE(build, at, !build->is_memory_only, ISO_ERR_IO,
                          "mesh files may not be opened while reading from memory");
        iso_status status =
            iso_tri_mesh_load(build->ctx, solid->path, iso_vec3_make(1.0, 1.0, 1.0), &file);
        if (status != ISO_OK) {
            return iso_scene_fail_at(build, at, status);
        }
    }
    find_shell(solid->path ? &file : solid->surface, solid->scale, out);
    iso_tri_mesh_destroy(build->ctx, &file);
    ISO_SCENE_REQUIRE(build, at, out->volume > 0.0, ISO_ERR_GEOMETRY,
                      "<geom>: the shell of its mesh has no area");
    return ISO_OK;
}

static iso_status read_properties(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                  const iso_shape_desc* shape, const iso_shape_desc* solid,
                                  iso_mass_properties* out) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    const iso_mjcf_mesh* mesh = NULL;
    ISO_SCENE_TRY(iso_mjcf_find_mesh(reader, item, &mesh));
    if (mesh && mesh->is_shell) {
        return read_shell(build, at, solid, out);
    }
    iso_status status = iso_scene_shape_mass(build, at, solid, out);
    if (status != ISO_ERR_GEOMETRY || shape->kind != ISO_SHAPE_CONVEX) {
        return status;
    }
    iso_scene_warn_once(build, at, mesh ? mesh->name : "hull",
                        "<geom>: mesh '%s' encloses no solid: the mass is that of its hull; an "
                        "<inertial>, or inertia=\"convex\" or \"shell\" of the <mesh>, says it",
                        mesh ? mesh->name : "");
    return iso_scene_shape_mass(build, at, shape, out);
}

iso_status iso_mjcf_add_geom_mass(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                  const iso_pose* x_frame, iso_mass_sum* sum) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    iso_shape_desc shape, solid;
    iso_pose x;
    iso_mass_properties properties;
    double density = 1000.0, mass = 0.0;
    int mass_count = 0, is_shell = 0, group = 0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "density", 1, 1, &density, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "mass", 1, 1, &mass, &mass_count));
    ISO_SCENE_TRY(iso_mjcf_whole(reader, item, "group", -1e9, 1e9, &group));
    ISO_SCENE_TRY(iso_mjcf_flag(reader, item, "shellinertia", &is_shell));
    ISO_SCENE_REQUIRE(build, at, density >= 0.0 && density <= ISO_SCENE_MAX_DENSITY, ISO_ERR_RANGE,
                      "<geom>: density is %g kg/m^3, expected >= 0 and <= %g", density,
                      ISO_SCENE_MAX_DENSITY);
    ISO_SCENE_REQUIRE(build, at, mass >= 0.0 && mass <= ISO_SCENE_MAX_MASS, ISO_ERR_RANGE,
                      "<geom>: mass is %g kg, expected >= 0 and <= %g", mass, ISO_SCENE_MAX_MASS);
    ISO_SCENE_REQUIRE(build, at, is_shell != 1, ISO_ERR_UNSUPPORTED,
                      "<geom>: shellinertia is not supported; give the body an <inertial>");
    ISO_SCENE_TRY(iso_mjcf_read_shape(reader, item, &shape, &solid, &x));
    bool is_counted = group >= reader->inertia_groups[0] && group <= reader->inertia_groups[1];
    if (shape.kind == ISO_SHAPE_HALF_SPACE || !is_counted ||
        (mass_count > 0 ? mass : density) == 0.0) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(read_properties(reader, item, &shape, &solid, &properties));
    iso_pose x_bg = iso_pose_mul(x_frame, &x);
    iso_mass_sum_add(sum, &properties, &x_bg, mass_count > 0 ? mass / properties.volume : density);
    return ISO_OK;
}
