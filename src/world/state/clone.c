// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/state/attachment.h"
#include "world/state/switches.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <string.h>

// What the clone does not share, all gone.
static void forget_own(iso_world* clone) {
    clone->contacts = NULL;
    clone->stepper = NULL;
    clone->actuations = clone->lead_starts = clone->lead_ends = NULL;
    clone->has_leads = false;
    clone->efforts = clone->next_efforts = NULL;
    clone->q = clone->v = clone->next_q = clone->next_v = NULL;
    clone->f_b_w = NULL;
    clone->motions = NULL;
    clone->moved = NULL;
    memset(&clone->record, 0, sizeof clone->record);
    clone->constraint_forces = clone->next_constraint_forces = NULL;
    clone->tie_efforts = clone->next_tie_efforts = NULL;
    memset(&clone->memory, 0, sizeof clone->memory);
    memset(&clone->arena, 0, sizeof clone->arena);
    memset(&clone->scratch, 0, sizeof clone->scratch);
    memset(&clone->contact_result, 0, sizeof clone->contact_result);
    memset(&clone->warnings.pairs, 0, sizeof clone->warnings.pairs);
    memset(&clone->warnings.passage, 0, sizeof clone->warnings.passage);
    memset(&clone->attachments, 0, sizeof clone->attachments);
    clone->switches = NULL;
    clone->active = NULL;
    clone->active_index = NULL;
    clone->present_couplers = NULL;
    clone->present_tendons = NULL;
    clone->watch = NULL;
    clone->lock_count = 0;
    clone->offence = NULL;
    clone->arena.ctx = clone->scratch.ctx = clone->ctx;
}

static iso_status allocate_state(iso_world* w) {
    iso_context* ctx = w->ctx;
    const iso_multibody* mb = &w->multibody;
    w->actuations = iso_alloc_array(ctx, w->actuator_count, sizeof *w->actuations);
    w->lead_starts = iso_alloc_array(ctx, w->actuator_count, sizeof *w->lead_starts);
    w->lead_ends = iso_alloc_array(ctx, w->actuator_count, sizeof *w->lead_ends);
    w->efforts = iso_alloc_array(ctx, w->actuator_count, sizeof *w->efforts);
    w->next_efforts = iso_alloc_array(ctx, w->actuator_count, sizeof *w->next_efforts);
    w->q = iso_alloc_array(ctx, mb->q_count, sizeof *w->q);
    w->v = iso_alloc_array(ctx, mb->v_count, sizeof *w->v);
    w->next_q = iso_alloc_array(ctx, mb->q_count, sizeof *w->next_q);
    w->next_v = iso_alloc_array(ctx, mb->v_count, sizeof *w->next_v);
    w->f_b_w = iso_alloc_array(ctx, mb->body_count, sizeof *w->f_b_w);
    w->motions = iso_alloc_array(ctx, mb->body_count, sizeof *w->motions);
    w->moved = iso_alloc_array(ctx, mb->body_count, sizeof *w->moved);
    w->constraint_forces = iso_alloc_array(ctx, w->constraint_count, sizeof *w->constraint_forces);
    w->next_constraint_forces =
        iso_alloc_array(ctx, w->constraint_count, sizeof *w->next_constraint_forces);
    int ties = w->coupler_count + w->tendon_count;
    w->tie_efforts = iso_alloc_array(ctx, ties, sizeof *w->tie_efforts);
    w->next_tie_efforts = iso_alloc_array(ctx, ties, sizeof *w->next_tie_efforts);
    ISO_REQUIRE(ctx,
                w->actuations && w->lead_starts && w->lead_ends && w->efforts && w->next_efforts &&
                    w->q && w->v && w->next_q && w->next_v && w->f_b_w && w->motions && w->moved &&
                    w->constraint_forces && w->next_constraint_forces && w->tie_efforts &&
                    w->next_tie_efforts,
                ISO_ERR_MEMORY, "state of %d bodies", mb->body_count);
    iso_status status = iso_world_record_create(w);
    if (status == ISO_OK) {
        status = iso_arena_init(&w->arena, ctx, 0);
    }
    if (status == ISO_OK) {
        status = iso_kinematics_push(mb, &w->arena, &w->kinematics);
    }
    return status == ISO_OK ? iso_arena_init(&w->scratch, ctx, 0) : status;
}

static iso_status copy_state(const iso_world* world, iso_world* clone) {
    iso_state_block from[ISO_STATE_BLOCKS], to[ISO_STATE_BLOCKS];
    int count = world->memory.count;
    iso_status status = ISO_ARRAY_RESERVE(clone->ctx, &clone->memory, count);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < count; ++i) {
        clone->memory.data[i] = world->memory.data[i];
    }
    clone->memory.count = count;
    iso_world_state_blocks(world, from);
    iso_world_state_blocks(clone, to);
    for (int i = 0; i < ISO_STATE_BLOCKS; ++i) {
        if (from[i].count > 0) {
            memcpy(to[i].data, from[i].data, (size_t)from[i].count * sizeof(double));
        }
    }
    iso_world_refresh(clone);
    return iso_attachments_copy(clone->ctx, &world->attachments, &clone->attachments);
}

iso_status iso_world_clone(const iso_world* world, iso_world** out_clone) {
    ISO_REQUIRE(world != NULL ? world->ctx : NULL, world != NULL && out_clone != NULL,
                ISO_ERR_ARGUMENT, "world and out_clone are required");
    iso_context* ctx = world->ctx;
    *out_clone = NULL;
    ISO_REQUIRE(ctx, !world->is_varied, ISO_ERR_ARGUMENT,
                "a parameter of the world is varied; expected it to be restored before cloning");
    iso_world* clone = iso_alloc(ctx, sizeof *clone);
    ISO_REQUIRE(ctx, clone != NULL, ISO_ERR_MEMORY, "out of memory for a world");
    *clone = *world;
    forget_own(clone);
    atomic_fetch_add(clone->owners, 1);

    iso_status status = ISO_OK;
    ISO_TRY(allocate_state(clone));
    ISO_TRY(iso_world_create_switches(clone));
    ISO_TRY(iso_world_read_switches(world, &world->attachments, clone->switches));
    ISO_TRY(iso_world_read_couplers(world, &world->attachments, clone->present_couplers));
    ISO_TRY(iso_world_read_tendons(world, &world->attachments, clone->present_tendons));
    ISO_TRY(iso_world_apply_switches(clone));
    ISO_TRY(iso_contact_system_clone(ctx, world->contacts, &clone->contacts));
    iso_dynamics dynamics = {.multibody = &clone->multibody,
                             .contact = clone->contacts,
                             .actuators = clone->drives,
                             .actuator_count = clone->actuator_count,
                             .tendons = clone->present_tendons,
                             .tendon_count = clone->tendon_count,
                             .body_names = (const char* const*)clone->body_names,
                             .closure = iso_world_closure(clone),
                             .told = clone->told};
    ISO_TRY(iso_stepper_create(ctx, &dynamics, &clone->desc, &clone->stepper));
    ISO_TRY(copy_state(world, clone));
    *out_clone = clone;

done:
    if (status != ISO_OK) {
        iso_world_destroy(clone);
    }
    return status;
}
