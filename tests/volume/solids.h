// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Solids drawn from seeds, for the tests of volumes.

#include "base/core/alloc.h"
#include "geometry/mesh/mesh.h"
#include "geometry/search/hull.h"
#include "isobar/volume.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>

enum { k_star_max = 24 };

/// A prism over a star-shaped polygon, whose top is turned against its bottom: not convex, and
/// without twist each triangle about the middle is a cell.
typedef struct star_prism {
    int corners;
    double radius[k_star_max], height, twist;
} star_prism;

static inline star_prism draw_star(test_random* random, bool is_twisted) {
    star_prism s = {.corners = test_random_int(random, 5, k_star_max)};
    for (int i = 0; i < s.corners; ++i) {
        s.radius[i] = test_random_uniform(random, 0.3, 1.0);
    }
    s.height = test_random_uniform(random, 0.3, 1.5);
    s.twist = is_twisted ? test_random_uniform(random, -0.2, 0.2) : 0.0;
    return s;
}

static inline iso_vec3 star_point(const star_prism* s, int corner, bool is_top) {
    int i = corner % s->corners;
    double angle = 2.0 * ISO_PI * i / s->corners + (is_top ? s->twist : 0.0);
    double z = is_top ? 0.5 * s->height : -0.5 * s->height;
    return iso_vec3_make(s->radius[i] * cos(angle), s->radius[i] * sin(angle), z);
}

static inline void set_face(iso_tri_mesh* mesh, int face, int a, int b, int c) {
    mesh->triangles[face][0] = a;
    mesh->triangles[face][1] = b;
    mesh->triangles[face][2] = c;
}

/// Vertices: bottom ring, top ring, the two middles.
static inline iso_tri_mesh star_mesh(iso_context* ctx, const star_prism* s) {
    iso_tri_mesh mesh;
    int n = s->corners;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 2 * n + 2, 4 * n, &mesh));
    mesh.vertices[2 * n] = iso_vec3_make(0.0, 0.0, -0.5 * s->height);
    mesh.vertices[2 * n + 1] = iso_vec3_make(0.0, 0.0, 0.5 * s->height);
    for (int i = 0; i < n; ++i) {
        int next = (i + 1) % n;
        mesh.vertices[i] = star_point(s, i, false);
        mesh.vertices[n + i] = star_point(s, i, true);
        set_face(&mesh, 4 * i, i, next, n + next);
        set_face(&mesh, 4 * i + 1, i, n + next, n + i);
        set_face(&mesh, 4 * i + 2, next, i, 2 * n);
        set_face(&mesh, 4 * i + 3, n + i, n + next, 2 * n + 1);
    }
    return mesh;
}

/// Cell i of an untwisted star: the prism over one triangle about the middle.
static inline iso_tri_mesh star_cell(iso_context* ctx, const star_prism* s, int i) {
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 6, 8, &mesh));
    for (int k = 0; k < 2; ++k) {
        mesh.vertices[3 * k] = iso_vec3_make(0.0, 0.0, (k - 0.5) * s->height);
        mesh.vertices[3 * k + 1] = star_point(s, i, k == 1);
        mesh.vertices[3 * k + 2] = star_point(s, i + 1, k == 1);
    }
    set_face(&mesh, 0, 0, 2, 1);
    set_face(&mesh, 1, 3, 4, 5);
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        set_face(&mesh, 2 + 2 * k, k, next, 3 + next);
        set_face(&mesh, 3 + 2 * k, k, 3 + next, 3 + k);
    }
    return mesh;
}

static inline iso_tri_mesh draw_hull(iso_context* ctx, test_random* random) {
    iso_vec3 points[60];
    iso_tri_mesh mesh;
    int count = test_random_int(random, 4, 60);
    for (int i = 0; i < count; ++i) {
        points[i] = test_random_vec3(random, -0.8, 0.8);
    }
    CHECK_OK(ctx, iso_hull_create(ctx, points, count, &mesh));
    return mesh;
}

