// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Pairs of every kind at random poses, and small motions of B, for tests of derivatives.

#include "geometry/mesh/mesh.h"
#include "surface/pair_fixture.h"

// A tetrahedral mesh that is not convex: two slanted bars that meet at a right angle. The caller
// destroys it.
static inline iso_tet_mesh moving_hook(iso_context* ctx) {
    iso_tet_mesh bar;
    iso_shape_desc box = fixture_box(0.2, 0.06, 0.05);
    iso_contact_shape* shape = fixture_shape(ctx, box, fixture_compliant(1e6, 0.0));
    const iso_tet_mesh* from = &shape->field->mesh;
    int n = from->vertex_count, t = from->tet_count;
    CHECK_OK(ctx, iso_tet_mesh_allocate(ctx, 2 * n, 2 * t, &bar));
    iso_mat3 turn = iso_mat3_from_rpy(0.1, 0.2, 1.5);
    for (int i = 0; i < n; ++i) {
        bar.vertices[i] = from->vertices[i];
        bar.vertices[n + i] = iso_vec3_add(iso_mat3_mul_vec3(&turn, from->vertices[i]),
                                           iso_vec3_make(0.3, 0.02, 0.0));
    }
    for (int i = 0; i < t; ++i) {
        for (int k = 0; k < 4; ++k) {
            bar.tets[i][k] = from->tets[i][k];
            bar.tets[t + i][k] = n + from->tets[i][k];
        }
    }
    iso_contact_shape_destroy(ctx, shape);
    return bar;
}

// One pair of every kind; 0 .. MOVING_KINDS - 1.
#define MOVING_KINDS 10
static const char* const k_moving_names[MOVING_KINDS] = {
    "sphere x box",         "equal boxes",
    "box x rigid cylinder", "rigid plane x cylinder",
    "slab x cylinder",      "slab with margin x rigid cylinder",
    "rigid x rigid",        "margins",
    "mesh x ellipsoid",     "rigid cylinder x slab with margin"};

static inline void moving_pair(iso_context* ctx, int kind, iso_contact_shape** a,
                               iso_contact_shape** b) {
    iso_contact_material slab = fixture_compliant(1e6, 0.0);
    slab.slab_thickness = 0.05;
    iso_contact_material slab_margin = slab;
    slab_margin.margin = 0.01;
    iso_contact_material soft = fixture_compliant(1e5, 0.05);
    soft.margin = 0.01;
    iso_shape_desc box = fixture_box(0.1, 0.2, 0.15), cylinder = fixture_cylinder(0.05, 0.3);
    iso_shape_desc ellipsoid = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    ellipsoid.size = iso_vec3_make(0.1, 0.07, 0.05);
    iso_shape_desc mesh = iso_shape_desc_default(ISO_SHAPE_MESH);
    iso_tet_mesh hook = {0};
    switch (kind) {
    case 0:
        *a = fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.05));
        *b = fixture_shape(ctx, box, fixture_compliant(1e6, 0.0));
        return;
    case 1:
        *a = fixture_shape(ctx, box, fixture_compliant(1e6, 0.0));
        *b = fixture_shape(ctx, box, fixture_compliant(1e6, 0.0));
        return;
    case 2:
        *a = fixture_shape(ctx, box, fixture_compliant(1e6, 0.0));
        *b = fixture_shape(ctx, cylinder, fixture_rigid(0.03));
        return;
    case 3:
        *a = fixture_half_space(ctx, fixture_rigid(0.0));
        *b = fixture_shape(ctx, cylinder, fixture_compliant(1e6, 0.03));
        return;
    case 4:
        *a = fixture_half_space(ctx, slab);
        *b = fixture_shape(ctx, cylinder, fixture_compliant(1e6, 0.03));
        return;
    case 5:
        *a = fixture_half_space(ctx, slab_margin);
        *b = fixture_shape(ctx, cylinder, fixture_rigid(0.03));
        return;
    case 6: {
        iso_contact_options options = fixture_options();
        *a = fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_rigid(0.0));
        *b = fixture_shape(ctx, fixture_sphere(0.1), fixture_rigid(0.05));
        CHECK_OK(ctx, iso_contact_shape_prepare_layer(ctx, *a, &options));
        return;
    }
    case 7:
        *a = fixture_shape(ctx, fixture_sphere(0.1), soft);
        *b = fixture_shape(ctx, box, soft);
        return;
    case 8:
        hook = moving_hook(ctx);
        mesh.volume = &hook;
        *a = fixture_shape(ctx, mesh, fixture_compliant(2e6, 0.0));
        *b = fixture_shape(ctx, ellipsoid, fixture_compliant(1e6, 0.03));
        iso_tet_mesh_destroy(ctx, &hook);
        return;
    default:
        *a = fixture_shape(ctx, cylinder, fixture_rigid(0.03));
        *b = fixture_half_space(ctx, slab_margin);
        return;
    }
}

