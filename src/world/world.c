// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/events/watch.h"
#include "world/state/attachment.h"

#include "base/core/alloc.h"
#include "base/core/ample.h"
#include "base/core/fail.h"
#include "base/values/hash.h"
#include "contact/pairs/material.h"
#include "math/limits.h"
#include "world/state/find.h"
#include "world/state/sizes.h"
#include "world/state/switches.h"

#include <string.h>

#define MOST_GRAVITY 1e9 // that is taken, of each component [m/s^2]

iso_world_desc iso_world_desc_default(void) {
    iso_world_desc desc = {.time_step = 1e-3,
                           .gravity = {0.0, 0.0, -9.81},
                           .method = ISO_METHOD_LAGGED,
                           .accuracy = 1e-3,
                           .max_substeps = 5000,
                           .contact = iso_contact_options_default(),
                           .thread_count = 1};
    return desc;
}

bool iso_method_is_built(iso_method method) {
    return iso_stepper_has_method(method);
}

bool iso_method_is_velocity_level(iso_method method) {
    return iso_stepper_is_velocity_level(method);
}

static iso_status check_accuracy(iso_context* ctx, const iso_world_desc* desc) {
    bool is_fine =
        !desc->error_control || !iso_method_is_velocity_level(desc->method) ||
        (desc->accuracy >= ISO_FINEST_ACCURACY && desc->accuracy <= ISO_COARSEST_ACCURACY);
    ISO_REQUIRE(
        ctx, is_fine, ISO_ERR_RANGE,
        "accuracy is %g, expected in [%g, %g] of a velocity-level method with error control",
        desc->accuracy, ISO_FINEST_ACCURACY, ISO_COARSEST_ACCURACY);
    ISO_REQUIRE(ctx, isfinite(desc->accuracy) && desc->accuracy >= ISO_LEAST_ACCURACY,
                ISO_ERR_RANGE, "accuracy is %g, expected finite and at least %g", desc->accuracy,
                ISO_LEAST_ACCURACY);
    bool is_coarse = desc->method != ISO_METHOD_RK4 &&
                     !iso_method_is_velocity_level(desc->method) &&
                     desc->accuracy > ISO_COARSEST_CONTINUOUS_ACCURACY;
    ISO_REQUIRE(ctx, !is_coarse, ISO_ERR_RANGE,
                "accuracy is %g, expected at most %g of a continuous method", desc->accuracy,
                ISO_COARSEST_CONTINUOUS_ACCURACY);
    return ISO_OK;
}

static iso_status check_desc(iso_context* ctx, const iso_world_desc* desc) {
    ISO_REQUIRE(ctx, isfinite(desc->time_step) && desc->time_step > 0.0 && desc->time_step <= 1.0,
                ISO_ERR_RANGE, "time step is %g s, expected in (0, 1]", desc->time_step);
    iso_vec3 g = desc->gravity;
    ISO_REQUIRE(ctx, iso_vec3_is_finite(g) && iso_vec3_max_abs(g) <= MOST_GRAVITY, ISO_ERR_RANGE,
                "gravity is (%g, %g, %g) m/s^2, expected components of at most %g", g.x, g.y, g.z,
                MOST_GRAVITY);
    ISO_REQUIRE(ctx, desc->method >= ISO_METHOD_LAGGED && desc->method <= ISO_METHOD_CVODE,
                ISO_ERR_RANGE, "method is %d, expected in [%d, %d]", (int)desc->method,
                (int)ISO_METHOD_LAGGED, (int)ISO_METHOD_CVODE);
    ISO_REQUIRE(ctx, iso_method_is_built(desc->method), ISO_ERR_UNSUPPORTED,
                "method is cvode, which this build does not have: build it where SUNDIALS is "
                "installed (Debian: libsundials-dev), or use radau");
    iso_status status = check_accuracy(ctx, desc);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, desc->max_substeps >= 1 && desc->max_substeps <= ISO_MOST_SUBSTEPS,
                ISO_ERR_RANGE, "max_substeps is %d, expected in [1, %d]", desc->max_substeps,
                ISO_MOST_SUBSTEPS);
    ISO_REQUIRE(ctx, desc->initial_step >= 0.0 && desc->initial_step <= 1.0, ISO_ERR_RANGE,
                "initial_step is %g s, expected in [0, 1]", desc->initial_step);
    ISO_REQUIRE(ctx, desc->max_step >= 0.0 && desc->max_step <= 1.0, ISO_ERR_RANGE,
                "max_step is %g s, expected in [0, 1]", desc->max_step);
    ISO_REQUIRE(ctx, desc->thread_count >= 1 && desc->thread_count <= 256, ISO_ERR_RANGE,
                "thread count is %d, expected in [1, 256]", desc->thread_count);
    return iso_contact_options_check(ctx, &desc->contact);
}

