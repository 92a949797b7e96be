// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh/shape.h"
#include "geometry/tessellation/tessellate.h"
#include "geometry/tessellation/tessellate_shapes.h"

// How many tetrahedra a hint asks for, and how many it gets: docs/theory/tessellation.md.

static double ball_count(double radius, double resolution_hint, bool stops) {
    double level = iso_tessellate_level(radius, resolution_hint);
    return 8.0 * pow(4.0, stops ? fmin(level, ISO_TESSELLATE_MAX_LEVEL) : level);
}

static double cylinder_count(double radius, double length, double resolution_hint, bool stops) {
    double sides = ceil(iso_tessellate_side_count(radius, resolution_hint));
    double half = 0.5 * length;
    double tolerance = 1e-14 * fmax(1.0, fmax(radius, half));
    bool is_long = half - radius > tolerance;
    bool is_short = radius - half > tolerance;
    sides = stops ? fmin(sides, ISO_TESSELLATE_MAX_CYLINDER_SIDES) : sides;
    return (is_long ? 5.0 : (is_short ? 9.0 : 4.0)) * sides;
}

static double capsule_count(double radius, double resolution_hint, bool stops) {
    double sides = floor(iso_tessellate_side_count(radius, resolution_hint));
    sides = stops ? fmin(sides, ISO_TESSELLATE_MAX_SIDES) : sides;
    return 4.0 * sides * (floor(0.5 * sides) - 1.0) + 5.0 * sides;
}

static double tet_count(const iso_shape_desc* shape, double resolution_hint, bool stops) {
    if (!shape || !(resolution_hint > 0.0) || !iso_shape_is_curved(shape->kind)) {
        return 0.0;
    }
    if (shape->kind == ISO_SHAPE_CYLINDER) {
        return cylinder_count(shape->radius, shape->length, resolution_hint, stops);
    }
    if (shape->kind == ISO_SHAPE_CAPSULE) {
        return capsule_count(shape->radius, resolution_hint, stops);
    }
    iso_vec3 axes = shape->size;
    double radius =
        shape->kind == ISO_SHAPE_SPHERE ? shape->radius : fmax(axes.x, fmax(axes.y, axes.z));
    return ball_count(radius, resolution_hint, stops);
}

double iso_shape_tet_count(const iso_shape_desc* shape, double resolution_hint) {
    return tet_count(shape, resolution_hint, false);
}

double iso_tessellate_tet_count(const iso_shape_desc* shape, double resolution_hint) {
    return tet_count(shape, resolution_hint, true);
}
