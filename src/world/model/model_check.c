// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/model/model.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "contact/pairs/material.h"
#include "geometry/mesh/mesh.h"
#include "math/eigen3.h"
#include "math/limits.h"

#include <stdio.h>
#include <string.h>

enum { k_where_size = 512 };

/// Relative slack of inertia checks: files carry a few digits only.
static const double k_inertia_tolerance = 1e-4;

const char* iso_model_where(const char* source, char* buffer, size_t size) {
    snprintf(buffer, size, source != NULL && source[0] != '\0' ? "%s: " : "%s",
             source != NULL ? source : "");
    return buffer;
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
            double low = desc->inertia.m[i][j], high = desc->inertia.m[j][i];
            ISO_REQUIRE(ctx, fabs(low - high) <= 1e-9 * scale, ISO_ERR_RANGE,
                        "%sbody '%s': inertia entries (%d,%d) and (%d,%d) are %g and %g, expected "
                        "the same",
                        where, desc->name, i, j, j, i, low, high);
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

iso_status iso_model_check_name(iso_context* ctx, const char* what, const char* name,
                                const char* where) {
    ISO_REQUIRE(ctx, name != NULL && name[0] != '\0', ISO_ERR_ARGUMENT, "%s%s has no name", where,
                what);
    ISO_REQUIRE(ctx, iso_text_is_printable(name), ISO_ERR_ARGUMENT,
                "%sname of a %s is not printable UTF-8", where, what);
    return ISO_OK;
}

iso_status iso_model_check_pose(iso_context* ctx, const iso_pose* x, const char* member,
                                const char* what, const char* name, const char* where) {
    ISO_REQUIRE(ctx, x != NULL, ISO_ERR_ARGUMENT, "%s%s '%s': pose %s is missing", where, what,
                name, member);
    double reach = iso_vec3_max_abs(x->p);
    ISO_REQUIRE(ctx, iso_vec3_is_finite(x->p) && reach <= ISO_FARTHEST, ISO_ERR_RANGE,
                "%s%s '%s': pose %s is at (%g, %g, %g) m, expected coordinates of at most %g",
                where, what, name, member, x->p.x, x->p.y, x->p.z, ISO_FARTHEST);
    ISO_REQUIRE(ctx, iso_pose_is_rigid(x), ISO_ERR_RANGE,
                "%s%s '%s': the rotation of pose %s is %g off one, expected below 1e-6", where,
                what, name, member, iso_pose_gap(x));
    return ISO_OK;
}

iso_status iso_model_check_twist(iso_context* ctx, iso_spatial v, const char* name) {
    double linear = iso_vec3_max_abs(v.translational), angular = iso_vec3_max_abs(v.rotational);
    ISO_REQUIRE(ctx,
                iso_vec3_is_finite(v.rotational) && iso_vec3_is_finite(v.translational) &&
                    linear <= ISO_FARTHEST && angular <= ISO_FARTHEST,
                ISO_ERR_RANGE,
                "body '%s': velocities are up to %g m/s and %g rad/s, expected at most %g", name,
                linear, angular, ISO_FARTHEST);
    return ISO_OK;
}

iso_status iso_model_check_body(iso_context* ctx, const iso_body_desc* desc, const char* where) {
    iso_status status = iso_model_check_name(ctx, "body", desc->name, where);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, isfinite(desc->mass) && desc->mass >= 0.0, ISO_ERR_RANGE,
                "%sbody '%s': mass is %g kg, expected finite and >= 0", where, desc->name,
                desc->mass);
    ISO_REQUIRE(ctx,
                iso_vec3_is_finite(desc->center_of_mass) &&
                    iso_vec3_max_abs(desc->center_of_mass) <= ISO_FARTHEST,
                ISO_ERR_RANGE, "%sbody '%s': centre of mass is (%g, %g, %g) m, expected at most %g",
                where, desc->name, desc->center_of_mass.x, desc->center_of_mass.y,
                desc->center_of_mass.z, ISO_FARTHEST);
    ISO_REQUIRE(ctx, fabs(desc->gravity_compensation) <= ISO_MAX_GRAVITY_COMPENSATION,
                ISO_ERR_RANGE,
                "%sbody '%s': gravity compensation is %g, expected at most %g in size", where,
                desc->name, desc->gravity_compensation, ISO_MAX_GRAVITY_COMPENSATION);
    return check_inertia(ctx, desc, where);
}

