// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include "isobar/geometry.h"
#include "math/eigen3.h"

#include <math.h>

// The mass of geoms: of the solid, of a shell, of a hull, or of a mesh as MuJoCo counts it by
// default.

typedef struct triangle {
    iso_vec3 p[3], center;
    iso_vec3 area; ///< along the normal
} triangle;

static triangle triangle_of(const iso_tri_mesh* mesh, int index, iso_vec3 scale, iso_vec3 origin) {
    triangle t;
    iso_vec3 sum = iso_vec3_zero();
    for (int k = 0; k < 3; ++k) {
        iso_vec3 v = mesh->vertices[mesh->triangles[index][k]];
        t.p[k] = iso_vec3_sub(iso_vec3_mul(scale, v), origin);
        sum = iso_vec3_add(sum, t.p[k]);
    }
    t.center = iso_vec3_scale(sum, 1.0 / 3.0);
    t.area = iso_vec3_scale(
        iso_vec3_cross(iso_vec3_sub(t.p[1], t.p[0]), iso_vec3_sub(t.p[2], t.p[0])), 0.5);
    return t;
}

// Adds weight (sum of p p^T over the corners + s s^T), s the sum of the corners.
static void add_second_moment(iso_mat3* second, const triangle* t, double weight) {
    iso_vec3 s = iso_vec3_scale(t->center, 3.0);
    iso_mat3 m = iso_mat3_outer(s, s);
    for (int k = 0; k < 3; ++k) {
        m = iso_mat3_add(m, iso_mat3_outer(t->p[k], t->p[k]));
    }
    *second = iso_mat3_add(*second, iso_mat3_scale(m, weight));
}

// Of area density 1; the area in the place of the volume.
static void find_shell(const iso_tri_mesh* mesh, iso_vec3 scale, iso_mass_properties* out) {
    iso_vec3 moment = iso_vec3_zero();
    iso_mat3 second = iso_mat3_zero(); // integral of p p^T
    double area = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        triangle t = triangle_of(mesh, i, scale, iso_vec3_zero());
        double a = iso_vec3_norm(t.area);
        area += a;
        moment = iso_vec3_add_scaled(moment, t.center, a);
        add_second_moment(&second, &t, a / 12.0);
    }
    iso_vec3 c = area > 0.0 ? iso_vec3_scale(moment, 1.0 / area) : iso_vec3_zero();
    second = iso_mat3_add(second, iso_mat3_scale(iso_mat3_outer(c, c), -area));
    out->volume = area;
    out->center_of_mass = c;
    out->inertia = iso_sym3_complement(&second, 1.0);
}

// The sum of the tetrahedra between a point inside and the triangles: each as it is turned, which
// gives what the surface encloses, or each counted as positive (legacy), more than that where the
// surface turns back on itself as seen from there. The point is first the centre of the surface,
// then the centre of mass that this gives.
static void find_solid(const iso_tri_mesh* mesh, iso_vec3 scale, bool is_legacy,
                       iso_mass_properties* out) {
    iso_mass_properties shell;
    iso_vec3 moment = iso_vec3_zero();
    iso_mat3 second = iso_mat3_zero();
    double sum = 0.0, volume = 0.0, turn = scale.x * scale.y * scale.z > 0.0 ? 1.0 : -1.0;
    find_shell(mesh, scale, &shell);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        triangle t = triangle_of(mesh, i, scale, shell.center_of_mass);
        double v = turn * iso_vec3_dot(t.center, t.area) / 3.0;
        v = is_legacy ? fabs(v) : v;
        sum += v;
        moment = iso_vec3_add_scaled(moment, t.center, 0.75 * v);
    }
    out->center_of_mass = sum > 0.0 ? iso_vec3_add_scaled(shell.center_of_mass, moment, 1.0 / sum)
                                    : shell.center_of_mass;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        triangle t = triangle_of(mesh, i, scale, out->center_of_mass);
        double v = turn * iso_vec3_dot(t.center, t.area) / 3.0;
        v = is_legacy ? fabs(v) : v;
        volume += v;
        add_second_moment(&second, &t, v / 20.0);
    }
    out->volume = volume;
    out->inertia = iso_sym3_complement(&second, 1.0);
}

