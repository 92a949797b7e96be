// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Pairs of primitives of equal and related sizes in line with each other, by seed, for what is
// asked of symmetric poses.

#include "surface/pair_fixture.h"

#define ALIGNED_KINDS 7

/// A pair: shapes, materials and the pose of B in A; and its size.
typedef struct aligned_pair {
    iso_shape_desc a, b;
    iso_contact_material material_a, material_b;
    iso_pose x_ab;
    double size; ///< of the smaller body [m]
} aligned_pair;

static inline int aligned_pick(test_random* random, int count) {
    int i = (int)test_random_uniform(random, 0.0, count);
    return i < count ? i : count - 1;
}

/// A pyramid.
static iso_vec3 k_aligned_vertices[5] = {
    {-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {1.0, 1.0, -1.0}, {-1.0, 1.0, -1.0}, {0.0, 0.0, 1.0}};
static int k_aligned_triangles[6][3] = {{0, 2, 1}, {0, 3, 2}, {0, 1, 4},
                                        {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
static const iso_tri_mesh k_aligned_pyramid = {.vertex_count = 5,
                                               .triangle_count = 6,
                                               .vertices = k_aligned_vertices,
                                               .triangles = k_aligned_triangles};

/// One body whose half length along z goes to *out_reach.
static inline iso_shape_desc aligned_shape(test_random* random, int kind, double radius,
                                           double* out_reach) {
    const iso_shape_kind kinds[ALIGNED_KINDS] = {
        ISO_SHAPE_SPHERE,    ISO_SHAPE_BOX,        ISO_SHAPE_CAPSULE, ISO_SHAPE_CYLINDER,
        ISO_SHAPE_ELLIPSOID, ISO_SHAPE_HALF_SPACE, ISO_SHAPE_CONVEX};
    const double lengths[4] = {1.0, 2.0, 3.0, 0.5};
    double length = lengths[aligned_pick(random, 4)];
    iso_shape_desc s = iso_shape_desc_default(kinds[kind]);
    s.radius = radius;
    s.length = 2.0 * radius * length;
    s.size = kind == 1 ? iso_vec3_make(2.0 * radius, 2.0 * radius, 2.0 * radius * length)
                       : iso_vec3_make(radius, radius, 1.5 * radius * length);
    if (kinds[kind] == ISO_SHAPE_CONVEX) {
        s.surface = &k_aligned_pyramid;
        s.scale = iso_vec3_make(radius, radius, radius);
    }
    *out_reach = kind == 0 || kind == 6 ? radius : kind == 4 ? s.size.z : radius * length;
    return s;
}

static inline aligned_pair aligned_pair_of(uint64_t seed, double hint) {
    const double radii[5] = {0.1, 0.05, 0.2, 0.07, 0.1};
    test_random random = test_random_make(seed);
    aligned_pair p;
    double reach_a, reach_b, radius = radii[aligned_pick(&random, 5)];
    int kind_a = aligned_pick(&random, ALIGNED_KINDS),
        kind_b = aligned_pick(&random, ALIGNED_KINDS);
    kind_b = kind_a == 5 && kind_b == 5 ? 0 : kind_b;
    p.a = aligned_shape(&random, kind_a, 0.1, &reach_a);
    p.b = aligned_shape(&random, kind_b, radius, &reach_b);
    bool is_rigid_a = aligned_pick(&random, 4) == 0, is_rigid_b = aligned_pick(&random, 4) == 0;
    p.material_a = is_rigid_a ? fixture_rigid(hint) : fixture_compliant(1e6, hint);
    p.material_b = is_rigid_b && !is_rigid_a
                       ? fixture_rigid(hint)
                       : fixture_compliant(aligned_pick(&random, 2) ? 1e6 : 2e6, hint);
    p.material_a.slab_thickness = p.material_b.slab_thickness = 0.1;
    const double offsets[7] = {0.0,
                               reach_a,
                               reach_b,
                               reach_a + reach_b,
                               reach_a - reach_b,
                               reach_a + reach_b - 0.01,
                               0.5 * (reach_a + reach_b)};
    double offset = offsets[aligned_pick(&random, 7)];
    int axis = aligned_pick(&random, 3), turn = aligned_pick(&random, 4);
    p.x_ab.p =
        iso_vec3_make(axis == 0 ? offset : 0.0, axis == 1 ? offset : 0.0, axis == 2 ? offset : 0.0);
    // Exact quarter turns.
    const iso_mat3 turns[4] = {
        {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}},
        {{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}},
        {{{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {0.0, 1.0, 0.0}}},
        {{{-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, -1.0}}},
    };
    p.x_ab.r = turns[turn];
    p.size = fmin(0.1, radius);
    return p;
}

/// The pose moved in a direction that is special to nothing.
static inline iso_pose aligned_moved(const aligned_pair* p, double distance, int direction) {
    const iso_vec3 k_along[3] = {{0.5, 0.3, -0.812}, {-0.4, 0.7, 0.59}, {0.1, -0.6, -0.79}};
    return iso_pose_make(p->x_ab.r, iso_vec3_add_scaled(p->x_ab.p, k_along[direction], distance));
}
