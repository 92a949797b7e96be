// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/shape.h"
#include "geometry/tessellate_shapes.h"

// How many tetrahedra a hint asks for, also where tessellation stops before that:
// docs/theory/tessellation.md.

static double ball_count(double radius, double resolution_hint) {
    return 8.0 * pow(4.0, iso_tessellate_level(radius, resolution_hint));
}

static double cylinder_count(double radius, double length, double resolution_hint) {
    double sides = ceil(iso_tessellate_side_count(radius, resolution_hint));
    double half = 0.5 * length;
    double tolerance = 1e-14 * fmax(1.0, fmax(radius, half));
    bool is_long = half - radius > tolerance;
    bool is_short = radius - half > tolerance;
    return (is_long ? 5.0 : (is_short ? 9.0 : 4.0)) * sides;
}

double iso_shape_tet_count(const iso_shape_desc* shape, double resolution_hint) {
    if (!shape || !(resolution_hint > 0.0) || !iso_shape_is_curved(shape->kind)) {
        return 0.0;
    }
    if (shape->kind == ISO_SHAPE_CYLINDER) {
        return cylinder_count(shape->radius, shape->length, resolution_hint);
    }
    if (shape->kind == ISO_SHAPE_CAPSULE) {
        double sides = floor(iso_tessellate_side_count(shape->radius, resolution_hint));
        return 4.0 * sides * (floor(0.5 * sides) - 1.0) + 5.0 * sides;
    }
    iso_vec3 axes = shape->size;
    double radius =
        shape->kind == ISO_SHAPE_SPHERE ? shape->radius : fmax(axes.x, fmax(axes.y, axes.z));
    return ball_count(radius, resolution_hint);
}
