// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The slow truth about a patch: every pair of elements, each polygon as an intersection of half
// planes whose corners are found by trying every pair of lines. Shares no code with src/surface and
// works in the world frame.

#include "isobar/geometry.h"
#include "isobar/math.h"

#include <stdlib.h>

#define BRUTE_MAX_LINES 16
#define BRUTE_MAX_CORNERS 64

typedef struct brute_affine {
    iso_vec3 g;
    double c;
} brute_affine;

typedef struct brute_sums {
    double least; // |p| at the centroid below which a polygon counts for nothing [Pa]
    int face_count;
    double area, load;      // sum A, sum A p
    iso_vec3 area_moment;   // sum A x
    iso_vec3 load_moment;   // sum A p x
    iso_vec3 force, moment; // on the side the normal points into; about the origin of W
} brute_sums;

// A tetrahedron in W with everything derived from it.
typedef struct brute_tet {
    iso_vec3 v[4];
    double p[4];
    brute_affine pressure;
    brute_affine inside[4]; // >= 0 inside, unit gradients
    iso_vec3 center;
    double radius;
} brute_tet;

static inline double brute_eval(brute_affine f, iso_vec3 x) {
    return iso_vec3_dot(f.g, x) + f.c;
}

// Affine function with given values at four points, by Cramer's rule.
static inline brute_affine brute_fit(const iso_vec3 v[4], const double values[4]) {
    double rows[3][3], rhs[3];
    for (int i = 0; i < 3; ++i) {
        iso_vec3 e = iso_vec3_sub(v[i + 1], v[0]);
        rows[i][0] = e.x;
        rows[i][1] = e.y;
        rows[i][2] = e.z;
        rhs[i] = values[i + 1] - values[0];
    }
    iso_mat3 m;
    double g[3], whole = 0.0;
    for (int k = -1; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                m.m[i][j] = j == k ? rhs[i] : rows[i][j];
            }
        }
        if (k < 0) {
            whole = iso_mat3_determinant(&m);
        } else {
            g[k] = iso_mat3_determinant(&m) / whole;
        }
    }
    brute_affine f = {{g[0], g[1], g[2]}, 0.0};
    f.c = values[0] - iso_vec3_dot(f.g, v[0]);
    return f;
}

// The plane through three points, positive at a fourth.
static inline brute_affine brute_side(iso_vec3 a, iso_vec3 b, iso_vec3 c, iso_vec3 positive) {
    iso_vec3 n = iso_vec3_normalized(iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a)));
    brute_affine f = {n, -iso_vec3_dot(n, a)};
    if (brute_eval(f, positive) < 0.0) {
        f = (brute_affine){iso_vec3_neg(n), -f.c};
    }
    return f;
}

static inline brute_tet* brute_tets(const iso_tet_mesh* mesh, const double* pressures,
                                    const iso_pose* x_w) {
    brute_tet* tets = malloc((size_t)mesh->tet_count * sizeof *tets);
    for (int i = 0; tets && i < mesh->tet_count; ++i) {
        brute_tet* t = &tets[i];
        t->center = iso_vec3_zero();
        for (int k = 0; k < 4; ++k) {
            t->v[k] = iso_pose_point(x_w, mesh->vertices[mesh->tets[i][k]]);
            t->p[k] = pressures[mesh->tets[i][k]];
            t->center = iso_vec3_add_scaled(t->center, t->v[k], 0.25);
        }
        t->pressure = brute_fit(t->v, t->p);
        t->radius = 0.0;
        for (int k = 0; k < 4; ++k) {
            t->inside[k] =
                brute_side(t->v[(k + 1) % 4], t->v[(k + 2) % 4], t->v[(k + 3) % 4], t->v[k]);
            t->radius = fmax(t->radius, iso_vec3_distance(t->center, t->v[k]));
        }
    }
    return tets;
}

typedef struct brute_corner {
    double u, v, angle;
} brute_corner;

static inline int brute_by_angle(const void* a, const void* b) {
    double x = ((const brute_corner*)a)->angle, y = ((const brute_corner*)b)->angle;
    return (x > y) - (x < y);
}

