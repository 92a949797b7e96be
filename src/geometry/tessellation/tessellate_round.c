// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh/mesh.h"
#include "geometry/tessellation/tessellate.h"
#include "geometry/tessellation/tessellate_shapes.h"

// Cylinders and capsules about the z axis: sectors of one side each, from angle 0. The
// quadrilateral between two neighbouring sectors is cut the same way in both, so the pieces
// conform.

double iso_tessellate_side_count(double radius, double resolution_hint) {
    return fmax(2.0 * ISO_PI * radius / resolution_hint, 3.0);
}

static iso_vec3 circle_point(double radius, int index, int side_count, double z) {
    double angle = 2.0 * ISO_PI * index / side_count;
    return iso_vec3_make(radius * cos(angle), radius * sin(angle), z);
}

// Vertices of a cylinder: bottom and top centre, rim points (bottom, top) by angle, medial axis.
typedef struct sector {
    int bottom_from, bottom_to, top_from, top_to; // rim
    int medial_from, medial_to;                   // rim of the medial disk
} sector;

enum { BOTTOM_CENTRE = 0, TOP_CENTRE = 1 };

// Medial axis: segment from `low` to `high`.
static void fill_long_sector(iso_tet_mesh* m, int* n, sector s, int low, int high) {
    iso_tessellate_append(m, n, BOTTOM_CENTRE, s.bottom_from, s.bottom_to, low);
    iso_tessellate_append(m, n, TOP_CENTRE, s.top_to, s.top_from, high);
    iso_tessellate_append(m, n, high, s.top_from, low, s.top_to);
    iso_tessellate_append(m, n, s.top_from, s.bottom_from, low, s.top_to);
    iso_tessellate_append(m, n, s.bottom_from, s.bottom_to, low, s.top_to);
}

// Medial axis: one point.
static void fill_square_sector(iso_tet_mesh* m, int* n, sector s, int middle) {
    iso_tessellate_append(m, n, BOTTOM_CENTRE, s.bottom_from, s.bottom_to, middle);
    iso_tessellate_append(m, n, TOP_CENTRE, s.top_to, s.top_from, middle);
    iso_tessellate_append(m, n, s.bottom_from, middle, s.top_from, s.bottom_to);
    iso_tessellate_append(m, n, middle, s.top_to, s.top_from, s.bottom_to);
}

// Medial axis: a disk about `middle`.
static void fill_short_sector(iso_tet_mesh* m, int* n, sector s, int middle) {
    int from = s.medial_from, to = s.medial_to;
    iso_tessellate_append(m, n, middle, from, BOTTOM_CENTRE, to);
    iso_tessellate_append(m, n, from, s.bottom_from, BOTTOM_CENTRE, to);
    iso_tessellate_append(m, n, s.bottom_from, s.bottom_to, BOTTOM_CENTRE, to);
    iso_tessellate_append(m, n, TOP_CENTRE, s.top_from, middle, s.top_to);
    iso_tessellate_append(m, n, s.top_from, from, middle, s.top_to);
    iso_tessellate_append(m, n, from, to, middle, s.top_to);
    iso_tessellate_append(m, n, s.bottom_to, to, s.bottom_from, s.top_to);
    iso_tessellate_append(m, n, to, from, s.bottom_from, s.top_to);
    iso_tessellate_append(m, n, from, s.top_from, s.bottom_from, s.top_to);
}

iso_status iso_tessellate_cylinder(iso_context* ctx, double radius, double length,
                                   double resolution_hint, iso_tet_mesh* out_mesh,
                                   double** out_extents) {
    double side = ceil(iso_tessellate_side_count(radius, resolution_hint));
    int n = (int)fmin(side, ISO_TESSELLATE_MAX_CYLINDER_SIDES);
    double half = 0.5 * length;
    double tolerance = 1e-14 * fmax(1.0, fmax(radius, half)); // nearly equal counts as equal
    bool is_long = half - radius > tolerance;
    bool is_short = radius - half > tolerance;
    int medial_count = is_long ? 2 : (is_short ? n + 1 : 1);
    iso_status status =
        iso_tessellate_allocate(ctx, 2 * n + 2 + medial_count,
                                (is_long ? 5 : (is_short ? 9 : 4)) * n, out_mesh, out_extents);
    if (status != ISO_OK) {
        return status;
    }
    iso_vec3* v = out_mesh->vertices;
    int medial = 2 * n + 2;
    v[BOTTOM_CENTRE] = iso_vec3_make(0.0, 0.0, -half);
    v[TOP_CENTRE] = iso_vec3_make(0.0, 0.0, half);
    for (int i = 0; i < n; ++i) {
        v[2 + 2 * i] = circle_point(radius, i, n, -half);
        v[3 + 2 * i] = circle_point(radius, i, n, half);
        if (is_short) {
            v[medial + 1 + i] = circle_point(radius - half, i, n, 0.0);
        }
    }
    if (is_long) {
        v[medial] = iso_vec3_make(0.0, 0.0, radius - half);
        v[medial + 1] = iso_vec3_make(0.0, 0.0, half - radius);
    }
    for (int i = 0; i < medial_count; ++i) {
        (*out_extents)[medial + i] = 1.0;
    }
    int tet_count = 0;
    for (int i = 0; i < n; ++i) {
        int j = (i + 1) % n;
        sector s = {2 + 2 * i, 2 + 2 * j, 3 + 2 * i, 3 + 2 * j, medial + 1 + i, medial + 1 + j};
        if (is_long) {
            fill_long_sector(out_mesh, &tet_count, s, medial, medial + 1);
        } else if (is_short) {
            fill_short_sector(out_mesh, &tet_count, s, medial);
        } else {
            fill_square_sector(out_mesh, &tet_count, s, medial);
        }
    }
    return ISO_OK;
}

