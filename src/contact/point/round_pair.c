// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/point/round_pair.h"

#include "math/frame.h"

#include <math.h>

// Points of a capsule that are as near each other, as a share of its radius, are one.
#define SAME_POINT 1e-3

// Iterations that find the deepest point along a capsule: the golden section leaves 1e-8 of it.
#define SECTIONS 40
#define GOLDEN 0.6180339887498949

// An interior point counts where it is deeper than both ends by such a share of the radius.
#define DEEPER 1e-6

// Axes of capsules whose angle has a smaller squared sine are parallel.
#define PARALLEL 1e-12

typedef struct surface_point {
    double height;    // of a point over the surface, < 0 inside [m]
    iso_vec3 normal;  // unit, out of the surface
    double curvature; // of the surface there about `along`, 0 across it [1/m]
    double both;      // of a sphere, in all directions [1/m]
    iso_vec3 along;   // unit, tangential: direction without curvature
} surface_point;

static bool is_round(const iso_shape_desc* shape) {
    return shape->kind == ISO_SHAPE_SPHERE || shape->kind == ISO_SHAPE_CAPSULE;
}

static bool is_known(const iso_shape_desc* shape) {
    return is_round(shape) || shape->kind == ISO_SHAPE_HALF_SPACE || shape->kind == ISO_SHAPE_BOX ||
           shape->kind == ISO_SHAPE_CYLINDER;
}

bool iso_round_pair_exists(const iso_shape_desc* a, const iso_shape_desc* b) {
    return (is_round(a) && is_known(b)) || (is_round(b) && is_known(a));
}

static surface_point half_space_at(iso_vec3 p) {
    return (surface_point){.height = p.z,
                           .normal = iso_vec3_make(0.0, 0.0, 1.0),
                           .along = iso_vec3_make(1.0, 0.0, 0.0)};
}

static double sign_of(double x) {
    return x < 0.0 ? -1.0 : 1.0;
}

static surface_point box_at(const iso_shape_desc* box, iso_vec3 p) {
    const double h[3] = {0.5 * box->size.x, 0.5 * box->size.y, 0.5 * box->size.z};
    const double x[3] = {p.x, p.y, p.z};
    double out[3], inside = -INFINITY;
    int face = 0;
    for (int i = 0; i < 3; ++i) {
        double beyond = fabs(x[i]) - h[i];
        out[i] = sign_of(x[i]) * fmax(beyond, 0.0);
        if (beyond > inside) {
            inside = beyond;
            face = i;
        }
    }
    surface_point at = {.height = inside};
    double normal[3] = {0.0, 0.0, 0.0};
    normal[face] = sign_of(x[face]);
    at.normal = iso_vec3_make(normal[0], normal[1], normal[2]);
    if (inside > 0.0) {
        iso_vec3 way = iso_vec3_make(out[0], out[1], out[2]);
        at.height = iso_vec3_norm(way);
        at.normal = iso_vec3_scale(way, 1.0 / at.height);
    }
    at.along = iso_any_perpendicular(at.normal);
    return at;
}

static surface_point cylinder_at(const iso_shape_desc* cylinder, iso_vec3 p) {
    double rho = hypot(p.x, p.y), end = fabs(p.z) - 0.5 * cylinder->length;
    double side = rho - cylinder->radius;
    iso_vec3 radial =
        rho > 0.0 ? iso_vec3_make(p.x / rho, p.y / rho, 0.0) : iso_vec3_make(1.0, 0.0, 0.0);
    iso_vec3 axial = iso_vec3_make(0.0, 0.0, sign_of(p.z));
    if (side > 0.0 && end > 0.0) { // the edge
        double height = hypot(side, end);
        iso_vec3 way = iso_vec3_add_scaled(iso_vec3_scale(radial, side), axial, end);
        iso_vec3 normal = iso_vec3_scale(way, 1.0 / height);
        return (surface_point){
            .height = height, .normal = normal, .along = iso_any_perpendicular(normal)};
    }
    if (end > side) {
        return (surface_point){.height = end, .normal = axial, .along = radial};
    }
    return (surface_point){.height = side,
                           .normal = radial,
                           .curvature = 1.0 / cylinder->radius,
                           .along = iso_vec3_make(0.0, 0.0, 1.0)};
}

static surface_point axis_at(const iso_shape_desc* shape, iso_vec3 p) {
    double half = shape->kind == ISO_SHAPE_CAPSULE ? 0.5 * shape->length : 0.0;
    iso_vec3 way = iso_vec3_make(p.x, p.y, p.z - fmin(fmax(p.z, -half), half));
    double distance = iso_vec3_norm(way);
    iso_vec3 normal =
        distance > 0.0 ? iso_vec3_scale(way, 1.0 / distance) : iso_vec3_make(1.0, 0.0, 0.0);
    return (surface_point){.height = distance - shape->radius,
                           .normal = normal,
                           .both = 1.0 / shape->radius,
                           .along = iso_any_perpendicular(normal)};
}

static surface_point surface_at(const iso_shape_desc* shape, iso_vec3 p) {
    switch (shape->kind) {
    case ISO_SHAPE_HALF_SPACE:
        return half_space_at(p);
    case ISO_SHAPE_BOX:
        return box_at(shape, p);
    case ISO_SHAPE_CYLINDER:
        return cylinder_at(shape, p);
    default:
        return axis_at(shape, p);
    }
}