static iso_status check_length(iso_context* ctx, double value, const char* what, const char* name,
                               const char* where) {
    ISO_REQUIRE(ctx, isfinite(value) && value >= ISO_SMALLEST_SIZE && value <= ISO_LARGEST_SIZE,
                ISO_ERR_RANGE, "%sgeometry '%s': %s is %g m, expected in [%g, %g]", where, name,
                what, value, ISO_SMALLEST_SIZE, ISO_LARGEST_SIZE);
    return ISO_OK;
}

/// Inline meshes are copied, so their arrays and indices are checked before.
static iso_status check_mesh(iso_context* ctx, const iso_shape_desc* shape, const char* name,
                             const char* where) {
    ISO_REQUIRE(ctx, shape->path != NULL || shape->surface != NULL || shape->volume != NULL,
                ISO_ERR_ARGUMENT, "%sgeometry '%s': mesh without a file", where, name);
    for (int i = 0; i < 3; ++i) {
        double s = iso_vec3_get(shape->scale, i);
        ISO_REQUIRE(ctx, isfinite(s) && s != 0.0, ISO_ERR_RANGE,
                    "%sgeometry '%s': scale is %g, expected finite and non-zero", where, name, s);
    }
    iso_status status = shape->surface != NULL ? iso_tri_mesh_check(ctx, shape->surface) : ISO_OK;
    if (status == ISO_OK && shape->volume != NULL) {
        status = iso_tet_mesh_check(ctx, shape->volume);
    }
    return status == ISO_OK ? ISO_OK : iso_fail_prefix(ctx, status, "%sgeometry '%s'", where, name);
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
        return check_mesh(ctx, shape, name, where);
    }
    return iso_fail(ctx, ISO_ERR_ARGUMENT, __func__, "%sgeometry '%s': unknown shape kind %d",
                    where, name, (int)shape->kind);
}

static iso_status check_axis(iso_context* ctx, iso_vec3 axis, const char* what,
                             const iso_joint_desc* desc, const char* where) {
    ISO_REQUIRE(ctx, fabs(iso_vec3_norm(axis) - 1.0) < 1e-6, ISO_ERR_RANGE,
                "%sjoint '%s': %s (%g, %g, %g) is not a unit vector", where, desc->name, what,
                axis.x, axis.y, axis.z);
    return ISO_OK;
}

static iso_status check_coordinates(iso_context* ctx, const iso_joint_desc* desc,
                                    const char* where) {
    iso_status status = check_axis(ctx, desc->axis, "axis", desc, where);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, desc->lower <= desc->upper, ISO_ERR_RANGE,
                "%sjoint '%s': lower limit %g is above upper limit %g", where, desc->name,
                desc->lower, desc->upper);
    ISO_REQUIRE(ctx, fabs(desc->position) <= ISO_FARTHEST && fabs(desc->velocity) <= ISO_FARTHEST,
                ISO_ERR_RANGE,
                "%sjoint '%s': initial position is %g, velocity %g, expected at most %g", where,
                desc->name, desc->position, desc->velocity, ISO_FARTHEST);
    ISO_REQUIRE(ctx, desc->kind != ISO_JOINT_SCREW || (isfinite(desc->pitch) && desc->pitch != 0.0),
                ISO_ERR_RANGE, "%sjoint '%s': pitch is %g m/rad, expected finite and not 0", where,
                desc->name, desc->pitch);
    return ISO_OK;
}

/// Joints of several degrees of freedom.
static iso_status check_several(iso_context* ctx, const iso_joint_desc* desc, const char* where) {
    for (int i = 0; i < 4; ++i) {
        ISO_REQUIRE(
            ctx,
            fabs(desc->positions[i]) <= ISO_FARTHEST &&
                fabs(desc->velocities[i % 3]) <= ISO_FARTHEST,
            ISO_ERR_RANGE,
            "%sjoint '%s': initial positions are (%g, %g, %g, %g), velocities (%g, %g, %g), "
            "expected at most %g",
            where, desc->name, desc->positions[0], desc->positions[1], desc->positions[2],
            desc->positions[3], desc->velocities[0], desc->velocities[1], desc->velocities[2],
            ISO_FARTHEST);
    }
    if (desc->kind != ISO_JOINT_UNIVERSAL) {
        return ISO_OK;
    }
    iso_status status = check_axis(ctx, desc->axis, "axis", desc, where);
    if (status == ISO_OK) {
        status = check_axis(ctx, desc->axis_2, "axis_2", desc, where);
    }
    if (status == ISO_OK) {
        double sine = iso_vec3_norm(iso_vec3_cross(desc->axis, desc->axis_2));
        ISO_REQUIRE(ctx, sine >= 1e-3, ISO_ERR_RANGE,
                    "%sjoint '%s': axis and axis_2 are parallel: the sine of their angle is %g, "
                    "expected >= 0.001",
                    where, desc->name, sine);
    }
    return status;
}