/// A ring with a hole.
static inline iso_tri_mesh draw_torus(iso_context* ctx, test_random* random) {
    int n = test_random_int(random, 5, 16), m = test_random_int(random, 4, 9);
    double big = test_random_uniform(random, 0.5, 0.8);
    double small = test_random_uniform(random, 0.1, 0.3);
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, n * m, 2 * n * m, &mesh));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            double a = 2.0 * ISO_PI * i / n, b = 2.0 * ISO_PI * j / m;
            double r = big + small * cos(b);
            int ni = (i + 1) % n, nj = (j + 1) % m;
            mesh.vertices[i * m + j] = iso_vec3_make(r * cos(a), r * sin(a), small * sin(b));
            set_face(&mesh, 2 * (i * m + j), i * m + j, ni * m + j, ni * m + nj);
            set_face(&mesh, 2 * (i * m + j) + 1, i * m + j, ni * m + nj, i * m + nj);
        }
    }
    return mesh;
}

/// One of the above.
static inline iso_tri_mesh draw_solid(iso_context* ctx, test_random* random) {
    int kind = test_random_int(random, 0, 2);
    if (kind == 0) {
        return draw_hull(ctx, random);
    }
    if (kind == 1) {
        return draw_torus(ctx, random);
    }
    star_prism star = draw_star(random, true);
    return star_mesh(ctx, &star);
}

static inline iso_volume_body* body_of_shape(iso_context* ctx, const iso_shape_desc* shape) {
    iso_volume_body* body = NULL;
    CHECK_OK(ctx, iso_volume_body_create(ctx, shape, &body));
    return body;
}

static inline iso_volume_body* body_of_mesh(iso_context* ctx, const iso_tri_mesh* mesh) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    shape.surface = mesh;
    return body_of_shape(ctx, &shape);
}

static inline iso_volume_body* draw_body(iso_context* ctx, test_random* random) {
    iso_tri_mesh mesh = draw_solid(ctx, random);
    iso_volume_body* body = body_of_mesh(ctx, &mesh);
    iso_tri_mesh_destroy(ctx, &mesh);
    return body;
}

static inline iso_volume_body* box_body(iso_context* ctx, double x, double y, double z) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    shape.size = iso_vec3_make(x, y, z);
    return body_of_shape(ctx, &shape);
}

static inline iso_volume_body* ball_body(iso_context* ctx, double radius) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    shape.radius = radius;
    return body_of_shape(ctx, &shape);
}

static inline iso_volume_metrics meet(iso_context* ctx, const iso_volume_body* a,
                                      const iso_pose* x_wa, const iso_volume_body* b,
                                      const iso_pose* x_wb) {
    iso_volume_metrics m;
    CHECK_OK(ctx, iso_volume_intersect(ctx, a, x_wa, b, x_wb, NULL, &m));
    return m;
}

/// Two results are one: relative to the size of the bodies, 1 m.
static inline void check_same(iso_volume_metrics a, iso_volume_metrics b, double tolerance) {
    CHECK_NEAR(a.volume, b.volume, tolerance);
    iso_vec3 fa = iso_vec3_scale(a.centroid, a.volume), fb = iso_vec3_scale(b.centroid, b.volume);
    CHECK_VEC3_NEAR(fa, fb, tolerance);
    CHECK_MAT3_NEAR(a.inertia, b.inertia, tolerance);
}

/// Volume and first moments of a whole, and its second moments about the origin.
typedef struct raw_moments {
    double volume;
    iso_vec3 first;
    iso_mat3 second; ///< as inertia about the origin
} raw_moments;

static inline void add_raw(raw_moments* sum, const iso_volume_metrics* m) {
    iso_mat3 shift = iso_mat3_point_inertia(m->volume, m->centroid);
    sum->volume += m->volume;
    sum->first = iso_vec3_add_scaled(sum->first, m->centroid, m->volume);
    sum->second = iso_mat3_add(sum->second, iso_mat3_add(m->inertia, shift));
}

static inline void check_same_raw(raw_moments a, raw_moments b, double tolerance) {
    CHECK_NEAR(a.volume, b.volume, tolerance);
    CHECK_VEC3_NEAR(a.first, b.first, tolerance);
    CHECK_MAT3_NEAR(a.second, b.second, tolerance);
}