// Says where what MuJoCo counts by default is not what the surface encloses.
static void compare_with_solid(iso_scene_build* build, iso_source at, const iso_mjcf_mesh* mesh,
                               const iso_shape_desc* solid, double volume) {
    iso_mass_properties exact = {0};
    iso_status status = iso_scene_shape_mass(build, at, solid, &exact);
    if (status == ISO_ERR_GEOMETRY) {
        iso_scene_warn_once(build, at, mesh->name,
                            "<geom>: mesh '%s' encloses no solid: its mass is that of the "
                            "tetrahedra from its middle to its triangles; an <inertial>, or "
                            "inertia=\"convex\" or \"shell\" of the <mesh>, says it better",
                            mesh->name);
    } else if (status == ISO_OK && fabs(volume / exact.volume - 1.0) > 0.01) {
        iso_scene_warn_once(build, at, mesh->name,
                            "<geom>: mesh '%s' has %.3g times the mass of what it encloses, by "
                            "MuJoCo's default inertia=\"legacy\"; inertia=\"exact\" of the <mesh> "
                            "mends it",
                            mesh->name, volume / exact.volume);
    }
}

// The triangles of a mesh and their scale; of a mesh of points those of its hull.
static iso_status load_surface(iso_scene_build* build, iso_source at, const iso_mjcf_mesh* mesh,
                               iso_tri_mesh* out_owned, iso_shape_desc* out) {
    *out = mesh->solid;
    iso_status status = ISO_OK;
    if (mesh->solid.path) {
        ISO_SCENE_REQUIRE(build, at, !build->is_memory_only, ISO_ERR_IO,
                          "mesh files may not be opened while reading from memory");
        status = iso_tri_mesh_load(build->ctx, mesh->solid.path, iso_vec3_make(1.0, 1.0, 1.0),
                                   out_owned);
        out->surface = out_owned;
    } else if (mesh->solid.kind == ISO_SHAPE_CONVEX) {
        status = iso_shape_surface(build->ctx, &mesh->shape, 1.0, out_owned);
        out->surface = out_owned;
        out->scale = iso_vec3_make(1.0, 1.0, 1.0);
    }
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}

static iso_status read_surface(iso_scene_build* build, iso_source at, const iso_mjcf_mesh* mesh,
                               iso_mass_properties* out) {
    bool is_shell = mesh->mass == ISO_MJCF_MASS_SHELL;
    iso_tri_mesh owned = {0};
    iso_shape_desc read;
    ISO_SCENE_TRY(load_surface(build, at, mesh, &owned, &read));
    if (is_shell) {
        find_shell(read.surface, read.scale, out);
    } else {
        find_solid(read.surface, read.scale, mesh->mass == ISO_MJCF_MASS_LEGACY, out);
    }
    if (mesh->mass == ISO_MJCF_MASS_LEGACY && out->volume > 0.0) {
        compare_with_solid(build, at, mesh, &read, out->volume);
    }
    iso_tri_mesh_destroy(build->ctx, &owned);
    ISO_SCENE_REQUIRE(build, at, out->volume > 0.0, ISO_ERR_GEOMETRY,
                      "<geom>: the surface of its mesh has no %s", is_shell ? "area" : "volume");
    return ISO_OK;
}

static iso_status weigh(iso_scene_build* build, iso_source at, const iso_mjcf_mesh* mesh,
                        iso_mass_properties* out) {
    if (mesh->mass == ISO_MJCF_MASS_SHELL || mesh->mass == ISO_MJCF_MASS_LEGACY) {
        return read_surface(build, at, mesh, out);
    }
    iso_status status = iso_scene_shape_mass(build, at, &mesh->solid, out);
    if (status != ISO_ERR_GEOMETRY) {
        return status;
    }
    iso_scene_warn_once(build, at, mesh->name,
                        "<geom>: mesh '%s' encloses no solid: the mass is that of the tetrahedra "
                        "between its middle and its triangles, or of its hull where they have "
                        "none; an <inertial>, or inertia=\"convex\" or \"shell\" of the <mesh>, "
                        "says it better",
                        mesh->name);
    return read_surface(build, at, mesh, out) == ISO_OK
               ? ISO_OK
               : iso_scene_shape_mass(build, at, &mesh->shape, out);
}

// Once for all geoms that have it.
iso_status iso_mjcf_mesh_properties(const iso_mjcf_reader* reader, const xmlNode* node,
                                    const iso_mjcf_mesh* mesh, iso_mass_properties* out) {
    iso_mjcf_mesh* kept = &reader->meshes.data[mesh - reader->meshes.data];
    if (!kept->is_weighed) {
        ISO_SCENE_TRY(weigh(reader->build, iso_xml_source(node), mesh, &kept->own));
        kept->is_weighed = true;
    }
    *out = kept->own;
    return ISO_OK;
}

