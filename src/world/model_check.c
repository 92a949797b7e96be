// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/model.h"

#include "base/fail.h"
#include "math/eigen3.h"

#include <stdio.h>

/// Relative slack of inertia checks: files carry a few digits only.
static const double k_inertia_tolerance = 1e-4;

/// Sizes outside this range are taken for a mistake in units [m].
static const double k_smallest_size = 1e-7;
static const double k_largest_size = 1e5;

const char* iso_model_where(const char* source, char* buffer, size_t size) {
    snprintf(buffer, size, source != NULL && source[0] != '\0' ? "%s: " : "%s",
             source != NULL ? source : "");
    return buffer;
}

static bool is_rotation(const iso_mat3* r) {
    iso_mat3 product = iso_mat3_mul(iso_mat3_transpose(*r), *r);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (!(fabs(product.m[i][j] - (i == j ? 1.0 : 0.0)) < 1e-6)) {
                return false;
            }
        }
    }
    return iso_mat3_determinant(r) > 0.0;
}

static iso_status check_inertia(iso_context* ctx, const iso_body_desc* desc, const char* where) {
    double scale = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double value = desc->inertia.m[i][j];
            ISO_REQUIRE(ctx, isfinite(value), ISO_ERR_RANGE,
                        "%sbody '%s': inertia entry (%d,%d) is %g, expected a finite number", where,
                        desc->name, i, j, value);
            scale = fmax(scale, fabs(value));
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            ISO_REQUIRE(ctx, fabs(desc->inertia.m[i][j] - desc->inertia.m[j][i]) <= 1e-9 * scale,
                        ISO_ERR_RANGE, "%sbody '%s': inertia is not symmetric", where, desc->name);
        }
    }
    iso_vec3 principal = iso_sym3_eigenvalues(&desc->inertia); // ascending
    double slack = k_inertia_tolerance * scale;
    ISO_REQUIRE(ctx, principal.x >= -slack, ISO_ERR_RANGE,
                "%sbody '%s': smallest principal moment of inertia is %g kg m^2, expected >= 0",
                where, desc->name, principal.x);
    ISO_REQUIRE(ctx, principal.z <= principal.x + principal.y + slack, ISO_ERR_RANGE,
                "%sbody '%s': principal moments of inertia %g, %g, %g kg m^2 belong to no body "
                "(the largest must not exceed the sum of the others)",
                where, desc->name, principal.x, principal.y, principal.z);
    return ISO_OK;
}

iso_status iso_model_check_body(iso_context* ctx, const iso_body_desc* desc, const char* where) {
    ISO_REQUIRE(ctx, desc->name != NULL && desc->name[0] != '\0', ISO_ERR_ARGUMENT,
                "%sbody has no name", where);
    ISO_REQUIRE(ctx, isfinite(desc->mass) && desc->mass >= 0.0, ISO_ERR_RANGE,
                "%sbody '%s': mass is %g kg, expected finite and >= 0", where, desc->name,
                desc->mass);
    ISO_REQUIRE(ctx, iso_vec3_is_finite(desc->center_of_mass), ISO_ERR_RANGE,
                "%sbody '%s': centre of mass is not finite", where, desc->name);
    return check_inertia(ctx, desc, where);
}

static iso_status check_length(iso_context* ctx, double value, const char* what, const char* name,
                               const char* where) {
    ISO_REQUIRE(ctx, isfinite(value) && value >= k_smallest_size && value <= k_largest_size,
                ISO_ERR_RANGE, "%sgeometry '%s': %s is %g m, expected in [%g, %g]", where, name,
                what, value, k_smallest_size, k_largest_size);
    return ISO_OK;
}

