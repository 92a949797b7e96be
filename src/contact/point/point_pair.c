// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/point/point_pair.h"

#include "base/core/fail.h"
#include "math/frame.h"

#define UNIT_TOLERANCE 1e-9
#define PARALLEL 1e-12 // sine of the angle between planes that count as one

// Distance of the centre from the surface, signed; normal, curvature and smoothness.
typedef double (*height_fn)(const iso_point_surface* s, iso_vec3 center, iso_point_gap* out);

// v / |v|, or `fallback` where v is 0.
static iso_vec3 direction_or(iso_vec3 v, iso_vec3 fallback) {
    return iso_vec3_norm_squared(v) > 0.0 ? iso_vec3_normalized(v) : fallback;
}

static double plane_height(const iso_point_surface* s, iso_vec3 center, iso_point_gap* out) {
    out->normal = s->axis;
    return iso_vec3_dot(iso_vec3_sub(center, s->point), s->axis);
}

// Of round surfaces: from the distance to the middle, outside (radius > 0) or in the hollow.
static double round_height(double radius, iso_vec3 radial, iso_vec3 fallback, iso_point_gap* out) {
    double sign = radius > 0.0 ? 1.0 : -1.0;
    out->normal = iso_vec3_scale(direction_or(radial, fallback), sign);
    return sign * iso_vec3_norm(radial) - radius;
}

static double sphere_height(const iso_point_surface* s, iso_vec3 center, iso_point_gap* out) {
    double height =
        round_height(s->radius, iso_vec3_sub(center, s->point), iso_vec3_make(0.0, 0.0, 1.0), out);
    out->below.first = out->below.second = 1.0 / s->radius;
    out->below.direction = iso_any_perpendicular(out->normal);
    return height;
}

static double cylinder_height(const iso_point_surface* s, iso_vec3 center, iso_point_gap* out) {
    iso_vec3 radial = iso_vec3_tangential(iso_vec3_sub(center, s->point), s->axis);
    out->below.second = 1.0 / s->radius;
    out->below.direction = s->axis;
    return round_height(s->radius, radial, iso_any_perpendicular(s->axis), out);
}

// In the half plane through the axis and the centre the cone is a line that falls from the apex at
// the half angle to the axis; above the apex's own normals the sphere touches the tip.
static double cone_height(const iso_point_surface* s, iso_vec3 center, iso_point_gap* out) {
    double cosine = cos(0.5 * s->angle), sine = sin(0.5 * s->angle);
    iso_vec3 p = iso_vec3_sub(center, s->point);
    iso_vec3 radial = iso_vec3_tangential(p, s->axis);
    double along = iso_vec3_dot(p, s->axis), across = iso_vec3_norm(radial);
    iso_vec3 outward = direction_or(radial, iso_any_perpendicular(s->axis));
    double above = across * sine - along * cosine; // along the line, from the apex down
    if (above < 0.0) {
        out->is_smooth = false;
        out->normal = iso_vec3_normalized(p);
        return iso_vec3_norm(p);
    }
    out->normal = iso_vec3_add_scaled(iso_vec3_scale(outward, cosine), s->axis, sine);
    // Around the axis the surface is as a circle of the radius r = l sin, seen at the half angle.
    iso_vec3 down = iso_vec3_add_scaled(iso_vec3_scale(outward, sine), s->axis, -cosine);
    out->below.direction = down;
    out->below.second = above * sine > 0.0 ? cosine / (above * sine) : INFINITY;
    out->is_smooth = isfinite(out->below.second);
    return across * cosine + along * sine;
}

static double edge_height(const iso_point_surface* s, iso_vec3 center, iso_point_gap* out) {
    iso_vec3 p = iso_vec3_sub(center, s->point);
    iso_vec3 across = iso_vec3_cross(s->axis, s->axis_2);
    double sine = iso_vec3_norm(across);
    if (sine <= PARALLEL) {
        return plane_height(s, center, out);
    }
    iso_vec3 edge = iso_vec3_scale(across, 1.0 / sine);
    iso_vec3 inward_1 = iso_vec3_cross(s->axis, edge), inward_2 = iso_vec3_cross(edge, s->axis_2);
    double h1 = iso_vec3_dot(p, s->axis), h2 = iso_vec3_dot(p, s->axis_2);
    double l1 = iso_vec3_dot(p, inward_1), l2 = iso_vec3_dot(p, inward_2);
    bool is_below = h1 < 0.0 && h2 < 0.0;
    if (is_below || l1 > 0.0 || l2 > 0.0) {
        // inward_1 leads along plane 1 away from the edge.
        bool is_first = is_below ? h1 >= h2 : l1 > 0.0;
        out->normal = is_first ? s->axis : s->axis_2;
        return is_first ? h1 : h2;
    }
    iso_vec3 middle = iso_vec3_normalized(iso_vec3_add(s->axis, s->axis_2));
    iso_vec3 radial = iso_vec3_tangential(p, edge);
    out->is_smooth = false;
    out->normal = direction_or(radial, middle);
    return iso_vec3_norm(radial);
}

