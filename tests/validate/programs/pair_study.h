// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the programs about one pair of shapes share: making shapes, asking the engine for the patch,
// summing it. Bodies are 0 (A) and 1 (B). A failed call ends the program with the engine's message.

#include "base/core/alloc.h"
#include "contact/pairs/contact_system.h"
#include "geometry/mesh/mesh.h"
#include "support/random.h"
#include "surface/shapes/contact_shape_data.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct study {
    iso_context* ctx;
    iso_arena arena;
    iso_contact_system* system;
    iso_contact_set set;
    const iso_contact_shape *a, *b;
    iso_pose x_wa, x_wb; ///< of the last update
} study;

static inline void study_check(const study* s, iso_status status, const char* what) {
    if (status != ISO_OK) {
        fprintf(stderr, "%s: %s\n", what, s->ctx ? iso_context_error(s->ctx) : "no context");
        exit(1);
    }
}
#define STUDY_CHECK(s, call) study_check(s, call, #call)

static inline study study_make(void) {
    study s = {0};
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    STUDY_CHECK(&s, iso_context_create(&desc, &s.ctx));
    STUDY_CHECK(&s, iso_arena_init(&s.arena, s.ctx, 0));
    return s;
}

static inline void study_end(study* s) {
    iso_contact_system_destroy(s->ctx, s->system);
    iso_arena_destroy(&s->arena);
    iso_context_destroy(s->ctx);
}

static inline iso_shape_desc study_sphere(double radius) {
    iso_shape_desc d = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    d.radius = radius;
    return d;
}

static inline iso_shape_desc study_box(double x, double y, double z) {
    iso_shape_desc d = iso_shape_desc_default(ISO_SHAPE_BOX);
    d.size = iso_vec3_make(x, y, z);
    return d;
}

static inline iso_shape_desc study_cylinder(double radius, double length) {
    iso_shape_desc d = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    d.radius = radius;
    d.length = length;
    return d;
}

/// modulus 0: rigid.
static inline iso_contact_material study_material(double modulus, double hint) {
    iso_contact_material m = iso_contact_material_default();
    m.compliance = modulus > 0.0 ? ISO_COMPLIANCE_COMPLIANT : ISO_COMPLIANCE_RIGID;
    m.modulus = modulus > 0.0 ? modulus : m.modulus;
    m.resolution_hint = hint;
    m.margin = 0.0;
    return m;
}

static inline iso_contact_shape* study_shape(study* s, iso_shape_desc desc, double modulus,
                                             double hint) {
    iso_contact_material material = study_material(modulus, hint);
    iso_contact_shape* shape = NULL;
    STUDY_CHECK(s, iso_contact_shape_create(s->ctx, &desc, &material, &shape));
    return shape;
}

/// Half space below z = 0 of its frame; slope of its pressure [Pa/m], 0: rigid.
static inline iso_contact_shape* study_half_space(study* s, double slope) {
    iso_contact_material material = study_material(slope, 0.0);
    material.slab_thickness = slope > 0.0 ? 1.0 : 0.0;
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_contact_shape* shape = NULL;
    STUDY_CHECK(s, iso_contact_shape_create(s->ctx, &desc, &material, &shape));
    return shape;
}

/// A compliant body of tetrahedra with any pressures at its vertices. Tetrahedra of negative volume
/// are turned.
static inline iso_contact_shape* study_tets(study* s, const iso_vec3* vertices, int vertex_count,
                                            const int (*tets)[4], int tet_count,
                                            const double* pressures) {
    iso_contact_shape* shape = iso_alloc_zeroed(s->ctx, sizeof *shape);
    double* p = iso_alloc_array(s->ctx, vertex_count, sizeof *p);
    iso_tet_mesh mesh;
    STUDY_CHECK(s, shape && p ? ISO_OK : ISO_ERR_MEMORY);
    STUDY_CHECK(s, iso_tet_mesh_allocate(s->ctx, vertex_count, tet_count, &mesh));
    for (int i = 0; i < vertex_count; ++i) {
        mesh.vertices[i] = vertices[i];
        p[i] = pressures[i];
    }
    for (int i = 0; i < tet_count; ++i) {
        for (int k = 0; k < 4; ++k) {
            mesh.tets[i][k] = tets[i][k];
        }
        if (iso_tet_mesh_tet_volume(&mesh, i) < 0.0) {
            mesh.tets[i][0] = tets[i][1];
            mesh.tets[i][1] = tets[i][0];
        }
    }
    STUDY_CHECK(s, iso_tet_mesh_skin(s->ctx, &mesh, &shape->surface));
    STUDY_CHECK(s, iso_field_create(s->ctx, &mesh, p, &shape->field));
    shape->ctx = s->ctx;
    shape->is_closed = true;
    shape->max_pressure = shape->field->max_pressure;
    iso_points_bounds(vertices, vertex_count, &shape->lower, &shape->upper);
    return shape;
}

