// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/snapshot.h"

#include "base/core/fail.h"

iso_status iso_world_describe(iso_arena* arena, const iso_world* world, const char* scene_name,
                              iso_recorded_model* out_model) {
    iso_context* ctx = arena->ctx;
    int body_count = iso_world_body_count(world);
    int joint_count = iso_world_joint_count(world);
    iso_recorded_body* bodies = iso_arena_push_array(arena, body_count, sizeof *bodies);
    iso_recorded_joint* joints = iso_arena_push_array(arena, joint_count, sizeof *joints);
    ISO_REQUIRE(ctx, bodies && joints, ISO_ERR_MEMORY, "description of %d bodies", body_count);
    for (int i = 0; i < body_count; ++i) {
        int surface_count = iso_world_body_surface_count(world, i);
        iso_body_surface* surfaces = iso_arena_push_array(arena, surface_count, sizeof *surfaces);
        ISO_REQUIRE(ctx, surfaces, ISO_ERR_MEMORY, "%d surfaces", surface_count);
        for (int k = 0; k < surface_count; ++k) {
            surfaces[k] = iso_world_body_surface(world, i, k);
        }
        bodies[i] = (iso_recorded_body){
            .name = iso_world_body_name(world, i),
            .is_fixed = iso_world_body_is_fixed(world, i),
            .mass = iso_world_body_mass(world, i),
            .surface_count = surface_count,
            .surfaces = surfaces,
        };
    }
    for (int i = 0; i < joint_count; ++i) {
        joints[i].name = iso_world_joint_name(world, i);
        joints[i].kind = iso_world_joint_kind(world, i);
    }
    *out_model = (iso_recorded_model){
        .scene_name = scene_name,
        .isobar_version = iso_version(),
        .settings = *iso_world_settings(world),
        .body_count = body_count,
        .joint_count = joint_count,
        .bodies = bodies,
        .joints = joints,
    };
    return ISO_OK;
}

iso_status iso_world_snapshot(iso_arena* arena, const iso_world* world, bool with_exact_energy,
                              iso_recorded_frame* out_frame) {
    int body_count = iso_world_body_count(world);
    int joint_count = iso_world_joint_count(world);
    int contact_count = iso_world_contact_count(world);
    iso_pose* poses = iso_arena_push_array(arena, body_count, sizeof *poses);
    iso_spatial* twists = iso_arena_push_array(arena, body_count, sizeof *twists);
    double* positions = iso_arena_push_array(arena, joint_count, sizeof *positions);
    double* velocities = iso_arena_push_array(arena, joint_count, sizeof *velocities);
    double* efforts = iso_arena_push_array(arena, joint_count, sizeof *efforts);
    iso_contact* contacts = iso_arena_push_array(arena, contact_count, sizeof *contacts);
    ISO_REQUIRE(arena->ctx, poses && twists && positions && velocities && efforts && contacts,
                ISO_ERR_MEMORY, "frame of %d bodies", body_count);
    for (int i = 0; i < body_count; ++i) {
        poses[i] = iso_world_body_pose(world, i);
        twists[i] = iso_world_body_twist(world, i);
    }
    for (int i = 0; i < joint_count; ++i) {
        positions[i] = iso_world_joint_position(world, i);
        velocities[i] = iso_world_joint_velocity(world, i);
        efforts[i] = iso_world_joint_effort(world, i);
    }
    iso_energy energy = iso_world_energy(world);
    for (int i = 0; i < contact_count; ++i) {
        contacts[i] = iso_world_contact(world, i);
    }
    energy.elastic = with_exact_energy ? 0.0 : energy.elastic;
    for (int i = 0; with_exact_energy && i < contact_count; ++i) {
        iso_elastic_energy elastic;
        iso_status status = iso_world_elastic_energy(world, i, &elastic);
        if (status != ISO_OK) {
            return status;
        }
        contacts[i].elastic_energy = elastic.energy;
        contacts[i].is_energy_exact = elastic.is_exact;
        energy.elastic += elastic.energy;
    }
    *out_frame = (iso_recorded_frame){
        .time = iso_world_time(world),
        .step_count = iso_world_step_count(world),
        .state_hash = iso_world_state_hash(world),
        .poses = poses,
        .twists = twists,
        .joint_positions = positions,
        .joint_velocities = velocities,
        .joint_efforts = efforts,
        .contact_count = contact_count,
        .contacts = contacts,
        .energy = energy,
    };
    return ISO_OK;
}
