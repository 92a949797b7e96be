// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Fixed tendons of a model.

#include "world/model/model.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/hash.h"

#include <stdio.h>
#include <string.h>

enum { k_where_size = 512 };

// Efforts and mobilities have squares of weights, which shall neither overflow nor vanish.
#define LEAST_WEIGHT 1e-9
#define LARGEST_WEIGHT 1e9

// Behind the joints of a tendon of a model, whose count its caller might edit.
#define END_OF_JOINTS (-1)

iso_fixed_tendon_desc iso_fixed_tendon_desc_default(void) {
    iso_fixed_tendon_desc desc = {.lower = -INFINITY, .upper = INFINITY};
    return desc;
}

iso_route_part iso_route_part_default(void) {
    iso_route_part part = {.kind = ISO_ROUTE_POINT,
                           .body = ISO_WORLD_BODY,
                           .x_bs = iso_pose_identity(),
                           .divisor = 1.0,
                           .other = -1,
                           .x_bo = iso_pose_identity()};
    return part;
}

static iso_status check_joint(const iso_model* model, const iso_fixed_tendon_desc* desc, int index,
                              const char* where) {
    iso_context* ctx = model->ctx;
    int joint = desc->joints[index];
    ISO_REQUIRE(ctx, joint >= 0 && joint < model->joints.count, ISO_ERR_RANGE,
                "%sfixed tendon '%s': joint index %d, expected in [0, %d)", where, desc->name,
                joint, model->joints.count);
    const iso_joint_desc* of = &model->joints.data[joint];
    ISO_REQUIRE(ctx, iso_joint_kind_has_one_dof(of->kind), ISO_ERR_ARGUMENT,
                "%sfixed tendon '%s': joint '%s' has not exactly one degree of freedom", where,
                desc->name, of->name);
    for (int i = 0; i < index; ++i) {
        ISO_REQUIRE(ctx, desc->joints[i] != joint, ISO_ERR_ARGUMENT,
                    "%sfixed tendon '%s': joint '%s' is there twice", where, desc->name, of->name);
    }
    double weight = fabs(desc->weights[index]);
    ISO_REQUIRE(ctx, weight >= LEAST_WEIGHT && weight <= LARGEST_WEIGHT, ISO_ERR_RANGE,
                "%sfixed tendon '%s': weight of joint '%s' is %g, expected a size of %g to %g",
                where, desc->name, of->name, desc->weights[index], LEAST_WEIGHT, LARGEST_WEIGHT);
    return ISO_OK;
}

static iso_status check_frames(iso_context* ctx, const iso_fixed_tendon_desc* desc, int index,
                               const char* where) {
    const iso_route_part* part = &desc->parts[index];
    char what[48];
    (void)snprintf(what, sizeof what, "part %d of fixed tendon", index);
    iso_status status = iso_model_check_pose(ctx, &part->x_bs, "x_bs", what, desc->name, where);
    if (status == ISO_OK && part->other >= 0) {
        status = iso_model_check_pose(ctx, &part->x_bo, "x_bo", what, desc->name, where);
    }
    const double* w = &part->weights.rotational.x;
    for (int i = 0; i < 6 && status == ISO_OK; ++i) {
        ISO_REQUIRE(ctx, isfinite(w[i]), ISO_ERR_RANGE,
                    "%s%s '%s': component %d of its weights is %g, expected finite", where, what,
                    desc->name, i, w[i]);
    }
    return status;
}

static iso_status check_part(const iso_model* model, const iso_fixed_tendon_desc* desc, int index,
                             const char* where) {
    iso_context* ctx = model->ctx;
    const iso_route_part* part = &desc->parts[index];
    bool is_round = part->kind == ISO_ROUTE_SPHERE || part->kind == ISO_ROUTE_CYLINDER;
    bool is_pulley = part->kind == ISO_ROUTE_PULLEY;
    int count = model->bodies.count;
    ISO_REQUIRE(ctx, part->kind >= ISO_ROUTE_POINT && part->kind <= ISO_ROUTE_WRENCH,
                ISO_ERR_ARGUMENT, "%sfixed tendon '%s': part %d of its route is of kind %d", where,
                desc->name, index, (int)part->kind);
    ISO_REQUIRE(ctx, !is_pulley || (isfinite(part->divisor) && part->divisor != 0.0), ISO_ERR_RANGE,
                "%sfixed tendon '%s': divisor of part %d is %g, expected finite and not 0", where,
                desc->name, index, part->divisor);
    ISO_REQUIRE(ctx,
                is_pulley || (part->body >= 0 && part->body < count && part->other >= -1 &&
                              part->other < count),
                ISO_ERR_RANGE,
                "%sfixed tendon '%s': bodies of part %d are %d and %d, expected "
                "below %d",
                where, desc->name, index, part->body, part->other, count);
    ISO_REQUIRE(ctx, part->kind != ISO_ROUTE_FRAME || part->other >= 0, ISO_ERR_ARGUMENT,
                "%sfixed tendon '%s': part %d is a frame whose other body is %d, expected 0 or "
                "above",
                where, desc->name, index, part->other);
    ISO_REQUIRE(ctx, !is_round || (isfinite(part->radius) && part->radius > 0.0), ISO_ERR_RANGE,
                "%sfixed tendon '%s': radius of part %d is %g, expected finite and > 0", where,
                desc->name, index, part->radius);
    return is_pulley ? ISO_OK : check_frames(ctx, desc, index, where);
}

