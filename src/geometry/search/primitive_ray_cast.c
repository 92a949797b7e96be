// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/search/primitive_query.h"

// A unit direction with less across an axis goes along it: the way across is less than rounding,
// and its square would vanish.
#define PARALLEL 1e-100

// Where a line is inside a convex set: parameters and outward normals of both ends. Empty when
// first > last.
typedef struct span {
    double first, last;
    iso_vec3 first_normal, last_normal;
} span;

static const span k_empty = {INFINITY, -INFINITY, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

static span intersect(span a, span b) {
    span r = a;
    if (b.first > a.first) {
        r.first = b.first;
        r.first_normal = b.first_normal;
    }
    if (b.last < a.last) {
        r.last = b.last;
        r.last_normal = b.last_normal;
    }
    return r.first <= r.last ? r : k_empty;
}

// Smallest span that holds both.
static span join(span a, span b) {
    span r = a;
    if (b.first < a.first) {
        r.first = b.first;
        r.first_normal = b.first_normal;
    }
    if (b.last > a.last) {
        r.last = b.last;
        r.last_normal = b.last_normal;
    }
    return r;
}

// Between the planes -half and +half of an axis.
static span slab_span(double origin, double direction, double half, iso_vec3 axis) {
    if (direction == 0.0) {
        return fabs(origin) <= half ? (span){-INFINITY, INFINITY, axis, axis} : k_empty;
    }
    double side = direction > 0.0 ? 1.0 : -1.0;
    return (span){(-side * half - origin) / direction, (side * half - origin) / direction,
                  iso_vec3_scale(axis, -side), iso_vec3_scale(axis, side)};
}

// Roots of |o + t d| = radius, without loss of digits when o is far away.
static bool sphere_roots(iso_vec3 o, iso_vec3 d, double radius, double* out_first,
                         double* out_last) {
    double a = iso_vec3_norm_squared(d);
    double b = iso_vec3_dot(o, d);
    if (a == 0.0) {
        return false;
    }
    iso_vec3 foot = iso_vec3_add_scaled(o, d, -b / a);
    double rest = (radius - iso_vec3_norm(foot)) * (radius + iso_vec3_norm(foot));
    if (!(rest >= 0.0)) {
        return false;
    }
    double half = sqrt(rest / a);
    *out_first = -b / a - half;
    *out_last = -b / a + half;
    return true;
}

static span sphere_span(iso_vec3 o, iso_vec3 d, iso_vec3 center, double radius) {
    span r = k_empty;
    iso_vec3 arm = iso_vec3_sub(o, center);
    if (sphere_roots(arm, d, radius, &r.first, &r.last)) {
        r.first_normal = iso_vec3_normalized(iso_vec3_add_scaled(arm, d, r.first));
        r.last_normal = iso_vec3_normalized(iso_vec3_add_scaled(arm, d, r.last));
    }
    return r;
}

// Inside the infinite cylinder about z.
static span tube_span(iso_vec3 o, iso_vec3 d, double radius) {
    iso_vec3 flat_o = {o.x, o.y, 0.0}, flat_d = {d.x, d.y, 0.0};
    iso_vec3 up = {0.0, 0.0, 1.0};
    if (fabs(d.x) < PARALLEL && fabs(d.y) < PARALLEL) {
        return iso_vec3_norm(flat_o) <= radius ? (span){-INFINITY, INFINITY, up, up} : k_empty;
    }
    return sphere_span(flat_o, flat_d, iso_vec3_zero(), radius);
}

static span cylinder_span(const iso_shape_desc* shape, iso_vec3 o, iso_vec3 d) {
    iso_vec3 up = {0.0, 0.0, 1.0};
    return intersect(tube_span(o, d, shape->radius), slab_span(o.z, d.z, 0.5 * shape->length, up));
}

static span capsule_span(const iso_shape_desc* shape, iso_vec3 o, iso_vec3 d) {
    iso_vec3 top = {0.0, 0.0, 0.5 * shape->length};
    span ends = join(sphere_span(o, d, top, shape->radius),
                     sphere_span(o, d, iso_vec3_neg(top), shape->radius));
    return join(ends, cylinder_span(shape, o, d));
}

static span box_span(iso_vec3 size, iso_vec3 o, iso_vec3 d) {
    span r = slab_span(o.x, d.x, 0.5 * size.x, iso_vec3_make(1.0, 0.0, 0.0));
    r = intersect(r, slab_span(o.y, d.y, 0.5 * size.y, iso_vec3_make(0.0, 1.0, 0.0)));
    return intersect(r, slab_span(o.z, d.z, 0.5 * size.z, iso_vec3_make(0.0, 0.0, 1.0)));
}

// A unit sphere after scaling; parameters along the line stay, normals scale the other way.
static span ellipsoid_span(iso_vec3 axes, iso_vec3 o, iso_vec3 d) {
    iso_vec3 inverse = {1.0 / axes.x, 1.0 / axes.y, 1.0 / axes.z};
    span r = sphere_span(iso_vec3_mul(o, inverse), iso_vec3_mul(d, inverse), iso_vec3_zero(), 1.0);
    r.first_normal = iso_vec3_normalized(iso_vec3_mul(r.first_normal, inverse));
    r.last_normal = iso_vec3_normalized(iso_vec3_mul(r.last_normal, inverse));
    return r;
}

static span half_space_span(iso_vec3 o, iso_vec3 d) {
    iso_vec3 up = {0.0, 0.0, 1.0};
    if (d.z == 0.0) {
        return o.z <= 0.0 ? (span){-INFINITY, INFINITY, up, up} : k_empty;
    }
    double t = -o.z / d.z;
    return d.z < 0.0 ? (span){t, INFINITY, up, up} : (span){-INFINITY, t, up, up};
}

bool iso_primitive_ray_cast(const iso_shape_desc* shape, iso_vec3 origin, iso_vec3 direction,
                            double* out_distance, iso_vec3* out_normal) {
    span s;
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
        s = sphere_span(origin, direction, iso_vec3_zero(), shape->radius);
        break;
    case ISO_SHAPE_ELLIPSOID:
        s = ellipsoid_span(shape->size, origin, direction);
        break;
    case ISO_SHAPE_BOX:
        s = box_span(shape->size, origin, direction);
        break;
    case ISO_SHAPE_CYLINDER:
        s = cylinder_span(shape, origin, direction);
        break;
    case ISO_SHAPE_CAPSULE:
        s = capsule_span(shape, origin, direction);
        break;
    default:
        s = half_space_span(origin, direction);
        break;
    }
    bool is_first = s.first >= 0.0;
    double t = is_first ? s.first : s.last;
    if (s.first > s.last || !(t >= 0.0) || isinf(t)) {
        return false;
    }
    *out_distance = t;
    *out_normal = is_first ? s.first_normal : s.last_normal;
    return true;
}