static const struct {
    const char* name;
    height_fn height;
    bool has_axis, has_radius;
} k_surfaces[ISO_POINT_SURFACE_KIND_COUNT] = {
    [ISO_POINT_PLANE] = {"plane", plane_height, true, false},
    [ISO_POINT_SPHERE] = {"sphere", sphere_height, false, true},
    [ISO_POINT_CYLINDER] = {"cylinder", cylinder_height, true, true},
    [ISO_POINT_CONE] = {"cone", cone_height, true, false},
    [ISO_POINT_EDGE] = {"edge", edge_height, true, false},
};

const char* iso_point_surface_name(iso_point_surface_kind kind) {
    return k_surfaces[kind].name;
}

static iso_status check_axis(iso_context* ctx, const char* what, iso_vec3 axis) {
    double norm = iso_vec3_norm(axis);
    ISO_REQUIRE(ctx, fabs(norm - 1.0) <= UNIT_TOLERANCE, ISO_ERR_RANGE,
                "the %s of the surface is (%g, %g, %g), expected a unit vector", what, axis.x,
                axis.y, axis.z);
    return ISO_OK;
}

iso_status iso_point_surface_check(iso_context* ctx, const iso_point_surface* s,
                                   double sphere_radius) {
    ISO_REQUIRE(ctx, s && (unsigned)s->kind < ISO_POINT_SURFACE_KIND_COUNT, ISO_ERR_ARGUMENT,
                "a surface of a known kind is required");
    ISO_REQUIRE(ctx, isfinite(sphere_radius) && sphere_radius >= 0.0, ISO_ERR_RANGE,
                "the radius of the sphere is %g m, expected finite and >= 0", sphere_radius);
    const char* name = k_surfaces[s->kind].name;
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, iso_vec3_is_finite(s->point), ISO_ERR_RANGE,
              "the point of the %s is (%g, %g, %g), expected finite numbers", name, s->point.x,
              s->point.y, s->point.z);
    if (k_surfaces[s->kind].has_axis) {
        ISO_TRY(check_axis(ctx, "axis", s->axis));
    }
    if (s->kind == ISO_POINT_EDGE) {
        ISO_TRY(check_axis(ctx, "second axis", s->axis_2));
        ISO_CHECK(ctx, iso_vec3_dot(s->axis, s->axis_2) > -1.0 + UNIT_TOLERANCE, ISO_ERR_RANGE,
                  "the planes of the edge face each other, expected less than a half turn between");
    }
    if (k_surfaces[s->kind].has_radius) {
        ISO_CHECK(ctx, isfinite(s->radius) && s->radius != 0.0, ISO_ERR_RANGE,
                  "the radius of the %s is %g m, expected finite and not 0", name, s->radius);
        ISO_CHECK(ctx, s->radius > 0.0 || sphere_radius < -s->radius, ISO_ERR_RANGE,
                  "the radius of the sphere is %g m, expected below %g m, that of the hollow %s",
                  sphere_radius, -s->radius, name);
    }
    if (s->kind == ISO_POINT_CONE) {
        ISO_CHECK(ctx, s->angle > 0.0 && s->angle < ISO_PI, ISO_ERR_RANGE,
                  "the opening of the cone is %g rad, expected above 0 and below pi", s->angle);
    }
done:
    return status;
}

void iso_point_gap_find(const iso_point_surface* s, iso_vec3 center, double sphere_radius,
                        iso_point_gap* out) {
    *out = (iso_point_gap){.is_smooth = true};
    out->below.direction = iso_any_perpendicular(s->axis);
    out->distance = k_surfaces[s->kind].height(s, center, out) - sphere_radius;
    out->point = iso_vec3_add_scaled(center, out->normal, -sphere_radius);
}
