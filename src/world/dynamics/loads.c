// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Accelerations and joint wrenches of the last step, which sensors read.

#include "isobar/dynamics.h"

#include "world/state/world_state.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <string.h>

iso_status iso_world_record_create(iso_world* world) {
    iso_context* ctx = world->ctx;
    const iso_multibody* mb = &world->multibody;
    iso_world_record* record = &world->record;
    record->is_known = false;
    record->q = iso_alloc_array(ctx, mb->q_count, sizeof *record->q);
    record->v = iso_alloc_array(ctx, mb->v_count, sizeof *record->v);
    record->vdot = iso_alloc_array(ctx, mb->v_count, sizeof *record->vdot);
    record->f_b_w = iso_alloc_array(ctx, mb->body_count, sizeof *record->f_b_w);
    record->motions = iso_alloc_array(ctx, mb->body_count, sizeof *record->motions);
    ISO_REQUIRE(ctx,
                record->q != NULL && record->v != NULL && record->vdot != NULL &&
                    record->f_b_w != NULL && record->motions != NULL,
                ISO_ERR_MEMORY, "loads of %d bodies", mb->body_count);
    return ISO_OK;
}

void iso_world_record_free(iso_world* world) {
    iso_context* ctx = world->ctx;
    iso_free(ctx, world->record.q);
    iso_free(ctx, world->record.v);
    iso_free(ctx, world->record.vdot);
    iso_free(ctx, world->record.f_b_w);
    iso_free(ctx, world->record.motions);
}

iso_step_loads iso_world_record_target(iso_world* world) {
    world->record.is_known = false; // until all went well
    return (iso_step_loads){world->record.vdot, world->record.f_b_w};
}

void iso_world_record_state(iso_world* world, const double* q, const double* v) {
    const iso_multibody* mb = &world->multibody;
    iso_world_record* record = &world->record;
    if (mb->q_count > 0) {
        memcpy(record->q, q, (size_t)mb->q_count * sizeof *q);
        memcpy(record->v, v, (size_t)mb->v_count * sizeof *v);
    }
    if (world->has_motion) {
        memcpy(record->motions, world->motions, (size_t)mb->body_count * sizeof *record->motions);
    } else {
        memset(record->motions, 0, (size_t)mb->body_count * sizeof *record->motions);
    }
    record->is_known = true;
}

/// A body whose motion is prescribed keeps its twist: its origin has no acceleration. What is
/// welded to it turns with it.
static void accelerate_fixed(const iso_multibody* mb, const iso_body_motion* motions,
                             const iso_kinematics* kinematics, iso_spatial* a_wb) {
    for (int b = 1; b < mb->body_count; ++b) {
        int parent = mb->bodies[b].parent;
        if (mb->bodies[b].tree < 0 && motions[b].is_set == 0.0) {
            iso_vec3 p = iso_vec3_sub(kinematics->x_wb[b].p, kinematics->x_wb[parent].p);
            a_wb[b] = iso_multibody_shift_acceleration(a_wb[parent],
                                                       kinematics->v_wb[parent].rotational, p);
        }
    }
}

iso_status iso_world_body_loads(iso_world* world, iso_body_load* out_loads) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    ISO_REQUIRE(world->ctx, out_loads != NULL, ISO_ERR_ARGUMENT, "out_loads is required");
    const iso_multibody* mb = &world->multibody;
    const iso_world_record* record = &world->record;
    iso_status status = ISO_OK;
    if (!record->is_known) {
        ISO_TRY(iso_world_find_contacts(world));
    }
    ISO_TRY(iso_arena_reset(&world->scratch));
    iso_kinematics kinematics;
    iso_spatial* a_wb = iso_arena_push_array(&world->scratch, mb->body_count, sizeof *a_wb);
    iso_spatial* f_b_w = iso_arena_push_array(&world->scratch, mb->body_count, sizeof *f_b_w);
    ISO_CHECK(world->ctx, a_wb != NULL && f_b_w != NULL, ISO_ERR_MEMORY, "loads of %d bodies",
              mb->body_count);
    ISO_TRY(iso_kinematics_push(mb, &world->scratch, &kinematics));
    iso_multibody_kinematics(mb, record->q, record->v, &kinematics);
    iso_motions_place(mb, record->motions, 0.0, &kinematics);
    iso_multibody_body_accelerations(mb, &kinematics, record->v, record->vdot, a_wb);
    accelerate_fixed(mb, record->motions, &kinematics, a_wb);
    iso_multibody_joint_wrenches(mb, &kinematics, a_wb, world->desc.gravity, record->f_b_w, f_b_w);
    memset(&out_loads[0], 0, sizeof out_loads[0]);
    out_loads[0].x_wb = out_loads[0].x_wm = iso_pose_identity();
    for (int b = 1; b < mb->body_count; ++b) {
        iso_pose x_bm = iso_pose_inverse(&mb->bodies[b].x_mb);
        iso_body_load* load = &out_loads[b];
        load->x_wb = kinematics.x_wb[b];
        load->v_wb = kinematics.v_wb[b];
        load->a_wb = a_wb[b];
        load->x_wm = iso_pose_mul(&load->x_wb, &x_bm);
        load->f_bm_w = iso_spatial_shift_wrench(f_b_w[b], iso_vec3_sub(load->x_wm.p, load->x_wb.p));
    }
done:
    return status;
}

iso_pose iso_world_joint_frame(const iso_world* world, int body) {
    if (body <= 0 || body >= world->multibody.body_count) {
        return iso_pose_identity();
    }
    return iso_pose_inverse(&world->multibody.bodies[body].x_mb);
}