#define SUBSTEP_NUMBERS ((int)(sizeof(iso_substep_state) / sizeof(double)))

/// What error control hands from step to step, with the state: iso_substep_state.
static iso_status find_control(iso_world* world, double** out_control) {
    bool is_new = false;
    return iso_world_attach(world, "substeps", SUBSTEP_NUMBERS, out_control, &is_new);
}

iso_status iso_world_create(iso_context* ctx, const iso_model* model, const iso_world_desc* desc,
                            iso_world** out_world) {
    ISO_REQUIRE(ctx, model != NULL && out_world != NULL, ISO_ERR_ARGUMENT,
                "model and out_world are required");
    *out_world = NULL;
    iso_world_desc settings = desc != NULL ? *desc : iso_world_desc_default();
    if (settings.error_control && settings.time_step == 0.0) {
        settings.time_step = ISO_SAMPLE_STEP;
    }
    iso_status status = check_desc(ctx, &settings);
    if (status != ISO_OK) {
        return status;
    }
    iso_world* world = iso_alloc_zeroed(ctx, sizeof *world);
    ISO_REQUIRE(ctx, world != NULL, ISO_ERR_MEMORY, "out of memory for a world");
    world->ctx = ctx;
    world->desc = settings;
    world->owners = iso_alloc(ctx, sizeof *world->owners);
    ISO_CHECK(ctx, world->owners != NULL, ISO_ERR_MEMORY, "out of memory for a world");
    atomic_init(world->owners, 1);
    world->told = iso_alloc(ctx, sizeof *world->told);
    ISO_CHECK(ctx, world->told != NULL, ISO_ERR_MEMORY, "out of memory for a world");
    iso_stepper_told_init(world->told);
    ISO_TRY(iso_world_compile(world, model));
    ISO_TRY(iso_world_note_names(world));
    iso_dynamics dynamics = {.multibody = &world->multibody,
                             .contact = world->contacts,
                             .actuators = world->drives,
                             .actuator_count = world->actuator_count,
                             .tendons = world->present_tendons,
                             .tendon_count = world->tendon_count,
                             .body_names = (const char* const*)world->body_names,
                             .closure = iso_world_closure(world),
                             .told = world->told};
    ISO_TRY(iso_stepper_create(ctx, &dynamics, &world->desc, &world->stepper));
    world->model_hash = iso_world_hash_model(world);
    if (iso_world_has_substeps(world)) {
        double* control = NULL;
        ISO_TRY(find_control(world, &control));
    }
    *out_world = world;

done:
    if (status != ISO_OK) {
        iso_world_destroy(world);
    }
    return status;
}

static void free_state(iso_world* world) {
    iso_context* ctx = world->ctx;
    iso_stepper_destroy(ctx, world->stepper);
    iso_contact_system_destroy(ctx, world->contacts);
    iso_contact_warnings_free(ctx, &world->warnings);
    iso_free(ctx, world->actuations);
    iso_free(ctx, world->lead_starts);
    iso_free(ctx, world->lead_ends);
    iso_free(ctx, world->efforts);
    iso_free(ctx, world->next_efforts);
    iso_free(ctx, world->q);
    iso_free(ctx, world->v);
    iso_free(ctx, world->next_q);
    iso_free(ctx, world->next_v);
    iso_free(ctx, world->f_b_w);
    iso_free(ctx, world->motions);
    iso_free(ctx, world->moved);
    iso_free(ctx, world->constraint_forces);
    iso_free(ctx, world->next_constraint_forces);
    iso_free(ctx, world->tie_efforts);
    iso_free(ctx, world->next_tie_efforts);
    iso_world_free_switches(world);
    iso_world_record_free(world);
    iso_watch_free(ctx, world->watch);
    ISO_ARRAY_FREE(ctx, &world->memory);
    iso_attachments_free(ctx, &world->attachments);
    iso_arena_destroy(&world->arena);
    iso_arena_destroy(&world->scratch);
}

