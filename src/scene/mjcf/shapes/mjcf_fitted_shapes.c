// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include "isobar/geometry.h"

#include <math.h>
#include <string.h>

// Shapes that stand in for a mesh: with its principal axes and either the box of its mass and
// moments or the box around its vertices, as MuJoCo fits them.

static void enclose(const iso_tri_mesh* surface, iso_mjcf_mesh* mesh) {
    iso_vec3 low = iso_vec3_make(INFINITY, INFINITY, INFINITY), high = iso_vec3_neg(low);
    for (int i = 0; i < surface->vertex_count; ++i) {
        iso_vec3 v = iso_vec3_mul(mesh->shape.scale, surface->vertices[i]);
        iso_vec3 p = iso_pose_inverse_point(&mesh->x_fit, iso_pose_point(&mesh->x_ref, v));
        low = iso_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = iso_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    mesh->lowest = low;
    mesh->highest = high;
}

static iso_status find_box(const iso_mjcf_reader* reader, const xmlNode* node,
                           iso_mjcf_mesh* mesh) {
    iso_scene_build* build = reader->build;
    iso_tri_mesh file = {0};
    if (!mesh->shape.path) {
        enclose(mesh->shape.surface, mesh);
        return ISO_OK;
    }
    iso_status status =
        iso_tri_mesh_load(build->ctx, mesh->shape.path, iso_vec3_make(1.0, 1.0, 1.0), &file);
    if (status != ISO_OK) {
        return iso_scene_fail_at(build, iso_xml_source(node), status);
    }
    enclose(&file, mesh);
    iso_tri_mesh_destroy(build->ctx, &file);
    return ISO_OK;
}

static iso_status measure(const iso_mjcf_reader* reader, const xmlNode* node, iso_mjcf_mesh* mesh) {
    iso_mass_properties own;
    double m[3];
    ISO_SCENE_TRY(iso_mjcf_mesh_properties(reader, node, mesh, &own));
    // Seen from the frame of a geom, whose axes are where the search for the principal ones begins.
    iso_mat3 turned = iso_mat3_mul(mesh->x_ref.r, own.inertia);
    turned = iso_mat3_mul(turned, iso_mat3_transpose(mesh->x_ref.r));
    mesh->x_fit.r = iso_mjcf_principal_axes(&turned, m);
    mesh->x_fit.p = iso_pose_point(&mesh->x_ref, own.center_of_mass);
    for (int i = 0; i < 3; ++i) {
        double others = m[(i + 1) % 3] + m[(i + 2) % 3] - m[i];
        mesh->box[i] = 0.5 * sqrt(fmax(0.0, 6.0 * others / own.volume));
    }
    ISO_SCENE_TRY(find_box(reader, node, mesh));
    mesh->is_measured = true;
    return ISO_OK;
}

// Of the box of moments.
static void fit_moments(const double* box, iso_shape_kind kind, double* size) {
    double round = 0.5 * (box[0] + box[1]);
    bool is_box = kind == ISO_SHAPE_BOX || kind == ISO_SHAPE_ELLIPSOID;
    size[0] = is_box ? box[0] : kind == ISO_SHAPE_SPHERE ? (box[0] + box[1] + box[2]) / 3.0 : round;
    size[1] = is_box                      ? box[1]
              : kind == ISO_SHAPE_CAPSULE ? fmax(0.0, box[2] - 0.5 * round)
                                          : box[2];
    size[2] = box[2];
}

// The least that encloses the box around the vertices.
static void fit_box(const double* box, iso_shape_kind kind, double* size) {
    double widest = fmax(box[0], box[1]);
    bool is_box = kind == ISO_SHAPE_BOX || kind == ISO_SHAPE_ELLIPSOID;
    size[0] = is_box ? box[0] : kind == ISO_SHAPE_SPHERE ? fmax(widest, box[2]) : widest;
    size[1] = is_box ? box[1] : kind == ISO_SHAPE_CAPSULE ? box[2] - widest : box[2];
    size[2] = box[2];
}

iso_status iso_mjcf_fit_shape(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              const char* mesh_name, iso_shape_desc* shape, iso_pose* x) {
    iso_scene_build* build = reader->build;
    iso_name_list names =
        ISO_NAME_LIST(reader->meshes.data, reader->meshes.count, iso_mjcf_mesh, name);
    int index = iso_name_list_find(&names, mesh_name);
    double size[3], scale = 1.0;
    if (index < 0) {
        return iso_scene_fail_missing(build, iso_xml_source(item->node), &names, "mesh", mesh_name);
    }
    iso_mjcf_mesh* mesh = &reader->meshes.data[index];
    ISO_SCENE_REQUIRE(build, iso_xml_source(item->node), shape->kind != ISO_SHAPE_HALF_SPACE,
                      ISO_ERR_PARSE, "<geom>: a plane cannot be fitted to mesh '%s'", mesh_name);
    ISO_SCENE_TRY(mesh->is_measured ? ISO_OK : measure(reader, item->node, mesh));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "fitscale", 1, 1, &scale, NULL));
    *x = iso_pose_mul(x, &mesh->x_fit);
    if (iso_mjcf_settings_of(reader, item->node)->fits_boxes) {
        iso_vec3 half = iso_vec3_scale(iso_vec3_sub(mesh->highest, mesh->lowest), 0.5);
        x->p = iso_pose_point(x, iso_vec3_lerp(mesh->lowest, mesh->highest, 0.5));
        const double box[] = {half.x, half.y, half.z};
        fit_box(box, shape->kind, size);
    } else {
        fit_moments(mesh->box, shape->kind, size);
    }
    for (int i = 0; i < 3; ++i) {
        size[i] *= scale;
    }
    return iso_mjcf_set_sizes(reader, item, size, shape);
}
