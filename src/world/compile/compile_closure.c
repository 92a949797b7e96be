// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Couplers and loop constraints of a model as its world sees them, and the first closing of loops.

#include "world/model/order.h"
#include "world/state/switches.h"
#include "world/state/world_state.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"

#include <stdlib.h>
#include <string.h>

// Loops open wider than this at the start are worth a line in the log.
#define WORTH_A_LINE 1e-6

// Moves below this are rounding [rad] or [m].
#define LEAST_MOVE 1e-12

// What no joint can close of a loop is worth a warning when it is more than this [rad] or [m].
#define WORTH_A_WARNING 1e-8

static int compare_names(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

/// Names of `count` things in order: owned copies. get returns the i-th of the model.
static iso_status sort_names(iso_context* ctx, const iso_model* model, int count,
                             const char* (*get)(const iso_model* model, int i), char** out_names) {
    for (int i = 0; i < count; ++i) {
        out_names[i] = iso_strdup(ctx, get(model, i));
        ISO_REQUIRE(ctx, out_names[i] != NULL, ISO_ERR_MEMORY, "out of memory for a name");
    }
    qsort(out_names, (size_t)count, sizeof *out_names, compare_names);
    return ISO_OK;
}

static const char* constraint_name(const iso_model* model, int i) {
    return model->constraints.data[i].name;
}

static const char* coupler_name(const iso_model* model, int i) {
    return model->couplers.data[i].name;
}

static iso_status compile_constraints(iso_world* world, const iso_model* model,
                                      const int* world_body) {
    for (int i = 0; i < world->constraint_count; ++i) {
        int index = iso_model_find_constraint(model, world->constraint_names[i]);
        const iso_constraint_desc* desc = &model->constraints.data[index];
        iso_constraint constraint = {
            .kind = desc->kind,
            .body_a = world_body[desc->body_a],
            .body_b = world_body[desc->body_b],
            .x_ap = desc->x_ap,
            .x_bq = desc->x_bq,
            .length = desc->length,
            .stiffness = desc->stiffness,
            .damping = desc->damping,
        };
        char where[512];
        ISO_REQUIRE(
            world->ctx,
            world->multibody.bodies[constraint.body_a].tree >= 0 ||
                world->multibody.bodies[constraint.body_b].tree >= 0,
            ISO_ERR_ARGUMENT,
            "%sconstraint '%s': neither body '%s' nor body '%s' can move, expected one that "
            "can",
            iso_model_where(desc->source, where, sizeof where), desc->name,
            world->body_names[constraint.body_a], world->body_names[constraint.body_b]);
        world->constraints[i] = constraint;
        world->starts_off[i] = desc->is_off;
    }
    return ISO_OK;
}

static void compile_couplers(iso_world* world, const iso_model* model, const int* world_body) {
    for (int i = 0; i < world->coupler_count; ++i) {
        int index = iso_model_find_coupler(model, world->coupler_names[i]);
        const iso_coupler_desc* desc = &model->couplers.data[index];
        int a = iso_world_joint_of(world, world_body[model->joints.data[desc->joint_a].child]);
        int b = iso_world_joint_of(world, world_body[model->joints.data[desc->joint_b].child]);
        world->coupler_joints[2 * i] = a;
        world->coupler_joints[2 * i + 1] = b;
        iso_coupler coupler = {
            world->joints[a].body, world->joints[b].body, desc->ratio, desc->offset, {0.0},
            desc->is_off};
        memcpy(coupler.curve, desc->curve, sizeof coupler.curve);
        world->couplers[i] = coupler;
    }
}

iso_status iso_world_compile_closure(iso_world* world, const iso_model* model,
                                     const int* world_body) {
    iso_context* ctx = world->ctx;
    int constraints = model->constraints.count, couplers = model->couplers.count;
    int ties = couplers + model->tendons.count;
    world->constraint_names =
        iso_alloc_zeroed(ctx, (size_t)(constraints + 1) * sizeof *world->constraint_names);
    world->coupler_names =
        iso_alloc_zeroed(ctx, (size_t)(couplers + 1) * sizeof *world->coupler_names);
    world->constraints = iso_alloc_array(ctx, constraints, sizeof *world->constraints);
    world->starts_off = iso_alloc_array(ctx, constraints, sizeof *world->starts_off);
    world->couplers = iso_alloc_array(ctx, couplers, sizeof *world->couplers);
    world->coupler_joints = iso_alloc_array(ctx, couplers, 2 * sizeof *world->coupler_joints);
    world->constraint_forces =
        iso_alloc_zeroed(ctx, (size_t)(constraints + 1) * sizeof *world->constraint_forces);
    world->next_constraint_forces =
        iso_alloc_zeroed(ctx, (size_t)(constraints + 1) * sizeof *world->next_constraint_forces);
    world->tie_efforts = iso_alloc_zeroed(ctx, (size_t)(ties + 1) * sizeof *world->tie_efforts);
    world->next_tie_efforts =
        iso_alloc_zeroed(ctx, (size_t)(ties + 1) * sizeof *world->next_tie_efforts);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx,
              world->constraint_names != NULL && world->coupler_names != NULL &&
                  world->constraints != NULL && world->couplers != NULL &&
                  world->starts_off != NULL && world->coupler_joints != NULL &&
                  world->constraint_forces != NULL && world->next_constraint_forces != NULL &&
                  world->tie_efforts != NULL && world->next_tie_efforts != NULL,
              ISO_ERR_MEMORY, "out of memory for %d constraints and %d couplers", constraints,
              couplers);
    world->constraint_count = constraints;
    world->coupler_count = couplers;
    ISO_TRY(sort_names(ctx, model, constraints, constraint_name, world->constraint_names));
    ISO_TRY(sort_names(ctx, model, couplers, coupler_name, world->coupler_names));
    ISO_TRY(compile_constraints(world, model, world_body));
    compile_couplers(world, model, world_body);
    ISO_TRY(iso_world_create_switches(world));
    status = iso_world_apply_switches(world);
done:
    return status;
}