/// What acts in a joint besides its limits.
static iso_status check_efforts(iso_context* ctx, const iso_joint_desc* desc, const char* where) {
    ISO_REQUIRE(ctx, isfinite(desc->damping) && desc->damping >= 0.0, ISO_ERR_RANGE,
                "%sjoint '%s': damping is %g, expected finite and >= 0", where, desc->name,
                desc->damping);
    ISO_REQUIRE(ctx, desc->effort_limit >= 0.0, ISO_ERR_RANGE,
                "%sjoint '%s': effort limit is %g, expected >= 0", where, desc->name,
                desc->effort_limit);
    ISO_REQUIRE(ctx,
                desc->effort_lower < desc->effort_upper &&
                    desc->effort_lower <= desc->effort_limit &&
                    desc->effort_upper >= -desc->effort_limit,
                ISO_ERR_RANGE,
                "%sjoint '%s': effort from %g to %g, expected the first < the second, within +-%g",
                where, desc->name, desc->effort_lower, desc->effort_upper, desc->effort_limit);
    ISO_REQUIRE(ctx, isfinite(desc->friction) && desc->friction >= 0.0, ISO_ERR_RANGE,
                "%sjoint '%s': dry friction is %g, expected finite and >= 0", where, desc->name,
                desc->friction);
    ISO_REQUIRE(ctx,
                isfinite(desc->stiffness) && desc->stiffness >= 0.0 &&
                    isfinite(desc->spring_reference),
                ISO_ERR_RANGE,
                "%sjoint '%s': spring stiffness %g, reference %g, expected finite, stiffness >= 0",
                where, desc->name, desc->stiffness, desc->spring_reference);
    ISO_REQUIRE(ctx, desc->stiffness == 0.0 || desc->kind != ISO_JOINT_FREE, ISO_ERR_ARGUMENT,
                "%sjoint '%s': a free joint has no spring, but stiffness is %g", where, desc->name,
                desc->stiffness);
    double reflected = desc->gear_ratio * desc->gear_ratio * desc->rotor_inertia;
    ISO_REQUIRE(ctx, desc->rotor_inertia >= 0.0 && isfinite(reflected), ISO_ERR_RANGE,
                "%sjoint '%s': rotor inertia %g, gear ratio %g, expected finite, inertia >= 0",
                where, desc->name, desc->rotor_inertia, desc->gear_ratio);
    ISO_REQUIRE(ctx,
                reflected == 0.0 || desc->kind == ISO_JOINT_BALL || desc->kind == ISO_JOINT_FREE ||
                    iso_joint_kind_has_one_dof(desc->kind),
                ISO_ERR_ARGUMENT,
                "%sjoint '%s': rotor inertia %g, expected 0 or a joint of one degree of freedom, a "
                "ball or a free joint",
                where, desc->name, desc->rotor_inertia);
    return ISO_OK;
}

static iso_status check_joint(iso_context* ctx, const iso_joint_desc* desc, int body_count,
                              const char* where) {
    iso_status status = iso_model_check_name(ctx, "joint", desc->name, where);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx,
                desc->parent >= 0 && desc->parent < body_count && desc->child > 0 &&
                    desc->child < body_count && desc->parent != desc->child,
                ISO_ERR_RANGE,
                "%sjoint '%s': parent %d, child %d, expected two different bodies, the child not "
                "the world",
                where, desc->name, desc->parent, desc->child);
    status = iso_model_check_pose(ctx, &desc->x_pf, "x_pf", "joint", desc->name, where);
    if (status == ISO_OK) {
        status = iso_model_check_pose(ctx, &desc->x_cm, "x_cm", "joint", desc->name, where);
    }
    if (status != ISO_OK) {
        return status;
    }
    status = check_efforts(ctx, desc, where);
    if (status != ISO_OK) {
        return status;
    }
    switch (desc->kind) {
    case ISO_JOINT_WELD:
    case ISO_JOINT_FREE:
        return ISO_OK;
    case ISO_JOINT_REVOLUTE:
    case ISO_JOINT_PRISMATIC:
    case ISO_JOINT_SCREW:
        return check_coordinates(ctx, desc, where);
    case ISO_JOINT_UNIVERSAL:
    case ISO_JOINT_BALL:
    case ISO_JOINT_PLANAR:
        return check_several(ctx, desc, where);
    }
    return iso_fail(ctx, ISO_ERR_ARGUMENT, __func__, "%sjoint '%s': unknown kind %d", where,
                    desc->name, (int)desc->kind);
}