static void free_surfaces(iso_world* world) {
    iso_context* ctx = world->ctx;
    for (int i = 0; i < world->geometry_count; ++i) {
        iso_free(ctx, (void*)(uintptr_t)world->geometries[i].name);
    }
    iso_free(ctx, world->geometries);
    iso_free(ctx, world->rules);
    for (int i = 0; i < world->shape_count; ++i) {
        iso_contact_shape_destroy(ctx, world->shapes[i]);
    }
    iso_free(ctx, world->shapes);
    for (int i = 0; i < world->surface_count; ++i) {
        iso_free(ctx, world->surfaces[i].name);
        iso_tri_mesh_destroy(ctx, &world->surfaces[i].own_mesh);
    }
    iso_free(ctx, world->surfaces);
    iso_free(ctx, world->surface_index);
    iso_world_free_safe_travels(world);
}

static void free_constant(iso_world* world) {
    iso_context* ctx = world->ctx;
    free_surfaces(world);
    iso_world_free_closure(world);
    iso_world_free_tendons(world);
    iso_world_free_names(world);
    for (int i = 0; i < world->name_count; ++i) {
        iso_free(ctx, world->body_names[i]);
        if (world->joint_names != NULL) {
            iso_free(ctx, world->joint_names[i]);
        }
    }
    iso_free(ctx, world->joint_names);
    iso_free(ctx, world->body_names);
    for (int i = 0; i < world->joint_count; ++i) {
        iso_free(ctx, world->joints[i].name);
    }
    iso_free(ctx, world->joints);
    for (int i = 0; i < world->actuator_count; ++i) {
        iso_free(ctx, world->actuators[i].name);
    }
    iso_free(ctx, world->actuators);
    iso_free(ctx, world->drives);
    iso_multibody_destroy(ctx, &world->multibody);
    iso_free(ctx, world->owners);
    iso_free(ctx, world->told);
}

void iso_world_destroy(iso_world* world) {
    if (world == NULL || iso_world_check_free(world, "destroyed") != ISO_OK) {
        return;
    }
    iso_world_unvary(world);
    free_state(world);
    if (world->owners == NULL || atomic_fetch_sub(world->owners, 1) == 1) {
        free_constant(world);
    }
    iso_free(world->ctx, world);
}

void iso_world_refresh(iso_world* world) {
    iso_multibody_kinematics(&world->multibody, world->q, world->v, &world->kinematics);
    if (world->has_motion) {
        iso_world_place_motions(world);
    }
}

iso_step_input iso_world_step_input(const iso_world* world) {
    iso_step_input input = {.time = world->time,
                            .q = world->q,
                            .v = world->v,
                            .actuations = world->actuations,
                            .f_b_w = world->f_b_w,
                            .memories = world->memory.data,
                            .memory_count = world->memory.count,
                            .kinematics = &world->kinematics,
                            .is_start = world->step_count == 0,
                            .moved = world->moved};
    if (world->has_leads) {
        input.actuations = world->lead_starts;
        input.actuation_ends = world->lead_ends;
        input.lead_time = world->time;
    }
    if (world->has_motion) {
        input.place_moved = iso_world_place_moved;
        input.place_user = world;
    }
    return input;
}

static void swap_arrays(double** a, double** b) {
    double* t = *a;
    *a = *b;
    *b = t;
}