iso_status iso_model_check_shape(iso_context* ctx, const iso_shape_desc* shape, const char* name,
                                 const char* where) {
    iso_status status = ISO_OK;
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
        return check_length(ctx, shape->radius, "radius", name, where);
    case ISO_SHAPE_CYLINDER:
    case ISO_SHAPE_CAPSULE:
        status = check_length(ctx, shape->radius, "radius", name, where);
        return status != ISO_OK ? status : check_length(ctx, shape->length, "length", name, where);
    case ISO_SHAPE_BOX:
    case ISO_SHAPE_ELLIPSOID:
        for (int i = 0; i < 3 && status == ISO_OK; ++i) {
            status = check_length(ctx, iso_vec3_get(shape->size, i),
                                  shape->kind == ISO_SHAPE_BOX ? "edge" : "semi-axis", name, where);
        }
        return status;
    case ISO_SHAPE_HALF_SPACE:
        return ISO_OK;
    case ISO_SHAPE_CONVEX:
    case ISO_SHAPE_MESH:
        ISO_REQUIRE(ctx, shape->path != NULL || shape->surface != NULL || shape->volume != NULL,
                    ISO_ERR_ARGUMENT, "%sgeometry '%s': mesh without a file", where, name);
        for (int i = 0; i < 3; ++i) {
            double s = iso_vec3_get(shape->scale, i);
            ISO_REQUIRE(ctx, isfinite(s) && s != 0.0, ISO_ERR_RANGE,
                        "%sgeometry '%s': scale is %g, expected finite and non-zero", where, name,
                        s);
        }
        return ISO_OK;
    }
    return iso_fail(ctx, ISO_ERR_ARGUMENT, __func__, "%sgeometry '%s': unknown shape kind %d",
                    where, name, (int)shape->kind);
}

static iso_status check_coordinates(iso_context* ctx, const iso_joint_desc* desc,
                                    const char* where) {
    ISO_REQUIRE(ctx, fabs(iso_vec3_norm(desc->axis) - 1.0) < 1e-6, ISO_ERR_RANGE,
                "%sjoint '%s': axis (%g, %g, %g) is not a unit vector", where, desc->name,
                desc->axis.x, desc->axis.y, desc->axis.z);
    ISO_REQUIRE(ctx, desc->lower <= desc->upper, ISO_ERR_RANGE,
                "%sjoint '%s': lower limit %g is above upper limit %g", where, desc->name,
                desc->lower, desc->upper);
    ISO_REQUIRE(ctx, isfinite(desc->position) && isfinite(desc->velocity), ISO_ERR_RANGE,
                "%sjoint '%s': initial position %g or velocity %g is not finite", where, desc->name,
                desc->position, desc->velocity);
    return ISO_OK;
}

iso_status iso_model_check_joint(iso_context* ctx, const iso_joint_desc* desc, int body_count,
                                 const char* where) {
    ISO_REQUIRE(ctx, desc->name != NULL && desc->name[0] != '\0', ISO_ERR_ARGUMENT,
                "%sjoint has no name", where);
    ISO_REQUIRE(ctx,
                desc->parent >= 0 && desc->parent < body_count && desc->child > 0 &&
                    desc->child < body_count && desc->parent != desc->child,
                ISO_ERR_RANGE,
                "%sjoint '%s': parent %d, child %d, expected two different bodies, the child not "
                "the world",
                where, desc->name, desc->parent, desc->child);
    ISO_REQUIRE(ctx,
                iso_pose_is_finite(&desc->x_pf) && iso_pose_is_finite(&desc->x_cm) &&
                    is_rotation(&desc->x_pf.r) && is_rotation(&desc->x_cm.r),
                ISO_ERR_RANGE, "%sjoint '%s': its frames are not finite rigid poses", where,
                desc->name);
    ISO_REQUIRE(ctx, isfinite(desc->damping) && desc->damping >= 0.0, ISO_ERR_RANGE,
                "%sjoint '%s': damping is %g, expected finite and >= 0", where, desc->name,
                desc->damping);
    ISO_REQUIRE(ctx, desc->effort_limit >= 0.0, ISO_ERR_RANGE,
                "%sjoint '%s': effort limit is %g, expected >= 0", where, desc->name,
                desc->effort_limit);
    switch (desc->kind) {
    case ISO_JOINT_WELD:
    case ISO_JOINT_FREE:
        return ISO_OK;
    case ISO_JOINT_REVOLUTE:
    case ISO_JOINT_PRISMATIC:
        return check_coordinates(ctx, desc, where);
    }
    return iso_fail(ctx, ISO_ERR_ARGUMENT, __func__, "%sjoint '%s': unknown kind %d", where,
                    desc->name, (int)desc->kind);
}
