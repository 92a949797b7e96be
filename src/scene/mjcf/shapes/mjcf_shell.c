// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>

// shellinertia: the mass of a shape is on its surface.

// Area, and moments of inertia per mass about the axes.
typedef struct shell {
    double area, moments[3];
} shell;

static shell shell_of_round(double radius, double length, bool is_capsule) {
    double r2 = radius * radius, half = 0.5 * length;
    double side = 2.0 * ISO_PI * radius * length, ends = (is_capsule ? 4.0 : 2.0) * ISO_PI * r2;
    double area = side + ends, share = ends / area;
    // Of both ends: two half spheres, which are a sphere that is drawn apart, or two disks.
    double along = share * (is_capsule ? 2.0 / 3.0 : 0.5) * r2;
    double across = share * (is_capsule ? 2.0 / 3.0 * r2 + half * half + half * radius
                                        : 0.25 * r2 + half * half);
    along += (1.0 - share) * r2;
    across += (1.0 - share) * (0.5 * r2 + length * length / 12.0);
    return (shell){area, {across, across, along}};
}

// Opposite sides: plates of half sizes at half the third size.
static shell shell_of_box(const double* h) {
    shell s = {8.0 * (h[0] * h[1] + h[1] * h[2] + h[2] * h[0]), {0.0}};
    double squares[3];
    for (int i = 0; i < 3; ++i) { // mean of x_i^2 over the surface
        double on_i = 8.0 * h[(i + 1) % 3] * h[(i + 2) % 3] / s.area;
        squares[i] = h[i] * h[i] * (on_i + (1.0 - on_i) / 3.0);
    }
    for (int i = 0; i < 3; ++i) {
        s.moments[i] = squares[(i + 1) % 3] + squares[(i + 2) % 3];
    }
    return s;
}

// As MuJoCo has it: Thomsen's area, and the layer between this and a slightly larger ellipsoid.
static shell shell_of_ellipsoid(const double* a) {
    const double p = 1.6075, layer = 1e-6;
    double mean = pow(a[0] * a[1], p) + pow(a[1] * a[2], p) + pow(a[2] * a[0], p);
    double b[3] = {a[0] + layer, a[1] + layer, a[2] + layer};
    double inner = a[0] * a[1] * a[2], outer = b[0] * b[1] * b[2];
    shell s = {4.0 * ISO_PI * pow(mean / 3.0, 1.0 / p), {0.0}};
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double more = outer * (b[j] * b[j] + b[k] * b[k]) - inner * (a[j] * a[j] + a[k] * a[k]);
        s.moments[i] = 0.2 * more / (outer - inner);
    }
    return s;
}

bool iso_mjcf_shell_properties(const iso_shape_desc* shape, iso_mass_properties* out) {
    const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
    const double halves[3] = {0.5 * size[0], 0.5 * size[1], 0.5 * size[2]};
    shell s;
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
        s = shell_of_round(shape->radius, 0.0, true);
        break;
    case ISO_SHAPE_CAPSULE:
    case ISO_SHAPE_CYLINDER:
        s = shell_of_round(shape->radius, shape->length, shape->kind == ISO_SHAPE_CAPSULE);
        break;
    case ISO_SHAPE_BOX:
        s = shell_of_box(halves);
        break;
    case ISO_SHAPE_ELLIPSOID:
        s = shell_of_ellipsoid(size);
        break;
    default:
        return false;
    }
    out->volume = s.area;
    out->center_of_mass = iso_vec3_zero();
    out->inertia =
        iso_mat3_diagonal(s.area * s.moments[0], s.area * s.moments[1], s.area * s.moments[2]);
    return true;
}