typedef struct moving_scene {
    iso_contact_shape *a, *b;
    iso_pose x_wa, x_wb;
    iso_vec3 p_wp;
    iso_representation representation;
} moving_scene;

// Random poses at which the shapes overlap.
static inline moving_scene moving_scene_random(int kind, iso_contact_shape* a, iso_contact_shape* b,
                                               test_random* random) {
    moving_scene s = {.a = a, .b = b};
    iso_vec3 away = iso_vec3_scale(test_random_unit_vec3(random), 0.09);
    if (kind == 3 || kind == 4 || kind == 5 || kind == 9) {
        away = test_random_vec3(random, -0.1, 0.1);
        away.z = kind == 9 ? -0.03 : 0.03;
    }
    iso_pose tilt = iso_pose_from_quat(test_random_quat(random), away);
    if (kind == 9) { // the half space is B: turn the cylinder, not the plane
        iso_pose low = iso_pose_from_position(iso_vec3_zero());
        tilt = iso_pose_from_quat(test_random_quat(random), iso_vec3_make(0.02, 0.01, 0.03));
        tilt = iso_pose_inverse_mul(&tilt, &low);
    }
    s.x_wa = test_random_pose(random, 0.5);
    s.x_wb = iso_pose_mul(&s.x_wa, &tilt);
    s.p_wp = iso_vec3_add(s.x_wb.p, test_random_vec3(random, -0.2, 0.2));
    return s;
}

// B moved by a step along one of six unit twists about P.
static inline iso_pose moving_step(const iso_pose* x, iso_vec3 p_wp, int axis, double step) {
    double t[6] = {0.0};
    t[axis] = step;
    iso_mat3 turn =
        iso_mat3_from_quat(iso_quat_from_rotation_vector(iso_vec3_make(t[0], t[1], t[2])));
    iso_vec3 arm = iso_vec3_sub(x->p, p_wp);
    iso_vec3 p = iso_vec3_add(iso_vec3_add(p_wp, iso_mat3_mul_vec3(&turn, arm)),
                              iso_vec3_make(t[3], t[4], t[5]));
    return iso_pose_make(iso_mat3_mul(turn, x->r), p);
}

static inline void moving_unpack(iso_spatial s, double out[6]) {
    const double v[6] = {s.rotational.x,    s.rotational.y,    s.rotational.z,
                         s.translational.x, s.translational.y, s.translational.z};
    for (int i = 0; i < 6; ++i) {
        out[i] = v[i];
    }
}

static inline double moving_largest(double m[6][6]) {
    double r = 0.0;
    for (int i = 0; i < 36; ++i) {
        r = fmax(r, fabs(m[i / 6][i % 6]));
    }
    return r;
}

static inline double moving_difference(double a[6][6], double b[6][6]) {
    double r = 0.0;
    for (int i = 0; i < 36; ++i) {
        r = fmax(r, fabs(a[i / 6][i % 6] - b[i / 6][i % 6]));
    }
    return r;
}
