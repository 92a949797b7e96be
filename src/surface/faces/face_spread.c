// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/faces/face_spread.h"

#include <math.h>

// Principal moments that differ by a smaller share have no axes.
#define SMALLEST_DIFFERENCE 1e-9

// Lengths that differ by less are the same to rounding.
#define ROUNDING_OF_LENGTH 1e-9

// Axes of the plane, the same for both of its normals.
static void set_axes(iso_vec3 normal, iso_face_spread* out) {
    iso_vec3 up = iso_face_order_up(normal);
    double x = fabs(up.x), y = fabs(up.y), z = fabs(up.z);
    iso_vec3 across = x <= y && x <= z ? iso_vec3_make(1.0, 0.0, 0.0)
                      : y <= z         ? iso_vec3_make(0.0, 1.0, 0.0)
                                       : iso_vec3_make(0.0, 0.0, 1.0);
    out->e1 = iso_vec3_normalized(iso_vec3_cross(across, up));
    out->e2 = iso_vec3_cross(up, out->e1);
}

// Of the triangle of the centroid and two corners, at (x, y) and (u, v) from it.
static void add_triangle(double x, double y, double u, double v, iso_face_spread* out) {
    double weight = fabs(x * v - y * u) / 24.0;
    out->m11 += weight * (x * x + u * u + (x + u) * (x + u));
    out->m12 += weight * (x * y + u * v + (x + u) * (y + v));
    out->m22 += weight * (y * y + v * v + (y + v) * (y + v));
}

iso_face_spread iso_face_spread_find(const iso_vec3* vertices, int count, iso_vec3 normal,
                                     iso_vec3 centroid) {
    iso_face_spread s = {.is_triangle = count == 3};
    set_axes(normal, &s);
    iso_face_order order = iso_face_order_find(vertices, count, normal);
    double largest = 0.0;
    for (int k = 0; k < count; ++k) {
        int i = iso_face_order_at(&order, k), next = iso_face_order_at(&order, k + 1);
        iso_vec3 a = iso_vec3_sub(vertices[i], centroid);
        iso_vec3 b = iso_vec3_sub(vertices[next], centroid);
        add_triangle(iso_vec3_dot(a, s.e1), iso_vec3_dot(a, s.e2), iso_vec3_dot(b, s.e1),
                     iso_vec3_dot(b, s.e2), &s);
        double length = iso_vec3_norm(a);
        if (length > largest * (1.0 + ROUNDING_OF_LENGTH)) {
            largest = length;
            s.corner = a;
        }
    }
    return s;
}

// Adds the moments of an area at a place, its own apart.
static void add_place(double area, iso_vec3 place, iso_face_spread* out) {
    double x = iso_vec3_dot(place, out->e1), y = iso_vec3_dot(place, out->e2);
    out->m11 += area * x * x;
    out->m12 += area * x * y;
    out->m22 += area * y * y;
}

iso_face_spread iso_face_spread_rest(const iso_face_spread* whole, iso_vec3 whole_centroid,
                                     const iso_face_spread* part, double part_area,
                                     iso_vec3 part_centroid, double rest_area,
                                     iso_vec3 rest_centroid) {
    iso_face_spread rest = *whole;
    rest.m11 -= part->m11;
    rest.m12 -= part->m12;
    rest.m22 -= part->m22;
    add_place(-part_area, iso_vec3_sub(part_centroid, whole_centroid), &rest);
    add_place(-rest_area, iso_vec3_sub(rest_centroid, whole_centroid), &rest);
    rest.corner = iso_vec3_sub(rest_centroid, part_centroid);
    rest.is_triangle = false;
    return rest;
}

// The same from each corner: 3/4 of the area at r^2 = 8/3 of the moment over the area.
static void sample_equal_sides(const iso_face_spread* spread, double area, iso_vec3 out[4]) {
    double mean = 0.5 * (spread->m11 + spread->m22), length = iso_vec3_norm(spread->corner);
    double reach = length > 0.0 ? sqrt(8.0 / 3.0 * fmax(mean, 0.0) / area) / length : 0.0;
    iso_vec3 along = iso_vec3_scale(spread->corner, reach);
    iso_vec3 across = iso_vec3_cross(iso_vec3_cross(spread->e1, spread->e2), along);
    iso_vec3 back = iso_vec3_scale(along, -0.5), side = iso_vec3_scale(across, 0.5 * sqrt(3.0));
    out[0] = iso_vec3_zero();
    out[1] = along;
    out[2] = iso_vec3_add(back, side);
    out[3] = iso_vec3_sub(back, side);
}

void iso_face_spread_samples(const iso_face_spread* spread, double area, iso_vec3 out[4]) {
    double mean = 0.5 * (spread->m11 + spread->m22), d = 0.5 * (spread->m11 - spread->m22);
    double o = spread->m12, difference = sqrt(d * d + o * o);
    // The axis of the larger moment.
    double x = d > 0.0 ? d + difference : o, y = d > 0.0 ? o : difference - d;
    if (!(difference > SMALLEST_DIFFERENCE * mean)) {
        if (spread->is_triangle) {
            sample_equal_sides(spread, area, out);
            return;
        }
        x = iso_vec3_dot(spread->corner, spread->e1);
        y = iso_vec3_dot(spread->corner, spread->e2);
    }
    double length = sqrt(x * x + y * y), scale = length > 0.0 ? 1.0 / length : 0.0;
    x = length > 0.0 ? x * scale : 1.0;
    y *= scale;
    double wide = sqrt(2.0 * fmax(mean + difference, 0.0) / area);
    double narrow = sqrt(2.0 * fmax(mean - difference, 0.0) / area);
    iso_vec3 along = iso_vec3_add(iso_vec3_scale(spread->e1, x), iso_vec3_scale(spread->e2, y));
    iso_vec3 across = iso_vec3_sub(iso_vec3_scale(spread->e2, x), iso_vec3_scale(spread->e1, y));
    out[0] = iso_vec3_scale(along, wide);
    out[1] = iso_vec3_neg(out[0]);
    out[2] = iso_vec3_scale(across, narrow);
    out[3] = iso_vec3_neg(out[2]);
}