// Says where the box that MuJoCo counts is not what a height field encloses.
static iso_status compare_with_field(iso_scene_build* build, iso_source at,
                                     const iso_shape_desc* field, double volume) {
    iso_mass_properties exact = {0};
    ISO_SCENE_TRY(iso_scene_shape_mass(build, at, field, &exact));
    if (fabs(volume / exact.volume - 1.0) > 0.01) {
        iso_scene_warn_once(build, at, "mass of a height field",
                            "<geom>: a height field has %.3g times the mass of what it encloses, "
                            "as MuJoCo counts it; an <inertial> says it better",
                            volume / exact.volume);
    }
    return ISO_OK;
}

static iso_status read_properties(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                  const iso_shape_desc* shape, const iso_shape_desc* solid,
                                  iso_mass_properties* out) {
    const iso_mjcf_mesh* mesh = NULL;
    iso_source at = iso_xml_source(item->node);
    ISO_SCENE_TRY(iso_mjcf_find_mesh(reader, item, &mesh));
    if (mesh) {
        return iso_mjcf_mesh_properties(reader, item->node, mesh, out);
    }
    ISO_SCENE_TRY(iso_scene_shape_mass(reader->build, at, solid, out));
    return shape->kind == ISO_SHAPE_MESH ? compare_with_field(reader->build, at, shape, out->volume)
                                         : ISO_OK;
}

iso_status iso_mjcf_add_geom_mass(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                  const iso_pose* x_frame, iso_mass_sum* sum, iso_mat3* out_axes) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    iso_shape_desc shape, solid;
    iso_pose x;
    iso_mass_properties properties;
    double density = 1000.0, mass = 0.0;
    int mass_count = 0, is_shell = 0, group = 0;
    *out_axes = iso_mat3_identity();
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "density", 1, 1, &density, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "mass", 1, 1, &mass, &mass_count));
    ISO_SCENE_TRY(iso_mjcf_whole(reader, item, "group", -1e9, 1e9, &group));
    ISO_SCENE_TRY(iso_mjcf_flag(reader, item, "shellinertia", &is_shell));
    ISO_SCENE_REQUIRE(build, at, density >= 0.0 && density <= ISO_SCENE_MAX_DENSITY, ISO_ERR_RANGE,
                      "<geom>: density is %g kg/m^3, expected >= 0 and <= %g", density,
                      ISO_SCENE_MAX_DENSITY);
    ISO_SCENE_REQUIRE(build, at, mass >= 0.0 && mass <= ISO_SCENE_MAX_MASS, ISO_ERR_RANGE,
                      "<geom>: mass is %g kg, expected >= 0 and <= %g", mass, ISO_SCENE_MAX_MASS);
    ISO_SCENE_TRY(iso_mjcf_read_shape(reader, item, &shape, &solid, &x));
    const int* groups = iso_mjcf_settings_of(reader, item->node)->inertia_groups;
    bool is_counted = group >= groups[0] && group <= groups[1];
    if (shape.kind == ISO_SHAPE_HALF_SPACE || !is_counted ||
        (mass_count > 0 ? mass : density) == 0.0) {
        return ISO_OK;
    }
    bool is_field = shape.kind == ISO_SHAPE_MESH;
    if (is_shell != 1 || is_field || !iso_mjcf_shell_properties(&solid, &properties)) {
        ISO_SCENE_REQUIRE(build, at, is_shell != 1, ISO_ERR_PARSE,
                          "<geom>: shellinertia of a mesh or height field; a <mesh> says it as "
                          "inertia=\"shell\"");
        ISO_SCENE_TRY(read_properties(reader, item, &shape, &solid, &properties));
    }
    iso_pose x_bg = iso_pose_mul(x_frame, &x);
    *out_axes = x_bg.r;
    if (shape.kind == ISO_SHAPE_CONVEX || shape.kind == ISO_SHAPE_MESH) {
        double moments[3];
        iso_mat3 axes = iso_mjcf_principal_axes(&properties.inertia, moments);
        *out_axes = iso_mat3_mul(x_bg.r, axes);
    }
    iso_mass_sum_add(sum, &properties, &x_bg, mass_count > 0 ? mass / properties.volume : density);
    return ISO_OK;
}