// Obstacles stand between points, and something moves.
static iso_status check_route(const iso_model* model, const iso_fixed_tendon_desc* desc,
                              const char* where) {
    iso_route_kind last = ISO_ROUTE_PULLEY;
    bool is_in_order = true;
    for (int i = 0; i < desc->part_count; ++i) {
        iso_status status = check_part(model, desc, i, where);
        if (status != ISO_OK) {
            return status;
        }
        iso_route_kind kind = desc->parts[i].kind;
        bool is_round = kind == ISO_ROUTE_SPHERE || kind == ISO_ROUTE_CYLINDER;
        bool was_round = last == ISO_ROUTE_SPHERE || last == ISO_ROUTE_CYLINDER;
        is_in_order = is_in_order && (!is_round || last == ISO_ROUTE_POINT) &&
                      (!was_round || kind == ISO_ROUTE_POINT);
        last = kind;
    }
    is_in_order = is_in_order && last != ISO_ROUTE_SPHERE && last != ISO_ROUTE_CYLINDER;
    ISO_REQUIRE(model->ctx, is_in_order, ISO_ERR_ARGUMENT,
                "%sfixed tendon '%s': expected each sphere and cylinder of its route between two "
                "points",
                where, desc->name);
    return ISO_OK;
}

// What no length stands for, or turns by more than a length tells.
static bool has_frames(const iso_fixed_tendon_desc* desc) {
    bool has = false;
    for (int i = 0; i < desc->part_count; ++i) {
        iso_route_kind kind = desc->parts[i].kind;
        has = has || kind == ISO_ROUTE_FRAME || kind == ISO_ROUTE_WRENCH;
    }
    return has;
}

iso_status iso_model_check_fixed_tendon(const iso_model* model, const iso_fixed_tendon_desc* desc,
                                        const char* where) {
    iso_context* ctx = model->ctx;
    iso_status status = iso_model_check_name(ctx, "fixed tendon", desc->name, where);
    if (status != ISO_OK) {
        return status;
    }
    bool has_route = desc->part_count > 0 && desc->parts != NULL && desc->joint_count == 0;
    bool has_joints = desc->joint_count > 0 && desc->joints != NULL && desc->weights != NULL &&
                      desc->part_count == 0;
    ISO_REQUIRE(ctx, has_route || has_joints, ISO_ERR_ARGUMENT,
                "%sfixed tendon '%s': %d joints, expected at least one, and a weight of each",
                where, desc->name, desc->joint_count);
    for (int i = 0; i < desc->joint_count; ++i) {
        status = check_joint(model, desc, i, where);
        if (status != ISO_OK) {
            return status;
        }
    }
    status = check_route(model, desc, where);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx,
                isfinite(desc->stiffness) && desc->stiffness >= 0.0 && isfinite(desc->damping) &&
                    desc->damping >= 0.0 && isfinite(desc->spring_reference),
                ISO_ERR_RANGE,
                "%sfixed tendon '%s': stiffness %g, damping %g, reference %g, expected finite, the "
                "first two >= 0",
                where, desc->name, desc->stiffness, desc->damping, desc->spring_reference);
    ISO_REQUIRE(ctx, isfinite(desc->friction) && desc->friction >= 0.0, ISO_ERR_RANGE,
                "%sfixed tendon '%s': friction is %g, expected finite and >= 0", where, desc->name,
                desc->friction);
    ISO_REQUIRE(ctx,
                isfinite(desc->rotor_inertia) && desc->rotor_inertia >= 0.0 &&
                    (desc->rotor_inertia == 0.0 || !has_frames(desc)),
                ISO_ERR_RANGE,
                "%sfixed tendon '%s': rotor inertia is %g, expected finite and >= 0, and 0 with a "
                "route over frames or wrenches",
                where, desc->name, desc->rotor_inertia);
    bool has_room = desc->lower <= desc->upper && desc->lower < INFINITY && desc->upper > -INFINITY;
    ISO_REQUIRE(ctx, has_room, ISO_ERR_RANGE,
                "%sfixed tendon '%s': limits %g to %g, expected lower <= upper, lower < inf and "
                "upper > -inf",
                where, desc->name, desc->lower, desc->upper);
    return ISO_OK;
}

