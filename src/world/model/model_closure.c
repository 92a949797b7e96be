// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Couplers and loop constraints of a model.

#include "world/model/model.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/hash.h"

#include <string.h>

enum { k_where_size = 512 };

iso_coupler_desc iso_coupler_desc_default(void) {
    iso_coupler_desc desc = {.joint_a = -1, .joint_b = -1, .ratio = 1.0};
    return desc;
}

iso_constraint_desc iso_constraint_desc_default(void) {
    iso_constraint_desc desc = {.kind = ISO_CONSTRAINT_BALL,
                                .x_ap = iso_pose_identity(),
                                .x_bq = iso_pose_identity(),
                                .length = 1.0,
                                .stiffness = INFINITY};
    return desc;
}

bool iso_joint_kind_has_one_dof(iso_joint_kind kind) {
    return kind == ISO_JOINT_REVOLUTE || kind == ISO_JOINT_PRISMATIC || kind == ISO_JOINT_SCREW;
}

// Where joint A within [lower, upper] may bring joint B: an enclosure of the polynomial by
// Horner's scheme in intervals, exact of a line.
static void enclose(const iso_coupler_desc* desc, double lower, double upper, double* out) {
    const double c[] = {desc->offset, desc->ratio, desc->curve[0], desc->curve[1], desc->curve[2]};
    int degree = ISO_COUPLER_CURVE + 1;
    while (degree > 0 && c[degree] == 0.0) {
        --degree;
    }
    out[0] = out[1] = c[degree];
    for (int i = degree - 1; i >= 0; --i) {
        double least = INFINITY, most = -INFINITY;
        for (int k = 0; k < 4; ++k) {
            double end = k % 2 == 0 ? lower : upper;
            double product = out[k / 2] == 0.0 || end == 0.0 ? 0.0 : out[k / 2] * end;
            least = fmin(least, product);
            most = fmax(most, product);
        }
        out[0] = least + c[i];
        out[1] = most + c[i];
    }
}

// The numbers of a coupler whose joints are there.
static iso_status check_coupling(const iso_model* model, const iso_coupler_desc* desc,
                                 const char* where) {
    iso_context* ctx = model->ctx;
    const iso_joint_desc* a = &model->joints.data[desc->joint_a];
    const iso_joint_desc* b = &model->joints.data[desc->joint_b];
    ISO_REQUIRE(ctx, desc->joint_a != desc->joint_b, ISO_ERR_ARGUMENT,
                "%scoupler '%s': joint '%s' is coupled to itself", where, desc->name, a->name);
    bool is_finite = isfinite(desc->ratio) && isfinite(desc->offset);
    bool depends = desc->ratio != 0.0;
    for (int i = 0; i < ISO_COUPLER_CURVE; ++i) {
        is_finite = is_finite && isfinite(desc->curve[i]);
        depends = depends || desc->curve[i] != 0.0;
    }
    ISO_REQUIRE(ctx, is_finite && depends, ISO_ERR_RANGE,
                "%scoupler '%s': ratio %g, offset %g, curve %g %g %g, expected finite, ratio and "
                "curve not all 0",
                where, desc->name, desc->ratio, desc->offset, desc->curve[0], desc->curve[1],
                desc->curve[2]);
    double ends[2];
    enclose(desc, a->lower, a->upper, ends);
    ISO_REQUIRE(ctx, desc->is_off || (ends[0] <= b->upper && ends[1] >= b->lower), ISO_ERR_RANGE,
                "%scoupler '%s': the limits [%g, %g] of joint '%s' bring joint '%s' to [%g, %g], "
                "outside its limits [%g, %g]",
                where, desc->name, a->lower, a->upper, a->name, b->name, ends[0], ends[1], b->lower,
                b->upper);
    return ISO_OK;
}

iso_status iso_model_check_coupler(const iso_model* model, const iso_coupler_desc* desc,
                                   const char* where) {
    iso_context* ctx = model->ctx;
    iso_status status = iso_model_check_name(ctx, "coupler", desc->name, where);
    if (status != ISO_OK) {
        return status;
    }
    int joints[2] = {desc->joint_a, desc->joint_b};
    for (int i = 0; i < 2; ++i) {
        ISO_REQUIRE(ctx, joints[i] >= 0 && joints[i] < model->joints.count, ISO_ERR_RANGE,
                    "%scoupler '%s': joint index %d, expected in [0, %d)", where, desc->name,
                    joints[i], model->joints.count);
        const iso_joint_desc* joint = &model->joints.data[joints[i]];
        ISO_REQUIRE(ctx, iso_joint_kind_has_one_dof(joint->kind), ISO_ERR_ARGUMENT,
                    "%scoupler '%s': joint '%s' has not exactly one degree of freedom", where,
                    desc->name, joint->name);
    }
    return check_coupling(model, desc, where);
}