/// Stage 7: the new state becomes the state, the energy ledger is booked.
static void commit(iso_world* world, const iso_step_output* output) {
    swap_arrays(&world->q, &world->next_q);
    swap_arrays(&world->v, &world->next_v);
    swap_arrays(&world->efforts, &world->next_efforts);
    swap_arrays(&world->tie_efforts, &world->next_tie_efforts);
    iso_spatial* forces = world->constraint_forces;
    world->constraint_forces = world->next_constraint_forces;
    world->next_constraint_forces = forces;
    ++world->step_count;
    world->time = world->time_origin +
                  (double)(world->step_count - world->step_origin) * world->desc.time_step;
    iso_works_add(&world->works, &output->works);
    world->booked_stretch += output->booked_stretch;
    memset(world->moved, 0, (size_t)world->multibody.body_count * sizeof *world->moved);
    world->memory.count = output->contacts.memory_count;
    for (int i = 0; i < world->memory.count; ++i) {
        world->memory.data[i] = output->contacts.memories[i];
    }
    world->contact_result = output->contacts;
    world->report = output->report;
    memset(world->f_b_w, 0, (size_t)world->multibody.body_count * sizeof *world->f_b_w);
    if (world->has_leads) {
        memcpy(world->actuations, world->lead_ends,
               (size_t)world->actuator_count * sizeof *world->actuations);
        world->has_leads = false;
    }
    iso_world_record_state(world, world->next_q, world->next_v);
    if (world->has_motion) {
        iso_world_advance_motions(world);
    }
    iso_world_refresh(world);
}

// The first passage in the parts of a step, and their ends where a world is watched.
typedef struct part_watch {
    iso_world* world;
    iso_tunnelling passage;
    iso_status status;
} part_watch;

static void watch_part(void* user, const iso_step_part* part) {
    part_watch* parts = user;
    iso_world* world = parts->world;
    if (world->watch != NULL && parts->status == ISO_OK) {
        parts->status = iso_watch_add(world, part->time, part->q, part->v);
    }
    if (part->seen != NULL && parts->status == ISO_OK) {
        parts->status = iso_contact_warnings_update(world->ctx, &world->warnings, world->geometries,
                                                    part->seen, part->seen_time);
    }
    if (!parts->passage.is_found) {
        iso_world_span span = {.kinematics = part->kinematics,
                               .time = part->time,
                               .duration = part->duration,
                               .touching = part->touching};
        parts->passage = iso_world_find_tunnelling(world, &span);
    }
}

// Stages 1 to 6, and what must hold before the new state is taken over.
static iso_status compute_step(iso_world* world, const iso_step_input* input,
                               iso_step_output* output, const part_watch* parts) {
    iso_status status = ISO_OK;
    if (world->watch != NULL) {
        ISO_TRY(iso_watch_begin(world));
    }
    ISO_TRY(iso_stepper_step(world->stepper, input, output));
    iso_world_spread_forces(world, output->constraint_forces);
    ISO_TRY(iso_world_check_output(world, output));
    ISO_TRY(iso_contact_warnings_update(world->ctx, &world->warnings, world->geometries,
                                        &output->contacts.set, world->time));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(world->ctx, &world->memory, output->contacts.memory_count,
                                    world->geometry_count));
    ISO_TRY(iso_contact_warnings_reserve(world->ctx, &world->warnings));
    ISO_TRY(parts->status);
    if (world->watch != NULL) {
        ISO_TRY(iso_watch_find(world, output->q, output->v));
    }
done:
    if (status != ISO_OK && world->watch != NULL) {
        iso_watch_forget(world->watch);
    }
    return status;
}