iso_status iso_model_check_fixed_tendons(const iso_model* model) {
    char where[k_where_size];
    for (int i = 0; i < model->tendons.count; ++i) {
        const iso_fixed_tendon_desc* desc = &model->tendons.data[i];
        int count = 0;
        while (desc->joints[count] != END_OF_JOINTS) {
            ++count;
        }
        iso_model_where(desc->source, where, sizeof where);
        ISO_REQUIRE(model->ctx, desc->joint_count == count, ISO_ERR_ARGUMENT,
                    "%sfixed tendon '%s': %d joints, expected the %d that it was added with", where,
                    desc->name, desc->joint_count, count);
        iso_status status = iso_model_check_fixed_tendon(model, desc, where);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

static void free_parts(iso_context* ctx, const iso_fixed_tendon_desc* desc) {
    iso_free(ctx, (void*)(uintptr_t)desc->name);
    iso_free(ctx, (void*)(uintptr_t)desc->source);
    iso_free(ctx, (void*)(uintptr_t)desc->joints);
    iso_free(ctx, (void*)(uintptr_t)desc->weights);
    iso_free(ctx, (void*)(uintptr_t)desc->parts);
}

/// Replace what is borrowed by owned copies; on failure none is owned.
static iso_status own_parts(iso_context* ctx, iso_fixed_tendon_desc* desc) {
    int count = desc->joint_count;
    int* joints = iso_alloc_array(ctx, count + 1, sizeof *joints);
    double* weights = iso_alloc_array(ctx, count, sizeof *weights);
    iso_fixed_tendon_desc own = *desc;
    own.name = iso_strdup(ctx, desc->name);
    own.source = desc->source != NULL ? iso_strdup(ctx, desc->source) : NULL;
    own.joints = joints;
    own.weights = weights;
    iso_route_part* parts = iso_alloc_array(ctx, desc->part_count, sizeof *parts);
    own.parts = parts;
    if (own.name == NULL || joints == NULL || weights == NULL || parts == NULL ||
        (desc->source != NULL && own.source == NULL)) {
        free_parts(ctx, &own);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "out of memory for a fixed tendon");
    }
    for (int i = 0; i < count; ++i) {
        joints[i] = desc->joints[i];
        weights[i] = desc->weights[i];
    }
    joints[count] = END_OF_JOINTS;
    for (int i = 0; i < desc->part_count; ++i) {
        parts[i] = desc->parts[i];
        if (parts[i].kind == ISO_ROUTE_PULLEY) { // whatever the caller left there
            parts[i].body = ISO_WORLD_BODY;
            parts[i].other = -1;
        }
    }
    *desc = own;
    return ISO_OK;
}

iso_status iso_model_add_fixed_tendon(iso_model* model, const iso_fixed_tendon_desc* desc,
                                      int* out_index) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc != NULL, ISO_ERR_ARGUMENT, "desc is required");
    char where[k_where_size];
    iso_fixed_tendon_desc tendon = *desc;
    iso_status status = ISO_OK;
    ISO_TRY(iso_model_check_fixed_tendon(model, desc,
                                         iso_model_where(desc->source, where, sizeof where)));
    ISO_CHECK(ctx, iso_model_find_fixed_tendon(model, desc->name) < 0, ISO_ERR_ARGUMENT,
              "%sfixed tendon name '%s' is used twice", where, desc->name);
    ISO_TRY(ISO_ARRAY_GROW(ctx, &model->tendons));
    ISO_TRY(own_parts(ctx, &tendon));
    status = iso_name_table_add(ctx, &model->tendon_names,
                                iso_hash_text(ISO_HASH_SEED, tendon.name), model->tendons.count);
    if (status != ISO_OK) {
        free_parts(ctx, &tendon);
        return status;
    }
    if (out_index != NULL) {
        *out_index = model->tendons.count;
    }
    model->tendons.data[model->tendons.count++] = tendon;
done:
    return status;
}

void iso_model_free_tendons(iso_model* model) {
    for (int i = 0; i < model->tendons.count; ++i) {
        free_parts(model->ctx, &model->tendons.data[i]);
    }
    ISO_ARRAY_FREE(model->ctx, &model->tendons);
}

int iso_model_fixed_tendon_count(const iso_model* model) {
    return model->tendons.count;
}

iso_fixed_tendon_desc* iso_model_fixed_tendon(iso_model* model, int index) {
    return index >= 0 && index < model->tendons.count ? &model->tendons.data[index] : NULL;
}
