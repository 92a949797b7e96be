// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Where contact sensors feel: a ray against a convex shape is an interval of its parameter.

#include "task/sensors/sensors.h"

typedef struct interval {
    double first, last;
} interval;

static const interval k_none = {1.0, -1.0};

static interval intersect(interval a, interval b) {
    return (interval){fmax(a.first, b.first), fmin(a.last, b.last)};
}

static bool is_met(interval a) {
    return a.first <= a.last && a.last >= 0.0;
}

// |p + t d| <= 1, of vectors that were scaled.
static interval in_ball(iso_vec3 p, iso_vec3 d) {
    double a = iso_vec3_dot(d, d), b = iso_vec3_dot(p, d), c = iso_vec3_dot(p, p) - 1.0;
    double root = b * b - a * c;
    if (a == 0.0) {
        return c <= 0.0 ? (interval){-INFINITY, INFINITY} : k_none;
    }
    return root < 0.0 ? k_none : (interval){(-b - sqrt(root)) / a, (-b + sqrt(root)) / a};
}

// |p + t d| <= half of one coordinate.
static interval in_slab(double p, double d, double half) {
    if (d == 0.0) {
        return fabs(p) <= half ? (interval){-INFINITY, INFINITY} : k_none;
    }
    double a = (-half - p) / d, b = (half - p) / d;
    return (interval){fmin(a, b), fmax(a, b)};
}

static interval in_ellipsoid(iso_vec3 p, iso_vec3 d, iso_vec3 axes) {
    return in_ball(iso_vec3_make(p.x / axes.x, p.y / axes.y, p.z / axes.z),
                   iso_vec3_make(d.x / axes.x, d.y / axes.y, d.z / axes.z));
}

static interval in_cylinder(iso_vec3 p, iso_vec3 d, double radius, double half) {
    interval round = in_ball(iso_vec3_make(p.x / radius, p.y / radius, 0.0),
                             iso_vec3_make(d.x / radius, d.y / radius, 0.0));
    return intersect(round, in_slab(p.z, d.z, half));
}

bool iso_sensor_zone_is_met(const iso_sensor_desc* desc, iso_vec3 p, iso_vec3 d) {
    iso_vec3 size = desc->zone_size;
    iso_vec3 ball = iso_vec3_make(size.x, size.x, size.x);
    iso_vec3 end = iso_vec3_make(0.0, 0.0, size.y);
    switch (desc->zone) {
    case ISO_ZONE_ALL:
        return true;
    case ISO_ZONE_SPHERE:
        return is_met(in_ellipsoid(p, d, ball));
    case ISO_ZONE_CAPSULE:
        return is_met(in_cylinder(p, d, size.x, size.y)) ||
               is_met(in_ellipsoid(iso_vec3_sub(p, end), d, ball)) ||
               is_met(in_ellipsoid(iso_vec3_add(p, end), d, ball));
    case ISO_ZONE_CYLINDER:
        return is_met(in_cylinder(p, d, size.x, size.y));
    case ISO_ZONE_ELLIPSOID:
        return is_met(in_ellipsoid(p, d, size));
    case ISO_ZONE_BOX:
        return is_met(intersect(in_slab(p.x, d.x, size.x),
                                intersect(in_slab(p.y, d.y, size.y), in_slab(p.z, d.z, size.z))));
    }
    return false;
}