iso_status iso_model_check_constraint(const iso_model* model, const iso_constraint_desc* desc,
                                      const char* where) {
    iso_context* ctx = model->ctx;
    iso_status status = iso_model_check_name(ctx, "constraint", desc->name, where);
    if (status != ISO_OK) {
        return status;
    }
    int count = model->bodies.count;
    ISO_REQUIRE(ctx, (int)desc->kind >= ISO_CONSTRAINT_WELD && desc->kind <= ISO_CONSTRAINT_TENDON,
                ISO_ERR_ARGUMENT, "%sconstraint '%s': unknown kind %d", where, desc->name,
                (int)desc->kind);
    ISO_REQUIRE(ctx,
                desc->body_a >= 0 && desc->body_a < count && desc->body_b >= 0 &&
                    desc->body_b < count && desc->body_a != desc->body_b,
                ISO_ERR_RANGE,
                "%sconstraint '%s': bodies %d and %d, expected two different ones in [0, %d)",
                where, desc->name, desc->body_a, desc->body_b, count);
    status = iso_model_check_pose(ctx, &desc->x_ap, "x_ap", "constraint", desc->name, where);
    if (status == ISO_OK) {
        status = iso_model_check_pose(ctx, &desc->x_bq, "x_bq", "constraint", desc->name, where);
    }
    if (status != ISO_OK) {
        return status;
    }
    bool has_length = desc->kind == ISO_CONSTRAINT_DISTANCE || desc->kind == ISO_CONSTRAINT_TENDON;
    bool is_spring = desc->kind == ISO_CONSTRAINT_DISTANCE && isfinite(desc->stiffness);
    ISO_REQUIRE(
        ctx,
        !has_length ||
            (isfinite(desc->length) && (desc->length > 0.0 || (is_spring && desc->length == 0.0))),
        ISO_ERR_RANGE,
        "%sconstraint '%s': length is %g m, expected finite and > 0, or 0 of a distance with "
        "stiffness",
        where, desc->name, desc->length);
    ISO_REQUIRE(ctx,
                !has_length ||
                    (desc->stiffness >= 0.0 && isfinite(desc->damping) && desc->damping >= 0.0),
                ISO_ERR_RANGE,
                "%sconstraint '%s': stiffness %g, damping %g, expected >= 0, the damping finite",
                where, desc->name, desc->stiffness, desc->damping);
    return ISO_OK;
}

static void free_texts(iso_context* ctx, const char* name, const char* source) {
    iso_free(ctx, (void*)(uintptr_t)name);
    iso_free(ctx, (void*)(uintptr_t)source);
}

/// Replace borrowed texts by owned copies; on failure none is owned.
static iso_status own_texts(iso_context* ctx, const char** name, const char** source) {
    const char* own_name = iso_strdup(ctx, *name);
    const char* own_source = *source != NULL ? iso_strdup(ctx, *source) : NULL;
    if (own_name == NULL || (*source != NULL && own_source == NULL)) {
        free_texts(ctx, own_name, own_source);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "out of memory for a name");
    }
    *name = own_name;
    *source = own_source;
    return ISO_OK;
}

iso_status iso_model_add_coupler(iso_model* model, const iso_coupler_desc* desc, int* out_index) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc != NULL, ISO_ERR_ARGUMENT, "desc is required");
    char where[k_where_size];
    iso_coupler_desc coupler = *desc;
    iso_status status = ISO_OK;
    ISO_TRY(
        iso_model_check_coupler(model, desc, iso_model_where(desc->source, where, sizeof where)));
    ISO_CHECK(ctx, iso_model_find_coupler(model, desc->name) < 0, ISO_ERR_ARGUMENT,
              "%scoupler name '%s' is used twice", where, desc->name);
    ISO_TRY(ISO_ARRAY_GROW(ctx, &model->couplers));
    ISO_TRY(own_texts(ctx, &coupler.name, &coupler.source));
    status = iso_name_table_add(ctx, &model->coupler_names,
                                iso_hash_text(ISO_HASH_SEED, coupler.name), model->couplers.count);
    if (status != ISO_OK) {
        free_texts(ctx, coupler.name, coupler.source);
        goto done;
    }
    if (out_index != NULL) {
        *out_index = model->couplers.count;
    }
    model->couplers.data[model->couplers.count++] = coupler;
done:
    return status;
}

iso_status iso_model_add_constraint(iso_model* model, const iso_constraint_desc* desc,
                                    int* out_index) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc != NULL, ISO_ERR_ARGUMENT, "desc is required");
    char where[k_where_size];
    iso_constraint_desc constraint = *desc;
    iso_status status = ISO_OK;
    ISO_TRY(iso_model_check_constraint(model, desc,
                                       iso_model_where(desc->source, where, sizeof where)));
    ISO_CHECK(ctx, iso_model_find_constraint(model, desc->name) < 0, ISO_ERR_ARGUMENT,
              "%sconstraint name '%s' is used twice", where, desc->name);
    ISO_TRY(ISO_ARRAY_GROW(ctx, &model->constraints));
    ISO_TRY(own_texts(ctx, &constraint.name, &constraint.source));
    status =
        iso_name_table_add(ctx, &model->constraint_names,
                           iso_hash_text(ISO_HASH_SEED, constraint.name), model->constraints.count);
    if (status != ISO_OK) {
        free_texts(ctx, constraint.name, constraint.source);
        goto done;
    }
    if (out_index != NULL) {
        *out_index = model->constraints.count;
    }
    model->constraints.data[model->constraints.count++] = constraint;
done:
    return status;
}

void iso_model_free_closure(iso_model* model) {
    for (int i = 0; i < model->couplers.count; ++i) {
        free_texts(model->ctx, model->couplers.data[i].name, model->couplers.data[i].source);
    }
    for (int i = 0; i < model->constraints.count; ++i) {
        free_texts(model->ctx, model->constraints.data[i].name, model->constraints.data[i].source);
    }
    ISO_ARRAY_FREE(model->ctx, &model->couplers);
    ISO_ARRAY_FREE(model->ctx, &model->constraints);
}

int iso_model_coupler_count(const iso_model* model) {
    return model->couplers.count;
}

int iso_model_constraint_count(const iso_model* model) {
    return model->constraints.count;
}

iso_coupler_desc* iso_model_coupler(iso_model* model, int index) {
    return index >= 0 && index < model->couplers.count ? &model->couplers.data[index] : NULL;
}

iso_constraint_desc* iso_model_constraint(iso_model* model, int index) {
    return index >= 0 && index < model->constraints.count ? &model->constraints.data[index] : NULL;
}