// A round body against a surface, all in the frame of the surface.
typedef struct contact_search {
    const iso_shape_desc* surface;
    iso_vec3 center, half; // of the axis of the round body; to its end
    double radius;
} contact_search;

static iso_vec3 on_axis(const contact_search* s, double t) {
    return iso_vec3_add_scaled(s->center, s->half, t);
}

static double height_at(const contact_search* s, double t) {
    return surface_at(s->surface, on_axis(s, t)).height;
}

// The deepest point of the axis over a convex body, whose height is a convex function along it.
static double deepest(const contact_search* s) {
    double low = -1.0, high = 1.0, a = high - GOLDEN * 2.0, b = low + GOLDEN * 2.0;
    double at_a = height_at(s, a), at_b = height_at(s, b);
    for (int i = 0; i < SECTIONS; ++i) {
        if (at_a < at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - GOLDEN * (high - low);
            at_a = height_at(s, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + GOLDEN * (high - low);
            at_b = height_at(s, b);
        }
    }
    return 0.5 * (low + high);
}

static double clamp(double x, double low, double high) {
    return fmin(fmax(x, low), high);
}

// The place nearest to the axis of a round surface, which is its z; a range of such places where
// the axes are parallel: its middle.
static double nearest(const contact_search* s) {
    double half = s->surface->kind == ISO_SHAPE_CAPSULE ? 0.5 * s->surface->length : 0.0;
    iso_vec3 c = s->center, d = s->half;
    double dd = iso_vec3_dot(d, d), level = d.x * d.x + d.y * d.y;
    if (level <= PARALLEL * dd) {
        double low = clamp((-half - c.z) / d.z, -1.0, 1.0),
               high = clamp((half - c.z) / d.z, -1.0, 1.0);
        return 0.5 * (low + high);
    }
    // Nearest to the endless axis; where that is beyond its end, to the end.
    double t = clamp(-(c.x * d.x + c.y * d.y) / level, -1.0, 1.0);
    double z = clamp(c.z + t * d.z, -half, half);
    return clamp(-(c.x * d.x + c.y * d.y + (c.z - z) * d.z) / dd, -1.0, 1.0);
}

// Places of the axis that may touch.
static int find_places(const contact_search* s, double places[ISO_ROUND_MOST_POINTS]) {
    double length = 2.0 * iso_vec3_norm(s->half);
    if (!(length > SAME_POINT * s->radius)) {
        places[0] = 0.0;
        return 1;
    }
    int count = 0;
    if (is_round(s->surface)) {
        places[0] = nearest(s);
        return 1;
    }
    places[count++] = -1.0; // a capsule that lies rests on both ends
    places[count++] = 1.0;
    if (s->surface->kind != ISO_SHAPE_HALF_SPACE) {
        double t = deepest(s);
        double ends = fmin(height_at(s, -1.0), height_at(s, 1.0));
        if (height_at(s, t) < ends - DEEPER * s->radius) {
            places[count++] = t;
        }
    }
    return count;
}

static iso_curvature sphere_curvature(double radius, iso_vec3 along) {
    return (iso_curvature){1.0 / radius, 1.0 / radius, along};
}

int iso_round_pair_find(const iso_shape_desc* a, const iso_pose* x_wa, const iso_shape_desc* b,
                        const iso_pose* x_wb, iso_round_point out_points[ISO_ROUND_MOST_POINTS]) {
    bool is_b_round = is_round(b);
    const iso_shape_desc *round = is_b_round ? b : a, *surface = is_b_round ? a : b;
    const iso_pose *x_wr = is_b_round ? x_wb : x_wa, *x_ws = is_b_round ? x_wa : x_wb;
    iso_pose x_sr = iso_pose_inverse_mul(x_ws, x_wr);
    double half = round->kind == ISO_SHAPE_CAPSULE ? 0.5 * round->length : 0.0;
    contact_search search = {surface, x_sr.p, iso_vec3_scale(iso_mat3_column(&x_sr.r, 2), half),
                             round->radius};
    double places[ISO_ROUND_MOST_POINTS];
    int places_count = find_places(&search, places), count = 0;
    for (int i = 0; i < places_count; ++i) {
        iso_vec3 center = on_axis(&search, places[i]);
        surface_point at = surface_at(surface, center);
        double depth = round->radius - at.height;
        if (!(depth > 0.0)) {
            continue;
        }
        iso_round_point* out = &out_points[count++];
        iso_vec3 normal = iso_mat3_mul_vec3(&x_ws->r, at.normal);
        iso_vec3 along = iso_mat3_mul_vec3(&x_ws->r, at.along);
        // In the middle between the surface and the deepest point of the round body.
        iso_vec3 p_s = iso_vec3_add_scaled(center, at.normal, -at.height - 0.5 * depth);
        double least = is_round(surface) ? fmin(surface->radius, round->radius) : round->radius;
        out->depth = depth;
        out->is_within = depth > least;
        out->normal = is_b_round ? normal : iso_vec3_scale(normal, -1.0);
        out->point = iso_pose_point(x_ws, p_s);
        iso_curvature of_surface = {at.both, at.both + at.curvature, along};
        out->curvature[is_b_round ? 0 : 1] = of_surface;
        out->curvature[is_b_round ? 1 : 0] = sphere_curvature(round->radius, along);
    }
    return count;
}