void iso_world_free_closure(iso_world* world) {
    iso_context* ctx = world->ctx;
    for (int i = 0; i < world->constraint_count; ++i) {
        iso_free(ctx, world->constraint_names[i]);
    }
    for (int i = 0; i < world->coupler_count; ++i) {
        iso_free(ctx, world->coupler_names[i]);
    }
    iso_free(ctx, world->constraint_names);
    iso_free(ctx, world->coupler_names);
    iso_free(ctx, world->constraints);
    iso_free(ctx, world->starts_off);
    iso_free(ctx, world->couplers);
    iso_free(ctx, world->coupler_joints);
}

iso_closure iso_world_closure(const iso_world* world) {
    iso_closure closure = {world->active, world->active_count, world->present_couplers,
                           world->coupler_count};
    return closure;
}

/// The constraint or coupler that owns a row: what it is, its name, and where its file has it.
static const char* find_owner(const iso_world* world, const iso_model* model, int owner,
                              const char** out_name, const char** out_source) {
    int coupler = owner - world->active_count;
    *out_name = coupler < 0 ? world->constraint_names[world->active_index[owner]]
                            : world->coupler_names[coupler];
    *out_source = coupler < 0
                      ? model->constraints.data[iso_model_find_constraint(model, *out_name)].source
                      : model->couplers.data[iso_model_find_coupler(model, *out_name)].source;
    return coupler < 0 ? "constraint" : "coupler";
}

iso_status iso_world_close_loops(iso_world* world, const iso_model* model) {
    iso_closure closure = iso_world_closure(world);
    iso_closure_report report;
    iso_status status =
        iso_closure_project(&closure, &world->multibody, &world->scratch, world->q, &report);
    char where[512] = "";
    const char *name = NULL, *source = NULL, *noun = NULL, *at = "";
    if (report.worst >= 0) {
        noun = find_owner(world, model, report.worst, &name, &source);
        at = iso_model_where(source, where, sizeof where);
    }
    if (status == ISO_ERR_NO_CONVERGENCE) {
        return iso_fail(world->ctx, status, __func__,
                        "%s%s '%s' cannot be closed from the initial positions: an error of %g "
                        "(rad or m) is left, expected at most %g; constraints or couplers may "
                        "contradict each other, or no joint moves that way",
                        at, noun, name, report.last_error, ISO_CLOSURE_TOLERATED);
    }
    if (status == ISO_OK && report.last_error > WORTH_A_WARNING) {
        iso_log(world->ctx, ISO_LOG_WARNING,
                "%s%s '%s' stays open by %g (rad or m), which no joint can close: it is left as it "
                "is; more digits in poses and axes would close it",
                at, noun, name, report.last_error);
    }
    if (status == ISO_OK && report.first_error > WORTH_A_LINE && report.moved > LEAST_MOVE) {
        iso_log(world->ctx, ISO_LOG_INFO,
                "loops and couplers were open by up to %g (rad or m): initial positions were moved "
                "by up to %g to close them",
                report.first_error, report.moved);
    }
    return status;
}