/// Make (a, b) the pair of the study. The shapes stay the caller's.
static inline void study_pair(study* s, iso_contact_shape* a, iso_contact_shape* b,
                              const iso_contact_options* options,
                              const iso_contact_material* material) {
    iso_contact_system_destroy(s->ctx, s->system);
    iso_contact_geometry geometries[2] = {
        {.name = "a", .body_name = "a", .body = 0, .x_bg = iso_pose_identity(), .shape = a},
        {.name = "b", .body_name = "b", .body = 1, .x_bg = iso_pose_identity(), .shape = b}};
    geometries[0].material = geometries[1].material =
        material ? *material : iso_contact_material_default();
    const iso_body_filter bodies = {.body_count = 2};
    STUDY_CHECK(s, iso_contact_system_create(s->ctx, geometries, 2, &bodies, options, &s->system));
    s->a = a;
    s->b = b;
}

/// The pair at these poses; NULL when there is no contact. Valid until the next call.
static inline const iso_contact_pair* study_update(study* s, iso_pose x_wa, iso_pose x_wb) {
    const iso_pose x_w[2] = {x_wa, x_wb};
    s->x_wa = x_wa;
    s->x_wb = x_wb;
    STUDY_CHECK(s, iso_arena_reset(&s->arena));
    STUDY_CHECK(s, iso_contact_system_update(s->system, x_w, NULL, &s->arena, &s->set));
    return s->set.pair_count > 0 ? &s->set.pairs[0] : NULL;
}

/// Wrench on B of the pressures alone, about p: on every triangle of a fan about a corner pressure
/// and position are linear, which A/12 (sum p sum x + sum p x) integrates exactly.
static inline iso_spatial study_exact_wrench(const iso_patch* patch, iso_vec3 p) {
    iso_spatial w = iso_spatial_zero();
    for (int f = 0; f < patch->face_count; ++f) {
        int first = patch->face_offsets[f], end = patch->face_offsets[f + 1];
        iso_vec3 n = patch->normals[f];
        for (int i = first + 1; i + 1 < end; ++i) {
            const int k[3] = {first, i, i + 1};
            iso_vec3 x[3], sum = iso_vec3_zero(), load = iso_vec3_zero();
            double pressure = 0.0;
            for (int c = 0; c < 3; ++c) {
                x[c] = iso_vec3_sub(patch->vertices[k[c]], p);
                sum = iso_vec3_add(sum, x[c]);
                pressure += patch->vertex_pressures[k[c]];
                load = iso_vec3_add_scaled(load, x[c], patch->vertex_pressures[k[c]]);
            }
            double area = iso_vec3_dot(
                n, iso_vec3_scale(
                       iso_vec3_cross(iso_vec3_sub(x[1], x[0]), iso_vec3_sub(x[2], x[0])), 0.5));
            iso_vec3 moment = iso_vec3_scale(iso_vec3_add_scaled(load, sum, pressure), area / 12.0);
            w.rotational = iso_vec3_add(w.rotational, iso_vec3_cross(moment, n));
            w.translational = iso_vec3_add_scaled(w.translational, n, area * pressure / 3.0);
        }
    }
    return w;
}

static inline iso_vec3 study_random_vec3(test_random* random, double half) {
    double x = test_random_uniform(random, -half, half),
           y = test_random_uniform(random, -half, half);
    return iso_vec3_make(x, y, test_random_uniform(random, -half, half));
}

static inline iso_vec3 study_random_unit(test_random* random) {
    return iso_vec3_normalized(study_random_vec3(random, 1.0));
}

/// A turn about a random axis. One draw after the other: compilers choose the order of arguments.
static inline iso_mat3 study_random_turn(test_random* random, double most) {
    iso_vec3 axis = study_random_unit(random);
    return iso_mat3_from_axis_angle(axis, test_random_uniform(random, 0.0, most));
}
