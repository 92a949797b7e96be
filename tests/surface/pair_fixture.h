// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Shapes, queries and sums that the tests of contact surfaces share.

#include "base/core/arena.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"
#include "surface/pairs/pair_query.h"
#include "surface/shapes/contact_shape_data.h"

static inline iso_contact_material fixture_compliant(double modulus, double hint) {
    return (iso_contact_material){.compliance = ISO_COMPLIANCE_COMPLIANT,
                                  .modulus = modulus,
                                  .resolution_hint = hint,
                                  .restitution_speed = 1.0};
}

static inline iso_contact_material fixture_rigid(double hint) {
    iso_contact_material m = fixture_compliant(1e7, hint);
    m.compliance = ISO_COMPLIANCE_RIGID;
    return m;
}

static inline iso_contact_options fixture_options(void) {
    return (iso_contact_options){.representation = ISO_REPRESENTATION_POLYGON,
                                 .cull = ISO_CULL_NONE,
                                 .rigid_layer_thickness = 1e-3,
                                 .rigid_layer_modulus = 1e7,
                                 .stiction_velocity = 1e-4};
}

static inline iso_shape_desc fixture_sphere(double radius) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    s.radius = radius;
    return s;
}

static inline iso_shape_desc fixture_box(double x, double y, double z) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_BOX);
    s.size = iso_vec3_make(x, y, z);
    return s;
}

static inline iso_shape_desc fixture_cylinder(double radius, double length) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    s.radius = radius;
    s.length = length;
    return s;
}

static inline iso_contact_shape* fixture_shape(iso_context* ctx, iso_shape_desc desc,
                                               iso_contact_material material) {
    iso_contact_shape* shape = NULL;
    CHECK_OK(ctx, iso_contact_shape_create(ctx, &desc, &material, &shape));
    return shape;
}

static inline iso_contact_shape* fixture_half_space(iso_context* ctx,
                                                    iso_contact_material material) {
    return fixture_shape(ctx, iso_shape_desc_default(ISO_SHAPE_HALF_SPACE), material);
}

/// Normal force on B, and its moment about the origin of W, summed over the faces: exact for the
/// force (pressure is affine on a face), centroid rule for the moment.
static inline iso_spatial fixture_wrench(const iso_patch* patch) {
    iso_spatial f = iso_spatial_zero();
    for (int i = 0; i < patch->face_count; ++i) {
        iso_vec3 load = iso_vec3_scale(patch->normals[i], patch->areas[i] * patch->pressures[i]);
        f.translational = iso_vec3_add(f.translational, load);
        f.rotational = iso_vec3_add(f.rotational, iso_vec3_cross(patch->centroids[i], load));
    }
    return f;
}

/// Everything that must hold of any patch: counts, unit normals, winding, planarity, areas,
/// pressures affine on faces, sums.
static inline void fixture_check_patch(const iso_patch* p, double size) {
    double area = 0.0, max_pressure = -INFINITY, least = 0.0;
    for (int f = 0; f < p->face_count; ++f) {
        int begin = p->face_offsets[f], end = p->face_offsets[f + 1];
        CHECK(end - begin >= 3, "face %d has %d vertices", f, end - begin);
        CHECK_NEAR(iso_vec3_norm(p->normals[f]), 1.0, 1e-14); // measured 2.7e-15
        iso_vec3 twice = iso_vec3_zero();
        iso_vec3 origin = p->vertices[begin];
        double low = INFINITY, high = -INFINITY;
        for (int i = begin; i < end; ++i) {
            iso_vec3 a = iso_vec3_sub(p->vertices[i], origin);
            iso_vec3 b = iso_vec3_sub(p->vertices[i + 1 < end ? i + 1 : begin], origin);
            twice = iso_vec3_add(twice, iso_vec3_cross(a, b));
            double lift = iso_vec3_dot(a, p->normals[f]);
            CHECK_NEAR(lift, 0.0, 1e-13 * size); // measured 2.3e-16
            low = fmin(low, p->vertex_pressures[i]);
            high = fmax(high, p->vertex_pressures[i]);
        }
        CHECK_NEAR(0.5 * iso_vec3_dot(twice, p->normals[f]), p->areas[f], 1e-14 * size * size);
        CHECK(p->areas[f] > 0.0, "face %d has area %g", f, p->areas[f]);
        CHECK(p->pressures[f] >= low - 1e-12 * fabs(high) &&
                  p->pressures[f] <= high + 1e-12 * fabs(high),
              "face %d: pressure %g outside [%g, %g]", f, p->pressures[f], low, high);
        area += p->areas[f];
        max_pressure = fmax(max_pressure, high);
        least = fmin(least, low);
    }
    if (p->face_count > 0) {
        // The part with pressure is no more than the faces; without a margin it is all of them.
        CHECK(p->area <= area * (1.0 + 1e-14), "area %g of %g m^2 of faces", p->area, area);
        CHECK(least < 0.0 || p->area >= area * (1.0 - 1e-14), "area %g of %g m^2", p->area, area);
        CHECK_BITS(p->max_pressure, max_pressure);
        CHECK(p->vertex_count == p->face_offsets[p->face_count], "%d vertices", p->vertex_count);
    }
}
