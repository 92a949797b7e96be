// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/snapshot.h"

#include "base/core/fail.h"

#include <string.h>

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

static const void* copy_bytes(iso_arena* arena, const void* from, size_t size) {
    void* copy = from ? iso_arena_push(arena, size) : NULL;
    return copy && size > 0 ? memcpy(copy, from, size) : copy;
}

static const void* copy_text(iso_arena* arena, const char* text) {
    return copy_bytes(arena, text, text ? strlen(text) + 1 : 0);
}

// Vertices and faces as they are recorded: without gradients and elements.
static bool copy_faces(iso_arena* arena, const iso_contact* from, iso_contact* to) {
    const iso_patch* patch = &from->patch;
    const size_t faces = (size_t)patch->face_count, vertices = (size_t)patch->vertex_count;
    iso_patch* copy = &to->patch;
    copy->face_offsets = copy_bytes(arena, patch->face_offsets, (faces + 1) * sizeof(int));
    copy->vertices = copy_bytes(arena, patch->vertices, vertices * sizeof(iso_vec3));
    copy->vertex_pressures = copy_bytes(arena, patch->vertex_pressures, vertices * sizeof(double));
    copy->areas = copy_bytes(arena, patch->areas, faces * sizeof(double));
    copy->centroids = copy_bytes(arena, patch->centroids, faces * sizeof(iso_vec3));
    copy->normals = copy_bytes(arena, patch->normals, faces * sizeof(iso_vec3));
    copy->pressures = copy_bytes(arena, patch->pressures, faces * sizeof(double));
    to->tractions = copy_bytes(arena, from->tractions, faces * sizeof(iso_vec3));
    to->slip_velocities = copy_bytes(arena, from->slip_velocities, faces * sizeof(iso_vec3));
    to->stretches = copy_bytes(arena, from->stretches, faces * sizeof(iso_vec3));
    to->sliding = copy_bytes(arena, from->sliding, faces * sizeof(double));
    return copy->face_offsets && copy->vertices && copy->vertex_pressures && copy->areas &&
           copy->centroids && copy->normals && copy->pressures && to->tractions &&
           to->slip_velocities && (to->stretches || !from->stretches) &&
           (to->sliding || !from->sliding);
}

static void drop_faces(iso_contact* contact) {
    iso_patch* patch = &contact->patch;
    patch->face_offsets = NULL;
    patch->vertices = patch->centroids = patch->normals = NULL;
    patch->vertex_pressures = patch->areas = patch->pressures = NULL;
    contact->tractions = contact->slip_velocities = contact->stretches = NULL;
    contact->sliding = NULL;
}

iso_status iso_frame_own_contacts(iso_arena* arena, const iso_recorded_model* model,
                                  bool with_faces, const iso_recorded_frame* frame) {
    iso_contact* contacts = (iso_contact*)(uintptr_t)frame->contacts; // the snapshot's own
    for (int i = 0; i < frame->contact_count; ++i) {
        iso_contact from = contacts[i], *to = &contacts[i];
        bool is_whole = true;
        drop_faces(to);
        to->patch.gradients_a = to->patch.gradients_b = NULL;
        to->patch.elements = NULL;
        if (with_faces && from.patch.face_offsets) {
            is_whole = copy_faces(arena, &from, to);
        }
        to->body_name_a = model->bodies[from.body_a].name;
        to->body_name_b = model->bodies[from.body_b].name;
        to->geometry_name_a = copy_text(arena, from.geometry_name_a);
        to->geometry_name_b = copy_text(arena, from.geometry_name_b);
        ISO_REQUIRE(arena->ctx, is_whole && to->geometry_name_a && to->geometry_name_b,
                    ISO_ERR_MEMORY, "contact of %d faces", from.patch.face_count);
    }
    return ISO_OK;
}

iso_status iso_model_own_names(iso_arena* arena, iso_recorded_model* model) {
    iso_recorded_body* bodies = (iso_recorded_body*)(uintptr_t)model->bodies;
    iso_recorded_joint* joints = (iso_recorded_joint*)(uintptr_t)model->joints;
    bool is_whole = true;
    for (int i = 0; i < model->body_count; ++i) {
        bodies[i].name = copy_text(arena, bodies[i].name);
        is_whole = is_whole && bodies[i].name;
    }
    for (int i = 0; i < model->joint_count; ++i) {
        joints[i].name = copy_text(arena, joints[i].name);
        is_whole = is_whole && joints[i].name;
    }
    ISO_REQUIRE(arena->ctx, is_whole, ISO_ERR_MEMORY, "names of %d bodies", model->body_count);
    return ISO_OK;
}