// Add the polygon {plane = 0, all sides >= 0} with pressure p; the force acts along the plane's
// normal times `sign`. Rounding slivers are left out.
static inline void brute_add(brute_sums* sums, brute_affine plane, double sign,
                             const brute_affine* sides, int side_count, brute_affine p,
                             double size) {
    double scale = 1.0 / iso_vec3_norm(plane.g);
    iso_vec3 n = iso_vec3_scale(plane.g, scale);
    iso_vec3 o = iso_vec3_scale(n, -plane.c * scale);
    iso_vec3 pick = fabs(n.x) < 0.6 ? iso_vec3_make(1, 0, 0) : iso_vec3_make(0, 1, 0);
    iso_vec3 e = iso_vec3_normalized(iso_vec3_cross(n, pick));
    iso_vec3 f = iso_vec3_cross(n, e);
    double a[BRUTE_MAX_LINES], b[BRUTE_MAX_LINES], c[BRUTE_MAX_LINES];
    for (int i = 0; i < side_count; ++i) {
        a[i] = iso_vec3_dot(sides[i].g, e);
        b[i] = iso_vec3_dot(sides[i].g, f);
        c[i] = brute_eval(sides[i], o);
    }
    brute_corner corners[BRUTE_MAX_CORNERS];
    int count = 0;
    for (int i = 0; i < side_count; ++i) {
        for (int j = i + 1; j < side_count && count < BRUTE_MAX_CORNERS; ++j) {
            double determinant = a[i] * b[j] - a[j] * b[i];
            if (fabs(determinant) < 1e-12) {
                continue;
            }
            double u = (-c[i] * b[j] + c[j] * b[i]) / determinant;
            double v = (-a[i] * c[j] + a[j] * c[i]) / determinant;
            bool is_inside = true;
            for (int k = 0; k < side_count; ++k) {
                is_inside =
                    is_inside && (k == i || k == j || a[k] * u + b[k] * v + c[k] >= -1e-13 * size);
            }
            if (is_inside) {
                corners[count++] = (brute_corner){u, v, 0.0};
            }
        }
    }
    double mu = 0.0, mv = 0.0;
    for (int i = 0; i < count; ++i) {
        mu += corners[i].u / count;
        mv += corners[i].v / count;
    }
    for (int i = 0; i < count; ++i) {
        corners[i].angle = atan2(corners[i].v - mv, corners[i].u - mu);
    }
    qsort(corners, (size_t)count, sizeof *corners, brute_by_angle);
    double area = 0.0, cu = 0.0, cv = 0.0;
    for (int i = 0; i < count; ++i) {
        brute_corner s = corners[i], t = corners[(i + 1) % count];
        double part = 0.5 * ((s.u - mu) * (t.v - mv) - (t.u - mu) * (s.v - mv));
        area += part;
        cu += part * (mu + s.u + t.u) / 3.0;
        cv += part * (mv + s.v + t.v) / 3.0;
    }
    if (!(area > 1e-18 * size * size)) {
        return;
    }
    iso_vec3 x = iso_vec3_add_scaled(iso_vec3_add_scaled(o, e, cu / area), f, cv / area);
    double load = area * brute_eval(p, x);
    if (!(fabs(load) > sums->least * area)) {
        return;
    }
    iso_vec3 force = iso_vec3_scale(n, sign * load);
    sums->face_count++;
    sums->area += area;
    sums->load += load;
    sums->area_moment = iso_vec3_add_scaled(sums->area_moment, x, area);
    sums->load_moment = iso_vec3_add_scaled(sums->load_moment, x, load);
    sums->force = iso_vec3_add(sums->force, force);
    sums->moment = iso_vec3_add(sums->moment, iso_vec3_cross(x, force));
}

static inline bool brute_straddles(brute_affine f, const iso_vec3* v, int count) {
    bool has_positive = false, has_negative = false;
    for (int i = 0; i < count; ++i) {
        has_positive = has_positive || brute_eval(f, v[i]) > 0.0;
        has_negative = has_negative || brute_eval(f, v[i]) < 0.0;
    }
    return has_positive && has_negative;
}

/// Patch of two fields, the wrench acting on B. `least` as in brute_sums: regions of exactly zero
/// pressure (tetrahedra with all corners on the skin) have slices decided by rounding.
static inline brute_sums brute_field_field(const brute_tet* a, int a_count, const brute_tet* b,
                                           int b_count, double size, double least) {
    brute_sums sums = {.least = least};
    for (int i = 0; i < a_count; ++i) {
        for (int j = 0; j < b_count; ++j) {
            if (iso_vec3_distance(a[i].center, b[j].center) > a[i].radius + b[j].radius) {
                continue;
            }
            brute_affine h = {iso_vec3_sub(a[i].pressure.g, b[j].pressure.g),
                              a[i].pressure.c - b[j].pressure.c};
            if (!brute_straddles(h, a[i].v, 4) || !brute_straddles(h, b[j].v, 4)) {
                continue;
            }
            brute_affine sides[8];
            for (int k = 0; k < 4; ++k) {
                sides[k] = a[i].inside[k];
                sides[4 + k] = b[j].inside[k];
            }
            // A is where its own pressure is the larger one; the force on B points away from it.
            brute_add(&sums, h, -1.0, sides, 8, a[i].pressure, size);
        }
    }
    return sums;
}

