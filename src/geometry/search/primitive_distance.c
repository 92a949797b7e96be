// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/search/primitive_query.h"

// Halvings until an interval of doubles is a point.
#define MAX_BISECTIONS 1100

static double length2(double a, double b) {
    return sqrt(a * a + b * b);
}

// Distance to a sphere about a centre.
static double sphere_distance(iso_vec3 p, iso_vec3 center, double radius, iso_vec3* out_nearest,
                              iso_vec3* out_normal) {
    iso_vec3 arm = iso_vec3_sub(p, center);
    double length = iso_vec3_norm(arm);
    *out_normal = length > 0.0 ? iso_vec3_scale(arm, 1.0 / length) : iso_vec3_make(1.0, 0.0, 0.0);
    *out_nearest = iso_vec3_add_scaled(center, *out_normal, radius);
    return length - radius;
}

// How far coordinates lie beyond the half sizes of a box of `count` axes. The nearest point in
// `out_nearest`; the index of the face that is nearest from inside, or -1 outside.
static double box_distance(const double* x, const double* half, int count, double* out_nearest,
                           int* out_face) {
    double squared = 0.0, depth = -INFINITY;
    bool is_outside = false;
    for (int i = 0; i < count; ++i) {
        double beyond = fabs(x[i]) - half[i];
        out_nearest[i] = beyond > 0.0 ? copysign(half[i], x[i]) : x[i];
        if (beyond > 0.0) {
            squared += beyond * beyond;
            is_outside = true;
        }
        if (beyond > depth) {
            depth = beyond;
            *out_face = i;
        }
    }
    if (is_outside) {
        *out_face = -1;
        return sqrt(squared);
    }
    out_nearest[*out_face] = copysign(half[*out_face], x[*out_face]);
    return depth;
}

static double cuboid_distance(iso_vec3 size, iso_vec3 p, iso_vec3* out_nearest,
                              iso_vec3* out_normal) {
    double x[3] = {p.x, p.y, p.z}, half[3] = {0.5 * size.x, 0.5 * size.y, 0.5 * size.z};
    double q[3], n[3] = {0.0, 0.0, 0.0};
    int face;
    double distance = box_distance(x, half, 3, q, &face);
    *out_nearest = iso_vec3_make(q[0], q[1], q[2]);
    if (face >= 0) {
        n[face] = copysign(1.0, x[face]);
        *out_normal = iso_vec3_make(n[0], n[1], n[2]);
    } else {
        *out_normal = iso_vec3_scale(iso_vec3_sub(p, *out_nearest), 1.0 / distance);
    }
    return distance;
}

// A cylinder is a box in (distance from the axis, height).
static double cylinder_distance(const iso_shape_desc* shape, iso_vec3 p, iso_vec3* out_nearest,
                                iso_vec3* out_normal) {
    double radial = length2(p.x, p.y);
    iso_vec3 out = radial > 0.0 ? iso_vec3_make(p.x / radial, p.y / radial, 0.0)
                                : iso_vec3_make(1.0, 0.0, 0.0);
    double x[2] = {radial, p.z}, half[2] = {shape->radius, 0.5 * shape->length}, q[2];
    int face;
    double distance = box_distance(x, half, 2, q, &face);
    *out_nearest = iso_vec3_make(out.x * q[0], out.y * q[0], q[1]);
    if (face < 0) { // these differences are exact near the surface, those of points are not
        double along = (x[0] - q[0]) / distance;
        *out_normal = iso_vec3_make(out.x * along, out.y * along, (x[1] - q[1]) / distance);
    } else {
        *out_normal = face == 0 ? out : iso_vec3_make(0.0, 0.0, copysign(1.0, p.z));
    }
    return distance;
}

// Root of sum (n_i / (s + above_i))^2 = 1, falling in s, between the bounds.
static double falling_root(const double* n, const double* above, int count, double low,
                           double high) {
    double s = 0.5 * (low + high);
    for (int i = 0; i < MAX_BISECTIONS && s > low && s < high; ++i) {
        double sum = -1.0;
        for (int k = 0; k < count; ++k) {
            double ratio = n[k] / (s + above[k]);
            sum += ratio * ratio;
        }
        low = sum > 0.0 ? s : low;
        high = sum > 0.0 ? high : s;
        s = 0.5 * (low + high);
    }
    return s;
}