iso_status iso_model_check_geometry(iso_context* ctx, const iso_geometry_desc* desc,
                                    const char* where) {
    iso_status status = iso_model_check_name(ctx, "geometry", desc->name, where);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_model_check_pose(ctx, &desc->x_bg, "x_bg", "geometry", desc->name, where);
    if (status != ISO_OK) {
        return status;
    }
    iso_vec3 v = desc->surface_velocity;
    ISO_REQUIRE(ctx, iso_vec3_is_finite(v), ISO_ERR_RANGE,
                "%sgeometry '%s': surface velocity is (%g, %g, %g) m/s, expected finite", where,
                desc->name, v.x, v.y, v.z);
    status = iso_model_check_shape(ctx, &desc->shape, desc->name, where);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_contact_material_check(ctx, &desc->material, desc->name);
    return status == ISO_OK || where[0] == '\0'
               ? status
               : iso_fail_prefix(ctx, status, "%.*s", (int)strlen(where) - 2, where);
}

iso_status iso_model_check_visual(iso_context* ctx, const iso_visual_desc* desc) {
    iso_status status = iso_model_check_name(ctx, "visual", desc->name, "");
    if (status != ISO_OK) {
        return status;
    }
    status = iso_model_check_pose(ctx, &desc->x_bg, "x_bg", "visual", desc->name, "");
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < 4; ++i) {
        double part = desc->rgba[i];
        ISO_REQUIRE(ctx, part >= 0.0 && part <= 1.0, ISO_ERR_RANGE,
                    "visual '%s': rgba[%d] is %g, expected 0 to 1", desc->name, i, part);
    }
    return iso_model_check_shape(ctx, &desc->shape, desc->name, "");
}

iso_status iso_actuator_desc_check(iso_context* ctx, const iso_actuator_desc* desc) {
    ISO_REQUIRE(ctx, desc, ISO_ERR_ARGUMENT, "desc is required");
    const char* name = desc->name ? desc->name : "";
    ISO_REQUIRE(ctx, desc->effort_limit > 0.0, ISO_ERR_RANGE,
                "actuator '%s': effort limit is %g, expected > 0", name, desc->effort_limit);
    ISO_REQUIRE(
        ctx,
        desc->effort_lower < desc->effort_upper && desc->effort_lower < desc->effort_limit &&
            desc->effort_upper > -desc->effort_limit,
        ISO_ERR_RANGE, "actuator '%s': effort is %g to %g, expected to rise and to meet +-%g", name,
        desc->effort_lower, desc->effort_upper, desc->effort_limit);
    ISO_REQUIRE(ctx, isfinite(desc->kp) && desc->kp >= 0.0 && isfinite(desc->kd) && desc->kd >= 0.0,
                ISO_ERR_RANGE, "actuator '%s': gains kp %g, kd %g, expected finite and >= 0", name,
                desc->kp, desc->kd);
    return ISO_OK;
}

static iso_status check_adhesion(const iso_model* model, const iso_actuator_desc* desc) {
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc->adhesion_body >= 0 && desc->adhesion_body < model->bodies.count,
                ISO_ERR_RANGE, "actuator '%s': body of adhesion %d, expected in [0, %d)",
                desc->name, desc->adhesion_body, model->bodies.count);
    ISO_REQUIRE(ctx, desc->kp == 0.0 && desc->kd == 0.0, ISO_ERR_RANGE,
                "actuator '%s': adhesion with gains kp %g, kd %g, expected 0", desc->name, desc->kp,
                desc->kd);
    ISO_REQUIRE(ctx,
                desc->effort_upper > 0.0 &&
                    (desc->effort_lower >= 0.0 || desc->effort_lower == -INFINITY),
                ISO_ERR_RANGE,
                "actuator '%s': adhesion of %g to %g N, expected the first >= 0, the second > 0",
                desc->name, desc->effort_lower, desc->effort_upper);
    return iso_actuator_desc_check(ctx, desc);
}

