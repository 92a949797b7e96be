// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What a world consists of, whatever its numbers are.

#include "world/state/world_state.h"

#include "base/values/hash.h"
#include "surface/shapes/contact_shape_data.h"

static uint64_t add_int(uint64_t hash, int value) {
    return iso_hash_bytes(hash, &value, sizeof value);
}

// Names end where their zero does, so that no two lists of names look alike.
static uint64_t add_name(uint64_t hash, const char* name) {
    return add_int(iso_hash_text(hash, name != NULL ? name : ""), 0);
}

uint64_t iso_world_structure_hash(const iso_world* world) {
    if (world == NULL) {
        return 0;
    }
    const iso_multibody* mb = &world->multibody;
    uint64_t hash = add_int(ISO_HASH_SEED, mb->body_count);
    for (int i = 0; i < mb->body_count; ++i) {
        hash = add_name(add_name(hash, world->body_names[i]), world->joint_names[i]);
        hash = add_int(add_int(hash, mb->bodies[i].parent), (int)mb->bodies[i].mobility);
    }
    hash = add_int(hash, world->actuator_count);
    for (int i = 0; i < world->actuator_count; ++i) {
        const iso_actuator* drive = &world->drives[i];
        int coordinate = drive->body >= 0 ? drive->body : -1 - drive->tendon;
        hash = iso_actuator_is_adhesion(drive) ? add_int(hash, drive->adhesion_body) : hash;
        hash = add_name(add_int(hash, coordinate), world->actuators[i].name);
    }
    hash = add_int(hash, world->tendon_count);
    for (int i = 0; i < world->tendon_count; ++i) {
        hash = add_name(hash, world->tendon_names[i]);
    }
    hash = add_int(hash, world->constraint_count);
    for (int i = 0; i < world->constraint_count; ++i) {
        const iso_constraint* c = &world->constraints[i];
        hash = add_name(add_int(hash, (int)c->kind), world->constraint_names[i]);
        hash = add_int(add_int(hash, c->body_a), c->body_b);
    }
    hash = add_int(hash, world->coupler_count);
    for (int i = 0; i < world->coupler_count; ++i) {
        const iso_coupler* c = &world->couplers[i];
        hash = add_name(add_int(add_int(hash, c->body_a), c->body_b), world->coupler_names[i]);
    }
    hash = add_int(hash, world->geometry_count);
    for (int i = 0; i < world->geometry_count; ++i) {
        const iso_contact_geometry* geometry = &world->geometries[i];
        hash = add_name(add_int(hash, geometry->body), geometry->name);
        hash =
            add_int(add_int(hash, (int)geometry->shape->primitive.kind), geometry->shape->is_rigid);
    }
    return hash;
}