iso_status iso_world_step(iso_world* world) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_status status = iso_world_check_free(world, "stepped");
    if (status != ISO_OK) {
        return status;
    }
    iso_step_input input = iso_world_step_input(world);
    part_watch parts = {.world = world};
    input.part_accepted = watch_part;
    input.is_watched = world->watch != NULL;
    input.part_user = &parts;
    iso_step_output output = {.q = world->next_q,
                              .v = world->next_v,
                              .efforts = world->next_efforts,
                              .constraint_forces = world->next_constraint_forces,
                              .tie_efforts = world->next_tie_efforts,
                              .loads = iso_world_record_target(world)};
    // The stepper reuses the memory of the last contacts, also when it fails.
    memset(&world->contact_result, 0, sizeof world->contact_result);
    double* control = NULL;
    if (iso_world_has_substeps(world)) {
        status = find_control(world, &control);
        if (status != ISO_OK) {
            return status;
        }
        memcpy(&input.substeps, control, sizeof input.substeps);
    }
    iso_contact_peak peak = world->warnings.peak;
    status = compute_step(world, &input, &output, &parts);
    if (status != ISO_OK) {
        world->warnings.peak = peak;
        return iso_fail_prefix(world->ctx, status, "step %lld at t = %g s",
                               (long long)world->step_count + 1, world->time);
    }
    if (control != NULL) {
        memcpy(control, &output.substeps, sizeof output.substeps);
    }
    commit(world, &output);
    if (!iso_world_is_adaptive(world)) {
        parts.passage = iso_world_find_step_tunnelling(world);
    }
    if (parts.passage.is_found) {
        iso_world_warn_of_tunnelling(world, &parts.passage);
    }
    return ISO_OK;
}

/// Where what carries a body hangs on something fixed; -1: the body is fixed itself. (Trees may be
/// joined by a tendon, and are none the less apart.)
static int root_of(const iso_mb_body* bodies, int body) {
    if (bodies[body].tree < 0) {
        return -1;
    }
    while (bodies[bodies[body].parent].tree >= 0) {
        body = bodies[body].parent;
    }
    return body;
}

void iso_world_mark_moved(iso_world* world, int body) {
    const iso_mb_body* bodies = world->multibody.bodies;
    world->moved[body] = 1.0;
    for (int b = body + 1; b < world->multibody.body_count; ++b) { // parents come first
        world->moved[b] = fmax(world->moved[b], world->moved[bodies[b].parent]);
    }
}

void iso_world_forget_tree(iso_world* world, int body) {
    const iso_mb_body* bodies = world->multibody.bodies;
    int root = root_of(bodies, body), count = 0;
    iso_world_mark_moved(world, root);
    for (int i = 0; i < world->memory.count; ++i) {
        const iso_pair_memory* memory = &world->memory.data[i];
        int root_a = root_of(bodies, world->geometries[memory->geometry_a].body);
        int root_b = root_of(bodies, world->geometries[memory->geometry_b].body);
        if (root_a != root && root_b != root) {
            world->memory.data[count++] = *memory;
        } else {
            world->booked_stretch -= iso_contact_memory_energy(world->contacts, memory);
        }
    }
    world->memory.count = count;
}

iso_status iso_world_update_contacts(iso_world* world) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_status status = iso_world_check_free(world, "given new contacts");
    return status == ISO_OK ? iso_world_find_contacts(world) : status;
}

iso_status iso_world_find_contacts(iso_world* world) {
    iso_status status = ISO_OK;
    iso_step_input input = iso_world_step_input(world);
    memset(&world->contact_result, 0, sizeof world->contact_result);
    iso_contact_result result;
    iso_step_report report;
    iso_step_loads loads = iso_world_record_target(world);
    status = iso_stepper_contacts(world->stepper, &input, &result, &report, &loads);
    if (status == ISO_OK) {
        status = iso_contact_warnings_update(world->ctx, &world->warnings, world->geometries,
                                             &result.set, world->time);
    }
    if (status == ISO_OK) {
        world->contact_result = result;
        world->report = report;
        iso_world_record_state(world, world->q, world->v);
    }
    return status;
}

uint64_t iso_world_state_hash(const iso_world* world) {
    uint64_t hash = iso_hash_bytes(ISO_HASH_SEED, &world->time, sizeof world->time);
    hash = iso_hash_bytes(hash, world->q, (size_t)world->multibody.q_count * sizeof(double));
    hash = iso_hash_bytes(hash, world->v, (size_t)world->multibody.v_count * sizeof(double));
    if (world->has_motion) {
        hash = iso_hash_bytes(hash, world->motions,
                              (size_t)world->multibody.body_count * sizeof *world->motions);
    }
    return iso_hash_bytes(hash, world->memory.data,
                          (size_t)world->memory.count * sizeof *world->memory.data);
}