iso_status iso_model_check_actuator(const iso_model* model, const iso_actuator_desc* desc) {
    iso_status status = iso_model_check_name(model->ctx, "actuator", desc->name, "");
    if (status != ISO_OK) {
        return status;
    }
    iso_context* ctx = model->ctx;
    if (desc->joint == -1 && desc->fixed_tendon == -1 && desc->adhesion_body != -1) {
        return check_adhesion(model, desc);
    }
    if (desc->joint == -1) {
        ISO_REQUIRE(ctx, desc->fixed_tendon >= 0 && desc->fixed_tendon < model->tendons.count,
                    ISO_ERR_RANGE,
                    "actuator '%s': no joint and fixed tendon index %d, expected in [0, %d)",
                    desc->name, desc->fixed_tendon, model->tendons.count);
        return iso_actuator_desc_check(ctx, desc);
    }
    ISO_REQUIRE(ctx, desc->joint >= 0 && desc->joint < model->joints.count, ISO_ERR_RANGE,
                "actuator '%s': joint index %d, expected in [0, %d)", desc->name, desc->joint,
                model->joints.count);
    const iso_joint_desc* joint = &model->joints.data[desc->joint];
    ISO_REQUIRE(ctx, iso_joint_kind_has_one_dof(joint->kind), ISO_ERR_ARGUMENT,
                "actuator '%s': joint '%s' has not exactly one degree of freedom", desc->name,
                joint->name);
    return iso_actuator_desc_check(ctx, desc);
}

iso_status iso_model_check_joint(const iso_model* model, const iso_joint_desc* desc,
                                 const int* inboard, const char* where) {
    iso_status status = check_joint(model->ctx, desc, model->bodies.count, where);
    if (status != ISO_OK) {
        return status;
    }
    int other = inboard[desc->child];
    ISO_REQUIRE(model->ctx, other < 0, ISO_ERR_UNSUPPORTED,
                "%sbody '%s' is the child of two joints, '%s' and '%s': close loops with a "
                "constraint",
                where, model->bodies.data[desc->child].desc.name, model->joints.data[other].name,
                desc->name);
    return ISO_OK;
}

static iso_status check_joints(const iso_model* model) {
    char where[k_where_size];
    int* inboard = iso_alloc_array(model->ctx, model->bodies.count, sizeof *inboard);
    iso_status status = ISO_OK;
    ISO_CHECK(model->ctx, inboard != NULL, ISO_ERR_MEMORY, "out of memory for %d bodies",
              model->bodies.count);
    for (int i = 0; i < model->bodies.count; ++i) {
        inboard[i] = -1;
    }
    for (int i = 0; i < model->joints.count; ++i) {
        const iso_joint_desc* desc = &model->joints.data[i];
        iso_model_where(desc->source, where, sizeof where);
        ISO_TRY(iso_model_check_joint(model, desc, inboard, where));
        inboard[desc->child] = i;
    }
done:
    iso_free(model->ctx, inboard);
    return status;
}

iso_status iso_model_check(const iso_model* model) {
    iso_context* ctx = model->ctx;
    char where[k_where_size];
    iso_status status = ISO_OK;
    for (int i = 0; i < model->bodies.count; ++i) {
        const iso_body_desc* desc = &model->bodies.data[i].desc;
        ISO_TRY(
            iso_model_check_body(ctx, desc, iso_model_where(desc->source, where, sizeof where)));
    }
    ISO_TRY(check_joints(model));
    for (int i = 0; i < model->geometries.count; ++i) {
        const iso_geometry_desc* desc = &model->geometries.data[i].desc;
        iso_model_where(desc->source, where, sizeof where);
        ISO_TRY(iso_model_check_geometry(ctx, desc, where));
    }
    for (int i = 0; i < model->visuals.count; ++i) {
        ISO_TRY(iso_model_check_visual(ctx, &model->visuals.data[i].desc));
    }
    for (int i = 0; i < model->actuators.count; ++i) {
        ISO_TRY(iso_model_check_actuator(model, &model->actuators.data[i]));
    }
    ISO_TRY(iso_model_check_fixed_tendons(model));
    for (int i = 0; i < model->couplers.count; ++i) {
        const iso_coupler_desc* desc = &model->couplers.data[i];
        iso_model_where(desc->source, where, sizeof where);
        ISO_TRY(iso_model_check_coupler(model, desc, where));
    }
    for (int i = 0; i < model->constraints.count; ++i) {
        const iso_constraint_desc* desc = &model->constraints.data[i];
        iso_model_where(desc->source, where, sizeof where);
        ISO_TRY(iso_model_check_constraint(model, desc, where));
    }

done:
    return status;
}
