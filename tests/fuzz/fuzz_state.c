// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Any bytes as a state: restoring them must give a status, and leave a world that can be saved. The
// first byte says whether version, size, checksum and model are put right first, so that values are
// reached (bit 0), and whether as a state with attachments (bit 1).

#include "base/values/hash.h"
#include "isobar/isobar.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void drop_message(void* user, iso_log_level level, const char* message) {
    (void)user;
    (void)level;
    (void)message;
}

/// A hinged bar with an actuator over a ground, a ball on it: memories of contacts have a place.
static iso_status make_world(iso_context* ctx, iso_world** out_world) {
    iso_model* model = NULL;
    iso_status status = iso_model_create(ctx, &model);
    iso_body_desc body = iso_body_desc_default();
    body.mass = 1.0;
    body.inertia = iso_mat3_diagonal(0.01, 0.01, 0.01);
    iso_geometry_desc ball = iso_geometry_desc_default();
    ball.shape = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    ball.shape.radius = 0.1;
    ball.name = "ball";
    ball.material.resolution_hint = 0.1;
    iso_geometry_desc ground = ball;
    ground.name = "ground";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.material.compliance = ISO_COMPLIANCE_RIGID;
    int index = -1;
    body.name = "ball";
    status = status == ISO_OK ? iso_model_add_body(model, &body, &index) : status;
    status = status == ISO_OK ? iso_model_add_geometry(model, index, &ball, NULL) : status;
    status = status == ISO_OK ? iso_model_add_geometry(model, 0, &ground, NULL) : status;
    body.name = "bar";
    status = status == ISO_OK ? iso_model_add_body(model, &body, &index) : status;
    iso_joint_desc joint = iso_joint_desc_default();
    joint.name = "hinge";
    joint.kind = ISO_JOINT_REVOLUTE;
    joint.child = index;
    joint.axis = iso_vec3_make(0.0, 1.0, 0.0);
    status = status == ISO_OK ? iso_model_add_joint(model, &joint, NULL) : status;
    status = status == ISO_OK ? iso_world_create(ctx, model, NULL, out_world) : status;
    iso_model_destroy(model);
    return status;
}

static void put_u64(uint8_t* at, uint64_t value) {
    for (int i = 0; i < 8; ++i) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/// What would stop most inputs at the door. Magic and version as the world writes them.
static void put_right(iso_world* world, bool has_attachments, uint8_t* bytes, size_t size) {
    double* values = NULL;
    size_t own_size = 0;
    bool is_new;
    if (has_attachments && iso_world_attach(world, "fuzz", 1, &values, &is_new) != ISO_OK) {
        return;
    }
    uint8_t* own = malloc(iso_world_state_size(world));
    if (own && iso_world_save(world, own, iso_world_state_size(world), &own_size) == ISO_OK) {
        memcpy(bytes, own, 12);
    }
    free(own);
    put_u64(bytes + 16, size);
    put_u64(bytes + 32, iso_world_model_hash(world));
    uint64_t hash = iso_hash_bytes(ISO_HASH_SEED, bytes, 24);
    put_u64(bytes + 24, iso_hash_bytes(hash, bytes + 32, size - 32));
}

static void restore(iso_world* world, uint8_t* bytes, size_t size) {
    uint64_t before = iso_world_state_hash(world);
    if (iso_world_restore(world, bytes, size) != ISO_OK) {
        if (iso_world_state_hash(world) != before) {
            abort(); // a refused state changes nothing
        }
        return;
    }
    // What was taken over is written again as the same bytes, but for times that do not agree.
    size_t written = 0;
    if (iso_world_state_size(world) != size ||
        iso_world_save(world, bytes, size, &written) != ISO_OK) {
        abort();
    }
    iso_status status = iso_world_step(world); // any status
    (void)status;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    iso_context* ctx;
    iso_world* world = NULL;
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = drop_message;
    if (size == 0 || iso_context_create(&desc, &ctx) != ISO_OK) {
        return 0;
    }
    uint8_t* bytes = malloc(size);
    if (bytes && make_world(ctx, &world) == ISO_OK) {
        memcpy(bytes, data + 1, size - 1);
        if ((data[0] & 1) != 0 && size - 1 >= 136) {
            put_right(world, (data[0] & 2) != 0, bytes, size - 1);
        }
        restore(world, bytes, size - 1);
    }
    free(bytes);
    iso_world_destroy(world);
    iso_context_destroy(ctx);
    return 0;
}