// Nearest point of an ellipsoid of `count` axes, e descending, to a point y whose coordinates are
// all positive [Eberly2013]. His unknown is s - 1, which loses all digits of s in the plane of the
// longer axes.
static void positive_nearest(const double* e, const double* y, int count, double* out) {
    double n[3] = {0.0}, r[3] = {0.0}, above[3] = {0.0}, norm_squared = 0.0, g = -1.0;
    int last = count - 1;
    for (int i = 0; i < count; ++i) {
        double z = y[i] / e[i];
        r[i] = (e[i] / e[last]) * (e[i] / e[last]);
        above[i] = (e[i] - e[last]) / e[last] * ((e[i] + e[last]) / e[last]);
        n[i] = r[i] * z;
        norm_squared += n[i] * n[i];
        g += z * z;
    }
    double s = falling_root(n, above, count, n[last], g < 0.0 ? 1.0 : sqrt(norm_squared));
    for (int i = 0; i < count; ++i) {
        out[i] = r[i] * y[i] / (s + above[i]);
    }
}

// The same for coordinates that may be zero.
static void octant_nearest(const double* e, const double* y, int count, double* out) {
    int last = count - 1;
    if (count == 1) {
        out[0] = e[0];
        return;
    }
    if (!(y[last] > 0.0)) {
        // In the plane of the longer axes. Near the middle the nearest point rises out of it.
        double rest = 1.0;
        bool rises = true;
        for (int i = 0; i < last; ++i) {
            double numerator = e[i] * y[i], denominator = e[i] * e[i] - e[last] * e[last];
            rises = rises && numerator < denominator;
            double share = rises ? numerator / denominator : 0.0;
            out[i] = e[i] * share;
            rest -= share * share;
        }
        if (rises && rest > 0.0) {
            out[last] = e[last] * sqrt(rest);
            return;
        }
        out[last] = 0.0;
        octant_nearest(e, y, last, out);
        return;
    }
    // Coordinates that are zero stay zero: solve in the axes that remain.
    double some_e[3] = {0.0}, some_y[3] = {0.0}, some[3];
    int used = 0;
    for (int i = 0; i < count; ++i) {
        out[i] = 0.0;
        if (y[i] > 0.0) {
            some_e[used] = e[i];
            some_y[used++] = y[i];
        }
    }
    if (used == 1) {
        out[last] = e[last];
        return;
    }
    positive_nearest(some_e, some_y, used, some);
    for (int i = 0, k = 0; i < count; ++i) {
        if (y[i] > 0.0) {
            out[i] = some[k++];
        }
    }
}

static double ellipsoid_distance(iso_vec3 axes, iso_vec3 p, iso_vec3* out_nearest,
                                 iso_vec3* out_normal) {
    double size[3] = {axes.x, axes.y, axes.z}, x[3] = {p.x, p.y, p.z};
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2 - i; ++j) {
            if (size[order[j]] < size[order[j + 1]]) {
                int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
        }
    }
    double e[3], y[3], q[3], nearest[3], level = 0.0;
    for (int i = 0; i < 3; ++i) {
        e[i] = size[order[i]];
        y[i] = fabs(x[order[i]]);
        level += (y[i] / e[i]) * (y[i] / e[i]);
    }
    octant_nearest(e, y, 3, q);
    for (int i = 0; i < 3; ++i) {
        nearest[order[i]] = copysign(q[i], x[order[i]]);
    }
    *out_nearest = iso_vec3_make(nearest[0], nearest[1], nearest[2]);
    *out_normal = iso_vec3_normalized(iso_vec3_make(nearest[0] / (axes.x * axes.x),
                                                    nearest[1] / (axes.y * axes.y),
                                                    nearest[2] / (axes.z * axes.z)));
    double distance = iso_vec3_distance(p, *out_nearest);
    return level < 1.0 ? -distance : distance;
}

double iso_primitive_distance(const iso_shape_desc* shape, iso_vec3 p, iso_vec3* out_nearest,
                              iso_vec3* out_normal) {
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
        return sphere_distance(p, iso_vec3_zero(), shape->radius, out_nearest, out_normal);
    case ISO_SHAPE_ELLIPSOID:
        return ellipsoid_distance(shape->size, p, out_nearest, out_normal);
    case ISO_SHAPE_BOX:
        return cuboid_distance(shape->size, p, out_nearest, out_normal);
    case ISO_SHAPE_CYLINDER:
        return cylinder_distance(shape, p, out_nearest, out_normal);
    case ISO_SHAPE_CAPSULE: {
        double half = 0.5 * shape->length;
        iso_vec3 center = {0.0, 0.0, fmax(-half, fmin(half, p.z))};
        return sphere_distance(p, center, shape->radius, out_nearest, out_normal);
    }
    default: // half space
        *out_nearest = iso_vec3_make(p.x, p.y, 0.0);
        *out_normal = iso_vec3_make(0.0, 0.0, 1.0);
        return p.z;
    }
}