/// Patch of the field of A and the rigid surface B, the wrench acting on B.
static inline brute_sums brute_field_surface(const brute_tet* a, int a_count, const iso_tri_mesh* b,
                                             const iso_pose* x_wb, double size, double least) {
    brute_sums sums = {.least = least};
    for (int j = 0; j < b->triangle_count; ++j) {
        iso_vec3 v[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = iso_pose_point(x_wb, b->vertices[b->triangles[j][k]]);
        }
        iso_vec3 n =
            iso_vec3_normalized(iso_vec3_cross(iso_vec3_sub(v[1], v[0]), iso_vec3_sub(v[2], v[0])));
        brute_affine plane = {n, -iso_vec3_dot(n, v[0])};
        brute_affine sides[7];
        for (int k = 0; k < 3; ++k) {
            sides[4 + k] = brute_side(v[k], v[(k + 1) % 3], iso_vec3_add(v[k], n), v[(k + 2) % 3]);
        }
        for (int i = 0; i < a_count; ++i) {
            if (!brute_straddles(plane, a[i].v, 4)) {
                continue;
            }
            for (int k = 0; k < 4; ++k) {
                sides[k] = a[i].inside[k];
            }
            // The outward normal of B points into A.
            brute_add(&sums, plane, -1.0, sides, 7, a[i].pressure, size);
        }
    }
    return sums;
}

/// Patch of the field of A and a half space B (outward normal z of its frame): rigid when slope is
/// 0, else of pressure slope * depth.
static inline brute_sums brute_field_half_space(const brute_tet* a, int a_count,
                                                const iso_pose* x_wb, double slope, double size,
                                                double least) {
    brute_sums sums = {.least = least};
    iso_vec3 up = iso_mat3_column(&x_wb->r, 2);
    brute_affine height = {up, -iso_vec3_dot(up, x_wb->p)};
    for (int i = 0; i < a_count; ++i) {
        brute_affine h = height;
        if (slope > 0.0) {
            h = (brute_affine){iso_vec3_add_scaled(a[i].pressure.g, up, slope),
                               a[i].pressure.c + slope * height.c};
        }
        if (brute_straddles(h, a[i].v, 4)) {
            brute_affine sides[5];
            for (int k = 0; k < 4; ++k) {
                sides[k] = a[i].inside[k];
            }
            sides[4] = (brute_affine){iso_vec3_neg(up), -height.c};
            brute_add(&sums, h, -1.0, sides, slope > 0.0 ? 5 : 4, a[i].pressure, size);
        }
    }
    return sums;
}

/// Patch of the rigid surface A and a compliant half space B.
static inline brute_sums brute_surface_half_space(const iso_tri_mesh* a, const iso_pose* x_wa,
                                                  const iso_pose* x_wb, double slope, double size,
                                                  double least) {
    brute_sums sums = {.least = least};
    iso_vec3 up = iso_mat3_column(&x_wb->r, 2);
    brute_affine depth = {iso_vec3_neg(up), iso_vec3_dot(up, x_wb->p)};
    brute_affine p = {iso_vec3_scale(depth.g, slope), depth.c * slope};
    for (int j = 0; j < a->triangle_count; ++j) {
        iso_vec3 v[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = iso_pose_point(x_wa, a->vertices[a->triangles[j][k]]);
        }
        iso_vec3 n =
            iso_vec3_normalized(iso_vec3_cross(iso_vec3_sub(v[1], v[0]), iso_vec3_sub(v[2], v[0])));
        brute_affine plane = {n, -iso_vec3_dot(n, v[0])};
        brute_affine sides[4] = {[3] = depth};
        for (int k = 0; k < 3; ++k) {
            sides[k] = brute_side(v[k], v[(k + 1) % 3], iso_vec3_add(v[k], n), v[(k + 2) % 3]);
        }
        // The outward normal of A points into B.
        brute_add(&sums, plane, 1.0, sides, 4, p, size);
    }
    return sums;
}