// Vertices of a capsule: upper and lower end of the medial axis, upper and lower pole, then circles
// of latitude from the cylinder's rim to the poles, each point above its mirror image.
enum { UPPER_MEDIAL = 0, LOWER_MEDIAL = 1, UPPER_POLE = 2, LOWER_POLE = 3, FIRST_CIRCLE = 4 };

static int circle_vertex(int circle, int index, int side_count) {
    return FIRST_CIRCLE + 2 * (circle * side_count + index % side_count);
}

static void place_capsule(iso_vec3* v, double radius, double half, int side_count,
                          int circle_count) {
    v[UPPER_MEDIAL] = iso_vec3_make(0.0, 0.0, half);
    v[LOWER_MEDIAL] = iso_vec3_make(0.0, 0.0, -half);
    v[UPPER_POLE] = iso_vec3_make(0.0, 0.0, half + radius);
    v[LOWER_POLE] = iso_vec3_make(0.0, 0.0, -half - radius);
    for (int circle = 0; circle < circle_count; ++circle) {
        double latitude = 0.5 * ISO_PI * circle / circle_count;
        double z = half + radius * sin(latitude);
        for (int i = 0; i < side_count; ++i) {
            iso_vec3 p = circle_point(radius * cos(latitude), i, side_count, z);
            int index = circle_vertex(circle, i, side_count);
            v[index] = p;
            v[index + 1] = iso_vec3_make(p.x, p.y, -z);
        }
    }
}

iso_status iso_tessellate_capsule(iso_context* ctx, double radius, double length,
                                  double resolution_hint, iso_tet_mesh* out_mesh,
                                  double** out_extents) {
    double side = floor(iso_tessellate_side_count(radius, resolution_hint));
    int n = (int)fmin(side, ISO_TESSELLATE_MAX_SIDES);
    int circle_count = n / 2;
    iso_status status =
        iso_tessellate_allocate(ctx, FIRST_CIRCLE + 2 * n * circle_count,
                                4 * n * (circle_count - 1) + 5 * n, out_mesh, out_extents);
    if (status != ISO_OK) {
        return status;
    }
    place_capsule(out_mesh->vertices, radius, 0.5 * length, n, circle_count);
    (*out_extents)[UPPER_MEDIAL] = (*out_extents)[LOWER_MEDIAL] = 1.0;
    int count = 0;
    iso_tet_mesh* m = out_mesh;
    for (int i = 0; i < n; ++i) {
        for (int circle = 0; circle + 1 < circle_count; ++circle) { // upper a b c d, lower + 1
            int a = circle_vertex(circle, i, n), b = circle_vertex(circle, i + 1, n);
            int c = circle_vertex(circle + 1, i, n), d = circle_vertex(circle + 1, i + 1, n);
            iso_tessellate_append(m, &count, a, UPPER_MEDIAL, c, b);
            iso_tessellate_append(m, &count, UPPER_MEDIAL, d, c, b);
            iso_tessellate_append(m, &count, c + 1, LOWER_MEDIAL, a + 1, d + 1);
            iso_tessellate_append(m, &count, LOWER_MEDIAL, b + 1, a + 1, d + 1);
        }
        int a = circle_vertex(0, i, n), b = circle_vertex(0, i + 1, n);
        int c = circle_vertex(circle_count - 1, i, n),
            d = circle_vertex(circle_count - 1, i + 1, n);
        iso_tessellate_append(m, &count, UPPER_POLE, d, c, UPPER_MEDIAL);
        iso_tessellate_append(m, &count, LOWER_POLE, c + 1, d + 1, LOWER_MEDIAL);
        iso_tessellate_append(m, &count, UPPER_MEDIAL, a, LOWER_MEDIAL, b);
        iso_tessellate_append(m, &count, a, a + 1, LOWER_MEDIAL, b);
        iso_tessellate_append(m, &count, a + 1, b + 1, LOWER_MEDIAL, b);
    }
    return ISO_OK;
}
